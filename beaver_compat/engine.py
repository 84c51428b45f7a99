"""A table, a tokenizer and a counter at work: what every method of the compressor comes down to.

A call is a generator that stops where it needs its document's scores, so that those of many calls are computed
together.  It does not know of LLMLingua's arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
import torch

from beaver_compat import __version__
from beaver_compat.arguments import UNSET, Goal, checked_contexts, joined_prompt
from beaver_compat.config import BeaverConfig
from beaver_compat.counting import TableCounter, make_counter
from beaver_compat.document import Document, prepare_document
from beaver_compat.embeddings import EmbeddingTable
from beaver_compat.errors import InputValueError
from beaver_compat.joints import LEAST_KNOWN, count_joined
from beaver_compat.pipeline import whole_spans
from beaver_compat.prepared import PreparedContext, Read, Source
from beaver_compat.query import read_question
from beaver_compat.result import CompressionResult, KeptSpan
from beaver_compat.scoring import Asked, Scored, encode, score
from beaver_compat.segmenter import token_range
from beaver_compat.selection.layout import Layout, contexts_layout
from beaver_compat.selection.selector import Selection, Selector, ranked_contexts
from beaver_compat.selection.sentence_order import SentenceOrder
from beaver_compat.selection.wishes import Wishes
from beaver_compat.structured import Segment, structured_layout
from beaver_compat.tokenization import Tokenizer

Result = TypeVar("Result")
Steps = Generator[Asked, Scored, Result]
"""A call that stops where it needs its document's scores.  The arguments are checked before it begins."""


class Engine:
    """The compression of prompts whose arguments are checked.

    Args:
        table: the embedding table that ranks.
        config: settings of the method.
        language: of the sentence rules; None chooses by script.
        token_counter: what budgets count in (`make_counter`).
    """

    def __init__(
        self,
        table: EmbeddingTable,
        config: BeaverConfig,
        language: str | None,
        token_counter: str | Callable[[str], int] | None,
    ) -> None:
        self.table, self.config, self.language = table, config, language
        self._tokenizer = Tokenizer.of(table.tokenizer)
        self.counter = make_counter(token_counter, TableCounter(self._tokenizer))

    def _finish(self, steps: Steps[Result]) -> Result:
        return next(self._finished([steps]))

    def _finished(self, prompts: Sequence[Steps[Result]]) -> Iterator[Result]:
        """The results of prompts; those that need scores are scored together."""
        done: dict[int, Result] = {}
        running = [_put_away(index, steps, done) for index, steps in enumerate(prompts)]
        asked = [next(steps) for steps in running]
        scores = iter(self._score([one for one in asked if one]))
        for index, steps in enumerate(running):
            if asked[index]:
                steps.send(next(scores))
            asked[index] = None
            yield done.pop(index)

    def _score(self, asked: Sequence[Asked]) -> list[Scored]:
        return score(asked, self.table.weight, self.config)

    def _source(self, context: object) -> Source:
        if not isinstance(context, Source):
            return Source(checked_contexts(context), self._tokenizer, self._read)
        read = partial(self._read, keep_vectors=True)
        if isinstance(context, PreparedContext) and not context.fits(self, self._tokenizer, read):
            raise InputValueError(
                f"context is {context!r}, prepared by another compressor; use one with the table, device, config and"
                " language of that one, or prepare it with this one"
            )
        return context

    @property
    def _identity(self) -> tuple[object, ...]:
        """All that says how a context is read."""
        weight = self.table.weight
        table = (self._table_digest, tuple(weight.shape), str(weight.dtype), str(weight.device))
        return (__version__, table, self.config, self.language)

    @cached_property
    def _table_digest(self) -> str:
        weight = self.table.weight.cpu().contiguous()
        digest = hashlib.sha256(weight.view(torch.uint8).numpy().data)
        digest.update(self._tokenizer.backend.to_str().encode())
        return digest.hexdigest()

    def _compress(
        self,
        source: Source,
        instruction: str,
        question: str,
        goal: Goal,
        concate_question: bool,
        wishes: Wishes,
        query: str,
        segments: Sequence[Sequence[Segment]] | None = None,
        preserve: bool = True,
    ) -> Steps[CompressionResult]:
        contexts = source.contexts
        origin = joined_prompt([instruction, *contexts, question])
        origin_tokens = (
            self.counter(origin) if segments is not None else self._origin_tokens(source, instruction, question)
        )
        budget = goal.budget(origin_tokens)

        whole = contexts[0] if len(contexts) == 1 and concate_question else None

        def frame(kept: str) -> str:
            if kept is whole:
                return origin  # a long text is not joined twice
            return joined_prompt([instruction, kept, question if concate_question else ""])

        counted: dict[str, int] = {}

        def count(text: str) -> int:
            if text == origin:  # compared, not hashed, which would walk through a long one
                return origin_tokens
            tokens = counted.get(text)
            if tokens is None:
                tokens = counted[text] = self.counter(text)
            return tokens

        if segments is None:
            layout = contexts_layout(contexts, frame, wishes.blank_lines)
        else:
            layout, asked = structured_layout(segments, frame, count, preserve)
            budget = max(budget, asked) if goal.target == UNSET else budget
        selection = yield from self._select(source, layout, query, wishes, budget, count)
        kept = layout.compose(selection.kept, selection.order)
        compressed = frame(kept)
        return CompressionResult(
            compressed_prompt=compressed,
            compressed_context=kept,
            origin_tokens=origin_tokens,
            compressed_tokens=count(compressed),
            budget=budget,
            spans=selection.spans,
            counter=self.counter.name,
        )

    def _contexts_alone(
        self, compressed: str, origin_tokens: int, budget: int, spans: tuple[KeptSpan, ...] = ()
    ) -> dict[str, Any]:
        """The result dict of a prompt of contexts alone, without instruction and question."""
        return CompressionResult(
            compressed_prompt=compressed,
            compressed_context=compressed,
            origin_tokens=origin_tokens,
            compressed_tokens=self.counter(compressed),
            budget=budget,
            spans=spans,
            counter=self.counter.name,
        ).to_llmlingua()

    def _origin_tokens(self, source: Source, instruction: str = "", question: str = "") -> int:
        """Tokens of instruction, contexts and question: of the prompt that keeps everything."""
        known = {}
        if self.counter.cut and max(map(len, source.contexts), default=0) >= LEAST_KNOWN:
            known = {1 + index: tokens for index, tokens in enumerate(source.counts(self.counter))}
        return count_joined(self.counter, [instruction, *source.contexts, question], known)

    def _select(
        self,
        source: Source | None,
        layout: Layout,
        question: str,
        wishes: Wishes,
        budget: int,
        count: Callable[[str], int] | None = None,
    ) -> Steps[Selection]:
        count = count or self.counter
        everything = range(len(layout.contexts))
        bare = [part if index in layout.fixed else "" for index, part in enumerate(layout.parts)]
        if bare == layout.parts or (not layout.fixed and count(layout.prompt(bare, everything)) > budget):
            return Selection(bare, list(everything), ())
        if source is None or list(source.contexts) != layout.parts:
            source = Source(layout.parts, self._tokenizer, self._read)
        free = not (wishes.bounded or layout.limits or wishes.order != "original")
        if free and count(layout.prompt(layout.parts, everything)) <= budget:
            selection = Selection(layout.parts, list(everything), whole_spans(layout.parts, source.tokens.limits))
        else:
            query = read_question(self._tokenizer, question, self.config)
            document, encoded = source.read(not query.ids.size and not layout.segmented)
            if not query.ids.size:
                query = document.implicit_query(self._tokenizer, self.config)
            asked = Asked(document, query, encoded)
            scored = yield asked
            document = _with_times(document) if query.times else document
            order = SentenceOrder(asked, self.table.weight, self.config)
            said = question.strip() if question.strip() in layout.prompt(bare, everything) else ""
            selection = Selector(document, scored, layout, wishes, self.config, count, budget, order, said).select()
        own = groupby(selection.spans, key=attrgetter("context_index"))
        spans = chain.from_iterable(self._placed(index, list(spans), layout) for index, spans in own)
        return selection._replace(spans=tuple(spans))

    def _placed(self, part: int, spans: list[KeptSpan], layout: Layout) -> Iterable[KeptSpan]:
        """Spans of a part as those of the context that the part is inside of."""
        if part not in layout.inside:
            return spans
        text, offset = layout.inside[part]
        starts, ends = np.array([(span.start + offset, span.end + offset) for span in spans]).T
        token_starts, token_ends = self._tokenizer.encode([text]).offsets.T
        columns = (starts, ends, *token_range(token_starts, token_ends, starts, ends))
        return [
            replace(span, start=start, end=end, token_start=first, token_end=last)
            for span, start, end, first, last in zip(spans, *(column.tolist() for column in columns), strict=True)
        ]

    def _ranked(self, contexts: list[str], question: str) -> list[tuple[int, float]]:
        if not any(contexts):
            return [(index, 0.0) for index in range(len(contexts))]
        query = read_question(self._tokenizer, question, self.config)
        document, _ = self._source(contexts).read(implicit_query=False)
        query = query if query.ids.size else document.implicit_query(self._tokenizer, self.config)
        return ranked_contexts(document, self._score([Asked(document, query)])[0], self.config)

    def _read(self, source: Source, implicit_query: bool, keep_vectors: bool = False) -> Read:
        document = prepare_document(
            source.contexts, source.tokens, self._tokenizer, self.config, self.language, implicit_query
        )
        if not keep_vectors:
            return document, None
        return document, encode([document], self.table.weight, self.config, keep_vectors=True)


def _put_away(index: int, steps: Steps[Result], done: dict[int, Result]) -> Generator[Asked | None, Scored, None]:
    """A call that puts its result away and then, rather than end, asks for nothing."""
    done[index] = yield from steps
    yield None


def _with_times(document: Document) -> Document:
    """The same, but what is said in a recording is kept with the time when it is said."""
    if document.leads is None or not document.lined.boundaries.times.size:
        return document
    leads = document.leads.with_times()
    return replace(document, leads=leads, smoother=document.smoother.with_leads(leads))
