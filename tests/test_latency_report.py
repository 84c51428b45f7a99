"""The tables and the picture of the latency benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import latency_report


def row(length: int, p50: float) -> dict[str, Any]:
    return {
        "length": length,
        "target": 100,
        "compressed_tokens": 99,
        "p20": p50 - 1,
        "p50": p50,
        "p80": p50 + 1,
        "second_question": 1.25,
        "batch": {"size": 8, "each": 2.5} if length < 2000 else None,
        "memory": 3 * 2**20,
        "gpu_memory": None,
        "stages": {"score": 2.0, "rest": 1.0},
    }


def result() -> dict[str, Any]:
    times = {1024: 500.0, 16_384: 8000.0}
    rows = [{"length": length, "own_tokens": length + 1, "p50": p50} for length, p50 in times.items()]
    done = {"rival": "one", "stand_in": True, "about": "some-bert", "rows": rows}
    failed = {"rival": "two", "stand_in": True, "rows": [], "error": "no weights"}
    return {"lengths": [row(1024, 5.0), row(16_384, 20.0)], "rivals": [done, failed]}


def test_tables_show_times_ratios_and_failures() -> None:
    text = latency_report.tables(result())
    assert "| 1,024 | 100 | 99 | 4.0 | 5.0 | 6.0 | 1.2 | 2.5 of 8 | 3 |" in text
    assert "| 16,384 | 100 | 99 | 19.0 | 20.0 | 21.0 | 1.2 | - | 3 |" in text
    assert "| 1,024 | 2.0 | 1.0 |" in text
    note = "random weights of the shape of some-bert; speed only"
    assert f"| one | {note} | 1,024 | 1,025 | 500.0 | 5.0 | 100x |" in text
    assert f"| one | {note} | 16,384 | 16,385 | 8,000 | 20.0 | 400x |" in text
    assert "two stopped: no weights" in text
    assert "The rivals count with Llama-2's tokenizer" in text
    assert "400x the speed of one at 16k tokens" in text


def test_tables_without_rivals_and_with_a_gpu() -> None:
    bare = result() | {"rivals": []}
    bare["lengths"][0] |= {"gpu_memory": 7 * 2**20, "memory": None}
    text = latency_report.tables(bare)
    assert "Rivals" not in text
    assert "| 1.2 | 2.5 of 8 | - | 7 |" in text
    assert "| 1.2 | - | 3 | - |" in text


def test_plot_draws_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "latency.png"
    latency_report.plot(result(), file)
    assert file.read_bytes().startswith(b"\x89PNG")
