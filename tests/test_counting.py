"""Counters on a tiny made vocabulary, its download from servers that answer late, wrongly or never."""

from __future__ import annotations

import base64
import hashlib
import http.server
import os
import pickle
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken
import tiktoken.load
import tiktoken_ext.openai_public as openai_public  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import registry

from beaver_compat import counting, vocabulary
from beaver_compat.counting import FunctionCounter, TiktokenCounter, TokenCounterWarning, make_counter
from beaver_compat.errors import InputTypeError, InputValueError, ModelNotFoundError

MERGES = [b"he", b"ll", b" w", b"hell", b"hello", b"or", b"  ", b"    "]
RANKS = {token: rank for rank, token in enumerate([bytes([byte]) for byte in range(256)] + MERGES)}
TINY = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in RANKS.items())
PATTERN = r"'(?i:[sdmt])|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s*[\r\n]|\s+(?!\S)|\s"
PATH = "encodings/cl100k_base.tiktoken"
HANG_GUARD = 60  # seconds
HOSTILE = [
    "",
    "\x00",
    "<|endoftext|>",
    "\ud800 a\udc00",
    "\ud83d\ude00",
    "hello" * 200,
    " " * 1000 + "x",
    "(" * 999,
]

any_text = st.text(st.characters(exclude_categories=()))  # lone surrogates too


def parts() -> dict[str, Any]:
    """What a constructor of tiktoken's returns, with the vocabulary fetched tiktoken's own way."""
    address = vocabulary._PUBLIC + PATH
    ranks = tiktoken.load.load_tiktoken_bpe(address, hashlib.sha256(TINY).hexdigest())
    return {
        "name": "cl100k_base",
        "pat_str": PATTERN,
        "mergeable_ranks": ranks,
        "special_tokens": {"<|endoftext|>": 100257},
    }


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process that has counted nothing, an empty cache, a network that refuses, the tiny vocabulary."""
    tiktoken.list_encoding_names()
    monkeypatch.setitem(registry.ENCODING_CONSTRUCTORS or {}, "cl100k_base", parts)
    monkeypatch.setattr(registry, "ENCODINGS", {})
    monkeypatch.setattr(counting, "_COUNTERS", {})
    monkeypatch.setattr(counting, "_warned", False)
    monkeypatch.setattr(vocabulary, "_ATTEMPTS", {})
    monkeypatch.setattr(vocabulary, "_PUBLIC", "http://127.0.0.1:9/")
    monkeypatch.setitem(vocabulary._SHA256, PATH, hashlib.sha256(TINY).hexdigest())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))


def cache_file() -> Path:
    address = vocabulary._PUBLIC + PATH
    return Path(os.environ["TIKTOKEN_CACHE_DIR"]) / hashlib.sha1(address.encode()).hexdigest()


@pytest.fixture
def cached() -> None:
    """The tiny vocabulary in tiktoken's cache."""
    cache_file().parent.mkdir()
    cache_file().write_bytes(TINY)


class Server(http.server.ThreadingHTTPServer):
    """Sends `TINY` once `release` is set, and counts who asks."""

    block_on_close = False  # a request may still wait

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.release = threading.Event()
        self.asked = 0


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked += 1
        self.server.release.wait(HANG_GUARD)
        self.send_response(200)
        self.send_header("Content-Length", str(len(TINY)))
        self.end_headers()
        self.wfile.write(TINY)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        monkeypatch.setattr(vocabulary, "_PUBLIC", f"http://127.0.0.1:{running.server_port}/")
        yield running
        running.release.set()
        running.shutdown()


def words(text: str) -> int:
    return len(text.split())


# What tiktoken fetches


@pytest.mark.parametrize("name", [name for name in vocabulary._FILES if name != "cl100k_base"])
def test_files_are_those_that_tiktoken_fetches(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_files(name, monkeypatch)


def test_default_files_are_those_that_tiktoken_fetches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the real address and checksum
    check_files("cl100k_base", monkeypatch)


def check_files(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "_PUBLIC", "https://openaipublic.blob.core.windows.net/")
    fetched: list[tuple[str, str]] = []

    def one_file(address: str, expected_hash: str) -> dict[bytes, int]:
        fetched.append((address, expected_hash))
        return {}

    def two_files(
        vocab_bpe_file: str, encoder_json_file: str, vocab_bpe_hash: str, encoder_json_hash: str
    ) -> dict[bytes, int]:
        fetched.extend([(vocab_bpe_file, vocab_bpe_hash), (encoder_json_file, encoder_json_hash)])
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", one_file)
    monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", two_files)
    openai_public.ENCODING_CONSTRUCTORS[name]()
    listed = [(vocabulary._PUBLIC + path, vocabulary._SHA256[path]) for path in vocabulary._FILES[name]]
    assert fetched == listed


def test_every_own_encoding_of_tiktoken_is_listed() -> None:
    assert set(vocabulary._FILES) == set(openai_public.ENCODING_CONSTRUCTORS)
    assert vocabulary.encoding_name("gpt-3.5-turbo") == counting.DEFAULT_ENCODING


# Choosing a counter


@pytest.mark.usefixtures("cached")
def test_cached_vocabulary_counts_without_network() -> None:
    counter = make_counter(None, words)
    assert isinstance(counter, TiktokenCounter)
    assert (counter.name, counter("hello world")) == ("cl100k_base", 1 + 4)  # hello| w|or|l|d
    assert counter.encode("hello w") == [RANKS[b"hello"], RANKS[b" w"]]
    assert make_counter("gpt-4", words) is counter is make_counter("cl100k_base", words)


def test_encoding_that_tiktoken_has_loaded_is_used() -> None:
    made = tiktoken.Encoding("o200k_base", pat_str=PATTERN, mergeable_ranks=RANKS, special_tokens={})
    registry.ENCODINGS["o200k_base"] = made
    assert make_counter("gpt-4o", words).encoding is made


@pytest.mark.usefixtures("cached")
def test_damaged_cache_is_no_cache() -> None:
    cache_file().write_bytes(TINY[:-1])
    with pytest.raises(ModelNotFoundError, match="can't be had"):
        make_counter("gpt-4", words)


def test_no_cache_folder_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert vocabulary.cached_files("cl100k_base") is None


def test_cache_folder_defaults_as_in_tiktoken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(tmp_path))
    (tmp_path / cache_name()).write_bytes(TINY)
    assert vocabulary.cached_files("cl100k_base") == [tmp_path / cache_name()]


def cache_name() -> str:
    return hashlib.sha1((vocabulary._PUBLIC + PATH).encode()).hexdigest()


def test_table_and_function() -> None:
    table = make_counter("table", words)
    assert (table.name, table.encoding, table("a b c")) == ("table", None, 3)
    own = make_counter(len, words)
    assert (own.name, own.encoding, own("a b c")) == ("len", None, 5)


@pytest.mark.parametrize("spec", ["gpt-nothing", "", "Table"])
def test_unknown_name_is_refused(spec: str) -> None:
    with pytest.raises(InputValueError, match=f"token_counter is '{spec}'"):
        make_counter(spec, words)


@pytest.mark.parametrize("spec", [3, b"gpt-4", ["gpt-4"]])
def test_other_types_are_refused(spec: Any) -> None:
    with pytest.raises(InputTypeError, match="token_counter is"):
        make_counter(spec, words)


# A network that refuses, says nothing, or answers late


def test_default_falls_back_with_one_warning() -> None:
    with pytest.warns(
        TokenCounterWarning, match=r"table's tokenizer.*TIKTOKEN_CACHE_DIR.*token_counter=.table"
    ) as seen:
        counter = make_counter(None, words)
    assert (counter.name, counter("a b c")) == ("table", 3)
    assert seen[0].filename == __file__
    assert make_counter(None, words).name == "table"  # a second warning would be an error


def test_named_counter_never_falls_back() -> None:
    with pytest.raises(ModelNotFoundError, match=rf"cl100k_base.*save http.*{PATH} as {cache_name()}"):
        make_counter("gpt-3.5-turbo", words)


def test_silent_server_is_left_behind(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "FETCH_SECONDS", 0.2)
    with pytest.warns(TokenCounterWarning, match=r"no answer within 0\.2 s"):
        before = make_counter(None, words)
    for spec in ("gpt-4", "cl100k_base"):
        with pytest.raises(ModelNotFoundError, match="no answer"):
            make_counter(spec, words)
    assert before.name == make_counter(None, words).name == "table"
    assert server.asked == 1

    server.release.set()  # late: later counters profit, the first one stays
    vocabulary._ATTEMPTS["cl100k_base"]._thread.join(HANG_GUARD)
    assert make_counter(None, words).name == "cl100k_base"
    assert before("hello world") == 2


def test_vocabulary_that_came_by_hand_is_read_after_a_failure() -> None:
    with pytest.raises(ModelNotFoundError):
        make_counter("gpt-4", words)
    cache_file().parent.mkdir()
    cache_file().write_bytes(TINY)
    assert make_counter("gpt-4", words).name == "cl100k_base"


def test_threads_share_one_fetch(server: Server) -> None:
    server.release.set()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: make_counter(None, words), range(8)))
    assert server.asked == 1
    assert len({id(counter) for counter in found}) == 1


def test_silent_network_keeps_no_process_from_its_work_or_exit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, never answers
        code = SILENT.format(port=silent.getsockname()[1])
        run = subprocess.run(
            [sys.executable, "-W", "error::UserWarning", "-c", code],
            capture_output=True,
            text=True,
            timeout=HANG_GUARD,
            check=False,
        )
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["fallback", "registry"], "")


SILENT = """
import os, tempfile, tiktoken, tiktoken.load
from tiktoken import registry
from beaver_compat import counting, vocabulary
os.environ["TIKTOKEN_CACHE_DIR"] = tempfile.gettempdir() + "/none"
vocabulary.FETCH_SECONDS = 0.2
tiktoken.list_encoding_names()
fetch = lambda: tiktoken.load.load_tiktoken_bpe("http://127.0.0.1:{port}/x")
registry.ENCODING_CONSTRUCTORS["cl100k_base"] = fetch
try:
    counting.make_counter(None, len)
except counting.TokenCounterWarning:
    print("fallback")
tiktoken.list_encoding_names()
print("registry")
"""


# Counting


@pytest.fixture
def tiny(cached: None) -> TiktokenCounter:
    counter = make_counter(None, words)
    assert isinstance(counter, TiktokenCounter)
    return counter


def reference_count(text: str) -> int:
    """Byte pair merges one by one, lowest rank first, in each piece of the pattern."""
    import regex  # type: ignore[import-untyped]

    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    total = 0
    for piece in regex.findall(PATTERN, joined):
        tokens = [bytes([byte]) for byte in piece.encode()]
        while True:
            pairs = [(RANKS.get(tokens[i] + tokens[i + 1], 10**9), i) for i in range(len(tokens) - 1)]
            rank, at = min(pairs, default=(10**9, 0))
            if rank == 10**9:
                break
            tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        total += len(tokens)
    return total


def test_counts_are_those_of_byte_pair_merges(tiny: TiktokenCounter) -> None:
    @given(st.one_of(any_text, st.text("helow  \n'sX1")))
    def check(text: str) -> None:
        assert tiny(text) == reference_count(text) == len(tiny.encode(text))

    check()


def test_hostile_texts_count(tiny: TiktokenCounter) -> None:
    counts = tiny.count_many(HOSTILE)
    assert counts.dtype == np.int64
    assert counts.tolist() == [reference_count(text) for text in HOSTILE]
    assert tiny.count_many([]).tolist() == []


def test_long_white_space_is_cut(tiny: TiktokenCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "SLICE", 100)
    for run in (" " * 350, "\t" * 350, " \n" * 175):
        text = "hello" * 30 + run + "hello"
        pieces = counting._pieces(text)
        assert "".join(pieces) == text
        assert max(map(len, pieces)) == 100
        assert abs(tiny(text) - reference_count(text)) <= len(pieces)
    assert counting._pieces("a b" * 200) == ["a b" * 200]


def test_whole_megabyte_of_spaces_counts(tiny: TiktokenCounter) -> None:
    assert tiny(" " * 2**20 + "x") <= 2**18 + 11  # in one piece tiktoken panics


def test_counter_pickles_by_name(tiny: TiktokenCounter) -> None:
    assert pickle.loads(pickle.dumps(tiny)) is tiny
    kept = pickle.loads(pickle.dumps(make_counter(words, len)))
    assert (kept.name, kept("a b")) == ("words", 2)


def test_threads_count_alike(tiny: TiktokenCounter) -> None:
    texts = [f"hello {i} " * i for i in range(50)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(tiny, texts)) == tiny.count_many(texts).tolist()


# fastokens


def load_fast(counter: TiktokenCounter) -> Any:
    counter("hello " * counting.LONG_TEXT)
    thread = counter._fast._thread
    assert thread is not None
    thread.join(HANG_GUARD)
    return counter._fast.ready(0)


def test_fastokens_takes_over_with_the_same_counts(tiny: TiktokenCounter) -> None:
    pytest.importorskip("fastokens")
    assert load_fast(tiny) is not None

    @given(st.lists(st.one_of(any_text, st.sampled_from(HOSTILE))))
    def check(texts: list[str]) -> None:
        assert tiny.count_many(texts).tolist() == [len(tiny.encode(text)) for text in texts]

    check()


def test_fastokens_counts_cut_texts(tiny: TiktokenCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastokens")
    assert load_fast(tiny) is not None
    monkeypatch.setattr(counting, "SLICE", 10)
    texts = ["hello" + " " * 50 + "x", "hello", ""]
    assert tiny.count_many(texts).tolist() == [len(tiny.encode(text)) for text in texts]


class _Liar:
    """A tokenizer that gives other ids than tiktoken on some text."""

    ids: tuple[int, ...] = ()

    def encode_ordinary(self, text: str) -> _Liar:
        return self


@pytest.mark.parametrize("failure", [_Liar, ZeroDivisionError])
def test_fastokens_that_differs_or_fails_is_not_used(
    failure: Callable[[], Any], tiny: TiktokenCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    fastokens = pytest.importorskip("fastokens")

    class Broken:
        @staticmethod
        def from_tiktoken(path: str, encoding: str) -> Any:
            made = failure()
            if isinstance(made, Exception):
                raise made
            return made

    monkeypatch.setattr(fastokens, "Tokenizer", Broken)
    assert load_fast(tiny) is None
    assert tiny("hello world") == 5


# A function's results


@given(st.integers(0), any_text)
def test_function_results_pass_through(count: int, text: str) -> None:
    assert FunctionCounter("own", lambda _: count)(text) == count


def test_numpy_integers_become_python_integers() -> None:
    counted = FunctionCounter("own", lambda text: np.int64(len(text)))("abc")  # type: ignore[arg-type, return-value]
    assert (counted, type(counted)) == (3, int)


@pytest.mark.parametrize("result", [1.0, True, None, "3"])
def test_function_result_of_a_wrong_type(result: Any) -> None:
    with pytest.raises(InputTypeError, match=rf"'own' gave {result!r}"):
        FunctionCounter("own", lambda _: result)("text")


def test_negative_function_result() -> None:
    with pytest.raises(InputValueError, match="'own' gave -1"):
        FunctionCounter("own", lambda _: -1).count_many(["text"])


def test_warning_is_a_user_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert make_counter(None, words).name == "table"
