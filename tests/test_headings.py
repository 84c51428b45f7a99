"""Which lines are titles, of sections and of clauses, and which only look like one."""

from __future__ import annotations

import pytest
from heading_samples import BELOW, CATALOGUE, CLAUSES, PAGE, TITLES, UNDERLINED, headings
from line_readings import leads_of, names
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


@pytest.mark.parametrize(
    "titles",
    [
        [r"\section{The mill}", r"\subsection{Wheels \label{wheels}}", r"\subsection*[Stones]{Stones of \emph{oak}}"],
        [r"\section{The mill} \label{mill}", r"\subsection{Wheels}", r"\subsection{Stones}"],
        ["== The mill ==", "=== Wheels ===", "=== Stones ==="],
        ["= The mill", "== Wheels", "== Stones"],
        ["* The mill", "** Wheels", "** Stones"],
        ["=head1 The mill", "=head2 Wheels", "=head2 Who dresses the stones?"],
        ["=head2 The mill", "=item Wheels (of oak)", "=item * Stones"],
        ["@chapter The mill", "@section Wheels", "@section Stones"],
        [".SH THE MILL", ".SS Wheels", ".SS Stones"],
        [".Sh THE MILL", ".Ss Wheels", ".Ss Stones"],
        ["2.\tThe Mill", "2.1\tWheels", "2.2\tStones"],
        ["#-----\n# THE MILL\n#-----", "# - Wheels -", "# - Stones -"],
        ["//=======\n// THE MILL\n//=======", "## Wheels", "## Stones"],
        ["========\nThe mill\n========", "Wheels\n------", "Stones\n------"],
    ],
)
def test_titles_of_many_formats(titles: list[str]) -> None:
    mill, wheels, stones = titles
    said = [
        "It grinds corn. The town built it.",
        "They are of oak. One turns.",
        "They are dressed in May. One weighs a ton.",
    ]
    text = "\n\n".join(f"{title}\n\n{line}" for title, line in zip([mill, wheels, stones], said, strict=True))
    titled = [next(line for line in title.split("\n") if any(map(str.isalpha, line))) for title in titles]
    assert headings(text)[0] == titled
    found = names(text)
    for title, line in zip(titles[1:], said[1:], strict=True):
        own = [label for label in found[line] if any(map(str.isalpha, label))]
        assert title in own
        assert not any(other in own for other in titles[1:] if other != title)


@pytest.mark.parametrize(
    "text",
    [
        "# These settings are only used in recovery.\n\n#restore = ''  # command to use\n#end = ''",
        "It is an old mill.\n\n    # Done reading\n\n" + BELOW,
        "It is an old mill.\n\n=item *\n\n" + BELOW,
        "x = 5\n\n= 5 + 3\n" + BELOW,
        "\\section{open\n\n" + BELOW,
        "-----\nplain\n=====\n" + BELOW,
        "@param wheels of oak\n\n" + BELOW,
        "* one\n\n* two\n\n" + BELOW,
        "* one\n** two\n** three\n" + BELOW,
        "**It does NOT trust**: the rain.\n\n* the rain, which falls\n\n" + BELOW,
    ],
)
def test_what_is_no_title_in_these_formats(text: str) -> None:
    assert headings(text)[0] == []


@pytest.mark.parametrize(
    "entries",
    [
        ["food (2.4-1) unstable; urgency=medium", "food (1:2.3-2+deb12u1) stable-security; urgency=low"],
        ["* Tue Mar 05 2024 Ann Lee <ann@example.org> - 2.4-1", "* Mon Feb 12 2024 Bob Ray <bob@example.org> - 2.3-2"],
        ["2024-03-05  Ann Lee  <ann@example.org>", "2024-02-12  Bob Ray  <bob@example.org>"],
    ],
)
def test_an_entry_of_a_changelog_names_its_changes(entries: list[str]) -> None:
    changes = ["Raise the size of the queue to 512.", "Fix a crash without a spool directory."]
    pairs = zip(entries, changes, strict=True)
    text = "\n\n".join(f"{entry}\n\n  * {change}\n\n -- Ann <a@b.example>" for entry, change in pairs)
    assert headings(text)[0] == entries
    found = names(text)
    for entry, change in zip(entries, changes, strict=True):
        assert found[f"* {change}"] == {entry}


def test_an_item_or_a_line_that_breaks_off_is_no_title() -> None:
    items = ["New option --spool-lock  [T4583]", "Avoid a crash with an empty spool.", "Fix the order of the entries."]
    changes = "\n\n".join(f"  * core: {item}" for item in items)
    text = "\n\n".join(f"Version 2.{minor}\n-----------\n\n{changes} 2.{minor}" for minor in (3, 2, 1))
    found = names(text)
    assert found["* core: Fix the order of the entries. 2.2"] == {"Version 2.2\n-----------"}
    broken = "The key of the back door is in a box that is kept behind\n/dev/null on the first floor. It is red."
    behind = "The lamp is green while the relay is on. It turns red after a fault."
    for line in (broken, "In a box of\nGold. Really."):
        _, leads = leads_of(f"{BELOW}\n\n{line}\n\n{behind}\n\n{line}\n\n{BELOW}")
        assert leads is None or not leads.named


def test_a_level_that_is_used_once_names_its_part_unless_it_is_the_first() -> None:
    release = "Mill 2.38\n=========\n\nIt turns faster now. So it is."
    text = f"{release}\n\nFixes since 2.37\n----------------\n\n * It stops at night.\n"
    assert names(text)["* It stops at night."] == {"Fixes since 2.37\n----------------"}
    assert not any("Mill" in label for labels in names(text).values() for label in labels)


@pytest.mark.parametrize("joint", ["", "\n"])
def test_headings_and_paragraphs_of_html_may_share_a_line(joint: str) -> None:
    text = (
        f'<div class="a"><div>{joint}<h1 class="t">Wheels</h1>{joint}</div></div><p>They are of oak and wider than\n'
        f"those <i>of pine</i>, which turned too fast.</p>{joint}<p>One turns.</p></div>{joint}"
        f'<div class="a"><div>{joint}<h1 class="t">Stones</h1>{joint}</div></div><p>They are dressed in May.</p></div>'
    )
    assert headings(text)[0] == ['<h1 class="t">Wheels</h1>', '<h1 class="t">Stones</h1>']
    found = names(text)
    for said, title in (("They are of oak", "Wheels"), ("One turns", "Wheels"), ("They are dressed", "Stones")):
        (labels,) = (labels for line, labels in found.items() if said in line)
        assert labels == {f'<h1 class="t">{title}</h1>'}
    assert headings(f'say("<h1>Wheels</h1>")\n\n{BELOW}')[0] == []
