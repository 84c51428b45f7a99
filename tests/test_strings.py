"""Texts in strings of JSON and Python: what is written out in them is read as what it stands for."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_texts import kept
from line_readings import needs

from beaver_compat import BeaverPromptCompressor
from beaver_compat.text.characters import Characters
from beaver_compat.text.compact import written_out
from beaver_compat.text.lined_text import read_lines

PROSE = (
    "The lodge stands on the old dam, which is repaired every autumn with willow, mud and stones. Where the bank is"
    " steep there are burrows in it, and the water hides the way in. The young are safe from wolves, bears and people"
    " there, and in the winter everybody eats what was stored under the ice: twigs, bark and the roots of lilies."
)
HANDBOOK = """# Ferry handbook

## Fares

A day ticket costs 14 crowns. "Dogs travel free," says the company, but a bicycle costs 3 crowns more.

| Place | Crossing | Crowns |
|-------|----------|--------|
| Lund  | 40 min   | 9      |
| Visby | 190 min  | 31     |

## Times

Winter:
- first boat at 7.15
- last boat at 18.40

The boat to Lund leaves each hour. It doesn't sail in storms.
"""
IN_STRINGS = {
    "one value": json.dumps({"text": HANDBOOK}),
    "first value": json.dumps({"text": HANDBOOK, "ok": True}),
    "last value": json.dumps({"id": 4, "page": {"text": HANDBOOK}}),
    "array": json.dumps([HANDBOOK]),
    "over lines": json.dumps({"id": 4, "text": HANDBOOK, "ok": True}, indent=2),
    "string": json.dumps(HANDBOOK),
    "python": repr({"text": HANDBOOK}),
    "python's string": repr(HANDBOOK),
    "bytes": repr(HANDBOOK.encode()),
    "objects": f"[Document(page_content={HANDBOOK!r}, metadata={{'source': 'a.md'}})]",
    "named": f"I'll read the handbook: {json.dumps({'text': HANDBOOK})}",
    "cut off": json.dumps({"text": HANDBOOK})[:-20],
    "value in a string": json.dumps({"result": json.dumps({"text": HANDBOOK})}),
    "from windows": json.dumps({"text": HANDBOOK.replace("\n", "\r\n")}),
}


@pytest.mark.parametrize("form", IN_STRINGS)
def test_a_text_in_a_string_is_read_as_by_itself(compressor: BeaverPromptCompressor, form: str) -> None:
    line = {"|": "| Visby | 190 min  | 31     |", "-": "- last boat at 18.40"}
    for question, heading, answer in [
        ("What does a bicycle cost?", "## Fares", "but a bicycle costs 3 crowns more."),
        ("How long is the crossing to Visby?", "| Place | Crossing | Crowns |", line["|"]),
        ("When is the last boat in winter?", "## Times", line["-"]),
    ]:
        found = kept(compressor, IN_STRINGS[form], question, 75)
        assert answer in found, found
        assert heading in found[: found.index(answer)], found
        assert all(piece in IN_STRINGS[form] for piece in found.split("\n"))


def test_python_writes_strings_in_either_kind_of_quotes(compressor: BeaverPromptCompressor) -> None:
    said = {
        "Energy": "The pumps use most of the power. It's a costly business, all in all.",
        "Selby": "The contract guarantees 8,000 cubic metres a day. It's valid until 2041.",
        "Turbine": "A turbine at the foot of the dam produces 640 megawatt hours a year.",
        "Board": "It's made of nine members, of whom the towns name five. The chair is Oluwaseun Pratt.",
    }
    text = repr([{"id": number, "title": title, "text": text} for number, (title, text) in enumerate(said.items(), 5)])
    asked = {
        "Energy": "What uses most power?",
        "Selby": "Until when is the contract valid?",
        "Board": "Who is the chair?",
    }
    for title, question in asked.items():
        found = kept(compressor, text, question, 60)
        assert f"'title': '{title}'" in found[: found.index(said[title])]


def test_a_paragraph_that_is_wrapped_in_a_string_is_one(compressor: BeaverPromptCompressor) -> None:
    said = (
        "The ferry to Visby was founded by two sisters from Lund. It sails from May to October, three times a day, and "
        "takes bicycles for free. Dogs pay half of what their owners pay. In storms it stays in the harbour of Ystad. "
    )
    text = json.dumps({"id": 4, "text": "Ferries\n\n" + textwrap.fill(3 * said, 60) + "\n\nThe end.", "ok": True})
    lines = [lined.line(at) for lined in [read_lines([text])] for at in range(lined.starts.size)]
    begins = ["{", '"id": 4,', '"text": "', "Ferries", "The ferry", 'The end."', '"ok": tru', "}"]
    assert [line[:9] for line in lines] == begins
    sentence = kept(compressor, text, "Where does it stay in storms?", 40)
    assert " ".join(sentence.replace("\\n", " ").split()).endswith("In storms it stays in the harbour of Ystad.")


def test_what_is_written_out_elsewhere_is_no_line_end() -> None:
    prose = "It follows that $\\nabla f = 0$ and $\\nu > 1$ on the whole of the domain, by the lemma. " * 6
    short = json.dumps(
        {"tool": "write", "text": "one\ntwo\nthree, which is the last one of them all, and no more of it"}
    )
    slashes = json.dumps({"path": "C:\\new\\nuts\\" * 40, "ok": True})
    assert [read_lines([text]).starts.size for text in (prose, short, slashes)] == [1, 1, 4]


@given(st.text(alphabet="ab \n\t\\\"'{}[],:é", min_size=340, max_size=420), st.sampled_from([json.dumps, repr]))
def test_written_out_characters_are_found_where_they_are(text: str, write: Callable[[str], str]) -> None:
    line = write(text)
    found = written_out(Characters(line), line, np.array([0]), np.array([len(line)]))
    walked: list[list[int]] = [[], [], []]
    place = 1
    while place < len(line) - 1:
        if line[place] != "\\":
            place += 1
            continue
        for kind, signs in enumerate(["n", "rt", "\"'"]):
            if line[place + 1] in signs and "\\n" in line:
                walked[kind].append(place)
        place += 2
    if not walked[0]:
        walked = [[], [], []]
    assert [places.tolist() for places in found[:3]] == walked
    assert found.strings.tolist() == ([0, len(line)] if walked[0] else [])


def test_a_later_sentence_of_a_long_string_comes_with_its_key(compressor: BeaverPromptCompressor) -> None:
    about = "User assigned name for this zone, which must be unique within the project, whatever the others are called."
    rule = "The name must be 1-32 characters long and begin with a letter."
    text = json.dumps(
        {"parameters": {"zone": {"type": "string", "description": f"{about} {rule} It ends so."}}}, indent=1
    )
    question = "How many characters may the name have?"
    for budget in range(24, 80, 4):
        found = kept(compressor, text, question, budget)
        assert "zone" not in found or rule not in found or '"description": ' in found
    assert f'"description": {rule}' in kept(compressor, text, question, 44)


def test_lines_in_a_string_end_no_block_around_it(compressor: BeaverPromptCompressor) -> None:
    fields = {
        name: {"description": f"About the {name}.\n{PROSE}", "size": len(name)} for name in ("pond", "dam", "lodge")
    }
    found = needs(json.dumps({"schemas": fields}, indent=1))
    assert {'"schemas": {', '"lodge": {'} <= found['"size": 5']
