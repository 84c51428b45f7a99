"""The compressor: arguments in, typed result out.  LLMLingua's own methods are in `face`."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from inspect import isfunction
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

import numpy as np
import torch

from beaver_compat import __version__
from beaver_compat.arguments import (
    UNSET,
    Goal,
    checked_context_ids,
    checked_contexts,
    checked_goal,
    checked_text,
    joined_prompt,
)
from beaver_compat.config import BeaverConfig
from beaver_compat.counting import TableCounter, make_counter
from beaver_compat.devices import resolve_device
from beaver_compat.document import prepare_document, read_question
from beaver_compat.embeddings import load_table
from beaver_compat.errors import InputTypeError, InputValueError, shown
from beaver_compat.face.base import Steps
from beaver_compat.face.batch import BatchFace
from beaver_compat.face.llmlingua2 import most_forced_tokens
from beaver_compat.face.methods import LLMLinguaFace
from beaver_compat.face.tokenizers import CountedTokenizer, TableTokenizer
from beaver_compat.joints import count_joined
from beaver_compat.machine import keep_freed_memory
from beaver_compat.pipeline import whole_spans
from beaver_compat.prepared import PreparedContext, Read, Source
from beaver_compat.result import CompressionResult, KeptSpan
from beaver_compat.scoring import Asked, Scored, encode, score
from beaver_compat.segmenter import token_range
from beaver_compat.selection.layout import Layout, contexts_layout
from beaver_compat.selection.selector import Selection, Selector, ranked_contexts
from beaver_compat.selection.sentence_order import SentenceOrder
from beaver_compat.selection.wishes import Wishes, make_wishes
from beaver_compat.structured import Segment, structured_layout
from beaver_compat.text.sentences import sentence_ends
from beaver_compat.tokenization import Tokenizer


class _DefaultDevice(str):
    """LLMLingua's default, told from a "cuda" that the caller wrote: only that one warns where there is no GPU."""


_CUDA = _DefaultDevice("cuda")


class BeaverPromptCompressor(LLMLinguaFace, BatchFace):
    """Shortens prompts by BEAVER: the pages and sentences that answer the question best, verbatim, within a budget.

    Takes the place of ``llmlingua.PromptCompressor``; parameters without meaning here are accepted and have no effect
    (``docs/compatibility.md`` lists each).

    Args:
        model_name: a Hugging Face model whose input embedding table is used, or a local folder; the default is the
            table that the ``wordllama`` package carries, with nothing to download.
        device_map: where scores are computed: "cuda" (the default; the CPU where there is none), "cpu", "mps" ...
        model_config: ``revision``, ``torch_dtype``, ``token``, ``cache_dir``, ``local_files_only``.
        open_api_config: without effect.
        use_llmlingua2: LLMLingua-2's output format.
        llmlingua2_config: its ``max_force_token``; ``max_batch_size`` is without effect.
        use_slingua: the same format.
        config: settings of the method; the default is ``BeaverConfig()``.
        token_counter: what the budget counts in: a tiktoken model name, "table" (the embedding table's tokenizer) or
            a function ``str -> int``.  None is tiktoken's "gpt-3.5-turbo", as in LLMLingua, where its vocabulary can
            be had, else "table", with one warning.
        language: of the sentence rules ("en", "zh", "de" ...); None chooses by script.

    Raises:
        ModelNotFoundError: ``model_name`` can't be reached.
        InputTypeError, InputValueError: an argument that can't be used.
    """

    def __init__(
        self,
        model_name: str | None = None,
        device_map: str = _CUDA,
        model_config: dict[str, Any] = {},  # noqa: B006  LLMLingua's default; never written to
        open_api_config: dict[str, Any] = {},  # noqa: B006
        use_llmlingua2: bool = False,
        llmlingua2_config: dict[str, Any] = {},  # noqa: B006
        *,
        use_slingua: bool = False,
        config: BeaverConfig | None = None,
        token_counter: str | Callable[[str], int] | None = None,
        language: str | None = None,
    ) -> None:
        if config is not None and not isinstance(config, BeaverConfig):
            raise InputTypeError(f"config is of type {type(config).__name__}: {shown(config)}; give a BeaverConfig")
        if language is not None:
            sentence_ends("", checked_text("language", language))  # refuses one that it has no rules for
        keep_freed_memory()
        device = resolve_device("auto" if device_map is _CUDA or device_map in (None, "", {}) else device_map)
        self.table = load_table(model_name or None, device=device, model_config=model_config or {})
        self.model_name = self.table.name
        self.config = config or BeaverConfig()
        self.language = language
        self.use_llmlingua2 = bool(use_llmlingua2)
        self.use_slingua = bool(use_slingua)
        self.open_api_config = open_api_config
        self._most_forced_tokens = most_forced_tokens(llmlingua2_config if use_llmlingua2 or use_slingua else None)
        self._tokenizer = Tokenizer(self.table.tokenizer)
        self.counter = make_counter(token_counter, TableCounter(self._tokenizer))
        # What callers of LLMLingua read, and set.
        self.tokenizer = TableTokenizer(self._tokenizer, self.table.tokenizer)
        self.oai_tokenizer = CountedTokenizer(self.counter, None if callable(token_counter) else self.tokenizer)
        self.device = str(self.table.device)
        self.max_position_embeddings = self.table.max_position_embeddings or sys.maxsize  # no model, no longest input
        self.model: Any = None
        self.retrieval_model: Any = None
        self.retrieval_model_name: str | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.table!r}, counter={self.counter.name!r}, {self.config!r})"

    def prepare(self, context: str | Sequence[str] | None) -> PreparedContext:
        """Read a context once, to ask it many questions.

        Args:
            context: one text or several.

        Returns:
            What ``compress`` and ``compress_prompt`` take in the place of the context, with exactly the results that
            the context itself would give.  It fits this compressor and those with the same table, device, ``config``
            and ``language``.
        """
        return PreparedContext(checked_contexts(context), self, self._tokenizer, partial(self._read, keep_vectors=True))

    def compress(
        self,
        context: str | Sequence[str] | PreparedContext | None,
        instruction: str = "",
        question: str = "",
        rate: float = 0.5,
        target_token: float = UNSET,
        *,
        force_context_ids: Sequence[int] | None = None,
        concate_question: bool = True,
        dynamic_context_compression_ratio: float = 0.0,
    ) -> CompressionResult:
        """Compress one prompt.

        Args:
            context: one text or several, or what :meth:`prepare` made of them.
            instruction: printed before the kept text, whole.
            question: ranks the text; printed after it, whole, unless ``concate_question`` is False.  Without one, the
                end of the last context is the query (the paper's implicit query).
            rate: share of the original prompt's tokens to keep, where no target is set.
            target_token: tokens that the whole prompt may have; -1 leaves it to ``rate``.
            force_context_ids: contexts that are kept whole where the budget allows.
            concate_question: whether the question is printed.
            dynamic_context_compression_ratio: how much more the better contexts of a list keep of their text, from 0
                to 1; for retrieved documents of which few hold the answer.

        Returns:
            The compressed prompt with every kept span.  It exceeds the budget only where instruction and question
            alone do; the context is then empty.

        Raises:
            InputTypeError, InputValueError: an argument that can't be used; the message names it.
        """
        source = self._source(context)
        forced = checked_context_ids("force_context_ids", force_context_ids, len(source.contexts))
        instruction, question = checked_text("instruction", instruction), checked_text("question", question)
        wishes = make_wishes(whole=forced, dynamic_context_compression_ratio=dynamic_context_compression_ratio)
        goal = checked_goal(rate, target_token)
        return self._finish(self._compress(source, instruction, question, goal, concate_question, wishes, question))

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

    def _origin_tokens(self, source: Source, instruction: str = "", question: str = "") -> int:
        """Tokens of instruction, contexts and question: of the prompt that keeps everything."""
        counts = source.counts(self.counter) if self.counter.cut else []
        known = {1 + index: tokens for index, tokens in enumerate(counts)}
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
        query = read_question(self._tokenizer, question, self.config)
        if source is None or list(source.contexts) != layout.parts:
            source = Source(layout.parts, self._tokenizer, self._read)
        document, encoded = source.read(not query.ids.size and not layout.segmented)
        free = not (wishes.bounded or layout.limits or wishes.order != "original")
        if free and count(layout.prompt(layout.parts, everything)) <= budget:
            selection = Selection(layout.parts, list(everything), whole_spans(document))
        else:
            if not query.ids.size:
                query = document.implicit_query(self._tokenizer, self.config.page_size)
            asked = Asked(document, query, encoded)
            scored = yield asked
            order = SentenceOrder(asked, self.table.weight, self.config)
            selection = Selector(document, scored, layout, wishes, self.config, count, budget, order).select()
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
        query = query if query.ids.size else document.implicit_query(self._tokenizer, self.config.page_size)
        return ranked_contexts(document, self._score([Asked(document, query)])[0], self.config)

    def _read(self, source: Source, implicit_query: bool, keep_vectors: bool = False) -> Read:
        document = prepare_document(source.contexts, source.tokens, self.config, self.language, implicit_query)
        if self.config.fold_words:
            document = document.with_folded_words(self._tokenizer)
        if not keep_vectors:
            return document, None
        return document, encode([document], self.table.weight, self.config, keep_vectors=True)


for _method in (method for base in BeaverPromptCompressor.__mro__[1:-1] for method in vars(base).values()):
    if isfunction(_method):  # error messages name the class that callers know, not the part of it that has the method
        _method.__module__, _method.__qualname__ = __name__, f"{BeaverPromptCompressor.__name__}.{_method.__name__}"

PromptCompressor = BeaverPromptCompressor
"""The name in LLMLingua."""
