"""Code that goes over several lines, from the bracket that it opens to its end: signatures, conditions, calls.

It reads characters only.  Lines are looked at all at once, so that brackets that are never closed cost little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.blocks import signatures_among
from beaver_compat.text.ascending import outermost
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LONGEST_HEADER = 512  # characters: a longer one is not worth its tokens
_MOST_LINES = 32  # of a header
_LONGEST_STATEMENT = 1024
_GOES_ON = ",+-*/|&=\\\"'"  # at the end of a line with an open bracket
_OPENING, _CLOSING = "([{", ")]}"


def find_headers(lined: LinedText) -> tuple[Positions, Positions]:
    """The headers of two or more lines: the first hard line of each and the line behind its last, int64 [k].

    A header begins with a line that ends with ``(`` or ``({``, or with a signature that ends with a comma; deeper
    lines follow, up to the one that closes the bracket.  That ends with ``:`` or ``{``, unless it is a signature's.

    Args:
        lined: the text.
    """
    none = np.zeros(0, dtype=np.int64)
    points, boundaries = lined.points, lined.boundaries
    first, ends, indents = lined.first, lined.ends, lined.indents
    if not indents.any() or "(" not in lined.text:
        return none, none
    deeper = np.append((indents[1:] > indents[:-1]) & ~boundaries.after_blank[1:], False)
    last = points[ends - 1]
    bracket = deeper & ((last == ord("(")) | ((last == ord("{")) & (points[np.maximum(ends - 2, 0)] == ord("("))))
    comma = deeper & (last == ord(","))
    if not (bracket.any() or comma.any()):
        return none, none
    signature = np.zeros(first.size, dtype=bool)
    signature[signatures_among(lined, bracket | comma)] = True
    openers = np.flatnonzero(bracket | (comma & signature))
    if not openers.size:
        return none, none
    before, behind = _levels(lined)
    openers = openers[bracket[openers] | (behind[openers] > before[openers])]
    outer = np.minimum(before, behind - 1)  # the level that an opener's bracket goes back to
    behind -= last == ord("{")
    closes = is_any(points[first], _CLOSING)
    brace = np.append((points[first] == ord("{")) & (ends - first == 1) & ~boundaries.after_blank, False)
    found, stops = [none], [none]
    for count in range(1, _MOST_LINES):
        openers = openers[openers + count < first.size]
        line = openers + count
        inside = indents[line] > indents[openers]
        inside |= closes[line] & (indents[line] == indents[openers])
        inside &= (ends[line] - first[openers] <= _LONGEST_HEADER) & ~boundaries.after_blank[line]
        openers, line = openers[inside], line[inside]
        if not openers.size:
            break
        closed = behind[line] <= outer[openers]
        below = brace[line + 1] & (np.append(indents, 0)[line + 1] == indents[openers])
        header = closed & (is_any(last[line], ":{") | signature[openers] | below)
        found.append(openers[header])
        stops.append((line + 1 + below)[header])
        openers = openers[~closed]
    return outermost(np.concatenate(found), np.concatenate(stops))


def statements_of_lines(lined: LinedText) -> Positions:
    """For each line that a bracket goes on over the one with the bracket, -1 for none, int64 [N].

    That is a line that ends with a comma or an operator and leaves a bracket open; deeper lines follow, up to the one
    that closes it.

    Args:
        lined: the text.
    """
    points, boundaries = lined.points, lined.boundaries
    first, ends, indents = lined.first, lined.ends, lined.indents
    found = np.full(first.size, -1)
    deeper = np.append((indents[1:] > indents[:-1]) & ~boundaries.after_blank[1:], False)
    openers = np.flatnonzero(deeper & is_any(points[ends - 1], _GOES_ON))
    if not openers.size:
        return found
    before, behind = _levels(lined)
    openers = openers[behind[openers] > before[openers]]
    begins, line = openers, openers
    for _ in range(_MOST_LINES):
        line = line + 1
        inside = line < first.size
        begins, line = begins[inside], line[inside]
        inside = (indents[line] > indents[begins]) & ~boundaries.after_blank[line]
        inside &= ends[line] - first[begins] <= _LONGEST_STATEMENT
        begins, line = begins[inside], line[inside]
        if not begins.size:
            break
        found[line] = np.maximum(found[line], begins)
        goes_on = behind[line] > before[begins]
        begins, line = begins[goes_on], line[goes_on]
    return found


def _levels(lined: LinedText) -> tuple[Positions, Positions]:
    """How many brackets are open before each line and behind it, int64 [N] each."""
    marks = lined.characters.marks(_OPENING + _CLOSING)
    levels = np.append(0, np.cumsum(np.where(is_any(lined.points[marks], _OPENING), 1, -1)))
    return levels[marks.searchsorted(lined.first)], levels[marks.searchsorted(lined.ends)]
