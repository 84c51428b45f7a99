"""Runs of query tokens that stand in the context in the same order, and how much each is worth.

A name or a number often falls into tokens that are common by themselves, such as digits; what is rare is the run.  So
a run is weighed like a token of its own, by how often it occurs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from beaver_compat.page_encoder import QueryTokens

Numbers = NDArray[np.int64]


class Phrases(NamedTuple):
    """Where two neighbours of the query stand side by side in the context.

    Attributes:
        tokens: index of the first of the two in the context, ascending, int64 [P].
        places: its index in the query, int64 [P].
        gains: what the first and the second gain as matches, float32 [P] each.
    """

    tokens: Tensor
    places: Tensor
    gains: tuple[Tensor, Tensor]


def shared_phrases(tokens: Tensor, query: QueryTokens, rewards: Tensor, itf: bool = True) -> Phrases:
    """The pairs of neighbours that context and query share.  Both gain their reward times the weight of their run.

    A run's weight is Eq. 2 with how often it occurs as tf, on the scale of the tokens' weights.

    Args:
        tokens: index of the distinct token at each place of the context, int32 [L].
        query: the query.
        rewards: of each query token, float32 [K].
        itf: False gives every run the weight 1.
    """
    at, where = shared_pairs(tokens, query.places, query.counts.numel())
    weights = run_weights(at, where, query.counts.cpu().numpy()) if itf else np.ones(at.size, dtype=np.float32)
    runs = torch.from_numpy(weights).to(tokens.device)
    places = torch.from_numpy(where).to(tokens.device)
    first, second = (rewards.index_select(0, places + offset).mul_(runs) for offset in (0, 1))
    return Phrases(torch.from_numpy(at).to(tokens.device), places, (first, second))


def shared_pairs(tokens: Tensor, query: Tensor, distinct: int) -> tuple[Numbers, Numbers]:
    """Where two neighbours of the query stand side by side in the context.

    Args:
        tokens: int32 [L].
        query: int32 [K].
        distinct: more than any of them.

    Returns:
        Index of the first token of the pair in ``tokens``, ascending, and in ``query``, int64 [P] each.

    >>> shared_pairs(torch.tensor([7, 8, 9, 8]), torch.tensor([7, 8]), 10)
    (array([0]), array([0]))
    """
    asked = query.cpu().numpy().astype(np.int64)
    asks = np.zeros(distinct, dtype=np.bool_)
    asks[asked] = True
    known = torch.from_numpy(asks).to(tokens.device).index_select(0, tokens)  # [L]
    at = (known[:-1] & known[1:]).nonzero().squeeze(1)
    first, second = (tokens.index_select(0, at + offset).cpu().numpy().astype(np.int64) for offset in (0, 1))
    here = first * distinct + second
    pairs = asked[:-1] * distinct + asked[1:]
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    low = ordered.searchsorted(here)
    counts = ordered.searchsorted(here, side="right") - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(at.cpu().numpy(), counts), order[np.repeat(low, counts) + within]


def run_weights(at: Numbers, where: Numbers, counts: Numbers) -> NDArray[np.float32]:
    """The weight of the run that each pair is part of, float32 [P].

    Args:
        at, where: the pairs, as in `shared_pairs`.
        counts: how often each distinct token occurs, int64 [U].

    >>> run_weights(np.array([3, 4, 9, 20]), np.array([0, 1, 0, 0]), np.array([1, 3]))
    array([1.        , 1.        , 0.38018236, 0.38018236], dtype=float32)
    """
    weights = np.ones(at.size, dtype=np.float32)
    total = int(counts.sum())
    low, high = math.log1p(total / (1 + int(counts.max()))), math.log1p(total / (1 + int(counts.min())))
    if low == high or not at.size:
        return weights
    order = np.argsort(where - at, kind="stable")  # pairs of one run have the same distance, and follow each other
    at, where = at[order], where[order]
    begins = np.flatnonzero((at[1:] - at[:-1] != 1) | (where[1:] - where[:-1] != 1)) + 1
    first = np.concatenate([[0], begins])
    lengths = np.concatenate([begins, [at.size]]) - first
    phrase = where[first] * (int(lengths.max()) + 1) + lengths  # runs of the same query tokens have the same number
    ordered = np.sort(phrase)
    times = ordered.searchsorted(phrase, side="right") - ordered.searchsorted(phrase)
    weight = (np.log1p(total / (1 + times)) - low) / (high - low)
    weights[order] = np.repeat(weight.clip(0, 1), lengths)
    return weights
