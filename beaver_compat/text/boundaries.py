"""Where lines end, sentences may end and words begin, for a whole text at once.

Everything here reads characters only and in one vectorized pass; it does not know of tokens, pages or scores.
A sentence end found here is a candidate: `smoothing` asks pysbd before it cuts at one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, any_between, distinct, nexts, rises, union
from beaver_compat.text.characters import (
    CLAUSE_END,
    CLOSER,
    JOINED,
    LOWER,
    NEWLINE,
    SPACE,
    TERMINATOR,
    UPPER,
    WIDE,
    WORD,
    Characters,
    is_any,
)
from beaver_compat.text.compact import Written, json_lines, unfolded, written_out
from beaver_compat.text.periods import abbreviating
from beaver_compat.text.quotes import quoted
from beaver_compat.text.wraps import Lines, soft_lines

Positions = NDArray[np.int64]

_BLANK = SPACE | NEWLINE
_RECORD_OPENERS = '{["|<'
_RECORD_CLOSERS = '}],|>";'
DELIMITERS = ",\t;|"
_LEAST_DELIMITERS = 2  # in a line of a table
_LONGEST_QUOTED = 160  # characters of a string or tag's text, about half a page: of a longer one sentences may be kept,
_LEAST_INNER = 2  # where at least so many begin inside it
_TERMINATOR_REACH = 3  # characters from a line's end in which a terminator is looked for, quotes behind it
_LONGEST_RUN_TOGETHER = 24  # characters of the words on either side, with what stands behind them
_AT_ONCE = 1 << 14  # such places
_APOSTROPHES = "'\u2019"
_FULL_WIDTH = "。！？｡"  # ends a sentence whatever stands behind it
_PARTICLES = "はがのにともでへや"  # before what is no hiragana and no comma these go on with what stands before them
_NEVER_FIRST = "を"
LONGEST_RECORD = 4096  # characters: a longer one may be cut like any long line


@dataclass(frozen=True)
class Boundaries:
    """Positions in one text, each an ascending int64 array of characters.

    Attributes:
        lines: where each line that is not blank begins, with its indentation; those of compact data (`compact`), too.
        hard_lines: those of ``lines`` that do not continue hard-wrapped prose, nor (`units`) a few-shot example.
        labels: where (`units`) the speaker's name at each of ``hard_lines`` ends, its beginning where there is none.
        sentences: where a sentence may begin inside a line or a wrapped paragraph.
        pauses: where a small letter follows a terminator and white space, as in a list within a sentence.
        onward: where (`speech`) what is said goes on though a line or a piece of speech ends there.
        times: the ``hard_lines`` (`cues`) that tell when what stands below them is said, and nothing else.
        words: where each stretch without white space begins.
        word_ends: where it ends.
        records: True for each of ``hard_lines`` that is a record (JSON, a table row) and must stay whole, bool.
        tables: True for each of ``records`` that is the row of a table, bool.
        terminated: True for each of ``hard_lines`` that ends like a sentence; code, headings and data don't, bool.
        after_blank: True for each of ``hard_lines`` that begins the text or stands behind a blank line, bool.
        members: those of ``lines`` that a printer would begin with a member of compact data.
        depths: how deep each of ``members`` stands, int64.
        inner: where a member begins of one of several JSON lines without long texts, which are no lines of their own.
        strings: where each string with written out line ends (`compact`) begins, and behind it where it ends.
    """

    lines: Positions
    hard_lines: Positions
    labels: Positions
    sentences: Positions
    pauses: Positions
    onward: Positions
    times: Positions
    words: Positions
    word_ends: Positions
    records: NDArray[np.bool_]
    tables: NDArray[np.bool_]
    terminated: NDArray[np.bool_]
    after_blank: NDArray[np.bool_]
    members: Positions
    depths: Positions
    inner: Positions
    strings: Positions

    @cached_property
    def visible(self) -> tuple[Positions, Positions]:
        """The first character of each hard line that is not blank, and the character after the last such."""
        first = self.words.searchsorted(self.hard_lines)
        return self.words[first], self.word_ends[nexts(first, self.words.size) - 1]


def find_boundaries(characters: Characters, text: str) -> Boundaries:
    """Find every boundary of a text.

    Args:
        characters: of the text; what is written out in strings (`compact`) is taken for what it stands for from now on.
        text: the same.
    """
    words, word_ends = characters.runs_without(_BLANK)
    begins = np.concatenate([[0], _line_ends(characters) + 1])
    line_numbers, first_words, last_words = _visible_lines(words, begins)
    begun, ended = words[first_words], word_ends[last_words]
    written = written_out(characters, text, begun, ended)
    members, depths, printed = unfolded(characters, text, words, begun, ended, written.lines)
    inner = members
    if members.size or written.line_ends.size:
        apart = ~json_lines(characters, begun, ended, rises(line_numbers, -2) == 1, LONGEST_RECORD)
        apart |= any_between(written.line_ends, begun, ended)

        def divided(places: Positions) -> NDArray[np.bool_]:
            return apart[begun.searchsorted(places, side="right") - 1]

        own = divided(members) & printed
        members, depths, inner = members[own], depths[own], members[~own & ~is_any(characters.points[members], "}]")]
        written = written.at(divided)
        if written.line_ends.size:
            _take_written(characters, written)
            words, word_ends = characters.runs_without(_BLANK)
            begins = np.concatenate([[0], _line_ends(characters) + 1])
        begins = union(begins, members)
        word = words.searchsorted(members, side="right") - 1
        torn = members[(words[word] < members) & (members < word_ends[word])]
        words, word_ends = union(words, torn), union(word_ends, torn)
        line_numbers, first_words, last_words = _visible_lines(words, begins)
    lines = begins[line_numbers]
    sentences, pauses = _sentence_starts(characters, words)
    after_blank = (rises(line_numbers, -2) > 1) | among(lines, written.strings[::2] + 1)
    ends = word_ends[last_words]
    terminated = ends_sentence(characters.classes, ends)
    found = Lines(lines, line_numbers, first_words, last_words, words, word_ends)
    soft = soft_lines(characters, found, terminated)
    records, tables = _records(characters, lines, words[first_words], ends, terminated, after_blank, sentences)
    in_string = written.strings.searchsorted(lines, side="right") % 2 > 0
    hard = np.flatnonzero(~soft | (among(lines, members) & ~in_string))
    return Boundaries(
        lines=lines,
        hard_lines=lines[hard],
        labels=lines[hard],
        sentences=sentences,
        pauses=pauses,
        onward=pauses[:0],
        times=pauses[:0],
        words=words,
        word_ends=word_ends,
        records=records[hard],
        tables=tables[hard],
        terminated=terminated[nexts(hard, lines.size) - 1],  # a hard line goes on through the soft ones behind it
        after_blank=after_blank[hard],
        members=members,
        depths=depths,
        inner=inner,
        strings=written.strings,
    )


def _take_written(characters: Characters, written: Written) -> None:
    """Take what is written out in strings for what it stands for."""
    characters.take_for(written.line_ends, SPACE)
    characters.take_for(written.line_ends + 1, NEWLINE)
    for place in (0, 1):
        characters.take_for(written.spaces + place, SPACE)
    characters.take_for(written.quotes, CLOSER)


def _visible_lines(words: Positions, begins: Positions) -> tuple[Positions, Positions, Positions]:
    """Which of the lines that begin somewhere are not blank, and the first and the last word of each such."""
    following = words.searchsorted(begins)  # each line's first word, if it has one
    numbers = np.flatnonzero(following < nexts(following, words.size))
    first = following[numbers]
    return numbers, first, nexts(first, words.size) - 1


def _line_ends(characters: Characters) -> Positions:
    """The position of each line end's last character; CR LF is one."""
    points, ends = characters.points, characters.places(NEWLINE)
    following = points[np.minimum(ends + 1, points.size - 1)]
    return ends[~((points[ends] == ord("\r")) & (following == ord("\n")))]


def _sentence_starts(characters: Characters, words: Positions) -> tuple[Positions, Positions]:
    """Where a sentence may begin: after a terminator with what closes it, then white space, then no small letter.

    Where a small letter follows is only a pause.  Scripts without spaces need no white space, and full-width
    terminators neither white space nor anything else; nor do two sentences that were run together (``end.Next``).
    """
    classes = characters.classes
    closing = characters.places(TERMINATOR | CLOSER)
    run_ends = closing[nexts(closing, classes.size + 1) - closing > 1] + 1  # of each run of terminators and closers
    terminators = closing[(classes[closing] & TERMINATOR) != 0]
    if not terminators.size:
        return terminators, terminators
    ends = distinct(run_ends[run_ends.searchsorted(terminators, side="right")])
    ends = ends[ends < classes.size]
    spaced = (classes[ends] & _BLANK) != 0
    next_word = words.searchsorted(ends)
    starts = np.where(spaced, np.append(words, classes.size)[next_word], ends)
    inside = starts < classes.size
    starts, spaced, ends = starts[inside], spaced[inside], ends[inside]
    first = classes[starts]
    small = (first & (LOWER | TERMINATOR)) != 0
    apart = np.where(spaced, ~small & ~abbreviating(characters, ends, starts), (first & (WIDE | CLAUSE_END)) == WIDE)
    last = characters.points[terminators[terminators.searchsorted(ends) - 1]]
    apart |= is_any(last, _FULL_WIDTH) & ((first & (CLAUSE_END | JOINED)) == 0)
    apart &= ~_goes_on(characters, starts) & ~quoted(characters, starts)
    tight = np.flatnonzero(~spaced & ~apart & ((first & UPPER) != 0))
    for low in range(0, tight.size, _AT_ONCE):
        some = tight[low : low + _AT_ONCE]
        apart[some] = _run_together(characters, starts[some])
    return starts[apart], starts[spaced & small & ~apart]


def _goes_on(characters: Characters, starts: Positions) -> NDArray[np.bool_]:
    """True where a Japanese particle stands, as behind a name that ends with a full stop (``モーニング娘。は人気``)."""
    points, behind = characters.points, np.minimum(starts + 1, characters.size - 1)
    first, second = points[starts], points[behind]
    kinds = characters.classes[behind]
    bare = (
        ((kinds & (WORD | WIDE)) != 0) & ((kinds & CLAUSE_END) == 0) & ~((second >= ord("ぁ")) & (second <= ord("ゟ")))
    )
    return is_any(first, _NEVER_FIRST) | (is_any(first, _PARTICLES) & bare)


def _run_together(characters: Characters, places: Positions) -> NDArray[np.bool_]:
    """True for each place where a word of letters ends a sentence and another begins one: no name or path in code."""
    points, classes = characters.points, characters.classes
    reach = np.arange(_LONGEST_RUN_TOGETHER)
    before = np.where(places[:, None] > reach, classes.take(places[:, None] - 1 - reach, mode="clip"), SPACE)
    closing = np.logical_and.accumulate((before & (TERMINATOR | CLOSER)) != 0, axis=1)
    word = np.logical_and.accumulate(closing | ((before & WORD) != 0), axis=1).sum(axis=1)
    marks, row = closing.sum(axis=1), np.arange(places.size)
    bound = before[row, np.minimum(word, reach[-1])]
    whole = ((bound & _BLANK) != 0) | (((bound & CLOSER) != 0) & (marks > 1))  # a quote that is closed, too
    rest = points.size - places[:, None]
    behind = np.where(rest > reach, classes.take(places[:, None] + reach, mode="clip"), SPACE)
    small = np.logical_and.accumulate(((behind & LOWER) != 0) | (reach == 0), axis=1).sum(axis=1)
    last = np.minimum(small, _LONGEST_RUN_TOGETHER - 2)
    next_one, one_after = behind[row, last], behind[row, last + 1]
    marked = ((next_one & (TERMINATOR | CLOSER | CLAUSE_END)) != 0) & ((one_after & WORD) == 0)
    elided = is_any(points.take(places + last, mode="clip"), _APOSTROPHES)
    ended = (small > 1) & (((next_one & _BLANK) != 0) | marked | elided)
    return ended & (word > marks) & whole


def _records(
    characters: Characters,
    lines: Positions,
    starts: Positions,
    ends: Positions,
    terminated: NDArray[np.bool_],
    after_blank: NDArray[np.bool_],
    sentences: Positions,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """True for each line that reads as one record: a JSON value, a table row; and for the table rows among them.

    Prose in a string or tag is none.
    """
    points, classes = characters.points, characters.classes
    short = ends - starts <= LONGEST_RECORD
    bracketed = is_any(points[starts], _RECORD_OPENERS) & is_any(points[ends - 1], _RECORD_CLOSERS)
    quoting = bracketed & (ends - starts > _LONGEST_QUOTED) & is_any(points[starts], '"<')
    quoting &= (points[starts] == ord('"')) | ~is_any(points.take(starts + 1, mode="clip"), "tT")  # rows of tables
    bracketed[quoting] = sentences.searchsorted(ends[quoting]) - sentences.searchsorted(starts[quoting]) < _LEAST_INNER
    delimiters = _outside_quotes(characters, starts, ends)
    first = delimiters.searchsorted(starts)
    columns = delimiters.searchsorted(ends) - first
    # Lines of prose may have equally many commas, too; they end like sentences, with white space behind each comma.
    tight = delimiters[(classes[np.minimum(delimiters + 1, points.size - 1)] & _BLANK) == 0]
    prose = terminated & (tight.searchsorted(ends) == tight.searchsorted(starts))
    row = (columns >= _LEAST_DELIMITERS) & ~prose
    # The first cells of rows begin or end at one column; a statement does not below the line it is indented under.
    flush = (rises(starts - lines, 0) == 0) | (rises(np.append(delimiters, 0)[first] - lines, 0) == 0)
    like_last = np.zeros(starts.size + 1, dtype=bool)
    like_last[1:-1] = row[1:] & row[:-1] & (columns[1:] == columns[:-1]) & flush[1:] & ~after_blank[1:]
    edge = np.append(after_blank, True)
    inner = (like_last[:-1] | edge[:-1]) & (like_last[1:] | edge[1:]) & (like_last[:-1] | like_last[1:])
    tabular = inner.copy()  # and the table's first and last row, where other text stands right before or behind them
    tabular[:-1] |= inner[1:] & like_last[1:-1]
    tabular[1:] |= inner[:-1] & like_last[1:-1]
    return (bracketed | tabular) & short, tabular & short


def _outside_quotes(characters: Characters, starts: Positions, ends: Positions) -> Positions:
    """The delimiters without those in a quoted cell, in each line whose quotes all begin and end a cell."""
    points, delimiters, quote = characters.points, characters.marks(DELIMITERS), ord('"')
    behind = points[np.minimum(delimiters + 1, points.size - 1)]
    if not (delimiters.size and ((behind == quote).any() or (points[starts] == quote).any())):
        return delimiters
    quotes = characters.marks('"')
    before = quotes.searchsorted(starts)
    holders = np.maximum(starts.searchsorted(delimiters, side="right") - 1, 0)  # tabs may stand before the first line
    inside = (quotes.searchsorted(delimiters) - before[holders]) % 2 == 1
    if not inside.any():
        return delimiters
    counts = nexts(before, quotes.size) - before
    line = np.repeat(np.arange(starts.size), counts)  # of each quote
    closing = (np.arange(quotes.size) - before[line]) % 2
    outer = quotes + 2 * closing - 1  # the character that is not of the cell
    edge = (outer < starts[line]) | (outer >= ends[line])
    outer = points[outer.clip(0, points.size - 1)]
    edge |= (outer == quote) | is_any(outer, DELIMITERS)
    quoted = counts % 2 == 0
    quoted[line[~edge]] = False
    return delimiters[~(inside & quoted[holders])]


def ends_sentence(classes: NDArray[np.uint16], ends: Positions) -> NDArray[np.bool_]:
    """True for each end that has a terminator among the characters before it, and no letter or digit behind that."""
    found, letters = np.zeros((2, ends.size), dtype=bool)
    for back in range(1, _TERMINATOR_REACH + 1):
        last = classes[np.maximum(ends - back, 0)]
        found |= ((last & TERMINATOR) != 0) & ~letters
        letters |= (last & WORD) != 0
    return found
