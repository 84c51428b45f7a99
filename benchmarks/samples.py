"""Benchmark samples, and what counts as a retained answer.

A sample file holds one JSON object a line (`*.jsonl` or `*.jsonl.gz`) with the keys `context, question, answers`,
and where there are any `id, match, instruction, metric, max_tokens, classes` and `meta`: `prompt` (`prefix`, `join`,
`suffix` around instruction, context and question).  Others are ignored.  This module knows
nothing of compressors, budgets or counters.

An answer is *retained* when it stands verbatim in a text, both with runs of white space taken as one space
and without regard to case (as in RULER's own string match), and not inside a longer word: `no` does not stand
in `now`.  An answer may run over the joint of two kept pieces.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from beaver_compat.answers import normalised, stands_in
from beaver_compat.errors import shown
from benchmarks.errors import UnavailableError
from benchmarks.metrics import METRICS

SUFFIXES = (".jsonl", ".jsonl.gz")
# Words that stand in nearly every text: a reader infers such an answer, so finding the word proves nothing.
JUDGEMENTS = frozenset({"yes", "no", "true", "false", "unanswerable"})


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(of: type | tuple[type, ...]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(one, of) for one in value)


def _is_meta(value: Any) -> bool:
    """Whether what is read of it has the shape that it is read in."""
    if not isinstance(value, dict) or not isinstance(shape := value.get("prompt") or {}, dict):
        return False
    join = shape.get("join", ["", ""])
    return (
        all(_is_text(shape.get(key, "")) for key in ("prefix", "suffix"))
        and (_is_list(str)(join) and len(join) == 2)
        and _is_list(str)(value.get("answer_option_texts") or [])
    )


_NEEDED = ("context", "question", "answers")
# What a key of a line may hold: whether a value will do, and what to give.
_KEYS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "context": (_is_text, "a string"),
    "question": (_is_text, "a string"),
    "answers": (_is_list((str, int, float)), "a list of strings"),
    "match": (lambda value: value in ("all", "any"), '"all" or "any"'),
    "instruction": (_is_text, "a string"),
    "metric": (lambda value: _is_text(value) and value in METRICS, f"one of {', '.join(METRICS)}"),
    "max_tokens": (lambda value: isinstance(value, int) and value > 0, "a whole number over 0"),
    "classes": (_is_list(str), "a list of strings"),
    "meta": (_is_meta, "an object as benchmarks/samples.py describes it, or leave it out"),
}


@dataclass(frozen=True)
class Sample:
    """One question over one context, with the reference answers that stand in that context.

    Attributes:
        answers: all reference answers, for a reader to be scored by.
        before, between, after: the prompt around context and question.
        metric: of `benchmarks/metrics.py`.
        max_tokens: that a reader may answer with.
        classes: of a classification task.
        length: tokens of the whole prompt and its answer where the maker counted them, else 0.
    """

    id: str
    context: str
    question: str
    references: tuple[str, ...]
    match: Literal["all", "any"]
    answers: tuple[str, ...] = ()
    before: str = ""
    between: str = "\n\n"
    after: str = ""
    metric: str = "qa_f1"
    max_tokens: int = 128
    classes: tuple[str, ...] = ()
    length: int = 0

    def prompt(self, context: str) -> str:
        """The prompt for a reader, with `context` in the place of the sample's own.

        >>> Sample("s", "long", "Who?", (), "any", before="Read: ", after=" A:").prompt("short")
        'Read: short\\n\\nWho? A:'
        """
        return f"{self.before}{context}{self.between}{self.question}{self.after}"

    def retention(self, compressed: str) -> float | None:
        """Share of the references in `compressed`; with `match == "any"` 1.0 as soon as one stands there.

        None where the sample has no references: nothing could be kept.

        >>> Sample("s", "Ann has 5. Bob has 7.", "", ("5", "7"), "all").retention("Bob has 7.")
        0.5
        """
        if not self.references:
            return None
        found = retained(self.references, compressed)
        return float(bool(found)) if self.match == "any" else len(found) / len(self.references)


def retained(answers: Sequence[str], text: str) -> tuple[str, ...]:
    """Those of `answers` that stand in `text` (see the module's docstring).

    >>> retained(["new  york", "no", ""], "In New\\nYork now.")
    ('new  york',)
    """
    return tuple(answer for answer in answers if stands_in(answer, text))


def references(row: dict[str, Any]) -> tuple[str, ...]:
    """The answers of one line that a verbatim match can find: those that stand in its own context.

    Where `meta.answer_option_texts` spells out lettered options, the texts are the references: a letter
    stands in every text.  Where `meta.verbatim` is false the answers are in other words, and none counts.
    """
    meta = row.get("meta", {})
    spelled_out = meta.get("answer_option_texts")
    answers = spelled_out or (row["answers"] if meta.get("verbatim", True) else [])
    return retained([answer for answer in answers if normalised(answer) not in JUDGEMENTS], row["context"])


def sample_of(row: dict[str, Any], place: int) -> Sample:
    """The sample on one line.

    Args:
        row: the line's object.
        place: names it where it has no `id`.

    Raises:
        ValueError: a key is missing or holds what it can't.
    """
    row = {key: value for key, value in row.items() if value is not None}
    missing = [key for key in _NEEDED if key not in row]
    if missing:
        raise ValueError(f"no {' and no '.join(missing)} among {shown(list(row))}; give {', '.join(_NEEDED)}")
    for key, (will_do, what) in _KEYS.items():
        if key in row and not will_do(row[key]):
            raise ValueError(f"{key} is {shown(row[key])}; give {what}")
    meta = row.get("meta", {})
    shape = meta.get("prompt") or {}
    first, between = shape.get("join", ("\n\n", "\n\n"))
    answers = tuple(map(str, row["answers"]))
    instruction = row.get("instruction", "")
    return Sample(
        id=str(row.get("id", place)),
        context=row["context"],
        question=row["question"],
        references=references({**row, "answers": answers}),
        match=row.get("match", "any"),
        answers=answers,
        before=f"{shape.get('prefix', '')}{instruction}{first if instruction else ''}",
        between=between,
        after=shape.get("suffix", ""),
        metric=row.get("metric", "string_match_all" if row.get("match") == "all" else "qa_f1"),
        max_tokens=row.get("max_tokens", 128),
        classes=tuple(row.get("classes", ())),
    )


def read_samples(path: Path) -> Iterator[Sample]:
    """The samples of a file, one by one.

    Raises:
        UnavailableError: the file can't be read, or a line is no sample.
    """
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as lines:
            for place, line in enumerate(lines):
                if line.strip():
                    try:
                        yield sample_of(_row(line), place)
                    except ValueError as error:
                        raise UnavailableError(f"{path}, line {place + 1}: {error}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise UnavailableError(f"{path} can't be read: {error}") from error


def _row(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} (0x{line[error.start]:02X}) is no text in UTF-8; give UTF-8") from error
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        row, why = None, f" ({error.msg}, column {error.colno})"
    else:
        why = ""
    if not isinstance(row, dict):
        raise ValueError(f"{shown(text.strip())} is no JSON object{why}; give one a line with {', '.join(_NEEDED)}")
    return row


def sample_files(data: Sequence[str]) -> list[Path]:
    """The sample files that `data` names, a folder standing for those in it by name; each once.

    Raises:
        FileNotFoundError: nothing to read at one of the names.
    """
    files: dict[Path, None] = {}
    for name in data:
        path = Path(name)
        found = [path] if path.is_file() else sorted(p for p in path.glob("*") if p.name.endswith(SUFFIXES))
        if not found:
            raise FileNotFoundError(f"no sample file at {name!r}: give *.jsonl or *.jsonl.gz, or a folder of them.")
        files.update(dict.fromkeys(found))
    return list(files)


def file_label(path: Path) -> str:
    """The file's name without its suffixes, as tables show it."""
    return path.name.removesuffix(".gz").removesuffix(".jsonl")
