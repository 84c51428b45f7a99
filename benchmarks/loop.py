"""The one loop: compress, read, score, write a line.  It knows neither datasets nor methods nor tables by name.

Lines go to one file for each method in a folder that is named after the configuration.  A run that was stopped goes on
where it was: a sample whose line is there is not done again.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm  # type: ignore[import-untyped]

from benchmarks.baselines import Method
from benchmarks.counting import Setup
from benchmarks.errors import ReaderError, UnavailableError
from benchmarks.methods import Builder
from benchmarks.metrics import METRICS
from benchmarks.readers import Reader
from benchmarks.samples import Sample

DRAWS = 2000  # bootstrap resamples
SEED = 42
INTERVAL = (2.5, 97.5)  # percentiles of a 95 % interval

Floats = npt.NDArray[np.float64]
Line = dict[str, Any]  # file, id, outcomes: one for each budget
Files = Mapping[str, Sequence[Sample]]


@dataclass(frozen=True)
class Cell:
    """One method on one file under one budget; `retention` and `score` have no value for samples without one."""

    retention: Floats  # [samples with references], in [0, 1]
    score: Floats  # [samples], in [0, 1], of a reader's answers; empty without one
    tokens: Floats  # [samples], kept
    milliseconds: Floats  # [samples]
    violations: int  # samples over the budget

    @property
    def values(self) -> Floats:
        """What tables show: the reader's scores, else retention."""
        return self.score if len(self.score) else self.retention


@dataclass
class Results:
    """Cells by file, method and budget, and why a method is missing."""

    cells: dict[tuple[str, str, int], Cell] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def measure(
    files: Files,
    methods: Mapping[str, Builder],
    budgets: Sequence[int],
    setup: Setup,
    folder: Path,
    reader: Reader | None = None,
    concurrency: int = 1,
) -> Results:
    """Every method on every sample under every budget.

    Args:
        files: samples by task.
        methods: by the name that tables show.
        budgets: tokens of the compressed context.
        folder: of the lines; those that are there are taken over.
        reader: answers the prompts; without one only retention is scored.
        concurrency: prompts that the reader gets at a time.

    Raises:
        ReaderError: the reader stopped answering.
    """
    folder.mkdir(parents=True, exist_ok=True)
    results = Results()
    for name, build in methods.items():
        path = folder / f"{slug(name)}.jsonl"
        done = read_lines(path)
        todo = [(label, one) for label, samples in files.items() for one in samples if (label, one.id) not in done]
        try:
            if todo:
                work = _Work(build(setup), budgets, setup, reader)
                done |= _run(work, todo, path, name, len(done), concurrency)
        except ReaderError:
            raise
        except UnavailableError as error:
            results.missing[name] = str(error)
            continue
        for label, samples in files.items():
            lines = [done[label, sample.id]["outcomes"] for sample in samples]
            for budget, outcomes in zip(budgets, zip(*lines, strict=True), strict=True):
                results.cells[label, name, budget] = _cell(outcomes, budget)
    return results


class _Work:
    """What is done with one sample, in any thread; compressing is done by one at a time."""

    def __init__(self, method: Method, budgets: Sequence[int], setup: Setup, reader: Reader | None) -> None:
        self._method, self._budgets, self._setup, self._reader = method, budgets, setup, reader
        self._lock = threading.Lock()

    def __call__(self, label: str, sample: Sample) -> Line:
        with self._lock:
            kept = self._method(sample, self._budgets)
        counted = self._setup.counter.count_many([outcome.text for outcome in kept]).tolist()
        outcomes = []
        for budget, outcome, tokens in zip(self._budgets, kept, counted, strict=True):
            found: dict[str, Any] = {"budget": budget, "tokens": tokens, "milliseconds": round(outcome.milliseconds, 3)}
            found["retention"] = sample.retention(outcome.text)
            if self._reader:
                found["answer"] = self._reader(sample.prompt(outcome.text), sample.max_tokens)
                found["score"] = METRICS[sample.metric](found["answer"], sample.answers, sample.classes)
            outcomes.append(found)
        return {"file": label, "id": sample.id, "outcomes": outcomes}


def _run(
    work: _Work, todo: Sequence[tuple[str, Sample]], path: Path, name: str, before: int, concurrency: int
) -> dict[tuple[str, str], Line]:
    """The lines of the samples to do, each written as soon as it is there."""
    found = {}
    bar = tqdm(total=before + len(todo), initial=before, desc=name, unit="sample", disable=None)
    with bar, path.open("a", encoding="utf-8") as file, ThreadPoolExecutor(concurrency) as pool:
        try:
            for done in as_completed([pool.submit(work, label, sample) for label, sample in todo]):
                line = done.result()
                print(json.dumps(line, ensure_ascii=False), file=file, flush=True)
                found[line["file"], line["id"]] = line
                bar.update()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return found


def read_lines(path: Path) -> dict[tuple[str, str], Line]:
    """The lines of a file by task and sample; one that was cut short by a kill is taken out of the file."""
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return {(line["file"], line["id"]): line for line in map(json.loads, whole.split("\n")[:-1])}


def slug(name: str) -> str:
    """A name as a file's.

    >>> slug("max pooling alone (gamma 0)")
    'max-pooling-alone-gamma-0'
    """
    return re.sub(r"[^\w.=]+", "-", name).strip("-")


def _cell(outcomes: Iterable[dict[str, Any]], budget: int) -> Cell:
    found = list(outcomes)

    def column(key: str) -> Floats:
        return np.array([one[key] for one in found if one.get(key) is not None], dtype=np.float64)

    tokens = column("tokens")
    return Cell(column("retention"), column("score"), tokens, column("milliseconds"), int((tokens > budget).sum()))


def bootstrap(values: Floats) -> Floats:
    """Means of `DRAWS` resamples of `values` `[n]`, always the same ones."""
    picks = np.random.default_rng(SEED).integers(0, len(values), (DRAWS, len(values)))
    means: Floats = values[picks].mean(axis=1)
    return means


def summary(*groups: Sequence[Cell]) -> dict[str, float | int]:
    """Value (%) with its interval, tokens, median ms, violations, samples.

    Of a file, or the mean of several files, or the mean of the means of several groups of files.
    """
    cells = [cell for group in groups for cell in group]
    drawn = np.mean([np.mean([bootstrap(cell.values) for cell in group], axis=0) for group in groups], axis=0)
    low, high = np.percentile(100 * drawn, INTERVAL)
    value = np.mean([np.mean([cell.values.mean() for cell in group]) for group in groups])
    return {
        "value": round(100 * float(value), 2),
        "low": round(float(low), 2),
        "high": round(float(high), 2),
        "tokens": round(float(np.mean([cell.tokens.mean() for cell in cells])), 1),
        "milliseconds": round(float(np.mean([np.median(cell.milliseconds) for cell in cells])), 2),
        "violations": sum(cell.violations for cell in cells),
        "samples": sum(len(cell.values) for cell in cells),
    }
