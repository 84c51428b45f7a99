"""The QueryPlanner's scores: how well each range of tokens answers the question, by meaning and by words (Eqs. 6, 7).

It sees vectors, ids and limits, never text.  A range is a page or a sentence; both are scored by the same functions.
The prompts of a batch are scored together, and on the CPU each range gets to the bit what it would get alone: sums run
over a row, or in float64, and products with the query's tokens are made prompt by prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor
from torch.nn import functional

from beaver_compat.config import BeaverConfig
from beaver_compat.page_encoder import Cut, bag_sum, page_vectors, range_sums
from beaver_compat.scores.lookup import ContextTokens, QueryTokens, min_max, of_prompt, row_norms, unit_rows
from beaver_compat.scores.maxsim import maxsim_scores
from beaver_compat.scores.pieces import Piece, Vectors, of_all, of_each, prompts_of_ranges

_HEADINGS = 5  # levels of parts within parts whose names count
_SCORE_STEPS = 1 << 16  # scores are rounded to this grid, so that equal pages tie on every device


def with_vectors(context: ContextTokens, pieces: Sequence[Piece], config: BeaverConfig) -> list[Piece]:
    """The pieces with their vectors, unless those depend on the query's counts."""
    if config.itf == "all" or config.semantic_weight == 0:
        return list(pieces)
    vectors = of_each(pieces, lambda piece: _vectors(context, piece, None, config))
    return [piece._replace(vectors=own) for piece, own in zip(pieces, vectors, strict=True)]


def mixed_scores(
    context: ContextTokens, pieces: Sequence[Piece], query: QueryTokens, config: BeaverConfig, normalized: bool = True
) -> list[Tensor]:
    """``lambda * s_sem + (1 - lambda) * s_lex`` of each range, each score min-max normalised over prompt and partition.

    Args:
        context: the contexts.
        pieces: their ranges.
        query: the queries.
        config: the settings.
        normalized: False leaves the scores as they are, so that those of a few ranges aren't torn apart.

    Returns:
        Scores, in [0, 1] if normalized, float32 [N] for each partition.
    """
    share, count = config.semantic_weight, len(context.edges) - 1
    lexical = maxsim_scores if config.lexical_score == "maxsim" else overlap_scores
    parts = [(weight, score) for weight, score in ((share, semantic_scores), (1 - share, lexical)) if weight > 0]
    prompts = prompts_of_ranges(pieces)
    terms = [
        [
            weight * (min_max(term, own, count) if normalized else term)
            for term, own in zip(score(context, pieces, query, config), prompts, strict=True)
        ]
        for weight, score in parts
    ]
    return [reduce(torch.add, partition) for partition in zip(*terms, strict=True)]


def semantic_scores(
    context: ContextTokens, pieces: Sequence[Piece], query: QueryTokens, config: BeaverConfig
) -> list[Tensor]:
    """Eq. 6: ``sum_k w_k cos(p_i, q_k)`` over the query's vectors.

    Linear in the normalised query vectors, so it is one product with their weighted sum.  With late interaction the
    vectors are the query's tokens, if there are enough of them; else one vector, Eq. 5 over the query as one page.

    Args:
        context: the contexts.
        pieces: the ranges that are scored.
        query: the queries.
        config: the settings.

    Returns:
        float32 [N] for each partition.
    """
    weights = query.weights.index_select(0, query.places)
    order = torch.arange(weights.numel(), dtype=torch.int32, device=weights.device)
    limits = torch.tensor(query.edges, dtype=torch.int32, device=weights.device)
    pages = Cut(limits, (torch.arange(limits.numel(), device=weights.device),))
    dense = page_vectors(query.rows, order, pages, weights if config.itf == "all" else None, config.pooling_weight)
    directions = unit_rows(dense[0])  # [B, d]
    if config.late_interaction:
        late = bag_sum(unit_rows(query.rows), order, limits[:-1], weights)
        enough = limits.diff() >= config.late_interaction_tokens
        directions = torch.where(enough.unsqueeze(1), late, directions)
    own = query.weights[: context.counts.numel()] if config.itf == "all" else None

    def cosines(piece: Piece) -> list[Tensor]:
        vectors = zip(piece.vectors or _vectors(context, piece, own, config), piece.prompts, strict=True)
        return [
            torch.linalg.vecdot(rows, of_prompt(directions, prompts)).div_(norms) for (rows, norms), prompts in vectors
        ]

    return of_all(pieces, cosines)


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
    return of_all(pieces, lambda piece: range_sums(known, piece.tokens, piece.cut))


def information_scores(context: ContextTokens, pieces: Sequence[Piece]) -> list[Tensor]:
    """What each range says by itself: over its tokens the mean of ``|e| / tf``, the length of the row over the count.

    Differs from the paper, which ranks by the end of the text where that asks nothing.  Each distinct token is worth
    the length of its row, which training leaves short for words of grammar, and its places share that: the best ranges
    say the most different words for their tokens.

    Args:
        context: the contexts.
        pieces: the ranges that are scored.

    Returns:
        float32 [N] for each partition.
    """
    values = context.norms / context.counts

    def means(piece: Piece) -> list[Tensor]:
        sums = zip(range_sums(values, piece.tokens, piece.cut), piece.cut.parts, strict=True)
        return [total / piece.cut.atoms[part].diff() for total, part in sums]

    return of_all(pieces, means)


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


def with_speech(scores: Tensor, onward: Tensor, weight: float) -> Tensor:
    """Each score plus a share of those before and behind it that it goes on with.

    Differs from the paper: speech without punctuation is divided anywhere, so that an answer may stand right behind
    what the question asks.

    Args:
        scores: float32 [S].
        onward: index of the sentence that each goes on with, S for none, at the end of that, int64 [S + 1].
        weight: share of a neighbour's score.

    >>> with_speech(torch.tensor([0.0, 1.0, 0.0]), torch.tensor([3, 0, 3, 3]), 0.5)
    tensor([0.5000, 1.0000, 0.0000])
    """
    before = onward[:-1]
    padded = functional.pad(scores, (0, 1))
    found = padded.clone()
    found[:-1] += weight * padded.index_select(0, before)
    found.index_add_(0, before, scores, alpha=weight)
    return found[:-1]


def sentence_scores(own: Tensor, pages: Tensor, first_page: Tensor, last_page: Tensor, weights: Tensor) -> Tensor:
    """A sentence's score: its own, and the best of the pages that it stands in.

    Differs from the paper, which keeps whole pages: within a page the sentences that match go first.

    Args:
        own: scores of the sentences, float32 [S].
        pages: scores of the pages, float32 [N].
        first_page: index of the page of each sentence's first token, int64 [S].
        last_page: index of the page of each sentence's last token, int64 [S].
        weights: share of each sentence's own score, float32 [S].

    Returns:
        float32 [S].
    """
    page = torch.maximum(pages.index_select(0, first_page), pages.index_select(0, last_page))
    return weights * own + (1 - weights) * page


def with_headings(scores: Tensor, own: Tensor, heads: Tensor, naming: Tensor, weight: float) -> Tensor:
    """Each sentence's score and ``weight`` times the own score of what names its part, of the part around that, ...

    Differs from the paper: what a section is about often stands in its heading alone.

    Args:
        scores: float32 [S].
        own: scores of the sentences by themselves, float32 [S].
        heads: index of the sentence that names each one's part, S for none, at the end of that, int64 [S + 1].
        naming: True for each sentence that names its part and says more: it gains like those that it names, or they
            would go before it, bool [S].
        weight: share of that one's score.

    >>> own = torch.tensor([1.0, 0.5, 0.0])
    >>> with_headings(own, own, torch.tensor([3, 0, 1, 3]), torch.tensor([True, False, False]), 0.5)
    tensor([1.5000, 1.0000, 0.7500])
    """
    gains = functional.pad(own, (0, 1)).mul_(weight)
    scores = scores + gains[:-1] * naming
    at = heads[:-1]
    for level in range(_HEADINGS):
        at = heads.index_select(0, at) if level else at
        scores = scores + gains.index_select(0, at)
    return scores


def ranked(scores: Tensor, prompts: Tensor | None = None) -> Tensor:
    """Indices of the scores, prompt by prompt, best first; scores that agree to a 65,536th stay in order of position.

    Args:
        scores: [N].
        prompts: index of each score's prompt, int64 [N]; None where there is one.
    """
    order = torch.argsort((scores * _SCORE_STEPS).round(), descending=True, stable=True)
    return order if prompts is None else order[torch.argsort(prompts[order], stable=True)]
