"""Words in capitals are scored as their small forms; nothing else changes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizer_factory import FAMILIES

from beaver_compat import BeaverConfig, BeaverPromptCompressor
from beaver_compat.capitals import capital_words, small_ids
from beaver_compat.characters import character_classes, code_points
from beaver_compat.tokenization import Tokenizer

CAPITALS = re.compile(r"(?<![^\W])[A-ZÄÖÜ]{4,}(?!\w)")
BITS = ["LIABILITY", "Über", "ÜBER", "NOT", "A", "x", "MAX_SIZE", "ABCD1", " ", ".", "(", "\n", "QUITE", "-"]
texts = st.lists(st.sampled_from(BITS), max_size=20).map("".join)


@cache
def made(family: str) -> Tokenizer:
    return Tokenizer(FAMILIES[family]())


def words_of(text: str) -> list[tuple[int, int]]:
    points = code_points(text)
    starts, ends = capital_words(points, character_classes(points))
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


@given(texts)
def test_words_of_four_capitals_or_more_are_found(text: str) -> None:
    assert words_of(text) == [match.span() for match in CAPITALS.finditer(text)]


@pytest.mark.parametrize("family", FAMILIES)
@given(texts)
@settings(max_examples=30, deadline=None)
def test_each_token_of_such_a_word_is_the_one_at_its_place_in_the_small_word(family: str, text: str) -> None:
    tokenizer = made(family)
    ids, offsets, _ = tokenizer.encode([text])
    starts, ends = offsets.T.astype(np.int64)
    words = words_of(text)
    columns = np.array(words, dtype=np.int64).reshape(-1, 2).T
    expected = ids.tolist()
    for word_start, word_end in words:
        small, places, _ = tokenizer.encode([" " + text[word_start:word_end].lower()])
        for token, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            if end > word_start and start < word_end and small.size:
                place = max(start - word_start, 0)
                expected[token] = [i for i, at in zip(small, places[:, 0], strict=True) if max(at - 1, 0) <= place][-1]
    found = small_ids(ids, starts, ends, text, (columns[0], columns[1]), tokenizer.encode)
    assert found.tolist() == expected


def test_a_clause_in_capitals_answers_a_question_in_small_letters() -> None:
    text = (Path(__file__).parent.parent / "docs/demo/gpl-3.0.txt").read_text(encoding="utf-8")
    for folds in (True, False):
        compressor = BeaverPromptCompressor(token_counter="table", config=BeaverConfig(fold_capitals=folds))
        result = compressor.compress(
            text, question="Who bears the cost of servicing a defective program?", target_token=150
        )
        assert ("ALL NECESSARY SERVICING" in result.compressed_context) == folds
