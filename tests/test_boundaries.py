"""Words are found piece by piece; delimiters in quoted cells are no delimiters."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_readings import boundaries_of

from beaver_compat import characters
from beaver_compat.characters import character_classes, code_points


@given(st.lists(st.lists(st.text('ab", ', max_size=3), min_size=1, max_size=4), min_size=1, max_size=6), st.booleans())
@settings(max_examples=300, deadline=None)
def test_delimiters_in_quoted_cells_do_not_count(cells: list[list[str]], all_quoted: bool) -> None:
    """The cells are so short that no line could be a hard wrap."""
    rows = [[f"x{cell}" for cell in row] for row in cells]
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    csv.writer(file, lineterminator="\n", quoting=quoting).writerows(rows)
    bare = "\n".join(",".join("".join(sign for sign in cell if sign in "xab") for cell in row) for row in rows)
    expected = boundaries_of(bare).tables.tolist()
    assert boundaries_of(file.getvalue()).tables.tolist() == expected
    assert boundaries_of("\t\n" + file.getvalue()).tables.tolist() == expected  # a tab is a delimiter


@pytest.mark.parametrize(
    "text",
    [
        '"Yes, we, and you," she said, and left.\n"No, not, now," he said, and stayed.',
        '1,"a,b\n2,"c,d',
        'He has 1,"2,3" and more.\nShe has 4,"5,6" and less.',
    ],
)
def test_quotes_that_hold_no_cell_change_nothing(text: str) -> None:
    assert boundaries_of(text).tables.tolist() == boundaries_of(text.replace('"', "'")).tables.tolist()


@given(st.text(alphabet="ab \n.\u3000漢", max_size=60), st.integers(1, 9))
def test_runs_are_found_piece_by_piece(text: str, at_once: int) -> None:
    classes = character_classes(code_points(text))
    expected = [match.span() for match in re.finditer(r"\S+", text)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(characters, "CHARACTERS_AT_ONCE", at_once)
        starts, ends = characters.runs_without(classes, characters.SPACE | characters.NEWLINE)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected
