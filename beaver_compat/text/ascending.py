"""Ascending places as sets, in one pass; numpy's own set functions don't know that their input is sorted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def distinct(places: Places) -> Places:
    """Each of some ascending places once.

    >>> distinct(np.array([2, 2, 5, 7, 7]))
    array([2, 5, 7])
    """
    return places[rises(places, -1) > 0]


def rises(places: Places, before: int) -> Places:
    """How far each place lies behind the one before it, the first behind ``before``.

    >>> rises(np.array([2, 5, 9]), before=-1)
    array([3, 3, 4])
    """
    found = np.empty_like(places)
    found[:1] = places[:1] - before
    np.subtract(places[1:], places[:-1], out=found[1:])
    return found


def nexts(places: Places, last: int) -> Places:
    """The place behind each, the last one's being ``last``: where ranges end that begin at the places.

    >>> nexts(np.array([2, 5, 9]), last=12)
    array([ 5,  9, 12])
    """
    found = np.empty_like(places)
    found[:-1] = places[1:]
    found[-1:] = last
    return found


def union(first: Places, second: Places) -> Places:
    """The places of two ascending lists, ascending, each once.

    >>> union(np.array([1, 4]), np.array([2, 4, 9]))
    array([1, 2, 4, 9])
    """
    both = np.concatenate([first, second])
    both.sort(kind="stable")  # which merges sorted runs
    return distinct(both)


def among(places: Places, others: Places) -> NDArray[np.bool_]:
    """True for each place that some ascending others hold, bool [n].

    >>> among(np.array([1, 4, 12]), np.array([4, 9]))
    array([False,  True, False])
    """
    return others.searchsorted(places) < others.searchsorted(places, side="right")


def any_between(places: Places, starts: Places, ends: Places) -> NDArray[np.bool_]:
    """True for each range that holds some of the ascending places, bool [n].

    >>> any_between(np.array([4, 9]), starts=np.array([0, 4, 5]), ends=np.array([4, 5, 9]))
    array([False,  True, False])
    """
    return places.searchsorted(starts) < places.searchsorted(ends)


def outermost(begins: Places, ends: Places) -> tuple[Places, Places]:
    """The ranges that do not begin inside one before them.

    >>> outermost(np.array([4, 0, 1]), np.array([6, 3, 2]))
    (array([0, 4]), array([3, 6]))
    """
    order = np.argsort(begins)
    begins, ends = begins[order], ends[order]
    outer = begins >= np.append(0, np.maximum.accumulate(ends)[:-1])[: begins.size]
    return begins[outer], ends[outer]
