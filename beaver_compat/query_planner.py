"""The QueryPlanner's scores: how well each range of tokens answers the question, by meaning and by words (Eqs. 6, 7).

It sees vectors, ids and limits, never text.  A range is a page or a sentence; both are scored by the same functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from beaver_compat.config import BeaverConfig
from beaver_compat.page_encoder import (
    Cut,
    Vocabulary,
    cut,
    itf_weights,
    min_max,
    page_vectors,
    range_maxima,
    range_sums,
    unit_rows,
)

_TOKENS_AT_ONCE = 1 << 20  # tokens that one step reads; bounds memory however long the context
_QUERY_TOKENS_AT_ONCE = 32  # columns of the similarity matrix held at once
_LEAST_WEIGHT = _LEAST_NORM = 1e-9  # what sums of weights and lengths are at least divided by
_SCORE_STEPS = 1 << 16  # scores are rounded to this grid, so that equal pages tie on every device


class Encoded(NamedTuple):
    """One context and its query as the scores read them.

    Attributes:
        vocabulary: the distinct tokens, with the index of each token.
        table: their embedding rows in float32, [U, d].
        weights: Eq. 2 of each distinct token, float32 [U]; all 1 without ITF.
    """

    vocabulary: Vocabulary
    table: Tensor
    weights: Tensor

    @property
    def units(self) -> Tensor:
        """``table`` with rows of length 1."""
        return unit_rows(self.table)


def encode(vocabulary: Vocabulary, table: Tensor, config: BeaverConfig) -> Encoded:
    """Look up what the scores need: one row and one weight for each distinct token.

    Args:
        vocabulary: of context and query.
        table: the whole embedding table, [V, d].
        config: its ``itf`` says whether Eq. 2 is used at all.
    """
    rows = table.index_select(0, vocabulary.ids).float()
    counts = vocabulary.counts
    return Encoded(vocabulary, rows, torch.ones_like(rows[:, 0]) if config.itf == "none" else itf_weights(counts))


def mixed_scores(encoded: Encoded, limits: Sequence[Tensor], config: BeaverConfig) -> list[Tensor]:
    """``lambda * s_sem + (1 - lambda) * s_lex`` of each range, each score min-max normalised over its partition.

    Args:
        encoded: context and query.
        limits: token limits of each partition, int64 [N + 1]; no range is empty.
        config: the settings.

    Returns:
        Scores in [0, 1], float32 [N] for each partition.
    """
    share = config.semantic_weight
    tokens = encoded.vocabulary.context
    lexical = maxsim_scores if config.lexical_score == "maxsim" else overlap_scores
    mixed = [torch.zeros(part.numel() - 1, device=part.device) for part in limits]
    for weight, score in ((share, semantic_scores), (1 - share, lexical)):
        if weight > 0:
            raw = [score(encoded, tokens[low:high], piece, config) for low, high, piece in _pieces(limits)]
            for total, scores in zip(mixed, zip(*raw, strict=True), strict=True):
                total += weight * min_max(torch.cat(scores))
    return mixed


def semantic_scores(encoded: Encoded, tokens: Tensor, cut: Cut, config: BeaverConfig) -> list[Tensor]:
    """Eq. 6: ``sum_k w_k cos(p_i, q_k)`` over the query's vectors.

    Linear in the normalised query vectors, so it is one product with their weighted sum.  With late interaction the
    vectors are the query's tokens, if there are enough of them; else one vector, Eq. 5 over the query as one page.

    Args:
        encoded: context and query.
        tokens: those of the context that are scored, int32 [L].
        cut: their ranges.
        config: the settings.

    Returns:
        float32 [N] for each partition.
    """
    query = encoded.vocabulary.query
    weights = encoded.weights if config.itf == "all" else None
    if config.late_interaction and query.numel() >= config.late_interaction_tokens:
        vectors = unit_rows(encoded.table.index_select(0, query))
        direction = encoded.weights.index_select(0, query) @ vectors  # [d]
    else:
        whole = one_range(query)
        direction = unit_rows(page_vectors(encoded.table, query, whole, weights, config.pooling_weight)[0])[0]
    pooled = page_vectors(encoded.table, tokens, cut, weights, config.pooling_weight)
    return [vectors @ direction / torch.linalg.vector_norm(vectors, dim=1).clamp_min(_LEAST_NORM) for vectors in pooled]


def overlap_scores(encoded: Encoded, tokens: Tensor, cut: Cut, config: BeaverConfig) -> list[Tensor]:
    """Eq. 7: the summed weight of the tokens in each range that also stand in the query; as `semantic_scores`."""
    asked = torch.zeros_like(encoded.weights)
    query = encoded.vocabulary.query.long()
    asked[query] = encoded.weights[query]
    return range_sums(asked, tokens, cut)


def maxsim_scores(encoded: Encoded, tokens: Tensor, cut: Cut, config: BeaverConfig) -> list[Tensor]:
    """The query tokens' best matches in each range, ``sum_k w_k max_j match(x_ij, q_k)``, over ``sum_k w_k``.

    ``match`` is the cosine, 0 below ``maxsim_floor``, and an exact match gains ``phrase_weight`` for each neighbour in
    the query that it also has in the context, so that whole names and numbers beat their scattered pieces.

    Differs from the paper: takes the place of Eq. 7.  It is ColBERT's late interaction over static token embeddings:
    an exact match counts fully, a related word by its cosine.  A token that the query repeats counts once in all.
    Parameters and result are those of `semantic_scores`.
    """
    query = encoded.vocabulary.query
    _, place, repeats = query.unique(return_inverse=True, return_counts=True)
    weights = encoded.weights.index_select(0, query) / repeats[place]
    pairs = shared_pairs(tokens, query) if config.phrase_weight > 0 else None
    totals = [torch.zeros(part.numel() - 1, device=part.device) for part in cut.parts]
    for low in range(0, query.numel(), _QUERY_TOKENS_AT_ONCE):
        asked = slice(low, low + _QUERY_TOKENS_AT_ONCE)
        cosines = encoded.units @ encoded.units.index_select(0, query[asked]).T  # [U, k]
        cosines[cosines < config.maxsim_floor] = 0
        matches = cosines.index_select(0, tokens)  # [L, k]
        if pairs is not None:
            _reward(matches, pairs, low, config.phrase_weight)
        for total, best in zip(totals, range_maxima(matches, cut), strict=True):
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
    asked, place = (query[:-1].long() * step + query[1:]).unique(return_inverse=True)
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


def one_range(tokens: Tensor) -> Cut:
    """All tokens as one range."""
    return cut(torch.tensor([0, tokens.numel()], device=tokens.device))


def _pieces(limits: Sequence[Tensor]) -> Iterator[tuple[int, int, Cut]]:
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
