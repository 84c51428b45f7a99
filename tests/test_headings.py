"""Which lines are titles, of sections and of clauses, and which only look like one."""

from __future__ import annotations

import pytest
from heading_samples import BELOW, CATALOGUE, CLAUSES, PAGE, TITLES, UNDERLINED, headings
from text_kinds import CODE, CSV, DIALOGUE, FEW_SHOT, JSON_LINES

from beaver_compat.structure.clauses import clause_titles
from beaver_compat.text.lined_text import read_lines


@pytest.mark.parametrize("title", TITLES)
def test_titles(title: str) -> None:
    text = f"It is an old mill.\n\n  {title}\n\n{BELOW}\n\n{BELOW}"
    assert headings(text) == ([title], [])
    assert headings(f"{title}\n\n{BELOW}")[0] == [title]
    if title[0] not in "#<":
        assert headings(f"{BELOW}\n\n{title}") == headings(f"{BELOW}\n{title}\nand so on.") == ([], [])


def test_titles_with_lines() -> None:
    assert headings(UNDERLINED) == (
        ["Alder Mill", "Tickets", "Getting here"],
        ["=" * 10, "-" * 7, "-" * 12],
    )
    assert headings(PAGE)[1] == ["<!DOCTYPE html>"]


@pytest.mark.parametrize(
    "text",
    [
        "1. Buy Milk\n\n2. Buy Eggs\n\n3. Call Ann\n\n" + BELOW,
        "1. Buy milk\n2. Buy eggs\n3. Call Ann\n" + BELOW,
        "Steps:\n\n1. Preheat the oven.\n\n" + BELOW,
        "12 Angry Men\n\n" + BELOW,
        "1999\n\n" + BELOW,
        "3.14\n\n" + BELOW,
        "\u00a7 1 Eins\n\n\u00a7 2 Zwei\n\nDrei",
        "\u00a7 5 was repealed.\n\n" + BELOW,
        "Article 5 was repealed in May\n\n" + BELOW,
        "Part of it is gone\n\n" + BELOW,
        '"STOP!"\n\n' + BELOW,
        "STOP!\n\n" + BELOW,
        "USA\n\n" + BELOW,
        "A1-B2-C3-4711\n\n" + BELOW,
        "MAX_SIZE = 10\n\n" + BELOW,
        "PARIS\n\nROME\n\nOSLO\n\n",
        "RED\n\nGREEN\n\nBLUE\n\n" + BELOW,
        "No one came.\n\nNo one left.\n\nAnd the mill stood still.",
        "O mill upon the hill\nThat grinds the golden grain\n\nO wheel that never will\nBe standing still again",
        "name: x\n---\na: 1",
        "Dear Ida,\n---\nIt rains.",
        "- one\n---\n" + BELOW,
        "2024-05-02 10:31:00 INFO ready\n\n2024-05-02 10:31:05 INFO done\n",
        "PORT=8080\nHOST=mill\n\nUSER=ida\n",
        CODE.replace("@", "# "),
        DIALOGUE.replace("\n", "\n\n"),
        FEW_SHOT,
        JSON_LINES,
        CSV,
    ],
)
def test_what_is_no_title(text: str) -> None:
    assert headings(text) == ([], [])


@pytest.mark.parametrize("behind", [BELOW, f"The wheel turns.\n{BELOW}"])
@pytest.mark.parametrize(
    "titles", [["3. Results", "3.1 Light"], ["3. Results", "3.1. Light at noon", "3.1.1. Old wheels"]]
)
def test_titles_right_below_each_other_by_their_numbers(titles: list[str], behind: str) -> None:
    text = "\n".join([*titles, behind])
    assert headings(f"{BELOW}\n\n{text}") == (titles, [])


@pytest.mark.parametrize(
    "text",
    [
        "1. Fruit\n1.1 Apples\n1.2 Pears\n2. Bread\n2.1 Rye\n" + BELOW,
        "1. Fruit\n1.1 Apples\n2. Bread\n2.1 Rye\n",
        "Fruit\n1.1 Apples\n" + BELOW,
        "1. Fruit\n2.1 Rye\n" + BELOW,
    ],
)
def test_items_of_nested_lists_are_no_titles(text: str) -> None:
    assert headings(text) == ([], [])


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (CLAUSES, ["4.1 Care. ", "4.2 Exclusions. ", "5. Late Payment of Rent. "]),
        (f"3.2 Termination for Cause. {BELOW}", ["3.2 Termination for Cause. "]),
        (f"1. Preheat the oven to the full. {BELOW}", []),
        (f"B.4 Floods. {BELOW}", ["B.4 Floods. "]),
        (f"B.4 Leaks of water. {BELOW}\n\nB.5 We come soon to see it all. {BELOW}", ["B.4 Leaks of water. "]),
        (CATALOGUE, ["1. Cup made from a tin. ", "2. Fan with a plan. ", "3. Goggles. ", "4. Letter on bark. "]),
        (CATALOGUE.replace("tin.", "tin that").replace("bark.", "bark, which"), ["3. Goggles. "]),
        (f"1. Apple 2. Pear 3. Plum 4. Quince {BELOW}", []),
        ("4.2 Exclusions. None.", []),
        (f"4.2 million people live there. {BELOW}", []),
        (f"192.168.1.20 - Mill. {BELOW}", []),
        (f"12 Angry Men. {BELOW}", []),
    ],
)
def test_titles_of_clauses(text: str, titles: list[str]) -> None:
    lined = read_lines([text])
    lines, bodies = clause_titles(lined)
    assert [
        text[lined.first[line] : body] for line, body in zip(lines.tolist(), bodies.tolist(), strict=True)
    ] == titles
