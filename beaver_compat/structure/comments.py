"""Comments over a line of code or settings: what they say is about that line.

It reads characters only, for all lines of a text at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_INITIALS = "#/-;*"
_LONGEST_BLOCK = 4096  # characters
_BEHIND_HASH = ":!"  # one that documents what is below it
_LONGEST_BARE = 3  # signs of a line that only begins or ends a comment
_NOT_ABOUT = ")]}`~>|"  # what a line begins with that no comment is about: ends of blocks, fences, mail, tables


def add_comments(
    lined: LinedText,
    found: tuple[NDArray[np.bool_], Positions],
    needed: Positions,
    behind: Positions,
    bare: NDArray[np.bool_],
    told: NDArray[np.bool_],
) -> None:
    """Each line of a comment right above a line of code needs that line, of a block the first line, too.

    A line that ends like a sentence is prose, and nothing above it is a comment.

    Args:
        lined: the text.
        found: its comments (`find_comments`).
        needed, bare, told: as in `Leads`; changed.
        behind: the line behind it that each line needs, int64 [N].
    """
    points, first, ends, indents = lined.points, lined.first, lined.ends, lined.indents
    boundaries, contexts = lined.boundaries, lined.contexts
    comments, edges = found
    if not comments.any():
        return
    order, last = np.arange(first.size), first.size - 1
    below = np.minimum.accumulate(np.where(comments, last, order)[::-1])[::-1]
    blanks = np.cumsum(boundaries.after_blank)
    about = comments & ~comments[below] & (contexts[below] == contexts) & (blanks[below] == blanks)
    about &= indents[below] == indents[edges]
    about &= (~boundaries.terminated | boundaries.records)[below] & ~is_any(points[first[below]], _NOT_ABOUT)
    needed[about, 0] = below[about]
    needed[about, 1] = behind[below[about]]
    told |= about
    bare[about & (ends - first <= _LONGEST_BARE)] = True


@once
def find_comments(lined: LinedText) -> tuple[NDArray[np.bool_], Positions]:
    """True for each hard line that is a comment, bool [N]; and the first line of its block comment, else itself."""
    points, first, ends = lined.points, lined.first, lined.ends
    order = np.arange(first.size)
    comments, stars, opens = np.zeros((3, first.size), dtype=bool)
    likely = np.flatnonzero(is_any(points[first], _INITIALS))
    initial, second = points[first[likely]], points[np.minimum(first[likely] + 1, points.size - 1)]
    long = ends[likely] - first[likely] > 1
    spaced = long & (second == ord(" "))
    slash = long & (initial == ord("/"))
    opens[likely] = slash & (second == ord("*"))
    stars[likely] = initial == ord("*")
    comments[likely] = spaced & is_any(initial, "#;") | slash & is_any(second, "/*")
    comments[likely] |= long & (initial == ord("#")) & is_any(second, _BEHIND_HASH)
    dashes = long & (initial == ord("-")) & (second == ord("-"))
    dashes &= points[np.minimum(first[likely] + 2, points.size - 1)] == ord(" ")
    comments[likely] |= dashes
    comments[likely] |= (initial == ord("#")) & ~long
    edges = np.maximum.accumulate(np.where(stars, 0, order))
    within = stars & opens[edges]
    for line in np.flatnonzero(opens).tolist():  # without stars
        closing = lined.text.find("*/", first[line], first[line] + _LONGEST_BLOCK)
        last = int(first.searchsorted(closing, side="right")) - 1
        if last > line and ends[last] == closing + len("*/"):
            within[line + 1 : last + 1] = True
            edges[line + 1 : last + 1] = line
    return comments | within, np.where(within, edges, order)
