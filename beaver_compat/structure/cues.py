"""Cues of subtitles (SRT, WebVTT): the number or name, the line with the times, and what is said.

It reads characters only.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import nexts
from beaver_compat.text.characters import holds, is_any, is_digit
from beaver_compat.text.lined_text import LinedText
from beaver_compat.text.speech import STAMP

Positions = NDArray[np.int64]

_ARROW = "-->"
_TIME = r"(?:\d{1,3}:)?\d{2}:\d{2}[.,]\d{3}"
CUE_TIMES = rf"{_TIME} *{_ARROW} *{_TIME}(?!\S)"
_TIMES = re.compile(CUE_TIMES)
_HEAD = re.compile(rf"(?:(?!{CUE_TIMES})[^\n]*\n\s*)?{CUE_TIMES}[^\n]*\n\s*(?:<v\b[^<>\n]{{0,80}}>)?(?![-\u2013>] ?)")
_NUMBER = re.compile(r"\d+")
_LEAST_TIMES, _FIRST = 5, 60  # lines of times; seconds
_LONGEST_TIME = 14  # characters
_OTHERS = re.compile(r"<v\b|^[-\u2013>] ?\w", re.M)  # speakers


def subtitle_cues(lined: LinedText) -> tuple[Positions, Positions, Positions]:
    """The first hard line of each cue, the line behind its times and the line behind its last, int64 [k].

    A cue ends before a blank line or the next cue.  The line above the times is a part of it if it is a number, or
    stands behind a blank line itself.

    Args:
        lined: the text.
    """
    none = np.zeros(0, dtype=np.int64)
    text, blank = lined.text, lined.boundaries.after_blank
    if not holds(text, _ARROW):
        return none, none, none
    first, ends = lined.first, lined.ends
    found, begins = [], []
    for line in np.flatnonzero(is_digit(lined.points[first])).tolist():
        if not _TIMES.match(text, first[line], ends[line]):
            continue
        above = line - 1 if line and not blank[line] else line
        numbered = above < line and (blank[above] or lined.line(above).isdecimal())
        found.append(line)
        begins.append(above if numbered else line)
    begin, times = np.array(begins, dtype=np.int64), np.array(found, dtype=np.int64)
    limits = np.append(np.flatnonzero(blank), blank.size)
    return begin, times + 1, np.minimum(limits[limits.searchsorted(times, side="right")], nexts(begin, blank.size))


def time_lines(lined: LinedText) -> Positions:
    """The hard lines of nothing but a time in a recording, ascending: they count up from its first minute.

    Args:
        lined: the text.
    """
    text, first, ends = lined.text, lined.first, lined.ends
    short = is_digit(lined.points[ends - 1]) | is_any(lined.points[ends - 1], "])")
    short &= ends - first <= _LONGEST_TIME
    likely = np.flatnonzero(short & (is_digit(lined.points[first]) | is_any(lined.points[first], "[(")))
    if likely.size < _LEAST_TIMES:
        return likely[:0]
    found: list[int] = []
    last = 0
    for line in likely.tolist():
        if not STAMP.fullmatch(text, first[line], ends[line]):
            continue
        seconds = 0
        for part in _NUMBER.findall(text, first[line], ends[line])[:3]:
            seconds = 60 * seconds + int(part)
        if seconds < last or not (found or seconds < _FIRST):
            return likely[:0]
        found.append(line)
        last = seconds
    return np.array(found if len(found) >= _LEAST_TIMES else [], dtype=np.int64)


def cue_texts(lined: LinedText, begins: Positions, ends: Positions) -> Positions:
    """Where what is said in each of some cues begins, behind the speaker (``<v Ada>``); -1 where several do.

    Args:
        lined: the text.
        begins, ends: the first hard line of each cue and the line behind its last, int64 [k].
    """
    text, found = lined.text, []
    for begin, end in zip(lined.first[begins].tolist(), lined.ends[ends - 1].tolist(), strict=True):
        head = _HEAD.match(text, begin, end)
        alone = head and not _OTHERS.search(text, head.end(), end) and head.end() < end
        found.append(head.end() if head and alone else -1)
    return np.array(found, dtype=np.int64)
