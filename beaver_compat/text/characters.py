"""A text as an array of code points, and what kind of character each one is.  It does not know of tokens or pages."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import nexts, rises

SPACE = 1  # white space that is no line end
NEWLINE = 2
TERMINATOR = 4  # may end a sentence
CLOSER = 8  # quotes and brackets that may follow a terminator
WORD = 16  # letters, digits and marks of scripts that put spaces between words
JOINED = 32  # never stands first: combining marks, variation selectors, emoji modifiers, a flag's second half
WIDE = 64  # letters of scripts without spaces between words: Han, kana, Thai, Khmer ...
UPPER = 128
LOWER = 256
CLAUSE_END = 512
DIGIT = 1024
OTHER = 2048  # none of these

_LINKS = "-_."  # between the parts of a name with numbers
_LONGEST_VERSION = 3  # digits behind a period: more are the year of a date

CHARACTERS_AT_ONCE = 1 << 17  # what is derived from them on the way stays in the processor's cache

_CODE_POINTS = 0x110000
_NEWLINES = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_TERMINATORS = ".!?…。！？｡．؟۔।॥܂։።፧፨᙮᠃᠉⁇⁈⁉‼⸮။៕"  # full stops of the scripts that pysbd knows, and a few more
_CLOSERS = "\"'”’)]}»›」』】）］｣〉》*_"
_CLAUSE_ENDS = ",;:)—–،؛、，；："
ZERO_WIDTH_JOINER = 0x200D
_REGIONAL_INDICATORS = (0x1F1E6, 0x1F1FF)  # two of them make a flag
_MODIFIERS = (
    (0x0E33, 0x0E33),  # vowels of Thai and Lao that are drawn with the letter before them
    (0x0EB3, 0x0EB3),
    (0x1160, 0x11FF),  # vowels and finals of decomposed Hangul
    (0xD7B0, 0xD7FB),
    (0x200C, ZERO_WIDTH_JOINER),
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFF9E, 0xFF9F),  # voicing marks of half-width kana
    (0x1F3FB, 0x1F3FF),  # skin tones
    (0xE0020, 0xE007F),  # tags
    (0xE0100, 0xE01EF),
)
_WIDE_SCRIPTS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x312F),  # CJK radicals to bopomofo, with kana
    (0x31A0, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9D),  # half-width kana
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)

Places = NDArray[np.int64]

_classes = np.zeros(_CODE_POINTS, dtype=np.uint16)  # 0 where a character was not met yet


def code_points(text: str) -> NDArray[np.uint32]:
    """The characters of ``text`` as uint32 [n]; lone surrogates keep their number."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def holds(text: str, sign: str) -> bool:
    """Whether a text holds a sign of a few characters; where it lacks one of them, that is known far sooner.

    >>> holds("a - b > c", "->"), holds("a -> b", "->")
    (False, True)
    """
    return all(character in text for character in sign) and sign in text


class Characters:
    """The characters of a text, and where those of some kind stand.  What was looked for once is known.

    Attributes:
        points: code points, uint32 [n].
        classes: what each of them is, as a sum of the class bits of this module, uint16 [n].
    """

    def __init__(self, text: str) -> None:
        self.points = code_points(text)
        self.classes, self._highest = _classes_of(self.points)
        self._known: dict[int | str, Places] = {}

    def __getstate__(self) -> dict[str, object]:
        return vars(self) | {"_known": {}}

    @property
    def size(self) -> int:
        """How many there are."""
        return self.points.size

    def take_for(self, places: Places, bits: int) -> None:
        """Take what stands at some places for characters of other classes, such as written out white space."""
        self.classes[places] = bits
        self._known = {key: found for key, found in self._known.items() if isinstance(key, str)}

    def places(self, bits: int) -> Places:
        """Where the characters of any of some classes stand, ascending, int64.

        >>> Characters("a b.").places(SPACE | TERMINATOR)
        array([1, 3])
        """
        if bits not in self._known:
            self._known[bits] = _places(self.classes, lambda part: (part & bits) != 0)
        return self._known[bits]

    def marks(self, signs: str) -> Places:
        """Where any of a few signs stands, ascending, int64.

        >>> Characters("a, b; c").marks(",;")
        array([1, 4])
        """
        for sign in signs:
            if ord(sign) > self._highest:
                self._known[sign] = np.zeros(0, dtype=np.int64)
            elif sign not in self._known:
                self._known[sign] = _places(self.points, partial(np.equal, np.uint32(ord(sign))))
        if len(signs) == 1:
            return self._known[signs]
        found = np.concatenate([self._known[sign] for sign in signs])
        found.sort(kind="stable")  # which merges sorted runs
        return found

    def runs_without(self, bits: int) -> tuple[Places, Places]:
        """Starts and ends of the runs of characters that are of none of some classes, ascending, int64 [m] each.

        >>> Characters("a bc ").runs_without(SPACE)
        (array([0, 2]), array([1, 4]))
        """
        limits: list[tuple[Places, Places]] = []
        inside = False  # whether a run goes on where the piece begins
        for low in range(0, self.size, CHARACTERS_AT_ONCE):
            free = np.empty(min(CHARACTERS_AT_ONCE, self.size - low) + 1, dtype=np.bool_)
            free[0] = inside
            np.equal(self.classes[low : low + CHARACTERS_AT_ONCE] & bits, 0, out=free[1:])
            changes = np.flatnonzero(free[1:] != free[:-1]) + low
            limits.append((changes[inside::2], changes[1 - inside :: 2]))
            inside = bool(free[-1])
        limits.append((np.zeros(0, dtype=np.int64), np.full(int(inside), self.size)))
        starts, ends = (np.concatenate(column) for column in zip(*limits, strict=True))
        return starts, ends


def is_any(points: NDArray[np.uint32], characters: str) -> NDArray[np.bool_]:
    """True for each code point that is one of some characters, in the shape of ``points``.

    It looks each up in a table, whatever their number; for a whole text, `Characters.marks` compares faster.

    >>> is_any(code_points("a, 漢;"), ",;").tolist()
    [False, True, False, False, True]
    """
    return _membership(characters).take(points, mode="clip")


@cache
def _membership(characters: str) -> NDArray[np.bool_]:
    """True at each of some code points, up to one behind the last, which is False, as are all larger ones."""
    codes = [ord(character) for character in characters]
    members = np.zeros(max(codes) + 2, dtype=np.bool_)
    members[codes] = True
    return members


def is_digit(points: NDArray[np.unsignedinteger[Any]]) -> NDArray[np.bool_]:
    """True for each code point from 0 to 9, in the shape of ``points``."""
    return (points >= ord("0")) & (points <= ord("9"))


def _places(
    values: NDArray[np.unsignedinteger[Any]], test: Callable[[NDArray[Any]], NDArray[np.bool_]]
) -> NDArray[np.int64]:
    """Where the test of an array of values is true, ascending."""
    if values.size <= CHARACTERS_AT_ONCE:
        return np.flatnonzero(test(values))
    lows = range(0, values.size, CHARACTERS_AT_ONCE)
    return np.concatenate([np.flatnonzero(test(values[low : low + CHARACTERS_AT_ONCE])) + low for low in lows])


def inside_number(characters: Characters, places: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """True for each place inside a number, a version or the number of a name, bool [m].

    That is between digits, at a period between them, and behind those of a name that goes on: of ``AX-30P``, not of
    ``30kg``.

    Args:
        characters: of the text, n.
        places: 0..n, [m].

    >>> inside_number(Characters("10 2.1 X3b 3b"), np.arange(14)).nonzero()[0]
    array([1, 4, 5, 9])
    """
    points, classes = characters.points, characters.classes
    digits = characters.places(DIGIT)
    inside = np.zeros(characters.size + 1, dtype=np.bool_)
    if not digits.size:
        return inside[places]
    gaps = rises(digits, -3)
    inside[digits[gaps == 1]] = True
    first = np.flatnonzero(gaps > 1)
    starts, lengths = digits[first], nexts(first, digits.size) - first
    ends = starts + lengths

    def signs(at: NDArray[np.int64]) -> NDArray[np.uint32]:
        return np.where((at >= 0) & (at < characters.size), points.take(at, mode="clip"), 0)

    def letters(at: NDArray[np.int64], bits: int = WORD) -> NDArray[np.bool_]:
        found = (classes.take(at, mode="clip") & (bits | DIGIT | WIDE)) == bits
        return found & (at >= 0) & (at < characters.size)

    linked = is_any(signs(starts - 1), _LINKS)
    joined = linked & (gaps[first] == 2) & (points[starts - 1] == ord(".")) & (lengths <= _LONGEST_VERSION)
    inside[starts[joined]] = inside[starts[joined] - 1] = True
    named = letters(starts - 1) | (linked & letters(starts - 2))
    order = np.arange(first.size)
    chain = np.maximum.accumulate(np.where(linked & (gaps[first] == 2), 0, order))  # the first linked
    named = np.maximum.accumulate(np.where(named, order, -1)) >= chain
    goes_on = letters(ends) | (is_any(signs(ends), _LINKS) & letters(ends + 1, UPPER))
    inside[ends[named & goes_on]] = True
    return inside[places]


def _classes_of(points: NDArray[np.uint32]) -> tuple[NDArray[np.uint16], int]:
    """What each character is, as a sum of class bits, uint16 [n]; and the highest code point."""
    classes = np.empty(points.size, dtype=np.uint16)
    highest = -1
    for low in range(0, points.size, CHARACTERS_AT_ONCE):
        part = points[low : low + CHARACTERS_AT_ONCE]
        found = _classes.take(part)
        if not found.all():
            for point in np.unique(part[found == 0]).tolist():
                _classes[point] = _class_of(point)
            found = _classes.take(part)
        classes[low : low + part.size] = found
        highest = max(highest, int(part.max()))
    if highest >= _REGIONAL_INDICATORS[0]:
        flags = (points >= _REGIONAL_INDICATORS[0]) & (points <= _REGIONAL_INDICATORS[1])
        classes[_second_in_pair(flags)] |= JOINED
    return classes, highest


def _class_of(point: int) -> int:
    character = chr(point)
    if character in _NEWLINES:
        return NEWLINE
    if character.isspace():
        return SPACE
    bits = 0
    category = unicodedata.category(character)
    if character in _TERMINATORS:
        bits |= TERMINATOR
    if character in _CLOSERS:
        bits |= CLOSER
    if category[0] == "M" or _within(point, _MODIFIERS):
        bits |= JOINED
    if _within(point, _WIDE_SCRIPTS):
        bits |= WIDE
    elif category[0] in "LN" or category in ("Mn", "Mc"):
        bits |= WORD
    if category in ("Lu", "Lt"):
        bits |= UPPER
    if category == "Ll":
        bits |= LOWER
    if character in _CLAUSE_ENDS:
        bits |= CLAUSE_END
    if character.isdecimal():
        bits |= DIGIT
    return bits or OTHER


def _second_in_pair(found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True for the second, fourth ... of each run of True.

    >>> _second_in_pair(np.array([True, False, True, True, True, True]))
    array([False, False, False,  True, False,  True])
    """
    index = np.arange(found.size)
    before = np.maximum.accumulate(np.where(found, -1, index))  # the last False at or before each place
    return found & ((index - before) % 2 == 0)


def _within(point: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= point <= high for low, high in ranges)
