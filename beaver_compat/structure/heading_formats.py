"""Titles that are known by their format: commands of LaTeX and the like, entries of changelogs, lines between rules.

Everything here reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np

from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText

_LONGEST = 400  # characters of a command
_LONGEST_ENTRY, _LONGEST_BOXED = 160, 80
_SECTIONS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph"]
_TEXINFO = {
    f"{kind}{name}": level
    for level, names in enumerate(("chapter top", "section sec", "subsection subsec", "subsubsection subsubsec"), 1)
    for name in names.split()
    for kind in ("", "unnumbered", "appendix")
} | {"unnumbered": 1, "appendix": 1, "heading": 2, "subheading": 3}
_COMMAND = re.compile(
    rf"\\(?P<section>{'|'.join(_SECTIONS)})\*?(?:\[[^\[\]]*\])?\{{(?:[^{{}}]|\{{[^{{}}]*\}})+\}}"
    r"(?: *\\label\{[^{}]*\})?"
    r"|(?P<signs>={2,6}) ?[^=\s][^=]*(?P=signs)|(?P<marks>={1,5}) +[^=\s][^=]*"  # of a wiki, AsciiDoc
    r"|=(?:head(?P<pod>[1-6])|(?P<item>item)) +(?![*\d.]+$)\S.*"
    r"|(?P<stars>\*{1,6}) +[^*\s].*"  # of Org
    rf"|@(?P<texinfo>{'|'.join(_TEXINFO)}) +\S.*|\.(?P<roff>S[HhSs]) +\S.*"
)
_ENTRY_SIGNS = ("; urgency=", "<")
_COMMAND_SIGNS = "\\=@.*"
_DAY = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_ENTRY = re.compile(  # of a changelog: Debian's, RPM's, GNU's
    rf"[a-z0-9][\w.+-]* \([^()\s]+\) [\w. -]+; urgency=\w+.*|\* (?:{_DAY}) \w{{3}} +\d{{1,2}} \d{{4}} \S.*"
    r"|\d{4}-\d{2}-\d{2} +\S.*<[^<>\s]+@[^<>\s]+>"
)
_BOX = re.compile(r"(?P<sign>#+|//+|;+|--|%+|\"+|\*+)? ?(?P<rule>[-=*#~_/;%])(?P=rule){4,}[#*/;]*")
_BOX_SIGNS = '=-~^+#/;%*_"'
_ITEM_LEVEL = 7  # of Perl's documentation


def level_of_format(title: str) -> int:
    """How high a title of such a format stands, 1 for the highest; 0 for any other line.

    >>> level_of_format("=head2 Wheels"), level_of_format("@chapter Mill"), level_of_format("Wheels")
    (2, 1, 0)
    """
    if match := _COMMAND.fullmatch(title):
        return _level_of_command(match)
    return int(_ENTRY.fullmatch(title) is not None)


def _level_of_command(match: re.Match[str]) -> int:
    if match["section"]:
        return 1 + _SECTIONS.index(match["section"])
    if match["texinfo"]:
        return _TEXINFO[match["texinfo"]]
    if match["roff"]:
        return 1 + (match["roff"][1] in "Ss")
    if match["pod"] or match["item"]:
        return int(match["pod"] or _ITEM_LEVEL)
    return len(match["signs"] or match["marks"] or match["stars"])


def commands(lined: LinedText) -> list[int]:
    """LaTeX's headings, those of a wiki, AsciiDoc, Org, Perl's documentation, Texinfo, and of pages of manuals."""
    text, points, first, ends = lined.text, lined.points, lined.first, lined.ends
    blank = lined.boundaries.after_blank
    free = blank & np.append(blank[1:], True)
    likely = is_any(points[first], _COMMAND_SIGNS) & (ends - first <= _LONGEST)
    stars = points[first] == ord("*")
    if stars.any():  # one star is a list's, where no line between blank ones has more
        at_edge = blank & (first == lined.starts)
        second, third = (points.take(first + step, mode="clip") for step in (1, 2))
        deep = at_edge & stars & (second == ord("*")) & (third == ord(" "))
        likely &= ~stars | (at_edge & deep.any())
    return [
        line
        for line in np.flatnonzero(likely).tolist()
        if (match := _COMMAND.fullmatch(text, first[line], ends[line])) and (not match["marks"] or free[line])
    ]


def entries(lined: LinedText) -> list[int]:
    """The lines that entries of a changelog begin with."""
    text, first, ends = lined.text, lined.first, lined.ends
    if not any(holds(text, sign) for sign in _ENTRY_SIGNS):
        return []
    likely = lined.boundaries.after_blank & (ends - first <= _LONGEST_ENTRY)
    return [line for line in np.flatnonzero(likely).tolist() if _ENTRY.fullmatch(text, first[line], ends[line])]


def boxed_lines(lined: LinedText) -> list[int]:
    """The short lines right between two equal rules, in a comment or not."""
    points, first, ends, blank = lined.points, lined.first, lined.ends, lined.boundaries.after_blank
    likely = is_any(points[first], _BOX_SIGNS) & is_any(points[ends - 1], _BOX_SIGNS) & (ends - first > 2)
    rules = np.flatnonzero(likely)
    rules = rules[rules + 2 < first.size]
    rules = rules[likely[rules + 2] & ~likely[rules + 1] & ~blank[rules + 1] & ~blank[rules + 2]]
    rules = rules[(ends - first)[rules + 1] <= _LONGEST_BOXED]
    return [
        line + 1
        for line in rules.tolist()
        if lined.line(line) == lined.line(line + 2)
        and (box := _BOX.fullmatch(lined.line(line)))
        and lined.line(line + 1).startswith(box["sign"] or "")
        and any(map(str.isalpha, lined.line(line + 1)))
    ]
