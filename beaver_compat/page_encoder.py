"""The PageEncoder: distinct tokens, in-context token weights and pooled page vectors (Eqs. 1 to 5).

It sees ids, limits and an embedding table, never text.  The padded tensor of Eq. 1 is not built: pages are contiguous,
so `embedding_bag` reads each token's row once and pools it in place.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

_ROUNDING = 1e-6  # difference of float32 scores that counts as none, relative to scores above 1
_EPSILON = 1e-9  # of Eq. 3, and the least norm that a cosine divides by


class ContextTokens(NamedTuple):
    """A context's distinct tokens and their embedding rows: all that the scores need to know of the table.

    Attributes:
        ids: the distinct tokens, ascending, int32 [U].
        counts: how often each distinct token occurs, int64 [U].
        tokens: index of the distinct token at each place of the context, int32 [L].
        rows: embedding rows of the distinct tokens, float32 [U, d].
        norms: their lengths, but for 0 the least that a cosine divides by, float32 [U].
        inside: True for each token of the context that begins inside a number, bool [L].
    """

    ids: Tensor
    counts: Tensor
    tokens: Tensor
    rows: Tensor
    norms: Tensor
    inside: Tensor


def read_context(ids: Tensor, table: Tensor, inside: Tensor) -> ContextTokens:
    """Find the distinct tokens of a context and look each up once.

    Args:
        ids: int32 [L].
        table: embedding table in any float dtype, [V, d]; means accumulate in float32.
        inside: True for each token that begins inside a number, bool [L].
    """
    distinct, tokens, counts = _distinct(ids, table.shape[0])
    rows = table.index_select(0, distinct).float()
    return ContextTokens(distinct, counts, tokens, rows, row_norms(rows), inside)


def _distinct(ids: Tensor, vocabulary: int) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct ids, ascending (int32 [U]), the index of each place's (int32 [L]), and their counts (int64 [U]).

    >>> _distinct(torch.tensor([7, 3, 7], dtype=torch.int32), 10)
    (tensor([3, 7], dtype=torch.int32), tensor([1, 0, 1], dtype=torch.int32), tensor([1, 2]))
    """
    if 8 * ids.numel() < vocabulary:  # sorting the few costs less than walking through the vocabulary
        distinct, tokens, counts = torch.unique(ids, return_inverse=True, return_counts=True)
        return distinct, tokens.int(), counts
    times = torch.bincount(ids, minlength=vocabulary)  # [V]
    distinct = times.nonzero().squeeze(1)
    rank = torch.empty(vocabulary, dtype=torch.int32, device=ids.device)
    rank[distinct] = torch.arange(distinct.numel(), dtype=torch.int32, device=ids.device)
    return distinct.int(), rank.index_select(0, ids), times[distinct]


class QueryTokens(NamedTuple):
    """A query beside a context.

    Attributes:
        places: index of each query token: below U the context's distinct token, from U on one that only the query
            has, int32 [K].
        counts: how often each distinct token occurs in context and query, those of the context first, int64 [U + E].
        rows: its embedding row, float32 [K, d].
        weights: Eq. 2 of all distinct tokens, float32 [U + E]; all 1 without ITF.
        inside: True for each query token that begins inside a number, bool [K].
    """

    places: Tensor
    counts: Tensor
    rows: Tensor
    weights: Tensor
    inside: Tensor


def read_query(ids: Tensor, context: ContextTokens, table: Tensor, inside: Tensor, itf: bool = True) -> QueryTokens:
    """Look up a query's tokens and weigh all tokens of context and query together.

    Args:
        ids: int32 [K].
        context: what the query asks.
        table: embedding table, [V, d].
        inside: True for each query token that begins inside a number, bool [K].
        itf: False gives every token the weight 1.
    """
    distinct, extra = context.counts.numel(), 0
    places = torch.searchsorted(context.ids, ids, out_int32=True).clamp_max_(max(distinct - 1, 0))
    missing = (context.ids.index_select(0, places) != ids).nonzero().squeeze(1)
    if missing.numel():
        others, inverse = torch.unique(ids[missing], return_inverse=True)
        places[missing] = inverse.int() + distinct
        extra = others.numel()
    counts = functional.pad(context.counts, (0, extra)) + torch.bincount(places, minlength=distinct + extra)
    weights = itf_weights(counts) if itf else torch.ones(counts.numel(), device=counts.device)
    return QueryTokens(places, counts, table.index_select(0, ids).float(), weights, inside)


def itf_weights(counts: Tensor) -> Tensor:
    """Eq. 2: ``Norm(log(1 + (L_c + L_q) / (1 + tf)))`` of each distinct token, min-max normalised.

    Args:
        counts: tf over context and query together, int64 [U].

    Returns:
        Weights in [0, 1], float32 [U]; all 1 where all counts are equal.

    >>> itf_weights(torch.tensor([1, 3, 1]))
    tensor([1., 0., 1.])
    """
    raw = torch.log1p(counts.sum() / (1.0 + counts))
    return min_max(raw, empty=1.0)


def min_max(values: Tensor, empty: float = 0.0) -> Tensor:
    """Min-max normalisation to [0, 1] along the last axis; ``empty`` where all values are equal but for rounding.

    >>> min_max(torch.tensor([2.0, 4.0, 3.0]))
    tensor([0.0000, 1.0000, 0.5000])
    """
    if not values.numel():
        return values
    low, high = (bound.item() for bound in torch.aminmax(values))
    if high - low <= _ROUNDING * max(abs(low), abs(high), 1.0):
        return torch.full_like(values, empty)  # else noise would be stretched over the whole scale
    return (values - low).div_(high - low)


class Cut(NamedTuple):
    """Several partitions of the same tokens, so that one pass over the tokens serves them all.

    Attributes:
        atoms: token limits of the stretches that no partition divides, int32 [A + 1].
        parts: each partition's limits, counted in atoms, int64 [N + 1].
    """

    atoms: Tensor
    parts: tuple[Tensor, ...]


def cut(*limits: Tensor) -> Cut:
    """The common refinement of partitions given by their token limits (int64 [N + 1], no range empty).

    >>> cut(torch.tensor([0, 2, 6]), torch.tensor([0, 3, 6]))
    Cut(atoms=tensor([0, 2, 3, 6], dtype=torch.int32), parts=(tensor([0, 1, 3]), tensor([0, 2, 3])))
    """
    atoms = torch.cat(limits).unique()
    return Cut(atoms.int(), tuple(torch.searchsorted(atoms, part) for part in limits))


def mean_pool(table: Tensor, tokens: Tensor, cut: Cut, weights: Tensor | None = None) -> list[Tensor]:
    """Eq. 3: the weighted mean of each range's token vectors; the plain mean where all its weights are 0.

    Args:
        table: rows of the distinct tokens, float32 [U, d].
        tokens: row of each token, int32 [L].
        cut: the ranges.
        weights: of the distinct tokens, float32 [U]; None weighs all alike.

    Returns:
        Means in float32, [N, d] for each partition.
    """
    starts = cut.atoms[:-1]
    lengths = [cut.atoms[part].diff().unsqueeze(1) for part in cut.parts]  # [N, 1]
    if weights is None:
        sums = _bag_sum(table, tokens, starts)  # [A, d]
        return [segment_sum(sums, part).div(length) for part, length in zip(cut.parts, lengths, strict=True)]
    sums = _bag_sum(table, tokens, starts, weights.index_select(0, tokens))
    totals = _bag_sum(weights.unsqueeze(1), tokens, starts)  # [A, 1]
    means = []
    for part, length in zip(cut.parts, lengths, strict=True):
        total = segment_sum(totals, part)
        mean = segment_sum(sums, part) / (total + _EPSILON)
        if not total.all():
            plain = segment_sum(_bag_sum(table, tokens, starts), part) / length
            mean = torch.where(total == 0, plain, mean)
        means.append(mean)
    return means


def max_pool(table: Tensor, tokens: Tensor, cut: Cut) -> list[Tensor]:
    """Eq. 4: the maximum of each range's token vectors in every dimension.

    Args:
        table: rows of the distinct tokens, [U, d].
        tokens: row of each token, int32 [L].
        cut: the ranges.

    Returns:
        Maxima in the table's dtype, [N, d] for each partition.
    """
    return range_maxima(table.index_select(0, tokens), cut)


def page_vectors(
    table: Tensor, tokens: Tensor, cut: Cut, weights: Tensor | None, pooling_weight: float
) -> list[Tensor]:
    """Eq. 5: ``gamma * mean + (1 - gamma) * max``; a path that has no weight is not computed.

    Args:
        table: rows of the distinct tokens, float32 [U, d].
        tokens: row of each token, int32 [L].
        cut: the ranges.
        weights: of the distinct tokens, float32 [U], or None.
        pooling_weight: gamma.

    Returns:
        Vectors in float32, [N, d] for each partition.
    """
    if pooling_weight == 1:
        return mean_pool(table, tokens, cut, weights)
    maxima = max_pool(table, tokens, cut)
    if pooling_weight == 0:
        return maxima
    means = mean_pool(table, tokens, cut, weights)
    return [torch.lerp(maximum, mean, pooling_weight) for maximum, mean in zip(maxima, means, strict=True)]


def row_norms(vectors: Tensor) -> Tensor:
    """The length of each row ([N, d]), 1e-9 at least, so that a cosine can divide by it: float32 [N]."""
    return torch.linalg.vector_norm(vectors, dim=1, dtype=torch.float32).clamp_min_(_EPSILON)


def unit_rows(vectors: Tensor) -> Tensor:
    """Rows ([N, d]) scaled to length 1, in float32; rows of length 0 stay 0."""
    return vectors.float() / row_norms(vectors).unsqueeze(1)


def range_sums(values: Tensor, tokens: Tensor, cut: Cut) -> list[Tensor]:
    """Sum of ``values[tokens]`` (float32 [U]) over each range, float32 [N] for each partition."""
    sums = _bag_sum(values.unsqueeze(1), tokens, cut.atoms[:-1])
    return [segment_sum(sums, part).squeeze(1) for part in cut.parts]


def range_maxima(values: Tensor, cut: Cut, limits: Tensor | None = None, least: float | None = None) -> list[Tensor]:
    """Maximum of rows over each range.

    Args:
        values: [L, k], one row for each token, or for some of them.
        cut: the ranges.
        limits: limits of the atoms, counted in rows of ``values``, int64 [A + 1]; None where every token has one.
        least: the maximum of a range without a row, and of one whose rows are all less.

    Returns:
        [N, k] for each partition.
    """
    atoms = _segment_max(values, cut.atoms if limits is None else limits, least)
    return [atoms if part.numel() == cut.atoms.numel() else _segment_max(atoms, part, least) for part in cut.parts]


def segment_sum(rows: Tensor, limits: Tensor) -> Tensor:
    """Sum of ``rows`` ([A, d]) over each range of rows, [N, d]."""
    if limits.numel() == rows.shape[0] + 1:
        return rows
    return _bag_sum(rows, torch.arange(rows.shape[0], device=rows.device), limits[:-1])  # far ahead of segment_reduce


def _segment_max(rows: Tensor, limits: Tensor, least: float | None = None) -> Tensor:
    return torch.segment_reduce(rows, "max", lengths=limits.diff().long(), axis=0, unsafe=True, initial=least)


def _bag_sum(table: Tensor, tokens: Tensor, starts: Tensor, weights: Tensor | None = None) -> Tensor:
    """Sum of the (weighted) rows of each bag of tokens, float32 [A, d]."""
    return functional.embedding_bag(tokens, table, starts, mode="sum", per_sample_weights=weights)
