"""Words in capitals, read as their small forms, so that LIABILITY meets liability.

A vocabulary spells words in capitals in pieces that mean nothing.  Only the ids change: a token keeps its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from beaver_compat.ascending import nexts, rises
from beaver_compat.characters import UPPER, WORD, places_of
from beaver_compat.tokenization import Tokenized

Positions = NDArray[np.int64]

_LEAST_LETTERS = 4  # shorter ones are mostly names that have no small form: IBM, USA


def capital_words(points: NDArray[np.uint32], classes: NDArray[np.uint16]) -> tuple[Positions, Positions]:
    """Where words of nothing but capitals begin and end, int64 [W] each.

    Args:
        points: code points, uint32 [n].
        classes: their class bits, uint16 [n].
    """
    capitals = places_of(classes, UPPER)
    first = np.flatnonzero(rises(capitals, -2) > 1)
    lengths = nexts(first, capitals.size) - first
    long = lengths >= _LEAST_LETTERS
    if not long.any():
        return capitals[:0], capitals[:0]
    starts = capitals[first[long]]
    ends = starts + lengths[long]

    def joins(places: Positions) -> NDArray[np.bool_]:
        return ((classes[places] & WORD) != 0) | (points[places] == ord("_"))

    joined = (starts > 0) & joins(np.maximum(starts - 1, 0))
    joined |= (ends < points.size) & joins(np.minimum(ends, points.size - 1))
    return starts[~joined], ends[~joined]


def small_ids(
    ids: NDArray[np.int32],
    token_starts: Positions,
    token_ends: Positions,
    text: str,
    words: tuple[Positions, Positions],
    encode: Callable[[Sequence[str]], Tokenized],
) -> NDArray[np.int32]:
    """Ids in which each token of a word in capitals is the token at its place in the word's small form.

    Args:
        ids: int32 [L].
        token_starts, token_ends: characters of each token in ``text``, int64 [L].
        text: what was tokenized.
        words: of the text (`capital_words`).
        encode: the tokenizer.
    """
    starts, ends = words
    if not (starts.size and ids.size):
        return ids
    small = [text[start:end].lower() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    begins, written = {}, ""
    for word in dict.fromkeys(small):
        begins[word] = len(written) + 1
        written += f" {word}"
    found = encode([written])
    low, high = token_ends.searchsorted(starts, side="right"), token_starts.searchsorted(ends)
    counts = np.maximum(high - low, 0)
    at = np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    inside = np.clip(token_starts[at] - np.repeat(starts, counts), 0, np.repeat(ends - starts - 1, counts))
    places = np.repeat([begins[word] for word in small], counts) + inside
    result = ids.copy()
    result[at] = found.ids[found.offsets[:, 0].searchsorted(places, side="right") - 1]
    return result
