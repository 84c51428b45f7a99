"""Counts put together from known parts equal the count of the whole."""

from __future__ import annotations

from typing import Any

import pytest
import tiktoken
import tiktoken_ext.openai_public as openai_public  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_tiktoken import RANKS
from tokenizer_factory import FAMILIES, TRAINING_TEXT

from beaver_compat import joints
from beaver_compat.counting import FunctionCounter, TableCounter, TiktokenCounter, TokenCounter
from beaver_compat.joints import count_joined
from beaver_compat.tokenization import Tokenizer

ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base")
WORDS = TRAINING_TEXT.split(" ")
BITS = [
    "hello",
    "It's",
    "they'LL",
    "a",
    "Hello.",
    "12,345",
    "x\n",
    "\n\n",
    "  ",
    "\t",
    "漢字",
    "naïve",
    "e\u0301",
    "🇩🇪",
    "\ud800",
]
texts = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
    st.lists(st.sampled_from(BITS), max_size=30).map(" ".join),
    st.lists(st.sampled_from(BITS), max_size=20).map("".join),
)


@pytest.fixture(autouse=True)
def short_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joints, "_REACH", 40)
    monkeypatch.setattr(joints, "LEAST_KNOWN", 60)


def tiktoken_counter(name: str) -> TiktokenCounter:
    """tiktoken's own pattern of an encoding over a tiny vocabulary."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: RANKS)
        patch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda *_, **__: RANKS)
        parts: dict[str, Any] = getattr(openai_public, name)()
    parts.pop("explicit_n_vocab", None)
    return TiktokenCounter(tiktoken.Encoding(**{**parts, "special_tokens": {}}))


COUNTERS: dict[str, TokenCounter] = {
    **{name: TableCounter(Tokenizer(made())) for name, made in FAMILIES.items()},
    **{name: tiktoken_counter(name) for name in ENCODINGS},
    "words": FunctionCounter("words", lambda text: len(text.split())),
}


@pytest.mark.parametrize("name", COUNTERS)
@given(parts=st.lists(texts, max_size=6), data=st.data())
@settings(max_examples=60, deadline=None)
def test_joined_count_is_the_count_of_the_whole(name: str, parts: list[str], data: st.DataObject) -> None:
    counter = COUNTERS[name]
    known = data.draw(st.sets(st.integers(0, len(parts)))) & set(range(len(parts)))
    counts = {index: counter(parts[index]) for index in known}
    assert count_joined(counter, parts, counts) == counter("\n\n".join(part for part in parts if part))


@pytest.mark.parametrize("name", [name for name in COUNTERS if COUNTERS[name].cut])
def test_a_long_known_part_is_not_counted_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = COUNTERS[name]
    long = "The beaver builds a dam across the river and waits. " * 40
    tokens, whole = counter(long), counter("Read.\n\n" + long + "\n\nWhy?")
    counted: list[int] = []

    class Watched:
        cut = counter.cut

        @staticmethod
        def count_many(texts: list[str]) -> Any:
            counted.extend(map(len, texts))
            return counter.count_many(texts)

    watched: Any = Watched()
    assert count_joined(watched, ["Read.", long, "Why?"], {1: tokens}) == whole
    assert sum(counted) < len(long) / 4


def test_most_families_can_be_cut() -> None:
    assert {name for name, counter in COUNTERS.items() if counter.cut is None} == {"xlm_roberta", "bert", "words"}
