"""The PageEncoder: pooled page vectors (Eqs. 1 and 3 to 5).

It sees ids, limits and an embedding table, never text.  The padded tensor of Eq. 1 is not built: pages are contiguous,
so `embedding_bag` reads each token's row once and pools it in place.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

_EPSILON = 1e-9  # of Eq. 3


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
        sums = bag_sum(table, tokens, starts)  # [A, d]
        return [_segment_sum(sums, part).div(length) for part, length in zip(cut.parts, lengths, strict=True)]
    sums = bag_sum(table, tokens, starts, weights.index_select(0, tokens))
    totals = bag_sum(weights.unsqueeze(1), tokens, starts)  # [A, 1]
    means = []
    for part, length in zip(cut.parts, lengths, strict=True):
        total = _segment_sum(totals, part)
        mean = _segment_sum(sums, part) / (total + _EPSILON)
        if not total.all():
            plain = _segment_sum(bag_sum(table, tokens, starts), part) / length
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


def range_sums(values: Tensor, tokens: Tensor, cut: Cut) -> list[Tensor]:
    """Sum of ``values[tokens]`` (float32 [U]) over each range, float32 [N] for each partition."""
    sums = bag_sum(values.unsqueeze(1), tokens, cut.atoms[:-1])
    return [_segment_sum(sums, part).squeeze(1) for part in cut.parts]


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


def _segment_sum(rows: Tensor, limits: Tensor) -> Tensor:
    """Sum of ``rows`` ([A, d]) over each range of rows, [N, d]."""
    if limits.numel() == rows.shape[0] + 1:
        return rows
    return bag_sum(rows, torch.arange(rows.shape[0], device=rows.device), limits[:-1])  # far ahead of segment_reduce


def _segment_max(rows: Tensor, limits: Tensor, least: float | None = None) -> Tensor:
    return torch.segment_reduce(rows, "max", lengths=limits.diff().long(), axis=0, unsafe=True, initial=least)


def bag_sum(table: Tensor, tokens: Tensor, starts: Tensor, weights: Tensor | None = None) -> Tensor:
    """Sum of the (weighted) rows of each bag of tokens, float32 [A, d]."""
    return functional.embedding_bag(tokens, table, starts, mode="sum", per_sample_weights=weights)
