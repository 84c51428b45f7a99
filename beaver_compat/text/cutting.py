"""Where a text may be cut without splitting a word or a character, and how good each place is.

It knows characters only, and looks at a short stretch at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import (
    CLAUSE_END,
    DIGIT,
    JOINED,
    NEWLINE,
    SPACE,
    WIDE,
    WORD,
    ZERO_WIDTH_JOINER,
    Characters,
    is_any,
)

Positions = NDArray[np.int64]

SPLITS_CHARACTER, SPLITS_WORD, BETWEEN_SIGNS, AFTER_WORD, AFTER_CLAUSE, AFTER_LINE = range(-1, 5)
"""How good a place is: levels of `cut_levels`, worst first."""

LONGEST_WORD = 64  # characters without white space; what is longer may be cut between signs, or anywhere
_BLANK = SPACE | NEWLINE
_HAN_NUMERALS = "零〇一二三四五六七八九十百千万亿兆两兩萬億"
_HAN_UNITS = "年月日天岁歲元円圆圓块塊角分秒时時点點人个個名位次倍度米克吨噸里"


def cut_levels(characters: Characters, start: int, end: int) -> NDArray[np.int8]:
    """The level of every place from ``start`` to ``end``, both included, int8 [end - start + 1].

    Args:
        characters: of the whole text.
        start, end: characters; a place p lies between the characters p - 1 and p.
    """
    around = np.arange(start - 2, end + 2)
    kinds, signs = characters.classes.take(around, mode="clip"), characters.points.take(around, mode="clip")
    last, previous, following, next_one = kinds[:-3], kinds[1:-2], kinds[2:-1], kinds[3:]
    left, right = signs[1:-2], signs[2:-1]
    levels = np.full(previous.size, BETWEEN_SIGNS, dtype=np.int8)
    levels[(previous & following & WORD) != 0] = SPLITS_WORD
    levels[is_any(left, _HAN_NUMERALS) & is_any(right, _HAN_NUMERALS + _HAN_UNITS)] = SPLITS_WORD
    levels[((previous | following) & _BLANK) != 0] = AFTER_WORD
    before, behind = np.where(previous & SPACE, last, previous), np.where(previous & SPACE, following, next_one)
    measured = ((before & DIGIT) != 0) & ((behind & (WORD | DIGIT)) == WORD)  # a number and what it counts
    measured |= ((before & (WORD | DIGIT)) == WORD) & ((behind & DIGIT) != 0)  # ``prior to 2007``
    levels[measured & (((previous | following) & SPACE) != 0)] = SPLITS_WORD
    last = np.where(previous & _BLANK, last, previous)  # before one space, if any
    levels[(levels == AFTER_WORD) & ((last & CLAUSE_END) != 0)] = AFTER_CLAUSE
    levels[(previous & NEWLINE) != 0] = AFTER_LINE
    joined = ((following & JOINED) != 0) | (left == ZERO_WIDTH_JOINER)
    joined |= (left == ord("\r")) & (right == ord("\n"))
    levels[joined] = SPLITS_CHARACTER
    if start <= 0:
        levels[0] = AFTER_LINE
    if end >= characters.size:
        levels[-1] = AFTER_LINE
    return levels


def move_out(characters: Characters, place: int, step: int) -> int:
    """``place``, or the next one in a direction (``step`` -1 or 1) that splits no word, within `LONGEST_WORD`.

    Where there is none, the next one that splits no letters, else no character.
    """
    if step < 0:
        levels = cut_levels(characters, max(place - LONGEST_WORD, 0), place)[::-1]
    else:
        levels = cut_levels(characters, place, min(place + LONGEST_WORD, characters.size))
    for least in (AFTER_WORD, BETWEEN_SIGNS, SPLITS_WORD):
        good = levels >= least
        if good.any():
            return place + step * int(good.argmax())
    return place


def cut_places(characters: Characters, start: int, end: int) -> tuple[Positions, NDArray[np.int8]]:
    """Where the stretch from ``start`` to ``end`` may be cut if it does not fit, and the level of each place.

    After words everywhere; between signs in scripts without spaces and in words longer than `LONGEST_WORD`; between
    letters only in longer runs of letters.
    """
    classes = characters.classes
    levels = cut_levels(characters, start, end)
    place = np.arange(start, end + 1)
    wide = (classes[np.maximum(place - 1, 0)] & classes[np.minimum(place, classes.size - 1)] & WIDE) != 0
    allowed = (levels >= AFTER_WORD) | ((levels == BETWEEN_SIGNS) & (wide | _far(levels >= AFTER_WORD)))
    allowed |= (levels == SPLITS_WORD) & _far(levels >= BETWEEN_SIGNS)
    allowed[0] = allowed[-1] = False
    return place[allowed], levels[allowed]


def _far(places: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True for each place in a gap between ``places`` that is longer than `LONGEST_WORD`."""
    index = np.arange(places.size)
    before = np.maximum.accumulate(np.where(places, index, 0))
    after = np.minimum.accumulate(np.where(places, index, places.size)[::-1])[::-1]
    return after - before > LONGEST_WORD
