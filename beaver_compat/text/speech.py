"""Speech that was written down without sentence ends: where it is divided, and which lines go on with the one before.

It reads characters only.  Captions and the output of speech recognition often have no punctuation at all.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, nexts, rises, union
from beaver_compat.text.characters import CLAUSE_END, LOWER, NEWLINE, SPACE, TERMINATOR, UPPER, WIDE, WORD, is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]
Flags = NDArray[np.bool_]

_LEAST = 400  # characters without a sentence's end: no sentence is as long that has so few commas
_WINDOW, _WIDE_WINDOW = 80, 28  # characters of a piece, the second in scripts without spaces
_CHARACTERS_PER_MARK = 150  # at least, between commas and the like
_CHARACTERS_PER_SIGN = 30  # at least, between signs
_CHARACTERS_PER_WORD = 12  # at most
_LEAST_LINES = 5  # of captions
_WORDS_IN_LINE = 3  # on average, at least
_LONGEST_LINE = 120  # characters of a caption
_SPEAKER = re.compile(r"(?<=\s)>> ?(?=\w)")


def with_speech(lined: LinedText) -> LinedText:
    """The text with the pieces of speech without sentence ends as sentences, and its captions as going on."""
    boundaries = lined.boundaries
    pieces = _pieces(lined)
    onward = union(pieces, lined.starts[_captions(lined)])
    if not onward.size:
        return lined
    sentences = union(boundaries.sentences, pieces)
    return lined.with_boundaries(replace(boundaries, sentences=sentences, onward=onward))


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
    said = _counts(lined, WORD | WIDE | SPACE | NEWLINE, starts, ends)
    wide = 2 * _counts(lined, WIDE, starts, ends) > length
    words = boundaries.words.searchsorted(ends) - boundaries.words.searchsorted(starts)
    spoken = (marks * _CHARACTERS_PER_MARK <= length) & ((length - said) * _CHARACTERS_PER_SIGN <= length)
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


def _captions(lined: LinedText) -> Flags:
    """True for each hard line that goes on with the one before it, as captions do."""
    return np.zeros(lined.starts.size, dtype=bool)
