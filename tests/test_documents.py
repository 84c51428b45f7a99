"""Documents of YAML in one text: the name of each goes with its lines, and no line stands under another's name."""

from __future__ import annotations

import re

import pytest
from kept_texts import kept
from line_readings import leads_of

from beaver_compat import BeaverPromptCompressor

WEB = """apiVersion: mills/v1
kind: Mill
metadata:
  name: upper
  region: alder
spec:
  wheels: 4
  stones:
    hours:
    - name: day
      turns: 31
    - name: night
      turns: 17
"""
LOWER = WEB.replace("upper", "lower").replace("4", "2").replace("31", "28").replace("17", "9")
TEXT = f"{WEB}---\n{LOWER}"
FLAT = "name: upper\nwheels: 4\nturns: 31\n---\nname: lower\nwheels: 2\nturns: 28\n"
FRONT_MATTER = "---\nname: upper\ntags: mill\n---\nThe mill turns by day.\n\n---\n\nIt sleeps at night.\n"


def values(text: str, name: str) -> set[str]:
    return {*re.findall(r"\d+", next(part for part in text.split("---\n") if f"name: {name}" in part))}


@pytest.mark.parametrize("text", [TEXT, FLAT, f"---\n{TEXT}", f"{TEXT}---\nkind: Note\ntext: The mills sleep.\n"])
@pytest.mark.parametrize("name", ["upper", "lower"])
def test_each_value_stands_under_the_name_of_its_document(
    compressor: BeaverPromptCompressor, text: str, name: str
) -> None:
    for question in (f"How many wheels has the mill {name}?", f"How many turns has the {name} mill?"):
        for budget in (*range(26, 60, 4), 90):
            context = kept(compressor, text, question, budget)
            parts = re.split(r"(?m)^(?:metadata:\n  )?name: (upper|lower)$", context)
            for known, part in zip(parts[1::2], parts[2::2], strict=True):
                assert {*re.findall(r"\d+", part.replace("mills/v1", ""))} <= values(text, known), (budget, context)


def test_the_document_that_is_asked_for_is_kept(compressor: BeaverPromptCompressor) -> None:
    for budget in (30, 40, 60):
        context = kept(compressor, TEXT, "How many wheels has the lower mill?", budget)
        assert "metadata:\n  name: lower" in context
        assert "wheels: 2" in context


def test_the_head_of_a_page_is_no_document() -> None:
    _, leads = leads_of(FRONT_MATTER)
    assert leads is None or not (leads.label_ends > leads.starts).any()
