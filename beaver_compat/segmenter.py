"""The Segmenter: from character boundaries to segments, pages and sentences, as ranges of tokens.

It knows where tokens begin and where the text has its natural delimiters, not what the tokens mean. Every partition
is ragged: N ranges are N + 1 ascending limits, so the paper's padded page tensor never has to be built.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, distinct, nexts, union
from beaver_compat.text.boundaries import Boundaries
from beaver_compat.text.lined_text import LinedText

Limits = NDArray[np.int64]

_CLAUSE_REACH = 120  # characters before a cut in which a clause's end is looked for
_LEAST_CLAUSE = 40  # characters: a shorter beginning of a sentence is no piece
_CLAUSE_END = re.compile(r".*(?:[,;:](?=\s)|[，；：、])", re.S)  # up to the last
_SHORTEST_REPEAT = 8  # tokens: shorter lines, such as a closing bracket, may well be needed again
_MOST_NAMES = 8  # of the parts around a sentence, one in the other, that tell it from the same words elsewhere
_TOKENS_AT_ONCE = 1 << 16  # what is derived from them on the way stays in the processor's cache
_MIX = np.array([0x9E3779B97F4A7C15, 0x94D049BB133111EB], dtype=np.uint64)  # odd constants of splitmix64


class Partition(NamedTuple):
    """The tokens cut into consecutive ranges, and the characters that belong to each.

    Attributes:
        limits: token limits, int64 [N + 1].
        starts: first character of each range, int64 [N].
        ends: the character after each range, int64 [N].
        whole: True for a range that is worth nothing in pieces (a record, a line of code), bool [N].
    """

    limits: Limits
    starts: Limits
    ends: Limits
    whole: NDArray[np.bool_]


def segment_limits(token_starts: Limits, lines: Limits, context_limits: Limits) -> Limits:
    """Token limits of the segments: every line that is not blank begins one, and so does every context.

    Args:
        token_starts: first character of each token, int64 [L], ascending.
        lines: characters at which lines begin, int64, ascending.
        context_limits: token limits of the contexts, int64 [C + 1]; what stands before the first has no segments.

    Returns:
        Ascending token limits, int64 [S + 1], from the first of ``context_limits`` to L.
    """
    limits = union(token_starts.searchsorted(lines), context_limits)
    return limits[limits.searchsorted(context_limits[0]) :]


def page_limits(segments: Limits, context_limits: Limits, page_size: int) -> Limits:
    """Greedy pagination: as many whole segments to a page as M tokens hold; longer segments are split.

    Args:
        segments: token limits of the segments, int64 [S + 1].
        context_limits: token limits of the contexts, int64 [C + 1]; a page never crosses one.
        page_size: M, tokens.

    Returns:
        Ascending token limits, int64 [N + 1]; every page holds 1 to M tokens.

    >>> page_limits(np.array([0, 3, 5, 9, 20]), np.array([0, 20]), page_size=6)
    array([ 0,  5,  9, 15, 20])
    """
    if segments.size == 1:
        return segments
    cuts = _split_long(segments, page_size)  # [n + 1]
    following = cuts.searchsorted(cuts + page_size, side="right") - 1  # the page that begins here ends there
    edges = cuts.searchsorted(context_limits)
    next_edge = edges[np.minimum(edges.searchsorted(np.arange(cuts.size), side="right"), edges.size - 1)]
    return cuts[_chain(np.minimum(following, next_edge))]


def whole_lines(token_starts: Limits, boundaries: Boundaries, page_size: int) -> NDArray[np.bool_]:
    """True for each hard line that is worth nothing in pieces: a record, or a line of code of at most M tokens."""
    return boundaries.records | (~boundaries.terminated & (_line_tokens(token_starts, boundaries) <= page_size))


def _line_tokens(token_starts: Limits, boundaries: Boundaries) -> Limits:
    first = token_starts.searchsorted(boundaries.hard_lines)
    return nexts(first, token_starts.size) - first


def tokens_at(token_starts: Limits, characters: Limits) -> Limits:
    """The token that holds each character, be it the white space before the character that the token begins with.

    >>> tokens_at(np.array([0, 3, 5]), np.array([0, 4, 5]))
    array([0, 1, 2])
    """
    return np.maximum(token_starts.searchsorted(characters, side="right") - 1, 0)


def token_range(token_starts: Limits, token_ends: Limits, starts: Limits, ends: Limits) -> tuple[Limits, Limits]:
    """The tokens that hold a character of each stretch, and those behind that share its last: first and last + 1."""
    first = token_ends.searchsorted(starts, side="right")
    return first, np.maximum(token_starts.searchsorted(ends), token_ends.searchsorted(ends, side="right"))


def sentence_partition(
    token_starts: Limits,
    lined: LinedText,
    whole: NDArray[np.bool_],
    context_limits: Limits,
    context_ends: Limits,
    pages: Limits,
    page_size: int,
) -> Partition:
    """The sentences: lines of at most M / 2 tokens, lines worth nothing in pieces, and the sentences of longer lines.

    A sentence of more than M tokens is cut where pages are, or at the end of a clause that is near before that.

    Args:
        token_starts: first character of each token, int64 [L].
        lined: the text.
        whole: True for each hard line that is worth nothing in pieces, bool.
        context_limits: token limits of the contexts, int64 [C + 1].
        context_ends: the character after each context, int64 [C].
        pages: token limits of the pages, int64 [N + 1].
        page_size: M, tokens.
    """
    boundaries, lines = lined.boundaries, lined.starts
    if not (lines.size and token_starts.size):
        return page_partition(token_starts, pages, context_limits, context_ends)
    line_tokens = _line_tokens(token_starts, boundaries)
    record = boundaries.records
    inner = boundaries.sentences
    line_of = lines.searchsorted(inner, side="right") - 1
    inner = inner[(2 * line_tokens[line_of] > page_size) & ~whole[line_of]]
    characters = union(lines, inner)
    context = context_ends.searchsorted(characters, side="right")
    tokens = tokens_at(token_starts, characters)
    filled = np.append(context_limits[1:] > context_limits[:-1], False)[context] & (tokens >= context_limits[0])
    characters = characters[filled]
    tokens = np.maximum(tokens[filled], context_limits[context[filled]])
    limits = union(tokens, context_limits)
    starts = np.append(token_starts, context_ends[-1:])[limits]
    known = among(limits, tokens)
    starts[known] = characters[tokens.searchsorted(limits[known])]
    line = lines.searchsorted(starts[:-1], side="right") - 1
    whole_line = whole[line]
    long = (limits[1:] - limits[:-1] > page_size) & ~record[line]
    if not long.any():
        return partition(limits, starts[:-1], context_limits, context_ends, whole_line)
    cuts = pages[long[limits.searchsorted(pages, side="right").clip(1, long.size) - 1]]
    cuts = cuts[~among(cuts, limits)]
    cuts = distinct(np.sort(_clauses(token_starts, lined.text, cuts, limits)))
    order = np.argsort(np.concatenate([limits, cuts]), kind="stable")
    limits = np.concatenate([limits, cuts])[order]
    starts = np.concatenate([starts, token_starts[cuts]])[order]
    whole_line = np.concatenate([whole_line, np.zeros(1 + cuts.size, dtype=bool)])[order]
    return partition(limits, starts[:-1], context_limits, context_ends, whole_line[:-1])


def _clauses(token_starts: Limits, text: str, cuts: Limits, limits: Limits) -> Limits:
    """Each of some tokens, or the one behind the last comma or the like that is near before it in its sentence.

    Args:
        token_starts: first character of each token, int64 [L].
        text: all contexts, joined.
        cuts: tokens inside sentences, ascending, int64.
        limits: token limits of the sentences, int64 [S + 1].
    """
    ends = token_starts[cuts]
    least = token_starts[limits[limits.searchsorted(cuts) - 1]] + _LEAST_CLAUSE
    reach = zip(np.maximum(least, ends - _CLAUSE_REACH).tolist(), ends.tolist(), strict=True)
    marks = [_CLAUSE_END.match(text, low, end + 1) for low, end in reach]  # with what stands behind the mark
    behind = np.array([mark.end() if mark else -1 for mark in marks], dtype=np.int64)
    return np.where(behind < 0, cuts, tokens_at(token_starts, behind))


def page_partition(token_starts: Limits, pages: Limits, context_limits: Limits, context_ends: Limits) -> Partition:
    """The pages as a :class:`Partition`."""
    return partition(
        pages, token_starts[pages[:-1]], context_limits, context_ends, np.zeros(pages.size - 1, dtype=bool)
    )


def partition(
    limits: Limits, starts: Limits, context_limits: Limits, context_ends: Limits, whole: NDArray[np.bool_]
) -> Partition:
    """A range ends where the next begins, and no later than its context."""
    context = context_limits.searchsorted(limits[:-1], side="right") - 1
    ends = context_ends[context]
    ends[:-1] = np.minimum(ends[:-1], starts[1:])
    return Partition(limits, starts, ends, whole)


def repeats(ids: NDArray[np.int32], limits: Limits, heads: Limits | None = None) -> NDArray[np.bool_]:
    """True for each range whose very tokens stood in an earlier range; short ones never count as repeats.

    Nor do those in parts of another name: ``The warranty covers 12 months`` is said of each product anew.

    Args:
        ids: token ids, int32 [L].
        limits: int64 [N + 1].
        heads: for each range the one that names its part, -1 for none, int64 [N].

    >>> repeats(np.tile(np.arange(10, dtype=np.int32), 3), np.array([0, 10, 20, 30]))
    array([False,  True,  True])
    """
    lengths = limits[1:] - limits[:-1]
    if not lengths.size:
        return np.zeros(0, dtype=bool)
    steps = distinct(np.append(limits.searchsorted(np.arange(0, limits[-1], _TOKENS_AT_ONCE)), lengths.size))
    parts = [mixed(ids, limits[low : high + 1]) for low, high in pairwise(steps.tolist())]
    own = np.concatenate(parts)
    _, first = np.unique(own if heads is None else _with_names(own, heads), return_index=True)
    repeated = lengths >= _SHORTEST_REPEAT
    repeated[first] = False
    return repeated


def _with_names(own: NDArray[np.uint64], heads: Limits) -> NDArray[np.uint64]:
    """The number of each range, which depends on those of the ranges that name the parts around it, too, uint64 [N]."""
    named, inside = own.copy(), np.flatnonzero(heads >= 0)
    above = heads[inside]
    for _ in range(_MOST_NAMES):
        named[inside] = (named[inside] ^ own[above]) * _MIX[0]
        further = heads[above] >= 0
        inside, above = inside[further], heads[above[further]]
    return named


def mixed(ids: NDArray[np.int32], limits: Limits) -> NDArray[np.uint64]:
    """A number for each range that depends on its tokens and their order, uint64 [N]."""
    starts = limits[:-1]
    place = (np.arange(starts[0], limits[-1]) - np.repeat(starts, np.diff(limits))).astype(np.uint64)
    mixed = (ids[starts[0] : limits[-1]].astype(np.uint64) + 1) * _MIX[0]
    mixed ^= mixed >> np.uint64(29)
    mixed *= (2 * place + 1) * _MIX[1]  # odd, so that no bit of the id is lost
    mixed ^= mixed >> np.uint64(31)
    return np.add.reduceat(mixed, starts - starts[0])


def _split_long(segments: Limits, page_size: int) -> Limits:
    """Limits with those added that cut every segment of more than M tokens into pieces of M."""
    pieces = -((segments[:-1] - segments[1:]) // page_size)  # [S]
    if pieces.max() == 1:
        return segments
    first = np.cumsum(pieces) - pieces
    within = np.arange(pieces.sum()) - np.repeat(first, pieces)
    return np.append(np.repeat(segments[:-1], pieces) + within * page_size, segments[-1])


def _chain(following: Limits) -> Limits:
    """Indices visited from 0 by ``i -> following[i]`` until the last, ascending, by pointer doubling."""
    last = following.size - 1
    visited = np.zeros(following.size, dtype=bool)
    visited[0] = True
    jump = following
    while not visited[last]:
        visited[jump[visited]] = True
        jump = jump[jump]
    return np.flatnonzero(visited)
