"""Periods that end no sentence in any language: ``approx. 45``, ``inkl. MwSt.``, ``z. B. Hamster``, ``la Sra. Gil``.

pysbd knows the abbreviations of one language each, and asks for capitals that these do not have. What is a word in
another language is an abbreviation only before a number, or between a small word and a name, or in a text whose
language is told.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import DIGIT, NEWLINE, SPACE, UPPER, WORD, Characters, is_any
from beaver_compat.text.languages import bits, frequent, languages_at
from beaver_compat.text.ordinals import ordinal
from beaver_compat.text.word_tables import INSIDE, WordTable

Positions = NDArray[np.int64]

_NEVER, _BEFORE_NUMBERS, _TITLE = 1, 2, 3  # all but the first may end a sentence, too
_KIND_BITS = 2
_LISTS = [  # the languages that one counts in, all where none is named; in small letters it may have a capital, too
    (_NEVER, "", "approx appr aprox ca incl inkl excl exkl zzgl bzw ggf vgl cf tzw tj bijv"),
    (_NEVER, "", "dr prof dhr mevr dott avv dipl Ing lgs św ดร"),
    (_BEFORE_NUMBERS, "", "max min avg est abs art nr máx mín núm tel réf ref blz godz env abb abt pag pág č"),
    (_BEFORE_NUMBERS, "", "jan feb apr aug sep sept oct okt nov dec dez"),
    (_BEFORE_NUMBERS, "it es pt fi", "n"),
    (_TITLE, "", "Sr Sra Srta Sres Dra dña Profa Exmo Exma Ilmo Ilma Hr Fr Fa Fam mw Av avda ing ul Mio Mrd"),
    (_TITLE, "es pt fr", "av"),
    (_TITLE, "es pt", "sr sra srta dra"),
    (_TITLE, "it", "sig on"),
    (_TITLE, "nl", "fam"),
    (_TITLE, "pl", "np"),
]
_ABBREVIATIONS = WordTable(
    {
        word: kind + (bits(*languages.split()) << _KIND_BITS)
        for kind, languages, words in _LISTS
        for word in words.split()
    }
    | {"str": _BEFORE_NUMBERS + INSIDE},  # of streets
    backwards=True,
)
_AMOUNT_SIGNS = "$€£¥₹±~≈<>(§+"
_LONGEST_CODE = 8  # characters of a word with a capital in which a digit stands: "BJ-604"
_LONGEST_NAME = 32  # characters of a title and the word before it
_DASHES = "-–"
_OPENING = bits("en", "de")  # sentences that begin behind a title: "bis Fr. Am Samstag", "212 Mio. Der"


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
    doubled = (points[before] == points[np.maximum(before - 1, 0)]) & (initials == behind) & _upper(classes, before)
    doubled &= (points[np.minimum(starts + 2, points.size - 1)] == ord(".")) & _upper(classes, starts)
    found[period] = (_single(classes, before) & (follows | chained)) | doubled | ordinal(characters, ends, starts)
    abbreviated = _ABBREVIATIONS.at(characters, ends - 1)
    known = np.flatnonzero(abbreviated)
    if known.size:
        found[period[known]] |= _known(characters, ends[known], starts[known], abbreviated[known])
    return found


def _known(
    characters: Characters, ends: Positions, starts: Positions, abbreviated: NDArray[np.uint32]
) -> NDArray[np.bool_]:
    """True for each period behind an abbreviation, as `_ABBREVIATIONS` has it, that ends no sentence."""
    points, classes = characters.points, characters.classes
    kinds, languages = abbreviated & ((1 << _KIND_BITS) - 1), abbreviated >> _KIND_BITS
    reach = np.arange(_LONGEST_CODE)
    behind = classes.take(starts[:, None] + reach, mode="clip")
    word = np.logical_and.accumulate((behind & (SPACE | NEWLINE)) == 0, axis=1)
    number = is_any(points[starts], _AMOUNT_SIGNS) | ((classes[starts] & DIGIT) != 0)
    number |= _upper(classes, starts) & (word & ((behind & DIGIT) != 0)).any(axis=1)
    named = _upper(classes, starts) & ((frequent(characters, starts) & _OPENING) == 0) & ~_behind_name(characters, ends)
    found = (kinds == _NEVER) | ((kinds == _BEFORE_NUMBERS) & number) | ((kinds == _TITLE) & named)
    bound = np.flatnonzero(found & (languages != 0))
    if bound.size:
        found[bound] = (languages_at(characters, starts[bound]) & languages[bound]) != 0
    return found


def _behind_name(characters: Characters, ends: Positions) -> NDArray[np.bool_]:
    """True where the word before a period stands behind a hyphen or a name: ``Martin King Sr.``, ``Mo.-Fr.``."""
    before = ends[:, None] - 2 - np.arange(_LONGEST_NAME)
    kinds = np.where(before >= 0, characters.classes.take(before, mode="clip"), NEWLINE)
    rows = np.arange(ends.size)
    letters = np.logical_and.accumulate((kinds & WORD) != 0, axis=1).sum(axis=1)
    gap = np.minimum(letters, _LONGEST_NAME - 1)
    name = np.logical_and.accumulate(((kinds & WORD) != 0) | (np.arange(_LONGEST_NAME) <= gap[:, None]), axis=1)
    first = name.sum(axis=1) - 1  # of the word before
    named = ((kinds[rows, gap] & SPACE) != 0) & (first > gap) & ((kinds[rows, first] & UPPER) != 0)
    named &= frequent(characters, before[rows, first]) == 0
    return named | is_any(characters.points.take(before[rows, gap], mode="clip"), _DASHES)


def _upper(classes: NDArray[np.uint16], places: Positions) -> NDArray[np.bool_]:
    return (classes[places] & UPPER) != 0


def _single(classes: NDArray[np.uint16], places: Positions) -> NDArray[np.bool_]:
    """True where a letter is a word of its own; what stands behind it is no letter."""
    return ((classes[places] & WORD) != 0) & ((places <= 0) | ((classes[places - 1] & WORD) == 0))
