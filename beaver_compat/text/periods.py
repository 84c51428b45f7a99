"""Periods that end no sentence in any language: ``approx. 45``, ``inkl. MwSt.``, ``z. B. Hamster``.

pysbd knows the abbreviations of one language each, and asks for capitals that these do not have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import UPPER, WORD, Characters, is_any, is_digit

Positions = NDArray[np.int64]

_NEVER = ["approx", "appr", "aprox", "ca", "incl", "inkl", "excl", "exkl", "zzgl", "bzw", "ggf", "vgl", "cf"]
_BEFORE_NUMBERS = ["max", "min", "avg", "est", "abs", "art", "nr", "máx", "mín", "núm"]  # these may end a sentence, too
_LAST, _LAST_BUT_ONE = ("".join(sorted({word[-place] for word in _NEVER + _BEFORE_NUMBERS})) for place in (1, 2))
_LAST_BUT_ONE += _LAST_BUT_ONE.upper()  # of two letters the first is the initial
_AMOUNT_SIGNS = "$€£¥₹±~≈<>(§"


def abbreviating(characters: Characters, ends: Positions, starts: Positions) -> NDArray[np.bool_]:
    """True for each place between a period and the next word that is none between sentences, bool [k].

    Args:
        characters: of the text.
        ends: the character behind each period, int64 [k].
        starts: where the next word begins, int64 [k].
    """
    points, classes = characters.points, characters.classes
    found = np.zeros(ends.size, dtype=bool)
    period = np.flatnonzero((ends > 1) & (points[ends - 1] == ord(".")))
    before = ends[period] - 2
    behind = points[np.minimum(starts[period] + 1, points.size - 1)]
    follows = (behind == ord(".")) & ((classes[starts[period]] & UPPER) != 0)
    chained = (before > 2) & (points[np.maximum(before - 2, 0)] == ord(".")) & _single(classes, before - 3)
    found[period] = _single(classes, before) & (follows | chained)
    initials = points[starts[period]]
    amount = is_digit(initials) | is_any(initials, _AMOUNT_SIGNS)
    likely = is_any(points[before], _LAST) & is_any(points[np.maximum(before - 1, 0)], _LAST_BUT_ONE)
    for words, asked in ((_NEVER, likely), (_BEFORE_NUMBERS, likely & amount)):
        places = period[asked]
        for word in words if places.size else []:
            found[places[_ends_with(characters, ends[places] - 1, word)]] = True
    return found


def _single(classes: NDArray[np.uint16], places: Positions) -> NDArray[np.bool_]:
    """True where a letter is a word of its own; what stands behind it is no letter."""
    return ((classes[places] & WORD) != 0) & ((places <= 0) | ((classes[places - 1] & WORD) == 0))


def _ends_with(characters: Characters, ends: Positions, word: str) -> NDArray[np.bool_]:
    """True where a word, its initial in either case, stands right before a place."""
    start = ends - len(word)
    found = (start >= 0) & ((start < 1) | ((characters.classes[start - 1] & WORD) == 0))
    for index, sign in enumerate(word):
        signs = characters.points[np.maximum(start + index, 0)]
        found &= is_any(signs, sign + sign.upper()) if index == 0 else signs == ord(sign)
        if not found.any():
            break
    return found
