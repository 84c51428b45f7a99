"""Periods that make a number an ordinal: ``am 3. Oktober``, ``Friedrich II. Herzog von Baden``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import DIGIT, NEWLINE, SPACE, UPPER, Characters, is_any
from beaver_compat.text.languages import bits, frequent, languages_at
from beaver_compat.text.word_tables import WordTable

Positions = NDArray[np.int64]

_BLANK = SPACE | NEWLINE
_DASHES = "-–/"
_ROMAN_SIGNS, _LONGEST_ROMAN = "IVX", 6
_MONTHS = WordTable(
    dict.fromkeys(("Januar", "Jänner", "Februar", "März", "Mai", "Juni", "Juli", "Oktober", "Dezember"), 1)
)
_WRITE_ORDINALS = bits("de", "da", "cs", "fi", "hu", "tr")
_ENGLISH = bits("en")  # whose sentences may stand in a text of any other language


def ordinal(characters: Characters, ends: Positions, starts: Positions) -> NDArray[np.bool_]:
    """True where a period makes a number an ordinal, in a text of a language that writes them so, bool [k].

    That is a number of one or two digits, or a Roman one, before a word with a capital that sentences don't begin
    with, or in a date of numbers, as in ``3. 10. 2024``.

    Args:
        characters: of the text.
        ends: the character behind each period, int64 [k], none below 2.
        starts: where the next word begins, int64 [k].
    """
    points, classes = characters.points, characters.classes
    found = np.zeros(ends.size, dtype=bool)
    likely = np.flatnonzero(((classes[ends - 2] & DIGIT) != 0) | is_any(points[ends - 2], _ROMAN_SIGNS))
    if not likely.size:
        return found
    last, starts = ends[likely] - 2, starts[likely]
    digits = (classes[last] & DIGIT) != 0
    lengths = digits.astype(np.int64) + (digits & (last > 0) & ((classes[last - 1] & DIGIT) != 0))
    roman = ~digits
    for back in range(_LONGEST_ROMAN):
        roman &= (last >= back) & is_any(points[np.maximum(last - back, 0)], _ROMAN_SIGNS)
        lengths = lengths + roman
    first = last + 1 - lengths
    previous = points[np.maximum(first - 1, 0)]
    # Of "tel. 03 71." the last is no ordinal; of "16.-18. Mai" it is.
    apart = (first == 0) | ((classes[first - 1] & _BLANK) != 0) & ((classes[np.maximum(first - 2, 0)] & DIGIT) == 0)
    apart |= (previous == ord("(")) | (is_any(previous, _DASHES) & (points[np.maximum(first - 2, 0)] == ord(".")))
    behind = starts + 1 + ((classes[np.minimum(starts + 1, points.size - 1)] & DIGIT) != 0)
    dated = points[np.minimum(behind, points.size - 1)] == ord(".")
    dated |= (points[np.maximum(first - 2, 0)] == ord(".")) & ((classes[np.maximum(first - 3, 0)] & DIGIT) != 0)
    dated &= (classes[starts] & DIGIT) != 0
    asked = (digits | (lengths > 1)) & apart & (((classes[starts] & UPPER) != 0) | dated)
    likely, starts = likely[asked], starts[asked]
    if likely.size:
        language = languages_at(characters, starts)
        opening = (frequent(characters, starts) & (language | _ENGLISH)) != 0
        found[likely] = ((language & _WRITE_ORDINALS) != 0) & ~opening
        found[likely] |= _MONTHS.at(characters, starts) != 0
    return found
