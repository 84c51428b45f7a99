"""Look-up: the distinct tokens of a batch's contexts and queries, their embedding rows and their weights (Eq. 2).

It sees ids and an embedding table, never text.  Each prompt of a batch has its own distinct tokens, so that counts,
weights and scales are those of the prompt alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

_ROUNDING = 1e-6  # difference of float32 scores that counts as none, relative to scores above 1
_LEAST_NORM = 1e-9  # that a cosine divides by


class ContextTokens(NamedTuple):
    """The distinct tokens of the prompts of a batch, each prompt's by themselves, and their embedding rows.

    That is all that the scores need to know of the table.

    Attributes:
        keys: vocabulary id plus V times the index of its prompt, ascending, int64 [U].
        prompts: index of each distinct token's prompt, int64 [U].
        limits: limits of the prompts, counted in distinct tokens, B + 1.
        counts: how often each distinct token occurs in its prompt's context, int64 [U].
        tokens: index of the distinct token at each place of the contexts, int32 [L].
        rows: embedding rows of the distinct tokens, float32 [U, d].
        norms: their lengths, but for 0 the least that a cosine divides by, float32 [U].
        inside: True for each token of the contexts that begins inside a number, bool [L].
        edges: limits of the prompts, counted in tokens of their contexts, B + 1.
    """

    keys: Tensor
    prompts: Tensor
    limits: list[int]
    counts: Tensor
    tokens: Tensor
    rows: Tensor
    norms: Tensor
    inside: Tensor
    edges: list[int]


def read_context(ids: Tensor, table: Tensor, inside: Tensor, edges: Sequence[int] | None = None) -> ContextTokens:
    """Find the distinct tokens of each prompt's context and look each up once.

    Args:
        ids: int32 [L].
        table: embedding table in any float dtype, [V, d]; means accumulate in float32.
        inside: True for each token that begins inside a number, bool [L].
        edges: limits of the prompts, counted in tokens, B + 1; None where there is one.
    """
    edges, vocabulary = list(edges or (0, ids.numel())), table.shape[0]
    keys, tokens, counts = _distinct(_keys(ids, edges, vocabulary), vocabulary * (len(edges) - 1))
    prompts = keys // vocabulary
    limits = [0, keys.numel()]
    if len(edges) > 2:
        limits = torch.searchsorted(prompts, torch.arange(len(edges), device=ids.device)).tolist()
    rows = table.index_select(0, keys % vocabulary).float()
    return ContextTokens(keys, prompts, limits, counts, tokens, rows, row_norms(rows), inside, edges)


def _keys(ids: Tensor, edges: Sequence[int], vocabulary: int) -> Tensor:
    """Ids that tell the prompts apart."""
    return ids if len(edges) == 2 else ids + vocabulary * torch.from_numpy(_prompts(edges)).to(ids.device)


def _prompts(edges: Sequence[int]) -> NDArray[np.int64]:
    """Index of each token's prompt, from the limits of the prompts."""
    return np.repeat(np.arange(len(edges) - 1), [end - start for start, end in pairwise(edges)])


def _distinct(ids: Tensor, vocabulary: int) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct ids, ascending (int64 [U]), the index of each place's (int32 [L]), and their counts (int64 [U]).

    >>> _distinct(torch.tensor([7, 3, 7], dtype=torch.int32), 10)
    (tensor([3, 7]), tensor([1, 0, 1], dtype=torch.int32), tensor([1, 2]))
    """
    if 8 * ids.numel() < vocabulary:  # sorting the few costs less than walking through the vocabulary
        distinct, tokens, counts = torch.unique(ids, return_inverse=True, return_counts=True)
        return distinct.long(), tokens.int(), counts
    times = torch.bincount(ids, minlength=vocabulary)  # [V]
    distinct = times.nonzero().squeeze(1)
    rank = torch.empty(vocabulary, dtype=torch.int32, device=ids.device)
    rank[distinct] = torch.arange(distinct.numel(), dtype=torch.int32, device=ids.device)
    return distinct, rank.index_select(0, ids), times[distinct]


class Words(NamedTuple):
    """What the tokens of the queries of a batch are of.

    Attributes:
        inside: True for each query token that begins inside a number, bool [K].
        sizes: tokens of the word that each is of, int64 [K].
        numeric: True for each of a word with a digit, bool [K].
        forms: vocabulary ids of the query tokens in all cases (``due``, ``Due``), int64 [T].
        formed: index of the query token that each of them is a form of, int64 [T].
    """

    inside: Tensor
    sizes: Tensor
    numeric: Tensor
    forms: Tensor
    formed: Tensor

    @classmethod
    def of_one_token(cls, inside: Tensor) -> Words:
        """Each token as a word of letters that has no other form."""
        none = torch.zeros(0, dtype=torch.int64, device=inside.device)
        return cls(inside, torch.ones_like(inside, dtype=torch.int64), torch.zeros_like(inside), none, none)


class QueryTokens(NamedTuple):
    """The queries of a batch beside their contexts.

    Attributes:
        places: index of each query token: below U a distinct token of its prompt's context, from U on one that only
            the query has, int32 [K].
        prompts: index of each query token's prompt, int64 [K].
        columns: index of each query token in its prompt's query, int64 [K].
        edges: limits of the prompts, counted in query tokens, B + 1.
        counts: how often each distinct token occurs in context and query, those of the contexts first, int64 [U + E].
        owners: index of each distinct token's prompt, int64 [U + E].
        rows: its embedding row, float32 [K, d].
        weights: Eq. 2 of all distinct tokens, float32 [U + E]; all 1 without ITF.
        words: what the query tokens are of.
        forms: index of the distinct token of the contexts and of the query token, for each that is one of its forms,
            int64 [2, F].
        kinds: index of a distinct token that stands for all forms of each, int64 [U + E].
    """

    places: Tensor
    prompts: Tensor
    columns: Tensor
    edges: list[int]
    counts: Tensor
    owners: Tensor
    rows: Tensor
    weights: Tensor
    words: Words
    forms: Tensor
    kinds: Tensor


def read_query(
    ids: Tensor,
    context: ContextTokens,
    table: Tensor,
    words: Words,
    itf: bool = True,
    edges: Sequence[int] | None = None,
) -> QueryTokens:
    """Look up the queries' tokens and weigh all tokens of a prompt's context and query together.

    Args:
        ids: int32 [K].
        context: what the queries ask.
        table: embedding table, [V, d].
        words: what the tokens are of.
        itf: False gives every token the weight 1.
        edges: limits of the prompts, counted in query tokens, B + 1; None where there is one.
    """
    edges, vocabulary, distinct = list(edges or (0, ids.numel())), table.shape[0], context.counts.numel()
    keys, owners = _keys(ids, edges, vocabulary), context.prompts
    places, known = _found(context.keys, keys)
    missing = (~known).nonzero().squeeze(1)
    others = keys[:0]
    if missing.numel():
        others, inverse = torch.unique(keys[missing], return_inverse=True)
        places[missing] = inverse.int() + distinct
        owners = torch.cat([owners, others // vocabulary])
    counts = functional.pad(context.counts, (0, owners.numel() - distinct))
    counts += torch.bincount(places, minlength=owners.numel())
    weights = torch.ones(counts.numel(), device=counts.device)
    if itf:
        weights = itf_weights(counts, owners, torch.tensor(prompt_lengths(context.edges, edges), device=ids.device))
    own = _prompts(edges)
    columns = np.arange(own.size) - np.array(edges)[own]
    prompts, columns = (torch.from_numpy(column).to(ids.device) for column in (own, columns))
    forms, kinds = _forms(words, keys // vocabulary * vocabulary, places, context.keys, others)
    rows = table.index_select(0, ids).float()
    return QueryTokens(places, prompts, columns, edges, counts, owners, rows, weights, words, forms, kinds)


def _found(keys: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
    """Where some keys stand among ascending ones, int32 [n], and whether they do, bool [n]."""
    places = torch.searchsorted(keys, asked, out_int32=True).clamp_max_(max(keys.numel() - 1, 0))
    return places, keys.index_select(0, places) == asked


def _forms(words: Words, offsets: Tensor, places: Tensor, context: Tensor, others: Tensor) -> tuple[Tensor, Tensor]:
    """The forms of `QueryTokens` and its kinds.

    Args:
        words: what the query tokens are of.
        offsets: what the key of each query token is more than its vocabulary id, int64 [K].
        places: index of each query token's distinct token, int32 [K].
        context, others: keys of the distinct tokens of the contexts and of those that only the queries have, ascending.
    """
    kinds = torch.arange(context.numel() + others.numel(), device=places.device)
    keys = words.forms + offsets.index_select(0, words.formed)
    parts = []
    for first, own in ((0, context), (context.numel(), others)):
        if own.numel():
            at, known = _found(own, keys)
            parts.append(torch.stack([at + first, words.formed])[:, known])
    found = torch.cat(parts, 1)
    if found.shape[1]:
        # All forms of a token are forms of the same query tokens: the first of these stands for them.
        stands = torch.full_like(kinds, places.numel()).scatter_reduce_(0, found[0], found[1], "amin")
        kinds[found[0]] = places.index_select(0, stands[found[0]]).long()
    return found[:, found[0] < context.numel()], kinds


def prompt_lengths(edges: Sequence[int], query_edges: Sequence[int]) -> list[int]:
    """``L_c + L_q`` of each prompt, from its limits in the contexts and in the queries."""
    context, query = pairwise(edges), pairwise(query_edges)
    return [end - start + last - first for (start, end), (first, last) in zip(context, query, strict=True)]


def itf_weights(counts: Tensor, owners: Tensor, lengths: Tensor) -> Tensor:
    """Eq. 2: ``Norm(log(1 + (L_c + L_q) / (1 + tf)))`` of each distinct token, min-max normalised in each prompt.

    Args:
        counts: tf over context and query together, int64 [U].
        owners: index of each distinct token's prompt, int64 [U].
        lengths: ``L_c + L_q`` of each prompt, int64 [B].

    Returns:
        Weights in [0, 1], float32 [U]; all 1 where all counts of a prompt are equal.

    >>> itf_weights(torch.tensor([1, 3, 1]), torch.tensor([0, 0, 0]), torch.tensor([5]))
    tensor([1., 0., 1.])
    """
    raw = torch.log1p(of_prompt(lengths, owners) / (1.0 + counts))
    return min_max(raw, owners, lengths.numel(), empty=1.0)


def of_prompt(values: Tensor, prompts: Tensor) -> Tensor:
    """What some tokens' prompts have ([B, ...]), for each token [n, ...]; of one prompt [1, ...], for all at once.

    Args:
        values: one row for each prompt.
        prompts: index of each token's prompt, int64 [n].
    """
    return values if values.shape[0] == 1 else values.index_select(0, prompts)


def prompt_sums(values: Tensor, prompts: Tensor, count: int) -> Tensor:
    """The sum of each prompt's values ([n]), float64 [B]: the same in any company."""
    return torch.zeros(count, dtype=torch.float64, device=values.device).index_add_(0, prompts, values.double())


def prompt_bounds(values: Tensor, prompts: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The least and the greatest of each prompt's values ([n]), [B] each; 0 where it has none."""
    if count == 1 and values.numel():
        return torch.aminmax(values, dim=0, keepdim=True)  # the same, sooner
    none = values.new_zeros(count)
    low, high = (none.scatter_reduce(0, prompts, values, bound, include_self=False) for bound in ("amin", "amax"))
    return low, high


def min_max(values: Tensor, prompts: Tensor, count: int, empty: float = 0.0) -> Tensor:
    """Min-max normalisation of each prompt's values to [0, 1]; ``empty`` where they are equal but for rounding.

    Args:
        values: float32 [n].
        prompts: index of each value's prompt, int64 [n].
        count: of prompts.
        empty: what equal values become; else noise would be stretched over the whole scale.

    >>> min_max(torch.tensor([2.0, 4.0, 3.0, 7.0]), torch.tensor([0, 0, 0, 1]), 2)
    tensor([0.0000, 1.0000, 0.5000, 0.0000])
    """
    low, high = prompt_bounds(values, prompts, count)
    width = high - low
    flat = width <= _ROUNDING * torch.maximum(-low, high).clamp_min_(1.0)
    scaled = (values - of_prompt(low, prompts)).div_(of_prompt(width, prompts))
    return scaled.masked_fill_(of_prompt(flat, prompts), empty)


def row_norms(vectors: Tensor) -> Tensor:
    """The length of each row ([N, d]), 1e-9 at least, so that a cosine can divide by it: float32 [N]."""
    return torch.linalg.vector_norm(vectors, dim=1, dtype=torch.float32).clamp_min_(_LEAST_NORM)


def unit_rows(vectors: Tensor) -> Tensor:
    """Rows ([N, d]) scaled to length 1, in float32; rows of length 0 stay 0."""
    return vectors.float() / row_norms(vectors).unsqueeze(1)
