"""Which contexts and sentences a caller's wishes put first.  It knows positions and scores, not budgets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import numpy as np
import torch
from numpy.typing import NDArray

from beaver_compat.document import Document
from beaver_compat.query_planner import ranked
from beaver_compat.segmenter import Partition
from beaver_compat.selection.planning import Positions
from beaver_compat.selection.wishes import Wishes
from beaver_compat.text.ascending import among, union

# What wishes add to scores from 0 to 1.
_WORD_BONUS = 1.0  # sentences that hold a forced word go before those that don't
_SIGN_BONUS = 0.1  # signs and digits decide between sentences that answer about as well
_DYNAMIC_BONUS = 0.25  # for the best context's sentences, taken from the worst's, where ``dynamic`` is 1

_LEAST_SAID = 12  # characters: fewer may stand anywhere
_SAID = 0.6  # of a sentence's characters, the rest being a label such as ``Question:``

_DIGITS = re.compile(r"\d+")
Extent = tuple[int, int]


def context_ranking(contexts: Positions, order: Positions, count: int) -> Positions:
    """The contexts by the best of their sentences, best first; those without a sentence come last.

    Args:
        contexts: context of each sentence, int64 [S].
        order: the sentences, best first, int64 [S].
        count: how many contexts there are.

    >>> context_ranking(np.array([0, 0, 2]), np.array([2, 0, 1]), 4)
    array([2, 0, 1, 3])
    """
    if count == 1:
        return np.zeros(1, dtype=np.int64)
    seen, first = np.unique(contexts[order], return_index=True)
    return np.concatenate([seen[np.argsort(first)], np.setdiff1d(np.arange(count), seen)])


def preferred_order(
    document: Document,
    sentences: Partition,
    contexts: Positions,
    scores: NDArray[np.float64],
    best_first: Positions,
    wishes: Wishes,
) -> Positions | None:
    """The sentences by score and preference, best first; None where the wishes prefer none.

    A sentence with a forced word goes first; one with a forced sign or, if wished, a digit gains a little.  With
    ``dynamic``, sentences of better contexts gain and those of worse ones lose.

    Args:
        document: what they are sentences of.
        sentences: the stretches that are ranked.
        contexts: context of each, int64 [S].
        scores: of each, from 0 to 1, float64 [S].
        best_first: the contexts, best first, int64 [C].
        wishes: the caller's.
    """
    bonus = np.zeros(scores.size)
    for token in wishes.tokens:
        if token.strip():
            word = any(character.isalnum() for character in token)
            held = _holding(document, sentences, re.compile(re.escape(token)))
            bonus[held] = np.maximum(bonus[held], _WORD_BONUS if word else _SIGN_BONUS)
    if wishes.digits:
        held = _holding(document, sentences, _DIGITS)
        bonus[held] = np.maximum(bonus[held], _SIGN_BONUS)
    if wishes.dynamic and best_first.size > 1:
        place = np.empty(best_first.size)
        place[best_first] = np.linspace(1, -1, best_first.size)
        bonus += _DYNAMIC_BONUS * wishes.dynamic * place[contexts]
    return ranked(torch.from_numpy(scores + bonus)).numpy() if bonus.any() else None


def edge_sentences(document: Document, contexts: Iterable[tuple[int, ...]], first: int, last: int) -> Iterator[Extent]:
    """The first and the last sentences of each context.

    Args:
        document: what they are sentences of.
        contexts: the document's parts that make up each context.
        first, last: how many.
    """
    if not (first or last):
        return
    boundaries = document.lined.boundaries
    lines, times = boundaries.hard_lines, boundaries.times
    edges = union(lines[~among(lines, times)], boundaries.sentences)
    for parts in contexts:
        forward = (_sentences(document, edges, part, backward=False) for part in parts)
        backward = (_sentences(document, edges, part, backward=True) for part in reversed(parts))
        yield from islice(chain.from_iterable(forward), first)
        yield from islice(chain.from_iterable(backward), last)


def best_of_each(contexts: Positions, count: int) -> NDArray[np.bool_]:
    """True for the first ``count`` of each context.

    Args:
        contexts: context of each sentence, best sentence first, int64 [S].
        count: how many.

    >>> best_of_each(np.array([3, 1, 3, 3, 1]), 1)
    array([ True,  True, False, False, False])
    """
    if not count:
        return np.zeros(contexts.size, dtype=bool)
    order = np.argsort(contexts, kind="stable")
    grouped = contexts[order]
    place = np.empty(contexts.size, dtype=np.int64)
    place[order] = np.arange(contexts.size) - grouped.searchsorted(grouped)
    return place < count


def _sentences(document: Document, edges: Positions, part: int, backward: bool) -> Iterator[Extent]:
    """The sentences of one part that are not blank, from its start or from its end."""
    start, end = document.lined.extents[part]
    inside = edges[edges.searchsorted(start, side="right") : edges.searchsorted(end)].tolist()
    near, far = (end, start) if backward else (start, end)
    for edge in chain(reversed(inside) if backward else inside, [far]):
        if edge == far or document.smoother.end(edge) == edge:  # pysbd, too, lets a sentence begin there
            extent = (min(near, edge), max(near, edge))
            if document.lined.text[slice(*extent)].strip():
                yield extent
                near = edge


def saying(document: Document, sentences: Partition, words: str) -> NDArray[np.bool_]:
    """True for each sentence that says hardly more than some words do, word for word, bool [S].

    Args:
        document: what they are sentences of.
        sentences: the stretches that are ranked.
        words: looked for as they are; a few characters are said by none.
    """
    places = [-len(words)]
    text = document.lined.text
    while len(words) >= _LEAST_SAID and (at := text.find(words, places[-1] + len(words))) >= 0:
        places.append(at)
    begins = np.array(places)

    def said(characters: Positions) -> Positions:
        """How many characters before each are of those words."""
        last = begins.searchsorted(characters, side="right") - 1
        return last * len(words) + np.minimum(characters - begins[last], len(words))

    starts, ends = sentences.starts, sentences.ends
    found: NDArray[np.bool_] = said(ends) - said(starts) > _SAID * (ends - starts)
    return found


def _holding(document: Document, sentences: Partition, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
    """True for each sentence in which the pattern begins to match."""
    places = np.fromiter((match.start() for match in pattern.finditer(document.lined.text)), np.int64)
    index = sentences.starts.searchsorted(places, side="right") - 1
    held = np.zeros(sentences.starts.size, dtype=bool)
    held[index[index >= 0]] = True
    return held
