"""What is kept of a text with headings, over many budgets: none stands over nothing, or over another section's text."""

from __future__ import annotations

import pytest
from heading_samples import BELOW, CATALOGUE, CLAUSES, PAGE, TITLES, UNDERLINED, headings
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_texts import kept, lonely
from text_kinds import CSV, MARKDOWN

from beaver_compat import BeaverPromptCompressor

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


@pytest.mark.parametrize(
    ("question", "answer", "title"),
    [
        ("How wide are the goggles?", "The slits are two millimetres wide.", "3. Goggles. "),
        ("How long did the letter take?", "It took fourteen months", "4. Letter on bark. "),
        ("Who gave the cup?", "given to the doctor by a miller", "1. Cup made from a tin. "),
    ],
)
def test_a_numbered_entry_is_named_by_its_title(
    compressor: BeaverPromptCompressor, question: str, answer: str, title: str
) -> None:
    for budget in (40, 50, 60):
        context = kept(compressor, CATALOGUE, question, budget)
        assert answer in context
        assert title in context


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


@pytest.mark.parametrize("question", ["Exclusions", "What bears interest?", "Late payment of rent, care, exclusions"])
def test_no_title_of_a_clause_is_kept_alone(compressor: BeaverPromptCompressor, question: str) -> None:
    for budget in range(4, 120, 3):
        for line in kept(compressor, CLAUSES, question, budget).split("\n"):
            assert not line.endswith(("Care.", "Exclusions.", "Rent.")), (budget, line)


@pytest.mark.parametrize("text", ["# Title\n\n'", "| a | b |\n|---|---|\n| 1 | 2 |\n", "[smtp]\nport = 587\n"])
def test_a_text_that_is_all_question_is_cut_like_any_other(compressor: BeaverPromptCompressor, text: str) -> None:
    tokens = compressor.counter(text)
    for budget in range(tokens):
        result = compressor.compress(text, target_token=budget)
        assert result.compressed_tokens <= budget
        assert all(line in text for line in result.compressed_context.split("\n"))
