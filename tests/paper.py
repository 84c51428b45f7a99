"""The paper's equations, transcribed literally: padded tensors, float64, one loop for each sum.  Slow on purpose."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
EPSILON = 1e-9
BETA = -1e30


def page_tensor(limits: Sequence[int], capacity: int) -> NDArray[np.int64]:
    """P: the index of each page's tokens, padded with -1, [N, M]."""
    table = np.full((len(limits) - 1, capacity), -1)
    for i in range(len(limits) - 1):
        for j, token in enumerate(range(limits[i], limits[i + 1])):
            table[i, j] = token
    return table


def itf(context: Sequence[int], query: Sequence[int]) -> dict[int, float]:
    """Eq. 2, tf over context and query together."""
    both = [*context, *query]
    raw = {t: math.log(1 + len(both) / (1 + both.count(t))) for t in set(both)}
    low, high = min(raw.values()), max(raw.values())
    return {t: 1.0 if high == low else (value - low) / (high - low) for t, value in raw.items()}


def pool(
    table: Array, tokens: Sequence[int], pages: NDArray[np.int64], weight: dict[int, float], gamma: float
) -> Array:
    """Eqs. 1 and 3 to 5."""
    count, capacity = pages.shape
    vectors = np.zeros((count, table.shape[1]))
    for i in range(count):
        total, mean, maximum = 0.0, np.zeros(table.shape[1]), np.full(table.shape[1], BETA)
        plain, length = np.zeros(table.shape[1]), 0
        for j in range(capacity):
            present = pages[i, j] >= 0  # B
            x = table[tokens[pages[i, j]]] if present else np.zeros(table.shape[1])
            omega = weight[tokens[pages[i, j]]] if present else 0.0
            mean += omega * x
            total += omega
            maximum = np.maximum(maximum, x if present else BETA)
            plain, length = plain + x, length + present
        mean = mean / (total + EPSILON) if total else plain / length
        vectors[i] = gamma * mean + (1 - gamma) * maximum
    return vectors


def cosine(a: Array, b: Array) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def semantic(pages: Array, queries: Array, weights: Sequence[float]) -> Array:
    """Eq. 6."""
    return np.array([sum(w * cosine(p, q) for w, q in zip(weights, queries, strict=True)) for p in pages])


def lexical(tokens: Sequence[int], query: Sequence[int], pages: NDArray[np.int64], weight: dict[int, float]) -> Array:
    """Eq. 7."""
    return np.array([sum(weight[tokens[j]] for j in page if j >= 0 and tokens[j] in set(query)) for page in pages])


def runs(
    tokens: Sequence[int],
    query: Sequence[int],
    inside: tuple[Sequence[bool], Sequence[bool]],
    kinds: Sequence[int],
    numeric: Sequence[bool],
) -> dict[tuple[int, int], float]:
    """Weight of the longest run of query tokens around each pair of neighbours (context, query) that both share.

    It is Eq. 2 with how often this very run occurs, longer ones not counted, as tf, clamped to [0, 1]; 0 for pairs with
    a token of a number of the query that isn't there whole.  Which tokens of context and query begin inside a number
    tells ``inside``, which of the query are of a word with a digit ``numeric``.  Tokens of one kind are the same.
    """

    def same(j: int, k: int) -> bool:
        return 0 <= j < len(tokens) and 0 <= k < len(query) and kinds[tokens[j]] == kinds[query[k]]

    found: dict[tuple[int, int], tuple[int, int]] = {}
    times: Counter[tuple[int, int]] = Counter()
    for j in range(len(tokens)):
        for k in range(len(query)):
            if same(j, k) and not same(j - 1, k - 1) and same(j + 1, k + 1):
                length = next(n for n in range(len(query) + 1) if not same(j + n, k + n))
                times[k, length] += 1
                found.update({(j + n, k + n): (k, length) for n in range(length - 1)})
    counts = Counter([*tokens, *query])
    raw = [np.log(1 + counts.total() / (1 + tf)) for tf in counts.values()]
    low, high = min(raw), max(raw)

    def broken(j: int, k: int) -> bool:
        return torn(j, k) or torn(j + 1, k + 1)

    def torn(j: int, k: int) -> bool:
        if not (numeric[k] or any(inside[1][k : k + 2])):
            return False
        first, last = k, k
        while inside[1][first] and first > 0:
            first -= 1
        while last + 1 < len(query) and inside[1][last + 1]:
            last += 1
        places = range(j - k + first, j - k + last + 1)
        if not all(same(place, place - j + k) for place in places):
            return True
        return inside[0][places[0]] or (places[-1] + 1 < len(tokens) and inside[0][places[-1] + 1])

    if high == low:
        return {pair: float(not broken(*pair)) for pair in found}
    weight = {run: (np.log(1 + counts.total() / (1 + tf)) - low) / (high - low) for run, tf in times.items()}
    return {pair: 0.0 if broken(*pair) else float(np.clip(weight[run], 0, 1)) for pair, run in found.items()}


def maxsim(
    table: Array,
    tokens: Sequence[int],
    query: Sequence[int],
    limits: Sequence[int],
    weight: dict[int, float],
    floor: float,
    phrase: float,
    inside: tuple[Sequence[bool], Sequence[bool]] | None = None,
    sizes: Sequence[int] | None = None,
    kinds: Sequence[int] | None = None,
    numeric: Sequence[bool] | None = None,
    norm: float = 0.0,
) -> Array:
    """The best match of every query token in each range, a word or a repeated token counting once in all.

    Of the weight the share ``norm`` is lessened where a token's row is shorter than those of the context's distinct
    tokens in the mean.  A token of a word of several (``sizes``), or inside a number, gains the weight of its run,
    another its own at most; of words with a digit (``numeric``) 2.5 times that.  Such a word of one token matches no
    part of a longer number.
    Tokens of one kind (of each id) match wholly.
    """
    inside = inside or ([False] * len(tokens), [False] * len(query))
    sizes, kinds = sizes or [1] * len(query), kinds or list(range(len(table)))
    shared = runs(tokens, query, inside, kinds, numeric or [False] * len(query))
    times = [[kinds[token] for token in query].count(kinds[asked]) for asked in query]
    lengths = np.linalg.norm(table, axis=1)
    usual = sum(lengths[token] for token in set(tokens)) / len(set(tokens))
    weight = {token: own * (1 - norm + norm * min(1, lengths[token] / usual)) for token, own in weight.items()}
    scores = []
    for start, end in pairwise(limits):
        score = 0.0
        for k, asked in enumerate(query):
            best = 0.0
            for j in range(start, end):
                match = 1.0 if kinds[tokens[j]] == kinds[asked] else cosine(table[tokens[j]], table[asked])
                match = 0.0 if match < floor else weight[asked] / sizes[k] * match
                if numeric and numeric[k] and sizes[k] == 1 and any(inside[0][j : j + 2]):
                    match = 0.0  # a number in a longer one
                most = 1.0 if sizes[k] > 1 or inside[1][k] else weight[asked]
                gain = phrase * (2.5 if numeric and numeric[k] else 1)
                match += gain * sum(min(shared.get((j - back, k - back), 0.0), most) for back in (0, 1))
                best = match if j == start else max(best, match)
            score += best / times[k]
        scores.append(score)
    total = sum(weight[asked] / size / count for asked, size, count in zip(query, sizes, times, strict=True))
    return np.array(scores) / max(total, EPSILON)


def information(tokens: Sequence[int], table: Array, pages: NDArray[np.int64]) -> Array:
    """Of each page the mean over its tokens of the length of a token's row over its count in the whole."""
    counts = Counter(tokens)
    worth = [float(np.linalg.norm(table[token])) / counts[token] for token in tokens]
    return np.array([np.mean([worth[place] for place in page if place >= 0]) for page in pages])


def min_max(values: Array) -> Array:
    span = values.max() - values.min()
    return (values - values.min()) / span if span > 1e-6 * max(np.abs(values).max(), 1) else np.zeros_like(values)
