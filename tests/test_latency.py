"""The latency benchmark's script: what it prints, what it writes and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import latency
from benchmarks.stages import HOOKS, REST

HANG_SECONDS = 300


def test_script_prints_tables_and_one_json_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latency, "BATCH", 3)
    monkeypatch.setattr(latency.Bench, "peak_memory", lambda bench, length: {"memory": 2**20, "gpu_memory": None})
    out = tmp_path / "out.json"
    options = "--lengths 600 --target 200 --runs 3 --warmup 1 --counter table --rivals llmlingua2 --rival-lengths 400"
    latency.main([*options.split(), "--rival-python", "/nowhere/python", "--json", str(out)])
    text, line = capsys.readouterr().out.rstrip("\n").rsplit("\n", 1)
    assert "| 600 | 200 |" in text
    assert "llmlingua2 stopped: /nowhere/python can't be started" in text
    found = json.loads(line)
    assert found == json.loads(out.read_text(encoding="utf-8"))
    assert [(entry["length"], entry["target"]) for entry in found["lengths"]] == [(400, 200), (600, 200)]
    for entry in found["lengths"]:
        assert len(entry["milliseconds"]) == 3
        assert 0 < entry["p20"] <= entry["p50"] <= entry["p80"]
        assert 100 < entry["compressed_tokens"] <= entry["target"]
        assert set(entry["stages"]) == {*HOOKS, REST}
        assert min(entry["prepare"], entry["second_question"], entry["batch"]["each"], entry["memory"]) > 0
        assert entry["batch"]["size"] == 3
    assert {"command", "commit", "versions", "device", "threads", "config", "counter", "table"} <= set(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--lengths 1k,many", "length 'many' isn't"),
        ("--rivals gpt", "no rival 'gpt'"),
        ("--runs 0", "--runs and --target"),
        ("--json {old}", "exists; name another file"),
        ("--plot {old}", "exists; name another file"),
        ("--json {gone}/one.json", "one.json' has no folder to stand in"),
        ("--text {old} --lengths 1k --counter table", "fewer than 1,024 tokens"),
        ("--text {gone} --lengths 1k --counter table", "gone"),
    ],
)
def test_script_refuses(options: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / "old"
    old.write_text("a few words", encoding="utf-8")
    with pytest.raises(SystemExit):
        latency.main(options.format(old=old, gone=tmp_path / "gone").split())
    assert message in capsys.readouterr().err


def test_script_refuses_cuda_without_a_gpu(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        latency.main(["--device", "cuda"])
    assert "no CUDA device" in capsys.readouterr().err


def test_script_finds_its_modules_by_itself(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, latency.__file__, "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_SECONDS,
    )
    assert "--rival-lengths" in done.stdout
