"""The loop and the command: what is scored, what is taken over from an earlier run, what is said of what is missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import failing, serving
from counters import Words
from hypothesis import given
from hypothesis import strategies as st
from test_samples import row, write

from beaver_compat import BeaverConfig, BeaverPromptCompressor
from benchmarks import counting, loop, methods, run
from benchmarks.baselines import Method, Outcome
from benchmarks.counting import Setup
from benchmarks.errors import ReaderError, UnavailableError
from benchmarks.methods import make_builder
from benchmarks.samples import Sample

SETUP = Setup(Words(), "table")
SAMPLES = [
    Sample(str(n), f"The key {n} is here.", f"Which key {n}?", (f"key {n}",), "any", (str(n),)) for n in range(6)
]


def cell(scores: Sequence[float], violations: int = 0) -> loop.Cell:
    ones = np.ones(len(scores))
    return loop.Cell(np.array(scores, dtype=np.float64), np.array([]), 10 * ones, 2 * ones, violations)


# Numbers


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_bootstrap_interval_holds_the_mean(scores: list[float]) -> None:
    found = loop.summary([cell(scores)])
    assert found["low"] - 0.01 <= found["value"] <= found["high"] + 0.01
    assert found == loop.summary([cell(scores)])


def test_bootstrap_width_is_that_of_the_standard_error() -> None:
    scores = np.tile([0.0, 1.0], 200)
    low, high = np.percentile(loop.bootstrap(scores), loop.INTERVAL)
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(400), rel=0.1)


def test_mean_weighs_tasks_the_same() -> None:
    found = loop.summary([cell([1.0] * 9), cell([0.0], violations=1)])
    assert (found["value"], found["samples"], found["violations"]) == (50.0, 10, 1)
    assert (found["tokens"], found["milliseconds"]) == (10.0, 2.0)


# The loop


class Counting:
    """A method that keeps everything, and counts its calls; after some it breaks."""

    def __init__(self, breaks_after: int = 10**6) -> None:
        self.calls = 0
        self.breaks_after = breaks_after

    def __call__(self, setup: Setup) -> Method:
        def method(sample: Sample, budgets: Sequence[int]) -> list[Outcome]:
            self.calls += 1
            if self.calls > self.breaks_after:
                raise UnavailableError("it broke")
            return [Outcome(" ".join(sample.context.split()[:budget]), 1.0) for budget in budgets]

        return method


def test_every_sample_under_every_budget(tmp_path: Path) -> None:
    counting = Counting()
    found = loop.measure({"keys": SAMPLES}, {"all": counting}, [2, 5], SETUP, tmp_path / "run")
    assert counting.calls == len(SAMPLES)
    assert found.cells["keys", "all", 2].retention.tolist() == [0.0] * 6
    assert found.cells["keys", "all", 5].retention.tolist() == [1.0] * 6
    assert found.cells["keys", "all", 5].tokens.tolist() == [5.0] * 6
    assert len((tmp_path / "run" / "all.jsonl").read_text().splitlines()) == 6


def test_tokens_over_the_budget_are_counted_by_the_loop(tmp_path: Path) -> None:
    def greedy(setup: Setup) -> Method:
        return lambda sample, budgets: [Outcome(sample.context, 1.0) for _ in budgets]

    found = loop.measure({"keys": SAMPLES}, {"greedy": greedy}, [3, 5], SETUP, tmp_path)
    assert [found.cells["keys", "greedy", budget].violations for budget in (3, 5)] == [6, 0]


def test_what_broke_goes_on_where_it_was(tmp_path: Path) -> None:
    broken = Counting(breaks_after=3)
    first = loop.measure({"keys": SAMPLES}, {"all": broken, "other": Counting()}, [5], SETUP, tmp_path)
    assert first.missing == {"all": "it broke"}
    assert {method for _, method, _ in first.cells} == {"other"}
    with (tmp_path / "all.jsonl").open("a") as file:
        file.write('{"file": "keys", "id": "5", "outc')  # as a kill leaves it
    mended = Counting()
    again = loop.measure({"keys": SAMPLES}, {"all": mended, "other": Counting(0)}, [5], SETUP, tmp_path)
    assert mended.calls == 3
    assert not again.missing
    fresh = loop.measure({"keys": SAMPLES}, {"all": Counting(), "other": Counting()}, [5], SETUP, tmp_path / "new")
    assert loop.summary([again.cells["keys", "all", 5]]) == loop.summary([fresh.cells["keys", "all", 5]])


def test_a_reader_is_scored_and_read_side_by_side(tmp_path: Path) -> None:
    class Echo:
        name = "echo"
        together = threading.Barrier(6)  # breaks unless all six are read at a time

        def __call__(self, prompt: str, max_tokens: int) -> str:
            self.together.wait(timeout=10)
            return prompt.split("key ")[1].split()[0]  # the first number in the prompt

    found = loop.measure({"keys": SAMPLES}, {"all": Counting()}, [5], SETUP, tmp_path, Echo(), concurrency=6)
    assert found.cells["keys", "all", 5].values.tolist() == [1.0] * 6
    line = json.loads((tmp_path / "all.jsonl").read_text().splitlines()[0])
    assert line["outcomes"][0]["answer"] == line["id"]


def test_a_reader_that_stops_ends_the_run(tmp_path: Path) -> None:
    class Broken:
        name = "broken"

        def __call__(self, prompt: str, max_tokens: int) -> str:
            raise ReaderError("gone")

    with pytest.raises(ReaderError, match="gone"):
        loop.measure({"keys": SAMPLES}, {"all": Counting()}, [5], SETUP, tmp_path, Broken())


# Methods


@pytest.mark.parametrize("name", ["beaver", "paper", "head", "middle", "random"])
def test_methods_keep_the_budget(name: str) -> None:
    setup = counting.make_setup("table")
    text = " ".join(f"Fact {n} is that mill {n} stood in valley {n}." for n in range(120))
    sample = Sample("s", text, "Where did mill 7 stand?", ("valley 7",), "any")
    for budget, outcome in zip((100, 200, 10_000), make_builder(name)(setup)(sample, [100, 200, 10_000]), strict=True):
        assert setup.counter(outcome.text) <= budget
        assert setup.counter(outcome.text) >= min(0.4 * budget, setup.counter(text) - 40)


def test_original_and_zero_shot() -> None:
    for name, text in (("original", SAMPLES[0].context), ("zero-shot", "")):
        [outcome] = make_builder(name)(SETUP)(SAMPLES[0], [3])
        assert outcome.text == text


def test_settings_by_name(tmp_path: Path) -> None:
    setup = counting.make_setup("table")
    sample = Sample("s", "A line. " * 200 + "The key is 7.", "Which key?", ("7",), "any")
    [flow] = make_builder("flow only")(setup)(sample, [50])
    assert flow.text.endswith("The key is 7.")
    [anchor] = make_builder('paper:selection=["anchor"]')(setup)(sample, [50])
    assert "key" not in anchor.text
    with pytest.raises(UnavailableError, match="no setting 'size'; there are model, page_size"):
        make_builder("beaver:size=3")
    with pytest.raises(UnavailableError, match=r"no method .magic.; there are beaver, beaver-in-prompt, "):
        make_builder("magic")
    with pytest.raises(UnavailableError, match="nowhere"):
        make_builder(f"beaver:model={tmp_path}/nowhere")(setup)


def test_a_question_in_the_prompt_counts_and_is_not_judged() -> None:
    text = "\n\n".join(f"The key of room {n} is under the {n}th stone." for n in range(60))
    sample = Sample("1", text, "Where is the key of room 41?", ("41th stone",), "any", ("1",))
    (outcome,) = make_builder("beaver-in-prompt")(SETUP)(sample, [60])
    assert "under the 41th stone" in outcome.text
    assert "Where is" not in outcome.text
    assert "Answer:" not in outcome.text
    (tight,) = make_builder("beaver-in-prompt")(SETUP)(sample, [20])
    (whole,) = make_builder("beaver")(SETUP)(sample, [20])
    assert len(tight.text) < len(whole.text)


def test_a_text_that_is_compressed_before_it_is_asked_is_kept_alike_for_every_question() -> None:
    text = "\n\n".join(f"The key of room {n} is under the {n}th stone." for n in range(60))
    kept = {
        make_builder("beaver-unasked")(SETUP)(Sample("1", text, question, ("stone",), "any", ("1",)), [60])[0].text
        for question in ("Where is the key of room 41?", "Where is the key of room 7?")
    }
    assert kept == {BeaverPromptCompressor(token_counter="table").compress(text, target_token=60).compressed_prompt}


def test_every_ablation_changes_the_configuration() -> None:
    changed = {name: methods.configuration(what) for name, what in methods.ABLATIONS.items()}
    assert all(model is None and config != BeaverConfig() for model, config in changed.values())
    assert len({config for _, config in changed.values()}) == len(changed)
    with pytest.raises(UnavailableError, match="page_size is 0"):
        make_builder("beaver:page_size=0")


def test_what_is_missing_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UnavailableError, match="OPENAI_API_KEY"):
        make_builder("openai")(SETUP)
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(UnavailableError, match=r"bm25s isn't installed: pip install"):
        make_builder("bm25")(SETUP)
    monkeypatch.setattr(methods, "RIVALS_PYTHON", tmp_path)
    setup = Setup(Words(), "table", weights=(("llmlingua2", str(tmp_path / "no-weights")),))
    with pytest.raises(UnavailableError, match="in") as told:
        make_builder("llmlingua2")(setup)
    assert "\n" not in str(told.value)


# The command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A file of two usable samples of the same name, one not, and a file with none."""
    folder = tmp_path / "data"
    folder.mkdir()
    filler = "Nothing of note happened on that long and quiet day. " * 40
    context = f"{filler}The zebra hid under the wooden bridge. {filler}"
    usable = row(context=context, question="Where did the zebra hide?", answers=["wooden bridge"])
    write(folder / "one.jsonl", [usable, row(answers=["hens"]), usable])
    write(folder / "none.jsonl", [row(answers=["hens"])])
    return folder


def command(*arguments: object, results: Path) -> list[str]:
    return [*map(str, arguments), "--results", str(results / "runs"), "--cache", str(results / "cache")]


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, dict[str, Any]]:
    run.main(arguments)
    table, last = capsys.readouterr().out.rstrip("\n").rsplit("\n", 1)
    return table, json.loads(last)


def test_command_prints_a_table_and_one_json_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("bm25s")
    asked = [data, "--budgets", "150,300", "--methods", "bm25,head,openai", "--out", tmp_path / "out"]
    table, last = shown(capsys, *command(*asked, results=tmp_path))
    assert "### Retention (%), 150 tokens\n\n| task | bm25 | head |\n| --- | --- | --- |" in table
    assert table.count("| one | 100.0 (100-100) | 0.0 (0-0) |") == 2
    assert "Not run: none: no sample whose answer stands in its context" in table
    assert "Not run: openai: OpenAI's embeddings need OPENAI_API_KEY" in table
    assert last["left_out"] == {"one": 1, "none": 1}
    assert all(0.7 * mean["budget"] <= mean["tokens"] <= mean["budget"] for mean in last["means"])
    full = json.loads((tmp_path / "out.json").read_text())
    assert {key: full[key] for key in last} == last
    assert [(one["file"], one["samples"]) for one in full["results"]] == [("one", 2)] * 4
    assert (tmp_path / "out.md").read_text().startswith("### Retention")
    [folder] = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("data_n_150-300_table_no-reader_")
    assert json.loads((folder / "summary.json").read_text()) == full


def test_command_reads_with_an_endpoint(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openai")
    with serving() as (url, asked):  # it echoes the question's last word
        options = ["--reader", url, "--reader-model", "m", "--methods", "head,zero-shot", "--budgets", "50"]
        options += ["--concurrency", "1"]
        table, last = shown(capsys, *command(data, *options, results=tmp_path))
        assert len(asked) == 4  # of eight: the two of one name ask the same, and so do those of both files
        shown(capsys, *command(data, *options, "--limit", "1", results=tmp_path))
        assert len(asked) == 4  # another run, the same questions
    assert "### Score (%), 50 tokens" in table
    assert "| none | 0.0 (0-0) | 0.0 (0-0) |" in table  # a reader may know what the context doesn't hold
    assert last["reader"] == f"m at {url}"


def test_command_ends_with_one_line_where_the_reader_fails(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai")
    with serving(failing(401)) as (url, _), pytest.raises(SystemExit):
        run.main(command(data, "--reader", url, "--reader-model", "m", "--methods", "head", results=tmp_path))
    assert "AuthenticationError" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--methods", "beaver,magic"], "no method 'magic'"),
        (["--out", "{data}/one"], ".md' exists; name another file"),
        (["--out", "{data}/no/two"], "no/two.json' has no folder to stand in; make it, or name another file"),
        (["--out", "/"], "--out is '/'; give a folder and the beginning of a file's name"),
        (["--budgets", "100,a"], "--budgets or --length: length 'a' isn't a number of tokens such as 800"),
        (["--budgets", "-5"], "length '-5' isn't a number of tokens"),
        (["--length", "long"], "length 'long' isn't a number of tokens"),
        (["--counter", "foo"], "--counter is 'foo'; give \"table\", or what tiktoken has (token_counter is 'foo'"),
        (["--fraction", "0"], "--fraction is 0.0; give a number over 0"),
        (["--limit", "0"], "--limit are at least 1"),
        (["--reader", "oracle"], "no reader 'oracle'"),
        (["--weights", "gzip=x"], "--weights is 'gzip=x'; give RIVAL=FOLDER"),
    ],
)
def test_command_refuses(
    options: list[str], message: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "one.md").touch()
    with pytest.raises(SystemExit):
        run.main(command(data / "one.jsonl", *(o.format(data=data) for o in options), results=tmp_path))
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"),
    [("none.jsonl", "nothing to measure"), ("nowhere", "no sample file at"), ("bad", "bad.jsonl, line 1: 'x' is no")],
)
def test_command_refuses_data_that_can_not_be_used(
    name: str, message: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "bad").mkdir()
    (data / "bad" / "bad.jsonl").write_text("x")
    with pytest.raises(SystemExit):
        run.main(command(data / name, results=tmp_path))
    assert message in capsys.readouterr().err


def test_a_run_killed_at_half_gives_the_same_table(tmp_path: Path) -> None:
    script = [sys.executable, run.__file__, "ruler", "--length", "3k", "--limit", "6", "--budgets", "200"]
    script += ["--methods", "beaver,paper,head"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

    def killed(folder: Path) -> None:
        process = subprocess.Popen(
            command(*script, results=folder), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None and not list(folder.glob("runs/*/paper.jsonl")):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not list(folder.glob("runs/*/table.md"))

    def whole(folder: Path) -> str:
        subprocess.run(command(*script, results=folder), env=environment, capture_output=True, check=True)
        [table] = folder.glob("runs/*/table.md")
        return table.read_text().rsplit("\n`", 1)[0]  # without the command, which names its own folder

    killed(tmp_path / "killed")
    [lines] = tmp_path.glob("killed/runs/*/beaver.jsonl")
    before = lines.read_text()
    resumed, straight = whole(tmp_path / "killed"), whole(tmp_path / "straight")
    assert resumed == straight
    assert "| ruler_vt |" in resumed
    assert lines.read_text() == before  # what was done was not done again
