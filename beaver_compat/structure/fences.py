"""Fenced blocks of Markdown: which lines open and close them, which are one unit, and what their lines need.

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

FENCES = "`~"
_LONGEST_FENCE = 200  # characters of the line
_UNDERLINE_OFF = 3  # characters by which a title's underline may be longer or shorter
_FENCE = re.compile(r"(`{3,}(?!.*`)|~{3,})(.*)")


@once
def fence_pairs(lined: LinedText) -> Positions:
    """The hard lines that open and close each fenced block that is no record: int64 [k, 2].

    Args:
        lined: the text.
    """
    text, points, boundaries, contexts = lined.text, lined.points, lined.boundaries, lined.contexts
    first, ends = lined.first, lined.ends
    third = np.minimum(first + 2, points.size - 1)
    likely = is_any(points[first], FENCES) & (points[first] == points[third]) & (ends - first <= _LONGEST_FENCE)
    found = np.flatnonzero(likely & ~boundaries.records)
    pairs: list[tuple[int, int]] = []
    opening, mark = -1, ""
    for line in found.tolist():
        fence = _FENCE.match(text, first[line], ends[line])
        if not fence:
            continue
        if opening < 0 or contexts[line] != contexts[opening]:
            if len(fence[1]) > len("~~~") and not fence[2].strip() and line and not boundaries.after_blank[line]:
                above = int(ends[line - 1] - first[line - 1])
                if abs(len(fence[1]) - above) <= _UNDERLINE_OFF:
                    continue  # a title's underline
            opening, mark = line, fence[1]
        elif fence[1].startswith(mark) and not fence[2].strip():
            pairs.append((opening, line))
            opening = -1
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def short_fences(lined: LinedText, longest: int) -> tuple[Positions, Positions]:
    """The blocks up to so many characters: the hard line that opens each and the line behind its last, int64 [k]."""
    if not is_any(lined.points[lined.first], FENCES).any():
        none = np.zeros(0, dtype=np.int64)
        return none, none
    openings, closings = fence_pairs(lined).T
    short = lined.ends[closings] - lined.starts[openings] <= longest
    return openings[short], closings[short] + 1


def add_fences(
    lined: LinedText,
    needed: Positions,
    behind: Positions,
    bare: NDArray[np.bool_],
    follows: NDArray[np.bool_],
) -> None:
    """Each line of a fenced code block needs the fences, unless something in the block that it needs does.

    The block and the line before it that ends with a colon need each other, of a long block its first line.

    Args:
        lined: the text.
        needed, behind, bare: as in `Leads`; are filled in.
        follows: True for each line that says nothing without the one behind it, bool [N]; is filled in.
    """
    points, records, first, ends = lined.points, lined.boundaries.records, lined.first, lined.ends
    if not is_any(points[first], FENCES).any():
        return
    openings, closings = fence_pairs(lined).T
    order = np.arange(first.size)
    if openings.size:
        pair = openings.searchsorted(order, side="right") - 1
        inside = (pair >= 0) & (openings[pair] < order) & (order < closings[pair]) & (needed[:, 0] <= openings[pair])
        needed[inside] = np.stack([openings, closings], axis=1)[pair[inside]]
        needed[openings, 1] = needed[openings, 0]
        needed[openings, 0] = closings
        needed[closings] = np.stack([openings, np.full(openings.size, -1)], axis=1)
        filled = closings - openings > 1
        bare[openings[filled]] = bare[closings[filled]] = follows[openings[filled]] = True
    units = np.flatnonzero(records & is_any(points[first], FENCES))
    blocks, bodies = np.append(openings, units), np.append(openings + 1, units)
    before = np.maximum(blocks - 1, 0)
    led = (blocks > 0) & is_any(points[ends[before] - 1], ":\uff1a") & ~records[before]
    needed[blocks[led], 1] = before[led]
    behind[before[led]] = bodies[led]
