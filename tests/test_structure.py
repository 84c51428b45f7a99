"""What belongs together in a text: leads and few-shot examples, each against a slow reading of the same lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_kinds import CODE, CSV, EXAMPLES, FEW_SHOT, MARKDOWN

from beaver_compat import BeaverPromptCompressor
from beaver_compat.boundaries import Boundaries, find_boundaries
from beaver_compat.characters import character_classes, code_points
from beaver_compat.structure import Leads, find_leads
from beaver_compat.units import with_units


def boundaries_of(text: str) -> Boundaries:
    points = code_points(text)
    return find_boundaries(points, character_classes(points))


def leads_of(*contexts: str) -> tuple[list[str], Leads | None]:
    text = "\n\n".join(contexts)
    lengths = np.array([len(context) for context in contexts])
    starts = np.concatenate([[0], np.cumsum(lengths[:-1] + 2)])
    boundaries = boundaries_of(text)
    lines = boundaries.hard_lines.tolist()
    cut = [text[start:end].rstrip() for start, end in zip(lines, [*lines, len(text)][1:], strict=True)]
    return cut, find_leads(text, code_points(text), boundaries, starts, starts + lengths)


def needs(*contexts: str) -> dict[str, set[str]]:
    """The lines that each line needs, those that lines need in turn among them."""
    lines, leads = leads_of(*contexts)
    assert leads is not None
    found = {}
    for line, start, end in zip(lines, leads.starts, leads.text_ends, strict=True):
        starts, _, _ = leads.of(np.array([start]), np.array([end]))
        found[line.strip()] = {lines[index].strip() for index in np.searchsorted(leads.starts, starts)}
    return found


def test_rows_need_the_header() -> None:
    header = "sku,product,warehouse,stock,price"
    found = needs("Stock of today", CSV, "That is all.")
    assert found == {row: {header} if row[0].isdigit() else set() for row in found}
    found = needs(MARKDOWN)
    top = {"| Variable | Default | Meaning |", "| --- | --- | --- |"}
    assert found["| `PORT` | 8080 | Port that the server listens on |"] == top
    assert found["| Variable | Default | Meaning |"] == set()


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


def test_lines_of_code_need_their_signatures() -> None:
    found = needs(CODE)
    method = "def withdraw(self, amount: int, fee: int = 2) -> int:"
    assert found["total = amount + fee"] == {method, "class Account:"}
    assert found["owner: str"] == found[method] == {"class Account:"}
    assert found["@dataclass"] == found["class Account:"] == set()
    text = "export async function run(\n  name: string,\n): void {\n  go(name)\n}\nrun('x')"
    signature = {"export async function run("}
    found = needs(text)
    assert found["go(name)"] == found["}"] == signature
    assert found["run('x')"] == set()


def test_what_stands_in_a_fence_needs_both_fences() -> None:
    text = "Text:\n\n~~~py\ndef f():\n    return 1\n```\n~~~\nMore."
    found = needs(text)
    assert found["return 1"] == {"~~~py", "def f():", "~~~"}
    assert found["```"] == {"~~~py", "~~~"}
    assert found["Text:"] == found["More."] == set()
    lines, leads = leads_of(text)
    assert leads is not None
    assert [line for line, bare in zip(lines, leads.bare, strict=True) if bare] == ["~~~py", "~~~"]


def test_no_line_needs_one_of_another_context() -> None:
    assert leads_of("def f():", "    return 1")[1] is None
    assert leads_of("```\na", "b\n```")[1] is None


PIECES = [
    "def f():",
    "class A:",
    "    def g(self):",
    "    x = 1",
    "        y = 2",
    "```",
    "",
    "a,b,c",
    "1,2,3",
    "| - | - |",
]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=25))
@settings(max_examples=200, deadline=None)
def test_signatures_are_those_that_a_walk_upward_finds(rows: list[str]) -> None:
    rows = [row for row in rows if row != "```"]
    lines, leads = leads_of("\n".join(rows))
    for index, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        expected = []
        for above in reversed(lines[:index]):
            depth = len(above) - len(above.lstrip())
            if depth < indent:
                indent = depth
                if above.strip().startswith(("def", "class")):
                    expected.append(above)
        found = [] if leads is None else leads.of(leads.starts[[index]], leads.text_ends[[index]])[0].tolist()
        starts = [] if leads is None else leads.starts.tolist()
        assert [lines[starts.index(start)] for start in found if lines[starts.index(start)][-1] == ":"] == expected[
            ::-1
        ]


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


def test_examples_are_records() -> None:
    for text in (FEW_SHOT, f"Solve these.\n\n{FEW_SHOT}\n\nNow you.", FEW_SHOT.replace("\n", "\r\n")):
        found = with_units(text, code_points(text), boundaries_of(text))
        ends = [*found.hard_lines.tolist()[1:], len(text)]
        pieces = [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]
        assert [
            piece.replace("\r", "") for piece, record in zip(pieces, found.records, strict=True) if record
        ] == EXAMPLES
        for column in (found.labels, found.tables, found.terminated, found.after_blank):
            assert column.size == found.hard_lines.size


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLES[0],
        "Question: one\n\nQuestion: two",
        "\n\n".join(["Pat: Good morning.\nIt rains.", "Pat: Yes.\nIt does."]),
        "\n\n".join(["Question: " + "so it goes " * 400 + "\nAnswer: 1"] * 2),
    ],
)
def test_what_is_no_example(text: str) -> None:
    boundaries = boundaries_of(text)
    assert not with_units(text, code_points(text), boundaries).records.any()


TRANSCRIPTS = [
    "[2024-05-02 10:{}] {}: {}",
    "10:{} <{}> {}",
    "{1} (10:{0}): {2}",
    "**{1}:** {2}",
    "02/05/2024, 10:{} - {}: {}",
    "{1}\uff1a{2}",
]
SAID = [
    ("Ida Roth", "Is the pump fixed? I need it for the lower field. It has been dry for days."),
    ("Ole", "No. The seal is on order from Bergen. It comes on Friday, says the shop."),
    ("Ida Roth", "Fine. Then I borrow one. Do you still have the small petrol pump? Mine was sold."),
    ("Kim", "Ours is free. Fetch it after six. The key hangs behind the door of the barn."),
]


@pytest.mark.parametrize("form", TRANSCRIPTS)
def test_a_line_of_a_transcript_is_one_sentence(form: str) -> None:
    lines = [form.format(10 + minute, name, said) for minute, (name, said) in enumerate(SAID)]
    text = "It was a dry May. Nothing grew.\n\n" + "\n".join(lines)
    before = boundaries_of(text)
    found = with_units(text, code_points(text), before)
    own = [text.index(line) for line in lines]
    assert found.hard_lines.tolist() == [0, *own]
    assert [text[label : label + 2] for label in found.labels[1:].tolist()] == [said[:2] for _, said in SAID]
    assert found.labels[0] == 0
    assert found.sentences.tolist() == [place for place in before.sentences.tolist() if place < own[0]]


@pytest.mark.parametrize(
    "text",
    [
        "Note: It rains. It pours.\nBring boots. Bring coats.",
        "See http://a.example. It is new.\nSee http://b.example. It is old.",
        "The pump was dry. Ida said: no.\nThe field was dry. Ole said: yes.",
        "Ida: no. Then yes.",
    ],
)
def test_what_is_no_transcript(text: str) -> None:
    boundaries = boundaries_of(text)
    assert with_units(text, code_points(text), boundaries) is boundaries


def test_long_speeches_may_be_cut() -> None:
    text = "\n".join(f"{name}: " + "It rained on the hill for a day. " * 12 for name in ("Ida", "Ole") * 2)
    boundaries = boundaries_of(text)
    assert with_units(text, code_points(text), boundaries).sentences.tolist() == boundaries.sentences.tolist()


def test_the_last_block_is_no_example_where_it_is_the_question(compressor: BeaverPromptCompressor) -> None:
    found = with_units(FEW_SHOT, code_points(FEW_SHOT), boundaries_of(FEW_SHOT), implicit_query=True)
    assert found.records.sum() == len(EXAMPLES) - 1
    result = compressor.compress(FEW_SHOT, target_token=150)
    assert result.spans[-1].role == "query"
    assert result.compressed_prompt.endswith("The answer is 146")


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
