"""Lines that name what is below them by their shape: a name and a time, words between rules, a colon at the end.

Everything here reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.headings import LONGEST_TITLE
from beaver_compat.text.ascending import any_between
from beaver_compat.text.characters import WORD, is_any, is_digit
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LEAST = 2  # lines of a kind
_LONGEST_RULED = 120  # characters
_RULES = "-=*~#_\u2014\u2013"

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp]\.?[Mm]\.?)?(?: [A-Z]{2,4})?"
_WHEN = rf"[\[(]?(?:[^\W_][\w.,/-]{{0,11}} ){{0,5}}(?:[\d-]{{8,10}}T)?{_CLOCK}[\])]?"
_NAME = r"\*{0,2}@?[^\W\d_][\w.'\u2019-]*(?: [\w.'\u2019()/-]+){0,4}\*{0,2}"
_STAMPED = re.compile(
    rf"(?P<name>{_NAME})(?: {{2,}}|\t+| ?[,|\u00b7\u2022\u2013\u2014-] ?| (?=[\[(\d])){_WHEN}:?"
    rf"|{_WHEN},?(?: *[|\u00b7\u2022\u2013\u2014-])?[ \t]+(?P<behind>{_NAME}):?"
)
# A number or amount, but no first item.
VALUE = re.compile(r"(?![ \t*]*\(?1[.)]\s)[ \t*]*(?:[A-Z]{2,3} ?)?[^\w\s]{0,2} ?\d")
_WIDE_RULE = 7  # signs, and more: those that fill a line up to a width differ in number
_RULED = re.compile(r"(?P<rule>[-~_\u2014\u2013]{2,}|\*{3,}|[=#]{7,})[-_=*#]? +\w.*\w\W* +(?P=rule)[-_=*#]?")


@once
def stamped_lines(lined: LinedText) -> dict[int, int]:
    """The hard lines that begin with a line of a name and the time at which it wrote what is below: ``Ada  9:16 AM``.

    A name comes twice, or blank lines part them; one right below another is a timetable's.

    Args:
        lined: the text.

    Returns:
        The character behind each such line; a short message may be taken for the rest of a wrapped line.
    """
    text, points, regions = lined.text, lined.points, lined.regions
    marks = lined.characters.marks(":")
    marks = marks[is_digit(points[marks - 1]) & is_digit(points[np.minimum(marks + 1, points.size - 1)])]
    if not marks.size:
        return {}
    first, ends, line_ends = lined.first, lined.ends, _line_ends(lined)
    short = (line_ends - first <= LONGEST_TITLE) & ~lined.boundaries.records
    likely = np.flatnonzero(short & any_between(marks, first, line_ends))
    found: dict[int, str] = {}
    for line in likely.tolist():
        if match := _STAMPED.fullmatch(text, first[line], line_ends[line]):
            found[line] = (match["name"] or match["behind"]).strip("*@").lower()
    following = np.append(regions, -1)
    led = [
        line
        for line in found
        if line_ends[line] < ends[line] or (line + 1 not in found and following[line + 1] == regions[line])
    ]
    apart = all(lined.boundaries.after_blank[line] for line in found)
    if len(led) < max(_LEAST, len(found) / 2) or not (apart or len(set(found.values())) < len(found)):
        return {}
    return {line: int(line_ends[line]) for line in found}


@once
def ruled_lines(lined: LinedText) -> dict[int, int]:
    """The hard lines that begin with a line of words between rules: ``--- Comment by Ada, 3 June ---``.

    There are two at least with the same rule, or with long ones of the same sign, which fill a line's width.

    Args:
        lined: the text.

    Returns:
        The character behind each such line.
    """
    points, first = lined.points, lined.first
    likely = is_any(points[first], _RULES)
    if not likely.any():
        return {}
    line_ends = _line_ends(lined)
    likely &= points[first] == points[line_ends - 1]
    likely &= (line_ends - first <= _LONGEST_RULED) & ~lined.boundaries.records
    found: dict[str, list[int]] = {}
    for line in np.flatnonzero(likely).tolist():
        if match := _RULED.fullmatch(lined.text, first[line], line_ends[line]):
            found.setdefault(match["rule"][:_WIDE_RULE], []).append(line)
    return {line: int(line_ends[line]) for lines in found.values() if len(lines) >= _LEAST for line in lines}


def add_groups(lined: LinedText, labels: NDArray[np.bool_], items: Positions, follows: NDArray[np.bool_]) -> None:
    """Short lines up to a blank one are items of a short line right above that ends with a colon: ``For the dough:``.

    There are two such groups at least.

    Args:
        lined: the text.
        labels: True for each line that is known to be but the name of a part, bool [N].
        items: as in `Leads`; is filled in.
        follows: True for each line that says nothing without what follows, bool [N]; is filled in.
    """
    points, boundaries, first, ends = lined.points, lined.boundaries, lined.first, lined.ends
    blank, regions, order = boundaries.after_blank, lined.regions, np.arange(lined.starts.size)
    short = (ends - first <= LONGEST_TITLE) & ~boundaries.terminated & ~boundaries.records
    named = blank & short & is_any(points[ends - 1], ":\uff1a") & ((lined.classes[first] & WORD) != 0)
    named &= ~labels
    if named.sum() < _LEAST:
        return
    over = short[1:] & ~blank[1:] & (lined.indents[1:] == lined.indents[:-1]) & (regions[1:] == regions[:-1])
    named[:-1] &= over
    named[-1] = False
    if named.sum() < _LEAST:
        return
    above = np.maximum.accumulate(np.where(blank, order, 0))  # the first line of each paragraph
    inside = named[above] & ~named
    items[inside] = np.maximum(items, above)[inside]
    follows[named] = True


@once
def _line_ends(lined: LinedText) -> Positions:
    """The character behind the first line of each hard line, which other lines may continue, int64 [N]."""
    boundaries = lined.boundaries
    following = np.append(boundaries.lines, len(lined.text))[boundaries.lines.searchsorted(lined.starts) + 1]
    return boundaries.word_ends[boundaries.words.searchsorted(following) - 1]
