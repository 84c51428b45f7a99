"""Rivals as rows of a table: through a worker that speaks the protocol, and through llmlingua itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from counters import Words

from benchmarks import counting, methods
from benchmarks.counting import Setup
from benchmarks.errors import UnavailableError
from benchmarks.methods import make_builder
from benchmarks.samples import Sample

SAMPLE = Sample("s", "The zebra hid under the bridge. " * 30, "Where?", ("bridge",), "any")
WORKER = """
import json, sys
print(json.dumps({"about": " ".join(sys.argv[1:4])}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["target"] > 90:
        print(json.dumps({"error": "too many\\nof them"}), flush=True)
    kept = " ".join(asked["text"].split()[: asked["target"]])
    print(json.dumps({"text": kept, "seconds": 0.5}), flush=True)
"""


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rival_worker.py").write_text(WORKER)
    monkeypatch.setattr(methods, "HERE", tmp_path)
    monkeypatch.setattr(methods, "RIVALS_PYTHON", tmp_path / "rivals")
    return tmp_path


def test_a_rival_answers_every_budget(worker: Path) -> None:
    method = make_builder("longllmlingua")(Setup(Words(), "table"))
    outcomes = method(SAMPLE, [3, 6])
    assert [(outcome.text, outcome.milliseconds) for outcome in outcomes] == [
        ("The zebra hid", 500.0),
        ("The zebra hid under the bridge.", 500.0),
    ]


def test_a_rival_that_fails_says_so_in_one_line(worker: Path) -> None:
    method = make_builder("llmlingua2")(Setup(Words(), "table"))
    with pytest.raises(UnavailableError, match=r"^too many$"):
        method(SAMPLE, [100])


def test_a_rival_that_does_not_start_names_the_remedy(worker: Path) -> None:
    (worker / "rival_worker.py").write_text("raise SystemExit(3)")
    with pytest.raises(UnavailableError, match="ended with code 3; its environment is made by: make rivals"):
        make_builder("llmlingua")(Setup(Words(), "table"))


def test_llmlingua2_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llmlingua")
    from benchmarks import rival_worker

    shape = rival_worker.SHAPES["llmlingua2-small"]
    small = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    shape = shape._replace(settings=shape.settings | small | {"vocab_size": 300})
    folder = tmp_path / shape.folder
    folder.mkdir()
    rival_worker.save_model(folder, shape, rival_worker.learnt_tokenizer(shape, SAMPLE.context))
    monkeypatch.setattr(methods, "RIVALS_PYTHON", tmp_path / "rivals")
    setup = counting.make_setup("table", weights=[("llmlingua2-small", str(folder))])
    [outcome] = make_builder("llmlingua2-small")(setup)(SAMPLE, [40])
    assert 0 < setup.counter(outcome.text) < setup.counter(SAMPLE.context)
    assert set(outcome.text) <= set(SAMPLE.context)
