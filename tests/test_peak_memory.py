"""The peak memory of a call, measured in a process of its own."""

from __future__ import annotations

import pytest

from benchmarks import latency, peak_memory


def test_peak_memory_of_a_call() -> None:
    length = 30_000
    bench = latency.Bench(latency.checked(["--counter", "table"]))
    measured = bench.peak_memory(length)
    assert measured["gpu_memory"] is None
    assert 4 * length < measured["memory"] < 1000 * 4 * length  # its ids at least


def test_peak_memory_is_left_out_where_it_fails(capfd: pytest.CaptureFixture[str]) -> None:
    bench = latency.Bench(latency.checked(["--counter", "table"]))
    bench.options.model = "/nowhere"
    assert bench.peak_memory(100) == {"memory": None, "gpu_memory": None}
    assert "/nowhere" in capfd.readouterr().err


def test_memory_marks() -> None:
    now, peak = peak_memory.memory_marks()
    assert 0 < now <= peak
