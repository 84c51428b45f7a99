"""Long prompts for timing: their lengths, how they differ, and texts from given files."""

from __future__ import annotations

from pathlib import Path

import pytest
from counters import Words
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.prompts import GPL, Prompts, length_label, parse_length

words = Words()


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
