"""Compressors side by side on one text: the same budget, the same counter, what each keeps and what it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from beaver_compat.answers import stands_in
from beaver_compat.arguments import checked_text, joined_prompt
from beaver_compat.errors import InputTypeError, InputValueError, shown, wrong_type
from beaver_compat.rivals import RIVALS, load_rival

if TYPE_CHECKING:
    from beaver_compat.compressor import BeaverPromptCompressor
    from beaver_compat.result import KeptSpan

_Result = TypeVar("_Result")
OURS = "beaver"
_MS = 1000.0
_SHOWN = 160  # characters of an error


@dataclass(frozen=True)
class Compared:
    """What one compressor made of the text.

    Attributes:
        name: of the compressor.
        prompt: the compressed prompt, with the question; "" where it could not run.
        tokens: of the prompt, by the comparison's counter.
        milliseconds: of the second of two calls, loading and warming up not counted.
        answer_kept: whether the answer stands in the prompt before the question; None where no answer was given.
        error: why it could not run, in one line; "" where it ran.
    """

    name: str
    prompt: str = ""
    tokens: int = 0
    milliseconds: float = 0.0
    answer_kept: bool | None = None
    error: str = ""


@dataclass(frozen=True)
class Comparison:
    """Several compressors on one text; its ``str`` is the table.

    Attributes:
        context, question: what they were given.
        origin_tokens: of context and question.
        budget: tokens that a prompt was to have.
        counter: name of the token counter.
        rows: a result each, ours first.
        spans: what ours kept of the context.
    """

    context: str
    question: str
    origin_tokens: int
    budget: int
    counter: str
    rows: tuple[Compared, ...]
    spans: tuple[KeptSpan, ...]

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        names = ", ".join(row.name for row in self.rows)
        return f"Comparison({names}: {self.origin_tokens:,} tokens to {self.budget:,}, counter={self.counter!r})"

    def cells(self) -> list[list[str]]:
        """The table as text: a header, then a row for each compressor; an error in the place of the figures."""
        asked = any(row.answer_kept is not None for row in self.rows)
        header = ["compressor", "tokens", "ratio", "budget", "ms", *["answer"] * asked]
        rows = [["original", f"{self.origin_tokens:,}", "1.0x", "", "", *[""] * asked]]
        for row in self.rows:
            if row.error:
                rows.append([row.name, f"not run: {row.error}"])
                continue
            ratio = self.origin_tokens / max(row.tokens, 1)
            found = [row.name, f"{row.tokens:,}", f"{ratio:.1f}x", self._verdict(row), f"{row.milliseconds:,.1f}"]
            rows.append(found + ["kept" if row.answer_kept else "lost"] * asked)
        return [header, *rows]

    def _verdict(self, row: Compared) -> str:
        over = row.tokens - self.budget
        return f"missed by {over:,}" if over > 0 else "kept"

    def table(self) -> str:
        """The table, aligned for a terminal."""
        cells = self.cells()
        whole = [row for row in cells if len(row) == len(cells[0])]
        widths = [max(len(row[column]) for row in whole) for column in range(len(cells[0]))]
        widths[0] = max(len(row[0]) for row in cells)
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)

    def html(self) -> str:
        """A page with the table, what ours kept of the text, and every output side by side."""
        from beaver_compat.report import comparison_page

        return comparison_page(self)


def compare(
    context: str,
    question: str = "",
    target_token: int = 500,
    *,
    against: Sequence[str] = (),
    answer: str | None = None,
    compressor: BeaverPromptCompressor | None = None,
) -> Comparison:
    """Compress one text with BEAVER and with others, under the same budget and counter.

    Each compresses the text twice, and the second call is timed.

    Args:
        context: the text.
        question: ranks the text, and stands at the end of every prompt.
        target_token: tokens of the whole prompt, by the compressor's counter.
        against: names of ``beaver_compat.rivals.RIVALS``; one that can't run is a row that says why.
        answer: words of the text, which are looked for in what each keeps.
        compressor: ours; the default configuration where none is given.

    Raises:
        InputTypeError, InputValueError: an argument that can't be used.
    """
    _check_against(against)
    _check_answer(answer, context)
    compressor = _own(compressor)
    result, milliseconds = _timed(partial(compressor.compress, context, question=question, target_token=target_token))
    count = compressor.counter
    kept = partial(_kept, answer)
    ours = Compared(
        OURS, result.compressed_prompt, result.compressed_tokens, milliseconds, kept(result.compressed_context)
    )
    room = target_token - (count(joined_prompt(["x", question])) - count("x") if question else 0)
    rows = [ours]
    for name in dict.fromkeys(against):
        try:
            text, milliseconds = _timed(partial(load_rival(name), context, question, max(room, 1)))
        except Exception as error:  # noqa: BLE001  whatever another package raises, the others go on
            rows.append(Compared(name, error=_one_line(error, RIVALS[name].install)))
            continue
        prompt = joined_prompt([text, question])
        rows.append(Compared(name, prompt, count(prompt), milliseconds, kept(text)))
    return Comparison(context, question, result.origin_tokens, target_token, result.counter, tuple(rows), result.spans)


def _check_against(against: Sequence[str]) -> None:
    if isinstance(against, str):
        raise InputTypeError(f"against is {shown(against)}; give a list of names")
    unknown = [name for name in against if name not in RIVALS]
    if unknown:
        raise InputValueError(f"against has {shown(unknown[0])}; there are {', '.join(RIVALS)}")


def _check_answer(answer: object, context: object) -> None:
    """Refuse an answer that no compressor could keep."""
    if answer is not None and not stands_in(checked_text("answer", answer), checked_text("context", context)):
        raise InputValueError(
            f"answer is {shown(answer)}, which doesn't stand in the text; give words that do, or None"
        )


def _own(compressor: object) -> BeaverPromptCompressor:
    """The caller's compressor; one of the default configuration where none was given."""
    from beaver_compat.compressor import BeaverPromptCompressor

    if compressor is None:
        return BeaverPromptCompressor()
    if not isinstance(compressor, BeaverPromptCompressor):
        raise wrong_type("compressor", compressor, "a BeaverPromptCompressor, or None")
    return compressor


def _timed(call: Callable[[], _Result]) -> tuple[_Result, float]:
    """What a call gives, and the milliseconds of a second one: the first loads, compiles and fills caches."""
    call()
    started = perf_counter()
    result = call()
    return result, _MS * (perf_counter() - started)


def _kept(answer: str | None, text: str) -> bool | None:
    return None if answer is None else stands_in(answer, text)


def _one_line(error: Exception, install: str) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"{error.name} isn't installed: {install or f'pip install {error.name}'}"
    lines = str(error).strip().splitlines()
    told = f"{type(error).__name__}: {lines[0] if lines else 'no message'}"
    return told if len(told) <= _SHOWN else f"{told[: _SHOWN - 3]}..."
