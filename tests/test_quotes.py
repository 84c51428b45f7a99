"""What stands in a short quotation stays together; what stands between two quotations does not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_readings import boundaries_of, sentences_of

from beaver_compat.text.characters import Characters
from beaver_compat.text.quotes import quoted


@pytest.mark.parametrize("language", [None, "de", "hi", "zh", "en"])
@pytest.mark.parametrize(
    "quotation",
    [
        "Er sagte: „Wir kommen. Alle.“ und ging",
        "Powiedział: „Idziemy. Wszyscy.” i poszedł",
        "उन्होंने कहा, “मैं आया। अब जाओ।” फिर गए",
        "他说：“我来了。你呢？”她走了",
        "그는 「왔다. 그래.」라고 말했다",
        "彼は『来た。元気？』と言った",
        "She said: “We come. All of us. Now.” and left",
    ],
)
def test_a_short_quotation_is_not_cut(quotation: str, language: str | None) -> None:
    assert sentences_of(quotation, language) == [quotation]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("„Komm. Alle.“ So war es. Sie blieb. „Na gut.“", 2),
        ("他说“好。”她走了。他说“不。”", 2),
        ("Er sagte: „Wir kommen. Alle gingen. Keiner blieb.", 2),
        ("Alle kamen. Sie“ gingen. Er blieb.", 2),
        ("“" + "They went on. " * 12 + "”", 12),
    ],
)
def test_what_is_not_in_a_short_quotation_is_cut(text: str, count: int) -> None:
    assert boundaries_of(text).sentences.size == count


@given(st.text("ab.“”„「」", min_size=1, max_size=30))
def test_places_in_quotations_are_those_of_a_pattern(text: str) -> None:
    expected = np.zeros(len(text) + 1, dtype=bool)
    for pattern in ("„[^“”]*[“”]", "“[^”]*”", "「[^」]*」"):
        for start in range(len(text)):
            if match := re.compile(pattern).match(text, start):
                expected[start + 1 : match.end()] = True
    assert quoted(Characters(text), np.arange(len(text) + 1)).tolist() == expected.tolist()


def test_20000_quotation_marks_are_read() -> None:
    for text in ("“", "„A. “B. ", "「はい。", "A. ” B. “ "):
        assert boundaries_of(text * 20_000).hard_lines.tolist() == [0]
