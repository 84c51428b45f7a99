"""Titles that numbered clauses begin with, on one line with their text: ``4.2 Late Payment. Bills are due ...``.

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.headings import LONGEST_TITLE, is_capitalized
from beaver_compat.text.characters import is_digit
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_REACH = 8  # characters in which the number of a clause ends
_CLAUSE = re.compile(r"(?:\d{1,2}\.|(?:[A-Z]|\d{1,2})(?:\.\d{1,2}){1,3}\.?) +([^.?!;\n]{1,60}[^\W\d])\. +(?=\S)")
_MOST_WORDS = 8
_TITLED_SHARE, _LEAST_TITLED = 0.75, 3  # of the clauses with such numbers begin with a short sentence
_FEW_WORDS = 3  # behind a number such as 2.1 they are a title, capitalized or not


def clause_titles(lined: LinedText) -> tuple[Positions, Positions]:
    """The hard lines that begin with a title of their own, as in ``4.2 Late Payment. Bills are due ...``.

    Most words of it are capitalized, or most clauses begin with a sentence as short.

    Args:
        lined: the text.

    Returns:
        The lines, ascending, and where what is behind each title begins, int64.
    """
    points, first, ends = lined.points, lined.first, lined.ends
    initials = points[first]
    lettered = (initials >= ord("A")) & (initials <= ord("Z"))
    if lettered.any():
        lettered &= points[np.minimum(first + 1, points.size - 1)] == ord(".")
    lines = np.flatnonzero((is_digit(initials) | lettered) & (ends - first > LONGEST_TITLE))  # shorter are kept whole
    if not lines.size:
        return lines, lines
    signs, letters = points[first[lines, None] + np.arange(_REACH)], lettered[lines]
    space = (signs == ord(" ")).argmax(axis=1)[:, None]  # 0 where there is none
    order, dots = np.arange(_REACH), signs == ord(".")
    number = is_digit(signs) | dots | (order >= space)
    number[:, 0] |= letters
    likely = number.all(axis=1) & (dots & (order < space)).any(axis=1)
    depths = (dots & (order < space - 1)).sum(axis=1)[likely]  # 0 for "4.", 1 for "4.2" and "B.4"
    lines, kinds = lines[likely], 2 * depths + letters[likely]
    titles, bodies = [""] * lines.size, np.zeros(lines.size, dtype=np.int64)
    for index, line in enumerate(lines.tolist()):
        if clause := _CLAUSE.match(lined.text, first[line], ends[line]):
            titles[index], bodies[index] = clause[1], clause.end()
    short = np.array([_may_be_title(title, _MOST_WORDS) for title in titles], dtype=np.bool_)
    often = np.bincount(kinds, short, minlength=1)
    titled = short & ((often >= _LEAST_TITLED) & (often >= _TITLED_SHARE * np.bincount(kinds, minlength=1)))[kinds]
    for index in np.flatnonzero(~titled).tolist():
        few = depths[index] > 0 and _may_be_title(titles[index], _FEW_WORDS)
        titled[index] = few or is_capitalized(titles[index])
    return lines[titled], bodies[titled]


def _may_be_title(sentence: str, most_words: int) -> bool:
    return not sentence[:1].islower() and 0 < len(sentence.split()) <= most_words
