"""The paper's equations, transcribed literally: padded tensors, float64, one loop for each sum.  Slow on purpose."""

from __future__ import annotations

import math
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


def maxsim(
    table: Array,
    tokens: Sequence[int],
    query: Sequence[int],
    limits: Sequence[int],
    weight: dict[int, float],
    floor: float,
    phrase: float,
) -> Array:
    """The best match of every query token in each range, a repeated one counting once in all."""
    scores = []
    for start, end in pairwise(limits):
        score = 0.0
        for k, asked in enumerate(query):
            best = 0.0
            for j in range(start, end):
                match = cosine(table[tokens[j]], table[asked])
                match = 0.0 if match < floor else match
                for step in (-1, 1):
                    inside = 0 <= j + step < len(tokens) and 0 <= k + step < len(query)
                    if inside and tokens[j] == asked and tokens[j + step] == query[k + step]:
                        match += phrase
                best = match if j == start else max(best, match)
            score += weight[asked] / list(query).count(asked) * best
        scores.append(score)
    return np.array(scores) / sum(weight[asked] / list(query).count(asked) for asked in query)


def min_max(values: Array) -> Array:
    span = values.max() - values.min()
    return (values - values.min()) / span if span > 1e-6 * np.abs(values).max() else np.zeros_like(values)
