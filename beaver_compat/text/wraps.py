"""Which line ends are only wraps: places where a paragraph, an item of a list or a comment was broken to fit a width.

Everything here reads characters only, for all lines of a text at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import any_between, nexts, rises
from beaver_compat.text.characters import LOWER, TERMINATOR, UPPER, WORD, Characters, is_any, is_digit
from beaver_compat.text.line_edges import breaks_off, parted_by_tags
from beaver_compat.text.markers import item_markers, line_leaders

Positions = NDArray[np.int64]
Flags = NDArray[np.bool_]

_WIDTHS = (24, 200)  # characters: the line widths that text is wrapped at by hand or by a formatter
_WIDE = 40  # characters; narrower are the lines of poems, addresses, menus and of columns of print
_SHARES = (0.75, 0.3)  # of a block's line ends: had no room for the next word; a continuation in small letters follows
_NARROW_SHARES = (0.9, 0.5)
_FULL_SHARE = 0.5  # of a block's line ends had no room, where those that break off a sentence count as wraps, too
_RAGGED = 0.6  # of the widest: a shorter line was not broken off to fit
_LEAST_LINES, _NEXT_WIDEST = 4, 0.8  # of the widest: a line of such a block may stand out of it
_NARROW_ENDS = 3  # fewer line ends say nothing of a narrow block
_WORDS_PER_CHARACTER = 1 / 14  # prose has at least this many words; tables of numbers and data have fewer
_LONGEST_FIRST_WORD = 30  # characters; what is longer is data, not a word that was wrapped
_GAP = 3  # spaces; as many between words are a column's edge
_DEEPEST = 2  # columns behind the one where an item's text begins; what is deeper is no continuation, but code
_DEEPER = 2  # columns behind a term where its text begins
_ONE_ITEM = 2  # line end that seems an item's: lines that run on are joined all the same
_DEEPEST_QUOTE = 4  # signs of mail quoted in mail
_STATEMENT_ENDS, _LABEL_ENDS, _CALL_ENDS = ";{}:=", ":=", ")]"
_SIGNS_BEFORE = 3  # a word: of markup, quotes, brackets, a path, an option
_SIGNS_ALONE = "…§&"  # a line may go on with one


@dataclass(frozen=True)
class Lines:
    """The lines of a text that are not blank, int64 [N] each, and its words, int64 [W].

    Attributes:
        starts: where each line begins, with its indentation.
        numbers: of each line, blank ones counted.
        first, last: index of each line's first word and of its last.
        words, word_ends: where each word begins and ends.
    """

    starts: Positions
    numbers: Positions
    first: Positions
    last: Positions
    words: Positions
    word_ends: Positions


def soft_lines(characters: Characters, lines: Lines, terminated: Flags) -> Flags:
    """True for each line that continues the one before it, because the text was wrapped at a fixed width.

    A line end is a wrap if the next line's first word had no room: with it, the line would exceed the widest of
    its block (the lines without a blank one between them, of a comment those with its sign) or the next.  So is one
    that breaks off a sentence before a small letter, in an item of a list or near the width of a block of prose.  A
    block is prose if most of its line ends are wraps, a fair part of its lines begin in lower case or behind a word
    that ends no line, and few are like items of a list: statements and entries may be of one width, too.  Narrow blocks
    need more of each.

    Args:
        characters, lines: of the text.
        terminated: True for each of them that ends like a sentence, bool [N].
    """
    soft = np.zeros(lines.starts.size, dtype=bool)
    if soft.size < 2:
        return soft
    points = characters.points
    text, adjacent, initials = _texts(points, lines)
    begins, first_ends, ends = lines.words[text], lines.word_ends[text], lines.word_ends[lines.last]
    markers = item_markers(points, initials, begins, first_ends) & (text < lines.last)
    width, first_width = ends - lines.starts, first_ends - begins
    adjacent &= ~parted_by_tags(characters, begins, ends)
    roomy = np.append(False, width[:-1] + 1 + first_width[1:] <= width[1:])  # the first word had room on the line above
    adjacent &= ~_under_terms(characters, lines, begins, first_ends, adjacent, markers, roomy)
    adjacent &= ~_under_titles(characters, lines, begins, markers | (~adjacent & ~terminated), roomy)
    blocks = np.flatnonzero(~adjacent)
    sizes = nexts(blocks, soft.size) - blocks
    hanging, apart = _in_items(points, lines, text, markers, blocks, sizes)
    joinable = adjacent & ~markers & ~apart & (first_width <= _LONGEST_FIRST_WORD)
    widest = _widest(width, blocks, sizes)
    room = widest.repeat(sizes)[1:]
    full = width[:-1] + 1 + first_width[1:] > room
    low = np.flatnonzero(joinable[1:] & ~full & (2 * width[:-1] >= room)) + 1
    low = low[_runs_on(characters, begins[low], first_ends[low], ends[low - 1])]
    full[low[hanging[low]] - 1] = True
    ragged = np.zeros_like(soft)
    ragged[low] = ~hanging[low] & (width[low - 1] >= _RAGGED * room[low - 1]) & (room[low - 1] >= _WIDE)
    wrapped = joinable.copy()
    wrapped[1:] &= full

    ended = np.append(False, terminated[:-1]) & ~wrapped  # the next sentence was begun on a line of its own
    line_ends, wraps = _sums(joinable & ~ended, blocks), _sums(wrapped, blocks)
    narrow = widest < _WIDE
    wrapped |= ragged
    wraps = np.where(wraps >= _FULL_SHARE * line_ends, _sums(wrapped, blocks), wraps)
    likely = (wraps > 0) & (widest >= _WIDTHS[0]) & (widest <= _WIDTHS[1]) & (~narrow | (line_ends >= _NARROW_ENDS))
    likely &= wraps >= np.where(narrow, _NARROW_SHARES[0], _SHARES[0]) * line_ends
    likely &= _sums(lines.last - lines.first + 1, blocks) >= _WORDS_PER_CHARACTER * _sums(width, blocks)
    chosen = np.flatnonzero(likely.repeat(sizes))
    if chosen.size:  # only in blocks that may be prose it is looked at what the lines say
        found = _Candidates(sizes[likely], line_ends[likely], narrow[likely], joinable[chosen], wrapped[chosen])
        closing = points[ends[chosen] - 1]
        texts = _Texts(chosen, begins[chosen], initials[chosen], first_ends[chosen], ends[chosen], closing)
        soft[chosen] = _in_prose(characters, lines, texts, terminated[chosen], hanging[chosen], found)
    return soft


def _widest(width: Positions, blocks: Positions, sizes: Positions) -> Positions:
    """The width that each block was wrapped at, int64 [B]: of its widest line, or the next where one alone is longer.

    Args:
        width: of each line, int64 [N].
        blocks, sizes: the first line of each block and its number of lines, int64 [B].
    """
    widest = np.maximum.reduceat(width, blocks)
    longest = width == widest.repeat(sizes)
    others = np.maximum.reduceat(np.where(longest, 0, width), blocks)
    alone = (_sums(longest, blocks) == 1) & (sizes >= _LEAST_LINES)
    alone &= (others >= _NEXT_WIDEST * widest) & (others >= _WIDE)
    return np.where(alone, others, widest)


@dataclass(frozen=True)
class _Candidates:
    """Blocks that may be prose.

    Attributes:
        sizes, line_ends: the lines of each block, and how many of them may continue the one before, int64 [B].
        narrow: True for each narrow block, bool [B].
        joinable, wrapped: True for each of their lines that may continue the one before; and for the wraps among them,
            bool [L].
    """

    sizes: Positions
    line_ends: Positions
    narrow: Flags
    joinable: Flags
    wrapped: Flags


@dataclass(frozen=True)
class _Texts:
    """Some lines behind their comment signs: index, begin, initial, end of the first word, end, last character."""

    lines: Positions
    begins: Positions
    initials: NDArray[np.uint32]
    first_ends: Positions
    ends: Positions
    closing: NDArray[np.uint32]


def _in_prose(
    characters: Characters,
    lines: Lines,
    texts: _Texts,
    terminated: Flags,
    hanging: Flags,
    found: _Candidates,
) -> Flags:
    """True for each line of some blocks that continues the one before it, bool [L].

    Args:
        characters, lines: of the text.
        texts: the lines of the blocks.
        terminated, hanging: True for each that ends like a sentence; for each under the text of an item, bool [L].
        found: the blocks.
    """
    blocks = np.cumsum(found.sizes) - found.sizes
    letter, lowercase, inner = _initials(characters.classes, texts)
    lowercase[1:] |= breaks_off(characters, texts.ends[:-1])
    least = np.where(found.narrow, _NARROW_SHARES[1], _SHARES[1]) * found.line_ends
    prose = _sums((letter | inner) & lowercase & found.joinable, blocks) >= least
    if not prose.any():
        return np.zeros_like(letter)
    strong, weak, labelled = _item_ends(characters, texts)
    if found.narrow.any():
        weak[1:] |= found.narrow.repeat(found.sizes)[1:] & (texts.closing[:-1] == ord(","))
    items = 2 * _sums(strong & found.wrapped, blocks) + _sums(weak & found.wrapped, blocks) * (found.line_ends > 1)
    plain = items < np.maximum(found.line_ends, 1)
    prose &= 2 * _sums(_has_columns(lines, texts.lines), blocks) <= found.sizes
    inner[1:] &= ~(terminated | is_any(texts.closing, _STATEMENT_ENDS))[:-1]
    going_on = (letter | inner) & ~(labelled & hanging)
    going_on &= plain.repeat(found.sizes) | (items <= _ONE_ITEM).repeat(found.sizes) & (
        _runs_on(characters, texts.begins, texts.first_ends, np.append(0, texts.ends[:-1])) & ~strong & ~weak
    )
    return found.wrapped & going_on & prose.repeat(found.sizes)


def _sums(values: NDArray[Any], blocks: Positions) -> Positions:
    """The sum of each block, of which the first lines are given."""
    return np.add.reduceat(values, blocks, dtype=np.int64)


def _initials(classes: NDArray[np.uint16], texts: _Texts) -> tuple[Flags, Flags, Flags]:
    """True for each line that begins with a letter; with a word that is not capitalized; and for those that may go on
    within a sentence though they begin with a digit or a sign, such as a quote, markup or a path."""
    first, second = classes[texts.begins], classes[np.minimum(texts.begins + 1, classes.size - 1)]
    digit = is_digit(texts.initials)
    letter = ((first & WORD) != 0) & ~digit
    lowercase = ((first & UPPER) == 0) | ((second & UPPER) != 0)  # or all in capitals
    reach = np.minimum(texts.begins[:, None] + np.arange(1 + _SIGNS_BEFORE), texts.first_ends[:, None] - 1)
    inner = ((classes[reach] & WORD) != 0).any(axis=1) & ~letter | is_any(texts.initials, _SIGNS_ALONE)
    return letter, letter & lowercase, inner


def _texts(points: NDArray[np.uint32], lines: Lines) -> tuple[Positions, Flags, NDArray[np.uint32]]:
    """The first word of each line behind its comment sign, whether it goes on with the block before it, its initial.

    A comment sign alone is like a blank line; comments of other signs or at another column are other blocks.
    """
    adjacent = rises(lines.numbers, -2) == 1
    begins = lines.words[lines.first]
    initials = points[begins]
    leaders = line_leaders(points, initials, begins, lines.word_ends[lines.first], adjacent)
    led = leaders > 0
    if not led.any():
        return lines.first, adjacent, initials
    text = np.minimum(lines.first + led, lines.last)
    quoted = np.flatnonzero(leaders == ord(">"))
    for depth in range(1, _DEEPEST_QUOTE):  # mail within mail
        quoted = quoted[(points[lines.words[text[quoted]]] == ord(">")) & (text[quoted] < lines.last[quoted])]
        text[quoted] += 1
        leaders[quoted] = -depth
    alone = led & (lines.first == lines.last)
    column = begins - lines.starts
    near = abs(column[1:] - column[:-1]) <= (leaders[1:] == ord("*"))
    adjacent[1:] &= (leaders[1:] == leaders[:-1]) & (near | ~led[1:]) & ~alone[1:] & ~alone[:-1]
    initials[led] = points[lines.words[text[led]]]
    return text, adjacent, initials


def _under_terms(
    characters: Characters,
    lines: Lines,
    begins: Positions,
    first_ends: Positions,
    adjacent: Flags,
    markers: Flags,
    roomy: Flags,
) -> Flags:
    """True for each line that begins the text under a term: deeper than the line above, which had room for its first
    word.  Above that there is nothing in the block but other terms, as in a manual's page.

    Args:
        characters, lines: of the text.
        begins, first_ends: of the first word of each line behind its comment sign, int64 [N].
        adjacent, markers: True for each line that goes on with a block; with the mark of an item, bool [N].
        roomy: True for each whose first word had room on the line above, bool [N].
    """
    columns, ends = begins - lines.starts, lines.word_ends[lines.last]
    deeper = (rises(columns, 0) >= _DEEPER) & adjacent & ~markers & roomy
    below = np.flatnonzero(deeper)
    below = below[markers[below - 1]]
    deeper[below] = ~_runs_on(characters, begins[below], first_ends[below], ends[below - 1])
    if not deeper.any():
        return deeper
    order = np.arange(columns.size)
    begun = np.maximum.accumulate(np.where(adjacent, 0, order))
    width = ends - lines.starts
    stacked = adjacent & (rises(columns, 0) == 0) & (order == begun + 1)  # another term for the same
    stacked[1:-1] &= width[:-2] + 1 + (first_ends - begins)[1:-1] <= width[2:]
    return deeper & (np.maximum.accumulate(np.where(deeper | stacked, 0, order)) == begun)


def _under_titles(characters: Characters, lines: Lines, begins: Positions, titles: Flags, roomy: Flags) -> Flags:
    """True for each line that begins the text under a title: at its column, not small, its first word had room there.

    Args:
        characters, lines: of the text.
        begins: of each line behind its comment sign, int64 [N].
        titles: True for each that may be a title, bool [N].
        roomy: as of `_under_terms`.
    """
    flush = rises(begins - lines.starts, 0) == 0
    found = roomy & flush & ((characters.classes[begins] & LOWER) == 0)
    found[1:] &= titles[:-1]
    return found


def _in_items(
    points: NDArray[np.uint32], lines: Lines, text: Positions, markers: Flags, blocks: Positions, sizes: Positions
) -> tuple[Flags, Flags]:
    """True for each line under the text of an item of a list; and for each that does not go on with what is above it.

    Args:
        points, lines: of the text.
        text: index of the first word of each line behind its comment sign, int64 [N].
        markers: True for each line that begins with the mark of an item, bool [N].
        blocks, sizes: the first line of each block and its number of lines, int64 [B].
    """
    hanging, apart = np.zeros((2, markers.size), dtype=bool)
    if not markers.any():
        return hanging, apart
    item = np.maximum.accumulate(np.where(markers, np.arange(markers.size), -1))
    inside = np.flatnonzero((item >= blocks.repeat(sizes)) & ~markers)
    item = item[inside]
    column = lines.words[text[inside]] - lines.starts[inside]
    mark = lines.words[text[item]] - lines.starts[item]
    body = lines.words[text[item] + 1]
    boxed = (points[body] == ord("[")) & (lines.word_ends[text[item] + 1] - body <= len("[x]"))  # a task to tick off
    deepest = body - lines.starts[item] + _DEEPEST + len("[x] ") * boxed
    hanging[inside] = (column > mark) & (column <= deepest)
    apart[inside] = (column < mark) | (column > deepest) | (hanging[inside - 1] & (column <= mark))
    return hanging, apart


def _runs_on(characters: Characters, begins: Positions, first_ends: Positions, before: Positions) -> Flags:
    """True for each line that begins with a small word where the line before it ends in the middle of a sentence.

    Args:
        characters: of the text.
        begins, first_ends: of each line's first word, int64 [k].
        before: where the line before it ends, int64 [k].
    """
    points, classes = characters.points, characters.classes
    plain = [((classes[ends - 1] & WORD) != 0) | (points[ends - 1] == ord(",")) for ends in (first_ends, before)]
    return ((classes[begins] & LOWER) != 0) & plain[0] & plain[1]


def _item_ends(characters: Characters, texts: _Texts) -> tuple[Flags, Flags, Flags]:
    """True for each line that seems to be an item beside the line before it; for those that may be one; for labels."""
    points, classes = characters.points, characters.classes
    first, last, length = texts.initials, points[texts.first_ends - 1], texts.first_ends - texts.begins
    alike = (last[1:] == last[:-1]) & (length[1:] == length[:-1])
    alike |= ((classes[texts.begins] & WORD) == 0)[1:]  # with the same sign before it
    alike &= first[1:] == first[:-1]
    closing = texts.closing[:-1]
    strong, weak = np.zeros((2, first.size), dtype=bool)
    strong[1:] = alike | is_any(closing, _STATEMENT_ENDS) | ((classes[texts.ends[:-1] - 1] & TERMINATOR) != 0)
    labelled = is_any(last, _LABEL_ENDS) | (points[np.minimum(texts.first_ends + 1, points.size - 1)] == ord("="))
    strong |= labelled
    weak[1:] = is_any(closing, _CALL_ENDS)
    return strong, weak & ~strong, labelled


def _has_columns(lines: Lines, chosen: Positions) -> Flags:
    """True for each of some lines with so much space between two words that they stand in columns."""
    gaps = np.flatnonzero(lines.words[1:] - lines.word_ends[:-1] >= _GAP)
    return any_between(gaps, lines.first[chosen], lines.last[chosen])
