"""Text that real prompts hold stays readable: whole lines and rows, valid records, speakers, nothing reordered."""

from __future__ import annotations

import csv
import io
import json

import pytest
from text_kinds import CODE, CSV, DIALOGUE, FEW_SHOT, JSON_LINES, MARKDOWN

from beaver_compat import BeaverPromptCompressor

KINDS = {
    "markdown": (MARKDOWN, "How do I roll back a release?"),
    "few-shot": (FEW_SHOT, "Question: A basket holds 9 apples and 15 oranges. How many fruits are in 4 baskets?"),
    "dialogue": (DIALOGUE, "How much money does the customer get back?"),
    "code": (CODE, "What happens if withdraw exceeds the balance?"),
    "json": (JSON_LINES, "Who needs a ramp?"),
    "csv": (CSV, "How much is the brass lamp?"),
}
BUDGETS = (40, 60, 100, 160, 250, 400)


def kept(compressor: BeaverPromptCompressor, text: str, question: str, budget: int) -> str:
    return compressor.compress(text, question=question, target_token=budget, concate_question=False).compressed_context


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_lines_stay_in_order_and_one_is_cut_at_most(compressor: BeaverPromptCompressor, kind: str, budget: int) -> None:
    text, question = KINDS[kind]
    original = iter(text.split("\n"))
    cut = 0
    for line in kept(compressor, text, question, budget).split("\n"):
        source = next((whole for whole in original if whole.startswith(line)), None)
        assert source is not None, line  # its beginning, in order: indentation and speaker are kept
        cut += source != line
    assert cut <= (kind not in ("code", "json", "csv"))  # lines of code and records are never cut


@pytest.mark.parametrize("budget", BUDGETS)
def test_json_lines_and_csv_rows_can_be_read(compressor: BeaverPromptCompressor, budget: int) -> None:
    records = [json.loads(line) for line in kept(compressor, *KINDS["json"], budget).split("\n")]
    assert "ramp" in " ".join(record["note"] for record in records)
    rows = list(csv.reader(io.StringIO(kept(compressor, *KINDS["csv"], budget))))
    assert "brass lamp" in [row[1] for row in rows]
    assert {len(row) for row in rows} == {5}


@pytest.mark.parametrize(
    ("kind", "question", "answer"),
    [
        ("markdown", "What is the default of CACHE_TTL?", "| `CACHE_TTL` | 300 | Seconds that answers are cached |"),
        ("markdown", "How do I roll back a release?", "kubectl rollout undo deployment/app"),
        ("dialogue", "When would the mobile router arrive?", "It would arrive tomorrow by noon."),
        ("code", "What happens if withdraw exceeds the balance?", "            raise InsufficientFunds("),
        ("code", "What does report sort by?", "    for account in sorted(accounts, key=lambda a: -a.balance):"),
    ],
)
def test_the_answer_is_kept(compressor: BeaverPromptCompressor, kind: str, question: str, answer: str) -> None:
    assert answer in kept(compressor, KINDS[kind][0], question, 100)


def test_code_parts_are_whole_lines_with_their_indentation(compressor: BeaverPromptCompressor) -> None:
    lines = set(CODE.split("\n"))
    for budget in range(20, 500, 37):
        assert set(kept(compressor, *KINDS["code"], budget).split("\n")) <= lines
