"""LLMLingua's face: arguments in, dict out.  There is no arithmetic here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from beaver_compat import pipeline
from beaver_compat.arguments import (
    UNSET,
    check_question,
    checked_budget,
    checked_context_ids,
    checked_contexts,
    checked_text,
    joined_prompt,
)
from beaver_compat.config import BeaverConfig
from beaver_compat.counting import make_counter
from beaver_compat.devices import resolve_device
from beaver_compat.document import CONTEXT_SEPARATOR, Document, prepare_document
from beaver_compat.embeddings import load_table
from beaver_compat.errors import InputTypeError, InputValueError, shown
from beaver_compat.prepared import PreparedContext
from beaver_compat.result import CompressionResult, KeptSpan
from beaver_compat.tokenization import Tokenizer


class _DefaultDevice(str):
    """LLMLingua's default, told from a "cuda" that the caller wrote: only that one warns where there is no GPU."""


_CUDA = _DefaultDevice("cuda")


class BeaverPromptCompressor:
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
        llmlingua2_config: without effect.
        use_slingua: without effect.
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
        device = resolve_device("auto" if device_map is _CUDA else device_map or "auto")
        self.table = load_table(model_name or None, device=device, model_config=dict(model_config or {}))
        self.model_name = self.table.name
        self.config = config or BeaverConfig()
        self.language = language
        self.use_llmlingua2 = use_llmlingua2
        self.open_api_config = open_api_config
        self._tokenizer = Tokenizer(self.table.tokenizer)
        self.counter = make_counter(token_counter, self._tokenizer.count)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.table!r}, counter={self.counter.name!r}, {self.config!r})"

    def prepare(self, context: str | Sequence[str] | None) -> PreparedContext:
        """Read a context once, to ask it many questions.

        Args:
            context: one text or several.

        Returns:
            What ``compress`` and ``compress_prompt`` of this compressor take in the place of the context, with exactly
            the results that the context itself would give.
        """

        def read(contexts: list[str], implicit_query: bool) -> tuple[Document, pipeline.Encoded]:
            document, encoded = self._read(contexts, implicit_query)
            return document, encoded._replace(pieces=list(encoded.pieces))

        return PreparedContext(checked_contexts(context), self, read)

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

        Returns:
            The compressed prompt with every kept span.  It exceeds the budget only where instruction and question
            alone do; the context is then empty.

        Raises:
            InputTypeError, InputValueError: an argument that can't be used; the message names it.
        """
        contexts = self._contexts(context)
        instruction, question = checked_text("instruction", instruction), checked_text("question", question)
        forced = checked_context_ids("force_context_ids", force_context_ids, len(contexts))
        origin_tokens = self.counter(CONTEXT_SEPARATOR.join([instruction, *contexts, question]).strip())
        budget = checked_budget(rate, target_token, origin_tokens)

        def prompt(kept: str) -> str:
            return joined_prompt([instruction, kept, question if concate_question else ""])

        kept, spans = self._kept(context, contexts, question, forced, lambda text: self.counter(prompt(text)), budget)
        compressed = prompt(kept)
        return CompressionResult(
            compressed_prompt=compressed,
            compressed_context=kept,
            origin_tokens=origin_tokens,
            compressed_tokens=self.counter(compressed),
            budget=budget,
            spans=spans,
            counter=self.counter.name,
        )

    def compress_prompt(
        self,
        context: str | Sequence[str] | PreparedContext | None,
        instruction: str = "",
        question: str = "",
        rate: float = 0.5,
        target_token: float = -1,
        iterative_size: int = 200,
        force_context_ids: Sequence[int] | None = None,
        force_context_number: int | None = None,
        use_sentence_level_filter: bool = False,
        use_context_level_filter: bool = True,
        use_token_level_filter: bool = True,
        keep_split: bool = False,
        keep_first_sentence: int = 0,
        keep_last_sentence: int = 0,
        keep_sentence_number: int = 0,
        high_priority_bonus: int = 100,
        context_budget: str = "+100",
        token_budget_ratio: float = 1.4,
        condition_in_question: str = "none",
        reorder_context: str = "original",
        dynamic_context_compression_ratio: float = 0.0,
        condition_compare: bool = False,
        add_instruction: bool = False,
        rank_method: str = "llmlingua",
        concate_question: bool = True,
        context_segs: Sequence[Sequence[str]] | None = None,
        context_segs_rate: Sequence[Sequence[float]] | None = None,
        context_segs_compress: Sequence[Sequence[bool]] | None = None,
        target_context: int = -1,
        context_level_rate: float = 1.0,
        context_level_target_token: int = -1,
        return_word_label: bool = False,
        word_sep: str = "\t\t|\t\t",
        label_sep: str = " ",
        token_to_word: str = "mean",
        force_tokens: Sequence[str] = [],
        force_reserve_digit: bool = False,
        drop_consecutive: bool = False,
        chunk_end_tokens: Sequence[str] = [".", "\n"],
        strict_preserve_uncompressed: bool = True,
    ) -> dict[str, Any]:
        """LLMLingua's ``compress_prompt``: same parameters, same result dict.

        ``docs/compatibility.md`` says of each parameter whether it is honoured, mapped or without effect;
        :meth:`compress` has those that matter and returns a typed result.

        Returns:
            ``compressed_prompt, origin_tokens, compressed_tokens, ratio, rate, saving``; a fresh dict.

        Raises:
            InputAssertionError: a rate above 1, or no question with ``rank_method="longllmlingua"``.
            InputTypeError, InputValueError: an argument that can't be used; the message names it.
        """
        if self.use_llmlingua2:
            raise NotImplementedError("use_llmlingua2=True is not built yet; leave it False")
        check_question(rank_method, checked_text("question", question))
        result = self.compress(
            context,
            instruction,
            question,
            rate,
            target_token,
            force_context_ids=force_context_ids,
            concate_question=concate_question,
        )
        return result.to_llmlingua()

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """:meth:`compress_prompt`."""
        return self.compress_prompt(*args, **kwargs)

    def _contexts(self, context: object) -> list[str]:
        if not isinstance(context, PreparedContext):
            return checked_contexts(context)
        if context.owner is not self:
            raise InputValueError(f"context is {context!r}, prepared by another compressor; prepare it with this one")
        return list(context.contexts)

    def _kept(
        self,
        context: object,
        contexts: list[str],
        question: str,
        forced: list[int],
        cost: Callable[[str], int],
        budget: int,
    ) -> tuple[str, tuple[KeptSpan, ...]]:
        """The kept text of the contexts and its spans."""
        whole = CONTEXT_SEPARATOR.join(contexts)
        if not whole or cost("") > budget:
            return "", ()
        query = self._tokenizer.encode_ids(question)
        read = context.read if isinstance(context, PreparedContext) else partial(self._read, contexts)
        document, encoded = read(not query.size)
        if cost(whole) <= budget:
            return whole, pipeline.whole_spans(document)
        if not query.size:
            query = document.ids[document.query_start :]
        scored = pipeline.score(document, encoded, query, self.table.weight, self.config)
        ranking = pipeline.candidates(document, scored, forced, self.config)
        return pipeline.fill(document, ranking, cost, budget)

    def _read(self, contexts: list[str], implicit_query: bool) -> tuple[Document, pipeline.Encoded]:
        document = prepare_document(contexts, self._tokenizer, self.config, self.language, implicit_query)
        return document, pipeline.encode(document, self.table.weight, self.config)


PromptCompressor = BeaverPromptCompressor
"""The name in LLMLingua."""
