"""JSON objects whose values are shortened: values to parts, and kept parts back to values of the same types."""

from __future__ import annotations

import copy
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beaver_compat.arguments import checked_rate
from beaver_compat.document import SPAN_SEPARATOR
from beaver_compat.errors import (
    InputAssertionError,
    InputKeyError,
    InputTypeError,
    InputValueError,
    shortened,
    shown,
    wrong_type,
)
from beaver_compat.selection.layout import Layout, Limit, line_end_or_space
from beaver_compat.structured import asked_tokens

_MISMATCH = "Keys in json data and json config file do not match."  # LLMLingua's wording, and so the next two
_NO_CONFIG = "Invalid json config file. It should be a dictionary or a path to a yaml file."
_SETTINGS = ("rate", "compress", "value_type", "pair_remove")
_TEXTS = ("str", "string")
_INTEGERS = ("int", "integer")
_FLOATS = ("float", "number")
_BOOLEANS = ("bool", "boolean")
_CONTAINERS = ("list", "List", "tuple", "dict", "dictionary")
_KEYS = (str, int, float, bool, type(None))  # those that JSON has a form for
_DEEPEST = 200  # containers in one another; copies reach Python's limit on recursion at about twice as many
_TRUE, _FALSE = ("True", "true", "TRUE", True), ("False", "false", "FALSE", False)


@dataclass(frozen=True)
class _Slot:
    """The place of a part in a value; an atomic part stands for ``value``."""

    part: int
    atomic: bool
    value: Any


@dataclass(frozen=True)
class _Pair:
    """One key: its value with slots, the parts in it, the rate that they share, and whether it may vanish."""

    key: Any
    value: Any
    parts: tuple[int, ...]
    rate: float
    optional: bool


class JsonPrompt:
    """A JSON object as a prompt in parts.

    Args:
        data: the object.
        config: for each key ``rate``, ``compress``, ``value_type`` and ``pair_remove``; or the path of a YAML file.
        remove: whether pairs with ``pair_remove`` may vanish.
        count: tokens of a text.

    Attributes:
        layout: one context for each pair.
        asked: the tokens that the rates ask for.

    Raises:
        InputAssertionError: keys that don't match, or a rate above 1, in LLMLingua's words.
        InputKeyError: settings are missing.
        InputTypeError, InputValueError: data, config or a value that can't be used.
    """

    def __init__(self, data: object, config: object, remove: bool, count: Callable[[str], int]) -> None:
        if not isinstance(data, Mapping):
            raise wrong_type("json_data", data, "a dict")
        for key, value in data.items():
            _check_keys("json_data", [key])
            _check_nesting(f"json_data[{shown(key)}]", value, _DEEPEST)
        settings = _read_config(config)
        if set(data) != set(settings):
            raise InputAssertionError(f"{_MISMATCH} {_unmatched(data, settings)}")
        self._parts: list[str] = []
        self._atomic: set[int] = set()
        self._pairs = [self._pair(key, value, _checked(key, settings[key]), remove) for key, value in data.items()]
        self.layout = Layout(
            self._parts,
            [pair.parts for pair in self._pairs],
            self._compose,
            separator=line_end_or_space,
            atomic=frozenset(self._atomic),
            staying=frozenset(index for index, pair in enumerate(self._pairs) if not pair.optional),
            limits=tuple(self._limit(pair, count) for pair in self._pairs if pair.parts and pair.rate < 1),
        )
        required = {part for pair in self._pairs if not pair.optional for part in pair.parts}
        asked = [text if part in required else "" for part, text in enumerate(self._parts)]
        self.asked = asked_tokens(self.layout, asked, count)

    def value(self, kept: Sequence[str], order: Sequence[int]) -> dict[Any, Any]:
        """The object that holds what is kept of each part, pairs in the order given; values are copies.

        A value that can't be copied, such as one with a lock or an open file in it, is passed on as it is.
        """
        return {key: _copied(value) for key, value in self._value(kept, order).items()}

    def _value(self, kept: Sequence[str], order: Sequence[int]) -> dict[Any, Any]:
        pairs = (self._pairs[index] for index in order)
        return {
            pair.key: _filled(pair.value, kept) if pair.parts else pair.value
            for pair in pairs
            if not pair.optional or any(kept[part] for part in pair.parts)
        }

    def _compose(self, kept: Sequence[str], order: Sequence[int]) -> str:
        return dumped(self._value(kept, order))

    def _pair(self, key: Any, value: Any, settings: Mapping[str, Any], remove: bool) -> _Pair:
        optional = remove and bool(settings["pair_remove"])
        rate = settings["rate"] if settings["compress"] else 1
        first = len(self._parts)
        if rate < 1:
            value = self._slotted(_converted(key, value, settings["value_type"]))
        if optional and len(self._parts) == first:
            value, rate = self._atom(value), 1
        return _Pair(key, value, tuple(range(first, len(self._parts))), rate, optional)

    def _limit(self, pair: _Pair, count: Callable[[str], int]) -> Limit:
        def text(kept: Sequence[str]) -> str:
            return SPAN_SEPARATOR.join(kept[part] for part in pair.parts if kept[part])

        return Limit(pair.parts, math.floor(pair.rate * count(text(self._parts))), text)

    def _slotted(self, value: Any) -> Any:
        """A value with slots for its texts; of lists, for every item."""
        if isinstance(value, str):
            return self._slot(value, atomic=False, value=value) if value.strip() else value
        if isinstance(value, Mapping):
            return {key: self._slotted(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            items = (self._slotted(item) if isinstance(item, str) else self._atom(item) for item in value)
            return type(value)(items) if type(value) in (list, tuple) else list(items)
        return value

    def _atom(self, value: Any) -> _Slot:
        self._atomic.add(len(self._parts))
        return self._slot(dumped(value), atomic=True, value=value)

    def _slot(self, text: str, atomic: bool, value: Any) -> _Slot:
        self._parts.append(text)
        return _Slot(len(self._parts) - 1, atomic, value)


def dumped(value: Any) -> str:
    """A value as the JSON that is counted: characters as they are; what JSON has no form for as its ``str``."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _check_keys(name: str, keys: Iterable[Any]) -> None:
    for key in keys:
        if not isinstance(key, _KEYS):
            raise InputTypeError(
                f"{name} has the key {shown(key)} of type {type(key).__name__}; give a string, a number, a bool or None"
            )


def _check_nesting(name: str, value: Any, levels: int) -> None:
    """Refuse what JSON has no form for: containers that nest too deeply or hold themselves, and keys of other types."""
    if not isinstance(value, (Mapping, list, tuple)):
        return
    if not levels:
        raise InputValueError(f"{name} nests more than {_DEEPEST} levels deep or holds itself; give a flatter value")
    if isinstance(value, Mapping):
        _check_keys(name, value)
        value = value.values()
    for item in value:
        _check_nesting(name, item, levels - 1)


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001  whatever a class of the caller's raises
        return value


def _filled(value: Any, kept: Sequence[str]) -> Any:
    if isinstance(value, _Slot):
        return value.value if value.atomic else kept[value.part]
    if isinstance(value, dict):
        return {key: _filled(item, kept) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_filled(item, kept) for item in value if not isinstance(item, _Slot) or kept[item.part])
    return value


def _read_config(config: object) -> Mapping[Any, Any]:
    settings, given = config, "json_config"
    if isinstance(config, (str, os.PathLike)):
        settings, given = _read_yaml(config), os.fspath(config)
    if not isinstance(settings, Mapping):
        raise InputValueError(f"{_NO_CONFIG} {given} is {shown(settings)}.")
    return settings


def _read_yaml(path: str | os.PathLike[str]) -> object:
    import yaml  # type: ignore[import-untyped]

    try:
        with Path(path).open("rb") as file:
            return yaml.safe_load(file)
    except yaml.YAMLError as error:  # its text names the file and the place
        raise InputValueError(f"{_NO_CONFIG} It is no YAML: {' '.join(str(error).split())}") from error


def _unmatched(data: Mapping[Any, Any], settings: Mapping[Any, Any]) -> str:
    """Which keys only one of the two has."""
    sides = ("json_data", data, settings), ("json_config", settings, data)
    alone = [(name, [key for key in own if key not in other]) for name, own, other in sides]
    return f"Only {'; only '.join(f'{name} has {shown(keys)}' for name, keys in alone if keys)}."


def _checked(key: Any, settings: Any) -> Mapping[str, Any]:
    if not isinstance(settings, Mapping):
        raise InputTypeError(f"json_config[{shown(key)}] is {shown(settings)}; give a dict of {', '.join(_SETTINGS)}")
    missing = [name for name in _SETTINGS if name not in settings]
    if missing:
        unknown = [name for name in settings if name not in _SETTINGS]  # without effect where nothing is missing
        found = f"the unknown {shown(unknown)} and " if unknown else ""
        raise InputKeyError(
            f"json_config[{shown(key)}] has {found}no {', '.join(map(repr, missing))}; give {', '.join(_SETTINGS)}"
        )
    return {**settings, "rate": checked_rate(f"rate of json_config[{shown(key)}]", settings["rate"])}


def _converted(key: Any, value: Any, value_type: Any) -> Any:
    """A value as its ``value_type`` has it."""
    if value_type in _TEXTS:
        return value if isinstance(value, str) else str(value)
    if value_type in _INTEGERS:
        return _number(int, key, value, value_type)
    if value_type in _FLOATS:
        return _number(float, key, value, value_type)
    if value_type in _BOOLEANS:
        if value not in (*_TRUE, *_FALSE):
            given = shortened(str(value))
            raise InputValueError(
                f"Invalid boolean value: {given} in json_data[{shown(key)}]; give True or False, or another value_type"
            )
        return value in _TRUE
    if value_type not in _CONTAINERS:
        given, known = shortened(str(value_type)), (*_TEXTS, *_INTEGERS, *_FLOATS, *_BOOLEANS, *_CONTAINERS)
        raise InputValueError(
            f"Invalid value type: {given} in json_config[{shown(key)}]; give one of {', '.join(known)}"
        )
    return value


def _number(kind: type[int | float], key: Any, value: Any, value_type: str) -> float:
    try:
        return kind(value)
    except (TypeError, ValueError, OverflowError) as error:
        refusal = InputTypeError if isinstance(error, TypeError) else InputValueError
        raise refusal(
            f"json_data[{shown(key)}] is {shown(value)}, and its value_type {value_type!r}: {shortened(str(error))};"
            " give a number, or another value_type"
        ) from error
