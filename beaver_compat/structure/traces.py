"""Lines that stand under another by their shape: frames of a stack trace, and lines of a tree of names.

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import rises
from beaver_compat.text.characters import is_any, is_digit
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_MOST_DEPTHS = 24
_BRANCH = re.compile(r"[\u2502 \u00a0]*[\u251c\u2514]\u2500+\u252c? ")  # before a name in a tree
_BRANCHES = "\u2502\u251c\u2514"


def frames(lined: LinedText) -> NDArray[np.bool_]:
    """True for each hard line that is a frame, two at least in the text: deeper, ``at`` and a place, or ``...`` below.

    Args:
        lined: the text.
    """
    points, first, deeper = lined.points, lined.first, lined.indents > 0
    if not deeper.any():
        return deeper
    second = points[np.minimum(first + 1, points.size - 1)]
    last = points[lined.ends - 1]
    found = deeper & (points[first] == ord("a")) & (second == ord("t"))
    found &= (points[np.minimum(first + 2, points.size - 1)] == ord(" ")) & (is_digit(last) | is_any(last, ")]"))
    rest = deeper & (points[first] == ord(".")) & (second == ord("."))
    found[1:] |= rest[1:] & found[:-1]
    return found & (found.sum() > 1)


def add_frames(lined: LinedText, needed: Positions, items: Positions) -> None:
    """Each frame needs the line over the frames that it stands among, which says what happened.

    Args:
        lined: the text.
        needed, items: as in `Leads`; are filled in.
    """
    found = frames(lined)
    if not found.any():
        return
    order = np.arange(found.size)
    head = np.maximum.accumulate(np.where(found, 0, order))
    edges = np.flatnonzero(lined.boundaries.after_blank)
    block = edges.searchsorted(order, side="right")
    own = found & (lined.indents[head] < lined.indents) & (block[head] == block) & (head < order)
    lines = np.flatnonzero(own & (needed[:, 0] < head))
    needed[lines, 0] = items[lines] = head[lines]


def add_trees(lined: LinedText, needed: Positions, items: Positions) -> None:
    """Each line of a tree of names (``tree``, ``npm ls``) needs the name that it hangs on, unless that is the root.

    Args:
        lined: the text.
        needed, items: as in `Leads`; are filled in.
    """
    likely = is_any(lined.points[lined.first], _BRANCHES)
    if not likely.any():
        return
    depths = np.zeros(likely.size, dtype=np.int64)
    for line in np.flatnonzero(likely).tolist():
        if branch := _BRANCH.match(lined.text, lined.first[line], lined.ends[line]):
            depths[line] = branch.end() - branch.start() + int(lined.first[line] - lined.starts[line])
    order = np.arange(depths.size)
    apart = (depths == 0) | lined.boundaries.after_blank | (rises(lined.contexts, -1) != 0)
    tree = np.maximum.accumulate(np.where(apart, order, 0))
    for depth in np.unique(depths[depths > 0])[:_MOST_DEPTHS].tolist():
        above = np.maximum.accumulate(np.where((depths <= depth) | apart, order, 0))
        lines = np.flatnonzero((depths > depth) & (depths[above] == depth) & (tree[above] == tree))
        needed[lines, 0] = items[lines] = above[lines]
