"""Kept stretches of a text as runs: sorted, disjoint ranges of characters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]
Runs = list[tuple[int, int]]


class Edges(Protocol):
    """Where kept stretches may begin and end, and what they need, as a `Smoother` says."""

    def start(self, position: int) -> int: ...
    def end(self, position: int) -> int: ...
    def word(self, position: int) -> int: ...
    def leads(self, runs: Runs) -> list[tuple[int, int, int]]: ...
    def tells(self, position: int) -> bool: ...
    def says(self, start: int, end: int) -> bool: ...


def smoothed(starts: Positions, ends: Positions, edges: Edges) -> Runs:
    """The union of stretches, each run's ends moved outward, as sorted disjoint runs."""
    return _joined((edges.start(start), edges.end(end)) for start, end in merged(starts, ends))


def merged(starts: Positions, ends: Positions) -> Runs:
    """The union of stretches that overlap or touch, sorted.

    >>> merged(np.array([5, 0, 2]), np.array([9, 2, 4]))
    [(0, 4), (5, 9)]
    """
    if not starts.size:
        return []
    order = starts.argsort(kind="stable")
    starts, reached = starts[order], np.maximum.accumulate(ends[order])
    last = np.flatnonzero(starts[1:] > reached[:-1])  # of each run but the last
    firsts, lasts = [int(starts[0]), *starts[last + 1].tolist()], [*reached[last].tolist(), int(reached[-1])]
    return list(zip(firsts, lasts, strict=True))


def with_leads(runs: Runs, edges: Edges) -> Runs:
    """Runs, sorted and disjoint, and the lines that they need."""
    leads = [(start, end) for start, end, _ in edges.leads(runs)]
    return union(runs, leads) if leads else runs


def union(runs: Runs, more: Runs) -> Runs:
    """Both, merged where they overlap or touch."""
    return _joined(sorted([*runs, *more]))


def _joined(stretches: Iterable[tuple[int, int]]) -> Runs:
    """Sorted stretches, merged where they overlap or touch."""
    runs: Runs = []
    for start, end in stretches:
        if runs and start <= runs[-1][1]:
            runs[-1] = (runs[-1][0], max(end, runs[-1][1]))
        else:
            runs.append((start, end))
    return runs


def length(runs: Runs) -> int:
    """Characters of some runs."""
    return sum(end - start for start, end in runs)
