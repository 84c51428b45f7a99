"""Items of lists: a marked or numbered line and the deeper lines below it; objects in lists of JSON.

It reads characters only.  Lines are looked at all at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.fences import FENCES
from beaver_compat.text.ascending import outermost
from beaver_compat.text.characters import is_any, is_digit
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

LEAST_INDENT = 2  # of the lines below an item's first, behind its own: one space is a diff's or a comment's
_LONGEST_ITEM = 120  # characters, less than a page: of a longer one lines may be kept
_MOST_LINES = 32  # of an item that is one unit
_BULLETS, _DIGITS = "-*+\u2022", "0123456789"
_MOST_DIGITS = 3
_MOST_SPACES = 3  # between a mark and what it stands before


@once
def item_contents(lined: LinedText) -> Positions:
    """How far from each hard line's first character the text behind its mark begins; 0 for lines that are no items.

    Args:
        lined: the text.
    """
    points, first, ends = lined.points, lined.first, lined.ends
    found = np.zeros(first.size, dtype=np.int64)
    lines = np.flatnonzero(is_any(points[first], _BULLETS + _DIGITS) & (ends - first > LEAST_INDENT))
    if not lines.size:
        return found
    reach = first[lines, None] + np.arange(_MOST_DIGITS + _MOST_SPACES + 2)
    signs = points[np.minimum(reach, points.size - 1)]
    digits = np.logical_and.accumulate(is_digit(signs), axis=1).sum(axis=1)
    row = np.arange(lines.size)
    mark = np.minimum(digits, _MOST_DIGITS)
    marked = (digits == 0) | is_any(signs[row, mark], ".)")
    spaces = np.logical_and.accumulate((signs == ord(" ")) | (np.arange(signs.shape[1]) <= mark[:, None]), axis=1)
    content = spaces.sum(axis=1)
    marked &= (content > mark + 1) & (content <= mark + 1 + _MOST_SPACES)
    found[lines] = np.where(marked & (first[lines] + content < ends[lines]), content, 0)
    return found


def objects_in_lists(lined: LinedText, indents: Positions) -> NDArray[np.bool_]:
    """True for each hard line that is but the brace that opens an object of a list, laid out over several lines.

    Objects of JSON that stand below each other are a list, too.

    Args:
        lined: the text.
        indents: of each line, int64 [N].
    """
    points, first, ends = lined.points, lined.first, lined.ends
    found = np.zeros(first.size, dtype=bool)
    braces = np.flatnonzero((points[first] == ord("{")) & (ends - first == 1))
    braces = braces[braces < first.size - 1]
    outer = braces[(indents[braces] == 0) & (points[first[braces + 1]] == ord('"')) & (indents[braces + 1] > 0)]
    found[outer] = outer.size > 1
    braces = braces[braces > 0]
    last = points[ends[braces - 1] - 1]
    level = indents[braces] - indents[braces - 1]
    behind_one = (points[ends[braces - 1] - 2] == ord("}")) & (last == ord(",")) & (level == 0)  # a short one is a line
    listed = behind_one | ((last == ord("[")) & (level > 0))
    found[braces] |= listed & (indents[braces + 1] > indents[braces])
    return found


def short_items(lined: LinedText) -> tuple[Positions, Positions]:
    """The short items of several lines: the first hard line of each and the line behind its last, int64 [k].

    The line below the first is no item itself: of a list within a list each item is for itself.

    Args:
        lined: the text.
    """
    boundaries, contexts = lined.boundaries, lined.contexts
    first, ends, indents = lined.first, lined.ends, lined.indents
    none = np.zeros(0, dtype=np.int64)
    content = item_contents(lined)
    objects = objects_in_lists(lined, indents)
    if not (content.any() or objects.any()):
        return none, none
    least = indents + np.where(objects, 1, LEAST_INDENT)  # of the lines below
    marked = (content > 0) & ~boundaries.records
    marked[:-1] &= content[1:] == 0
    heads = np.flatnonzero((objects | marked)[:-1] & (indents[1:] >= least[:-1]))
    initials = lined.points[first]
    closes = initials == ord("}")
    barred = boundaries.after_blank | (is_any(initials, FENCES) & ~boundaries.records)
    begins, limits = [none], [none]
    for count in range(1, _MOST_LINES + 1):
        line = np.minimum(heads + count, first.size - 1)
        own = (heads + count < first.size) & (contexts[line] == contexts[heads])
        inside = own & (indents[line] >= least[heads])
        closed = own & objects[heads] & closes[line] & (indents[line] == indents[heads])
        over = closed | (~inside & ~objects[heads])
        begins.append(heads[over])
        limits.append((heads + count + closed)[over])
        fits = inside & ~barred[line] & (ends[line] - first[heads] <= _LONGEST_ITEM)
        heads = heads[fits]
        if not heads.size:
            break
    return outermost(np.concatenate(begins), np.concatenate(limits))
