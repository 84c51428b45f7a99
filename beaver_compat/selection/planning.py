"""The QueryPlanner's selection: which stretches of the text are kept, in what order, until the budget is full.

Candidates come ranked; what is kept for a budget is the longest run from the head of the ranking that fits, so a larger
budget keeps all that a smaller one kept.  Costs are exact: the whole prompt is rendered and counted by the caller's
counter.  It knows positions and counts, not what the text says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.selection.fitting import largest_fitting, remembered
from beaver_compat.selection.runs import Edges, Runs, length, smoothed, union, with_leads

Positions = NDArray[np.int64]

_FILLED = 0.975  # of the budget: less than this is filled up with parts of further candidates
_STEP_BACK = 0.015  # of the kept characters: what a cut may give up for a better place
_BROKEN_OFF = 0.03, 25  # of the budget, and tokens: what may stay empty behind a sentence that was cut short
_TRIES = 24  # candidates behind the first that does not fit that are tried for what is left
_CHARACTERS_PER_TOKEN = 3  # a rough guess, which the search corrects
_LEAD = 40  # characters: what smoothing may put before a candidate that is cut
_LEAST_PART = 20  # characters: a shorter part tells nothing that is worth its heading
_LEAST_ROOM = 8  # tokens: less is not worth another piece
_MOST_OF_IT = 0.5  # of the best candidate that does not fit: a part of that size goes before worse ones that are whole
_WIDE_ROOM = 0.1  # of the budget: in less, worse ones that are whole go first however much of the best fits
_ALONE, _BELOW, _LED = range(3)  # a candidate without what it needs, with what of that stands over it, with all of it


class Candidates(NamedTuple):
    """Stretches of the text, best first.  They may overlap.

    Attributes:
        starts, ends: characters, int64 [n].
        tokens: of the embedding table's tokenizer, int64 [n]; an estimate of what the stretch costs.
        whole: True for a stretch that is worth nothing in pieces, bool [n].
        roles: index into ``result.ROLES``, int64 [n].
        scores: float64 [n].
    """

    starts: Positions
    ends: Positions
    tokens: Positions
    whole: NDArray[np.bool_]
    roles: Positions
    scores: NDArray[np.float64]

    def at(self, index: Positions | NDArray[np.bool_]) -> Candidates:
        """Some of them."""
        starts, ends, tokens, whole, roles, scores = self
        return Candidates(starts[index], ends[index], tokens[index], whole[index], roles[index], scores[index])


class Parts(NamedTuple):
    """How a stretch of which only a part can be kept is divided.

    Attributes:
        places: where it may be cut, and how good each place is (`cutting`); True allows places inside records and lines
            of code.
        sentences: its sentences, best first; none where there is only one.
    """

    places: Callable[[int, int, bool], tuple[Positions, NDArray[np.int8]]]
    sentences: Callable[[int, int], Runs]


class Plan(NamedTuple):
    """What is kept.

    Attributes:
        kept: index of each candidate that something is kept of.
        runs: the characters.
    """

    kept: list[int]
    runs: Runs


def plan(
    candidates: Candidates,
    edges: Edges,
    parts: Parts,
    cost: Callable[[Runs], int],
    budget: int,
) -> Plan:
    """Fill the budget.

    As many candidates as fit are kept, best first, then worse ones that fit whole into what is left, then a part of
    one that does not; that part goes first where it is most of the next best and the room is wide.  Of a next best of
    several sentences, in wide room the best that fit whole are kept before all these.

    A candidate is kept with the lines that it needs.  While nothing is kept, one that does not fit with them is tried
    without them (a comment first with those over it), and what may be cut is cut with them only then; where none fits
    so, one is torn.  Behind one that is kept so, others go that need nothing but what it needs, too.

    Args:
        candidates: best first.
        edges: where they may begin and end.
        parts: how a stretch is divided that does not fit whole.
        cost: tokens of the prompt that holds these runs.
        budget: tokens; ``cost([])`` is within it.
    """
    filling = _Filling(candidates, edges, parts, remembered(cost), budget)
    filling.take_sentences()
    filling.take_whole()
    filling.take_parts()
    return Plan(filling.kept, filling.runs)


class _Filling:
    """What is kept so far: at first as many candidates as fit."""

    def __init__(
        self,
        candidates: Candidates,
        edges: Edges,
        parts: Parts,
        cost: Callable[[Runs], int],
        budget: int,
    ) -> None:
        self.candidates, self.edges, self.parts = candidates, edges, parts
        self.cost, self.budget = cost, budget
        self.least = cost([])

        @cache
        def first(count: int) -> Runs:
            return self._runs_of(slice(0, count))

        sizes = np.cumsum(candidates.tokens)
        self.count = largest_fitting(lambda count: cost(first(count)), self.least, sizes, budget)
        self.kept = list(range(self.count))
        self.runs = first(self.count)
        self.used = cost(self.runs)
        self.behind = list(range(self.count, min(self.count + _TRIES, len(candidates.starts))))
        self.best_of: dict[int, tuple[int, int]] = {}  # the sentence that a candidate of several is torn in

    @property
    def room(self) -> int:
        return self.budget - self.used

    @property
    def full(self) -> bool:
        return self.room < max(_LEAST_ROOM, (1 - _FILLED) * self.budget)

    def take_sentences(self) -> None:
        """Of the next best, where it has several sentences and the room is wide, the best; one may be cut short."""
        if not self.behind or (self.used > self.least and self.room < _WIDE_ROOM * self.budget):
            return
        index, candidates = self.count, self.candidates
        for stretch in self.parts.sentences(int(candidates.starts[index]), int(candidates.ends[index])):
            grown = union(self.runs, with_leads([stretch], self.edges))
            broken = not self.best_of and self.cost(grown) > self.budget and not candidates.whole[index]
            self.best_of.setdefault(index, stretch)
            if broken:
                part = self._part_of(index, _LED, torn=False)
                broken = length(part) - length(self.runs) >= _MOST_OF_IT * (stretch[1] - stretch[0])
                grown = part if broken else grown
            if self._takes(index, grown) and broken:
                break
        self._look_behind()

    def take_whole(self) -> None:
        """Worse ones that fit whole, unless most of the next best would fit and the room is wide."""
        tokens = self.candidates.tokens
        wide = bool(self.behind) and self.room >= max(_MOST_OF_IT * tokens[self.behind[0]], _WIDE_ROOM * self.budget)
        for index in [] if wide or self.used == self.least else self.behind:
            if self.full:
                break
            if tokens[index] <= self.room:
                self._takes(index, union(self.runs, self._runs_of([index])))
        self._look_behind()

    def take_parts(self) -> None:
        """Parts of those that don't fit; while nothing is kept, also what fits without the lines that it needs."""
        whole, starts, ends = self.candidates.whole, self.candidates.starts, self.candidates.ends
        top = 0  # where a line begins that is kept without what it needs
        own: Runs = []  # it, and what it needs: nothing else is set over it
        # What may be cut goes whole without its label before it is cut short with it.
        tries = [
            (at, led, False) for at in self.behind for led in ((_LED, _BELOW, _ALONE) if whole[at] else (_ALONE, _LED))
        ]
        if self.used == self.least:
            # What opens a block goes last where it has to go without it: other lines would stand in its place.
            opening = {at for at in self.behind if _opens(starts[at], ends[at], self.edges)}
            tries.sort(key=lambda one: one[1] < _LED and one[0] in opening)
        for index, led, torn in [*tries, *((index, _ALONE, True) for index in self.behind)]:
            if self.used > self.least and (torn or self.full):
                break
            if self.used > self.least and led < _LED and (led == _BELOW or not top or not whole[index]):
                continue
            if led == _BELOW and not self.edges.tells(int(starts[index])):
                continue
            complete = not torn and (led < _LED or whole[index])
            if complete:
                one = smoothed(starts[[index]], ends[[index]], self.edges)
                grown = union(self.runs, self._led(one, led))
            else:
                grown = self._part_of(index, led, torn)
            over = [(start, min(end, top)) for start, end in grown if start < top]
            if top and led < _LED and with_leads(grown, self.edges) != union(own, grown):
                continue  # it needs more than what the first needs
            if union(own, over) == own and self._takes(index, grown):
                if led < _LED and not own:
                    top, own = self.runs[0][0], with_leads(self.runs, self.edges)
                if not complete and self.room < max(_BROKEN_OFF[0] * self.budget, _BROKEN_OFF[1]):
                    break  # one sentence is broken off at most

    def _takes(self, index: int, grown: Runs) -> bool:
        """Whether the runs with more of a candidate fit; they are kept then."""
        cost = self.cost(grown)
        if not self.used < cost <= self.budget:
            return False
        if index not in self.kept[self.count :]:
            self.kept.append(index)
        self.runs, self.used = grown, cost
        return True

    def _look_behind(self) -> None:
        self.behind = [index for index in self.behind if index not in self.kept[self.count :]]

    def _runs_of(self, kept: Sequence[int] | slice) -> Runs:
        stretches = smoothed(self.candidates.starts[kept], self.candidates.ends[kept], self.edges)
        return with_leads(stretches, self.edges)

    def _led(self, runs: Runs, led: int) -> Runs:
        """Some runs with what they need, or with less of it."""
        return with_leads(runs, self.edges, below=led == _BELOW) if led > _ALONE else runs

    def _part_of(self, index: int, led: int, torn: bool) -> Runs:
        """The runs with as much of a candidate as fits."""
        # What is cut short anyway begins where the candidate does, not far before it where smoothing would move it.
        own = int(self.candidates.starts[index]), self.edges.end(int(self.candidates.ends[index]))
        start, end = self.best_of.get(index, own)
        begin = self.edges.start(start)
        if start - begin > _LEAD:
            begin = self.edges.word(start)

        def grown(place: int) -> Runs:
            return union(self.runs, self._led([(begin, place)], led))

        at, levels = self.parts.places(start, end, torn)
        needs = length(grown(begin + 1)) - length(self.runs) - 1
        needs = max(needs, _LEAST_PART) if self.used > self.least else needs
        at, levels = at[at - begin >= needs], levels[at - begin >= needs]  # less is not worth what it needs
        return _cut_to_fit(self.runs, self.used, begin, (at, levels), grown, self.cost, self.budget)


def _opens(start: int, end: int, edges: Edges) -> bool:
    """Whether a stretch says nothing without what stands behind it."""
    [(start, end)] = smoothed(np.array([start]), np.array([end]), edges)
    return not edges.tells(start) and any(place >= end for place, _, _ in edges.leads([(start, end)]))


def _cut_to_fit(
    runs: Runs,
    used: int,
    start: int,
    places: tuple[Positions, NDArray[np.int8]],
    grown_to: Callable[[int], Runs],
    cost: Callable[[Runs], int],
    budget: int,
) -> Runs:
    """``runs``, which cost ``used``, grown by as much of the stretch from ``start`` as fits.

    The cut goes back to the end of a line or clause that is near.  How near depends on what is kept, not on the
    budget, so that a larger budget never cuts earlier.
    """
    at, levels = places

    def grown(count: int) -> Runs:
        return grown_to(int(at[count - 1]))

    count = largest_fitting(lambda count: cost(grown(count)), used, (at - start) // _CHARACTERS_PER_TOKEN + 1, budget)
    if count == 0:
        return runs
    near = _STEP_BACK * length(grown(count))
    level = np.where(at[:count] >= at[count - 1] - near, levels[:count], -1)
    return grown(int(np.flatnonzero(level == level.max())[-1]) + 1)
