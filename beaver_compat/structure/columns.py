"""Tables whose columns are made of spaces, as command lines, invoices and reports print them.

Two spaces or more stand between the columns; a row's cells begin or end where the names of the columns do.  Everything
here reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import rises
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LONGEST_LINE = 640  # characters
LONGEST_NAME = 40  # characters of a column's name
ROWS_SEEN = 8  # of a table, to tell whether its first line is a header
_LEAST = 3, 2  # columns and rows, where the names are not in capitals
_ALIGNED = 0.75  # of a row's cells begin or end where the name of a column does
_CELL = re.compile(r"(\S+)(?: \S+)*")
_WORD = re.compile(r"\S+")
_DASHES = re.compile(r"[-=]{2,}(?: +[-=]{2,})+")
_SIGNS = "%#_"  # that a name may begin with
_NO_NAME_ENDS = ".?!,;:="


@once
def aligned_tables(lined: LinedText) -> list[tuple[int, int, int]]:
    """The tables with a header: the hard line of that, the first row, and the line behind the last.

    Args:
        lined: the text.
    """
    if "  " not in lined.text:
        return []
    gapped = _gapped(lined)
    if gapped.sum() < 2:
        return []
    contexts, short = lined.contexts, lined.ends - lined.starts <= _LONGEST_LINE
    near = ~lined.boundaries.after_blank & (rises(contexts, -1) == 0)  # the line right above
    first = gapped & short
    first[1:] &= ~(gapped[:-1] & near[1:])
    likely = gapped & near & short
    found = []
    for header in np.flatnonzero(first[:-1] & likely[1:]).tolist():
        names = _Names.of(lined, header)
        rows = header + 1 + bool(_DASHES.fullmatch(lined.text, lined.first[header + 1], lined.ends[header + 1]))
        end = rows
        while names and end < near.size and near[end] and short[end] and names.stand_over(lined, end):
            end += 1
        if names and end > rows and (rows > header + 1 or names.differ(lined, range(rows, end))):
            found.append((header, rows, end))
    return found


class _Names(NamedTuple):
    """The names of a table's columns.

    Attributes:
        cells: the names.
        starts, ends: the columns in which their words begin and end.
    """

    cells: list[str]
    starts: set[int]
    ends: set[int]

    @classmethod
    def of(cls, lined: LinedText, line: int) -> _Names | None:
        """What a line names, if it may name columns: short names, each another, without numbers."""
        cells = [cell[0] for cell in _cells(lined, line)]
        if len({*cells}) < len(cells) or not all(map(_is_name, cells)):
            return None
        words = [*_WORD.finditer(lined.text, lined.first[line], lined.ends[line])]
        start = int(lined.starts[line])
        return cls(cells, {word.start() - start for word in words}, {word.end() - start for word in words})

    def stand_over(self, lined: LinedText, line: int) -> bool:
        """Whether the cells of a line begin or end where the names do; one alone goes on with one of the row above."""
        start = int(lined.starts[line])
        cells = [(cell.start() - start, cell.end(1) - start, cell.end() - start) for cell in _cells(lined, line)]
        least = min(self.starts)
        if len(cells) == 1:
            return cells[0][0] > least and cells[0][0] in self.starts
        aligned = [
            begin in self.starts or end in self.ends or word in self.ends or end < least for begin, word, end in cells
        ]
        return sum(aligned) >= max(_ALIGNED * len(cells), 2)

    def differ(self, lined: LinedText, rows: range) -> bool:
        """Whether the names are no row themselves: alone in capitals, or most rows hold a number."""
        lines = [lined.line(row) for row in rows[:ROWS_SEEN]]
        if all(cell.isupper() for cell in self.cells) and not all(line.isupper() for line in lines):
            return True
        numbers = [any(cell[1][:1].isdigit() for cell in _cells(lined, row)) for row in rows[:ROWS_SEEN]]
        enough = len(self.cells) >= _LEAST[0] and len(numbers) >= _LEAST[1]
        return enough and 2 * sum(numbers) >= len(numbers)


def aligned_rows(lined: LinedText) -> NDArray[np.bool_]:
    """True for each hard line that is a row of a table with a header, bool [N].

    Args:
        lined: the text.
    """
    found = np.zeros(lined.starts.size, dtype=bool)
    for _, rows, end in aligned_tables(lined):
        found[rows:end] = True
    return found


def _gapped(lined: LinedText) -> NDArray[np.bool_]:
    """True for each hard line that is one line and has two spaces or more between some words, bool [N]."""
    boundaries, points = lined.boundaries, lined.points
    lines, words, ends = boundaries.lines, boundaries.words, boundaries.word_ends
    gaps = np.flatnonzero(words[1:] - ends[:-1] > 1)
    gaps = gaps[(points[ends[gaps]] == ord(" ")) & (points[words[gaps + 1] - 1] == ord(" "))]
    gaps = gaps[lines.searchsorted(ends[gaps]) == lines.searchsorted(words[gaps + 1], side="right")]
    found = np.zeros(lined.starts.size, dtype=bool)
    found[lined.starts.searchsorted(ends[gaps]) - 1] = True
    return found & (lines.searchsorted(lined.ends) - lines.searchsorted(lined.starts) == 1)


def _cells(lined: LinedText, line: int) -> Iterator[re.Match[str]]:
    return _CELL.finditer(lined.text, lined.first[line], lined.ends[line])


def _is_name(cell: str) -> bool:
    return len(cell) <= LONGEST_NAME and (cell[0].isalpha() or cell[0] in _SIGNS) and cell[-1] not in _NO_NAME_ENDS
