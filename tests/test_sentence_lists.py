"""List items: the same line breaks as pysbd's own replacer, on any text made of list markers."""

from __future__ import annotations

import importlib
import re
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat.text.sentence_lists import break_before_items

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    PYSBD_LISTS: Any = importlib.import_module("pysbd.lists_item_replacer").ListItemReplacer

ALPHABETS = [
    {letter: alphabet.index(letter) for letter in alphabet}
    for alphabet in (PYSBD_LISTS.LATIN_NUMERALS, PYSBD_LISTS.ROMAN_NUMERALS)
]
MARKERS = st.sampled_from(
    [f"{number}{mark}" for number in (0, 1, 2, 3, 9, 10, 11, 98, 99, 100) for mark in (".", ")", ".)")]
    + [f"{letter}{mark}" for letter in ("a", "b", "c", "i", "ii", "iii", "iv", "v", "z") for mark in (".", ")")]
    + [
        "(a)",
        "(b)",
        "(ii)",
        "(iii)",
        "(iv)",
        "A.",
        "B)",
        "-1.",
        "-2.",
        "⁃1.",
        "⁃2.",
        "s-1.)",
        "s-2.)",
        "01.",
        "٣.",
    ]
    + ["word", "for", "see", "x", "•", "-", "(", ")", ".", "\r", "  ", ""]
)


def one_break(text: str) -> str:
    """pysbd may break a line twice before the same item; the second break changes no sentence."""
    return re.sub("\r+", "\r", text)


@given(st.lists(st.tuples(MARKERS, st.sampled_from([" ", " ", "\r", ""])), max_size=12))
def test_breaks_are_those_of_pysbd(parts: list[tuple[str, str]]) -> None:
    text = "".join(marker + space for marker, space in parts)
    assert one_break(break_before_items(text, ALPHABETS)) == one_break(PYSBD_LISTS(text).add_line_break())


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("Points: a. one b. two", "Points: \ra∯ one \rb∯ two"),
        ("Points: (i) one (ii) two", "Points: \r&✂&i) one \r&✂&ii) two"),
        ("Points: 1. one 2. two", "Points:\r1∯ one\r2∯ two"),
        ("Points: 1) one 2) two", "Points:\r1) one\r2) two"),
        ("Room 12. It is open.", "Room 12. It is open."),
        ("Points: 1. one 3. three", "Points: 1. one 3. three"),
    ],
)
def test_items_with_a_neighbour_start_a_line(text: str, broken: str) -> None:
    assert break_before_items(text, ALPHABETS) == broken
