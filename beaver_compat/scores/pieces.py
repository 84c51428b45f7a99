"""A batch in pieces, so that what one step needs of memory stays bounded however long the texts are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from beaver_compat.machine import side_by_side
from beaver_compat.page_encoder import Cut, cut
from beaver_compat.scores.lookup import ContextTokens

_VALUES_AT_ONCE = 1 << 32  # of embedding rows that one step reads
_VALUES_ON_CPU = 1 << 23
_LEAST_SHARED_OUT = 6  # pieces: fewer are done before other threads have taken them up

Result = TypeVar("Result")
Vectors = list[tuple[Tensor, Tensor]]
"""For each partition its page vectors, float32 [N, d], and their lengths, float32 [N]."""


class Piece(NamedTuple):
    """A run of a batch's tokens that is scored in one step.

    Attributes:
        start: index of its first token in the batch.
        tokens: int32 [L].
        cut: its ranges, of every partition.
        prompts: index of each range's prompt, int64 [N] for each partition.
        vectors: of the ranges, where they are kept for further questions.
    """

    start: int
    tokens: Tensor
    cut: Cut
    prompts: tuple[Tensor, ...]
    vectors: Vectors | None = None


def read_pieces(context: ContextTokens, limits: Sequence[Tensor]) -> list[Piece]:
    """The contexts in pieces, cut where all partitions have a limit.

    On the CPU they are small: memory that is used again stays in the cache, and fresh memory costs more to get than
    to fill.

    Args:
        context: the contexts.
        limits: token limits of each partition, int64 [N + 1]; no range is empty or belongs to two prompts.
    """
    size = (_VALUES_ON_CPU if limits[0].device.type == "cpu" else _VALUES_AT_ONCE) // context.rows.shape[1]
    inner = torch.tensor(context.edges[1:-1], device=limits[0].device)
    prompts = tuple(torch.searchsorted(inner, part[:-1], right=True) for part in limits)
    return _split(Piece(0, context.tokens, cut(*limits), prompts), max(size, 1))


def prompts_of_ranges(pieces: Sequence[Piece]) -> list[Tensor]:
    """Index of each range's prompt, int64 [N] for each partition."""
    return [torch.cat(parts) for parts in zip(*(piece.prompts for piece in pieces), strict=True)]


def of_all(pieces: Sequence[Piece], function: Callable[[Piece], list[Tensor]]) -> list[Tensor]:
    """What a function gives for each range of each partition, all pieces joined."""
    found = [part for parts in of_each(pieces, partial(_halving, function=function)) for part in parts]
    return [torch.cat(parts) for parts in zip(*found, strict=True)]


def of_each(pieces: Sequence[Piece], function: Callable[[Piece], Result]) -> list[Result]:
    """A function's result for each piece; where there are many, on the CPU side by side."""
    if len(pieces) < _LEAST_SHARED_OUT or pieces[0].tokens.device.type != "cpu":
        return [function(piece) for piece in pieces]
    return side_by_side(torch.inference_mode()(function), pieces)


def _halving(piece: Piece, function: Callable[[Piece], list[Tensor]]) -> list[list[Tensor]]:
    """A function's results for a piece, or for its halves where the device's memory doesn't hold them at once."""
    try:
        return [function(piece)]
    except torch.OutOfMemoryError:
        halves = _split(piece._replace(vectors=None), -(-piece.tokens.numel() // 2))
        if len(halves) < 2:
            raise
    torch.cuda.empty_cache()
    return [part for half in halves for part in _halving(half, function)]


def _split(piece: Piece, size: int) -> list[Piece]:
    """Pieces of about ``size`` tokens, more where the partitions share no limit."""
    atoms, parts = piece.cut
    if piece.tokens.numel() <= size:
        return [piece]
    shared = parts[0]  # atoms at which every partition has a limit
    for part in parts[1:]:
        shared = shared[part[torch.searchsorted(part, shared).clamp_max(part.numel() - 1)] == shared]
    steps = torch.arange(0, piece.tokens.numel(), size, device=shared.device)
    chosen = torch.cat([shared[torch.searchsorted(atoms[shared], steps)], shared[-1:]]).unique()
    found = [torch.searchsorted(part, chosen).tolist() for part in parts]
    edges, tokens = chosen.tolist(), atoms[chosen].tolist()
    return [
        Piece(
            piece.start + tokens[at],
            piece.tokens[tokens[at] : tokens[at + 1]],
            Cut(
                atoms[edges[at] : edges[at + 1] + 1] - tokens[at],
                tuple(part[n[at] : n[at + 1] + 1] - edges[at] for part, n in zip(parts, found, strict=True)),
            ),
            tuple(own[n[at] : n[at + 1]] for own, n in zip(piece.prompts, found, strict=True)),
        )
        for at in range(len(edges) - 1)
    ]
