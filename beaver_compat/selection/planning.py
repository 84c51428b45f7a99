"""The QueryPlanner's selection: which stretches of the text are kept, in what order, until the budget is full.

Candidates come ranked; what is kept for a budget is the longest run from the head of the ranking that fits, so a larger
budget keeps all that a smaller one kept.  Costs are exact: the whole prompt is rendered and counted by the caller's
counter.  It knows positions and counts, not what the text says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.smoothing import Smoother

Positions = NDArray[np.int64]
Runs = list[tuple[int, int]]

_FILLED = 0.975  # of the budget: less than this is filled up with parts of further candidates
_STEP_BACK = 0.015  # of the kept characters: what a cut may give up for a better place
_BROKEN_OFF = 0.1  # of the budget: what may stay empty behind a sentence that was cut short
_TRIES = 24  # candidates behind the first that does not fit that are tried for what is left
_GUESSES = 6  # interpolated counts before the search halves the interval instead
_CHARACTERS_PER_TOKEN = 3  # a rough guess, which the search corrects
_LEAD = 40  # characters: what smoothing may put before a candidate that is cut
_LEAST_ROOM = 8  # tokens: less is not worth another piece
_MOST_OF_IT = 0.5  # of the best candidate that does not fit: a part of that size goes before worse ones that are whole
_WIDE_ROOM = 0.1  # of the budget: in less, worse ones that are whole go first however much of the best fits


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
    """What is kept: the first ``count`` candidates, some more, and the runs of characters that they make."""

    kept: list[int]
    runs: Runs


def plan(
    candidates: Candidates,
    smoother: Smoother,
    parts: Parts,
    cost: Callable[[Runs], int],
    budget: int,
) -> Plan:
    """Fill the budget.

    As many candidates as fit are kept, best first, then worse ones that fit whole into what is left, then a part of
    one that does not; that part goes first where it is most of the next best and the room is wide.  Of a next best of
    several sentences, in wide room the best that fit whole are kept before all these.

    A candidate is kept with the lines that it needs.  While nothing is kept, one that does not fit with them is tried
    without them, and what may be cut is cut with them only then; where none fits so, one is torn.

    Args:
        candidates: best first.
        smoother: of the same text.
        parts: how a stretch is divided that does not fit whole.
        cost: tokens of the prompt that holds these runs.
        budget: tokens; ``cost([])`` is within it.
    """

    cost = _remembered(cost)

    def runs_of(kept: Sequence[int] | slice) -> Runs:
        return with_leads(smoothed(candidates.starts[kept], candidates.ends[kept], smoother), smoother)

    @cache
    def first(count: int) -> Runs:
        return runs_of(slice(0, count))

    def part_of(index: int, led: bool, torn: bool) -> Runs:
        # What is cut short anyway begins where the candidate does, not far before it where smoothing would move it.
        start, end = best_of.get(index) or (int(candidates.starts[index]), smoother.end(int(candidates.ends[index])))
        begin = smoother.start(start)
        if start - begin > _LEAD:
            begin = smoother.word(start)

        def grown(place: int) -> Runs:
            part = [(begin, place)]
            return union(runs, with_leads(part, smoother) if led else part)

        at, levels = parts.places(start, end, torn)
        needs = _length(grown(begin + 1)) - _length(runs) - 1
        at, levels = at[at - begin >= needs], levels[at - begin >= needs]  # less is not worth what it needs
        return _cut_to_fit(runs, used, begin, (at, levels), grown, cost, budget)

    least = cost([])
    count = largest_fitting(lambda k: cost(first(k)), least, np.cumsum(candidates.tokens), budget)
    kept = list(range(count))
    runs = first(count)
    used = cost(runs)
    behind = list(range(count, min(count + _TRIES, len(candidates.starts))))
    best_of: dict[int, tuple[int, int]] = {}  # the sentence that a candidate of several is torn in
    if behind and (used == least or budget - used >= _WIDE_ROOM * budget):
        for stretch in parts.sentences(int(candidates.starts[count]), int(candidates.ends[count])):
            grown = union(runs, with_leads([stretch], smoother))
            broken = not best_of and cost(grown) > budget and not candidates.whole[count]
            best_of.setdefault(count, stretch)
            if broken:
                part = part_of(count, led=True, torn=False)
                broken = _length(part) - _length(runs) >= _MOST_OF_IT * (stretch[1] - stretch[0])
                grown = part if broken else grown
            grown_cost = cost(grown)
            if used < grown_cost <= budget:
                kept, runs, used = list(range(count + 1)), grown, grown_cost
                if broken:
                    break
        behind = [index for index in behind if index not in kept[count:]]
    room = budget - used
    wide = bool(behind) and room >= max(_MOST_OF_IT * candidates.tokens[behind[0]], _WIDE_ROOM * budget)
    for index in [] if wide or used == least else behind:
        if budget - used < max(_LEAST_ROOM, (1 - _FILLED) * budget):
            break
        if candidates.tokens[index] <= budget - used:
            grown = union(runs, runs_of([index]))
            grown_cost = cost(grown)
            if used < grown_cost <= budget:
                kept.append(index)
                runs, used = grown, grown_cost
    behind = [index for index in behind if index not in kept[count:]]
    top = 0  # where a line begins that is kept without what it needs
    own: Runs = []  # it, and what it needs: nothing else is set over it
    # What may be cut goes whole without its label before it is cut short with it.
    tries = [
        (index, led, False) for index in behind for led in (bool(candidates.whole[index]), not candidates.whole[index])
    ]
    if (
        used == least
    ):  # what opens a block goes last where it has to go without it: other lines would stand in its place
        tries.sort(key=lambda one: not one[1] and _opens(candidates.starts[one[0]], candidates.ends[one[0]], smoother))
    for index, led, torn in [*tries, *((index, False, True) for index in behind)]:
        if used > least and (torn or budget - used < max(_LEAST_ROOM, (1 - _FILLED) * budget)):
            break
        if used > least and not led:
            continue
        whole = not torn and (not led or candidates.whole[index])
        if whole:
            one = smoothed(candidates.starts[[index]], candidates.ends[[index]], smoother)
            grown = union(runs, with_leads(one, smoother) if led else one)
        else:
            grown = part_of(index, led, torn)
        grown_cost = cost(grown)
        over = [(start, min(end, top)) for start, end in grown if start < top]
        if used < grown_cost <= budget and union(own, over) == own:
            kept.append(index)
            runs, used = grown, grown_cost
            if not led:
                top, own = runs[0][0], with_leads(runs, smoother)
            if not whole and budget - used < _BROKEN_OFF * budget:
                break  # one sentence is broken off at most
    return Plan(kept, runs)


def _remembered(cost: Callable[[Runs], int]) -> Callable[[Runs], int]:
    known: dict[tuple[tuple[int, int], ...], int] = {}

    def remembered(runs: Runs) -> int:
        key = tuple(runs)
        if key not in known:
            known[key] = cost(runs)
        return known[key]

    return remembered


def largest_fitting(cost: Callable[[int], int], least: int, estimates: Positions, budget: int) -> int:
    """The largest k in 0..n with ``cost(k) <= budget``, in few calls.

    Args:
        cost: exact cost of the first k, rising but for joints.
        least: ``cost(0)``, which is within the budget.
        estimates: roughly proportional to the rise of ``cost``, [n], ascending.
        budget: the bound.

    >>> largest_fitting(lambda k: 10 * k, 0, np.array([1, 2, 3, 4]), 35)
    3
    """
    estimate = np.concatenate([[0], estimates])
    low, high = 0, estimate.size
    low_cost, rate = least, 1.0
    guesses = 0
    while high - low > 1:
        reach = estimate[low] + (budget - low_cost) / rate
        guess = int(estimate.searchsorted(reach, side="right")) - 1
        if guesses >= _GUESSES:
            guess = (low + high) // 2
        guess = min(max(guess, low + 1), high - 1)
        guess_cost = cost(guess)
        guesses += 1
        rise = estimate[guess] - estimate[low]
        if guess_cost > low_cost and rise > 0:
            rate = (guess_cost - low_cost) / rise
        if guess_cost <= budget:
            low, low_cost = guess, guess_cost
        else:
            high = guess
    return low


def smoothed(starts: Positions, ends: Positions, smoother: Smoother) -> Runs:
    """The union of stretches, each run's ends moved outward by the smoother, as sorted disjoint runs."""
    return _joined((smoother.start(start), smoother.end(end)) for start, end in merged(starts, ends))


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


def with_leads(runs: Runs, smoother: Smoother) -> Runs:
    """Runs and the lines that they need."""
    leads = [(start, end) for start, end, _ in smoother.leads(runs)]
    return union(runs, leads) if leads else runs


def _opens(start: int, end: int, smoother: Smoother) -> bool:
    """Whether a stretch says nothing without what stands behind it."""
    [(start, end)] = smoothed(np.array([start]), np.array([end]), smoother)
    return not smoother.tells(start) and any(place >= end for place, _, _ in smoother.leads([(start, end)]))


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


def _length(runs: Runs) -> int:
    return sum(end - start for start, end in runs)


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
    near = _STEP_BACK * _length(grown(count))
    level = np.where(at[:count] >= at[count - 1] - near, levels[:count], -1)
    return grown(int(np.flatnonzero(level == level.max())[-1]) + 1)
