"""Any datasets, any methods: what is kept of the answers, or what a reader makes of the compressed prompts.

    python benchmarks/run.py ruler path/to/samples.jsonl --methods beaver,bm25 --budgets 500,1000,3000
    python benchmarks/run.py longbench --reader http://127.0.0.1:8000/v1 --reader-model Qwen/Qwen3-8B --concurrency 16

Datasets are those of `benchmarks/data.py`, sample files, or folders of them; methods those of `benchmarks/methods.py`.
Without a reader a table shows answer retention: the share of reference answers that stand verbatim in what is kept, a
ceiling for any reader.  Each method compresses the context alone under the same counter and budget, and what it
returns is counted anew.  Intervals are 95 % bootstrap intervals over samples; the mean row weighs each task the same.
A run that was stopped goes on where it was when the same command is given again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Run as a script, it finds `benchmarks` and a package that isn't installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from beaver_compat.errors import BeaverError
from benchmarks import counting, data, loop, methods, readers
from benchmarks.errors import UnavailableError
from benchmarks.prompts import parse_length
from benchmarks.reporting import ROOT, environment, markdown_table, refusal
from benchmarks.sets import Data, Wanted

RESULTS = ROOT / "benchmarks" / "runs"
PACKAGES = (
    "beaver-compat",
    "wordllama",
    "numpy",
    "torch",
    "tokenizers",
    "fastokens",
    "tiktoken",
    "bm25s",
    "sentence-transformers",
    "wonderwords",
    "openai",
)
# Formatting alone: a change there leaves results as they are.
_NOT_MEASURING = {"plot.py", "tables.py", "latency.py", "latency_report.py", "stages.py", "peak_memory.py"}

# The options that results depend on.
_MATTERS = (
    "datasets",
    "limit",
    "fraction",
    "length",
    "seed",
    "essays",
    "counter",
    "reader",
    "reader_model",
    "weights",
    "budgets",
)
_PLACES = ("cache", "results", "out")  # of one machine; no result depends on them

Row = dict[str, Any]


@dataclass
class Report:
    """What a run found: samples, cells, and what is said of the run.

    Attributes:
        groups: tasks by the table's columns, which the mean weighs the same; without any it weighs tasks the same.
    """

    data: Data
    results: loop.Results
    about: Row
    methods: list[str]
    budgets: list[int]
    folder: Path
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def cells(self, method: str, budget: int, labels: Sequence[str]) -> list[loop.Cell]:
        """A method's cells, those of missing tasks left out."""
        found = (self.results.cells.get((label, method, budget)) for label in labels)
        return [cell for cell in found if cell]

    def mean(self, method: str, budget: int) -> dict[str, float | int]:
        """A method's mean over everything."""
        groups = self.groups.values() or [list(self.data.files)]
        return loop.summary(*(self.cells(method, budget, labels) for labels in groups))

    def document(self) -> Row:
        """Everything, as it is written to a file."""
        shown = [method for method in self.methods if method not in self.results.missing]
        return {
            **self.about,
            "left_out": self.data.left_out,
            "missing": {**self.data.missing, **self.results.missing},
            "means": [
                {"method": method, "budget": budget, **self.mean(method, budget)}
                for method in shown
                for budget in self.budgets
            ],
            "results": [
                {"file": label, "method": method, "budget": budget, **loop.summary([cell])}
                for (label, method, budget), cell in self.results.cells.items()
            ],
        }


def add_options(made: argparse.ArgumentParser) -> None:
    """The options that every table has."""
    add = made.add_argument
    add("--methods", help=f"comma-separated, of {', '.join(methods.METHODS)}, or beaver:FIELD=VALUE")
    add("--budgets", help="tokens of the compressed context, comma-separated")
    add("--limit", type=int, help="samples of each task")
    add("--fraction", type=float, default=1.0, help="share of each task's samples, 0 to 1")
    add("--length", help="tokens of generated prompts (default 16k)")
    add("--seed", type=int, default=loop.SEED, help="of generated samples")
    add("--data", type=Path, metavar="FOLDER", help="files in the place of the hub's")
    add("--essays", default="", metavar="FOLDER", help='of the essay haystack; "hub" fetches it, else noise stands in')
    add("--counter", default="table", help='"table", or a tiktoken model or encoding')
    add("--reader", default="none", help="address of an OpenAI-compatible endpoint, transformers, or none")
    add("--reader-model", default="", metavar="NAME", help="as the endpoint or the hub names it")
    add("--concurrency", type=int, default=8, help="prompts that an endpoint gets at a time")
    add("--weights", action="append", default=[], metavar="RIVAL=FOLDER", help="of a rival, in place of the published")
    add("--cache", type=Path, default=ROOT / ".cache" / "benchmarks", help="of embeddings and answers")
    add("--results", type=Path, default=RESULTS, help="folder; each configuration has its own under it")
    add("--out", type=Path, metavar="STEM", help="write STEM.json and STEM.md; neither may exist")


def run(
    datasets: Sequence[str], names: Mapping[str, str], budgets: Sequence[int], options: argparse.Namespace
) -> Report:
    """Measure, taking over what an earlier run of the same configuration has done.

    Args:
        datasets: names, files or folders.
        names: of the methods, from what tables show to what `make_builder` takes.
        budgets: tokens.
        options: as `add_options` makes them.

    Raises:
        UnavailableError: nothing can be measured at all; ReaderError: the reader stopped.
        FileNotFoundError: a name that is no dataset and no file.
    """
    weights = [tuple(pair.partition("=")[::2]) for pair in options.weights]
    try:
        setup = counting.make_setup(options.counter, options.cache / "embeddings", weights)
    except BeaverError as error:
        raise UnavailableError(
            f'--counter is {options.counter!r}; give "table", or what tiktoken has ({error})'
        ) from error
    cache = readers.Cache(options.cache / "answers.sqlite") if options.reader != "none" else None
    reader = readers.make_reader(options.reader, options.reader_model, cache)
    wanted = Wanted(
        counter=setup.counter,
        folder=options.data,
        essays=options.essays,
        limit=options.limit,
        fraction=options.fraction,
        length=parse_length(options.length or "16k"),
        seed=options.seed,
        readable=reader is not None,
    )
    found = data.load(datasets, wanted)
    if not found.files:
        raise UnavailableError(f"nothing to measure: {'; '.join(dict.fromkeys(found.missing.values()))}")
    asked = {**vars(options), "datasets": list(datasets), "budgets": list(budgets)}
    folder = options.results / _folder_name(asked, found)
    builders = {name: methods.make_builder(what) for name, what in names.items()}
    results = loop.measure(found.files, builders, budgets, setup, folder, reader, options.concurrency if reader else 1)
    told = {key: value for key, value in asked.items() if key not in _PLACES}
    about = environment(PACKAGES) | {"options": {**told, "methods": list(names)}, "reader": reader and reader.name}
    return Report(found, results, about, list(names), list(budgets), folder)


def _folder_name(asked: Row, found: Data) -> str:
    """The configuration in words, then a fingerprint of it, of the samples and of the code that measures."""
    digest = hashlib.sha256(json.dumps([asked[key] for key in _MATTERS], default=str).encode())
    for label, samples in found.files.items():
        for sample in samples:
            digest.update(f"{label} {sample}".encode("utf-8", "surrogatepass"))
    for package in ("beaver_compat", "benchmarks"):
        for file in sorted((ROOT / package).rglob("*.py")):
            digest.update(b"" if file.name in _NOT_MEASURING else file.read_bytes())
    words = [*(Path(name).name for name in asked["datasets"]), asked["length"] or "", f"n{asked['limit'] or ''}"]
    words += ["-".join(map(str, asked["budgets"])), asked["counter"], asked["reader_model"] or "no-reader"]
    return f"{loop.slug('_'.join(filter(None, words)))[:120]}_{digest.hexdigest()[:8]}"


def markdown(report: Report) -> str:
    """One table per budget: tasks down, methods across, then the mean and what each method kept."""
    kind = "Score" if report.about["reader"] else "Retention"
    shown = [method for method in report.methods if method not in report.results.missing]
    labels = list(report.data.files)
    parts = []
    for budget in report.budgets:
        rows = [
            [label, *(interval(loop.summary(report.cells(method, budget, [label]))) for method in shown)]
            for label in labels
        ]
        means = [report.mean(method, budget) for method in shown]
        rows.append(["**mean**", *map(interval, means)])
        rows.append(["tokens kept", *(f"{mean['tokens']:.0f}" for mean in means)])
        rows.append(["samples over budget", *(str(mean["violations"]) for mean in means)])
        parts += [f"### {kind} (%), {budget} tokens", markdown_table(["task", *shown], rows)]
    return "\n\n".join([*parts, *not_run(report)])


def not_run(report: Report) -> list[str]:
    """A line for everything that could not be measured, with the reason."""
    reasons: dict[str, list[str]] = {}
    for name, reason in (report.data.missing | report.results.missing).items():
        reasons.setdefault(reason, []).append(name)
    return [f"Not run: {', '.join(names)}: {reason}" for reason, names in reasons.items()]


def interval(found: Mapping[str, float | int]) -> str:
    """A value with its interval."""
    return f"{found['value']:.1f} ({found['low']:.0f}-{found['high']:.0f})"


def _json(document: Row) -> str:
    """The document with each row of its tables on a line of its own."""
    tables = {key: document[key] for key in ("means", "results")}
    about = {key: value for key, value in document.items() if key not in tables}
    parts = [json.dumps(about, indent=1, default=str, ensure_ascii=False)[:-2]]
    for key, rows in tables.items():
        lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
        parts.append(f' "{key}": [\n{lines}\n ]')
    return ",\n".join(parts) + "\n}\n"


def publish(report: Report, table: str, options: argparse.Namespace) -> None:
    """Print the table and one JSON line, and write them into the run's folder and where asked."""
    about = report.about
    stamp = f"`{about['command']}`, commit {about['commit']}, {about['device']}"
    page = f"{table}\n\n{stamp}\n"
    (report.folder / "table.md").write_text(page, encoding="utf-8")
    document = report.document()
    (report.folder / "summary.json").write_text(_json(document), encoding="utf-8")
    if options.out:
        options.out.with_suffix(".json").write_text(_json(document), encoding="utf-8")
        options.out.with_suffix(".md").write_text(page, encoding="utf-8")
    print(page)
    print(json.dumps({key: value for key, value in document.items() if key != "results"}, default=str))


def check(made: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Exit where an option can't be used; budgets become numbers."""
    if options.out and not options.out.name:
        made.error(f"--out is {str(options.out)!r}; give a folder and the beginning of a file's name")
    for suffix in (".json", ".md") if options.out else ():
        if told := refusal(options.out.with_suffix(suffix)):
            made.error(told)
    try:
        options.budgets = [parse_length(text) for text in options.budgets.split(",")] if options.budgets else []
        parse_length(options.length or "16k")
    except ValueError as error:
        made.error(f"--budgets or --length: {error}")
    if not 0 < options.fraction <= 1:
        made.error(f"--fraction is {options.fraction}; give a number over 0, at most 1")
    for pair in options.weights:
        name, _, folder = pair.partition("=")
        if name not in methods.RIVALS or not folder:
            made.error(f"--weights is {pair!r}; give RIVAL=FOLDER, with one of {', '.join(methods.RIVALS)}")
    if options.concurrency < 1 or (options.limit is not None and options.limit < 1):
        made.error("--concurrency and --limit are at least 1")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure any datasets and print a table per budget."""
    made = argparse.ArgumentParser(description="Retention, or a reader's scores, of any methods on any datasets.")
    made.add_argument("datasets", nargs="+", help=f"{', '.join(data.DATASETS)}, sample files, or folders of them")
    made.add_argument("--ablations", action="store_true", help="add a row per configuration ablation")
    add_options(made)
    options = made.parse_args(arguments)
    check(made, options)
    names = {name: name for name in (options.methods or "beaver,paper,bm25,minilm,head").split(",")}
    names |= methods.ABLATIONS if options.ablations else {}
    try:
        report = run(options.datasets, names, options.budgets or (500, 1000, 3000), options)
    except (UnavailableError, FileNotFoundError) as error:
        made.error(str(error))
    publish(report, markdown(report), options)


if __name__ == "__main__":
    main()
