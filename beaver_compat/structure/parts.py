"""The parts of a text, and what names each: a numbered label, a heading, or a short line that seems a title.

What is kept of a part without its name would seem to be of another part; and a name tells what its whole part is about.
Everything here reads characters only.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.headings import LONGEST_TITLE, LOWEST_LEVEL, NUMBER_LEVEL, level_of
from beaver_compat.structure.items import item_contents
from beaver_compat.structure.part_labels import LONGEST_LABEL, Part, find_part_labels
from beaver_compat.structure.replies import asked_in_chat, asked_in_messages, asked_in_turn, find_questions
from beaver_compat.structure.terms import find_directives, find_terms
from beaver_compat.text.ascending import among, union
from beaver_compat.text.characters import UPPER, WORD, is_any, is_digit
from beaver_compat.text.line_edges import breaks_off
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_TITLE_ENDS = ".?!,;\u3002\uff1f\uff01\uff0c\uff1b"  # no title ends so
_MARKUP = "*_#"
_RULES = "-=*_~"
_ITEMS = "0123456789*#"  # an item of a list, or a comment, is no head of several lines
_CODE = "={};"
_MOST_TITLE_LINES = 6
_SHORT_TITLE = 40  # characters: a longer line right over one that begins small is no title
_DOCSTRING = '"""'
_MOST_INDENTED = 256  # lines that are looked through for the end of an indented part
_LONGEST_ANSWER = 2000  # characters


class Parts(NamedTuple):
    """What names the part that each hard line stands in.

    Attributes:
        label_ends: where the label ends that each line begins with, a speaker's name among them; where it has the line
            for itself, the next line, or the one behind a title there; the line's beginning if it has none, int64 [N].
        owners: the line that has the label of the part that each line stands in, for a line that has one the label of
            the part around it; -1 for none, int64 [N].
        around: the same, but from a title that stands nowhere else to a numbered label, past the titles over it, unless
            most titles beside it stand elsewhere, too, int64 [N].
        alone: True for each line that is nothing but the name of a part, bool [N].
    """

    label_ends: Positions
    owners: Positions
    around: Positions
    alone: NDArray[np.bool_]


def find_parts(lined: LinedText, titles: Positions, underlines: Positions) -> Parts:
    """Find the parts.

    Args:
        lined: the text.
        titles: the hard lines that are headings, ascending, int64.
        underlines: those that are the line under one, ascending, int64.
    """
    labels = find_part_labels(lined)
    titles = titles[(lined.ends - lined.starts)[titles] <= LONGEST_LABEL]
    owners = np.full(lined.starts.size, -1)
    questions, turns = find_questions(lined)
    terms, stacked = find_terms(lined)
    guessed = union(_likely_titles(lined), union(terms, find_directives(lined)))
    lines = union(titles, union(guessed, questions[~labels.alone[questions + 1]]))
    lines = lines[~labels.alone[lines]]
    shaped = np.array(sorted(labels.shaped), dtype=np.int64)
    parts = _title_parts(lined, lines, underlines, shaped)
    named = np.array([part.line for part in parts], dtype=np.int64)
    label_ends = np.maximum(labels.ends, lined.boundaries.labels)
    label_ends[named] = lined.edges[named + 1 + among(named + 1, underlines)]
    _fill(owners, sorted([*_before_titles(labels.parts, lines), *parts]))
    around = owners.copy()
    for line in _names_of_their_own(owners, {part.line: lined.line(part.line) for part in parts}):
        around[line] = around[around[line]]
    alone = labels.alone.copy()
    alone[named] = True
    stacked = stacked[among(stacked, named)]
    label_ends[stacked - 1], alone[stacked - 1] = lined.starts[stacked], True
    owners[stacked] = around[stacked] = stacked - 1
    asked = np.array(asked_in_turn(lined, questions, lines[~among(lines, questions)]), dtype=np.int64)
    label_ends[asked], alone[asked] = lined.starts[asked + 1], True
    owners[asked + 1] = around[asked + 1] = asked
    turns = asked_in_chat(lined, turns)
    label_ends[turns], alone[turns] = lined.starts[turns + 1], True
    owners[turns + 1] = around[turns + 1] = turns
    asked = asked_in_messages(lined, np.array(sorted(labels.turns), dtype=np.int64))
    label_ends[asked], alone[asked] = lined.starts[asked + 1], True
    owners[asked + 1] = asked  # the reply gains by the question, but may stand without it
    return Parts(label_ends, owners, around, alone)


def _names_of_their_own(owners: Positions, titles: dict[int, str]) -> list[int]:
    """The lines of titles that stand nowhere else, under others, but where most beside them stand elsewhere, too.

    A changelog's ``### Security`` is one of the kinds of changes, and says nothing without the version.

    Args:
        owners: as in `Parts`.
        titles: by their lines, the outer ones first.
    """
    often = Counter(titles.values())
    depths: dict[int, int] = {}
    for line in titles:
        depths[line] = 1 + depths.get(int(owners[line]), 0)
    beside = Counter(depths.values())
    repeated = Counter(depths[line] for line, title in titles.items() if often[title] > 1)
    return [
        line
        for line, title in titles.items()
        if often[title] == 1 and int(owners[line]) in titles and 2 * repeated[depths[line]] < beside[depths[line]]
    ]


def _before_titles(parts: list[Part], titles: Positions) -> list[Part]:
    """The parts under labels, the low ones up to the next title."""
    if not titles.size:
        return parts
    following = titles.searchsorted([part.line for part in parts], side="right")
    nexts = [*titles.tolist(), sys.maxsize]
    return [
        part._replace(limit=min(part.limit, nexts[index])) if part.low else part
        for part, index in zip(parts, following.tolist(), strict=True)
    ]


def _likely_titles(lined: LinedText) -> Positions:
    """The first of some short lines between running text: a title, or the head of a mail, a chunk, a page of settings.

    Such lines stand behind a blank line or a rule, end like no sentence, and have a blank line only behind the last.
    """
    points, boundaries, regions = lined.points, lined.boundaries, lined.regions
    first, ends = lined.first, lined.ends
    if first.size < 2:
        return np.zeros(0, dtype=np.int64)
    order, blank = np.arange(first.size), boundaries.after_blank
    running = boundaries.terminated | (ends - first > LONGEST_TITLE)
    rule = (ends - first > 2) & is_any(points[first], _RULES) & (points[first] == points[ends - 1]) & ~running
    for line in np.flatnonzero(rule).tolist():
        rule[line] = len(set(lined.line(line))) == 1
    before = order - 1
    before[1:] -= rule[:-1]  # the line before the rule
    free = (before < 0) | running[before] | (regions[before] != regions)
    begins = free & ~running & ~boundaries.records & ~rule
    begins[1:] &= blank[1:] | rule[:-1]
    lines = np.flatnonzero(begins & (((lined.classes[first] & WORD) != 0) | is_any(points[first], _MARKUP)))
    others = np.append(np.flatnonzero(running | boundaries.records), first.size)
    body = others[others.searchsorted(lines)]  # the next line of running text, or a record
    blanks = np.append(0, np.cumsum(blank))
    inside = np.append(regions, -1)[body] == regions[lines]
    inside &= (body - lines <= _MOST_TITLE_LINES) & (blanks[body] == blanks[lines + 1])
    lines, body = lines[inside], body[inside]
    kept = ~boundaries.records[body] & ~is_any(points[ends[lines] - 1], _TITLE_ENDS)
    kept &= (body - lines == 1) | ~is_any(points[first[lines]], _ITEMS)
    kept &= (item_contents(lined)[lines] == 0) | is_digit(points[first[lines]])
    below = lines + 1
    kept &= lined.indents[lines] <= lined.indents[body]
    small = ~blank[below] & ((lined.classes[first[below]] & UPPER) == 0)
    kept &= ~breaks_off(lined.characters, ends[lines]) & ~(small & ((ends - first)[lines] > _SHORT_TITLE))
    lines = lines[kept]
    code = [any(sign in lined.line(line) for sign in _CODE) for line in lines.tolist()]
    return lines[~np.array(code, dtype=bool)]


def _title_parts(lined: LinedText, lines: Positions, underlines: Positions, shaped: Positions) -> list[Part]:
    """The part under each title: up to the next one of its level or a higher one.

    A level with one title in all has no parts where that is the first: it stands over everything.  The answer to a
    question is not long.
    What is below a line of a kind such as ``Ada  9:16 AM`` is not of a guessed title above it.
    """
    if not lines.size:
        return []
    starts, first = lined.starts, lined.first
    below = among(lines + 1, underlines)
    levels = [
        level_of(lined.line(line), lined.text[first[line + 1]] if under else "")
        for line, under in zip(lines.tolist(), below.tolist(), strict=True)
    ]
    limits = lined.limits[lines]
    low = np.array(levels) >= LOWEST_LEVEL - 1  # guessed titles, and questions
    asked = np.array(levels) == LOWEST_LEVEL
    near = starts.searchsorted(starts[lines] + _LONGEST_ANSWER)
    limits = np.where(asked, np.minimum(limits, near), limits)
    if low.any():
        nexts = np.append(shaped, first.size)
        limits = np.where(low, np.minimum(limits, nexts[nexts.searchsorted(lines)]), limits)
        for index in np.flatnonzero(low).tolist():
            limits[index] = _indented(lined.indents, int(lines[index]), int(limits[index]))
    often = Counter(levels)
    limits = np.minimum(limits, _next_numbers(lined, lines, np.array(levels)))
    limits = np.minimum(limits, _docstring_ends(lined, lines))
    opened: list[int] = []
    for index, line in enumerate(lines.tolist()):
        while opened and levels[opened[-1]] >= levels[index]:
            above = opened.pop()
            limits[above] = min(limits[above], line)
        opened.append(index)
    named = zip(lines.tolist(), limits.tolist(), levels, strict=True)
    return [
        Part(line, limit)
        for index, (line, limit, level) in enumerate(named)
        if (often[level] > 1 or (index > 0 and not low[index])) and limit > line + 1
    ]


def _docstring_ends(lined: LinedText, lines: Positions) -> Positions:
    """For each title the line behind the end of the docstring that it stands in, the last line where it is in none."""
    places = np.array([match.start() for match in re.finditer(_DOCSTRING, lined.text)], dtype=np.int64)
    _, first, counts = np.unique(lined.starts.searchsorted(places, side="right"), return_index=True, return_counts=True)
    quotes = places[first[counts % 2 == 1]]  # those of a line that opens and closes one say nothing
    if not quotes.size:
        return np.full(lines.size, lined.starts.size)
    marks = np.array([*quotes, len(lined.text)])
    before = marks.searchsorted(lined.first[lines])
    behind = lined.starts.searchsorted(marks[np.minimum(before, marks.size - 1)], side="right")
    return np.where(before % 2, behind, lined.starts.size)


def _next_numbers(lined: LinedText, lines: Positions, levels: Positions) -> Positions:
    """For each title with a number such as 2.1 the next line behind a blank one with such a number, else the last line.

    Where such a line is no title itself, its text is not of the title above.
    """
    found = np.full(lines.size, lined.starts.size)
    numbered = (levels > NUMBER_LEVEL + 1) & (levels < LOWEST_LEVEL - 1)
    if numbered.any():
        likely = np.flatnonzero(lined.boundaries.after_blank & is_digit(lined.points[lined.first]))
        likely = likely[likely > lines[numbered][0]]
        others = np.array([level_of(lined.line(line)[:LONGEST_TITLE]) for line in likely.tolist()])
        for level in np.unique(levels[numbered]).tolist():
            own = np.flatnonzero(levels == level)
            nexts = np.append(likely[others == level], lined.starts.size)
            found[own] = nexts[nexts.searchsorted(lines[own], side="right")]
    return found


def _indented(indents: Positions, line: int, limit: int) -> int:
    """The end of the part under a line that is less indented than what follows: where that indentation ends."""
    if line + 1 >= limit or indents[line + 1] <= indents[line]:
        return limit
    back = np.flatnonzero(indents[line + 2 : min(limit, line + 2 + _MOST_INDENTED)] <= indents[line])
    return line + 2 + int(back[0]) if back.size else limit


def _fill(owners: Positions, parts: list[Part]) -> None:
    """Put each part's line down for its other lines, the innermost last."""
    limits: dict[int, int] = {}
    guesses = {part.line for part in parts if part.guessed}
    for line, limit, *_ in parts:
        around = int(owners[line])
        while around in guesses and limit > limits[around]:
            owners[line : limits[around]] = owners[around]  # what reaches farther is not of the part before it
            limits[around] = line
            around = int(owners[line])
        if around >= 0:
            limit = min(limit, limits[around])
        owners[line + 1 : limit] = line
        limits[line] = limit
