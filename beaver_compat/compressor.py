"""The compressor: arguments in, typed result out.  LLMLingua's own methods are in `face`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from inspect import isfunction, unwrap
from typing import Any

from beaver_compat.arguments import (
    UNSET,
    checked_context_ids,
    checked_contexts,
    checked_goal,
    checked_text,
    suggesting,
)
from beaver_compat.config import BeaverConfig
from beaver_compat.devices import resolve_device
from beaver_compat.embeddings import load_table
from beaver_compat.engine import Engine
from beaver_compat.errors import wrong_type
from beaver_compat.face.batch import BatchFace
from beaver_compat.face.llmlingua2 import most_forced_tokens
from beaver_compat.face.tokenizers import CountedTokenizer, TableTokenizer
from beaver_compat.machine import keep_freed_memory
from beaver_compat.prepared import PreparedContext
from beaver_compat.result import CompressionResult
from beaver_compat.selection.wishes import make_wishes
from beaver_compat.text.sentences import language_code


class _DefaultDevice(str):
    """LLMLingua's default, told from a "cuda" that the caller wrote: only that one warns where there is no GPU."""


_CUDA = _DefaultDevice("cuda")


class BeaverPromptCompressor(BatchFace):
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
        language: of the sentence rules ("en", "zh", "de" ...), in any case, with a region ("de-AT") or without; None
            chooses by script.

    Raises:
        ModelNotFoundError: ``model_name`` can't be reached.
        InputTypeError, InputValueError: an argument that can't be used.
    """

    @suggesting
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
            raise wrong_type("config", config, "a BeaverConfig")
        if language is not None:
            language = language_code(checked_text("language", language))
        most = most_forced_tokens(llmlingua2_config if use_llmlingua2 or use_slingua else None)
        keep_freed_memory()
        device = resolve_device("auto" if device_map is _CUDA or device_map in (None, "", {}) else device_map)
        table = load_table(model_name or None, device=device, model_config=model_config or {})
        super().__init__(table, config or BeaverConfig(), language, token_counter)
        self.model_name = self.table.name
        self.use_llmlingua2 = bool(use_llmlingua2)
        self.use_slingua = bool(use_slingua)
        self.open_api_config = open_api_config
        self._most_forced_tokens = most
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

    @suggesting
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
                question that the contexts themselves end or begin with ranks, if it can be told, else the end of the
                last context (the paper's implicit query).
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


_FACES = BeaverPromptCompressor.__mro__[1 : BeaverPromptCompressor.__mro__.index(Engine)]
for _method in (method for face in _FACES for method in vars(face).values()):
    if isfunction(_method):  # error messages name the class that callers know, not the part of it that has the method
        for _named in (_method, unwrap(_method)):
            _named.__module__, _named.__qualname__ = __name__, f"{BeaverPromptCompressor.__name__}.{_named.__name__}"

PromptCompressor = BeaverPromptCompressor
"""The name in LLMLingua."""
