"""LLMLingua-2's method: contexts alone, as a list, with labels if wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from beaver_compat.arguments import UNSET, Goal, checked_context_ids, checked_goal, checked_integer
from beaver_compat.engine import Engine, Steps
from beaver_compat.errors import InputAssertionError, InputTypeError, shown, wrong_type
from beaver_compat.face.word_labels import labeled_words
from beaver_compat.prepared import PreparedContext, Source
from beaver_compat.selection.layout import contexts_layout
from beaver_compat.selection.wishes import Wishes, make_wishes

_OPTIONS = {"max_batch_size": 50, "max_force_token": 100}  # LLMLingua-2's configuration and its defaults
_WORD_SCORES = ("mean", "first")  # its ways from the scores of tokens to those of words


class LLMLingua2Face(Engine):
    """LLMLingua-2's method."""

    _most_forced_tokens: int

    def compress_prompt_llmlingua2(
        self,
        context: str | Sequence[str] | PreparedContext | None,
        rate: float = 0.5,
        target_token: float = -1,
        use_context_level_filter: bool = False,
        use_token_level_filter: bool = True,
        target_context: int = -1,
        context_level_rate: float = 1.0,
        context_level_target_token: int = -1,
        force_context_ids: Sequence[int] = [],
        return_word_label: bool = False,
        word_sep: str = "\t\t|\t\t",
        label_sep: str = " ",
        token_to_word: str = "mean",
        force_tokens: Sequence[str] = [],
        force_reserve_digit: bool = False,
        drop_consecutive: bool = False,
        chunk_end_tokens: Sequence[str] = [".", "\n"],
    ) -> dict[str, Any]:
        """LLMLingua-2's compression: contexts alone, without instruction and question.

        Returns:
            As :meth:`compress_prompt`, and ``compressed_prompt_list``: what is kept of each context, "" where that is
            nothing; with the context filter, of those only that something is kept of.  With ``return_word_label`` also
            ``fn_labeled_original_prompt``: each word and 1 if it is kept, else 0.

        Raises:
            InputAssertionError: a rate above 1, or more forced tokens than ``max_force_token``.
            InputTypeError, InputValueError: an argument that can't be used; the message names it.
        """
        return self._finish(
            self._llmlingua2(
                context,
                "",
                rate=rate,
                target_token=target_token,
                use_context_level_filter=use_context_level_filter,
                use_token_level_filter=use_token_level_filter,
                target_context=target_context,
                context_level_rate=context_level_rate,
                context_level_target_token=context_level_target_token,
                force_context_ids=force_context_ids,
                separators=(word_sep, label_sep) if return_word_label else None,
                token_to_word=token_to_word,
                force_tokens=force_tokens,
                force_reserve_digit=force_reserve_digit,
            )
        )

    def _llmlingua2(
        self,
        context: object,
        query: str,
        *,
        rate: float,
        target_token: float,
        use_context_level_filter: bool,
        use_token_level_filter: bool,
        target_context: int,
        context_level_rate: float,
        context_level_target_token: float,
        force_context_ids: Sequence[int] | None,
        separators: tuple[str, str] | None,
        token_to_word: str,
        force_tokens: Sequence[str],
        force_reserve_digit: bool,
        **without_effect: object,
    ) -> Steps[dict[str, Any]]:
        """LLMLingua-2's result; ``separators`` are those of its labels, if they are wanted.

        The arguments are checked here, before the steps begin.
        """
        if token_to_word not in _WORD_SCORES:
            raise NotImplementedError(f"token_to_word is {shown(token_to_word)}; give 'mean' or 'first'")
        for name, mark in zip(("word_sep", "label_sep"), separators or (), strict=False):
            if not isinstance(mark, str):
                raise wrong_type(name, mark, "a string")
        source = self._source([context] if context == "" and isinstance(context, str) else context)
        contexts = source.contexts
        filtered = bool(use_context_level_filter) and len(contexts) > 1
        goal = checked_goal(rate, target_token)
        wishes = make_wishes(
            whole=checked_context_ids("force_context_ids", force_context_ids, len(contexts)),
            use_context_level_filter=filtered,
            use_token_level_filter=use_token_level_filter,
            target_context=target_context,
            context_level_rate=context_level_rate,
            context_level_target_token=context_level_target_token,
            force_tokens=force_tokens,
            force_reserve_digit=force_reserve_digit,
        )
        if filtered and not wishes.bounded:
            # LLMLingua-2's rule where the caller bounds no contexts: half of what is to go, goes with whole contexts.
            if goal.target == UNSET:
                wishes = replace(wishes, most_share=(goal.rate + 1) / 2 if use_token_level_filter else goal.rate)
            else:
                wishes = replace(wishes, most_tokens=goal.target * 2 if use_token_level_filter else goal.target)
        if len(wishes.tokens) > self._most_forced_tokens:
            raise InputAssertionError(
                f"force_tokens has {len(wishes.tokens)} tokens; give at most {self._most_forced_tokens}, or a larger"
                " max_force_token in llmlingua2_config"
            )
        return self._compressed_contexts(source, query, goal, wishes, filtered, separators)

    def _compressed_contexts(
        self,
        source: Source,
        query: str,
        goal: Goal,
        wishes: Wishes,
        filtered: bool,
        separators: tuple[str, str] | None,
    ) -> Steps[dict[str, Any]]:
        origin_tokens = self._origin_tokens(source)
        budget = goal.budget(origin_tokens)
        layout = contexts_layout(source.contexts, lambda kept: kept, aligned=not filtered)
        selection = yield from self._select(source, layout, query, wishes, budget)
        compressed = layout.prompt(selection.kept, selection.order)
        result = self._contexts_alone(compressed, origin_tokens, budget, selection.spans)
        texts = [layout.compose(selection.kept, [index]) for index in selection.order]
        result["compressed_prompt_list"] = [text for text in texts if text or not filtered]
        if separators is not None:
            result["fn_labeled_original_prompt"] = labeled_words(source.contexts, selection.spans, *separators)
        return result


def most_forced_tokens(llmlingua2_config: Mapping[str, Any] | None) -> int:
    """``max_force_token`` of LLMLingua-2's configuration; ``max_batch_size`` is accepted without effect.

    Raises:
        InputTypeError: any other key, as LLMLingua-2 refuses it, or no integer.
    """
    given = llmlingua2_config or {}
    if not isinstance(given, Mapping):
        raise wrong_type("llmlingua2_config", given, "a dict")
    options: dict[str, Any] = {**_OPTIONS, **given}
    for name in options:
        if name not in _OPTIONS:
            known = ", ".join(_OPTIONS)
            raise InputTypeError(f"llmlingua2_config has the unexpected key {shown(name)}; give {known}")
    return max(checked_integer("llmlingua2_config['max_force_token']", options["max_force_token"]), 0)
