"""Lines that hold only under a condition that stands on lines of its own: ``#ifdef`` in C, ``ifeq`` in a Makefile.

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_MOST_LINES = 48  # of a branch: a longer one is a file's guard, or a part of it
_WORD = re.compile(r"(?:#[ \t]*(?P<c>if|ifdef|ifndef|elif|else|endif)|(?P<make>ifeq|ifneq|ifdef|ifndef|else|endif))\b")


def add_conditionals(lined: LinedText, needed: Positions, bare: NDArray[np.bool_]) -> None:
    """Each line of a branch needs the line that opens it; an ``else`` needs the condition.

    Args:
        lined: the text.
        needed, bare: as in `Leads`; filled in.
    """
    text, first, ends = lined.text, lined.first, lined.ends
    if not holds(text, "endif"):
        return
    opened: list[tuple[bool, list[int]]] = []  # whether it is one of C, and the lines of its branches
    for line in np.flatnonzero(is_any(lined.points[first], "#ie")).tolist():
        match = _WORD.match(text, first[line], ends[line])
        if not match:
            continue
        word, of_c = match["c"] or match["make"], match["c"] is not None
        if word.startswith("if"):
            opened.append((of_c, [line]))
        elif opened and opened[-1][0] == of_c:
            opened[-1][1].append(line)
            if word == "endif":
                _add(opened.pop()[1], needed, bare)


def _add(branches: list[int], needed: Positions, bare: NDArray[np.bool_]) -> None:
    """The lines of one conditional need those that its branches begin with; the last only closes it."""
    condition, end = branches[0], branches[-1]
    for begin, behind in pairwise(branches):
        if begin != condition:
            needed[begin] = condition, -1
        if behind - begin <= _MOST_LINES:
            inside = np.arange(begin + 1, behind)
            for column in (0, 1):
                inside = inside[needed[inside].max(axis=1) < begin]  # those of an inner one need that
                free = inside[needed[inside, column] < 0]
                needed[free, column] = begin
    needed[end] = condition, -1
    bare[end] = True
