"""What lines begin with before they say anything, and that no text is cut there."""

from __future__ import annotations

import re

import numpy as np
import pytest

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.openings import text_begins, wordless
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import read_lines


@pytest.mark.parametrize(
    ("opening", "text"),
    [
        ("", "Rain fell."),
        ("- ", "Rain fell."),
        ("  * ", "Rain fell."),
        ("12. ", "Rain fell."),
        ("> - ", "Rain fell."),
        ("## 3.1. ", "Rain fell."),
        ("- [x] ", "Rain fell."),
        ("// a) ", "Rain fell."),
        ("[a.koch, 2024-02-03] ", "Rain fell."),
        ("- [a.koch, 2024-02-03]: ", "Rain fell."),
        ("- ", "漢字が降った。"),
        ("", "3.14 is near it."),
        ("", "Ann (2)"),
        ("", "- * - * -"),
        ("", "[Rain fell for days.]"),
        ("", "-" * 100 + " Rain fell."),
    ],
)
def test_where_the_text_of_a_line_begins(opening: str, text: str) -> None:
    lined = with_units(read_lines([f"It rains.\n\n{opening}{text}"]))
    assert lined.starts.size == 2
    begin = int(text_begins(lined, np.array([1]))[0])
    assert lined.text[begin:].lstrip() == text


def test_many_marks_over_nothing_are_read_once() -> None:
    lined = read_lines(["It rains.\n\n" + "[--]" * 400, "[[" * 400])
    assert lined.starts.size == 3
    assert (text_begins(lined, np.arange(3)) == lined.starts).all()


CHANGES = """## 3.1.0

### Added

- Import from Numbers.

### Fixed

- Crash on empty sheets (#881).
- Wrong totals in pivot tables (#902)."""


@pytest.mark.parametrize("mark", ["-", "1.", "- [x]", ">"])
def test_no_mark_is_kept_over_nothing(compressor: BeaverPromptCompressor, mark: str) -> None:
    text = CHANGES.replace("\n-", f"\n{mark}")
    for budget in range(1, 60):
        kept = compressor.compress(
            text, question="When was the crash on empty sheets fixed?", target_token=budget, concate_question=False
        ).compressed_context
        assert not re.search(r"(?m)^(?:-|1\.|>|- \[|- \[x\])$", kept), budget


def test_no_bracket_and_no_times_are_cut(compressor: BeaverPromptCompressor) -> None:
    comments = (
        "[a.koch, 2024-02-03] Can reproduce. Bisected to commit 81fe2d0.\n"
        "[s.moreau, 2024-02-04] Thanks, I will look. The fix is on its way.\n"
        "[l.ito, 2024-02-06] Fixed on main. Please check."
    )
    said = ["Where did you put the keys?", "On the shelf by the door.", "They fell behind the old pear tree."]
    cues = "\n\n".join(f"{n}\n00:00:0{n},300 --> 00:00:0{n},900\n{line}" for n, line in enumerate(said, 1))
    for text, question in ((comments, "Which commit introduced the bug?"), (cues, "Where did the keys fall?")):
        for budget in range(1, 100):
            kept = compressor.compress(text, question=question, target_token=budget, concate_question=False)
            for line in kept.compressed_context.split("\n"):
                assert ("[" in line) == ("]" in line), budget
                assert "-->" not in line or re.search(r"-->.*00$", line), budget
            assert not re.search(r"(?:^\d|\d00|\])\Z", kept.compressed_context), budget


def test_blank_lines_before_the_first(compressor: BeaverPromptCompressor) -> None:
    text = "\n\nQuestion: How old is the fox?\nAnswer: 7\n\n"
    for budget in range(20):
        assert compressor.compress(text, target_token=budget).compressed_tokens <= budget


def test_what_says_nothing() -> None:
    lines = {
        "Rain fell.": False,
        "  },": True,
        "雨が降った": False,
        "7": False,
        " </li>": True,
        "</ns:item-2>": True,
        "</li> Rain": False,
        "<li>": True,
        "<br />": True,
        "<li class=a>": False,
        "* * *": True,
        "    fi": True,
        "#endif": True,
        "done": True,
        "done with it": False,
        "": True,
    }
    lined = read_lines(["\n".join(lines)])
    ends = np.cumsum([len(line) + 1 for line in lines])
    starts = ends - [len(line) + 1 for line in lines]
    assert wordless(lined, starts, ends - 1).tolist() == list(lines.values())
    assert wordless(read_lines(["Rain</b> fell."]), np.array([0]), np.array([14])).tolist() == [False]


def test_tags_and_brackets_by_themselves_are_no_piece(compressor: BeaverPromptCompressor) -> None:
    """They fill what is left right beside what is kept, or not at all."""
    text = "\n".join(
        f"<tool_result>\nThe kiln of hall {hall} was fired {20 + hall} times.\n</tool_result>\n{{\n}}\n"
        for hall in range(9)
    )
    for budget in range(35, 120, 10):
        result = compressor.compress(text, question="How often was the kiln of hall 4 fired?", target_token=budget)
        assert "The kiln of hall 4 was fired 24 times." in result.compressed_context
        assert all("kiln" in text[span.start : span.end] for span in result.spans), budget
