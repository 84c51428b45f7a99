"""Periods that end no sentence in any language: ``approx. 45``, ``inkl. MwSt.``, ``z. B. Hamster``.

pysbd knows the abbreviations of one language each, and asks for capitals that these do not have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import DIGIT, NEWLINE, SPACE, UPPER, WORD, Characters, is_any, is_digit
from beaver_compat.text.languages import LANGUAGES, languages_at, opens
from beaver_compat.text.word_tables import WordTable

Positions = NDArray[np.int64]

_NEVER, _BEFORE_NUMBERS = 1, 2  # the latter may end a sentence, too
_KINDS = {
    _NEVER: "approx appr aprox ca incl inkl excl exkl zzgl bzw ggf vgl cf",
    _BEFORE_NUMBERS: "max min avg est abs art nr máx mín núm",
}
_ABBREVIATIONS = WordTable({word: kind for kind, words in _KINDS.items() for word in words.split()}, backwards=True)
_AMOUNT_SIGNS = "$€£¥₹±~≈<>(§"
_BLANK = SPACE | NEWLINE
_DASHES = "-–/"
_ROMAN_SIGNS, _LONGEST_ROMAN = "IVX", 6
_MONTHS = WordTable(
    dict.fromkeys(("Januar", "Jänner", "Februar", "März", "Mai", "Juni", "Juli", "Oktober", "Dezember"), 1)
)
# Those that write an ordinal as a number and a period, before words with a capital, too.
_ORDINAL = np.array([language in ("de", "da", "cs", "fi", "hu", "tr") for language in (*LANGUAGES, "")])


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
    ends, starts = ends[period], starts[period]
    before = ends - 2
    behind = points[np.minimum(starts + 1, points.size - 1)]
    follows = (behind == ord(".")) & ((classes[starts] & UPPER) != 0)
    chained = (before > 2) & (points[np.maximum(before - 2, 0)] == ord(".")) & _single(classes, before - 3)
    initials = points[starts]
    amount = is_digit(initials) | is_any(initials, _AMOUNT_SIGNS)
    kinds = _ABBREVIATIONS.at(characters, ends - 1)
    found[period] = _single(classes, before) & (follows | chained)
    found[period] |= (kinds == _NEVER) | ((kinds == _BEFORE_NUMBERS) & amount)
    found[period] |= _ordinal(characters, ends, starts)
    return found


def _single(classes: NDArray[np.uint16], places: Positions) -> NDArray[np.bool_]:
    """True where a letter is a word of its own; what stands behind it is no letter."""
    return ((classes[places] & WORD) != 0) & ((places <= 0) | ((classes[places - 1] & WORD) == 0))


def _ordinal(characters: Characters, ends: Positions, starts: Positions) -> NDArray[np.bool_]:
    """True where the period makes a number an ordinal, in a text of a language that writes them so: ``am 3. Oktober``.

    That is a number of one or two digits, or a Roman one, before a word with a capital that sentences don't begin
    with, or in a date of numbers, as in ``3. 10. 2024``.
    """
    points, classes = characters.points, characters.classes
    found = np.zeros(ends.size, dtype=bool)
    likely = np.flatnonzero(((classes[ends - 2] & DIGIT) != 0) | is_any(points[ends - 2], _ROMAN_SIGNS))
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
        languages = languages_at(characters, starts)
        found[likely] = _ORDINAL[languages] & ~opens(characters, starts, languages)
        found[likely] |= _MONTHS.at(characters, starts) != 0
    return found
