"""The paper's tables: what each runs, how its columns are grouped, what stands beside what; and the pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import loop, methods, plot, run, tables
from benchmarks.samples import Sample
from benchmarks.sets import Data

PAPER = json.loads((tables.HERE / "paper.json").read_text(encoding="utf-8"))


def cell(value: float, budget: int) -> loop.Cell:
    ones = np.ones(4)
    return loop.Cell(value * ones, np.array([]), (budget - 1) * ones, ones, 0)


def report(table: tables.Table, values: dict[str, float], missing: dict[str, str] | None = None) -> run.Report:
    """A report as if every method had kept its value of everything."""
    labels = [label for group in table.groups.values() for label in group]
    found = Data(files={label: [Sample("s", "", "", ("a",), "any")] for label in labels})
    cells = {
        (label, method, budget): cell(value, budget)
        for label in labels
        for method, value in values.items()
        for budget in table.budgets
    }
    about: dict[str, Any] = {"reader": None, "command": "x", "commit": "y", "device": "z"}
    results = loop.Results(cells, missing or {})
    made = run.Report(found, results, about, [*values, *(missing or {})], list(table.budgets), Path())
    made.groups = tables.measured(table, made)
    return made


def test_paper_figures_fit_the_tables() -> None:
    for table in tables.TABLES.values():
        for budget, rows in PAPER.get(table.paper, {}).items():
            assert int(budget) in table.budgets
            for method, figures in rows.items():
                assert method in table.methods, method
                assert figures.keys() <= {*table.groups, "mean", "tokens"}


@pytest.mark.parametrize("name", ["longbench", "zeroscrolls", "ruler", "leval", "ablations", "embeddings"])
def test_paper_means_are_those_of_its_columns(name: str) -> None:
    """Catches a figure mistyped; the paper's own means differ by rounding, once by more."""
    for rows in PAPER[name].values():
        off = {}
        for method, figures in rows.items():
            columns = [value for column, value in figures.items() if column not in ("mean", "tokens")]
            if columns and abs(np.mean(columns) - figures["mean"]) > 0.11:
                off[method] = (round(float(np.mean(columns)), 2), figures["mean"])
        assert off == KNOWN_OFF.get(name, {}), name


# The paper prints other means than those of its columns here.
KNOWN_OFF = {"zeroscrolls": {"zero-shot": (10.8, 12.8)}}


def test_every_row_can_be_asked_for() -> None:
    for table in tables.TABLES.values():
        for method in table.methods:
            assert callable(methods.make_builder(method))


def test_ours_stands_beside_the_papers() -> None:
    table = tables.TABLES["ruler"]
    page = tables.markdown(table, report(table, {"paper": 0.9}, {"llmlingua2": "no weights"}))
    lines = page.split("\n")
    assert lines[0] == "### RULER: 3000 tokens, ours / the paper"
    ours = next(line for line in lines if line.startswith("| paper |"))
    assert ours.split(" | ")[1:2] == ["90.0 (90-90) / 100"]
    assert ours.endswith("| 90.0 (90-90) / 83.7 | 2999 / 3198 | 0 |")
    rival = next(line for line in lines if line.startswith("| llmlingua2 |"))
    assert rival.split(" | ")[1] == "not run / 27"
    assert lines[-1] == "Not run: llmlingua2: no weights"


def test_a_column_without_data_is_left_out() -> None:
    table = tables.TABLES["retention"]
    made = report(table, {"beaver": 1.0})
    for label in ("ruler_qa_1", "ruler_qa_2"):
        del made.data.files[label]
        made.data.missing[label] = "no hub"
    made.groups = tables.measured(table, made)
    page = tables.markdown(table, made)
    assert "qa_1 |" not in page
    assert page.endswith("Not run: ruler_qa_1, ruler_qa_2: no hub")
    assert "/ the paper" not in page


def test_means_are_means_of_the_columns() -> None:
    many, one = [cell(0.0, 9)] * 3, [cell(1.0, 9)]
    assert loop.summary(many, one)["value"] == 50.0
    assert loop.summary([*many, *one])["value"] == 25.0


def test_ablations_name_their_setting() -> None:
    table = tables.TABLES["ablations"]
    page = tables.markdown(table, report(table, {"no ITF": 0.5}))
    assert "| no ITF (beaver:itf=none) | 50.0 (50-50)" in page


def test_latency_goes_to_its_own_script(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(tables.latency, "main", asked.append)
    tables.main(["latency", "--runs", "3"])
    tables.main(["latency"])
    assert asked == [["--runs", "3"], ["--lengths", "16k,32k,64k,128k"]]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    folders = ["--results", str(tmp_path / "runs"), "--cache", str(tmp_path / "cache")]
    options = ["--length", "2k", "--limit", "1", "--methods", "beaver,head", "--budgets", "100,300"]
    tables.main(["retention", *options, *folders, "--out", str(tmp_path / "kept")])
    printed = capsys.readouterr().out
    assert "### answer retention on generated samples: 100 tokens" in printed
    assert "Not run: ruler_qa_1: rajpurkar/squad_v2 can't be had from the hub" in printed
    plot.main([str(tmp_path / "kept.json"), "--to", str(tmp_path)])
    assert (tmp_path / "kept.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(SystemExit):
        tables.main(["longbench", *folders])
    assert "nothing to measure: Xnhyacinth/LongBench can't be had from the hub" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "values", "drawn"),
    [
        ("ablations", {"beaver": 0.9, "no ITF": 0.8}, plot.ablations),
        ("needle", {"beaver": 0.9, "head": 0.1}, plot.needles),
        ("retention", {"beaver": 0.9, "head": 0.1}, plot.by_budget),
    ],
)
def test_pictures_show_what_was_measured(name: str, values: dict[str, float], drawn: object) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    result = report(tables.TABLES[name], values).document()
    draw = plot.kind(result)
    assert draw is drawn
    assert draw
    axes = draw(result).axes
    if name == "needle":
        assert [one.images[0].get_array().min() for one in axes[:2]] == [90, 10]
    elif name == "ablations":
        assert [bar.get_width() for bar in axes[0].patches] == [80]
    else:
        lines = [container.lines[0].get_ydata().tolist() for container in axes[0].containers]
        assert lines == [[90] * 3, [10] * 3]
    assert plot.kind({"lengths": []}) is None
