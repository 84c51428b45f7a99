"""Which of some words stands right before or behind a place of a text, for many places at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import WORD, Characters

INSIDE = 1 << 31
"""Added to a value: the word may be the end of a longer one."""


class WordTable:
    """Some words, each with a value, as a table that is read letter by letter.

    Args:
        values: for each word a value above 0 and below `INSIDE`, or that with `INSIDE`; words in small letters stand
            for those with a capital, too.
        backwards: whether it is read from the words' ends, for words before places.

    >>> table = WordTable({"max": 1, "Mio": 2}, backwards=True)
    >>> table.at(Characters("Max. 3 Mio. mio. xmax."), np.array([3, 10, 15, 21])).tolist()
    [1, 2, 0, 0]
    """

    def __init__(self, values: Mapping[str, int], backwards: bool = False) -> None:
        forms = {word[:1].upper() + word[1:]: value for word, value in values.items()} | dict(values)
        self._step = -1 if backwards else 1
        self._longest = max(map(len, forms))
        signs = sorted({ord(sign) for form in forms for sign in form})
        self._columns = np.zeros(signs[-1] + 2, dtype=np.uint16)  # 0 is any other sign, and all that are larger
        self._columns[signs] = np.arange(1, len(signs) + 1)
        rows: list[dict[int, int]] = [{}, {}]  # no word, nothing read yet
        found = [0, 0]
        for form, value in forms.items():
            row = 1
            for sign in form[:: self._step]:
                column = int(self._columns[ord(sign)])
                if column not in rows[row]:
                    rows[row][column] = len(rows)
                    rows.append({})
                    found.append(0)
                row = rows[row][column]
            found[row] = value
        self._rows = np.zeros((len(rows), len(signs) + 1), dtype=np.uint16)
        for row, following in enumerate(rows):
            self._rows[row, list(following)] = list(following.values())
        self._values = np.array(found, dtype=np.uint32)

    def at(self, characters: Characters, places: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The value of the whole word at each place, 0 where there is none, uint32 [k]."""
        points, classes = characters.points, characters.classes
        found = np.zeros(places.size, dtype=np.uint32)
        left = np.arange(places.size)  # of the places those where a word may go on
        at = places if self._step > 0 else places - 1
        rows: NDArray[np.uint16] = np.ones(places.size, dtype=np.uint16)
        for _ in range(self._longest):
            rows = self._rows[rows, self._columns.take(points.take(at, mode="clip"), mode="clip")]
            alive = (rows != 0) & (at >= 0) & (at < characters.size)
            left, at, rows = left[alive], at[alive] + self._step, rows[alive]
            if not left.size:
                break
            values = self._values[rows]
            goes_on = (at >= 0) & (at < characters.size) & ((classes.take(at, mode="clip") & WORD) != 0)
            ended = (values != 0) & (~goes_on | (values >= INSIDE))
            found[left[ended]] = values[ended] & ~np.uint32(INSIDE)
        return found
