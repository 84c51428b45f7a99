"""What lines begin with besides text: the signs of comments and quoted mail, and the marks of a list's items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among
from beaver_compat.text.characters import is_any, is_digit

Positions = NDArray[np.int64]

_COMMENT_SIGNS = ("#", "##", "#:", "//", "///", "//!", "--", ";", ";;", ";;;", "%", "%%", "!", "!!", ">", ">>")
_SIGN_INITIALS = "#/-;%!>*"
_COMMENT_OPENINGS = ("/*", "/**", "/*!")
_SIGN_BITS = 21  # of a packed character
_LONGEST_SIGN = 3
_BULLETS = "-*+•–—·▪‣◦●○■□➢✓"
_TAG_SIGNS = "@:\\"  # of a parameter in a comment: @param x, :param x:, \param x
_MARKUP_ENDS = "}`,.;"  # \code{x} is no tag, nor is :meth:`x`
_LONGEST_NUMBER = 7  # characters of an item's number or letter, with its period or bracket
_NUMBER_ENDS = ".)]"
_NUMBER_OPENERS = "(["
_ROMAN = "ivxIVX"
_NUMBER_INITIALS = "0123456789" + _NUMBER_OPENERS + _ROMAN


def _packed(sign: str) -> int:
    return sum(ord(character) << (_SIGN_BITS * place) for place, character in enumerate(sign))


_STAR = _packed("*")
_OPENINGS = np.array(sorted(map(_packed, _COMMENT_OPENINGS)), dtype=np.int64)
_SIGNS = np.array(sorted([*map(_packed, _COMMENT_SIGNS), _STAR, *_OPENINGS.tolist()]), dtype=np.int64)


def line_leaders(
    points: NDArray[np.uint32],
    initials: NDArray[np.uint32],
    starts: Positions,
    ends: Positions,
    adjacent: NDArray[np.bool_],
) -> Positions:
    """A number for the comment sign that each line begins with, 0 where it begins with none, int64 [N].

    A star is one only below a line with ``/*``, which counts as a star then; else it is a list's.

    Args:
        points: of the text, uint32 [n].
        initials: the first character of each line that is not blank, uint32 [N].
        starts, ends: of each line's first word, int64 [N].
        adjacent: True for each line that has no blank line before it, bool [N].
    """
    found = np.zeros(starts.size, dtype=np.int64)
    likely = np.flatnonzero((ends - starts <= _LONGEST_SIGN) & is_any(initials, _SIGN_INITIALS))
    if not likely.size:
        return found
    begin, length = starts[likely], (ends - starts)[likely]
    packed = points[begin].astype(np.int64)
    for place in range(1, _LONGEST_SIGN):
        sign = points[np.minimum(begin + place, points.size - 1)].astype(np.int64)
        packed |= np.where(length > place, sign << (_SIGN_BITS * place), 0)
    known = among(packed, _SIGNS)
    found[likely[known]] = packed[known]
    star, opening = found == _STAR, among(found, _OPENINGS)
    if star.any() or opening.any():
        first = star.copy()  # of each run of stars
        first[1:] &= ~(star[:-1] & adjacent[1:])
        below = first & adjacent
        below[1:] &= opening[:-1]
        run = np.maximum.accumulate(np.where(first, np.arange(star.size), 0))
        found[(star & ~below[run]) | opening] = 0
        found[np.flatnonzero(below) - 1] = _STAR
    return found


def item_markers(
    points: NDArray[np.uint32], initials: NDArray[np.uint32], starts: Positions, ends: Positions
) -> NDArray[np.bool_]:
    """True for each line whose first word is the mark of an item: a bullet, a number, a letter, a parameter's tag.

    A letter with a period is one only if the letter before or behind it in the alphabet is the next such mark on
    either side: ``J. Hall`` is a name.

    Args:
        points: of the text, uint32 [n].
        initials: the first character of each line behind a comment sign, uint32 [N].
        starts, ends: of each line's first word there, int64 [N].
    """
    length = ends - starts
    marks = (length == 1) & is_any(initials, _BULLETS)
    tagged = (length >= _LONGEST_SIGN) & is_any(initials, _TAG_SIGNS)
    marks |= tagged & ~is_any(points[ends - 1], _MARKUP_ENDS)
    likely = np.flatnonzero((length > 1) & (length <= np.where(is_any(initials, _NUMBER_INITIALS), _LONGEST_NUMBER, 2)))
    likely = likely[is_any(points[ends[likely] - 1], _NUMBER_ENDS)]
    if not likely.size:
        return marks
    begins, last = starts[likely], ends[likely] - 1  # without the bracket or period
    begins += is_any(initials[likely], _NUMBER_OPENERS)
    number, roman, digit = last > begins, last > begins, np.zeros(likely.size, dtype=bool)
    for step in range(int((last - begins).max())):
        inside = begins + step < last
        sign = points[np.minimum(begins + step, points.size - 1)]
        digit |= inside & is_digit(sign)
        number &= ~inside | is_digit(sign) | (sign == ord("."))
        roman &= ~inside | is_any(sign, _ROMAN)
    letter = (last - begins == 1) & _is_letter(points[begins])
    unsure = letter & (points[last] == ord("."))
    marks[likely[(number & digit) | ((letter | roman) & ~unsure)]] = True
    marks[likely[unsure]] = _in_order(points[begins[unsure]].astype(np.int64))
    return marks


def _is_letter(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    small = points | 32
    return (small >= ord("a")) & (small <= ord("z"))


def _in_order(letters: Positions) -> NDArray[np.bool_]:
    """True for each letter whose neighbour in the alphabet stands next to it, in its order.

    >>> _in_order(np.array([ord(letter) for letter in "JabS"])).tolist()
    [False, True, True, False]
    """
    steps = letters[1:] - letters[:-1] == 1
    found = np.zeros(letters.size, dtype=bool)
    found[1:] = steps
    found[:-1] |= steps
    return found
