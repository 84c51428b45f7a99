"""Compact JSON and HTML, many values or blocks on one line, read in the lines that a printer would give them.

So some values may be kept of what a service answers, with the keys they stand under, as of JSON over several lines.
It reads characters only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, any_between, distinct, nexts, rises, union
from beaver_compat.text.characters import NEWLINE, SPACE, Characters, holds, is_any

Positions = NDArray[np.int64]

_LONGEST_LINE = 320  # characters, about a page: a shorter line stays one
_LEAST_DIVIDED = 80  # characters: of a line that does not fit, members may be kept
_LONGEST_VALUE = 160  # characters: a longer array or object has a line for each of its members
_LONGEST_MEMBERS = 80  # characters of an array's short members on one line, unless these are objects
_LEAST_BLOCKS = 3  # on a line of HTML
_OPENERS, _CLOSERS = "{[", "}]"
_BEHIND_OPENERS = "{[\"' "
_BLOCK = re.compile(
    r"<(/|(?=br\b))?(?:address|article|aside|blockquote|body|br|center|dd|details|dialog|div|dl|dt|entry|fieldset"
    r"|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|item|li|main|nav|ol|option|p|pre|record|row|script|section"
    r"|select|style|summary|table|tbody|tfoot|thead|title|tr|ul)\b[^<>]*>?",
    re.I,
)
_APART = "p|div|section|article|ul|ol|dl|table|pre|blockquote"
# Where a line goes on with another block: behind one that was closed, on either side of a heading or a term.
_BREAK = re.compile(
    rf"</(?:{_APART})>[ \t]*(?=<(?:{_APART})\b)|>[ \t]*(?=<(?:h[1-6]|dt)\b)|</(?:h[1-6]|dt)>[ \t]*(?=<)", re.I
)
_BREAK_SIGNS = ("</h", "</H", "</p>", "</P>", "</div>", "</DIV>", "</dt>", "</DT>")
# Python's letters may stand before a quote; an apostrophe in prose stands behind another.
_STRING = re.compile(
    r"""(?:(?<!\w)|(?<=\b[bfruBFRU]))(?:"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|'[^'\\]*(?:\\.[^'\\]*)*(?:'|\\?$))""", re.S
)
_VALUE_IN_STRING = re.compile(r"""["']\s*[{\[]{1,3}\s*\\["']""")


class Written(NamedTuple):
    """Characters that are written out in strings with a backslash: where that stands, ascending, int64 each.

    Attributes:
        line_ends, spaces, quotes: of the line ends; of other white space; of quotes.
        strings: where each string with line ends begins, and behind it where it ends.
    """

    line_ends: Positions
    spaces: Positions
    quotes: Positions
    strings: Positions

    @property
    def lines(self) -> Positions:
        """Where the lines in strings begin, ascending."""
        return union(self.strings[::2] + 1, self.line_ends + 2)

    def at(self, lines: Callable[[Positions], NDArray[np.bool_]]) -> Written:
        """Those at some places."""
        return Written(*(places[lines(places)] for places in self))


class _Signs(NamedTuple):
    """The brackets and commas outside strings of some values, int64 [n] each.

    Attributes:
        places: ascending, unless sorted by something else.
        values: the value that each stands in.
        steps: 1 for what opens an array or object, -1 for what closes one, 0 for a comma.
        levels: how many arrays and objects each stands in, that which it opens or closes among them.
    """

    places: Positions
    values: Positions
    steps: Positions
    levels: Positions

    @property
    def depths(self) -> Positions:
        """How many arrays and objects what stands right behind each sign is in."""
        return self.levels - (self.steps < 0)

    def at(self, index: Positions | NDArray[np.bool_]) -> _Signs:
        """Some of them."""
        return _Signs(*(column[index] for column in self))


def written_out(characters: Characters, text: str, starts: Positions, ends: Positions) -> Written:
    """White space and quotes that are written out in the strings of lines that are longer than a printer's.

    These are strings of JSON and of programs, closed or cut off with their line.  Lines without line ends have none.

    Args:
        characters: of the text.
        text: the same.
        starts, ends: of each line without the white space around it, ascending, int64 [N].
    """
    none = Written(*[starts[:0]] * 4)
    if "\\n" not in text:
        return none
    escapes = _escapes(characters)
    signs = characters.points.take(escapes + 1, mode="clip")
    second = characters.points.take(escapes + 2, mode="clip")
    ended = (signs == ord("n")) | ((signs == ord("\\")) & (second == ord("n")))
    lines = distinct(starts.searchsorted(escapes[ended], side="right") - 1)
    lines = lines[ends[lines] - starts[lines] > _LONGEST_LINE]
    if not lines.size:
        return none
    spans = [
        match.span()
        for start, end in zip(starts[lines].tolist(), ends[lines].tolist(), strict=True)
        for match in _STRING.finditer(text, start, end)
    ]
    begins, limits = np.array([(-1, -1), *spans], dtype=np.int64).T
    string = begins.searchsorted(escapes) - 1
    inside = escapes < limits[string]
    escapes, signs, second, string = escapes[inside], signs[inside], second[inside], string[inside]
    again = np.array([bool(_VALUE_IN_STRING.match(text, begin)) for begin in begins.tolist()])
    twice = (signs == ord("\\")) & again[string] & is_any(second, "nrt")  # in a string of the string's value
    places, signs = escapes + twice, np.where(twice, second, signs)
    line_ends = places[signs == ord("n")]
    spaces = np.sort(np.concatenate([places[is_any(signs, "rt")], escapes[twice]]))
    held = any_between(line_ends, begins, limits)
    strings = np.stack([begins[held], limits[held]], axis=1).ravel()
    return Written(line_ends, spaces, places[is_any(signs, "\"'")], strings)


def unfolded(
    characters: Characters,
    text: str,
    words: Positions,
    starts: Positions,
    ends: Positions,
    inner: Positions,
) -> tuple[Positions, Positions, NDArray[np.bool_]]:
    """Where the members of JSON and the blocks of HTML inside lines begin, ascending, and how deep each stands.

    Args:
        characters: of the text.
        text: the same.
        words: where each stretch without white space begins, ascending, int64.
        starts, ends: of each line without the white space around it, ascending, int64 [N].
        inner: where lines begin in strings (`written_out`), ascending.

    Returns:
        The places and depths, int64 [k], and True for each place where a printer would begin a line, bool [k]: the
        others are in short lines, or in short arrays and objects.
    """
    divided = ends - starts > _LEAST_DIVIDED
    divided &= is_any(characters.points[starts], _OPENERS + "<") | is_any(characters.points[ends - 1], _CLOSERS)
    breaks = _breaks(text, starts, ends)
    if not (divided.any() or breaks.size):
        return starts[:0], starts[:0], divided[:0]
    starts, ends = starts[divided], ends[divided]
    members, depths, long = _members(characters, text, *_values(characters, starts, ends), inner)
    blocks = _blocks(characters, text, starts, ends)
    places = np.concatenate([members, blocks])
    line = starts.searchsorted(places, side="right") - 1
    printed = np.append(long, np.ones(blocks.size, dtype=bool)) & ((ends - starts)[line] > _LONGEST_LINE)
    places, depths = np.append(places, breaks), np.append(depths, np.zeros(blocks.size + breaks.size, dtype=np.int64))
    printed = np.append(printed, np.ones(breaks.size, dtype=bool))
    if not places.size:
        return places, depths, printed
    blank = (characters.classes[places] & (SPACE | NEWLINE)) != 0
    blank &= ~is_any(characters.points[places - 1], "n")  # indentation inside a string
    places[blank] = words[words.searchsorted(places[blank])]  # a value ends with no white space
    order = np.argsort(places, kind="stable")
    places, depths, printed = places[order], depths[order], printed[order]
    last = nexts(places, -1) != places
    return places[last], depths[last], printed[last]


def json_lines(
    characters: Characters, starts: Positions, ends: Positions, below: NDArray[np.bool_], longest: int
) -> NDArray[np.bool_]:
    """True for each line that is an array or object without long texts, with another one right above or below it.

    Args:
        characters: of the text.
        starts, ends: of each line without the white space around it, ascending, int64 [N].
        below: True for each line right below another, bool [N].
        longest: characters of such a line.
    """
    points = characters.points
    found = is_any(points[starts], _OPENERS) & is_any(points[ends - 1], _CLOSERS + ",") & (ends - starts <= longest)
    pair = found[1:] & found[:-1] & below[1:]
    found = np.append(False, pair) | np.append(pair, False)
    quotes = characters.marks('"')
    closing = 1 + np.flatnonzero(np.diff(quotes) > _LONGEST_LINE)
    line = starts.searchsorted(quotes[closing - 1], side="right") - 1
    found[line[quotes[closing] < ends[line]]] = False
    return found


def _blocks(characters: Characters, text: str, starts: Positions, ends: Positions) -> Positions:
    """Where the blocks of each line of HTML begin, and where what stands behind one or behind a ``<br>`` does."""
    found: list[int] = []
    for line in np.flatnonzero(characters.points[starts] == ord("<")).tolist():
        start, end = int(starts[line]), int(ends[line])
        edges = {match.start() if match[1] is None else match.end() for match in _BLOCK.finditer(text, start, end)}
        edges -= {start, end}
        found += edges if len(edges) >= _LEAST_BLOCKS else []
    return np.array(found, dtype=np.int64)


def _breaks(text: str, starts: Positions, ends: Positions) -> Positions:
    """Where other blocks or headings begin inside lines of HTML, ascending."""
    if "</" not in text or not any(holds(text, sign) for sign in _BREAK_SIGNS):
        return starts[:0]
    places = np.array([match.end() for match in _BREAK.finditer(text)], dtype=np.int64)
    line = starts.searchsorted(places, side="right") - 1
    return places[(places > starts[line]) & (places < ends[line])]


def _values(characters: Characters, starts: Positions, ends: Positions) -> tuple[Positions, Positions]:
    """Where the value of each line that may hold one begins and ends, without a comma behind it.

    It may stand behind its name, as in a log.
    """
    points = characters.points
    ends = ends - is_any(points[ends - 1], ",;")
    found = is_any(points[starts], _OPENERS)
    named = ~found & is_any(points[ends - 1], _CLOSERS)
    if named.any():
        openers = np.append(characters.marks(_OPENERS), points.size)
        first = openers[openers.searchsorted(starts)]
        named &= first < ends
        starts, found = np.where(named, first, starts), found | named
    closed = is_any(points[starts], _OPENERS) & is_any(points[ends - 1], _CLOSERS) & ~named
    found &= closed | is_any(points.take(starts + 1, mode="clip"), _BEHIND_OPENERS)
    return starts[found], ends[found]


def _members(
    characters: Characters, text: str, starts: Positions, ends: Positions, inner: Positions
) -> tuple[Positions, Positions, NDArray[np.bool_]]:
    """Where the members of arrays and objects begin, where these are closed, and how deep the places are.

    Also True for each place in a long array, object or string.  Not only in JSON, but also in what looks like it: a
    dictionary of Python, a value that is cut off.  A long string has a line for each of its own.
    """
    if not starts.size:
        return starts, starts, starts > 0
    quotes = _quotes(characters, text, starts, ends)
    signs = _outer_signs(characters, starts, ends, quotes)
    valid = _valid(signs, ends) | (np.diff(quotes.searchsorted([starts, ends]), axis=0)[0] > 1)
    signs = signs.at(valid[signs.values])
    before = signs.places.searchsorted(inner) - 1
    inner, before = inner[before >= 0], before[before >= 0]
    inside = inner < ends[signs.values[before]]
    lines, line_depths = inner[inside], signs.depths[before[inside]] + 1
    signs = signs.at(np.argsort(signs.levels, kind="stable"))  # those of one array or object behind each other
    opening = np.flatnonzero(signs.steps > 0)
    own = (signs.steps > 0).cumsum() - 1
    last = nexts(opening, signs.steps.size) - 1
    behind = np.where(signs.steps[last] < 0, signs.places[last], ends[signs.values[last]])
    long = behind - signs.places[opening] > _LONGEST_VALUE
    array = characters.points[signs.places[opening]] == ord("[")
    row = (signs.places - signs.places[opening][own]) // _LONGEST_MEMBERS
    short = array[own] & (signs.steps == 0) & (rises(row, 0) == 0) & ~_before_object(characters, signs.places)
    long, signs = long[own][~short], signs.at(~short)
    places = np.concatenate([signs.places + (signs.steps >= 0), lines])
    depths = np.concatenate([signs.depths, line_depths])
    limits = np.concatenate([ends[signs.values], np.full(lines.size, characters.size)])
    inside = places < limits
    return places[inside], depths[inside], np.append(long, np.ones(lines.size, dtype=bool))[inside]


def _before_object(characters: Characters, places: Positions) -> NDArray[np.bool_]:
    """True for each place with an object right behind it, or behind one space."""
    points = characters.points
    following = points.take(places + 1, mode="clip")
    return (following == ord("{")) | ((following == ord(" ")) & (points.take(places + 2, mode="clip") == ord("{")))


def _quotes(characters: Characters, text: str, starts: Positions, ends: Positions) -> Positions:
    """The quotes around the strings of some values, ascending.

    These are of one kind in each value, that of its first, but where others stand outside such strings: Python writes a
    string with an apostrophe in double quotes.
    """
    points = characters.points
    kinds = [characters.marks(sign) for sign in "\"'"]
    first = [np.append(quotes, points.size)[quotes.searchsorted(starts)] for quotes in kinds]
    slashes = _escapes(characters)
    parts, others = [], []
    for kind, quotes in enumerate(kinds):
        quotes = quotes[~among(quotes - 1, slashes)]
        value = starts.searchsorted(quotes, side="right") - 1
        inside = (value >= 0) & (quotes < np.append(ends, 0)[value])
        quotes, own = quotes[inside], (first[kind] < first[1 - kind])[value[inside]]
        parts.append(quotes[own])
        others.append(quotes[~own])
    found, other = (np.sort(np.concatenate(quotes), kind="stable") for quotes in (parts, others))
    value = starts.searchsorted(other, side="right") - 1
    mixed = distinct(value[(found.searchsorted(other) - found.searchsorted(starts[value])) % 2 == 0])
    if not mixed.size:
        return found
    limits = zip(starts[mixed].tolist(), ends[mixed].tolist(), strict=True)
    strings = [match.span() for start, end in limits for match in _STRING.finditer(text, start, end)]
    edges = np.array(strings, dtype=np.int64).reshape(-1, 2) - [0, 1]
    found = found[~among(starts.searchsorted(found, side="right") - 1, mixed)]
    return np.sort(np.concatenate([found, edges.ravel()]), kind="stable")


def _escapes(characters: Characters) -> Positions:
    """The backslashes that are not escaped themselves, ascending."""
    slashes = characters.marks("\\")
    begun = np.maximum.accumulate(np.where(rises(slashes, -2) > 1, slashes, 0))  # where each run of them begins
    return slashes[(slashes - begun) % 2 == 0]


def _outer_signs(characters: Characters, starts: Positions, ends: Positions, quotes: Positions) -> _Signs:
    """The signs outside strings in each of some values."""
    places = characters.marks(_OPENERS + _CLOSERS + ",")
    values = starts.searchsorted(places, side="right") - 1
    inside = (values >= 0) & (places < np.append(ends, 0)[values])
    inside[inside] &= (quotes.searchsorted(places[inside]) - quotes.searchsorted(starts)[values[inside]]) % 2 == 0
    places, values = places[inside], values[inside]
    points = characters.points[places]
    steps = is_any(points, _OPENERS).astype(np.int64) - is_any(points, _CLOSERS)
    depths = steps.cumsum()
    before = (depths - steps)[values.searchsorted(np.arange(starts.size))]  # a value begins with its first sign
    return _Signs(places, values, steps, depths - before[values] + (steps < 0))


def _valid(signs: _Signs, ends: Positions) -> NDArray[np.bool_]:
    """True for each value that is one array or object up to its end, or is cut off there, bool [V]."""
    outer = signs.levels == 1
    opened = np.bincount(signs.values[outer & (signs.steps > 0)], minlength=ends.size)
    early = outer & (signs.steps < 0) & (signs.places < ends[signs.values] - 1)
    wrong = np.bincount(signs.values[early | (signs.levels < 1)], minlength=ends.size)
    commas = np.bincount(signs.values[signs.steps == 0], minlength=ends.size)
    return (opened == 1) & (wrong == 0) & (commas > 0)
