"""Multiple choice: a question, the lettered options below it, and the line with the answer right below those.

Everything here reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LONGEST = 320  # characters, about a page: of a longer question options may be kept
_LETTERS = "ABCDEFGHIJ"
_OPENINGS, _CLOSINGS = "([", ".)]:"
_ASKING, _LEADING = "?\uff1f", ":_\uff1a\u2026"  # signs that a line above options ends with
_LONGEST_STEM = 160  # characters of one that does not ask: of a contract's paragraph each item is for itself
_CLAUSE_ENDS = ";,\uff1b\uff0c"  # of items of a sentence, such as a contract's
_LONGEST_ANSWER = 80  # characters of the line
_ANSWER = re.compile(
    r"(?:\*\*)?[^\W\d_]{1,20}(?: [^\W\d_]{1,20})?(?:\*\*)? ?[:\uff1a](?:\*\*)? ?[\[(]?(?P<letter>[A-Ja-j])(?!\w)"
)


def short_choices(lined: LinedText, implicit_query: bool) -> tuple[Positions, Positions]:
    """The short questions with options: the first hard line of each and the line behind its last, int64 [k].

    Args:
        lined: the text.
        implicit_query: True where the question at the text's end is what is asked.
    """
    begins, limits = _choices(lined)
    short = lined.ends[limits - 1] - lined.first[begins] <= _LONGEST
    if implicit_query:
        short &= limits < lined.starts.size
    return begins[short], limits[short]


def add_choices(lined: LinedText, needed: Positions) -> None:
    """Each option of a long question, and its answer, needs the question.

    Args:
        lined: the text.
        needed: the lines that each line needs, int64 [N, 2]; is filled in.
    """
    begins, limits = _choices(lined)
    if not begins.size:
        return
    order = np.arange(lined.starts.size)
    holder = begins.searchsorted(order) - 1  # the last question above
    inside = (holder >= 0) & (order < np.append(limits, 0)[holder])
    stems = np.append(begins, -1)[holder]
    free = inside & (needed[:, 0] < stems)
    needed[free, 0] = stems[free]


@once
def _choices(lined: LinedText) -> tuple[Positions, Positions]:
    """The questions with two options or more: the line of each and the line behind its last, ascending, int64 [k]."""
    letters, styles = _options(lined)
    contexts, size = lined.contexts, letters.size
    last = lined.points[lined.ends - 1]
    letters[is_any(last, _CLAUSE_ENDS)] = -1
    if not (letters == 0).any():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    asks, leads = is_any(last, _ASKING), is_any(last, _LEADING) & (lined.ends - lined.first <= _LONGEST_STEM)
    firsts = np.flatnonzero((letters[1:] == 0) & (letters[:-1] < 0) & (contexts[1:] == contexts[:-1])) + 1
    stems, limits = [], []
    for first in firsts.tolist():
        limit = first + 1
        while limit < size and letters[limit] == limit - first and styles[limit] == styles[first]:
            limit += 1
        options = limit - first
        if options < 2 or contexts[limit - 1] != contexts[first]:
            continue
        answered = _answers(lined, limit, options)
        if answered or asks[first - 1] or (leads[first - 1] and not lined.boundaries.after_blank[first]):
            stems.append(first - 1)
            limits.append(limit + answered)
    return np.array(stems, dtype=np.int64), np.array(limits, dtype=np.int64)


def _options(lined: LinedText) -> tuple[Positions, Positions]:
    """Of each hard line the letter that it begins with as an option does, 0 for A, -1 for none; and how it is written.

    Returns:
        Both int64 [N].  Options of one question are written alike: in capitals or not, in brackets or not.
    """
    points, first, ends = lined.points, lined.first, lined.ends
    letters, styles = np.full((2, first.size), -1)
    opened = is_any(points[first], _OPENINGS)
    letter = points[np.minimum(first + opened, points.size - 1)]
    lines = np.flatnonzero(is_any(letter, _LETTERS + _LETTERS.lower()) & (ends - first > 3 + opened))
    if not lines.size:
        return letters, styles
    sign = letter[lines]
    place = (first + opened)[lines] + 1
    marked = is_any(points[place], _CLOSINGS) & (points[place + 1] == ord(" "))
    lines, sign, place = lines[marked], sign[marked], place[marked]
    small = sign >= ord("a")
    letters[lines] = sign.astype(np.int64) - np.where(small, ord("a"), ord("A"))
    styles[lines] = points[place].astype(np.int64) * 4 + opened[lines] * 2 + small
    return letters, styles


def _answers(lined: LinedText, line: int, options: int) -> bool:
    """Whether a line says which of some options above it is right."""
    if line >= lined.starts.size or lined.boundaries.after_blank[line]:
        return False
    if lined.ends[line] - lined.first[line] > _LONGEST_ANSWER:
        return False
    match = _ANSWER.match(lined.text, lined.first[line], lined.ends[line])
    return match is not None and _LETTERS.index(match["letter"].upper()) < options
