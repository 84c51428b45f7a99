"""The tables of the paper, one command each, with the paper's figures beside ours.

    python benchmarks/tables.py ruler --essays hub --reader http://127.0.0.1:8000/v1 --reader-model Qwen/Qwen3-8B
    python benchmarks/tables.py retention --limit 10

`ours / paper's` in every cell.  The paper's figures are a reader's scores; without a reader ours are answer
retention, a ceiling for any reader and another quantity.  A row or column that could not be run says why, below.
The paper's SBERT stands beside our sentence embeddings (another model), and its own figures beside `paper`, the
configuration to the letter.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

# Run as a script, it finds `benchmarks` and a package that isn't installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import generated_sets, latency, loop, methods, public_sets, ruler, run
from benchmarks.errors import UnavailableError
from benchmarks.reporting import markdown_table

HERE = Path(__file__).resolve().parent
BASELINES = ("bm25", "minilm", "head", "middle", "random")
REFERENCES = ("original", "zero-shot")
LINGUAS = ("llmlingua", "longllmlingua", "llmlingua2")
_FOUR = ("beaver", "paper", *LINGUAS, *BASELINES, *REFERENCES)
ALL = ("beaver", "paper", "selective-context", *LINGUAS, "llmlingua2-small", "openai", *BASELINES, *REFERENCES)


class Table(NamedTuple):
    """A table: what is run, and how its columns group the tasks.

    Attributes:
        methods: as `make_builder` takes them; a row each.
        groups: columns, each the mean of its tasks; the last column is the mean of the columns.
        paper: its section in paper.json.
    """

    about: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    budgets: tuple[int, ...]
    groups: dict[str, tuple[str, ...]]
    paper: str = ""


def _each(prefix: str, tasks: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {task: (f"{prefix}_{task}",) for task in tasks}


def _categories(chinese: bool) -> dict[str, tuple[str, ...]]:
    tasks = json.loads((HERE / "longbench.json").read_text(encoding="utf-8"))
    found: dict[str, tuple[str, ...]] = {}
    for task, about in tasks.items():
        if chinese or not about.get("zh"):
            found[about["category"]] = (*found.get(about["category"], ()), f"longbench_{task}")
    return found


_PAPER = json.loads((HERE / "paper.json").read_text(encoding="utf-8"))
_QA = {name: tasks for name, tasks in _categories(chinese=False).items() if name in ("single", "multi")}
_RULER = _each("ruler", list(ruler.TASKS))
_NO_CWE = {task: labels for task, labels in _RULER.items() if task != "cwe"}  # the paper leaves it out
_FAMILIES = {
    "needles": tuple(f"ruler_{task}" for task in ruler.TASKS if task.startswith("niah")),
    "vt": ("ruler_vt",),
    "words": ("ruler_cwe", "ruler_fwe"),
    "qa": ("ruler_qa_1", "ruler_qa_2"),
}

_SCROLLS = _each("zeroscrolls", list(public_sets.SCROLLS_TASKS))
_DEPTHS = {
    length: tuple(f"needle {length} {depth:.0%}" for depth in generated_sets.NEEDLE_DEPTHS)
    for length in (f"{length // 1024}k" for length in generated_sets.NEEDLE_LENGTHS)
}

TABLES: dict[str, Table] = {
    "retention": Table(
        "answer retention on generated samples",
        ("ruler",),
        ("beaver", "paper", "bm25", "minilm", "head"),
        (500, 1000, 3000),
        _RULER,
    ),
    "ablations": Table(
        "the default with one choice taken back", ("ruler",), ("beaver", *methods.ABLATIONS), (250, 500, 2000),
        _FAMILIES,
    ),
    "longbench": Table("LongBench, 16 sets", ("longbench",), ALL, (2000, 3000), _categories(False), "longbench"),
    "longbench21": Table("LongBench, 21 sets", ("longbench21",), ALL, (2000, 3000), _categories(True)),
    "zeroscrolls": Table(
        "ZeroSCROLLS, validation", ("zeroscrolls",), ALL, (2000, 3000), _SCROLLS, "zeroscrolls",
    ),
    "ruler": Table("RULER", ("ruler",), _FOUR, (3000,), _NO_CWE, "ruler"),
    "leval": Table(
        "L-Eval", ("leval",), _FOUR, (2000,),
        _each("leval", list(public_sets.LEVAL_TASKS)), "leval",
    ),
    "ablations-longbench": Table(
        "the paper's ablations on LongBench QA", ("longbench",), tuple(_PAPER["ablations"]["2000"]), (2000,), _QA,
        "ablations",
    ),
    "embeddings": Table(
        "embedding tables on RULER", ("ruler",), ("paper", *_PAPER["embeddings"]["3000"]), (3000,), _NO_CWE,
        "embeddings",
    ),
    "needle": Table(
        "one needle by depth and length", ("needle",), ("beaver", "paper", "head"), (3000,),
        _DEPTHS,
    ),
}  # fmt: skip


def markdown(table: Table, report: run.Report) -> str:
    """A table per budget: methods down, groups across, then their mean, tokens kept and samples over the budget."""
    kind = "score" if report.about["reader"] else "answer retention"
    shown = report.groups
    parts = []
    for budget in report.budgets:
        paper = _PAPER.get(table.paper, {}).get(str(budget), {})
        rows = [_row(report, method, budget, shown, paper.get(method, {})) for method in report.methods]
        header = [f"{kind} (%)", *shown, "**mean**", "tokens kept", "over budget"]
        parts += [f"### {table.about}: {budget} tokens{', ours / the paper' if paper else ''}"]
        parts += [markdown_table(header, rows)]
    return "\n\n".join([*parts, *run.not_run(report)])


def measured(table: Table, report: run.Report) -> dict[str, list[str]]:
    """The table's columns with the tasks that could be had."""
    files = report.data.files
    groups = {name: [label for label in labels if label in files] for name, labels in table.groups.items()}
    return {name: labels for name, labels in groups.items() if labels}


def _row(
    report: run.Report, method: str, budget: int, groups: Mapping[str, Sequence[str]], paper: dict[str, float]
) -> list[str]:
    name = f"{method} ({methods.ABLATIONS[method]})" if method in methods.ABLATIONS else method
    if method in report.results.missing:
        return [name, *(_beside("not run", paper.get(column)) for column in (*groups, "mean", "tokens")), ""]
    cells = [report.cells(method, budget, labels) for labels in groups.values()]
    whole = report.mean(method, budget)
    columns = [run.interval(loop.summary(found)) for found in cells]
    pairs = zip([*groups, "mean", "tokens"], [*columns, run.interval(whole), f"{whole['tokens']:.0f}"], strict=True)
    return [name, *(_beside(ours, paper.get(column)) for column, ours in pairs), str(whole["violations"])]


def _beside(ours: str, paper: float | None) -> str:
    return ours if paper is None else f"{ours} / {paper:g}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one table and print it."""
    made = argparse.ArgumentParser(description="One table of the paper; latency takes the options of latency.py.")
    made.add_argument("table", choices=[*TABLES, "latency"])
    run.add_options(made)
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["latency"]:
        latency.main(given[1:] or ["--lengths", "16k,32k,64k,128k"])
        return
    options = made.parse_args(given)
    run.check(made, options)
    table = TABLES[options.table]
    names = {name: name for name in (options.methods.split(",") if options.methods else table.methods)}
    try:
        report = run.run(table.datasets, names, options.budgets or table.budgets, options)
    except (UnavailableError, FileNotFoundError) as error:
        made.error(str(error))
    report.groups = measured(table, report)
    run.publish(report, markdown(table, report), options)


if __name__ == "__main__":
    main()
