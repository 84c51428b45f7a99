"""Many prompts in one call: their texts are tokenized together and scored in one ragged batch.

A single prompt is a batch of one.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from beaver_compat.arguments import nearest
from beaver_compat.engine import Result, Steps
from beaver_compat.errors import BeaverError, InputTypeError, shown, wrong_type
from beaver_compat.face.methods import LLMLinguaFace
from beaver_compat.prepared import Source, read_tokens

_CHARACTERS_AT_ONCE = 1 << 18  # of text that is tokenized and scored together; more takes memory and gains nothing
_LONG_WORK = 1.0  # seconds before a progress bar appears

_Call = tuple[str | Source, Steps[dict[str, Any]]]


class BatchFace(LLMLinguaFace):
    """The compression of many prompts."""

    def compress_prompts(
        self, prompts: Iterable[Any], *, progress: bool | None = None, **common: Any
    ) -> list[dict[str, Any]]:
        """Compress many prompts.

        Args:
            prompts: for each either its context (a text, several, or what ``prepare`` made of them) or a mapping of
                arguments of ``compress_prompt``, such as ``{"context": ..., "question": ..., "target_token": 200}``.
            progress: True or False to show a progress bar or not; None shows one on a terminal when the work takes
                longer than a second.
            **common: arguments of ``compress_prompt`` for all prompts that don't have their own.

        Returns:
            For each prompt exactly what ``compress_prompt`` returns for it.

        Raises:
            BeaverError: a prompt can't be compressed, in the class that ``compress_prompt`` raises; the message says
                which prompt it is.  Arguments that can't be used are found before any work is done.
        """
        if isinstance(prompts, (str, Mapping)) or not isinstance(prompts, Iterable):
            raise wrong_type("prompts", prompts, "a list of prompts")
        parameters = inspect.signature(self.compress_prompt).parameters.values()
        defaults = {parameter.name: parameter.default for parameter in parameters if parameter.name != "context"}
        _check_names(common, defaults, "compress_prompts")
        common = {**defaults, **common}
        calls = deque(self._call(index, prompt, common) for index, prompt in enumerate(prompts))
        return list(self._results(calls, progress))

    def _call(self, index: int, prompt: Any, common: Mapping[str, Any]) -> _Call:
        """One prompt, its arguments checked."""
        own = dict(prompt) if isinstance(prompt, Mapping) else {"context": prompt}
        with _naming(index):
            _check_names(own, [*common, "context"], "compress_prompt")
        if "context" not in own:
            raise InputTypeError(f"prompts[{index}] has no context; give one")
        with _naming(index):
            context = own.pop("context")
            # LLMLingua-2's result tells an empty text from no text.
            source = context if isinstance(context, str) and not context else self._source(context)
            return source, _named(index, self._prompt(**{**common, **own, "context": source}))

    def _results(self, calls: deque[_Call], progress: bool | None) -> Iterator[dict[str, Any]]:
        from tqdm import tqdm

        hidden = None if progress is None else not progress  # None: on a terminal only
        delay = 0 if progress else _LONG_WORK
        with tqdm(total=len(calls), desc="compress", unit="prompt", disable=hidden, delay=delay) as bar:
            for low, high in _runs([_characters(source) for source, _ in calls]):
                own = [calls.popleft() for _ in range(low, high)]  # what is read of them goes when they are done
                read_tokens([source for source, _ in own if isinstance(source, Source)])
                for result in self._finished([steps for _, steps in own]):
                    yield result
                    bar.update()


def _check_names(arguments: Mapping[Any, Any], names: Collection[str], caller: str) -> None:
    for name in arguments:
        if name not in names:
            wrong = f"{caller} has no argument {shown(name)}; give some of {', '.join(names)}."
            raise InputTypeError(wrong + nearest(name, names))


@contextmanager
def _naming(index: int) -> Iterator[None]:
    """A context in which an error says which prompt it was."""
    try:
        yield
    except BeaverError as error:
        raise type(error)(f"prompts[{index}]: {error}") from error


def _named(index: int, steps: Steps[Result]) -> Steps[Result]:
    with _naming(index):
        return (yield from steps)


def _characters(context: str | Source) -> int:
    return sum(map(len, context.contexts)) if isinstance(context, Source) else 0


def _runs(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of prompts of at most so many characters, or of one prompt.

    >>> list(_runs([_CHARACTERS_AT_ONCE, 1, 2]))
    [(0, 1), (1, 3)]
    """
    low = total = 0
    for index, size in enumerate(sizes):
        if index > low and total + size > _CHARACTERS_AT_ONCE:
            yield low, index
            low, total = index, 0
        total += size
    if low < len(sizes):
        yield low, len(sizes)
