"""What is kept of a text with headings, over many budgets: none stands over nothing, or over another section's text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_kinds import CODE, CSV, DIALOGUE, FEW_SHOT, JSON_LINES, MARKDOWN

from beaver_compat import BeaverPromptCompressor
from beaver_compat.boundaries import find_boundaries
from beaver_compat.characters import character_classes, code_points
from beaver_compat.headings import clause_titles, find_headings
from beaver_compat.settings import settings_sections
from beaver_compat.units import with_units

BUDGETS = range(12, 150, 5)
PRICES = (
    "# Prices\n\n| Plan | Seats | Price |\n|---|---|---|\n"
    + "\n".join(
        f"| Plan {name} | {3 * seats + 2} | {7 * seats + 10} USD |" for seats, name in enumerate("ABCDEFGHIJKL")
    )
    + "\n\nAll prices are without tax and are billed at the beginning of each month.\n"
)
ERRORS = """# Loom

## Trouble

### Error L104: bundle too large

A bundle may have at most 50 MB unpacked. Exclude what is for development with `exclude`.

### Error L207: token expired

Tokens live for 90 days. Run `loom login` again or set `LOOM_TOKEN` anew.

## Limits

* 20 looms at once
"""


LEASE = """LEASE OF THE UPPER MILL

This lease is made on 4 May 2021 between the Parish of Alder ("Owner") and Ida Roth ("Miller").

1. RENT AND DEPOSIT

1.1 Rent. The Miller pays 140 crowns on the first day of each month. Flour may be given in its place.

1.2 Deposit. Three rents are left with the Owner as a deposit, who keeps them apart from other money.

2. REPAIRS

2.1 Wheel. The Owner mends the wheel and the race within 14 days after the Miller has asked for it in writing.

2.2 Stones. The Miller dresses the stones. New stones are paid for by both in equal parts.

3. DOGS AND OTHER ANIMALS

Dogs need the consent of the Owner. Cats are welcome, and each year the Owner pays for the milk of two of them.

4. END OF THE LEASE

Either party may end the lease with six months' notice to the end of a year. Keys are handed over at noon.
"""
RULES = """Regeln der Bücherei

§ 1 Öffnungszeiten
Die Bücherei ist von Montag bis Freitag von 9 bis 18 Uhr geöffnet. Am Samstag schließt sie um 13 Uhr.

§ 2 Ausleihe
Bücher werden für vier Wochen ausgeliehen. Für jede Woche darüber hinaus wird ein Euro erhoben.

§ 3 Verlust
Wer ein Buch verliert, ersetzt es oder zahlt den Neupreis. Karten werden für drei Euro neu ausgestellt.
"""
CHINESE = """茶馆须知

一、开放时间
茶馆每天上午九点开门，晚上十点关门。春节期间休息三天。

二、价格
绿茶每壶二十元，红茶每壶三十元。学生半价，须出示学生证。

三、其他
馆内禁止吸烟。宠物须牵绳，但猫可以自由活动。
"""
PAGE = """<!DOCTYPE html>
<html><head><title>Alder Mill</title></head><body>
<h1>Alder Mill</h1>
<p>The mill is open from 10am to 4pm on Sundays.</p>
<h2 class="t">Tickets</h2>
<p>A ticket costs 4 crowns, for children 2 crowns.</p>
<h2>Getting here</h2>
<p>Bus 42 stops at the bridge every 20 minutes.</p>
</body></html>
"""
UNDERLINED = """Alder Mill
==========

The mill is open from 10am to 4pm on Sundays. It was built in 1871.

Tickets
-------

A ticket costs 4 crowns. Children pay 2 crowns, dogs nothing.

Getting here
------------
Bus 42 stops at the bridge. It runs every 20 minutes until seven.
"""


def headings(text: str) -> tuple[list[str], list[str]]:
    points = code_points(text)
    contexts = np.zeros(1, dtype=np.int64)
    boundaries = with_units(text, points, find_boundaries(points, character_classes(points)), contexts)
    first, ends = boundaries.visible
    found = find_headings(text, points, boundaries, np.zeros(first.size, dtype=np.int64), first, ends)
    titles, fillers = ([text[first[line] : ends[line]] for line in lines.tolist()] for lines in found)
    return titles, fillers


def lonely(text: str, kept: str, is_opener: Callable[[str], bool]) -> list[str]:
    """The lines of a kind that are kept without any of the lines that they stand over, which end at the next such."""
    found = [line for line in kept.split("\n") if line.strip()]
    lines = [line for line in text.split("\n") if line.strip()]
    place = 0
    places = [place := next(at for at in range(place, len(lines)) if line in lines[at]) for line in found]
    openers = [at for at, line in enumerate(lines) if is_opener(line)]
    bare = []
    for at, following in zip(places, [*places[1:], len(lines)], strict=True):
        if at in openers:
            later = (other for other in openers if other > at + 1)
            if following != at + 1 and following >= next(later, len(lines)):
                bare.append(lines[at])
    return bare


def kept(compressor: BeaverPromptCompressor, text: str, question: str, budget: int) -> str:
    return compressor.compress(text, question=question, target_token=budget, concate_question=False).compressed_context


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (ERRORS, "What to do about error L207?"),
        (ERRORS, "How large may a bundle be?"),
        (ERRORS, "Limits of Loom"),
        (MARKDOWN, "How do I roll back a release?"),
        (MARKDOWN, "Deployment guide, requirements, configuration, starting"),
    ],
)
def test_no_heading_of_markdown_stands_alone(compressor: BeaverPromptCompressor, text: str, question: str) -> None:
    for budget in BUDGETS:
        context = kept(compressor, text, question, budget)
        assert not lonely(text, context, lambda line: line.startswith("#")), (budget, context)


def test_the_section_of_the_heading_that_is_asked_for_is_kept(compressor: BeaverPromptCompressor) -> None:
    for budget in range(24, 60, 2):
        assert "Tokens live for 90 days" in kept(compressor, ERRORS, "What to do about error L207?", budget)


@pytest.mark.parametrize("question", ["Which plan has 12 seats?", "What is the price of plan K?", "Plan, seats, price"])
def test_no_header_of_a_table_is_kept_without_a_row(compressor: BeaverPromptCompressor, question: str) -> None:
    for text, top in ((PRICES, ["| Plan |", "|---|"]), (CSV, ["sku,"])):
        for budget in BUDGETS:
            lines = kept(compressor, text, question, budget).split("\n")
            for line in top:
                at = next((at for at, own in enumerate(lines) if own.startswith(line)), -1)
                assert at < 0 or lines[at + 1].startswith(("| Plan ", "|---|", "10")), (budget, lines)


def test_a_row_is_kept_before_the_header_alone(compressor: BeaverPromptCompressor) -> None:
    assert "| Plan A |" in kept(compressor, PRICES, "Which plan has 2 seats?", 32)


TITLES = [
    "9. Acceptance Not Required for Having Copies.",
    "3. TERM AND TERMINATION",
    "14. Revised Versions of this License.",
    "2.1 Late payment",
    "4.1.2. Data and Methods",
    "\u00a7 5 Tierhaltung",
    "\u00a7\u00a7 7a Kosten",
    "Article 5",
    "ARTICLE 5.",
    "Article 12: Right to be Heard",
    "Chapter IV",
    "Appendix B \u2013 Forms",
    "Kapitel 3",
    "\u516d\u3001\u5176\u4ed6",
    "\u7b2c\u5341\u4e8c\u6761 \u8d23\u4efb",
    "TERMS AND CONDITIONS",
    "\u041e\u0411\u0429\u0418\u0415 \u041f\u041e\u041b\u041e\u0416\u0415\u041d\u0418\u042f",
    "## Fields",
    "<h3 id='x'>Dogs</h3>",
]
BELOW = "The mill was built in 1871 by two brothers from Graz, who had come over the hills in a hard winter to stay."


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


PIECES = [
    *TITLES,
    BELOW,
    "It rains.",
    "1. Buy milk",
    "2. Buy Eggs",
    "====",
    "-----",
    "Tickets",
    "ROME",
    "<!doctype html>",
    "```",
    "a,b,c",
    "1,2,3",
    "| - | - |",
    "[smtp]",
    "port = 25",
    "# one",
    "def f():",
    "    return 1",
]


@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["\n", "\n\n"])), max_size=12), st.integers(1, 120))
@settings(max_examples=80, deadline=None)
def test_any_mix_keeps_to_the_budget_and_to_the_text(
    compressor: BeaverPromptCompressor, rows: list[tuple[str, str]], budget: int
) -> None:
    text = "".join(part for row in rows for part in row)
    result = compressor.compress(text, question="Tickets?", target_token=budget, concate_question=False)
    assert result.compressed_tokens <= budget or not result.compressed_context
    place = 0
    for span in result.spans:
        assert place <= span.start < span.end <= len(text)
        place = span.end


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        (LEASE, ["What is the deposit?", "Who mends the wheel?", "Lease of the upper mill: dogs, repairs, rent"]),
        (RULES, ["Was kostet ein verlorenes Buch?", "Öffnungszeiten, Ausleihe, Verlust"]),
        (CHINESE, ["红茶多少钱?", "开放时间、价格、其他"]),
        (PAGE, ["How much is a ticket?", "Which bus?", "Alder Mill, tickets, getting here"]),
        (UNDERLINED, ["How much is a ticket?", "Which bus?", "Alder Mill, tickets, getting here"]),
    ],
)
def test_no_title_stands_alone(compressor: BeaverPromptCompressor, text: str, questions: list[str]) -> None:
    titles, fillers = headings(text)
    assert len(titles) >= 3
    for question in questions:
        for budget in BUDGETS:
            context = kept(compressor, text, question, budget)
            assert not lonely(text, context, lambda line: line.strip() in (*titles, *fillers)), (budget, context)


def test_sections_of_plain_text_come_with_their_title(compressor: BeaverPromptCompressor) -> None:
    context = kept(compressor, LEASE, "Do dogs need consent?", 60)
    assert "3. DOGS AND OTHER ANIMALS\n\nDogs need the consent" in context
    context = kept(compressor, UNDERLINED, "How much do children pay for a ticket?", 30)
    assert "Tickets\n-------\n\nA ticket costs" in context


INI = "[database]\nhost = db1\nport = 5432\n\n[smtp]\nhost = mail\nport = 587\n\n[cache]\nhost = redis\nport = 6379\n"
TOML = """name = "mill"

# The public side.
[server.web]
host = "mill.example"
port = 8080
names = [
  "mill",
  "old mill",
]
greeting = "Welcome to the mill by the river, open on Sundays"
timeout = 30
retries = 4

[[server.mail]]
host = "post.example"
port = 587
sender = "Miller at the upper mill <miller@mill.example>"
greeting = "Dear friends of the mill, the wheel turns again"

timeout = 60
retries = 2

[log]
level = "info"
"""


def owners(text: str) -> list[tuple[str, str]]:
    """Each line that sets something, with the name of the section that it stands in."""
    section, found = "", []
    for line in text.split("\n"):
        section = line if line.startswith("[") else section
        if " = " in line:
            found.append((section, line))
    return found


@pytest.mark.parametrize("text", [INI, TOML])
@pytest.mark.parametrize(
    "question", ["Which port does smtp use?", "port of mail", "What is the timeout of the web server?", "log level"]
)
def test_no_setting_stands_under_the_name_of_another_section(
    compressor: BeaverPromptCompressor, text: str, question: str
) -> None:
    known = owners(text)
    for budget in range(5, 130, 2):
        context = kept(compressor, text, question, budget)
        for section, line in owners(context):
            assert not section or any(own == section and whole.startswith(line) for own, whole in known), (budget, line)
        assert not lonely(text, context, lambda line: line.startswith("[")) or budget < 20, (budget, context)


def test_a_setting_that_is_kept_without_its_section_has_none_over_it(compressor: BeaverPromptCompressor) -> None:
    filler = "\n".join(f"x{index} = {index}" for index in range(40))
    name = "[the server at the upper mill that sends all letters of the parish by night and by day]"
    text = f"[a]\n{filler}\n\n{name}\nletterport = 587\n{filler.replace('x', 'y')}\n"
    alone = 0
    for budget in range(8, 40):
        context = kept(compressor, text, "letterport", budget)
        assert "letterport" in context
        alone += context.startswith("letterport")
        assert all(section in (name, "") for section, line in owners(context) if line[0] != "x"), (budget, context)
    assert alone > 5


def test_the_setting_that_is_asked_for_is_kept(compressor: BeaverPromptCompressor) -> None:
    for budget in range(18, 40, 2):
        assert "[smtp]\nhost = mail\nport = 587" in kept(compressor, INI, "Which port does smtp use?", budget)
    assert "[[server.mail]]\nhost = " in kept(compressor, TOML, "Which host is the server for mail?", 40)


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        (INI, [(0, 3), (3, 6), (6, 9)]),
        ("[core]\n\tbare = false\n; old\n\tuser name = Ida\n\nThat is all.", [(0, 4)]),
        ("[a b]\n# one\n# two\nx=1\n\ny=2\n", [(0, 5)]),
        ("[a]\n[b]\nx = 1", [(1, 3)]),
        ("[a]\nx = [\n  1,\n]\n\n# of b\n[b]\ny = 2", [(0, 4), (5, 7)]),
        ("```\n[a]\nx = 1\n```\n\n[b]\ny = 2\n\n## Next\n\nIt rains.", [(1, 3), (4, 6)]),
        ("[a]\n# none", []),
        ("[x = 1]\ny = 2", []),
        ("[1, 2]\nx = 1", []),
        ("[Verse 1]\nIt rains on the mill", []),
        ("[10:31] Ann: x = 1\n[10:32] Bob: y = 2", []),
        ("[a]\n\nIt is said that x = 1.", []),
        ("[a]", []),
    ],
)
def test_sections_of_settings(text: str, sections: list[tuple[int, int]]) -> None:
    points = code_points(text)
    boundaries = find_boundaries(points, character_classes(points))
    contexts = np.zeros(boundaries.hard_lines.size, dtype=np.int64)
    assert settings_sections(text, points, boundaries, contexts) == sections


CLAUSES = """1 The Owner lets the mill to the Miller.

4.1 Care. Each party keeps what it learns about the other to itself, as it keeps its own papers. This holds for five \
years after the end of the lease, but for the recipe of the rye bread, which is never told.

4.2 Exclusions. What stands in the parish paper is no secret. Nor is what was known to the other party before, or what \
a third party told it without asking for silence. The weather is no secret either, nor is the height of the water.

5. Late Payment of Rent. Rent that is late bears interest of two in a hundred for each month. The Owner may ask for it \
in flour, at the price that was paid in the market of Alder on the first Monday of that month.
"""


@pytest.mark.parametrize("question", ["Exclusions", "What bears interest?", "Late payment of rent, care, exclusions"])
def test_no_title_of_a_clause_is_kept_alone(compressor: BeaverPromptCompressor, question: str) -> None:
    for budget in range(4, 120, 3):
        for line in kept(compressor, CLAUSES, question, budget).split("\n"):
            assert not line.endswith(("Care.", "Exclusions.", "Rent.")), (budget, line)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (CLAUSES, ["4.1 Care. ", "4.2 Exclusions. ", "5. Late Payment of Rent. "]),
        (f"3.2 Termination for Cause. {BELOW}", ["3.2 Termination for Cause. "]),
        (f"1. Preheat the oven to the full. {BELOW}", []),
        (f"1. Apple 2. Pear 3. Plum 4. Quince {BELOW}", []),
        ("4.2 Exclusions. None.", []),
        (f"4.2 million people live there. {BELOW}", []),
        (f"192.168.1.20 - Mill. {BELOW}", []),
        (f"12 Angry Men. {BELOW}", []),
    ],
)
def test_titles_of_clauses(text: str, titles: list[str]) -> None:
    points = code_points(text)
    first, ends = find_boundaries(points, character_classes(points)).visible
    lines, bodies = clause_titles(text, points, first, ends)
    assert [text[first[line] : body] for line, body in zip(lines.tolist(), bodies.tolist(), strict=True)] == titles


@pytest.mark.parametrize("text", ["# Title\n\n'", "| a | b |\n|---|---|\n| 1 | 2 |\n", "[smtp]\nport = 587\n"])
def test_a_text_that_is_all_question_is_cut_like_any_other(compressor: BeaverPromptCompressor, text: str) -> None:
    tokens = compressor.counter(text)
    for budget in range(tokens):
        result = compressor.compress(text, target_token=budget)
        assert result.compressed_tokens <= budget
        assert all(line in text for line in result.compressed_context.split("\n"))
