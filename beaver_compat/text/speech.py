"""Speech that was written down without sentence ends: where it is divided, and which lines go on with the one before.

It reads characters only.  Captions and the output of speech recognition often have no punctuation at all.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, nexts, rises, union
from beaver_compat.text.characters import (
    CLAUSE_END,
    CLOSER,
    DIGIT,
    OTHER,
    TERMINATOR,
    UPPER,
    WIDE,
    WORD,
    is_any,
    is_digit,
)
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LEAST = 400  # characters without a sentence's end: no sentence is as long that has so few commas
_WINDOW, _WIDE_WINDOW = 80, 28  # characters of a piece, the second in scripts without spaces
_CHARACTERS_PER_MARK = 150  # at least, between commas and the like
_CHARACTERS_PER_SIGN = 30  # at least, between signs
_CHARACTERS_PER_WORD = 12  # at most
_SIGNS = TERMINATOR | CLOSER | CLAUSE_END | OTHER
_LEAST_LINES = 5  # of captions
_WORDS_IN_LINE = 3  # on average, at least
_LONGEST_LINE = 120  # characters of a caption
STAMP = re.compile(r"[\[(]?\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?[\])]?(?!\S)[ \t]*")
_SPEAKER = re.compile(r"(?<=\s)>> ?(?=\w)")


def with_speech(lined: LinedText) -> LinedText:
    """The text with the pieces of speech without sentence ends as sentences, and its captions as going on."""
    boundaries = lined.boundaries
    lines = _captions(lined)
    pieces, captions = _pieces(lined), lined.starts[lines]
    onward = union(pieces, captions)
    if not onward.size:
        return lined
    sentences = union(boundaries.sentences, pieces)
    terminated = boundaries.terminated.copy()
    terminated[lines] = terminated[lines - 1] = True  # is no code
    return lined.with_boundaries(replace(boundaries, sentences=sentences, onward=onward, terminated=terminated))


def said_before(lined: LinedText, starts: Positions, bare: NDArray[np.bool_]) -> Positions | None:
    """The sentence that each goes on with though none ends there, -1 for none, int64 [S]; None where none does.

    Args:
        lined: the text.
        starts: of the sentences, ascending, int64 [S].
        bare: True for each that says nothing alone, such as times, bool [S].
    """
    going = among(starts, lined.boundaries.onward)
    if not going.any():
        return None
    last = np.maximum.accumulate(np.where(bare, -1, np.arange(starts.size)))
    return np.where(going, np.append(-1, last[:-1]), -1)


def _pieces(lined: LinedText) -> Positions:
    """Where the pieces of long stretches without sentence ends begin but for the first of each, ascending."""
    boundaries, none = lined.boundaries, np.zeros(0, dtype=np.int64)
    if len(lined.text) < _LEAST:
        return none
    starts = union(lined.starts, boundaries.sentences)
    line = lined.starts.searchsorted(starts, side="right") - 1
    ends = np.minimum(nexts(starts, len(lined.text)), lined.ends[line])
    long = (ends - starts >= _LEAST) & ~boundaries.records[line]
    if not long.any():
        return none
    starts, ends = starts[long], ends[long]
    length = ends - starts
    marks = _counts(lined, CLAUSE_END, starts, ends)
    signs = _counts(lined, _SIGNS, starts, ends)
    wide = 2 * _counts(lined, WIDE, starts, ends) > length
    words = boundaries.words.searchsorted(ends) - boundaries.words.searchsorted(starts)
    spoken = (marks * _CHARACTERS_PER_MARK <= length) & (signs * _CHARACTERS_PER_SIGN <= length)
    spoken &= wide | (words * _CHARACTERS_PER_WORD >= length)
    found = [
        _divided(lined, start, end, wide=is_wide)
        for start, end, is_wide in zip(
            starts[spoken].tolist(), ends[spoken].tolist(), wide[spoken].tolist(), strict=True
        )
    ]
    return np.concatenate(found) if found else none


def _divided(lined: LinedText, start: int, end: int, wide: bool) -> Positions:
    """Where the pieces of a stretch begin, without its own beginning: each at a word, and where a speaker begins."""
    turns = np.array([match.start() for match in _SPEAKER.finditer(lined.text, start, end)], dtype=np.int64)
    edges = union(np.array([start]), turns)
    sizes = nexts(edges, end) - edges
    counts = np.maximum(sizes // (_WIDE_WINDOW if wide else _WINDOW), 1)
    piece = np.arange(counts.sum()) - (counts.cumsum() - counts).repeat(counts)
    places = edges.repeat(counts) + piece * sizes.repeat(counts) // counts.repeat(counts)
    words = lined.boundaries.words
    nearest = words[words.searchsorted(places, side="right") - 1]
    if wide:
        nearest = np.where(places - nearest < _WIDE_WINDOW // 2, nearest, places)
    nearest.sort()
    return nearest[(rises(nearest, -1) > 0) & (nearest > start)]


def _counts(lined: LinedText, kind: int, starts: Positions, ends: Positions) -> Positions:
    places = lined.characters.places(kind)
    return places.searchsorted(ends) - places.searchsorted(starts)


def _captions(lined: LinedText) -> Positions:
    """The hard lines that go on with what is said on the line before, as captions do, ascending.

    Lines of times may stand between them.  Blocks of captions are told by most of their lines, which are of a few
    words, have no end and begin small; where times stand over them, each two lines are enough.
    """
    boundaries, points, classes = lined.boundaries, lined.points, lined.classes
    last = lined.ends - 1
    open_ends = ((classes[last] & (WORD | WIDE)) != 0) | is_any(points[last], ",'\u2019")
    if np.count_nonzero(open_ends) < _LEAST_LINES - 1:
        return np.zeros(0, dtype=np.int64)
    timed = among(lined.starts, boundaries.times)
    lines = np.flatnonzero(~timed)
    begins, ends, open_end = lined.first[lines], lined.ends[lines], open_ends[lines]
    begins = _behind_times(lined, begins, ends)
    small = ((classes[begins] & (UPPER | DIGIT)) == 0) & ((classes[begins] & (WORD | WIDE)) != 0)
    below = np.append(-1, lines[:-1])
    apart = (rises(lines, -1) > 1) & ~timed[lines - 1] | boundaries.after_blank[lines]
    apart |= rises(lined.contexts[lines], -1) > 0
    going = ~apart & np.append(False, open_end[:-1]) & ~boundaries.records[lines] & ~boundaries.records[below]
    if (going & small).sum() < _LEAST_LINES - 1:
        return lines[:0]
    blocks = np.flatnonzero(apart)
    sizes = nexts(blocks, lines.size) - blocks
    length = np.add.reduceat(ends - begins, blocks)
    signs = np.add.reduceat(_counts(lined, _SIGNS, begins, ends), blocks)
    words = boundaries.words.searchsorted(ends) - boundaries.words.searchsorted(begins)
    wide = np.add.reduceat(_counts(lined, WIDE, begins, ends), blocks) * 2 > length
    spoken = (sizes >= _LEAST_LINES) & (np.maximum.reduceat(ends - begins, blocks) <= _LONGEST_LINE)
    spoken &= (np.add.reduceat(words, blocks) >= _WORDS_IN_LINE * sizes) | wide
    spoken &= signs * _CHARACTERS_PER_SIGN <= length
    spoken &= 2 * np.add.reduceat((going & small).astype(np.int64), blocks) >= sizes
    return lines[going & (spoken.repeat(sizes) | (small & timed[lines - 1]))]


def _behind_times(lined: LinedText, begins: Positions, ends: Positions) -> Positions:
    """Where what is said on some lines begins, behind the time that they may begin with."""
    likely = np.flatnonzero(is_digit(lined.points[begins]) | is_any(lined.points[begins], "[("))
    found = begins.copy()
    for index in likely.tolist():
        stamp = STAMP.match(lined.text, begins[index], ends[index])
        if stamp and stamp.end() < ends[index]:
            found[index] = stamp.end()
    return found
