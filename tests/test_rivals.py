"""Rivals' times: what their processes answer, how they fail, and stand-ins for their tokenizers."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from counters import Words

from benchmarks import rival_worker, rivals
from benchmarks.prompts import Prompts
from benchmarks.reporting import ROOT

words = Words()
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
