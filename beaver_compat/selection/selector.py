"""What of a document is kept for a budget: the ranking bent to the caller's wishes, then filled.

It joins scores, wishes and layout; it reads neither vectors nor LLMLingua's arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.config import BeaverConfig
from beaver_compat.document import Document
from beaver_compat.pipeline import candidates, kept_spans, trimmed
from beaver_compat.result import KeptSpan
from beaver_compat.scoring import Scored
from beaver_compat.selection.bounds import within_limits
from beaver_compat.selection.fitting import largest_fitting
from beaver_compat.selection.layout import Layout
from beaver_compat.selection.planning import Candidates, Parts, Positions, plan
from beaver_compat.selection.preferences import (
    Extent,
    best_of_each,
    context_ranking,
    edge_sentences,
    preferred_order,
    saying,
)
from beaver_compat.selection.runs import Runs, merged
from beaver_compat.selection.wishes import Wishes


class Selection(NamedTuple):
    """What is kept.

    Attributes:
        kept: text of each part, "" where nothing is kept.
        order: the contexts in print order.
        spans: the kept stretches.
    """

    kept: list[str]
    order: list[int]
    spans: tuple[KeptSpan, ...]


class Selector:
    """Selects from one document.

    Args:
        document: of the layout's parts.
        scored: its scores.
        layout: how the prompt is put together.
        wishes: the caller's.
        config: the settings.
        count: tokens of a text.
        budget: tokens of the whole prompt.
        sentences_in: the sentences of a stretch, best first (`SentenceOrder`).
        said: what the rest of the prompt says: sentences that say no more are left out, unless all do.
    """

    def __init__(
        self,
        document: Document,
        scored: Scored,
        layout: Layout,
        wishes: Wishes,
        config: BeaverConfig,
        count: Callable[[str], int],
        budget: int,
        sentences_in: Callable[[int, int, bool], Runs],
        said: str = "",
    ) -> None:
        self.document, self.layout, self.wishes, self.config = document, layout, wishes, config
        self.count, self.budget, self.sentences_in = count, budget, sentences_in
        self.sentences = document.ranked(config)
        self.context_of_part = np.repeat(np.arange(len(layout.contexts)), [len(parts) for parts in layout.contexts])
        self.contexts = self.context_of_part[document.contexts_of(self.sentences.starts)]
        self.best_first = context_ranking(self.contexts, scored.order, len(layout.contexts))
        self.stays = self._staying()
        self.template = [
            part if index in layout.fixed and self.stays[context] else ""
            for index, (part, context) in enumerate(zip(layout.parts, self.context_of_part, strict=True))
        ]
        order = preferred_order(document, self.sentences, self.contexts, scored.flash, self.best_first, wishes)
        order = scored.order if order is None else order
        if said:
            new = ~saying(document, self.sentences, said)[order]
            order = order[new] if new.any() else order
        self.scored = scored._replace(order=order)

    def select(self) -> Selection:
        """Keep the best that fits.  Where the fixed parts alone exceed the budget, only they are kept."""
        if self.cost(self.template) > self.budget:
            return Selection(self.template, self.order(self.template), ())
        ranking, edges, breaks = within_limits(
            self._ranking(), self.document, self.layout, self.filled, self._parts(), self.count
        )

        def cost(runs: Runs) -> int:
            kept = self.filled(runs)
            return self.budget + 1 if breaks(kept) else self.cost(kept)

        chosen = plan(ranking, edges, self._parts(), cost, self.budget)
        kept = self.filled(chosen.runs)
        return Selection(kept, self.order(kept), kept_spans(self.document, ranking, chosen))

    def cost(self, kept: Sequence[str]) -> int:
        """Tokens of the prompt that holds this text of each part."""
        return self.count(self.layout.prompt(kept, self.order(kept)))

    def order(self, kept: Sequence[str]) -> list[int]:
        """All contexts in print order."""
        if self.wishes.order == "original":
            return list(range(len(self.layout.contexts)))
        best_first = self.best_first.tolist()
        if self.wishes.order != "two_stage":
            return best_first
        shown = [context for context in best_first if any(kept[part] for part in self.layout.contexts[context])]
        hidden = [context for context in best_first if not any(kept[part] for part in self.layout.contexts[context])]
        return shown[::2] + shown[1::2][::-1] + hidden

    def filled(self, runs: Runs) -> list[str]:
        """Kept text of each part, fixed parts included."""
        kept = list(self.template)
        if not runs:
            return kept
        starts, ends = trimmed(self.document, runs)
        text = self.document.lined.text
        labelled = [False, *self.document.end_with_labels(starts, ends).tolist()]
        columns = (self.document.contexts_of(starts).tolist(), starts.tolist(), ends.tolist(), labelled)
        for part, group in groupby(zip(*columns, strict=False), key=itemgetter(0)):
            written: list[str] = []
            behind = -1
            for _, start, end, follows_label in group:
                if behind >= 0:
                    written.append(" " if follows_label else self.layout.separator(text[behind:start]))
                written.append(text[start:end])
                behind = end
            kept[part] = "".join(written)
        return kept

    def _staying(self) -> NDArray[np.bool_]:
        """True for each context that may stay: the best within the bounds, and one at least.

        The implicit query is kept whole, so its context stays.
        """
        stays = np.ones(self.best_first.size, dtype=bool)
        if not self.wishes.bounded:
            return stays
        stays[:] = False
        stays[[*self.wishes.whole, *self.layout.staying, *self._query_context()]] = True
        sizes = np.array([self.count(self.layout.text(index)) for index in range(stays.size)])
        room = self.budget - self.count(self.layout.prompt([""] * len(self.layout.parts), range(stays.size)))
        most = self.wishes.tokens_that_stay(int(sizes.sum()), max(room, 0))
        number = stays.size if self.wishes.most_contexts is None else self.wishes.most_contexts
        others = self.best_first[~stays[self.best_first]]
        fits = stays.sum() + np.arange(1, others.size + 1) <= number
        fits &= sizes[stays].sum() + np.cumsum(sizes[others]) <= most
        count = others.size if fits.all() else int(fits.argmin())
        stays[others[: count if stays.any() else max(count, 1)]] = True
        return stays

    def _query_context(self) -> list[int]:
        """The context that the implicit query stands in, if there is one."""
        document = self.document
        part = document.contexts_of(document.token_starts[slice(*document.query)][:1])
        return self.context_of_part[part].tolist()

    def _ranking(self) -> Candidates:
        """The candidates, the forced ones first, of the contexts that stay."""
        document, layout = self.document, self.layout
        shown = self.best_first[self.stays[self.best_first]].tolist()
        order = self.scored.order
        best = order[best_of_each(self.contexts[order], self.wishes.best_sentences)]
        forced: list[Extent] = [
            document.lined.extents[part]
            for context in dict.fromkeys([*self.wishes.whole, *self._fitting(shown)])
            for part in layout.contexts[context]
        ]
        loose = [tuple(part for part in layout.contexts[context] if part not in layout.fixed) for context in shown]
        forced += edge_sentences(document, loose, self.wishes.first_sentences, self.wishes.last_sentences)
        forced += zip(self.sentences.starts[best].tolist(), self.sentences.ends[best].tolist(), strict=True)
        ranking = candidates(document, self.scored, forced, self.config, self._query_first(forced))
        part = document.contexts_of(ranking.starts)
        loose_part = self.stays[self.context_of_part] & ~_marked(layout.fixed, len(layout.parts))
        atomic = _marked(layout.atomic, len(layout.parts))[part]
        ranking = ranking._replace(
            starts=np.where(atomic, document.lined.context_starts[part], ranking.starts),
            ends=np.where(atomic, document.lined.context_ends[part], ranking.ends),
            whole=ranking.whole | atomic | self.wishes.whole_sentences,
        )
        return ranking.at(loose_part[part])

    def _query_first(self, forced: list[Extent]) -> bool:
        """Whether the implicit query goes before what is forced: where it asks something, or not all of that fits."""
        if self.document.asks or not forced:
            return True
        starts, ends = np.array(forced, dtype=np.int64).T
        return self.cost(self.filled(merged(starts, ends))) > self.budget

    def _fitting(self, shown: list[int]) -> list[int]:
        """The best contexts that fit together whole, if whole contexts are wished for."""
        if not self.wishes.whole_contexts:
            return []

        def cost(count: int) -> int:
            kept = list(self.template)
            for context in shown[:count]:
                for part in self.layout.contexts[context]:
                    kept[part] = self.layout.parts[part]
            return self.cost(kept)

        sizes = np.cumsum([len(self.layout.text(context)) for context in shown])
        return shown[: largest_fitting(cost, cost(0), sizes, self.budget)]

    def _parts(self) -> Parts:
        """How stretches are divided; those of atomic parts are not."""

        def atomic(start: int) -> bool:
            atoms = self.layout.atomic
            return bool(atoms) and int(self.document.contexts_of(np.array([start]))[0]) in atoms

        def places(start: int, end: int, torn: bool) -> tuple[Positions, NDArray[np.int8]]:
            found, levels = self.document.cut_places(start, end, torn)
            return (found[:0], levels[:0]) if atomic(start) else (found, levels)

        def sentences(start: int, end: int, divided: bool) -> Runs:
            return [] if atomic(start) else self.sentences_in(start, end, divided)

        return Parts(places, sentences)


def ranked_contexts(document: Document, scored: Scored, config: BeaverConfig) -> list[tuple[int, float]]:
    """Index and score of each context of a document, best first: its best sentence's score, 0 where it has none."""
    sentences = document.ranked(config)
    contexts = document.contexts_of(sentences.starts)
    best = np.zeros(document.lined.context_starts.size)
    np.maximum.at(best, contexts, scored.flash)
    return [(int(index), float(best[index])) for index in context_ranking(contexts, scored.order, best.size)]


def _marked(parts: frozenset[int], count: int) -> NDArray[np.bool_]:
    marks = np.zeros(count, dtype=bool)
    marks[list(parts)] = True
    return marks
