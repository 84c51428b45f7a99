"""What a caller asks for beyond a question and a budget, checked; it does not know how a wish is carried out.

Each of LLMLingua's arguments that has a meaning for a compressor of whole sentences becomes a field of `Wishes`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass

from beaver_compat.arguments import checked_number, checked_share
from beaver_compat.errors import InputTypeError, InputValueError, shown, wrong_type

RANK_METHODS = (
    "llmlingua",
    "longllmlingua",
    "bm25",
    "gzip",
    "sentbert",
    "openai",
    "bge",
    "bge_reranker",
    "bge_llmembedder",
    "jinza",
    "voyageai",
    "cohere",
)
UNBOUNDED = "+100"
"""LLMLingua's default ``context_budget``: here it leaves the contexts to the ranking."""

_OPERATION = re.compile(r"\s*([-+*/])\s*(\d+(?:\.\d*)?|\.\d+)\s*", re.ASCII)
_LONGEST_SUFFIX = 100  # characters; longer ones are no budget
_MOST = 2**31 - 1  # a larger count means as much: no prompt has so many contexts or sentences


@dataclass(frozen=True)
class Wishes:
    """What is kept first, what may stay at all, and in what order it is printed.

    Attributes:
        whole: contexts kept whole, where the budget allows.
        first_sentences, last_sentences: of each context, kept before all that is ranked.
        best_sentences: of each context, by score, kept before the rest.
        most_contexts: how many contexts may stay; None is no bound.
        most_tokens: how many tokens the contexts that stay may have; None is no bound.
        most_share: the same as a share of the contexts' tokens; 1 is no bound.
        context_budget: the same as arithmetic on the tokens that the budget leaves to the contexts; "" is no bound.
        tokens: sentences that hold one of them are preferred.
        digits: sentences with digits are preferred.
        dynamic: how much more the better contexts keep of their text, from 0 to 1.
        order: "original", "two_stage" (the best at both ends), or anything else for best first.
        whole_contexts: contexts that fit together are kept whole, best first.
        whole_sentences: nothing is cut inside a sentence, unless nothing else fits.
        blank_lines: a blank line in the text left out between two kept pieces is printed.
    """

    whole: tuple[int, ...] = ()
    first_sentences: int = 0
    last_sentences: int = 0
    best_sentences: int = 0
    most_contexts: int | None = None
    most_tokens: float | None = None
    most_share: float = 1.0
    context_budget: str = ""
    tokens: tuple[str, ...] = ()
    digits: bool = False
    dynamic: float = 0.0
    order: str = "original"
    whole_contexts: bool = False
    whole_sentences: bool = False
    blank_lines: bool = False

    @property
    def bounded(self) -> bool:
        """Whether a context may have to go although the budget would hold it."""
        return (
            self.most_contexts is not None
            or self.most_tokens is not None
            or self.most_share < 1
            or bool(self.context_budget)
        )

    def tokens_that_stay(self, all_tokens: int, room: int) -> float:
        """The most tokens that the contexts which stay may have.

        Args:
            all_tokens: of all contexts.
            room: tokens that the budget leaves to the contexts.
        """
        bounds = [math.inf if self.most_tokens is None else self.most_tokens]
        if self.most_share < 1:
            bounds.append(self.most_share * all_tokens)
        if self.context_budget:
            bounds.append(arithmetic(room, self.context_budget))
        return min(bounds)


def make_wishes(
    *,
    whole: Iterable[int] = (),
    force_context_number: object = None,
    use_sentence_level_filter: object = False,
    use_context_level_filter: object = True,
    use_token_level_filter: object = True,
    keep_split: object = False,
    keep_first_sentence: object = 0,
    keep_last_sentence: object = 0,
    keep_sentence_number: object = 0,
    context_budget: object = UNBOUNDED,
    reorder_context: object = "original",
    dynamic_context_compression_ratio: object = 0.0,
    target_context: object = -1,
    context_level_rate: object = 1.0,
    context_level_target_token: object = -1,
    force_tokens: object = (),
    force_reserve_digit: object = False,
) -> Wishes:
    """LLMLingua's arguments as wishes; ``whole`` are its ``force_context_ids``, already checked.

    Without the context filter no bound on contexts holds.

    Raises:
        InputTypeError, InputValueError: an argument that can't be used; the message names it.
    """
    filtered = bool(use_context_level_filter)
    suffix = _checked_suffix(context_budget)
    number = _checked_count("force_context_number", force_context_number, unset=-1)
    target = _checked_count("target_context", target_context, unset=-1)
    tokens = _checked_size("context_level_target_token", context_level_target_token)
    dynamic = _checked_size("dynamic_context_compression_ratio", dynamic_context_compression_ratio)
    share = 1.0 if context_level_rate is None else checked_share("context_level_rate", context_level_rate)
    numbers = [bound for bound in (number, target) if bound >= 0]
    return Wishes(
        whole=tuple(whole),
        first_sentences=_checked_count("keep_first_sentence", keep_first_sentence),
        last_sentences=_checked_count("keep_last_sentence", keep_last_sentence),
        best_sentences=_checked_count("keep_sentence_number", keep_sentence_number),
        most_contexts=min(numbers) if numbers and filtered else None,
        most_tokens=tokens if tokens >= 0 and filtered else None,
        most_share=share if filtered else 1.0,
        context_budget=suffix if filtered else "",
        tokens=_checked_tokens(force_tokens),
        digits=bool(force_reserve_digit),
        dynamic=min(max(dynamic, 0.0), 1.0),
        order=str(reorder_context),
        whole_contexts=filtered and not use_token_level_filter and not use_sentence_level_filter,
        whole_sentences=not use_token_level_filter,
        blank_lines=bool(keep_split),
    )


def arithmetic(start: float, suffix: str) -> float:
    """``start`` followed by the operations of ``suffix``, with the usual precedence.

    >>> arithmetic(200, "*1.5"), arithmetic(200, "+10*2")
    (300.0, 220.0)
    """
    total, term = 0.0, float(start)
    for sign, number in _OPERATION.findall(suffix):
        value = float(number)
        if sign == "*":
            term *= value
        elif sign == "/":
            term /= value
        else:
            total += term
            term = value if sign == "+" else -value
    return total + term


def check_rank_method(rank_method: object) -> None:
    """LLMLingua knows twelve names, and refuses others with a TypeError; here each means BEAVER's scores."""
    if rank_method not in RANK_METHODS:
        names = ", ".join(map(repr, RANK_METHODS))
        raise InputTypeError(f"rank_method is {shown(rank_method)}; give one of {names}")


def _checked_suffix(context_budget: object) -> str:
    if context_budget is None:
        return ""
    if not isinstance(context_budget, str):
        raise wrong_type("context_budget", context_budget, 'a string such as "+100" or "*1.5"')
    suffix = context_budget.strip()
    parsed = len(suffix) <= _LONGEST_SUFFIX and not _OPERATION.sub("", suffix)
    if not parsed or any(sign == "/" and not float(number) for sign, number in _OPERATION.findall(suffix)):
        raise InputValueError(
            f'context_budget is {shown(context_budget)}; give arithmetic on the budget such as "+100" or "*1.5"'
        )
    return "" if suffix == UNBOUNDED else suffix or "+0"


def _checked_count(name: str, value: object, unset: int = 0) -> int:
    """A whole number of 0 or more; None is ``unset``, and so is any number below 0 where ``unset`` is -1."""
    if value is None:
        return unset
    try:
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        if not isinstance(value, float) or not value.is_integer():
            raise wrong_type(name, value, "a whole number") from None
        count = int(value)
    if count < 0 <= unset:
        raise InputValueError(f"{name} is {shown(value)}; give 0 or more")
    return min(max(count, unset), _MOST)


def _checked_size(name: str, value: object) -> float:
    """A number; below 0 it means unset, and so does None, which becomes -1."""
    return -1.0 if value is None else max(checked_number(name, value), -1.0)


def _checked_tokens(force_tokens: object) -> tuple[str, ...]:
    if force_tokens is None:
        return ()
    if not isinstance(force_tokens, Iterable):
        raise wrong_type("force_tokens", force_tokens, "a list of strings")
    tokens = [force_tokens] if isinstance(force_tokens, str) else list(force_tokens)
    for index, token in enumerate(tokens):
        if not isinstance(token, str):
            raise wrong_type(f"force_tokens[{index}]", token, "a string")
    return tuple(token for token in tokens if token)
