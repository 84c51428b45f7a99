"""The QueryPlanner's scores: how well each range of tokens answers the question, by meaning and by words (Eqs. 6, 7).

It sees vectors, ids and limits, never text.  A range is a page or a sentence; both are scored by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from beaver_compat.config import BeaverConfig
from beaver_compat.machine import side_by_side
from beaver_compat.page_encoder import (
    ContextTokens,
    Cut,
    QueryTokens,
    cut,
    min_max,
    page_vectors,
    range_maxima,
    range_sums,
    row_norms,
    unit_rows,
)
from beaver_compat.phrases import Phrases, shared_phrases

_VALUES_AT_ONCE = 1 << 32  # of embedding rows that one step reads: memory stays bounded however long the context
_VALUES_ON_CPU = 1 << 23
_LEAST_SHARED_OUT = 6  # pieces: fewer are done before other threads have taken them up
_QUERY_TOKENS_AT_ONCE = 64  # columns of the similarity matrix held at once
_LEAST_WEIGHT = 1e-9  # what a sum of weights is at least divided by
_SCORE_STEPS = 1 << 16  # scores are rounded to this grid, so that equal pages tie on every device

Result = TypeVar("Result")
Vectors = list[tuple[Tensor, Tensor]]
"""For each partition its page vectors, float32 [N, d], and their lengths, float32 [N]."""


class Piece(NamedTuple):
    """A run of a context's tokens that is scored in one step.

    Attributes:
        start: index of its first token in the context.
        tokens: int32 [L].
        cut: its ranges, of every partition.
        vectors: of the ranges, where they are kept for further questions.
    """

    start: int
    tokens: Tensor
    cut: Cut
    vectors: Vectors | None = None


def read_pieces(context: ContextTokens, limits: Sequence[Tensor]) -> list[Piece]:
    """A context in pieces, cut where all partitions have a limit.

    On the CPU they are small: memory that is used again stays in the cache, and fresh memory costs more to get than
    to fill.

    Args:
        context: the context.
        limits: token limits of each partition, int64 [N + 1]; no range is empty.
    """
    size = (_VALUES_ON_CPU if limits[0].device.type == "cpu" else _VALUES_AT_ONCE) // context.rows.shape[1]
    whole = Piece(0, context.tokens, cut(*limits))
    return _split(whole, max(size, 1))


def with_vectors(context: ContextTokens, pieces: Sequence[Piece], config: BeaverConfig) -> list[Piece]:
    """The pieces with their vectors, unless those depend on the query's counts."""
    if config.itf == "all" or config.semantic_weight == 0:
        return list(pieces)
    vectors = _of_each(pieces, lambda piece: _vectors(context, piece, None, config))
    return [piece._replace(vectors=own) for piece, own in zip(pieces, vectors, strict=True)]


def mixed_scores(
    context: ContextTokens, pieces: Sequence[Piece], query: QueryTokens, config: BeaverConfig, normalized: bool = True
) -> list[Tensor]:
    """``lambda * s_sem + (1 - lambda) * s_lex`` of each range, each score min-max normalised over its partition.

    Args:
        context: the context.
        pieces: its ranges.
        query: the query.
        config: the settings.
        normalized: False leaves the scores as they are, so that those of a few ranges aren't torn apart.

    Returns:
        Scores, in [0, 1] if normalized, float32 [N] for each partition.
    """
    share = config.semantic_weight
    lexical = maxsim_scores if config.lexical_score == "maxsim" else overlap_scores
    parts = [(weight, score) for weight, score in ((share, semantic_scores), (1 - share, lexical)) if weight > 0]
    terms = [
        [weight * (min_max(term) if normalized else term) for term in score(context, pieces, query, config)]
        for weight, score in parts
    ]
    return [torch.stack(partition).sum(0) for partition in zip(*terms, strict=True)]


def semantic_scores(
    context: ContextTokens, pieces: Sequence[Piece], query: QueryTokens, config: BeaverConfig
) -> list[Tensor]:
    """Eq. 6: ``sum_k w_k cos(p_i, q_k)`` over the query's vectors.

    Linear in the normalised query vectors, so it is one product with their weighted sum.  With late interaction the
    vectors are the query's tokens, if there are enough of them; else one vector, Eq. 5 over the query as one page.

    Args:
        context: the context.
        pieces: the ranges that are scored.
        query: the query.
        config: the settings.

    Returns:
        float32 [N] for each partition.
    """
    weights = query.weights.index_select(0, query.places)
    if config.late_interaction and weights.numel() >= config.late_interaction_tokens:
        direction = weights @ unit_rows(query.rows)  # [d]
    else:
        order = torch.arange(weights.numel(), dtype=torch.int32, device=weights.device)
        ends = torch.tensor([[0, weights.numel()], [0, 1]], device=weights.device)
        page = Cut(ends[0].int(), (ends[1],))
        dense = page_vectors(query.rows, order, page, weights if config.itf == "all" else None, config.pooling_weight)
        direction = unit_rows(dense[0])[0]
    own = query.weights[: context.counts.numel()] if config.itf == "all" else None

    def cosines(piece: Piece) -> list[Tensor]:
        vectors = piece.vectors or _vectors(context, piece, own, config)
        return [(rows @ direction).div_(norms) for rows, norms in vectors]

    return _over(pieces, cosines)


def _vectors(context: ContextTokens, piece: Piece, weights: Tensor | None, config: BeaverConfig) -> Vectors:
    found = page_vectors(context.rows, piece.tokens, piece.cut, weights, config.pooling_weight)
    return [(rows, row_norms(rows)) for rows in found]


def overlap_scores(
    context: ContextTokens, pieces: Sequence[Piece], query: QueryTokens, config: BeaverConfig
) -> list[Tensor]:
    """Eq. 7: the summed weight of the tokens in each range that also stand in the query; as `semantic_scores`."""
    asked = torch.zeros_like(query.weights)
    asked[query.places.long()] = query.weights.index_select(0, query.places)
    known = asked[: context.counts.numel()]
    return _over(pieces, lambda piece: range_sums(known, piece.tokens, piece.cut))


def maxsim_scores(
    context: ContextTokens, pieces: Sequence[Piece], query: QueryTokens, config: BeaverConfig
) -> list[Tensor]:
    """The query tokens' best matches in each range, ``sum_k w_k max_j match(x_ij, q_k)``, over ``sum_k w_k``.

    ``match`` is the cosine, 0 below ``maxsim_floor``.  An exact match gains ``phrase_weight`` for each neighbour in the
    query that it also has in the context, times the weight of the run that they are part of in place of ``w_k``, so
    that whole names and numbers beat their scattered pieces, however common the pieces are.

    Differs from the paper: takes the place of Eq. 7.  It is ColBERT's late interaction over static token embeddings:
    an exact match counts fully, a related word by its cosine.  A token that the query repeats counts once in all.
    Parameters and result are those of `semantic_scores`.
    """
    repeats = torch.bincount(query.places).index_select(0, query.places)  # [K]
    weights = query.weights.index_select(0, query.places) / repeats
    total = weights.sum().clamp_min(_LEAST_WEIGHT)
    weights = weights / total
    phrases = None
    if config.phrase_weight > 0:
        rewards = config.phrase_weight / (repeats * total)  # [K]
        phrases = shared_phrases(context, query, rewards, itf=config.itf != "none")
    units = unit_rows(query.rows)
    known = query.places[query.places < context.counts.numel()].long()
    below = float(np.nextafter(np.float32(config.maxsim_floor), np.float32(-1)))  # what is above it stays
    totals: list[Tensor] = []
    count, columns = weights.numel(), _QUERY_TOKENS_AT_ONCE
    for low in range(0, count, columns):
        asked = slice(low, low + columns)
        cosines = (context.rows @ units[asked].T).div_(context.norms.unsqueeze(1))  # [U, k]
        functional.threshold(cosines, below, 0, inplace=True).mul_(weights[asked])
        matching = (cosines.sum(1) > 0).index_fill_(0, known, True)  # [U]; few match, and only they are gathered
        inside = phrases if phrases is None or count <= columns else phrases.between(low, low + columns)
        found = _over(pieces, partial(_best_matches, cosines, matching, inside))
        totals = [total + more for total, more in zip(totals, found, strict=True)] if totals else found
    return totals


def _best_matches(weighted: Tensor, matching: Tensor, phrases: Phrases | None, piece: Piece) -> list[Tensor]:
    """Sum over query tokens of the best weighted match ([U, k]) in each range of a piece.

    Tokens are gathered where ``matching`` ([U]) says so; all that are part of a phrase are.
    """
    at = matching.index_select(0, piece.tokens).nonzero().squeeze(1)  # [P]
    matches = weighted.index_select(0, piece.tokens.index_select(0, at))  # [P, k]
    if phrases is not None:
        edges = torch.tensor([piece.start, piece.start + piece.tokens.numel()], device=at.device)
        first, last = torch.searchsorted(phrases.tokens, edges).tolist()
        rows = torch.searchsorted(at, phrases.tokens[first:last] - piece.start)
        matches[rows, phrases.places[first:last]] += phrases.gains[first:last]  # each place once: nothing is lost
    limits = torch.searchsorted(at, piece.cut.atoms)
    return [found.sum(1) for found in range_maxima(matches, piece.cut, limits, least=0)]


def with_neighbors(scores: Tensor, contexts: Tensor, weight: float) -> Tensor:
    """Each score plus ``weight`` times those of the ranges right before and after it in the same context.

    Args:
        scores: float32 [N].
        contexts: index of each range's context, int64 [N].
        weight: share of a neighbour's score.

    >>> with_neighbors(torch.tensor([0.0, 1.0, 0.0]), torch.tensor([0, 0, 1]), 0.5)
    tensor([0.5000, 1.0000, 0.0000])
    """
    together = weight * (contexts[1:] == contexts[:-1])
    result = scores.clone()
    result[1:] += together * scores[:-1]
    result[:-1] += together * scores[1:]
    return result


def sentence_scores(own: Tensor, pages: Tensor, first_page: Tensor, last_page: Tensor, weight: float) -> Tensor:
    """A sentence's score: its own, and the best of the pages that it stands in.

    Differs from the paper, which keeps whole pages: within a page the sentences that match go first.

    Args:
        own: scores of the sentences, float32 [S].
        pages: scores of the pages, float32 [N].
        first_page: index of the page of each sentence's first token, int64 [S].
        last_page: index of the page of each sentence's last token, int64 [S].
        weight: share of the sentence's own score.

    Returns:
        float32 [S].
    """
    page = torch.maximum(pages.index_select(0, first_page), pages.index_select(0, last_page))
    return weight * own + (1 - weight) * page


def ranked(scores: Tensor) -> Tensor:
    """Indices of the scores, best first; scores that agree to a 65,536th stay in order of position."""
    return torch.argsort((scores * _SCORE_STEPS).round(), descending=True, stable=True)


def _over(pieces: Sequence[Piece], function: Callable[[Piece], list[Tensor]]) -> list[Tensor]:
    """What a function gives for each range of each partition, all pieces joined."""
    found = [part for parts in _of_each(pieces, partial(_halving, function=function)) for part in parts]
    return [torch.cat(parts) for parts in zip(*found, strict=True)]


def _of_each(pieces: Sequence[Piece], function: Callable[[Piece], Result]) -> list[Result]:
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
        )
        for at in range(len(edges) - 1)
    ]
