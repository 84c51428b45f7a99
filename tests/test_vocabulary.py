"""Vocabularies from the cache, and from servers that answer late, wrongly or never."""

from __future__ import annotations

import socket
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tiktoken_ext.openai_public as openai_public  # type: ignore[import-untyped]
from tiny_tiktoken import (  # fixtures too
    HANG_GUARD,
    PATH,
    TABLE,
    TINY,
    Server,
    cache_file,
    cache_name,
    filled_cache,  # noqa: F401
    fresh_process,  # noqa: F401
    running_server,  # noqa: F401
)

from beaver_compat import counting
from beaver_compat.counting import TokenCounterWarning, make_counter
from beaver_compat.errors import ModelNotFoundError
from beaver_compat.models import vocabulary

pytestmark = pytest.mark.usefixtures("fresh")


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


# The cache


@pytest.mark.usefixtures("cached")
def test_damaged_cache_is_no_cache() -> None:
    cache_file().write_bytes(TINY[:-1])
    with pytest.raises(ModelNotFoundError, match="can't be had"):
        make_counter("gpt-4", TABLE)


def test_no_cache_folder_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert vocabulary.cached_files("cl100k_base") is None


def test_cache_folder_defaults_as_in_tiktoken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(tmp_path))
    (tmp_path / cache_name()).write_bytes(TINY)
    assert vocabulary.cached_files("cl100k_base") == [tmp_path / cache_name()]


# A network that refuses, says nothing, or answers late


def test_default_falls_back_with_one_warning() -> None:
    with pytest.warns(
        TokenCounterWarning, match=r"table's tokenizer.*TIKTOKEN_CACHE_DIR.*token_counter=.table"
    ) as seen:
        counter = make_counter(None, TABLE)
    assert (counter.name, counter("a b c")) == ("table", 3)
    assert seen[0].filename == __file__
    assert make_counter(None, TABLE).name == "table"  # a second warning would be an error


def test_named_counter_never_falls_back() -> None:
    with pytest.raises(ModelNotFoundError, match=rf"cl100k_base.*save http.*{PATH} as {cache_name()}"):
        make_counter("gpt-3.5-turbo", TABLE)


def test_silent_server_is_left_behind(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "FETCH_SECONDS", 0.2)
    with pytest.warns(TokenCounterWarning, match=r"no answer within 0\.2 s"):
        before = make_counter(None, TABLE)
    for spec in ("gpt-4", "cl100k_base"):
        with pytest.raises(ModelNotFoundError, match="no answer"):
            make_counter(spec, TABLE)
    assert before.name == make_counter(None, TABLE).name == "table"

    server.release.set()  # late: later counters profit, the first one stays
    vocabulary._ATTEMPTS["cl100k_base"]._thread.join(HANG_GUARD)
    assert server.asked == 1
    assert make_counter(None, TABLE).name == "cl100k_base"
    assert before("hello world") == 2


def test_vocabulary_that_came_by_hand_is_read_after_a_failure() -> None:
    with pytest.raises(ModelNotFoundError):
        make_counter("gpt-4", TABLE)
    cache_file().parent.mkdir()
    cache_file().write_bytes(TINY)
    assert make_counter("gpt-4", TABLE).name == "cl100k_base"


def test_threads_share_one_fetch(server: Server) -> None:
    server.release.set()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: make_counter(None, TABLE), range(8)))
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
from beaver_compat import counting
from beaver_compat.models import vocabulary
os.environ["TIKTOKEN_CACHE_DIR"] = tempfile.gettempdir() + "/none"
vocabulary.FETCH_SECONDS = 0.2
tiktoken.list_encoding_names()
fetch = lambda: tiktoken.load.load_tiktoken_bpe("http://127.0.0.1:{port}/x")
registry.ENCODING_CONSTRUCTORS["cl100k_base"] = fetch
try:
    counting.make_counter(None, counting.FunctionCounter("table", len))
except counting.TokenCounterWarning:
    print("fallback")
tiktoken.list_encoding_names()
print("registry")
"""


def test_warning_is_a_user_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert make_counter(None, TABLE).name == "table"
