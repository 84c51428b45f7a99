"""Where the time of a call goes: the package's stage functions, wrapped while a call is profiled.

A stage's seconds are its own: those of a stage that it calls are charged to that one.  What no stage takes is
left to `REST`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from time import perf_counter
from types import GeneratorType
from typing import Any

# The functions and methods of each stage, in beaver_compat.
HOOKS = {
    "tokenize": ("tokenization:Tokenizer.encode",),
    "boundaries, pages": ("document:prepare_document",),
    "encode": ("scoring:encode",),
    "score": ("scoring:score",),
    "plan, render": ("selection.selector:Selector.__init__", "selection.selector:Selector.select"),
    "count": (
        "counting:FunctionCounter.__call__",
        "counting:TableCounter.__call__",
        "counting:TableCounter.count_many",
        "counting:TiktokenCounter.count_many",
    ),
}
REST = "rest"
_PACKAGE = "beaver_compat"


class StageClock:
    """Seconds by stage.

    Args:
        synchronize: waits for the device, before every look at the clock.
    """

    def __init__(self, synchronize: Callable[[], None]) -> None:
        self.seconds = dict.fromkeys([*HOOKS, REST], 0.0)
        self._synchronize = synchronize
        self._open = [REST]
        self._since = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """What runs inside is timed."""
        self._synchronize()
        self._since = perf_counter()
        try:
            yield
        finally:
            self._charge()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What runs inside is charged to the stage."""
        self._charge()
        self._open.append(name)
        try:
            yield
        finally:
            self._charge()
            self._open.pop()

    def _charge(self) -> None:
        self._synchronize()
        now = perf_counter()
        self.seconds[self._open[-1]] += now - self._since
        self._since = now


@contextmanager
def profiled(clock: StageClock, hooks: Mapping[str, tuple[str, ...]] = HOOKS) -> Iterator[None]:
    """Charge the stage functions' time to `clock` for as long as this is open.

    Raises:
        AttributeError, ModuleNotFoundError: the package has no such function; `HOOKS` names it wrongly.
    """
    replaced: list[tuple[Any, str, Any]] = []
    try:
        for stage, targets in hooks.items():
            for target in targets:
                owner, original = _find(target)
                wrapped = _wrapped(original, clock, stage)
                for holder, name in _places(owner, original):
                    replaced.append((holder, name, original))
                    setattr(holder, name, wrapped)
        with clock.running():
            yield
    finally:
        for holder, name, original in replaced:
            setattr(holder, name, original)


def _find(target: str) -> tuple[Any, Any]:
    """What holds a function, a module or a class, and the function."""
    module, _, path = target.partition(":")
    owner: Any = import_module(f"{_PACKAGE}.{module}")
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    return owner, getattr(owner, name)


def _places(owner: Any, original: Any) -> list[tuple[Any, str]]:
    """Every name that the function goes by: where it is defined, and in the modules that imported it."""
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] == _PACKAGE and module is not owner]
    return [(holder, name) for holder in [owner, *modules] for name, value in vars(holder).items() if value is original]


def _wrapped(original: Callable[..., Any], clock: StageClock, stage: str) -> Callable[..., Any]:
    def timed(*args: Any, **kwargs: Any) -> Any:
        with clock.stage(stage):
            result = original(*args, **kwargs)
        return _items(result, clock, stage) if isinstance(result, GeneratorType) else result

    return timed


def _items(generator: Iterator[Any], clock: StageClock, stage: str) -> Iterator[Any]:
    """What a generator yields; its work is done, and charged, when it is asked for."""
    while True:
        with clock.stage(stage):
            try:
                item = next(generator)
            except StopIteration:
                return
        yield item
