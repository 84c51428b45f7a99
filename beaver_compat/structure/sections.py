"""Sections of INI and TOML files: ``[name]`` over lines of ``key = value``.  It reads characters only."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LONGEST_NAME = 100  # characters, with the brackets
_LONGEST_KEY = 120  # characters in which a key's sign stands
_COMMENTS = "#;"
_FENCES = "`~"  # end a section that stands in a code block

_NAME = re.compile(r"\[[^\[\]\n=,;{}<>]+\]|\[\[[^\[\]\n=,;{}<>]+\]\]")
_KEY = re.compile(r"[\w.\"'$/@:*\\-]+(?: [\w.-]+){0,2}[ \t]*=")


def settings_sections(lined: LinedText) -> list[tuple[int, int]]:
    """The hard lines that name a section, and the line behind its last; a section has one key at least.

    Args:
        lined: the text.
    """
    text, points, contexts = lined.text, lined.points, lined.contexts
    first, ends = lined.first, lined.ends
    opening = points[first] == ord("[")
    if not opening.any():
        return []
    likely = opening & (points[ends - 1] == ord("]")) & (ends - first <= _LONGEST_NAME)
    likely[:-1] &= ~opening[1:] & (contexts[1:] == contexts[:-1])
    likely[-1] = False
    sections = []
    for name in np.flatnonzero(likely).tolist():
        if not _NAME.fullmatch(text, first[name], ends[name]):
            continue
        end, line = name, name + 1  # the line behind the last that is no comment: those may be of what follows
        while line < first.size and contexts[line] == contexts[name] and not opening[line]:
            comment = text[first[line]] in _COMMENTS
            key = _KEY.match(text, first[line], min(ends[line], first[line] + _LONGEST_KEY))
            more = end > name and not lined.boundaries.after_blank[line] and text[first[line]] not in _FENCES
            if not (comment or key or more):
                break
            line += 1
            end = end if comment else line
        if end > name:
            sections.append((name, end))
    return sections
