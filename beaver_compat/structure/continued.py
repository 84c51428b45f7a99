"""Statements over several lines: those that end with a backslash, the selectors of a rule in CSS, entries of gettext.

It reads characters only, of all lines at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import nexts, rises
from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LONGEST = 480  # characters of a statement
_LONGEST_SELECTOR = 80
_LONGEST_ENTRY = 640
_SELECTORS = ".#:[*"


def continued_lines(lined: LinedText) -> tuple[Positions, Positions]:
    """The first hard line of each such statement and the line behind its last, ascending, int64 [k]."""
    points, ends, blank = lined.points, lined.ends, lined.boundaries.after_blank
    if "\\" not in lined.text and "{" not in lined.text:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    near = np.append(~blank[1:] & (rises(lined.regions, -1)[1:] == 0), False)
    on = (points[ends - 1] == ord("\\")) & (points[ends - 2] != ord("\\")) & near  # of two, as in LaTeX, none goes on
    return _ranges(lined, on | (_selectors(lined) & near), _LONGEST)


def gettext_entries(lined: LinedText) -> tuple[Positions, Positions]:
    """The first hard line of each short entry, ``msgid`` with ``msgstr`` and comments, and the line behind its last."""
    none = np.zeros(0, dtype=np.int64)
    if not holds(lined.text, "msgstr"):
        return none, none
    blank, regions = lined.boundaries.after_blank, lined.regions
    begins = np.flatnonzero(blank | (rises(regions, -1) != 0))
    ends = nexts(begins, blank.size)
    short = (lined.ends[ends - 1] - lined.starts[begins] <= _LONGEST_ENTRY) & (ends - begins > 1)
    begins, ends = begins[short], ends[short]
    texts = [lined.text[lined.first[begin] : lined.ends[end - 1]] for begin, end in zip(begins, ends, strict=True)]
    known = np.array(["msgstr" in text and "msgid" in text for text in texts], dtype=bool)
    return begins[known], ends[known]


def _selectors(lined: LinedText) -> NDArray[np.bool_]:
    """True for each line that is a selector before another one of the same rule."""
    points, first, ends, indents = lined.points, lined.first, lined.ends, lined.indents
    likely = (points[ends - 1] == ord(",")) & (ends - first <= _LONGEST_SELECTOR)
    opens = (points[ends - 1] == ord("{")) & (ends - first > 1)
    if not (likely.any() and opens.any()):
        return np.zeros(first.size, dtype=bool)
    signs = is_any(points[first], _SELECTORS)
    order = np.arange(first.size)
    behind = np.minimum.accumulate(np.where(likely, order.size - 1, order)[::-1])[::-1]  # the first that is none
    known = likely & opens[behind] & (indents[behind] == indents) & ~lined.boundaries.records
    begun = np.append(True, ~known[:-1])
    run = np.maximum.accumulate(np.where(begun, order, 0))
    counted = np.cumsum(np.append(0, signs))
    return known & (counted[behind + 1] > counted[run])  # one of them names a class or the like


def _ranges(lined: LinedText, on: NDArray[np.bool_], longest: int) -> tuple[Positions, Positions]:
    """Runs of lines that go on with the next one, with that, up to so many characters."""
    begun = on & ~np.append(False, on[:-1])
    begins = np.flatnonzero(begun)
    behind = np.flatnonzero(~on)
    ends = behind[behind.searchsorted(begins)] + 1
    short = lined.ends[ends - 1] - lined.starts[begins] <= longest
    return begins[short], ends[short]
