"""The pooling benchmark runs on a CPU and reports what it read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import pooling

SMALL = ["--vocabulary", "500", "--width", "16", "--tokens", "3000", "--runs", "2"]


def test_it_prints_each_part_beside_the_floor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooling, "COPIED", 10_000)
    pooling.main([*SMALL, "--json", str(tmp_path / "out.json")])
    printed = capsys.readouterr().out
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["bytes"] == 3000 * 16 * 2
    assert found["floor"] == pytest.approx(1000 * found["bytes"] / found["bandwidth"])
    assert 0 < found["distinct"] <= 500
    for part, time in found["milliseconds"].items():
        assert f"| {part} | {time:.2f} | {time / found['floor']:.1f} |" in printed


def test_an_old_result_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "COPIED", 10_000)
    (tmp_path / "out.json").write_text("old")
    with pytest.raises(FileExistsError):
        pooling.main([*SMALL, "--json", str(tmp_path / "out.json")])
    assert (tmp_path / "out.json").read_text() == "old"
