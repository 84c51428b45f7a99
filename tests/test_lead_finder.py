"""The lines that others can't be read without: headers of tables, fences and headings, and what is kept with them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_readings import PIECES, leads_of, names, needs
from text_kinds import CODE, CSV, MARKDOWN

from beaver_compat import BeaverPromptCompressor
from benchmarks.samples import read_samples


def test_rows_need_the_header() -> None:
    header, row, *_ = CSV.split("\n")
    found = needs("Stock of today", CSV, "That is all.")
    assert found == {line: {header} if line[0].isdigit() else {row} if line == header else set() for line in found}
    found = needs(MARKDOWN)
    names, dashes = "| Variable | Default | Meaning |", "| --- | --- | --- |"
    row = "| `PORT` | 8080 | Port that the server listens on |"
    assert found[row] == {names, dashes}
    assert found[names] == {dashes, row}
    assert found[dashes] == {names, row}
    assert found["## Configuration"] == {names, dashes, row}


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n4,5,6\n7,8,9",
        "Ann,Rome,tea\nBo,Oslo,milk\nCy,Bonn,ale",
        '{"a": 1, "b": 2, "c": 3}\n{"a": 4, "b": 5, "c": 6}\n{"a": 7, "b": 8, "c": 9}',
        "In May, June, or July.\n1,2,3\n4,5,6",
        "class action lawsuits:\n\nnone",
        "```\nopen and never closed",
        "Plain text. Nothing else.",
    ],
)
def test_what_needs_nothing(text: str) -> None:
    assert leads_of(text)[1] is None


def test_what_stands_in_a_fence_needs_both_fences() -> None:
    text = "Text.\n\n~~~py\ndef f():\n    return 1\n```\n~~~\nMore."
    found = needs(text)
    assert found["return 1"] == {"~~~py", "def f():", "~~~"}
    assert found["```"] == {"~~~py", "~~~"}
    assert found["Text."] == found["More."] == set()
    lines, leads = leads_of(text)
    assert leads is not None
    assert [line for line, bare in zip(lines, leads.bare, strict=True) if bare] == ["~~~py", "~~~"]


def test_a_block_and_the_line_that_leads_to_it_need_each_other() -> None:
    text = "Text.\n\nDo this:\n\n```sh\nfetch\nbuild\n```\n\nMore."
    found = needs(text)
    assert found["build"] == {"```sh", "```", "Do this:"}
    assert found["Do this:"] == {"fetch", "```sh", "```"}
    assert found["More."] == set()
    lines, leads = leads_of("It is " + "very " * 40 + "old. Do this:\n```\nfetch\n```")
    assert leads is not None
    starts, _, _ = leads.of(leads.starts[[2]], leads.text_ends[[2]])
    assert starts[0] == lines[0].index("Do this")
    assert leads.of(np.array([0]), np.array([20]))[0].size == 0  # the paragraph's beginning needs no block


def test_lines_of_a_section_need_its_heading() -> None:
    text = "# Farm\n\nIt is old.\n\n## Fields\n- rye\n- oats\n\n## Work\n\nDo:\n\n```\nplough\n```\n\n# Long\n"
    text += "\n" + "The story goes on and on.\n" * 30
    found = names(text)
    assert found["- oats"] == found["- rye"] == {"## Fields"}
    assert found["It is old."] == {"# Farm"}
    assert found["plough"] == {"## Work"}
    assert found["The story goes on and on."] == found["# Long"] == {"# Long"}
    needed = needs(text)
    assert needed["## Fields"] == {"- rye"}
    assert needed["## Work"] == {"Do:", "```", "plough"}


def test_comments_are_no_headings() -> None:
    assert not any(names("x = 1\n# one\ny = 2\n\n# two\nz = 3\n\n#!three\n\nw = 4").values())
    assert leads_of("Text.\n\n# Head", "text")[1] is None
    assert names("# Head\n\nShort.\n\n# Next\n\n" + "long " * 200)["Short."] == {"# Head"}
    assert names("# Head\n\nShort.\n\n## Next\n\n" + "long " * 200)["Short."] == set()  # it stands over all


def test_no_line_needs_one_of_another_context() -> None:
    assert leads_of("def f():", "    return 1")[1] is None
    assert leads_of("```\na", "b\n```")[1] is None


@pytest.mark.parametrize("title", ["Title\n=====\n\n", "# Title\n\n", "Passage 3:\n\n"])
def test_nothing_reaches_into_another_context(title: str) -> None:
    behind = "# Guide\n\nThe fox is old."
    _, leads = leads_of(title, behind)
    assert leads is not None
    context_end = np.where(leads.starts < len(title), len(title), len(title) + 2 + len(behind))
    assert (np.maximum(leads.ends, leads.label_ends) <= context_end).all()


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=25), st.data())
@settings(max_examples=200, deadline=None)
def test_more_is_never_needed_by_less_and_the_first_is_named(rows: list[str], data: st.DataObject) -> None:
    lines, leads = leads_of("\n".join(rows))
    if leads is None:
        return
    places = st.integers(0, len(lines) - 1)
    chosen = data.draw(st.lists(places, min_size=1, max_size=5, unique=True))
    starts, _, first = leads.of(leads.starts[chosen], leads.text_ends[chosen])
    alone = [set(leads.of(leads.starts[[line]], leads.text_ends[[line]])[0].tolist()) for line in chosen]
    expected = {start: next(at for at, own in enumerate(alone) if start in own) for start in set().union(*alone)}
    assert dict(zip(starts.tolist(), first.tolist(), strict=True)) == expected


def test_what_is_needed_has_the_role_of_what_needs_it(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress(CSV, question="How much is the brass lamp?", target_token=60, concate_question=False)
    assert result.compressed_context.split("\n")[0] == CSV.split("\n")[0]
    assert {span.role for span in result.spans} == {"flash"}
    table = "name,a,b\n" + "\n".join(f"{index},{index * 7},{index * 3}" for index in range(60))
    result = compressor.compress(table, target_token=120, question="")
    assert result.spans[0].start == 0
    assert all(span.end > span.start for span in result.spans)


def test_a_row_is_kept_alone_where_it_does_not_fit_with_its_header(compressor: BeaverPromptCompressor) -> None:
    rows = CSV.split("\n")
    size = max(compressor.counter(row) for row in rows[1:])
    text = compressor.compress(CSV, question="brass lamp", target_token=size, concate_question=False).compressed_context
    assert text in rows[1:]


@pytest.mark.parametrize("rate", [0.15, 0.25, 0.5])
def test_what_is_needed_counts_in_a_bounded_segment(compressor: BeaverPromptCompressor, rate: float) -> None:
    tagged = f"<llmlingua, rate={rate}>{CSV}</llmlingua><llmlingua, rate=0.9>\n{CODE}</llmlingua>"
    result = compressor.structured_compress_prompt([tagged], question="How much is the brass lamp?")
    header, *rows = CSV.split("\n")
    lines = result["compressed_prompt"].split("\n")
    kept = [line for line in lines if line in (header, *rows)]
    assert compressor.counter("\n".join(kept)) <= rate * compressor.counter(CSV)
    assert kept[0] == header or len(kept) == 1
    assert "    def withdraw(self, amount: int, fee: int = 2) -> int:" in lines  # a tight bound leaves the rest alone


def test_what_a_line_needs_does_not_grow_with_the_text() -> None:
    folder = Path(__file__).parent.parent / "benchmarks" / "texts"
    texts = {sample.context for file in sorted(folder.glob("*.gz")) for sample in read_samples(file)}
    assert len(texts) == 76
    for text in texts:
        copies = [re.sub(r"\d", lambda digit, at=at: str((int(digit[0]) + at) % 10), text) for at in range(5)]
        assert most_needed("\n\n".join(copies), text.count("\n")) <= most_needed(text, text.count("\n")) + 3, text[:80]


def most_needed(text: str, lines: int) -> int:
    """How many lines the one of some last lines needs that needs the most."""
    _, leads = leads_of(text)
    if leads is None:
        return 0
    places = range(leads.starts.size)[-lines:]
    return max(leads.of(leads.starts[[at]], leads.text_ends[[at]])[0].size for at in places)
