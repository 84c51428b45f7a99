"""Counters on a tiny made vocabulary, against byte pair merges done one by one."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import registry
from tiny_tiktoken import HANG_GUARD, PATTERN, RANKS, TABLE, filled_cache, fresh_process, words  # noqa: F401  fixtures too

from beaver_compat import BeaverPromptCompressor, counting
from beaver_compat.counting import MOST_TOKENS, FunctionCounter, TiktokenCounter, make_counter
from beaver_compat.errors import InputTypeError, InputValueError

pytestmark = pytest.mark.usefixtures("fresh")

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


# Choosing a counter


@pytest.mark.usefixtures("cached")
def test_cached_vocabulary_counts_without_network() -> None:
    counter = make_counter(None, TABLE)
    assert isinstance(counter, TiktokenCounter)
    assert (counter.name, counter("hello world")) == ("cl100k_base", 1 + 4)  # hello| w|or|l|d
    assert counter.encode("hello w") == [RANKS[b"hello"], RANKS[b" w"]]
    assert make_counter("gpt-4", TABLE) is counter is make_counter("cl100k_base", TABLE)


def test_encoding_that_tiktoken_has_loaded_is_used() -> None:
    made = tiktoken.Encoding("o200k_base", pat_str=PATTERN, mergeable_ranks=RANKS, special_tokens={})
    registry.ENCODINGS["o200k_base"] = made
    counter = make_counter("gpt-4o", TABLE)
    assert isinstance(counter, TiktokenCounter)
    assert counter.encoding is made


def test_table_and_function() -> None:
    table = make_counter("table", TABLE)
    assert (table.name, table("a b c")) == ("table", 3)
    own = make_counter(len, TABLE)
    assert (own.name, own("a b c")) == ("len", 5)


@pytest.mark.parametrize("spec", ["gpt-nothing", "", "Table"])
def test_unknown_name_is_refused(spec: str) -> None:
    with pytest.raises(InputValueError, match=f"token_counter is '{spec}'"):
        make_counter(spec, TABLE)


@pytest.mark.parametrize("spec", [3, b"gpt-4", ["gpt-4"]])
def test_other_types_are_refused(spec: Any) -> None:
    with pytest.raises(InputTypeError, match="token_counter is"):
        make_counter(spec, TABLE)


# Counting


@pytest.fixture
def tiny(cached: None) -> TiktokenCounter:
    counter = make_counter(None, TABLE)
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
    kept = pickle.loads(pickle.dumps(make_counter(words, TABLE)))
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


@given(st.integers(0, MOST_TOKENS), any_text)
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


@pytest.mark.parametrize("result", [MOST_TOKENS + 1, 10**400])
def test_function_result_beyond_any_text(result: int) -> None:
    with pytest.raises(InputValueError, match=rf"'own' gave .*return {MOST_TOKENS} or less"):
        FunctionCounter("own", lambda _: result)("text")


def test_largest_function_result_compresses() -> None:
    made = BeaverPromptCompressor(token_counter=lambda text: MOST_TOKENS if text else 0)
    for arguments in ({}, {"rate": 1.0}, {"context_level_rate": 0.5}, {"keep_first_sentence": 1}):
        result = made.compress_prompt(["One two. Three four."] * 9, **arguments)
        assert result["compressed_tokens"] in (0, MOST_TOKENS)
