"""Stanzas: records of ``Key: value`` lines with a blank line behind each, as in ``Package: git`` and what is below it.

A key stands at the edge, what goes on with its value is indented.  It reads characters only, of all lines at once.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.parts import Parts
from beaver_compat.text.ascending import among, any_between, distinct, rises
from beaver_compat.text.characters import WORD, is_any, is_digit
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_KEY_REACH = 34  # characters in which the colon stands
_LONGEST_LABEL = 60  # characters: of a longer line the key alone names what is below it
_LEAST_KEYS = 2  # of a stanza
_LEAST = 3  # stanzas that begin with one key
_SHARE = 0.8  # of the blocks from the first of these to the last are stanzas
_SAID_SHARE = 0.5  # of a transcript's or a FAQ's lines end like sentences


def add_stanzas(lined: LinedText, parts: Parts, needed: Positions, items: Positions) -> None:
    """The first line of each stanza names its other lines, a key what goes on with its value.

    Args:
        lined: the text.
        parts: of the text; is filled in.
        needed, items: as in `Leads`; the lines of stanzas need none outside.
    """
    heads, keys = find_stanzas(lined)
    lines = np.flatnonzero(heads >= 0)
    if not lines.size:
        return
    over = np.where(lines == keys[lines], heads[lines], keys[lines])
    needed[lines] = np.where(heads[needed[lines]] == heads[lines, None], needed[lines], -1)
    parts.label_ends[lines], parts.alone[lines] = lined.starts[lines], False
    below = over != lines
    lines, over = lines[below], over[below]
    items[lines] = parts.owners[lines] = parts.around[lines] = over
    over = distinct(np.sort(over))
    short = lined.ends[over] - lined.first[over] <= _LONGEST_LABEL
    colons = _colons(lined)
    behind = colons[colons.searchsorted(lined.first[over])] + 1
    parts.label_ends[over] = np.where(short, lined.edges[over + 1], behind)


@once
def find_stanzas(lined: LinedText) -> tuple[Positions, Positions]:
    """For each hard line of a stanza the first line of that, and the line with its key; -1 for others, int64 [N] each.

    Those that begin with one key are stanzas where nearly all between them are, and don't read like a transcript.

    Args:
        lined: the text.
    """
    first, ends, blank = lined.first, lined.ends, lined.boundaries.after_blank
    none = np.full(first.size, -1)
    colons = _colons(lined)
    at_edge = lined.indents == 0
    named = at_edge & ((lined.classes[first] & WORD) != 0) & ~is_digit(lined.points[first])
    named &= any_between(colons, first, np.minimum(first + _KEY_REACH, ends))
    if named.sum() < _LEAST * _LEAST_KEYS:
        return none, none
    begins = np.flatnonzero(blank | (rises(lined.regions, -1) != 0))
    whole = np.logical_and.reduceat(named | ~at_edge, begins) & named[begins]
    whole &= np.add.reduceat(named, begins, dtype=np.int64) >= _LEAST_KEYS
    blocks: dict[str, list[int]] = defaultdict(list)
    for block in np.flatnonzero(whole).tolist():
        start = first[begins[block]]
        blocks[lined.text[start : colons[colons.searchsorted(start)]].rstrip().lower()].append(block)
    limits = np.append(begins, first.size)
    terminated = np.cumsum(np.append(0, lined.boundaries.terminated))
    inside = np.zeros(first.size, dtype=bool)
    for own in blocks.values():
        low, high = limits[own[0]], limits[own[-1] + 1]
        said = terminated[high] - terminated[low]
        if len(own) >= _LEAST and whole[own[0] : own[-1]].mean() >= _SHARE and said < _SAID_SHARE * (high - low):
            inside[low:high] = whole[own[0] : own[-1] + 1].repeat(np.diff(limits[own[0] : own[-1] + 2]))
    order = np.arange(first.size)
    heads = np.maximum.accumulate(np.where(among(order, begins), order, -1))
    keys = np.maximum.accumulate(np.where(named, order, -1))
    return np.where(inside, heads, -1), np.where(inside, keys, -1)


@once
def _colons(lined: LinedText) -> Positions:
    """The colons before white space, ascending."""
    marks, points = lined.characters.marks(":"), lined.points
    return marks[is_any(points[np.minimum(marks + 1, points.size - 1)], " \t\r\n:")]
