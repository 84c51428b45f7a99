"""Pictures of result files; it measures nothing.

    python benchmarks/plot.py benchmarks/results/*.json --to benchmarks/results

Draws what a file holds: retention against budget for every method, a needle by depth and length, ablation bars;
latency against length, on log axes, of a result of `latency.py`.  A picture is named after its file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

# Run as a script, it finds `benchmarks` and a package that isn't installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import latency_report
from benchmarks.methods import ABLATIONS

WIDTH, HEIGHT, DPI = 8.0, 4.5, 150  # inches
BAR = 0.3  # inches, the height of a bar with its gap
_NEEDLE = re.compile(r"needle (\d+)k (\d+)%")
MARKERS = "osv^D*XP<>ph"

Result = dict[str, Any]
Figure = Any


def by_budget(result: Result) -> Figure:
    """Lines of the mean over all tasks, with their intervals, a line for each method."""
    figure, axes = _axes(HEIGHT)
    for place, method in enumerate(dict.fromkeys(row["method"] for row in result["means"])):
        rows = sorted((row for row in result["means"] if row["method"] == method), key=lambda row: row["budget"])
        values = np.array([[row["value"], row["low"], row["high"]] for row in rows])
        spread = np.abs(values[:, 1:] - values[:, :1]).T
        budgets = [row["budget"] for row in rows]
        axes.errorbar(budgets, values[:, 0], spread, marker=MARKERS[place % len(MARKERS)], capsize=3, label=method)
    axes.set_xscale("log")
    axes.set_xticks(sorted({row["budget"] for row in result["means"]}))
    axes.xaxis.set_major_formatter(lambda value, place: f"{value:,.0f}")
    axes.xaxis.minorticks_off()
    axes.set(xlabel="budget, tokens", ylabel=_what(result), ylim=(0, 103))
    figure.legend(loc="outside right center")
    axes.grid(alpha=0.3)
    return figure


def ablations(result: Result) -> Figure:
    """Bars of each ablation's mean at the smallest budget, the default's as a line; longest on top."""
    least = min(row["budget"] for row in result["means"])
    rows = [row for row in result["means"] if row["budget"] == least]
    default = next(row["value"] for row in rows if row["method"] == "beaver")
    bars = sorted((row for row in rows if row["method"] in ABLATIONS), key=lambda row: row["value"])
    figure, axes = _axes(1.2 + BAR * len(bars))
    values = [row["value"] for row in bars]
    spread = [[row["value"] - row["low"] for row in bars], [row["high"] - row["value"] for row in bars]]
    axes.barh([row["method"] for row in bars], values, xerr=spread, capsize=2, color="tab:blue", alpha=0.7)
    axes.axvline(default, color="tab:red", label=f"the default, {default:.1f}")
    axes.set(xlabel=f"{_what(result)} at {least:,} tokens", xlim=(0, 105))
    axes.legend(loc="lower right")
    axes.margins(y=0.02)
    return figure


def needles(result: Result) -> Figure:
    """A heat map for each method: depth of the needle down, length across."""
    found: dict[str, dict[tuple[int, int], float]] = {}
    for row in result["results"]:
        place = _NEEDLE.fullmatch(row["file"])
        if place:
            found.setdefault(row["method"], {})[int(place[2]), int(place[1])] = row["value"]
    import matplotlib.pyplot as plt

    figure, several = plt.subplots(
        1, len(found), figsize=(3.0 * len(found) + 1, HEIGHT), layout="constrained", sharey=True, squeeze=False
    )
    for axes, (method, cells) in zip(several[0], found.items(), strict=True):
        depths, lengths = (sorted({key[axis] for key in cells}) for axis in (0, 1))
        values = [[cells[depth, length] for length in lengths] for depth in depths]
        picture = axes.imshow(values, vmin=0, vmax=100, cmap="RdYlGn", aspect="auto")
        axes.set_xticks(range(len(lengths)), [f"{length}k" for length in lengths])
        axes.set_yticks(range(len(depths)), [f"{depth} %" for depth in depths])
        axes.set(title=method, xlabel="length, tokens")
    several[0][0].set_ylabel("depth of the needle")
    figure.colorbar(picture, ax=several[0].tolist(), label=_what(result))
    return figure


def _axes(height: float) -> tuple[Figure, Any]:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(WIDTH, height), layout="constrained")


def _what(result: Result) -> str:
    return f"{'score' if result['reader'] else 'answer retention'}, %"


def kind(result: Result) -> Callable[[Result], Figure] | None:
    """What draws a result; None for one of `latency.py`, which `latency_report.py` draws."""
    if "lengths" in result:
        return None
    if any(_NEEDLE.fullmatch(row["file"]) for row in result["results"]):
        return needles
    return ablations if any(row["method"] in ABLATIONS for row in result["means"]) else by_budget


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw each result file."""
    made = argparse.ArgumentParser(description="Pictures of result files.")
    made.add_argument("results", nargs="+", type=Path, metavar="FILE", help="of run.py, tables.py or latency.py")
    made.add_argument("--to", type=Path, default=Path(), metavar="FOLDER", help="where pictures go")
    options = made.parse_args(arguments)
    import matplotlib

    matplotlib.use("agg")
    options.to.mkdir(parents=True, exist_ok=True)
    for file in options.results:
        result = json.loads(file.read_text(encoding="utf-8"))
        picture = options.to / f"{file.stem}.png"
        draw = kind(result)
        if draw:
            draw(result).savefig(picture, dpi=DPI)
        else:
            latency_report.plot(result, picture)
        print(picture)


if __name__ == "__main__":
    main()
