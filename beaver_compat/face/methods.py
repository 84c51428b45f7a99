"""LLMLingua's methods: names, parameters and their order are LLMLingua's, the work is done elsewhere.

``docs/compatibility.md`` says of each parameter whether it is honoured, mapped to its nearest meaning, or accepted
without effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from beaver_compat.arguments import (
    check_question,
    checked_context_ids,
    checked_contexts,
    checked_goal,
    checked_text,
    joined_prompt,
    suggesting,
)
from beaver_compat.engine import Steps
from beaver_compat.face.llmlingua2 import LLMLingua2Face
from beaver_compat.face.tools import ToolsFace
from beaver_compat.prepared import PreparedContext, Source
from beaver_compat.result import CompressionResult
from beaver_compat.selection.wishes import check_rank_method, make_wishes
from beaver_compat.structured import Segment, given_segments, parse_segments


class LLMLinguaFace(LLMLingua2Face, ToolsFace):
    """What a compressor has for callers of LLMLingua."""

    use_llmlingua2: bool
    use_slingua: bool

    @suggesting
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

        :meth:`compress` has the parameters that matter and returns a typed result.

        Returns:
            ``compressed_prompt, origin_tokens, compressed_tokens, ratio, rate, saving``; a fresh dict.  With
            ``use_llmlingua2``, what :meth:`compress_prompt_llmlingua2` returns, ranked by the question.

        Raises:
            InputAssertionError: a rate above 1, or no question with ``rank_method="longllmlingua"``.
            InputTypeError, InputValueError: an argument that can't be used; the message names it.
        """
        given = {name: value for name, value in locals().items() if name != "self"}
        return self._finish(self._prompt(**given))

    def _prompt(
        self,
        *,
        context: str | Sequence[str] | PreparedContext | None,
        context_segs: Sequence[Sequence[str]] | None,
        context_segs_rate: Sequence[Sequence[float]] | None,
        context_segs_compress: Sequence[Sequence[bool]] | None,
        return_word_label: bool,
        word_sep: str,
        label_sep: str,
        **given: Any,
    ) -> Steps[dict[str, Any]]:
        """`compress_prompt`, all its arguments given; they are checked here, before the steps begin."""
        if self.use_llmlingua2 or self.use_slingua:
            _, _, query = _checked_texts(**given)
            separators = (word_sep, label_sep) if return_word_label else None
            return self._llmlingua2(context, query, separators=separators, **given)
        source = self._source(context)
        segments = None
        if context_segs is not None:
            segments = given_segments(source.contexts, context_segs, context_segs_rate, context_segs_compress)
        return self._framed(source, segments, **given)

    def _framed(
        self,
        source: Source,
        segments: Sequence[Sequence[Segment]] | None,
        *,
        rate: float,
        target_token: float,
        force_context_ids: Sequence[int] | None,
        force_context_number: int | None,
        use_sentence_level_filter: bool,
        use_context_level_filter: bool,
        use_token_level_filter: bool,
        keep_split: bool,
        keep_first_sentence: int,
        keep_last_sentence: int,
        keep_sentence_number: int,
        context_budget: str,
        reorder_context: str,
        dynamic_context_compression_ratio: float,
        rank_method: str,
        concate_question: bool,
        strict_preserve_uncompressed: bool,
        target_context: int = -1,
        context_level_rate: float = 1.0,
        context_level_target_token: int = -1,
        force_tokens: Sequence[str] = (),
        force_reserve_digit: bool = False,
        **given: Any,
    ) -> Steps[dict[str, Any]]:
        """A prompt with instruction and question around it; its arguments are checked before the steps begin."""
        instruction, question, query = _checked_texts(**given)
        check_question(rank_method, question)
        if len(source.contexts) > 1 and (use_context_level_filter or use_sentence_level_filter):
            check_rank_method(rank_method)
        wishes = make_wishes(
            whole=checked_context_ids("force_context_ids", force_context_ids, len(source.contexts)),
            force_context_number=force_context_number,
            use_sentence_level_filter=use_sentence_level_filter,
            use_context_level_filter=use_context_level_filter,
            use_token_level_filter=use_token_level_filter,
            keep_split=keep_split,
            keep_first_sentence=keep_first_sentence,
            keep_last_sentence=keep_last_sentence,
            keep_sentence_number=keep_sentence_number,
            context_budget=context_budget,
            reorder_context=reorder_context,
            dynamic_context_compression_ratio=dynamic_context_compression_ratio,
            target_context=target_context,
            context_level_rate=context_level_rate,
            context_level_target_token=context_level_target_token,
            force_tokens=force_tokens,
            force_reserve_digit=force_reserve_digit,
        )
        steps = self._compress(
            source,
            instruction,
            question,
            checked_goal(rate, target_token),
            bool(concate_question),
            wishes,
            query,
            segments,
            bool(strict_preserve_uncompressed),
        )
        return _to_llmlingua(steps)

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """:meth:`compress_prompt`."""
        return self.compress_prompt(*args, **kwargs)

    @suggesting
    def structured_compress_prompt(
        self,
        context: str | Sequence[str] | None,
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
        strict_preserve_uncompressed: bool = True,
    ) -> dict[str, Any]:
        """Compress text in ``<llmlingua, rate=0.4, compress=False> ... </llmlingua>`` segments.

        A segment with ``compress=False`` is kept to the letter, as instruction and question are.  Its ``rate`` is the
        most that may stay of a segment's tokens.  ``rate`` and ``target_token`` are those of the whole prompt.  Where
        the tags ask by name for more than ``rate`` allows, they get it, and what has no rate of its own gets nothing; a
        target is exceeded only by what is kept to the letter.

        Returns:
            As :meth:`compress_prompt`.

        Raises:
            As :meth:`compress_prompt`; a segment's rate above 1, too, is an InputAssertionError.
        """
        given = {name: value for name, value in locals().items() if name not in ("self", "context")}
        segments = [parse_segments(text) for text in checked_contexts(context)]
        source = self._source(["".join(segment.text for segment in own) for own in segments])
        return self._finish(self._framed(source, segments, **given))


def _checked_texts(
    *, instruction: object, question: object, add_instruction: object, **without_effect: object
) -> tuple[str, str, str]:
    """Instruction, question, and the query that ranks."""
    instruction, question = checked_text("instruction", instruction), checked_text("question", question)
    return instruction, question, joined_prompt([question, instruction if add_instruction else ""])


def _to_llmlingua(steps: Steps[CompressionResult]) -> Steps[dict[str, Any]]:
    result = yield from steps
    return result.to_llmlingua()
