"""Lines that stand as titles over what is behind them.  It reads characters only."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.boundaries import Boundaries
from beaver_compat.characters import is_any

Positions = NDArray[np.int64]

_HEADING = re.compile(r"(#{1,6}) +\S")


def find_headings(text: str, points: NDArray[np.uint32], boundaries: Boundaries) -> list[int]:
    """The hard lines that are headings, ascending.

    A heading of Markdown stands between blank lines, or has several signs: one alone may be a comment in code.

    Args:
        text: all contexts, joined.
        points: its code points, uint32 [n].
        boundaries: its boundaries.
    """
    if "#" not in text:
        return []
    first, ends = boundaries.visible()
    blank = boundaries.after_blank
    free = np.append(blank[1:], True)
    return [
        line
        for line in np.flatnonzero(blank & is_any(points[first], "#") & ~boundaries.records).tolist()
        if (match := _HEADING.match(text, first[line], ends[line])) and (free[line] or len(match[1]) > 1)
    ]
