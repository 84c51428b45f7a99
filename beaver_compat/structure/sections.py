"""Sections of INI and TOML files: ``[name]`` over lines of ``key = value``.  It reads characters only."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.fences import FENCES
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LONGEST_NAME = 100  # characters, with the brackets
_LONGEST_KEY = 120  # characters in which a key's sign stands
_COMMENTS = "#;"

_NAME = re.compile(r"\[[^\[\]\n=,;{}<>]+\]|\[\[[^\[\]\n=,;{}<>]+\]\]")
_KEY = re.compile(r"[\w.\"'$/@:*\\-]+(?: [\w.-]+){0,2}[ \t]*=")


@once
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
            more = end > name and not lined.boundaries.after_blank[line] and text[first[line]] not in FENCES
            if not (comment or key or more):
                break
            line += 1
            end = end if comment else line
        if end > name:
            sections.append((name, end))
    return sections


def section_names(lined: LinedText) -> tuple[Positions, Positions]:
    """The hard lines that are a section each, and where its name ends, int64 [k].

    Args:
        lined: the text.
    """
    text, starts, lines = lined.text, lined.starts, lined.boundaries.lines
    likely = np.flatnonzero((lined.points[lined.first] == ord("[")) & lined.boundaries.records)
    ends = np.append(lines, len(text))[lines.searchsorted(starts[likely]) + 1]
    several = ends < lined.ends[likely]
    likely, ends = likely[several], ends[several]
    names = [text[start:end].strip() for start, end in zip(starts[likely].tolist(), ends.tolist(), strict=True)]
    named = np.array([bool(_NAME.fullmatch(name)) for name in names], dtype=bool)
    return likely[named], ends[named]


def setting_starts(section: str) -> list[int]:
    """Where the settings of a section begin, behind the first; a comment is of the setting below it.

    >>> setting_starts("[mill]\\nstones = 4\\n# metres\\nwheel = 9")
    [18]
    """
    name, _, rest = section.partition("\n")
    if not _NAME.fullmatch(name.strip()):
        return []
    found, place, comment = [], len(name) + 1, -1
    for line in rest.splitlines(keepends=True):
        if line[0] in _COMMENTS:
            comment = place if comment < 0 else comment
        elif _KEY.match(line):
            found.append(place if comment < 0 else comment)
            comment = -1
        place += len(line)
    return found[1:]
