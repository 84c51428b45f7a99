"""Runs of query tokens that stand in the context in the same order, and how much each is worth.

A name or a number often falls into tokens that are common by themselves, such as digits; what is rare is the run.  So
a run is weighed like a token of its own, by how often it occurs.  A number is matched whole or not at all: 1057 shares
most of its digits with 1058, and ``room 2`` all of its tokens with ``room 22``, and that says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from beaver_compat.scores.lookup import ContextTokens, QueryTokens, prompt_bounds, prompt_lengths

_PAIRS = 1 << 16  # more than any but the most repetitive texts share
_MOST_PLACES = 256  # of a pair in the query that one place in the context is compared with, where there are many

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Phrases(NamedTuple):
    """The context's tokens that match a query token and have a neighbour that they have in the query, too.

    Attributes:
        tokens: index in the context, ascending, int64 [P].
        places: index in its prompt's query, int64 [P]; no two have the same token and place.
        gains: what the match gains, float32 [P].
    """

    tokens: Tensor
    places: Tensor
    gains: Tensor

    def between(self, low: int, high: int) -> Phrases:
        """Those of the query tokens from ``low`` to ``high``, counted from ``low``."""
        inside = (self.places >= low) & (self.places < high)
        return Phrases(self.tokens[inside], self.places[inside] - low, self.gains[inside])


def shared_phrases(
    context: ContextTokens, query: QueryTokens, rewards: Tensor, bounds: Tensor, itf: bool = True
) -> Phrases:
    """The pairs of neighbours that context and query share: both gain their reward times the weight of their run.

    A run's weight is Eq. 2 with how often it occurs as tf, on the scale of the tokens' weights; pairs with tokens of a
    number that is not matched whole have none.

    Args:
        context: the context.
        query: the query.
        rewards: of each query token, float32 [K].
        bounds: the most that a run weighs for each query token, float32 [K].
        itf: False gives every run the weight 1.
    """
    at, where = shared_pairs(context.tokens, query.places, query.kinds, context.edges, query.edges)
    weights = np.ones(at.size, dtype=np.float32)
    if at.size:
        runs = find_runs(at, where)
        if itf:
            lengths = np.array(prompt_lengths(context.edges, query.edges))
            least, most = (bound.cpu().numpy() for bound in prompt_bounds(query.counts, query.owners, lengths.size))
            weights = run_weights(runs, lengths, least, most, query.edges)
        inside, numeric = (flags.cpu().numpy() for flags in (query.words.inside, query.words.numeric))
        if inside.any() or numeric.any():
            weights[broken_numbers(at, where, runs, context.inside, inside, numeric)] = 0
    tokens, places = np.concatenate([at, at + 1]), np.concatenate([where, where + 1])
    own, highest = (column.cpu().numpy() for column in (rewards, bounds))
    gains = own[places] * np.minimum(np.tile(weights, 2), highest[places])
    keys = tokens * own.size + places  # a token within a run is in two pairs
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    if first.size:
        tokens, places, gains = tokens[order[first]], places[order[first]], np.add.reduceat(gains[order], first)
    starts = np.array(query.edges[:-1])
    places -= starts[starts.searchsorted(places, side="right") - 1]
    device = context.tokens.device
    return Phrases(*(torch.from_numpy(column).to(device) for column in (tokens, places, gains)))


def shared_pairs(
    tokens: Tensor, query: Tensor, kinds: Tensor, edges: Sequence[int], query_edges: Sequence[int]
) -> tuple[Numbers, Numbers]:
    """Where two neighbours of a query stand side by side in its prompt's context.

    Where a query repeats what the context repeats, too, only the first of each pair's places in the query count, so
    many that the result stays within twice the context.

    Args:
        tokens: int32 [L]; no two prompts have the same.
        query: int32 [K].
        kinds: of each token, int64 [n]; tokens of one kind count as the same.
        edges, query_edges: limits of the prompts in both.

    Returns:
        Index of the first token of the pair in ``tokens``, ascending, and in ``query``, int64 [P] each.

    >>> shared_pairs(torch.tensor([7, 8, 9, 8]), torch.tensor([7, 8]), torch.arange(10), [0, 4], [0, 2])
    (array([0]), array([0]))
    """
    asked_kinds, distinct = kinds.index_select(0, query), kinds.numel()
    asks = torch.zeros(distinct, dtype=torch.bool, device=kinds.device).index_fill_(0, asked_kinds, True)
    known = asks.index_select(0, kinds).index_select(0, tokens)  # [L]
    at = (known[:-1] & known[1:]).nonzero().squeeze(1)
    here = [kinds.index_select(0, tokens.index_select(0, at + offset)).cpu().numpy() for offset in (0, 1)]
    asked, places = asked_kinds.cpu().numpy(), at.cpu().numpy()
    found = here[0] * distinct + here[1]
    pairs = asked[:-1] * distinct + asked[1:]
    pairs[np.array(query_edges[1:-1], dtype=np.int64) - 1] = -1  # the last token of one query, the first of the next
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    low = ordered.searchsorted(found)
    counts = ordered.searchsorted(found, side="right") - low
    limits = places.searchsorted(edges)
    for prompt in range(len(edges) - 1):
        own = counts[limits[prompt] : limits[prompt + 1]]
        most = _MOST_PLACES
        while own.sum() > _PAIRS + 2 * (edges[prompt + 1] - edges[prompt]):
            most //= 2
            np.minimum(own, most, out=own)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(places, counts), order[np.repeat(low, counts) + within]


class Runs(NamedTuple):
    """Runs of shared pairs that follow each other in context and query.

    Attributes:
        order: the pairs, run by run, int64 [P].
        lengths: pairs of each run, int64 [R].
        begins: place in the query of each run's first token, int64 [R].
    """

    order: Numbers
    lengths: Numbers
    begins: Numbers


def find_runs(at: Numbers, where: Numbers) -> Runs:
    """The runs that the pairs (`shared_pairs`, P > 0) make.

    >>> find_runs(np.array([3, 4, 9, 20]), np.array([0, 1, 0, 0]))
    Runs(order=array([3, 2, 0, 1]), lengths=array([1, 1, 2]), begins=array([0, 0, 0]))
    """
    order = np.argsort(where - at, kind="stable")  # pairs of one run have the same distance, and follow each other
    at, where = at[order], where[order]
    first = np.flatnonzero(np.concatenate([[True], (at[1:] - at[:-1] != 1) | (where[1:] - where[:-1] != 1)]))
    lengths = np.concatenate([first[1:], [at.size]]) - first
    return Runs(order, lengths, where[first])


def run_weights(
    runs: Runs, lengths: Numbers, least: Numbers, most: Numbers, query_edges: Sequence[int]
) -> NDArray[np.float32]:
    """The weight of the run that each pair is part of, float32 [P].

    Args:
        runs: of the pairs.
        lengths: tokens of context and query of each prompt, int64 [B].
        least, most: how often its rarest and its most frequent token occurs, int64 [B].
        query_edges: limits of the prompts, counted in query tokens, B + 1.

    >>> runs = find_runs(np.array([3, 4, 9, 20]), np.array([0, 1, 0, 0]))
    >>> run_weights(runs, np.array([4]), np.array([1]), np.array([3]), [0, 2])
    array([1.        , 1.        , 0.38018236, 0.38018236], dtype=float32)
    """
    phrase = runs.begins * (int(runs.lengths.max()) + 1) + runs.lengths  # the same query tokens have the same number
    ordered = np.sort(phrase)
    times = ordered.searchsorted(phrase, side="right") - ordered.searchsorted(phrase)
    own = np.searchsorted(query_edges, runs.begins, side="right") - 1
    low, high = np.log1p(lengths / (1 + most)), np.log1p(lengths / (1 + least))
    width = np.where(most > least, high - low, 1)[own]
    weight = ((np.log1p(lengths[own] / (1 + times)) - low[own]) / width).clip(0, 1)
    weights = np.empty(runs.order.size, dtype=np.float32)
    weights[runs.order] = np.repeat(np.where((most > least)[own], weight, 1), runs.lengths)
    return weights


def broken_numbers(at: Numbers, where: Numbers, runs: Runs, context: Tensor, query: Flags, numeric: Flags) -> Flags:
    """True for each pair with a token of a number that its run doesn't match whole, bool [P].

    Args:
        at, where: the pairs.
        runs: of the pairs.
        context: True for each token of the context that begins inside a number, bool [L].
        query: the same of the query, bool [K].
        numeric: True for each of its tokens that is of a word with a digit, bool [K].

    >>> at, where = np.array([0, 1, 4]), np.array([0, 1, 0])  # 1 0 5 and 1 0 7, where 1 0 5 was asked for
    >>> context = torch.tensor([False, True, True, False, False, True, True])
    >>> query = np.array([False, True, True])
    >>> broken_numbers(at, where, find_runs(at, where), context, query, np.ones_like(query))
    array([False, False,  True])
    """
    begins = np.maximum.accumulate(np.where(query, 0, np.arange(query.size)))  # the first token of each one's number
    ends = np.append(begins, query.size).searchsorted(begins, side="right")  # the token behind it
    low, high = (np.concatenate([column[where], column[where + 1]]) for column in (begins, ends))
    run_low, run_high = np.empty_like(where), np.empty_like(where)
    run_low[runs.order] = np.repeat(runs.begins, runs.lengths)
    run_high[runs.order] = np.repeat(runs.begins + runs.lengths + 1, runs.lengths)
    shift = np.tile(at - where, 2)
    edges = torch.from_numpy(np.concatenate([shift + low, shift + high])).to(context.device)
    within = context.index_select(0, edges.clamp(0, context.numel() - 1)) & (edges < context.numel())
    torn = within.cpu().numpy().reshape(2, -1).any(axis=0)
    torn |= (np.tile(run_low, 2) > low) | (np.tile(run_high, 2) < high)
    number = query | np.append(query[1:], False) | numeric
    torn &= np.concatenate([number[where], number[where + 1]])
    first, second = torn.reshape(2, -1)
    return first | second
