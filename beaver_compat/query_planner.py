"""The QueryPlanner's scores: how well each range of tokens answers the question, by meaning and by words (Eqs. 6, 7).

It sees vectors, ids and limits, never text.  A range is a page or a sentence; both are scored by the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from beaver_compat.config import BeaverConfig
from beaver_compat.page_encoder import (
    ContextTokens,
    Cut,
    QueryTokens,
    cut,
    min_max,
    page_vectors,
    range_maxima,
    range_sums,
    unit_rows,
)

_TOKENS_AT_ONCE = 1 << 20  # tokens that one step reads; bounds memory however long the context
_QUERY_TOKENS_AT_ONCE = 32  # columns of the similarity matrix held at once
_LEAST_WEIGHT = 1e-9  # what a sum of weights is at least divided by
_SCORE_STEPS = 1 << 16  # scores are rounded to this grid, so that equal pages tie on every device


class Piece(NamedTuple):
    """A run of a context's tokens that is scored in one step.

    Attributes:
        tokens: int32 [L].
        cut: its ranges, of every partition.
        vectors: their page vectors at length 1, float32 [N, d] for each partition; None where they depend on the
            query's counts.
    """

    tokens: Tensor
    cut: Cut
    vectors: list[Tensor] | None


def read_pieces(context: ContextTokens, limits: Sequence[Tensor], config: BeaverConfig) -> Iterator[Piece]:
    """What can be known of a context's ranges before there is a question.

    Args:
        context: the context.
        limits: token limits of each partition, int64 [N + 1]; no range is empty.
        config: the settings.
    """
    for low, high, ranges in _cuts(limits):
        tokens = context.tokens[low:high]
        vectors = None
        if config.itf != "all" and config.semantic_weight > 0:
            vectors = [unit_rows(v) for v in page_vectors(context.rows, tokens, ranges, None, config.pooling_weight)]
        yield Piece(tokens, ranges, vectors)


def mixed_scores(
    context: ContextTokens, pieces: Iterable[Piece], query: QueryTokens, config: BeaverConfig
) -> list[Tensor]:
    """``lambda * s_sem + (1 - lambda) * s_lex`` of each range, each score min-max normalised over its partition.

    Args:
        context: the context.
        pieces: its ranges.
        query: the query.
        config: the settings.

    Returns:
        Scores in [0, 1], float32 [N] for each partition.
    """
    share = config.semantic_weight
    lexical = maxsim_scores if config.lexical_score == "maxsim" else overlap_scores
    parts = [(weight, score) for weight, score in ((share, semantic_scores), (1 - share, lexical)) if weight > 0]
    raw = [[score(context, piece, query, config) for _, score in parts] for piece in pieces]
    mixed: list[Tensor] = []
    for scores in zip(*(zip(*piece, strict=True) for piece in raw), strict=True):  # one partition, all pieces
        terms = [
            weight * min_max(torch.cat(term))
            for (weight, _), term in zip(parts, zip(*scores, strict=True), strict=True)
        ]
        mixed.append(torch.stack(terms).sum(0))
    return mixed


def semantic_scores(context: ContextTokens, piece: Piece, query: QueryTokens, config: BeaverConfig) -> list[Tensor]:
    """Eq. 6: ``sum_k w_k cos(p_i, q_k)`` over the query's vectors.

    Linear in the normalised query vectors, so it is one product with their weighted sum.  With late interaction the
    vectors are the query's tokens, if there are enough of them; else one vector, Eq. 5 over the query as one page.

    Args:
        context: the context.
        piece: the ranges that are scored.
        query: the query.
        config: the settings.

    Returns:
        float32 [N] for each partition.
    """
    gamma = config.pooling_weight
    weights = query.weights.index_select(0, query.places)
    if config.late_interaction and weights.numel() >= config.late_interaction_tokens:
        direction = weights @ unit_rows(query.rows)  # [d]
    else:
        order = torch.arange(weights.numel(), dtype=torch.int32, device=weights.device)
        ends = torch.tensor([0, weights.numel()], device=weights.device)
        dense = page_vectors(query.rows, order, cut(ends), weights if config.itf == "all" else None, gamma)
        direction = unit_rows(dense[0])[0]
    vectors = piece.vectors
    if vectors is None:
        own = query.weights[: context.counts.numel()]
        vectors = [unit_rows(v) for v in page_vectors(context.rows, piece.tokens, piece.cut, own, gamma)]
    return [units @ direction for units in vectors]


def overlap_scores(context: ContextTokens, piece: Piece, query: QueryTokens, config: BeaverConfig) -> list[Tensor]:
    """Eq. 7: the summed weight of the tokens in each range that also stand in the query; as `semantic_scores`."""
    asked = torch.zeros_like(query.weights)
    asked[query.places.long()] = query.weights.index_select(0, query.places)
    return range_sums(asked[: context.counts.numel()], piece.tokens, piece.cut)


def maxsim_scores(context: ContextTokens, piece: Piece, query: QueryTokens, config: BeaverConfig) -> list[Tensor]:
    """The query tokens' best matches in each range, ``sum_k w_k max_j match(x_ij, q_k)``, over ``sum_k w_k``.

    ``match`` is the cosine, 0 below ``maxsim_floor``, and an exact match gains ``phrase_weight`` for each neighbour in
    the query that it also has in the context, so that whole names and numbers beat their scattered pieces.

    Differs from the paper: takes the place of Eq. 7.  It is ColBERT's late interaction over static token embeddings:
    an exact match counts fully, a related word by its cosine.  A token that the query repeats counts once in all.
    Parameters and result are those of `semantic_scores`.
    """
    _, same, repeats = torch.unique(query.places, return_inverse=True, return_counts=True)
    weights = query.weights.index_select(0, query.places) / repeats[same]
    units = unit_rows(query.rows)
    pairs = shared_pairs(piece.tokens, query.places) if config.phrase_weight > 0 else None
    totals = [torch.zeros(part.numel() - 1, device=part.device) for part in piece.cut.parts]
    for low in range(0, weights.numel(), _QUERY_TOKENS_AT_ONCE):
        asked = slice(low, low + _QUERY_TOKENS_AT_ONCE)
        cosines = context.units @ units[asked].T  # [U, k]
        cosines[cosines < config.maxsim_floor] = 0
        matches = cosines.index_select(0, piece.tokens)  # [L, k]
        if pairs is not None:
            _reward(matches, pairs, low, config.phrase_weight)
        for total, best in zip(totals, range_maxima(matches, piece.cut), strict=True):
            total += best @ weights[asked]
    return [total / weights.sum().clamp_min(_LEAST_WEIGHT) for total in totals]


def shared_pairs(tokens: Tensor, query: Tensor) -> tuple[Tensor, Tensor]:
    """Where two neighbours of the query stand side by side in the context.

    Args:
        tokens: int32 [L].
        query: int32 [K].

    Returns:
        Index of the first token of the pair in ``tokens`` and in ``query``, int64 [P] each.

    >>> shared_pairs(torch.tensor([7, 8, 9, 8]), torch.tensor([7, 8]))
    (tensor([0]), tensor([0]))
    """
    if tokens.numel() < 2 or query.numel() < 2:
        none = torch.zeros(0, dtype=torch.int64, device=tokens.device)
        return none, none
    step = int(torch.maximum(tokens.max(), query.max())) + 1
    known = torch.zeros(step, dtype=torch.bool, device=tokens.device)
    known[query.long()] = True
    known = known.index_select(0, tokens)  # [L]
    at = (known[:-1] & known[1:]).nonzero().squeeze(1)
    here = tokens[at].long() * step + tokens[at + 1]
    asked, place = torch.unique(query[:-1].long() * step + query[1:], return_inverse=True)
    found = torch.searchsorted(asked, here).clamp_max(asked.numel() - 1)
    same = asked[found] == here
    at, found = at[same], found[same]
    hit, where = (found.unsqueeze(1) == place.unsqueeze(0)).nonzero(as_tuple=True)
    return at[hit], where


def _reward(matches: Tensor, pairs: tuple[Tensor, Tensor], low: int, reward: float) -> None:
    """Add the reward to both matches of each pair, in the columns (query tokens from ``low``) that are there."""
    for offset in (0, 1):
        rows, columns = pairs[0] + offset, pairs[1] + offset - low
        inside = (columns >= 0) & (columns < matches.shape[1])
        rows, columns = rows[inside], columns[inside]
        matches[rows, columns] += reward  # a place is hit once per offset, so nothing is lost


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


def _cuts(limits: Sequence[Tensor]) -> Iterator[tuple[int, int, Cut]]:
    """Runs of about a million tokens, cut where all partitions have a limit: token range and partitions of each."""
    count = int(limits[0][-1])
    if count <= _TOKENS_AT_ONCE:
        yield 0, count, cut(*limits)
        return
    common = limits[0]
    for part in limits[1:]:
        common = common[torch.isin(common, part)]
    steps = torch.arange(0, count, _TOKENS_AT_ONCE, device=common.device)
    edges = torch.cat([common[torch.searchsorted(common, steps)], common[-1:]]).unique()
    for low, high in pairwise(edges.tolist()):
        yield low, high, cut(*(part[(part >= low) & (part <= high)] - low for part in limits))
