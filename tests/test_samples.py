"""Benchmark samples: which answers count, and what a line of a file holds."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import samples
from benchmarks.errors import UnavailableError
from benchmarks.samples import Sample, read_samples, references, retained, sample_files, sample_of

ASCII_WORD = "abcdefghijklmnopqrstuvwxyz0123456789"


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
def test_read_samples_reads_packed_files_too(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / name, [row(id=1), row(id=2)])
    assert [sample.id for sample in read_samples(file)] == ["1", "2"]
    assert samples.file_label(file) == "some"


def test_sample_files_takes_folders_and_files_once(tmp_path: Path) -> None:
    second, first = write(tmp_path / "b.jsonl", []), write(tmp_path / "a.jsonl.gz", [])
    (tmp_path / "notes.txt").write_text("x")
    assert sample_files([str(tmp_path), str(second)]) == [first, second]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        sample_files([str(tmp_path / "nowhere")])


def test_samples_without_references_have_no_retention() -> None:
    assert Sample("s", "", "", (), "any").retention("anything") is None


def test_a_line_gives_the_whole_prompt() -> None:
    shape = {"prefix": "Example. ", "join": ["\n", "\nQuestion: "], "suffix": " Answer:"}
    sample = sample_of(row(instruction="Read.", meta={"prompt": shape}, match="all"), 0)
    assert sample.prompt("Kept.") == "Example. Read.\nKept.\nQuestion: What did Bob find? Answer:"
    assert sample.metric == "string_match_all"
    assert sample_of(row(), 0).prompt("Kept.") == "Kept.\n\nWhat did Bob find?"
    bare = {"context": "", "question": "b", "answers": [7]}
    assert sample_of(bare, 3).id == "3"
    assert sample_of({**bare, "meta": None, "match": None, "classes": None}, 3) == sample_of(bare, 3)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("not json", "'not json' is no JSON object (Expecting value, column 1); give one a line with context, quest"),
        ("[1, 2]", "'[1, 2]' is no JSON object; give one a line with context, question, answers"),
        (
            '{"context": "a", "id": 1}',
            "no question and no answers among ['context', 'id']; give context, question, answers",
        ),
        (json.dumps(row(context=None)), "no context among ['id', 'question', "),
        (json.dumps(row(context=["a"])), "context is ['a']; give a string"),
        (json.dumps(row(answers="new york")), "answers is 'new york'; give a list of strings"),
        (json.dumps(row(answers=[None])), "answers is [None]; give a list of strings"),
        (json.dumps(row(match="some")), 'match is \'some\'; give "all" or "any"'),
        (json.dumps(row(match=["all"])), "match is ['all']; give"),
        (json.dumps(row(metric="bleu")), "metric is 'bleu'; give one of string_match_all, "),
        (json.dumps(row(metric=[])), "metric is []; give one of"),
        (json.dumps(row(max_tokens="many")), "max_tokens is 'many'; give a whole number over 0"),
        (json.dumps(row(classes="ab")), "classes is 'ab'; give a list of strings"),
        (json.dumps(row(meta=[])), "meta is []; give an object as"),
        (json.dumps(row(meta={"prompt": "Q:"})), "meta is {'prompt': 'Q:'}; give an object as"),
        (json.dumps(row(meta={"prompt": {"suffix": 1}})), "meta is {'prompt': {'suffix': 1}}; give"),
        (json.dumps(row(meta={"prompt": {"join": ["a"]}})), "meta is {'prompt': {'join': ['a']}}; give"),
        (json.dumps(row(meta={"answer_option_texts": "A"})), "meta is {'answer_option_texts': 'A'}; give"),
        ("\udcff", "byte 0 (0xFF) is no text in UTF-8"),
    ],
)
def test_a_line_that_is_no_sample_is_named(line: str, told: str, tmp_path: Path) -> None:
    file = write(tmp_path / "some.jsonl", [row()])
    file.write_bytes(file.read_bytes() + b"\n" + line.encode(errors="surrogateescape"))
    with pytest.raises(UnavailableError) as raised:
        list(read_samples(file))
    assert str(raised.value).startswith(f"{file}, line 3: {told}")
    assert "\n" not in str(raised.value)


def test_a_file_that_is_cut_short_or_not_packed_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "some.jsonl.gz", [row()])
    whole = file.read_bytes()
    for data in (whole[:-9], b"plain", whole[:12] + b"\xff" * 20 + whole[32:]):
        file.write_bytes(data)
        with pytest.raises(UnavailableError, match=r"some\.jsonl\.gz can't be read: "):
            list(read_samples(file))


@pytest.mark.parametrize(("name", "texts", "count"), [("english", 30, 300), ("other_languages", 24, 192)])
def test_the_texts_that_come_with_the_benchmarks_hold_their_answers(name: str, texts: int, count: int) -> None:
    file = Path(__file__).parent.parent / f"benchmarks/texts/{name}.jsonl.gz"
    found = list(read_samples(file))
    assert len(found) == count == len({(sample.context, sample.question) for sample in found})
    assert len({sample.context for sample in found}) == texts
    assert [sample.id for sample in found if sample.references != sample.answers] == []
