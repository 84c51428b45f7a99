"""Entries of a log: a line that begins with a date or time, and the lines below it that do not.

It reads characters only.  Texts whose lines do not mostly begin so have no entries.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, rises
from beaver_compat.text.characters import is_any, is_digit
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_DATE = np.array([1, 1, 1, 1, 0, 1, 1, 0, 1, 1], dtype=bool)  # digits of 2024-05-31
_TIME = np.array([1, 1, 0, 1, 1, 0, 1, 1], dtype=bool)  # and of 10:31:05
_LEAST_STAMPED = 3  # lines of a log
_LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL)\b", re.I)

_CHAINED = re.compile(r"Traceback \(most recent call last\):|(?:During handling of t|T)he above exception\b")


@once
def log_entries(lined: LinedText) -> tuple[Positions, Positions]:
    """The entries of two or more lines: the first hard line of each and the line behind its last, int64 [k].

    A blank line ends an entry, but not between the tracebacks of exceptions that led to each other.

    Args:
        lined: the text; the lines of a transcript are no entries.
    """
    text, boundaries, lines = lined.text, lined.boundaries, lined.starts
    none = np.zeros(0, dtype=np.int64)
    initials = lined.points[lines]
    likely = np.flatnonzero(is_digit(initials) | (initials == ord("[")))
    if likely.size < _LEAST_STAMPED or likely.size == lines.size:
        return none, none
    contexts = lined.contexts
    stamped = np.zeros(lines.size, dtype=bool)
    stamped[likely] = _begins_with_time(lined.points, lines[likely] + (initials[likely] == ord("[")))
    stamped &= ~among(lines, boundaries.times)
    found = np.bincount(contexts[stamped], minlength=contexts[-1] + 1)
    deeper = is_any(initials, " \t")
    top = np.bincount(contexts[~deeper], minlength=found.size)
    stamped &= ((found >= _LEAST_STAMPED) & (2 * found > top))[contexts]
    apart = boundaries.after_blank.copy()
    for line in np.flatnonzero(apart & (rises(contexts, -1) == 0) & is_any(initials, "TD")).tolist():
        apart[line] = not _CHAINED.match(text, lines[line])
    others = stamped | apart | (boundaries.tables & ~deeper) | is_any(initials, "`~")
    limits = np.append(np.flatnonzero(others), lines.size)
    begins, ends = limits[:-1], limits[1:]
    long = stamped[begins] & (ends - begins > 1)
    begins, ends = begins[long], ends[long]
    said = zip(lines[begins].tolist(), boundaries.labels[begins].tolist(), strict=True)
    own = np.array([start == label or bool(_LEVEL.search(text, start, label)) for start, label in said], dtype=bool)
    return begins[own], ends[own]


def add_entries(indents: Positions, begins: Positions, ends: Positions, needed: Positions, behind: Positions) -> None:
    """Each line of an entry needs its first line, an indented one the last above it that is not.

    The first line needs the next, and the last one that is not indented: a stack trace begins or ends with the cause.

    Args:
        indents: of each hard line, int64 [N].
        begins, ends: lines of the entries, int64 [k].
        needed: the lines that each line needs, int64 [N, 2]; is filled in.
        behind: the line behind it that each line needs, int64 [N]; is filled in.
    """
    if not begins.size:
        return
    order = np.arange(indents.size)
    entry = begins.searchsorted(order, side="right") - 1
    inside = np.flatnonzero((entry >= 0) & (order > begins[entry]) & (order < ends[entry]))
    begin = begins[entry[inside]]
    top = np.maximum.accumulate(np.where(indents == 0, order, 0))
    free = needed[inside, 0] < begin
    needed[inside[free], 0] = np.where(indents[inside] == 0, begin, np.maximum(top[inside], begin))[free]
    cause = top[ends - 1]
    behind[begins] = begins + 1
    needed[begins, 1] = np.where(cause > begins + 1, cause, -1)


def _begins_with_time(points: NDArray[np.uint32], places: Positions) -> NDArray[np.bool_]:
    """True for each place where a date such as 2024-05-31 or a time such as 10:31:05 begins."""
    window = points[np.minimum(places[:, None] + np.arange(_DATE.size), points.size - 1)]
    digit = is_digit(window)
    date = (digit == _DATE).all(1) & (window[:, 4] == window[:, 7]) & is_any(window[:, 4], "-/.")
    time = (digit[:, : _TIME.size] == _TIME).all(1) & (window[:, 2] == ord(":")) & (window[:, 5] == ord(":"))
    return date | time
