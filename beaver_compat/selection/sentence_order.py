"""Which sentence of a paragraph answers best, for paragraphs of which only a part can be kept."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from beaver_compat.config import BeaverConfig
from beaver_compat.machine import one_thread
from beaver_compat.page_encoder import cut
from beaver_compat.query_planner import mixed_scores, ranked
from beaver_compat.scores.lookup import ContextTokens, QueryTokens
from beaver_compat.scores.pieces import Piece
from beaver_compat.scoring import Asked, encode, look_up
from beaver_compat.segmenter import tokens_at
from beaver_compat.selection.planning import Positions
from beaver_compat.selection.runs import Runs
from beaver_compat.text.ascending import rises

_LONGEST_DIVIDED = 16  # pages: longer stretches are cut, not divided into sentences


class SentenceOrder:
    """Ranks the sentences within a stretch, for stretches of which only a part can be kept.

    Args:
        asked, table, config: as for `score`.
    """

    def __init__(self, asked: Asked, table: Tensor, config: BeaverConfig) -> None:
        self._asked, self._table, self._config = asked, table, config

    def __call__(self, start: int, end: int, divided: bool) -> Runs:
        """The sentences between two characters, best first; none where there is only one.

        Args:
            start, end: characters.
            divided: whether JSON lines are divided, too, into their members.
        """
        document = self._asked.document
        line = int(document.lined.ends.searchsorted(start, side="right"))  # blank lines may stand before it
        if line == document.lined.ends.size:
            return []
        start = max(start, int(document.lined.starts[line]))
        record = bool(document.lined.boundaries.records[line])  # is divided into its elements, all of it
        if record:
            start, end = (int(limit[line]) for limit in (document.lined.starts, document.lined.ends))
        edges = document.smoother.sentences(start, end, divided)
        if document.leads is not None:  # no heading or label is one
            inner = np.array(edges[1:-1], dtype=np.int64)
            edges = [edges[0], *inner[~document.leads.unsaid(inner)].tolist(), edges[-1]]
        low = int(tokens_at(document.token_starts, np.array(edges[0])))
        high = int(document.token_ends.searchsorted(end, side="right"))
        longest = _LONGEST_DIVIDED * self._config.page_size
        first, behind = document.text_tokens
        if self._config.sentence_weight == 0 or not first <= low < high <= behind:
            return []  # pages are kept whole; the implicit query has no scores
        if not record and (high - low > longest or document.whole_lines[line]):
            return []
        inner = np.array(edges[1:-1], dtype=np.int64)
        tokens = tokens_at(document.token_starts, inner)
        apart = (rises(tokens, low) > 0) & (tokens < high)  # one token may hold several places
        if not apart.any():
            return []
        edges, limits = [edges[0], *inner[apart].tolist(), edges[-1]], np.array([low, *tokens[apart], high])
        with torch.inference_mode(), one_thread():
            scores = self._scores(limits)
            if self._asked.query.numbers is not None:
                starts, ends = np.array(edges[:-1]), np.array(edges[1:])
                numbers = document.with_numbers(starts, ends, limits, self._asked.query.numbers)
                scores += self._config.number_weight * torch.from_numpy(numbers).to(scores.device)
            order = ranked(scores).tolist()
        return [(edges[at], edges[at + 1]) for at in order]

    def _scores(self, limits: Positions) -> Tensor:
        context, query = self._tokens
        low, high = limits[[0, -1]] - self._asked.document.text_tokens[0]
        ranges = cut(torch.from_numpy(limits - limits[0]).to(self._table.device))
        own = torch.zeros(limits.size - 1, dtype=torch.int64, device=self._table.device)
        piece = Piece(int(low), context.tokens[low:high], ranges, (own,))
        return mixed_scores(context, [piece], query, self._config, normalized=False)[0]

    @cached_property
    def _tokens(self) -> tuple[ContextTokens, QueryTokens]:
        document, query, encoded = self._asked
        encoded = encoded or encode([document], self._table, self._config)
        return encoded.context, look_up(encoded, [query], self._table, self._config)
