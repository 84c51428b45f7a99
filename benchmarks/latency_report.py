"""Tables and picture of a latency result; they take the result as `latency.py` writes it, and measure nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.prompts import length_label
from benchmarks.reporting import markdown_table

QUOTED_LENGTH = 16_384  # tokens, at which ratios are quoted
OURS = "beaver_compat"
_MIB = 1024.0**2
_SIZE = (8.0, 5.0)  # inches
_DPI = 150

Result = dict[str, Any]


def tables(result: Result) -> str:
    """Markdown: whole calls, their stages, and rivals where there are any."""
    parts = ["### String in to string out", _whole(result), "### Stages, ms", _stages(result)]
    if result["rivals"]:
        parts += ["### Rivals on the same texts", _rivals(result), *_remarks(result)]
    return "\n\n".join(parts)


def ratios(result: Result) -> dict[tuple[str, int], float]:
    """A rival's median over ours, by rival and length."""
    ours = {row["length"]: row["p50"] for row in result["lengths"]}
    return {
        (rival["rival"], row["length"]): row["p50"] / ours[row["length"]]
        for rival in result["rivals"]
        for row in rival["rows"]
    }


def _whole(result: Result) -> str:
    header = ["tokens", "target", "kept", "p20, ms", "p50, ms", "p80, ms", "2nd question, ms"]
    header += ["each of a batch, ms", "peak memory, MiB"]
    on_gpu = any(row["gpu_memory"] is not None for row in result["lengths"])
    rows = [
        [
            f"{row['length']:,}",
            str(row["target"]),
            str(row["compressed_tokens"]),
            *(_ms(row[key]) for key in ("p20", "p50", "p80", "second_question")),
            _batch(row["batch"]),
            *(_mib(row[key]) for key in ("memory", "gpu_memory")[: 1 + on_gpu]),
        ]
        for row in result["lengths"]
    ]
    return markdown_table(header + ["peak GPU memory, MiB"] * on_gpu, rows)


def _stages(result: Result) -> str:
    names = list(result["lengths"][0]["stages"])
    rows = [[f"{row['length']:,}", *(_ms(row["stages"][name]) for name in names)] for row in result["lengths"]]
    return markdown_table(["tokens", *names], rows)


def _rivals(result: Result) -> str:
    ours = {row["length"]: row["p50"] for row in result["lengths"]}
    ratio = ratios(result)
    rows = [
        [
            rival["rival"],
            f"random weights of the shape of {rival['about']}; speed only",
            f"{row['length']:,}",
            f"{row['own_tokens']:,}",
            _ms(row["p50"]),
            _ms(ours[row["length"]]),
            f"{ratio[rival['rival'], row['length']]:,.0f}x",
        ]
        for rival in result["rivals"]
        for row in rival["rows"]
    ]
    return markdown_table(["rival", "weights", "tokens", "its tokens", "p50, ms", f"{OURS}, ms", "ratio"], rows)


def _remarks(result: Result) -> list[str]:
    """What failed, what was stood in for, and the ratios that are quoted."""
    remarks = [f"{rival['rival']} stopped: {rival['error']}" for rival in result["rivals"] if "error" in rival]
    if any(rival["stand_in"] for rival in result["rivals"]):
        remarks.append("The rivals count with Llama-2's tokenizer in the place of tiktoken's.")
    remarks += [
        f"{value:,.0f}x the speed of {name} at {length_label(length)} tokens."
        for (name, length), value in ratios(result).items()
        if length == QUOTED_LENGTH
    ]
    return remarks


def _batch(batch: Result | None) -> str:
    return "-" if batch is None else f"{_ms(batch['each'])} of {batch['size']}"


def _ms(value: float) -> str:
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def _mib(value: int | None) -> str:
    return "-" if value is None else f"{value / _MIB:,.0f}"


def plot(result: Result, path: Path) -> None:
    """Draw latency against length, both on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(_SIZE, dpi=_DPI, layout="constrained")
    axes = figure.subplots()
    rows = result["lengths"]
    lengths = [row["length"] for row in rows]
    [line] = axes.plot(lengths, [row["p50"] for row in rows], marker="o", label=f"{OURS} (p20 to p80)")
    low, high = ([row[key] for row in rows] for key in ("p20", "p80"))
    axes.fill_between(lengths, low, high, color=line.get_color(), alpha=0.2)
    seconds = [row["second_question"] for row in rows]
    axes.plot(lengths, seconds, marker=".", ls=":", color=line.get_color(), label=f"{OURS}, second question")
    for rival in result["rivals"]:
        if rival["rows"]:
            x, y = zip(*((row["length"], row["p50"]) for row in rival["rows"]), strict=True)
            axes.plot(x, y, marker="s", ls="--", label=f"{rival['rival']} (random weights)")
    axes.set(xscale="log", yscale="log", xlabel="tokens of the text", ylabel="string in to string out, ms")
    axes.set_xticks(lengths, [length_label(length) for length in lengths])
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path)
