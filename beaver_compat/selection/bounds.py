"""Bounds on parts of a prompt: what each part may have is planned first, and the ranking clipped to it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from beaver_compat.document import Document
from beaver_compat.selection.layout import Layout, Limit
from beaver_compat.selection.planning import Candidates, Parts, Positions, plan
from beaver_compat.selection.runs import Edges, Runs


class Clipped:
    """Edges of which none is moved out of the run of characters that the end stands in.

    Args:
        edges: of the whole text.
        runs: sorted and disjoint; ends that stand in none of them move freely.
        limited: the characters of which nothing but the runs may be kept, sorted and disjoint.
    """

    def __init__(self, edges: Edges, runs: Runs, limited: Runs) -> None:
        self._edges = edges
        self._limited = limited
        self._starts = [start for start, _ in runs]
        self._ends = [end for _, end in runs]

    def start(self, position: int) -> int:
        """As :meth:`Edges.start`."""
        return max(self._edges.start(position), self._run_start(position))

    def word(self, position: int) -> int:
        """As :meth:`Edges.word`."""
        return max(self._edges.word(position), self._run_start(position))

    def end(self, position: int) -> int:
        """As :meth:`Edges.end`."""
        moved = self._edges.end(position)
        run = bisect_left(self._starts, position) - 1
        return min(moved, self._ends[run]) if run >= 0 and position <= self._ends[run] else moved

    def leads(self, runs: Runs) -> list[tuple[int, int, int]]:
        """As :meth:`Edges.leads`, without those that may not be kept."""
        return [lead for lead in self._edges.leads(runs) if self._allowed(lead[0], lead[1])]

    def tells(self, position: int) -> bool:
        """As :meth:`Edges.tells`."""
        return self._edges.tells(position)

    def says(self, start: int, end: int) -> bool:
        """As :meth:`Edges.says`."""
        return self._edges.says(start, end)

    def _allowed(self, start: int, end: int) -> bool:
        part = bisect_right(self._limited, (start, end)) - 1
        if part < 0 or start >= self._limited[part][1]:
            return True
        run = bisect_right(self._starts, start) - 1
        return run >= 0 and end <= self._ends[run]

    def _run_start(self, position: int) -> int:
        run = bisect_right(self._starts, position) - 1
        return self._starts[run] if run >= 0 and position < self._ends[run] else 0


def within_limits(
    ranking: Candidates,
    document: Document,
    layout: Layout,
    filled: Callable[[Runs], Sequence[str]],
    parts: Parts,
    count: Callable[[str], int],
) -> tuple[Candidates, Edges, Callable[[Sequence[str]], bool]]:
    """Clip a ranking so that, whatever is kept of it, each limit holds.

    Args:
        ranking: best first.
        document: what it ranks.
        layout: its limits.
        filled: kept text of each part, from the runs that are kept.
        parts: how a stretch is divided.
        count: tokens of a text.

    Returns:
        The clipped ranking; edges that keep to it; and whether a limit is broken by the kept text of each part
        (joints of tokens may add one where less text is kept).
    """
    limits = [limit for limit in layout.limits if count(limit.text(layout.parts)) > limit.tokens]
    if not limits:
        return ranking, document.smoother, lambda kept: False
    limit_of = np.full(len(layout.parts), -1)
    for index, limit in enumerate(limits):
        limit_of[list(limit.parts)] = index
    owner = limit_of[document.contexts_of(ranking.starts)]  # of each candidate, -1 where none limits it
    best_first = owner.argsort(kind="stable")  # within each limit
    _, *inside_of = np.split(best_first, owner[best_first].searchsorted(np.arange(len(limits))))
    keep = owner < 0
    runs: Runs = []
    for limit, inside in zip(limits, inside_of, strict=True):
        own = ranking.at(inside)
        chosen = plan(own, document.smoother, parts, _cost(limit, filled, count), limit.tokens)
        keep[inside[chosen.kept]] = True
        runs += chosen.runs
    runs.sort()
    clipped = _clipped(ranking, np.flatnonzero(keep), owner >= 0, runs)
    extents = sorted({document.lined.extents[index] for limit in limits for index in limit.parts})
    return clipped, Clipped(document.smoother, runs, extents), _breaks(limits, count)


def _cost(limit: Limit, filled: Callable[[Runs], Sequence[str]], count: Callable[[str], int]) -> Callable[[Runs], int]:
    return lambda runs: count(limit.text(filled(runs)))


def _breaks(limits: list[Limit], count: Callable[[str], int]) -> Callable[[Sequence[str]], bool]:
    return lambda kept: any(count(limit.text(kept)) > limit.tokens for limit in limits)


def _clipped(ranking: Candidates, kept: Positions, limited: NDArray[np.bool_], runs: Runs) -> Candidates:
    """The kept candidates, those of limited parts cut to the first run that they reach into."""
    ranking, limited = ranking.at(kept), limited[kept]
    if not runs:
        return ranking
    run_starts, run_ends = np.array(runs, dtype=np.int64).T
    run = run_ends.searchsorted(ranking.starts, side="right").clip(0, run_ends.size - 1)
    starts = np.where(limited, np.maximum(ranking.starts, run_starts[run]), ranking.starts)
    ends = np.where(limited, np.minimum(ranking.ends, run_ends[run]), ranking.ends)
    return ranking._replace(starts=starts, ends=ends).at(starts < ends)
