"""Diffs: which lines are of the changes to which file (``git diff``, ``diff -u``).

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, distinct, union
from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_HUNK_SIGNS = " +-\\"  # of the lines of a hunk
_MOST_HEADER_LINES = 8  # behind the command
_LONGEST_WHOLE = 320  # characters, about a page: of a longer line, which is prose or data, a part may be kept
_HUNK_BEGINNING = "@@ -"
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_COMMAND = re.compile(r"diff -|Index: ")
_HEADER = re.compile(
    r"(?:old mode|new mode|new file|deleted file|similarity index|copy from|copy to|rename from|rename to|---|\+\+\+) "
    r"|index [\da-f]+[.,]|Binary files |GIT binary|dissimilarity index |={60}"
)
_NO_FILE = "+++ /dev/null"


class Diff(NamedTuple):
    """The lines that tell the changes to one file.

    Attributes:
        begin: the first.
        name: the one that names the file.
        body: the first behind those that head the changes.
        end: the line behind the last.
    """

    begin: int
    name: int
    body: int
    end: int


def find_diffs(lined: LinedText, lines: Positions) -> list[Diff]:
    """The changes to each file.

    Args:
        lined: the text.
        lines: where lines begin, int64.
    """
    text = lined.text
    if not (holds(text, _HUNK_BEGINNING) and lines.size):
        return []
    initials = lined.points[lines]
    inside = is_any(initials, _HUNK_SIGNS)
    found: dict[int, Diff] = {}
    for line in np.flatnonzero((initials == ord("d")) | (initials == ord("I"))).tolist():
        if not _COMMAND.match(text, lines[line]):
            continue
        body = line + 1
        while body < min(lines.size, line + _MOST_HEADER_LINES) and _HEADER.match(text, lines[body]):
            body += 1
        if body > line + 1:
            found[line] = Diff(line, line, body, lines.size)
    headed = {diff.body for diff in found.values()}
    for line in np.flatnonzero(initials == ord("@")).tolist():
        if not _HUNK.match(text, lines[line]):
            continue
        inside[line] = True
        versions = line > 1 and text.startswith("--- ", lines[line - 2]) and text.startswith("+++ ", lines[line - 1])
        if versions and line not in headed:
            name = line - 1 - text.startswith(_NO_FILE, lines[line - 1])
            found[line - 2] = Diff(line - 2, name, line, lines.size)
    contexts = lined.context_starts.searchsorted(lines, side="right")
    inside[1:] &= contexts[1:] == contexts[:-1]
    others = np.append(np.flatnonzero(~inside), lines.size)
    begins = [*sorted(found), lines.size]
    return [
        found[begin]._replace(end=min(int(others[others.searchsorted(found[begin].body)]), following))
        for begin, following in pairwise(begins)
    ]


def with_diff_lines(lined: LinedText) -> LinedText:
    """The text with each line of a diff as a hard line of its own, a short one as a record.

    Args:
        lined: the text.
    """
    boundaries, lines = lined.boundaries, lined.boundaries.lines
    diffs = np.array(find_diffs(lined, lines), dtype=np.int64).reshape(-1, len(Diff._fields))
    begins, ends = diffs[:, 0], diffs[:, -1]
    holders = [boundaries.hard_lines.searchsorted(lines[edge], side="right") for edge in (begins, ends - 1)]
    apart = holders[0] < holders[1]  # the others stand in a unit whole
    if not apart.any():
        return lined
    limits = np.append(lines, len(lined.text))
    own = np.concatenate([np.arange(begin, end + 1) for begin, end in zip(begins[apart], ends[apart], strict=True)])
    own = distinct(own[own < lines.size])  # with the line behind each
    hard = union(boundaries.hard_lines, lines[own])
    known = among(hard, boundaries.hard_lines)
    own = own[~among(own, ends[apart]) | among(own, begins[apart])]
    changed = among(hard, lines[own])

    def flags(known_flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        found = np.zeros(hard.size, dtype=bool)
        found[known] = known_flags
        found[changed] = False
        return found

    records = flags(boundaries.records)
    records[changed] = (limits[1:] - lines)[own] <= _LONGEST_WHOLE
    labels = hard.copy()
    labels[known] = boundaries.labels
    labels[changed] = lines[own]
    found = replace(
        boundaries,
        hard_lines=hard,
        labels=labels,
        records=records,
        tables=flags(boundaries.tables),
        terminated=flags(boundaries.terminated),
        after_blank=flags(boundaries.after_blank),
    )
    return lined.with_boundaries(found)


def add_diffs(
    lined: LinedText,
    needed: Positions,
    behind: Positions,
    bare: NDArray[np.bool_],
    follows: NDArray[np.bool_],
    items: Positions,
) -> NDArray[np.bool_]:
    """Each line of a diff needs the line that names the file and no other, that one only what stands before it.

    Args:
        lined: the text.
        needed, behind, bare, items: as in `Leads`; changed.
        follows: True for each line that says nothing without what follows, bool [n]; changed.

    Returns:
        True for each line of a diff, bool [n].
    """
    inside = np.zeros(lined.starts.size, dtype=bool)
    diffs = find_diffs(lined, lined.starts)
    for begin, name, body, end in diffs:
        inside[begin:end] = True
        above = needed[begin, 0] if needed[begin, 0] < begin else -1
        needed[begin:end] = name, -1
        needed[name] = above, -1
        items[begin : name + 1] = -1
        items[name + 1 : end] = name
        behind[begin:end] = -1
        follows[begin:end] = bare[begin:end] = False
        bare[begin:body] = True
        bare[name] = False
    hunks = inside & (lined.points[lined.starts] == ord("@"))
    bare[hunks] = follows[hunks] = True
    others = np.append(~inside, False)
    for lead in (needed, behind, items):
        lead[~inside] = np.where(others[lead[~inside]], lead[~inside], -1)
    return inside
