"""Words before and behind places, against one place at a time."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat.text.characters import Characters
from beaver_compat.text.word_tables import INSIDE, WordTable

VALUES = {"a": 1, "ab": 2, "bA": 3, "Aé": 4, "cab": 5 + INSIDE, "漢": 6}
FORMS = {form: value for word, value in VALUES.items() for form in (word, word[:1].upper() + word[1:])}


@pytest.mark.parametrize("backwards", [False, True])
@given(text=st.text("abcABCé .漢1", min_size=1, max_size=40))
def test_the_longest_whole_word_is_found(backwards: bool, text: str) -> None:
    expected = []
    for place in range(len(text) + 1):
        found = {0: 0}
        for form, value in FORMS.items():
            edge = "" if value >= INSIDE else r"(?<![^\W_漢])" if backwards else r"(?![^\W_漢])"
            pattern = f"{edge}{form}" if backwards else f"{form}{edge}"
            start = place - len(form) if backwards else place
            if start >= 0 and re.compile(pattern).match(text, start):
                found[len(form)] = value % INSIDE
        expected.append(found[max(found)])
    places = np.arange(len(text) + 1)
    assert WordTable(VALUES, backwards).at(Characters(text), places).tolist() == expected
