"""MaxSim: how well each range of tokens matches the query's words, and its runs of words, in Eq. 7's place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from beaver_compat.config import BeaverConfig
from beaver_compat.page_encoder import range_maxima
from beaver_compat.scores.lookup import ContextTokens, QueryTokens, of_prompt, prompt_sums, row_norms
from beaver_compat.scores.phrases import Phrases, shared_phrases
from beaver_compat.scores.pieces import Piece, of_all

_QUERY_TOKENS_AT_ONCE = 64  # columns of the similarity matrix held at once
_NUMERIC_GAIN = 2.5  # times as much as in other words: a number, or a name with one, is asked for itself
_LEAST_WEIGHT = 1e-9  # what a sum of weights is at least divided by


def maxsim_scores(
    context: ContextTokens, pieces: Sequence[Piece], query: QueryTokens, config: BeaverConfig
) -> list[Tensor]:
    """The query tokens' best matches in each range, ``sum_k w_k max_j match(x_ij, q_k)``, over ``sum_k w_k``.

    ``match`` is the cosine, 0 below ``maxsim_floor``.  An exact match gains ``phrase_weight`` for each neighbour in the
    query that it also has in the context, times the weight of the run that they are part of in place of ``w_k``, so
    that whole names and numbers beat their scattered pieces, however common the pieces are; in a word with a digit it
    gains more.  What is a word by itself gains no more than its own ``w_k``: ``of the`` says nothing more in a longer
    run.

    A number of one token matches no part of a longer one.

    Differs from the paper: takes the place of Eq. 7.  It is ColBERT's late interaction over static token embeddings:
    an exact match counts fully, in any case, a related word by its cosine.  A word counts once, however many tokens it
    is spelt in, and so does a token that the query repeats.  What a training has left short says little: ``w_k`` is
    Eq. 2 times the length of the token's row over the mean of the context's distinct tokens, 1 at most, so that words
    of grammar count for little also where they are rare in the context (`norm_weight`).
    Parameters and result are those of `semantic_scores`.
    """
    kinds, sizes = query.kinds.index_select(0, query.places), query.words.sizes
    repeats = torch.bincount(kinds).index_select(0, kinds)  # [K]
    norms = row_norms(query.rows)
    own = query.weights.index_select(0, query.places)
    if config.norm_weight > 0:
        own = own.lerp(own * _relative_norms(context, query, norms), config.norm_weight)
    weights = own / (repeats * sizes)
    prompts, count = query.prompts, len(query.edges) - 1
    totals = of_prompt(prompt_sums(weights, prompts, count).clamp_min_(_LEAST_WEIGHT).float(), prompts)
    phrases = None
    if config.phrase_weight > 0:
        rewards = config.phrase_weight * torch.where(query.words.numeric, _NUMERIC_GAIN, 1) / (repeats * totals)  # [K]
        most = torch.where((sizes > 1) | query.words.inside, 1, own)
        phrases = shared_phrases(context, query, rewards, most, itf=config.itf != "none")
    longest = max(last - first for first, last in pairwise(query.edges))
    shares = weights.new_zeros(count, longest)
    shares[prompts, query.columns] = weights / totals
    known = torch.cat([query.places[query.places < context.counts.numel()].long(), query.forms[0]])
    numbers = query.words.numeric & (sizes == 1)
    wanted = None
    if bool(numbers.any()):
        wanted = numbers.new_zeros(count, longest)
        wanted[prompts, query.columns] = numbers
    units = query.rows / norms.unsqueeze(1)
    below = float(np.nextafter(np.float32(config.maxsim_floor), np.float32(-1)))  # what is above it stays
    found: list[Tensor] = []
    for low in range(0, longest, _QUERY_TOKENS_AT_ONCE):
        high = min(low + _QUERY_TOKENS_AT_ONCE, longest)
        cosines = _cosines(context, query, units, low, high)  # [U, k]
        functional.threshold(cosines, below, 0, inplace=True).mul_(of_prompt(shares[:, low:high], context.prompts))
        matching = (cosines.sum(1) > 0).index_fill_(0, known, True)  # [U]; few match, and only they are gathered
        inside = phrases if phrases is None or longest == high - low else phrases.between(low, high)
        torn = None if wanted is None else _Torn(context, wanted[:, low:high])
        more = of_all(pieces, partial(_best_matches, cosines, matching, inside, torn))
        found = [total + term for total, term in zip(found, more, strict=True)] if found else more
    return [total.float() for total in found]


def _relative_norms(context: ContextTokens, query: QueryTokens, norms: Tensor) -> Tensor:
    """Lengths of the query tokens' rows over the mean length of their context's distinct tokens, 1 at most, [K]."""
    count = len(query.edges) - 1
    tokens = torch.tensor(context.limits, device=norms.device).diff()
    means = prompt_sums(context.norms, context.prompts, count).div_(tokens).float()
    return norms.div(of_prompt(means, query.prompts)).clamp_max_(1.0)


def _cosines(context: ContextTokens, query: QueryTokens, units: Tensor, low: int, high: int) -> Tensor:
    """Cosines of the distinct tokens with the query tokens of their prompt from ``low`` to ``high``, float32 [U, k].

    Those of a token with its other forms are 1.

    Args:
        context, query: of the batch.
        units: rows of the query tokens, scaled to length 1, [K, d].
        low, high: counted from the first token of each query; where one has fewer the cosine is 0.
    """
    cosines = context.rows.new_zeros(context.rows.shape[0], high - low)
    for prompt, (first, last) in enumerate(pairwise(query.edges)):
        asked = units[first + low : min(first + high, last)]
        own = slice(*context.limits[prompt : prompt + 2])
        torch.mm(context.rows[own], asked.T, out=cosines[own, : asked.shape[0]])
    cosines.div_(context.norms.unsqueeze(1))
    rows, columns = query.forms[0], query.columns.index_select(0, query.forms[1])
    here = (columns >= low) & (columns < high)
    cosines[rows[here], columns[here] - low] = 1
    return cosines


class _Torn(NamedTuple):
    """Which matches are of a number with a part of a longer one: 2 is not in 22.

    Attributes:
        context: the context.
        numbers: True for each query token that is a number by itself, by the prompts, bool [B, k].
    """

    context: ContextTokens
    numbers: Tensor

    def leave_out(self, matches: Tensor, piece: Piece, at: Tensor) -> None:
        """Set to 0 those of some tokens of a piece.

        Args:
            matches: of the tokens, [P, k]; is changed.
            piece: that they are of.
            at: their index in it, int64 [P].
        """
        inside, places = self.context.inside, at + piece.start
        behind = inside.index_select(0, (places + 1).clamp_max(inside.numel() - 1))
        rows = (inside.index_select(0, places) | behind).nonzero().squeeze(1)
        tokens = piece.tokens.index_select(0, at.index_select(0, rows))
        numbers = self.numbers.index_select(0, self.context.prompts.index_select(0, tokens))
        matches[rows] = matches.index_select(0, rows).masked_fill_(numbers, 0)


def _best_matches(
    weighted: Tensor, matching: Tensor, phrases: Phrases | None, torn: _Torn | None, piece: Piece
) -> list[Tensor]:
    """Sum over query tokens of the best weighted match ([U, k]) in each range of a piece.

    Tokens are gathered where ``matching`` ([U]) says so; all that are part of a phrase are.
    """
    at = matching.index_select(0, piece.tokens).nonzero().squeeze(1)  # [P]
    matches = weighted.index_select(0, piece.tokens.index_select(0, at))  # [P, k]
    if torn is not None:
        torn.leave_out(matches, piece, at)
    if phrases is not None:
        edges = torch.tensor([piece.start, piece.start + piece.tokens.numel()], device=at.device)
        first, last = torch.searchsorted(phrases.tokens, edges).tolist()
        rows = torch.searchsorted(at, phrases.tokens[first:last] - piece.start)
        matches[rows, phrases.places[first:last]] += phrases.gains[first:last]  # each place once: nothing is lost
    limits = torch.searchsorted(at, piece.cut.atoms)
    return [found.sum(1, dtype=torch.float64) for found in range_maxima(matches, piece.cut, limits, least=0)]
