"""The latency benchmark: its texts, where time is charged, what rivals answer, and what the script prints."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import latency, latency_report, peak_memory, rival_worker, rivals, stages
from benchmarks.prompts import GPL, Prompts, length_label, parse_length
from benchmarks.reporting import ROOT
from benchmarks.stages import HOOKS, REST, StageClock, profiled

HANG_SECONDS = 300


def words(text: str) -> int:
    return len(text.split())


# Prompts


@given(st.integers(1, 10**8))
def test_length_labels_read_back(length: int) -> None:
    assert parse_length(length_label(length)) == length


@pytest.mark.parametrize("text", ["", "0", "0k", "1.5k", "16K", "-1", "ten"])
def test_parse_length_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="isn't a number of tokens"):
        parse_length(text)


@given(st.integers(1000, 20_000), st.integers(0, 1000))
@settings(deadline=None, max_examples=20)
def test_texts_have_the_length_asked_for_and_differ(length: int, number: int) -> None:
    prompts = Prompts(words)
    text = prompts.text(length, number)
    assert words(text) == pytest.approx(length, rel=0.05, abs=120)  # whole sentences, some of a hundred words
    assert text == Prompts(words).text(length, number)
    assert text != prompts.text(length, number + 1)
    question = prompts.question(text, number)
    quoted = question.removeprefix("What does the text say about this: ").removesuffix("?")
    assert quoted in " ".join(text.split())


def test_sentences_hardly_come_twice_and_the_vocabulary_grows() -> None:
    text = Prompts(words).text(50_000, 0)
    found = [sentence for sentence in text.split(". ") if len(sentence.split()) > 8]
    assert len(found) > 500
    assert len(set(found)) > 0.95 * len(found)
    assert len(set(text.split())) > 1.5 * len(set(GPL.read_text(encoding="utf-8").split()))
    assert text.count("\n\n") > 100


def test_given_files_are_read_one_behind_the_other(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    files[0].write_text("one two three four five ", encoding="utf-8")
    files[1].write_text("six seven eight nine ten", encoding="utf-8")
    whole = "one two three four five \n\nsix seven eight nine ten"
    prompts = Prompts(words, files)
    for number in range(20):
        assert prompts.text(6, number) in whole + whole
    with pytest.raises(ValueError, match="fewer than 500 tokens"):
        prompts.text(500, 0)
    files[1].write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="no text in"):
        Prompts(words, files[1:])


# Stages


class Ticks:
    """A clock that moves only when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(stages, "perf_counter", lambda: self.now)

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    return Ticks(monkeypatch)


def nothing() -> None:
    pass


def test_a_stage_is_charged_for_its_own_time_alone(ticks: Ticks) -> None:
    waits = []
    clock = StageClock(lambda: waits.append(ticks.now))
    ticks.pass_by(5)  # before the call: nobody's
    with clock.running():
        ticks.pass_by(1)
        with clock.stage("score"):
            ticks.pass_by(2)
            with clock.stage("count"):
                ticks.pass_by(4)
            ticks.pass_by(8)
        ticks.pass_by(16)
    spent = {stage: seconds for stage, seconds in clock.seconds.items() if seconds}
    assert spent == {REST: 17, "score": 10, "count": 4}
    assert waits == [105, 106, 108, 112, 120, 136]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, ticks: Ticks) -> ModuleType:
    """A module of the package with a stage of two functions and one class, and another that imports them."""
    module, user = ModuleType("beaver_compat.fake"), ModuleType("beaver_compat.fake_user")

    def pieces() -> Iterator[int]:
        for index in range(3):
            ticks.pass_by(1)
            yield index

    def fails() -> None:
        ticks.pass_by(7)
        raise ZeroDivisionError

    class Reader:
        def read(self, seconds: float) -> float:
            ticks.pass_by(seconds)
            return seconds

    for name, value in {"pieces": pieces, "fails": fails, "Reader": Reader}.items():
        setattr(module, name, value)
    vars(user)["imported"] = pieces
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, user.__name__, user)
    return user


def test_functions_are_charged_wherever_they_were_imported(package: ModuleType, ticks: Ticks) -> None:
    fake = sys.modules["beaver_compat.fake"]
    before = dict(vars(fake)), package.imported, fake.Reader.read
    clock = StageClock(nothing)
    hooks = {"encode": ("fake:pieces",), "tokenize": ("fake:Reader.read",)}
    with profiled(clock, hooks):
        for _ in package.imported():  # lazy: its seconds come as it is asked
            ticks.pass_by(10)
        assert fake.Reader().read(0.5) == 0.5
    assert {stage: seconds for stage, seconds in clock.seconds.items() if seconds} == {
        "encode": 3,
        "tokenize": 0.5,
        REST: 30,
    }
    assert (dict(vars(fake)), package.imported, fake.Reader.read) == before


def test_hooks_are_taken_off_after_an_error(package: ModuleType) -> None:
    fake = sys.modules["beaver_compat.fake"]
    before = fake.fails
    clock = StageClock(nothing)
    with pytest.raises(ZeroDivisionError), profiled(clock, {"score": ("fake:fails",)}):
        fake.fails()
    assert clock.seconds["score"] == 7
    with pytest.raises(AttributeError), profiled(clock, {"score": ("fake:fails", "fake:gone")}):
        pass
    assert fake.fails is before


def test_every_stage_of_a_real_call_is_found() -> None:
    from beaver_compat import BeaverPromptCompressor

    compressor = BeaverPromptCompressor(device_map="cpu", token_counter="table")
    text = Prompts(compressor.counter).text(500, 0)
    question = "What is a patent license?"
    plain = compressor.compress(text, question=question, target_token=200)
    clock = StageClock(nothing)
    with profiled(clock):
        assert compressor.compress(text, question=question, target_token=200) == plain
    assert min(clock.seconds[stage] for stage in HOOKS) > 0
    spent = dict(clock.seconds)
    compressor.compress(text, question=question, target_token=200)
    assert clock.seconds == spent


# Memory


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


# Rivals

FAKE = """
import json, sys
print(json.dumps({first}), flush=True)
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    tokens = len(request["text"].split())
    if tokens == 9:
        break
    seconds = 99 if number % 4 == 0 else number % 4
    answer = {{"seconds": seconds, "tokens": tokens, "compressed_tokens": request["target"]}}
    print(json.dumps({{"error": "too long"}} if tokens > 9 else answer), flush=True)
sys.exit(3)
"""
ABOUT = '{"about": "a fake", "versions": {}}'


def fake_rival(first: str = ABOUT) -> list[str]:
    return [sys.executable, "-c", FAKE.format(first=first)]


def prompts_of(*lengths: int) -> dict[int, list[rivals.Prompt]]:
    return {length: [("w " * length, "?")] * (rivals.WARM_UPS + rivals.RUNS) for length in lengths}


def test_rival_times_leave_the_warm_up_out() -> None:
    found = rivals.measure_rival(fake_rival(), prompts_of(2, 4), {2: 1, 4: 2})
    assert found["about"] == "a fake"
    times = {"p50": 2000.0, "milliseconds": [1000.0, 2000.0, 3000.0]}
    assert found["rows"] == [
        {"length": 2, "own_tokens": 2, "compressed_tokens": 1, **times},
        {"length": 4, "own_tokens": 4, "compressed_tokens": 2, **times},
    ]
    assert "error" not in found


@pytest.mark.parametrize(
    ("command", "length", "error"),
    [
        (fake_rival(), 10, "too long"),
        (fake_rival(), 9, "its process ended with code 3"),
        (fake_rival('{"error": "no llmlingua"}'), 10, "no llmlingua"),
        ([sys.executable, "-c", ""], 10, "its process ended with code 0"),
        (["/nowhere/python"], 10, "/nowhere/python can't be started"),
    ],
)
def test_a_rival_that_fails_keeps_what_it_did(command: Sequence[str], length: int, error: str) -> None:
    found = rivals.measure_rival(command, prompts_of(2, length, 5), {2: 1, length: 1, 5: 1})
    assert error in found["error"]
    assert len(found["rows"]) == ("about" in found)


def test_portable_tokenizer_gives_the_same_ids() -> None:
    from tokenizers import Tokenizer

    from beaver_compat.embeddings import load_table

    made = rivals.portable_tokenizer()
    assert all(isinstance(merge, str) for merge in json.loads(made)["model"]["merges"])
    text = "The quick brown fox,\n\nüber 12 dogs"
    assert Tokenizer.from_str(made).encode(text).ids == load_table().tokenizer.encode(text).ids


@pytest.mark.parametrize("name", ["llmlingua2-small", "llmlingua2"])
def test_learnt_tokenizers_fill_their_models_vocabulary(name: str) -> None:
    from tokenizers import Tokenizer

    shape = rival_worker.SHAPES[name]
    prompts = Prompts(words)
    tokenizer = Tokenizer.from_str(rival_worker.learnt_tokenizer(shape, prompts.sample))
    assert tokenizer.get_vocab_size() == shape.settings["vocab_size"]
    text = prompts.text(1000, 0)
    tokens = tokenizer.encode(text, add_special_tokens=False).tokens
    assert not {"[UNK]", "<unk>"} & set(tokens)
    assert {"work", "▁work"} & set(tokens)  # words, not letters
    assert words(text) < len(tokens) < 2 * words(text)


def test_stand_in_counts_without_special_tokens(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(rivals.portable_tokenizer(), encoding="utf-8")
    counter = rival_worker.RememberingCounter(file)
    assert len(counter.encode("hello world")) == 2
    assert counter.encode("hello world") is counter.encode("hello world")


TINY = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from benchmarks import rival_worker
small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
for name, shape in rival_worker.SHAPES.items():
    rival_worker.SHAPES[name] = shape._replace(settings=shape.settings | small)
rival_worker.main()
"""


def test_a_real_rival_of_tiny_shape(tmp_path: Path) -> None:
    pytest.importorskip("llmlingua")
    prompts = Prompts(words)
    sample, tokenizer = tmp_path / "sample", tmp_path / "tokenizer.json"
    sample.write_text(prompts.sample, encoding="utf-8")
    tokenizer.write_text(rivals.portable_tokenizer(), encoding="utf-8")
    command = [sys.executable, "-c", TINY, str(ROOT), "llmlingua2-small"]
    command += ["--sample", str(sample), "--tokenizer", str(tokenizer), "--stand-in"]
    texts = [(prompts.text(600, number), "Which license?") for number in range(rivals.WARM_UPS + rivals.RUNS)]
    found = rivals.measure_rival(command, {600: texts}, {600: 300})
    assert "error" not in found, found
    assert (found["about"], set(found["versions"])) == ("bert-base-multilingual-cased", set(rival_worker.PACKAGES))
    [row] = found["rows"]
    assert min(row["milliseconds"]) > 0
    assert 600 < row["own_tokens"] < 1000
    assert 200 < row["compressed_tokens"] < 400


# Tables


def row(length: int, p50: float) -> dict[str, Any]:
    return {
        "length": length,
        "target": 100,
        "compressed_tokens": 99,
        "p20": p50 - 1,
        "p50": p50,
        "p80": p50 + 1,
        "second_question": 1.25,
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
    assert "| 16,384 | 100 | 99 | 19.0 | 20.0 | 21.0 | 1.2 | 3 |" in text
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
    assert "| 1.2 | - | 7 |" in text
    assert "| 1.2 | 3 | - |" in text


def test_plot_draws_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "latency.png"
    latency_report.plot(result(), file)
    assert file.read_bytes().startswith(b"\x89PNG")


# The script


def test_script_prints_tables_and_one_json_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
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
        assert min(entry["prepare"], entry["second_question"], entry["memory"]) > 0
    assert {"command", "commit", "versions", "device", "threads", "config", "counter", "table"} <= set(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--lengths 1k,many", "length 'many' isn't"),
        ("--rivals gpt", "no rival 'gpt'"),
        ("--runs 0", "--runs and --target"),
        ("--json {old}", "exists; name another file"),
        ("--plot {old}", "exists; name another file"),
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
