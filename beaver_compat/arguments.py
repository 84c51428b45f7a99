"""Checks of what callers pass in: every refusal names the parameter, the value and what to give instead."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import wraps
from numbers import Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

from beaver_compat.errors import InputAssertionError, InputValueError, shown, wrong_type

_RATE_TOO_HIGH = (
    "Error: 'rate' must not exceed 1.0. The value of 'rate' indicates compression rate and must be within the range"
    " [0, 1]."
)  # LLMLingua's wording, which callers match
_QUESTION_NEEDED = "In the LongLLMLingua, it is necessary to set a question."
UNSET = -1  # LLMLingua's mark for "no target"

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def nearest(name: object, names: Collection[str]) -> str:
    """`` Did you mean ...?``, with the name that is spelt most like a wrong one; nothing where none is near.

    >>> nearest("targettoken", ["rate", "target_token"])
    " Did you mean 'target_token'?"
    """
    near = get_close_matches(name, names, 1) if isinstance(name, str) else []
    return f" Did you mean {near[0]!r}?" if near else ""


def suggesting(method: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """The same method; where an argument's name is wrong, the error names the nearest one."""
    names = tuple(inspect.signature(method).parameters)

    @wraps(method)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        for name in kwargs:
            if name not in names:
                wrong = f"{called.__qualname__}() got an unexpected keyword argument {name!r}."
                raise TypeError(wrong + nearest(name, names))
        return method(*args, **kwargs)

    return called


def checked_contexts(context: object) -> list[str]:
    """The contexts as a list; None, "" and an empty list give none.

    Raises:
        InputTypeError: anything but a string or a list or tuple of strings, naming type and index.
    """
    if context is None:
        return []
    if isinstance(context, str):
        return [context] if context else []
    if not isinstance(context, (list, tuple)):
        raise wrong_type("context", context, "a string or a list of strings")
    for index, item in enumerate(context):
        if not isinstance(item, str):
            wanted = "a string, such as its text (of a message, role and content)"
            raise wrong_type(f"context[{index}]", item, wanted)
    return list(context)


def checked_text(name: str, value: object) -> str:
    """A string; None counts as empty."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise wrong_type(name, value, "a string")
    return value


class Goal(NamedTuple):
    """How short a prompt is to become, checked before anything of it is counted.

    Attributes:
        rate: share of the original prompt's tokens to keep, from 0 to 1; ignored where a target is set.
        target: tokens, whole or not; -1 means unset.
    """

    rate: float
    target: float

    def budget(self, origin_tokens: int) -> int:
        """The tokens that the whole prompt may have, of those of the original one."""
        if self.target == UNSET:
            return math.floor(self.rate * origin_tokens)
        return math.floor(min(self.target, max(origin_tokens, 1) * 2.0**20))


def checked_goal(rate: object, target_token: object) -> Goal:
    """What ``rate`` and ``target_token`` ask for.

    Raises:
        InputAssertionError: a rate above 1, in LLMLingua's words.
        InputTypeError, InputValueError: no number, NaN, or below 0.
    """
    share = checked_number("rate", rate)
    target = checked_number("target_token", target_token)
    if share > 1:
        raise rate_too_high("rate", rate)
    if share < 0:
        raise InputValueError(f"rate is {shown(rate)}; give a share from 0 to 1")
    if target < 0 and target != UNSET:
        raise InputValueError(f"target_token is {shown(target_token)}; give 0 or more tokens, or -1 to use rate")
    return Goal(share, target)


def checked_share(name: str, value: object) -> float:
    """A number from 0 to 1.

    Raises:
        InputTypeError, InputValueError: anything else.
    """
    share = checked_number(name, value)
    if not 0 <= share <= 1:
        raise InputValueError(f"{name} is {shown(value)}; give a share from 0 to 1")
    return share


def checked_rate(name: str, rate: object) -> float:
    """The rate of a part of a prompt; one below 0 counts as 0.

    Raises:
        InputAssertionError: a rate above 1, in LLMLingua's words.
        InputTypeError, InputValueError: no number, or NaN.
    """
    share = checked_number(name, rate)
    if share > 1:
        raise rate_too_high(name, rate)
    return max(share, 0.0)


def rate_too_high(name: str, rate: object) -> InputAssertionError:
    """The error for a rate above 1: LLMLingua's words, then which it is and the value."""
    return InputAssertionError(f"{_RATE_TOO_HIGH} {name} is {shown(rate)}.")


def checked_context_ids(name: str, ids: Iterable[Any] | None, count: int) -> list[int]:
    """Indices of contexts, negative ones counted from the end, without repeats, in the given order."""
    if ids is None:
        return []
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise wrong_type(name, ids, "a list of integers")
    indices: dict[int, None] = {}
    for place, index in enumerate(ids):
        number = checked_integer(f"{name}[{place}]", index)
        if not -count <= number < count:
            step = f"give an integer from {-count} to {count - 1}" if count else "give None"
            raise InputValueError(f"{name}[{place}] is {shown(number)}, but there are {count} contexts; {step}")
        indices[number % count] = None
    return list(indices)


def check_question(rank_method: object, question: str) -> None:
    """LongLLMLingua's ranking needs a question."""
    if rank_method == "longllmlingua" and not question:
        raise InputAssertionError(_QUESTION_NEEDED)


def joined_prompt(parts: Sequence[str]) -> str:
    """The parts that are not empty, joined by blank lines."""
    return "\n\n".join(part for part in parts if part)


def checked_integer(name: str, value: Any) -> int:
    """An integer, numpy's included.

    Raises:
        InputTypeError: anything else.
    """
    if not isinstance(value, bool):
        with suppress(TypeError):
            return operator.index(value)
    raise wrong_type(name, value, "an integer")


def checked_number(name: str, value: object) -> float:
    """A number as a float; one that is too large for a float is infinite.

    Raises:
        InputTypeError, InputValueError: no number, or NaN.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise wrong_type(name, value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = -math.inf if value < 0 else math.inf
    if math.isnan(number):
        raise InputValueError(f"{name} is NaN; give a number")
    return number
