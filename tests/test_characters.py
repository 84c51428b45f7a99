"""Places inside numbers, versions and the numbers of names, against regular expressions."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from beaver_compat.text.characters import Characters, inside_number


@st.composite
def numbered(draw: st.DrawFn) -> str:
    return "".join(
        draw(
            st.lists(
                st.sampled_from(["1", "30", "2025", ".", "-", "_", " ", "a", "AX", "X", "kg", "漢", "٣"]), max_size=9
            )
        )
    )


@given(numbered())
@example("a1.1.1a")
@settings(max_examples=500)
def test_places_inside_numbers_and_names_with_numbers(text: str) -> None:
    digit = r"[0-9٣]"
    expected = set()
    for run in re.finditer(rf"{digit}+", text):
        expected |= set(range(run.start() + 1, run.end()))
        if len(run[0]) <= 3 and re.search(rf"{digit}\.$", text[: run.start()]):
            expected |= {run.start() - 1, run.start()}
        # A letter, and from there on digits and single signs, stand right before.
        named = re.search(rf"[A-Za-z](?:[-_.]?{digit}+)*[-_.]?$", text[: run.start()])
        if named and re.match("[A-Za-z]|[-_.][A-Z]", text[run.end() :]):
            expected.add(run.end())
    found = inside_number(Characters(text), np.arange(len(text) + 1))
    assert set(np.flatnonzero(found).tolist()) == expected
