"""Long lines of data of which only some items fit: JSON arrays, minified HTML."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.elements import element_starts

PEOPLE = [
    {"id": number, "name": f"{first} {last}", "tags": ["a, b", "c]"], "city": city}
    for number, (first, last, city) in enumerate(
        zip(
            ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo", "Gus", "Harriet", "Ivo", "Jo", "Kim", "Lea"],
            ["Frost", "Quill", "Marsh", "Stone", "Bell", "Grant", "Reed", "Oldcastle", "Kern", "Vane", "Hart", "Mo"],
            [
                "Rome",
                "Oslo",
                "Lima",
                "Bern",
                "Perth",
                "Cairo",
                "Delhi",
                "Reykjavik",
                "Malmo",
                "Quito",
                "Sofia",
                "Turin",
            ],
            strict=True,
        )
    )
]
MARKUP = "".join(f"<li>{person['name']} lives in <b>{person['city']}</b></li>" for person in PEOPLE)
LINES = [json.dumps(PEOPLE), json.dumps({"ok": True, "people": PEOPLE}), f"<html><body><ul>{MARKUP}</ul></body></html>"]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("around", ["{}", "The tool returned this.\n\n{}\n\nPlease answer from the data above only.\n"])
@pytest.mark.parametrize("budget", [45, 80, 120])
def test_the_item_that_is_asked_for_is_kept_whole(
    compressor: BeaverPromptCompressor, line: str, around: str, budget: int
) -> None:
    for person in PEOPLE:
        question = f"In which city does {person['name']} live?"
        context = compressor.compress(around.format(line), "", question, target_token=budget, concate_question=False)
        item = json.dumps(person) if line[0] != "<" else f"<li>{person['name']} lives in <b>{person['city']}</b></li>"
        assert item in context.compressed_context, (budget, person["name"], context.compressed_context)


def test_a_row_is_no_line_of_items(compressor: BeaverPromptCompressor) -> None:
    rows = [json.dumps({"id": number, "text": "It rains on the hill. " * 12, "list": [1, 2, 3]}) for number in range(9)]
    context = compressor.compress("\n".join(rows), "", "What is row 4?", target_token=150, concate_question=False)
    assert all(line in rows for line in context.compressed_context.split("\n"))
    assert context.compressed_context


VALUES = st.recursive(
    st.one_of(st.text(alphabet='ab[]{},"\\\\ ', max_size=6), st.integers(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=20,
)


@given(VALUES)
def test_items_are_elements_of_one_array_or_of_arrays_side_by_side(value: object) -> None:
    text = json.dumps(value)
    starts = element_starts(text)
    assert len(starts) not in (1, 2)
    decoder = json.JSONDecoder()
    ends = 0
    for start in starts:
        assert start >= ends
        item, ends = decoder.raw_decode(text, start)
        assert isinstance(item, (list, dict))


@given(st.text(alphabet='<li>/[]{},"\\\\a', max_size=200))
def test_any_line_can_be_looked_at(text: str) -> None:
    starts = element_starts(text)
    assert starts == sorted(set(starts))
    assert all(0 < start < len(text) for start in starts)


def test_a_bracket_before_the_items_is_none(compressor: BeaverPromptCompressor) -> None:
    text = f"The ferry leaves at nine. The mill is closed on Sundays.\n{json.dumps(PEOPLE)}"
    for budget in range(40, 90, 5):
        found = compressor.compress(text, "", "When does the ferry leave?", target_token=budget, concate_question=False)
        assert "[" not in found.compressed_context.split("\n")
