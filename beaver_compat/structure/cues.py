"""Cues of subtitles (SRT, WebVTT): the number or name, the line with the times, and what is said.

It reads characters only.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import nexts
from beaver_compat.text.boundaries import Boundaries
from beaver_compat.text.characters import holds, is_digit

Positions = NDArray[np.int64]

_ARROW = "-->"
_TIME = r"(?:\d{1,3}:)?\d{2}:\d{2}[.,]\d{3}"
_TIMES = re.compile(rf"{_TIME} *{_ARROW} *{_TIME}(?!\S)")


def subtitle_cues(text: str, points: NDArray[np.uint32], boundaries: Boundaries) -> tuple[Positions, Positions]:
    """The first hard line of each cue and the line behind its last, int64 [k].

    A cue ends before a blank line or the next cue.  The line above the times is a part of it if it is a number, or
    stands behind a blank line itself.

    Args:
        text: all contexts, joined.
        points: its code points, uint32 [n].
        boundaries: its boundaries.
    """
    none = np.zeros(0, dtype=np.int64)
    if not holds(text, _ARROW):
        return none, none
    first, ends = boundaries.visible
    blank = boundaries.after_blank
    found, begins = [], []
    for line in np.flatnonzero(is_digit(points[first])).tolist():
        if not _TIMES.match(text, first[line], ends[line]):
            continue
        above = line - 1 if line and not blank[line] else line
        numbered = above < line and (blank[above] or text[first[above] : ends[above]].isdecimal())
        found.append(line)
        begins.append(above if numbered else line)
    begin, times = np.array(begins, dtype=np.int64), np.array(found, dtype=np.int64)
    limits = np.append(np.flatnonzero(blank), blank.size)
    return begin, np.minimum(limits[limits.searchsorted(times, side="right")], nexts(begin, blank.size))
