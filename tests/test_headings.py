"""What is kept of a text with headings, over many budgets: none stands over nothing, or over another section's text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from text_kinds import CSV, MARKDOWN

from beaver_compat import BeaverPromptCompressor

BUDGETS = range(12, 150, 3)
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


def lonely(text: str, kept: str, is_opener: Callable[[str], bool]) -> list[str]:
    """The lines of a kind that are kept without any of the lines that they stand over, which end at the next such."""
    found = [line for line in kept.split("\n") if line.strip()]
    lines = [line for line in text.split("\n") if line.strip()]
    place = -1
    places = [place := next(at for at in range(place + 1, len(lines)) if lines[at].startswith(line)) for line in found]
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
