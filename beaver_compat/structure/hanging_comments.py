"""Comments behind code that go on below it: ``fsync = on  # flush it`` with ``# (or lose data)`` under the sign.

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among
from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LEAST_COLUMN = 8  # where such a comment begins
_LONGEST = 480  # characters of a line with its comment
_MOST_LINES = 12
_TAB = 8  # columns
_INITIALS = "#/-;"
_SIGN = re.compile(r"#|//|--|;")


def hanging_comments(lined: LinedText) -> tuple[Positions, Positions]:
    """The first hard line of each such range, with the code, and the line behind its last, ascending, int64 [k]."""
    limits = dict([*_under_signs(lined), *_open_blocks(lined)])
    found = np.array(sorted(limits.items()), dtype=np.int64).reshape(-1, 2)
    begins, ends = found.T
    short = lined.ends[ends - 1] - lined.first[begins] <= _LONGEST
    short[1:] &= begins[1:] >= ends[:-1]
    return begins[short], ends[short]


def _under_signs(lined: LinedText) -> list[tuple[int, int]]:
    """Lines of a comment in the column of the sign that begins one behind the code above them."""
    text, starts, first, ends = lined.text, lined.starts, lined.first, lined.ends
    blank, regions, indents = lined.boundaries.after_blank, lined.regions, first - starts
    likely = is_any(lined.points[first], _INITIALS) & (indents > 0) & ~blank
    likely[1:] &= (indents[1:] >= indents[:-1]) & (regions[1:] == regions[:-1])
    likely[:1] = False
    found: list[tuple[int, int]] = []
    above, column, sign = -1, -1, ""  # of the last line with code, the comment behind it
    for line in np.flatnonzero(likely).tolist():
        match = _SIGN.match(text, first[line], ends[line])
        own = _column(text[starts[line] : first[line]])
        if not match or own < _LEAST_COLUMN:
            continue
        if not found or found[-1][1] != line:  # no such line is right above
            above, sign = line - 1, match[0]
            place = text.rfind(sign, first[above], ends[above])
            column = _column(text[starts[above] : place]) if place > first[above] else -1
        if own == column and match[0] == sign:
            begun = found.pop() if found and found[-1][1] == line else (above, line)
            found.append((begun[0], line + 1))
    return found


def _open_blocks(lined: LinedText) -> list[tuple[int, int]]:
    """Lines of a ``/*`` that is opened behind code, to the line that closes it."""
    text, first, ends = lined.text, lined.first, lined.ends
    if not holds(text, "/*"):
        return []
    slashes = lined.characters.marks("/")
    stars = slashes[lined.points.take(slashes + 1, mode="clip") == ord("*")]
    lines = np.unique(first.searchsorted(stars, side="right") - 1)
    found: list[tuple[int, int]] = []
    for line in lines[(lines >= 0) & ~among(first[lines], stars)].tolist():
        if text.rfind("/*", first[line], ends[line]) < text.rfind("*/", first[line], ends[line]):
            continue
        end = line + 1
        while end < min(first.size, line + _MOST_LINES) and text.find("*/", first[end], ends[end]) < 0:
            end += 1
        if end < first.size and text.find("*/", first[end], ends[end]) >= 0:
            found.append((line, end + 1))
    return found


def _column(before: str) -> int:
    return len(before.expandtabs(_TAB))
