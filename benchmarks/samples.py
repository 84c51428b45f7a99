"""Benchmark samples, and what counts as a retained answer.

A sample file holds one JSON object a line (`*.jsonl` or `*.jsonl.gz`) with the keys `id, context, question,
answers, match`, and where there are any `instruction, metric, max_tokens, classes` and `meta`: `prompt` (`prefix`,
`join`, `suffix` around instruction, context and question) and `evidence_spans`.  Others are ignored.  This module
knows nothing of compressors, budgets or counters.

An answer is *retained* when it stands verbatim in a text, both with runs of white space taken as one space
and without regard to case (as in RULER's own string match), and not inside a longer word: `no` does not stand
in `now`.  An answer may run over the joint of two kept pieces.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from beaver_compat.answers import normalised, stands_in

SUFFIXES = (".jsonl", ".jsonl.gz")
# Words that stand in nearly every text: a reader infers such an answer, so finding the word proves nothing.
JUDGEMENTS = frozenset({"yes", "no", "true", "false", "unanswerable"})


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
        depths: where the evidence begins, as shares of the context.
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
    depths: tuple[float, ...] = ()

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


def located(piece: str, text: str) -> tuple[int, int] | None:
    """Where `piece` stands in `text`: start and end, or None."""
    start = text.find(piece)
    return None if start < 0 else (start, start + len(piece))


def sample_of(row: dict[str, Any], place: int) -> Sample:
    """The sample on one line.

    Parameters
    ----------
    row: the line's object.
    place: names it where it has no `id`.

    Raises
    ------
    ValueError: it has no context or no question.
    """
    missing = {"context", "question"} - row.keys()
    if missing:
        raise ValueError(f"line {place + 1} has no {' and no '.join(sorted(missing))}: it has {', '.join(row)}")
    meta = row.get("meta") or {}
    shape = meta.get("prompt") or {}
    first, between = shape.get("join", ("\n\n", "\n\n"))
    context, answers = row["context"], tuple(map(str, row.get("answers", ())))
    instruction = row.get("instruction", "")
    return Sample(
        id=str(row.get("id", place)),
        context=context,
        question=row["question"],
        references=references({**row, "answers": answers}),
        match=row.get("match", "any"),
        answers=answers,
        before=f"{shape.get('prefix', '')}{instruction}{first if instruction else ''}",
        between=between,
        after=shape.get("suffix", ""),
        metric=row.get("metric", "string_match_all" if row.get("match") == "all" else "qa_f1"),
        max_tokens=int(row.get("max_tokens", 128)),
        classes=tuple(row.get("classes", ())),
        depths=tuple(start / len(context) for start, _ in meta.get("evidence_spans", ())),
    )


def read_samples(path: Path, limit: int | None = None, readable: bool = False) -> tuple[list[Sample], int]:
    """The first `limit` samples of a file that can be scored, and how many lines on the way were left out.

    Left out are those without a reference that stands in their context, unless they are `readable`: a reader can be
    scored on them all the same.
    """
    left_out = 0

    def usable() -> Iterator[Sample]:
        nonlocal left_out
        for place, row in enumerate(_rows(path)):
            sample = sample_of(row, place)
            if sample.references or (readable and sample.answers):
                yield sample
            else:
                left_out += 1

    return list(islice(usable(), limit)), left_out


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def sample_files(data: Sequence[str]) -> list[Path]:
    """The sample files that `data` names, a folder standing for those in it by name; each once.

    Raises
    ------
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
