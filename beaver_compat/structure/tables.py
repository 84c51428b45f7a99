"""Tables: which hard lines are rows, and which line names their columns.

Rows are lines of equally many cells (``a | b``, ``a,b``, tabs), lines in columns made of spaces (`columns`), or the
``<tr>`` elements of an HTML table.  Everything here reads characters only.  Only lines that qualify are looked at one
by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import starmap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.columns import LONGEST_NAME, ROWS_SEEN, aligned_tables
from beaver_compat.text.ascending import outermost
from beaver_compat.text.boundaries import DELIMITERS
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LONGEST_LEAD = 160  # characters
_LONGEST_ROW = 640  # characters, about two pages: of a longer row of HTML cells may be kept

_RULE = re.compile(r"(?=.*[+|])[+|]?[-=]+(?:[+|][-=]+)*[+|]?")  # over, under and between rows
_SEPARATOR_ROW = re.compile(r"(?=[|:\s]*-)[|:\s-]*")
_TAG = re.compile(r"<(?P<closing>/?)(?P<name>table|thead|tbody|tfoot|tr)\b", re.I)
_CELL = re.compile(r"<t([dh])\b", re.I)
_ROW_END = re.compile(r"</tr\s*>", re.I)


class Table(NamedTuple):
    """The hard lines of a table that has a header.

    Attributes:
        header: the line that names the columns.
        rows, end: the first row and the line behind the last.  What stands between header and rows says nothing alone.
        dashed: whether that is Markdown's row of dashes, which rows need, too.
    """

    header: int
    rows: int
    end: int
    dashed: bool = False


def find_tables(lined: LinedText) -> list[Table]:
    """The tables with a header and a row at least.

    Args:
        lined: the text.
    """
    return [*_delimited(lined), *starmap(Table, aligned_tables(lined)), *_in_html(lined)]


def _delimited(lined: LinedText) -> Iterator[Table]:
    """Tables in Markdown, CSV and the like."""
    boundaries = lined.boundaries
    rules = _rules(lined)
    rows = boundaries.tables | (boundaries.records & (lined.points[lined.first] == ord("|"))) | rules
    for line in np.flatnonzero(rules[1:] & ~boundaries.after_blank[1:] & ~rules[:-1]).tolist():
        rows[line] |= "|" in lined.line(line)  # the names, over a rule
    rows = np.flatnonzero(rows)
    if rows.size < 2:
        return
    breaks = np.flatnonzero((np.diff(rows) != 1) | boundaries.after_blank[rows[1:]]) + 1
    for block in np.split(rows, breaks):
        block = block[int(rules[block[0]]) :]
        if block.size < 2:
            continue
        header, end = int(block[0]), int(block[-1]) + 1
        lines = [lined.line(row) for row in block[: 1 + ROWS_SEEN].tolist()]
        if rules[header + 1] and end > header + 2:
            yield Table(header, header + 2, end)
        elif _SEPARATOR_ROW.fullmatch(lines[1]):
            yield Table(header, header + 2, end, dashed=True)
        elif _is_header(lines[0], lines[1:]):
            yield Table(header, header + 1, end)


def _rules(lined: LinedText) -> NDArray[np.bool_]:
    """True for each hard line that is a rule of a table as databases print them, ``---+---`` or ``+---+``, bool [N]."""
    points, first = lined.points, lined.first
    found = is_any(points[first], "+-") & is_any(points[np.minimum(first + 1, points.size - 1)], "-=")
    lines = np.flatnonzero(found & (lined.ends - first <= _LONGEST_ROW))
    found[:] = False
    found[[line for line in lines.tolist() if _RULE.fullmatch(lined.text, first[line], lined.ends[line])]] = True
    return found


def _in_html(lined: LinedText) -> Iterator[Table]:
    """Tables in HTML whose rows have lines of their own."""
    header, rows, end = -1, -1, -1
    for line, closing, name in _tags(lined):
        if rows >= 0 and (name == "table" or lined.contexts[line] != lined.contexts[header]):
            yield Table(header, rows, end)
        if name == "table" or (header >= 0 and lined.contexts[line] != lined.contexts[header]):
            header, rows = -1, -1
        if closing:
            continue
        cells = {cell[1].lower() for cell in _CELL.finditer(lined.text, lined.first[line], lined.ends[line])}
        if header < 0 and cells == {"h"}:
            header = line
        elif header >= 0 and name == "tr" and "d" in cells:
            rows, end = line if rows < 0 else rows, line + 1
    if rows >= 0:
        yield Table(header, rows, end)


def html_rows(lined: LinedText) -> tuple[Positions, Positions]:
    """The short rows of HTML's tables that have several lines: the first of each and the line behind its last.

    Args:
        lined: the text.
    """
    found = []
    for line, closing, name in _tags(lined):
        if closing or name != "tr":
            continue
        reach = min(int(lined.starts[line]) + _LONGEST_ROW, lined.extents[lined.contexts[line]][1])
        if closed := _ROW_END.search(lined.text, lined.first[line], reach):
            last = int(lined.starts.searchsorted(closed.end(), side="left")) - 1
            if last > line and closed.end() == lined.ends[last]:
                found.append((line, last + 1))
    begins, ends = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return outermost(begins, ends)


@once
def _tags(lined: LinedText) -> list[tuple[int, bool, str]]:
    """The lines that begin with a tag of a table, whether it is a closing one, and its name in small letters."""
    text, points, first, ends = lined.text, lined.points, lined.first, lined.ends
    second = points[np.minimum(first + 1, points.size - 1)]
    likely = np.flatnonzero((points[first] == ord("<")) & is_any(second, "tT/")).tolist()
    found = ((line, _TAG.match(text, first[line], ends[line])) for line in likely)
    return [(line, bool(tag["closing"]), tag["name"].lower()) for line, tag in found if tag]


def add_tables(
    lined: LinedText, needed: Positions, bare: NDArray[np.bool_], follows: NDArray[np.bool_], items: Positions
) -> None:
    """Each row of a table needs the header and, in Markdown, the row of dashes under it; these need a row.

    A short line with a colon at its end right above the header names the table.

    Args:
        lined: the text.
        needed, bare: as in `Leads`; changed.
        follows: True for each line that says nothing without what follows, bool [n]; changed.
        items: as in `Leads`: rows are items of their header; changed.
    """
    for line, closing, _ in _tags(lined):
        if lined.text.find("<", lined.first[line] + 1, lined.ends[line]) < 0:  # there is nothing else on it
            bare[line], follows[line] = True, not closing
    above = np.append(0, np.arange(lined.starts.size - 1))
    leads = is_any(lined.points[lined.ends[above] - 1], ":\uff1a") & ~lined.boundaries.records[above]
    leads &= ((lined.ends - lined.first)[above] <= _LONGEST_LEAD) & (lined.regions[above] == lined.regions)
    for header, rows, end, dashed in find_tables(lined):
        follows[header:rows] = bare[header:rows] = end > rows
        needed[header + 1 : rows, 0] = header
        needed[rows:end] = header, header + 1 if dashed else -1
        items[rows:end] = header
        if leads[header]:
            items[header] = header - 1


def _is_header(line: str, rows: list[str]) -> bool:
    """Whether a table's first line names its columns: short names, no numbers, and numbers in most rows behind it.

    >>> _is_header("id,name", ["1,Ann"]), _is_header("1,Ann", ["2,Bo"]), _is_header("Ann,Bo", ["Cy,Di"])
    (True, False, False)
    """
    line, *rows = (_without_quoted(row) for row in (line, *rows))
    delimiter = max(DELIMITERS, key=line.count)

    def cells(row: str) -> list[str]:
        return [cell.strip(" \"'|") for cell in row.split(delimiter)]

    names = cells(line)
    named = [len(name) <= LONGEST_NAME and (name[0].isalpha() or name[0] in "_#") for name in names if name]
    if not named or not all(named):
        return False
    numbers = [any(cell.lstrip("+-$€£")[:1].isdigit() for cell in cells(row)) for row in rows]
    return len(set(names)) == len(names) and line[-1] not in ".?!" and 2 * sum(numbers) >= len(rows)


def _without_quoted(row: str) -> str:
    """A row with its quoted delimiters as spaces.

    >>> _without_quoted('7,"Ann, Bo",x')
    '7,"Ann  Bo",x'
    """
    pieces = row.split('"')
    if len(pieces) % 2:
        pieces[1::2] = [re.sub(f"[{DELIMITERS}]", " ", piece) for piece in pieces[1::2]]
    return '"'.join(pieces)
