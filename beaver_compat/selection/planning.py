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
from beaver_compat.text.cutting import AFTER_CLAUSE

Positions = NDArray[np.int64]

_FILLED = 0.975  # of the budget: less than this is filled up with further candidates
_STEP_BACK = 0.015  # of the kept characters: what a cut may give up for a better place
_TRIES = 64  # candidates behind the first that does not fit that are tried for what is left
_FIRST_TRIES = 24  # of these, while nothing is kept
_CHARACTERS_PER_TOKEN = 3  # a rough guess, which the search corrects
_LEAD = 40  # characters: what smoothing may put before a candidate that is cut
_LEAST_ROOM = 8  # tokens: less is not worth another piece
_MOST_OF_IT = 2 / 3  # of a sentence: less of it is kept only where nothing else is
_WIDE_ROOM = 0.1  # of the budget: in less nothing is cut


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
        sentences: its sentences, best first; none where there is only one.  True divides JSON lines, too.
    """

    places: Callable[[int, int, bool], tuple[Positions, NDArray[np.int8]]]
    sentences: Callable[[int, int, bool], Runs]


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

    As many candidates as fit are kept, best first.  Of the next best, where the room is wide, the best sentences are
    kept that fit, the very best cut short if most of it fits.  Worse ones that fit whole fill the rest.

    A candidate is kept with the lines that it needs.  Where none fits with them, the best is kept without some of them,
    the outermost first, then a part of it.  Behind such a one others go that lack nothing else, or nothing.

    Args:
        candidates: best first.
        edges: where they may begin and end.
        parts: how a stretch is divided that does not fit whole.
        cost: tokens of the prompt that holds these runs.
        budget: tokens; ``cost([])`` is within it.
    """
    filling = _Filling(candidates, edges, parts, remembered(cost), budget)
    filling.take_sentences()
    filling.take_first()
    filling.take_whole()
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
        self.best_of: dict[int, tuple[int, int]] = {}  # the sentence that a candidate of several is cut in
        self.top = 0  # where a line begins that is kept without what it needs: nothing is set over it

    @property
    def room(self) -> int:
        return self.budget - self.used

    @property
    def full(self) -> bool:
        return self.room < max(_LEAST_ROOM, (1 - _FILLED) * self.budget)

    def take_sentences(self) -> None:
        """Of the next best, where the room is wide, the best sentences; the very best may be cut short."""
        alone = self.used == self.least
        if not self.behind or not (alone or self.room >= _WIDE_ROOM * self.budget):
            return
        index, candidates = self.count, self.candidates
        start, end = int(candidates.starts[index]), int(candidates.ends[index])
        sentences = self.parts.sentences(start, end, alone)
        if not sentences and not alone:  # it does not fit whole
            sentences = self._stretch(index)
        if sentences and alone and candidates.whole[index] and self._takes_some(index):
            sentences = []  # a record goes whole with less than what it needs before it is divided
        self.best_of.update((index, stretch) for stretch in sentences[:1])
        for stretch in sentences:
            fits = self._takes(index, union(self.runs, with_leads([stretch], self.edges)))
            cut = stretch is sentences[0] and not (fits or candidates.whole[index])
            if cut and self._takes(index, self._part_of(index, most=not alone)):
                break
        self._look_behind()

    def take_first(self) -> None:
        """While nothing is kept: the best with less than what it needs, or a part; then others that lack the same."""
        if self.used > self.least:
            return
        # What opens a block goes last where it has to go without it: other lines would stand in its place.
        best = self.behind[:_FIRST_TRIES]
        if not any(self._takes_some(index) for index in sorted(best, key=self._opens)):
            any(self._takes(index, self._part_of(index, torn=True)) for index in best)
        self._look_behind()
        missing = [lead for lead in self._needs(self.runs) if lead[0] < self.runs[0][0]] if self.runs else []
        if not missing:
            return
        self.top = self.runs[0][0]
        for index in self.behind:
            one = self._stretch(index)
            grown = union(self.runs, one)
            if union(grown, missing) == union(grown, self._needs(one)):
                self._takes(index, grown)
        self._look_behind()

    def _takes_some(self, index: int) -> bool:
        """Whether a candidate fits with some of what it needs, without it, or in part."""
        one = self._stretch(index)
        if not self.candidates.whole[index]:  # goes whole without its label before it is cut short with it
            return self._takes(index, one) or self._takes(index, self._part_of(index))
        needs = self._needs(one)
        over = sum(lead < one[0] for lead in needs)
        if over and not self.edges.says(*one[0]):  # goes with the line right over it, or not at all
            return any(self._takes(index, union(one, needs[count:])) for count in range(over))
        tries = [needs[count:] for count in range(over + 1)]
        if self.edges.tells(one[0][0]):
            tries.append(needs[:over])  # a comment without what it is about
        return any(self._takes(index, union(one, some)) for some in [*tries, []])

    def take_whole(self) -> None:
        """Worse ones that fit whole."""
        for index in self.behind:
            if self.full:
                break
            if self.candidates.tokens[index] <= self.room:
                [(start, end)] = stretch = self._stretch(index)
                grown = union(self.runs, with_leads(stretch, self.edges))
                beside = len(grown) <= len(self.runs) and grown == union(self.runs, stretch)
                if beside or self.edges.says(start, end):  # others go right beside what is kept
                    self._takes(index, grown)

    def _takes(self, index: int, grown: Runs) -> bool:
        """Whether the runs with more of a candidate fit; they are kept then."""
        cost = self.cost(grown)
        if grown[:1] < [(self.top, 0)] or not self.used < cost <= self.budget:
            return False
        if index not in self.kept[self.count :]:
            self.kept.append(index)
        self.runs, self.used = grown, cost
        return True

    def _look_behind(self) -> None:
        self.behind = [index for index in self.behind if index not in self.kept[self.count :]]

    def _stretch(self, index: int) -> Runs:
        return smoothed(self.candidates.starts[[index]], self.candidates.ends[[index]], self.edges)

    def _needs(self, runs: Runs) -> Runs:
        return sorted((start, end) for start, end, _ in self.edges.leads(runs))

    def _runs_of(self, kept: Sequence[int] | slice) -> Runs:
        stretches = smoothed(self.candidates.starts[kept], self.candidates.ends[kept], self.edges)
        return with_leads(stretches, self.edges)

    def _opens(self, index: int) -> bool:
        """Whether a candidate says nothing without what stands behind it."""
        [(start, end)] = stretch = self._stretch(index)
        return not self.edges.tells(start) and any(place >= end for place, _, _ in self.edges.leads(stretch))

    def _part_of(self, index: int, most: bool = False, torn: bool = False) -> Runs:
        """The runs with as much of a candidate as fits.

        The cut goes back to the end of a line or clause that is near.  How near depends on what is kept, not on the
        budget, so that a larger budget never cuts earlier.

        Args:
            index: of the candidate.
            most: whether a sentence is kept only where most of it fits, and up to the end of a clause.
            torn: whether it is kept without what it needs, and may be cut anywhere.
        """
        # What is cut short anyway begins where the candidate does, not far before it where smoothing would move it.
        own = int(self.candidates.starts[index]), self.edges.end(int(self.candidates.ends[index]))
        start, end = self.best_of.get(index, own)
        begin = self.edges.start(start)
        if start - begin > _LEAD:
            begin = self.edges.word(start)
        at, levels = self.parts.places(start, end, torn)

        def grown_to(place: int) -> Runs:
            part = [(begin, place)]
            return union(self.runs, part if torn else with_leads(part, self.edges))

        def grown(count: int) -> Runs:
            return grown_to(int(at[count - 1]))

        needs = length(grown_to(begin + 1)) - length(self.runs) - 1
        at, levels = at[at - begin >= needs], levels[at - begin >= needs]  # less is not worth what it needs
        estimates = (at - begin) // _CHARACTERS_PER_TOKEN + 1
        count = largest_fitting(lambda count: self.cost(grown(count)), self.used, estimates, self.budget)
        if count == 0:
            return self.runs
        at, levels = at[:count], levels[:count]
        last = int(at[-1])
        good = at >= last - _STEP_BACK * length(grown(count))
        if most:
            sentence, behind = self.edges.start(last), self.edges.end(last)
            good = (levels >= AFTER_CLAUSE) & (at >= sentence + _MOST_OF_IT * (behind - sentence))
            good |= (at == sentence) & (self.edges.end(sentence) == sentence)
        level = np.where(good, levels, -1)
        return grown(int(np.flatnonzero(level == level.max())[-1]) + 1) if good.any() else self.runs
