"""LLMLingua's methods beside the compression of prompts: JSON, recovery, counts, ranks and segments."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from beaver_compat.arguments import (
    UNSET,
    check_question,
    checked_contexts,
    checked_goal,
    checked_number,
    checked_text,
    rate_too_high,
    suggesting,
)
from beaver_compat.engine import Engine
from beaver_compat.face.json_values import JsonPrompt, dumped
from beaver_compat.face.recovery import recovered
from beaver_compat.face.tokenizers import TableTokenizer
from beaver_compat.selection.wishes import check_rank_method, make_wishes
from beaver_compat.structured import merged_segments, parse_segments

_SCORES = "`compress(...).spans`, where each kept span carries its score"
_BUDGETS = "`compress(...)` with a rate or a target"


def _unavailable(name: str, instead: str) -> Callable[..., NoReturn]:
    """A method of LLMLingua that works on its language model."""

    def method(self: object, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name} works on a language model, and BEAVER runs none: use {instead}.")

    method.__name__ = name
    method.__doc__ = f"Not available, since BEAVER runs no language model: use {instead}."
    return method


class ToolsFace(Engine):
    """LLMLingua's further methods."""

    tokenizer: TableTokenizer

    @suggesting
    def compress_json(
        self,
        json_data: Mapping[Any, Any],
        json_config: str | os.PathLike[str] | Mapping[Any, Any],
        instruction: str = "",
        question: str = "",
        rate: float = 0.5,
        target_token: float = -1,
        iterative_size: int = 200,
        use_sentence_level_filter: bool = False,
        use_keyvalue_level_filter: bool = False,
        use_token_level_filter: bool = True,
        keep_split: bool = False,
        keep_first_sentence: int = 0,
        keep_last_sentence: int = 0,
        keep_sentence_number: int = 0,
        high_priority_bonus: int = 100,
        context_budget: str = "+100",
        token_budget_ratio: float = 1.4,
        condition_in_question: str = "none",
        reorder_keyvalue: str = "original",
        condition_compare: bool = False,
        rank_method: str = "llmlingua",
    ) -> dict[str, Any]:
        """Compress the values of a JSON object.

        ``json_config`` has for each key its ``rate``, ``compress``, ``value_type`` and ``pair_remove``, and may be the
        path of a YAML file.  Texts are shortened, of lists whole items go; numbers, keys and what is not to be
        compressed stay as they are.  ``rate`` and ``target_token`` bound the object written as JSON, as those of
        :meth:`structured_compress_prompt` do.  The question ranks, and is neither printed nor counted.

        Returns:
            As :meth:`compress_prompt`, with a dict of the same value types as ``compressed_prompt``.

        Raises:
            InputAssertionError: keys of data and configuration that don't match, or a rate above 1.
            InputKeyError: a key's configuration lacks a setting.
            InputTypeError, InputValueError: data, configuration or an argument that can't be used.
        """
        checked_text("instruction", instruction)
        question = checked_text("question", question)
        check_question(rank_method, question)
        goal = checked_goal(rate, target_token)
        prompt = JsonPrompt(json_data, json_config, bool(use_keyvalue_level_filter), self.counter)
        wishes = make_wishes(
            use_sentence_level_filter=use_sentence_level_filter,
            use_token_level_filter=use_token_level_filter,
            keep_first_sentence=keep_first_sentence,
            keep_last_sentence=keep_last_sentence,
            keep_sentence_number=keep_sentence_number,
            context_budget=context_budget,
            reorder_context=reorder_keyvalue,
        )
        origin_tokens = self.counter(dumped(json_data))
        budget = goal.budget(origin_tokens)
        budget = max(budget, prompt.asked) if target_token == UNSET else budget
        selection = self._finish(self._select(None, prompt.layout, question, wishes, budget))
        compressed = prompt.layout.prompt(selection.kept, selection.order)
        result = self._contexts_alone(compressed, origin_tokens, budget)
        return {**result, "compressed_prompt": prompt.value(selection.kept, selection.order)}

    def recover(self, original_prompt: str, compressed_prompt: str, response: str) -> str:
        """The response with its quotes of a compressed prompt as the original prompt has them.

        What BEAVER keeps is verbatim, so quotes of it stand in the original as they are, and the response comes back
        unchanged.
        """
        texts = {"original_prompt": original_prompt, "compressed_prompt": compressed_prompt, "response": response}
        return recovered(*(checked_text(name, text) for name, text in texts.items()))

    def get_token_length(self, text: str, add_special_tokens: bool = True, use_oai_tokenizer: bool = False) -> int:
        """Tokens of a text: of the embedding table's tokenizer, or by the counter that budgets are counted in."""
        text = checked_text("text", text)
        return self.counter(text) if use_oai_tokenizer else len(self.tokenizer.encode(text, add_special_tokens))

    def get_rank_results(
        self,
        context: Sequence[str],
        question: str,
        rank_method: str,
        condition_in_question: str,
        context_tokens_length: Sequence[int],
    ) -> list[tuple[int, float]]:
        """Index and score of each context, best first.  Every ``rank_method`` means BEAVER's scores, from 0 to 1."""
        check_rank_method(rank_method)
        return self._ranked(checked_contexts(context), checked_text("question", question))

    def segment_structured_context(
        self, context: str | Sequence[str], global_rate: float
    ) -> tuple[list[str], list[list[str]], list[list[float]], list[list[bool]]]:
        """Contexts without their tags, and text, rate and compress flag of each segment.

        A segment without a rate gets ``global_rate``, or 1.0 where it is not compressed.

        Raises:
            InputAssertionError: a rate above 1.
            InputTypeError, InputValueError: contexts or a ``global_rate`` that can't be used.
        """
        checked_number("global_rate", global_rate)
        segments = [parse_segments(text) for text in checked_contexts(context)]
        texts = [[segment.text for segment in own] for own in segments]
        flags = [[segment.compress for segment in own] for own in segments]
        rates = [
            [(global_rate if segment.compress else 1.0) if segment.rate is None else segment.rate for segment in own]
            for own in segments
        ]
        if global_rate > 1 and any(global_rate in own for own in rates):  # the segments' own are checked
            raise rate_too_high("global_rate", global_rate)
        return ["".join(own) for own in texts], texts, rates, flags

    def concate_segment_info(self, segment_info: Sequence[tuple[int, float, bool]]) -> list[tuple[int, float, bool]]:
        """Length, rate and compress flag of segments, neighbours with the same rate and flag as one.

        Raises:
            InputTypeError: anything else.
        """
        return merged_segments(segment_info)

    get_ppl = _unavailable("get_ppl", _SCORES)
    get_condition_ppl = _unavailable("get_condition_ppl", "`get_rank_results(...)`")
    iterative_compress_prompt = _unavailable("iterative_compress_prompt", _BUDGETS)
    get_compressed_input = _unavailable("get_compressed_input", _BUDGETS)
    get_estimate_threshold_base_distribution = _unavailable("get_estimate_threshold_base_distribution", _SCORES)
    get_dynamic_compression_ratio = _unavailable("get_dynamic_compression_ratio", _BUDGETS)
    get_structured_dynamic_compression_ratio = _unavailable(
        "get_structured_dynamic_compression_ratio", "`structured_compress_prompt(...)`"
    )
    token_segment = _unavailable("token_segment", "`segment_structured_context(...)`")
    control_context_budget = _unavailable("control_context_budget", "`get_rank_results(...)`")
    control_sentence_budget = _unavailable("control_sentence_budget", _BUDGETS)
    get_prefix_length = _unavailable("get_prefix_length", "`get_token_length(...)`")
    load_model = _unavailable("load_model", "`model_name` of the constructor")
    init_llmlingua2 = _unavailable("init_llmlingua2", "`use_llmlingua2=True` of the constructor")
