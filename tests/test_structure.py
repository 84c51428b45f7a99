"""What belongs together in a text: leads and few-shot examples, each against a slow reading of the same lines."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_kinds import CODE, CSV, EXAMPLES, FEW_SHOT, MARKDOWN

from beaver_compat import BeaverPromptCompressor
from beaver_compat.boundaries import Boundaries, find_boundaries
from beaver_compat.characters import character_classes, code_points
from beaver_compat.headers import find_headers
from beaver_compat.leads import Leads
from beaver_compat.structure import find_leads
from beaver_compat.units import with_units


def boundaries_of(text: str) -> Boundaries:
    points = code_points(text)
    return find_boundaries(points, character_classes(points))


def units_of(text: str, implicit_query: bool = False) -> Boundaries:
    return with_units(text, code_points(text), boundaries_of(text), np.zeros(1, dtype=np.int64), implicit_query)


def leads_of(*contexts: str) -> tuple[list[str], Leads | None]:
    text = "\n\n".join(contexts)
    lengths = np.array([len(context) for context in contexts])
    starts = np.concatenate([[0], np.cumsum(lengths[:-1] + 2)])
    boundaries = boundaries_of(text)
    lines = boundaries.hard_lines.tolist()
    cut = [text[start:end].rstrip() for start, end in zip(lines, [*lines, len(text)][1:], strict=True)]
    return cut, find_leads(text, code_points(text), boundaries, starts, starts + lengths)


def needs(*contexts: str) -> dict[str, set[str]]:
    """The other lines that each line needs, those that lines need in turn among them."""
    lines, leads = leads_of(*contexts)
    assert leads is not None
    found = {}
    for at, line in enumerate(lines):
        last = max(int(leads.bodies[at]), at)
        starts, _, _ = leads.of(leads.starts[[at]], leads.text_ends[[last]])
        places = {*np.searchsorted(leads.starts, starts).tolist(), *range(at, last + 1)}
        found[line.strip()] = {lines[index].strip() for index in places} - {line.strip()}
    return found


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


@given(st.lists(st.lists(st.text('ab", ', max_size=3), min_size=1, max_size=4), min_size=1, max_size=6), st.booleans())
@settings(max_examples=300, deadline=None)
def test_delimiters_in_quoted_cells_do_not_count(cells: list[list[str]], all_quoted: bool) -> None:
    """The cells are so short that no line could be a hard wrap."""
    rows = [[f"x{cell}" for cell in row] for row in cells]
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    csv.writer(file, lineterminator="\n", quoting=quoting).writerows(rows)
    bare = "\n".join(",".join("".join(sign for sign in cell if sign in "xab") for cell in row) for row in rows)
    expected = boundaries_of(bare).tables.tolist()
    assert boundaries_of(file.getvalue()).tables.tolist() == expected
    assert boundaries_of("\t\n" + file.getvalue()).tables.tolist() == expected  # a tab is a delimiter


@pytest.mark.parametrize(
    "text",
    [
        '"Yes, we, and you," she said, and left.\n"No, not, now," he said, and stayed.',
        '1,"a,b\n2,"c,d',
        'He has 1,"2,3" and more.\nShe has 4,"5,6" and less.',
    ],
)
def test_quotes_that_hold_no_cell_change_nothing(text: str) -> None:
    assert boundaries_of(text).tables.tolist() == boundaries_of(text.replace('"', "'")).tables.tolist()


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


def test_lines_of_code_need_what_opens_the_blocks_around_them() -> None:
    found = needs(CODE)
    method, owner = "def withdraw(self, amount: int, fee: int = 2) -> int:", {"@dataclass", "class Account:"}
    assert found["total = amount + fee"] == {method, *owner}
    assert found['raise InsufficientFunds(f"{self.owner} has {self.balance}")'] == {
        "if total > self.balance:",
        method,
        *owner,
    }
    assert found["owner: str"] == owner
    assert found[method] == {'"""Take money out; a fee is charged."""', *owner}
    assert found["class Account:"] == {"@dataclass", "owner: str"}
    assert found["@dataclass"] == {"class Account:", "owner: str"}
    head = {"def transfer(source: Account, target: Account, amount: int) -> None:", "try:"}
    assert found["raise"] == {"except ValueError:", "target.deposit(taken)", *head}


DOCSTRINGS = """def order(item):
    MARKOrder an item.

    Args:
        item: which one.
    MARK
    return item

class Basket:
    MARKWhat is
    ordered.MARK

    def add(self):
        MARKAdd one.MARK
        for item in self:
            print(item)

def open_ended(item):
    MARKNever closed.
    item.order()
pass
"""


@pytest.mark.parametrize("mark", ['"""', "'''"])
def test_lines_of_a_docstring_need_its_first_and_last(mark: str) -> None:
    found = needs(DOCSTRINGS.replace("MARK", mark))
    head = {"def order(item):", mark + "Order an item.", mark}
    assert found["item: which one."] == {"Args:", *head}
    assert found["Args:"] == {"item: which one.", *head}
    assert found["return item"] == {"def order(item):"}
    assert found["def order(item):"] == {mark + "Order an item.", mark}
    assert found["ordered." + mark] == {"class Basket:", mark + "What is"}
    assert found[f"{mark}Add one.{mark}"] == {"class Basket:", "def add(self):"}
    assert found["item.order()"] == found[mark + "Never closed."] == {"def open_ended(item):"}
    lines, leads = leads_of(DOCSTRINGS.replace("MARK", mark))
    assert leads is not None
    assert [line.strip() for line, bare in zip(lines, leads.bare, strict=True) if bare] == [mark]


BRACES = """@Component
export async function load(
  path: string,
): Promise<void> {
  if (path) {
    open(path)
  } else if (fallback) {
    open(fallback)
  } else {
    fail()
  }
  close()
}

int main(void)
{
    while (more())
    {
        step();
    }
    return 0;
}

run('x')"""


def test_blocks_in_braces() -> None:
    found = needs(BRACES)
    head = {"@Component", "export async function load(", "path: string,", "): Promise<void> {"}
    assert found["close()"] == head
    assert found["if (path) {"] == {"open(path)", *head}
    assert found["open(path)"] == {"if (path) {", *head}
    assert found["open(fallback)"] == {"} else if (fallback) {", "if (path) {", "open(path)", *head}
    assert found["fail()"] == {"} else {", "if (path) {", "open(path)", *head}
    assert found["step();"] == {"while (more())", "int main(void)"}
    assert found["while (more())"] == {"step();", "int main(void)"}
    lines, leads = leads_of(BRACES)
    assert leads is not None
    for text, opener in (("  }", "  } else {"), ("}", "): Promise<void> {")):
        assert lines[leads.needed[lines.index(text), 0]] == opener
    assert found["run('x')"] == set()


HEADERS = [
    "def order(\n    item: str,\n    *,\n    key=[1, 2],\n) -> Order:",
    "    async def order(\n        item: str,\n    ) -> dict[\n        str, int\n    ]:",
    "def order(item: str,\n          count: int = 3) -> Order:",
    "class Basket(\n    Base,\n    metaclass=Meta,\n):",
    "if (\n    item\n    and count\n):",
    "export async function order(\n  item,\n  { a, b } = {},\n): Promise<void> {",
    "  constructor(\n    private item: Item,\n    count = 1,\n  ) {",
    "} else if (\n  item &&\n  count\n) {",
    "const order = async (\n  item,\n) => {",
    "function Basket({\n  items,\n  owner,\n}: {\n  items: Item[];\n  owner: string;\n}) {",
    "public static void main(\n    String[] args,\n    int count\n) throws IOException {",
    "int main(\n    int argc,\n    char **argv)\n{",
    "def stub(\n    item: str,\n) -> int: ...",
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("header", HEADERS)
def test_headers_of_several_lines_are_units(header: str, end: str) -> None:
    indent = header[: len(header) - len(header.lstrip())]
    text = f"{indent}first()\n{header}\n{indent}    body()\n{indent}last(1)".replace("\n", end)
    found = units_of(text)
    first, ends = found.visible
    lines = [text[start:stop] for start, stop in zip(first.tolist(), ends.tolist(), strict=True)]
    assert lines == ["first()", header.strip().replace("\n", end), "body()", "last(1)"]
    assert found.records.tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    "text",
    [
        "x = [\n    1,\n    2,\n]",
        "x = order(\n    1,\n    2,\n)",
        "order(\n    1,\n    f(\n        2,\n    ),\n)\nif x:\n    y",
        "order(1, () => {\n  f(\n    2\n  )\n})",
        "def order(\n    item,\n\n    count,\n):\n    pass",
        "def order(\n    item,\nreturn:\n    pass",
        "def order(\n" + "    item_of_the_order: int,\n" * 30 + "):\n    pass",
        '{\n  "a": [\n    1\n  ],\n  "b": {\n    "c": 2\n  }\n}',
        "They said (as\n    we know) this:\n    nothing.",
        "class struggle, they wrote,\n  is (not) over:\n  it goes on.",
    ],
)
def test_what_is_no_header(text: str) -> None:
    before, found = boundaries_of(text), units_of(text)
    assert found.hard_lines.tolist() == before.hard_lines.tolist()
    assert found.records.tolist() == before.records.tolist()


HEADER_PIECES = ["def f(", "def g(a,", "h(", "x, (y)", "b):", "):", ") {", "{", "({", "}) {", "", "z"]


def headers_slowly(text: str) -> list[tuple[int, int]]:
    """The first and the last line that is not blank of each header, by reading on from each line."""
    rows = text.split("\n")
    indents = [len(row) - len(row.lstrip()) for row in rows]
    found: list[tuple[int, int]] = []
    for at, row in enumerate(rows):
        signature = row.lstrip().startswith("def ")
        opens = row.endswith(("(", "({")) or (signature and row.endswith(","))
        if not opens or at + 1 == len(rows) or not rows[at + 1].strip() or indents[at + 1] <= indents[at]:
            continue
        depth, least = 0, 0
        for sign in row:
            depth += (sign in "({") - (sign in ")}")
        least = min(0, depth - 1)
        for stop in range(at + 1, len(rows)):
            line = rows[stop]
            beside = indents[stop] == indents[at] and line.strip()[:1] in (")", "}")
            if not line.strip() or not (indents[stop] > indents[at] or beside):
                break
            depth += sum((sign in "({") - (sign in ")}") for sign in line)
            if depth - line.endswith("{") <= least:
                below = [*rows, ""][stop + 1].strip() == "{" and indents[stop + 1] == indents[at]
                if below or signature or line.endswith((":", "{")):
                    found.append((at, stop + below))
                break
    return [own for own in found if not any(other[0] < own[0] <= other[1] for other in found)]


@given(st.lists(st.tuples(st.sampled_from(["", "  ", "    "]), st.sampled_from(HEADER_PIECES)), max_size=20))
@settings(max_examples=500, deadline=None)
def test_headers_are_those_that_reading_on_finds(pieces: list[tuple[str, str]]) -> None:
    text = "\n".join(indent * bool(piece) + piece for indent, piece in pieces)
    boundaries = boundaries_of(text)
    if not boundaries.hard_lines.size:
        return
    numbers = [text.count("\n", 0, line) for line in boundaries.hard_lines.tolist()]
    begins, ends = find_headers(text, code_points(text), boundaries)
    assert [(numbers[low], numbers[high - 1]) for low, high in zip(begins, ends, strict=True)] == headers_slowly(text)


def test_other_blocks_by_indentation() -> None:
    text = "services:\n  web:\n    image: nginx\n    ports:\n      - 80\nTo do:\n  - sweep the yard\nDone."
    found = needs(text)
    assert found["image: nginx"] == {"web:", "services:"}
    assert found["services:"] == {"web:", "image: nginx"}
    assert found["- 80"] == {"ports:", "web:", "services:"}
    assert found["To do:"] == {"- sweep the yard"}
    assert found["Done."] == set()
    assert needs("He said:\n\n    " + "so it goes " * 60 + "\n\nand that was all.")["He said:"] == set()


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


def headings(text: str) -> dict[str, set[str]]:
    """The headings over each line, by their texts."""
    lines, leads = leads_of(text)
    assert leads is not None
    found: dict[str, set[str]] = {}
    for index, line in enumerate(lines):
        starts, ends, _ = leads.headings_of(leads.starts[[index]], leads.text_ends[[index]])
        found[line.strip()] = {text[start:end].strip() for start, end in zip(starts, ends, strict=True)}
    return found


def test_lines_of_a_short_section_have_a_heading() -> None:
    text = "# Farm\n\nIt is old.\n\n## Fields\n- rye\n- oats\n\n## Work\n\nDo:\n\n```\nplough\n```\n\n# Long\n"
    text += "\n" + "The story goes on and on.\n" * 30
    found = headings(text)
    assert found["- oats"] == found["- rye"] == {"## Fields"}
    assert found["It is old."] == {"# Farm"}
    assert found["plough"] == {"## Work"}
    assert found["The story goes on and on."] == found["# Long"] == set()
    needed = needs(text)
    assert needed["## Fields"] == {"- rye"}
    assert needed["## Work"] == {"Do:", "```", "plough"}


def test_comments_are_no_headings() -> None:
    assert leads_of("x = 1\n# one\ny = 2\n\n# two\nz = 3\n\n#!three\n\nw = 4")[1] is None
    assert leads_of("Text.\n\n# Head", "text")[1] is None
    assert headings("# Head\n\nShort.\n\n# Next\n\n" + "long " * 200)["Short."] == {"# Head"}


def test_short_fenced_blocks_are_records() -> None:
    short, long = "```sh\nfetch\n\n# all\nbuild\n```", "~~~\n" + "step\n" * 40 + "~~~"
    text = f"To build:\n\n{short}\n\nOr:\n\n{long}\n\n    {short}\n\n```\nopen"
    found = units_of(text)
    ends = [*found.hard_lines.tolist()[1:], len(text)]
    lines = [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]
    assert [line for line, record in zip(lines, found.records, strict=True) if record] == [short, short]
    assert len(lines) == 2 + 2 + 42 + 2
    points = code_points(text)
    leads = find_leads(text, points, found, np.zeros(1, dtype=np.int64), np.array([len(text)]))
    assert leads is not None
    for at, expected in ((0, [0, 1]), (1, [0, 1]), (2, [2, 3, 4, 44]), (10, [2, 3, 44])):
        chosen = leads.of(leads.starts[[at]], leads.text_ends[[at]])[0]
        assert set(found.hard_lines.searchsorted(chosen).tolist()) | {at} == {at, *expected}
    contexts = np.array([0, text.index("all")])
    assert not with_units(text, points, boundaries_of(text), contexts).records[:3].any()


def test_no_line_needs_one_of_another_context() -> None:
    assert leads_of("def f():", "    return 1")[1] is None
    assert leads_of("```\na", "b\n```")[1] is None


PIECES = [
    "def f():",
    "class A:",
    "    def g(self):",
    "    x = 1",
    "    if x:",
    "    else:",
    "    @static",
    "        y = 2",
    "        for x in y:",
    "            z = 3",
    "```",
    "",
    "a,b,c",
    "1,2,3",
    "| - | - |",
]


def slowly(lines: list[str]) -> tuple[list[set[int]], list[int]]:
    """What each line of code needs, and the line behind it that it needs, by walking upward from each."""
    indents = [len(line) - len(line.lstrip()) for line in lines]
    words = [line.split()[0] for line in lines]
    last = len(lines) - 1
    opens = [line[-1] == ":" and at < last and indents[at + 1] > indents[at] for at, line in enumerate(lines)]
    behind = [-1] * len(lines)
    needed: list[set[int]] = [set() for _ in lines]
    for at, indent in enumerate(indents):
        if opens[at]:
            behind[at] = next((later for later in range(at + 1, last + 1) if not opens[later]), -1)
            behind[at] = behind[at] if behind[at] >= 0 and indents[behind[at]] > indent else -1
        reach = indent
        for above in range(at - 1, -1, -1):
            if indents[above] < reach:
                reach = indents[above]
                if opens[above]:
                    needed[at] = {above}
                    break
    for at, word in enumerate(words):
        if word == "else:" and opens[at]:
            level = [up for up in range(at) if indents[up] <= indents[at] and not (words[up] == word and opens[up])]
            if level and opens[level[-1]] and indents[level[-1]] == indents[at]:
                needed[at] = {level[-1], behind[level[-1]]}
    for at, word in enumerate(words):
        for up in range(at - 1, max(at - 4, -1), -1):
            if word not in ("def", "class") or not opens[at] or words[up][0] != "@" or indents[up] != indents[at]:
                break
            needed[up + 1] = {up}
            behind[up] = behind[at] if behind[at] >= 0 else at
    return needed, behind


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=25))
@settings(max_examples=300, deadline=None)
def test_blocks_are_those_that_a_walk_upward_finds(rows: list[str]) -> None:
    lines, leads = leads_of("\n".join(row for row in rows if row != "```" and "," not in row and "|" not in row))
    needed, behind = slowly(lines)
    for at in range(len(lines)):
        expected: set[int] = set()
        todo = needed[at] | {behind[at]}
        while todo := todo - expected - {-1}:
            expected |= todo
            todo = set().union(*(needed[line] for line in todo))
        found = set()
        if leads is not None:
            found = set(leads.starts.searchsorted(leads.of(leads.starts[[at]], leads.text_ends[[at]])[0]).tolist())
        assert found == expected


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


TRACE = """2024-05-31 10:31:04 INFO start
2024-05-31 10:31:05 ERROR order 7 failed
shop.Refused: no card
\tat shop.Order.pay(Order:12)
\tat shop.Order.run(Order:3)
Caused by: shop.Closed: bank is closed
\tat shop.Bank.call(Bank:88)
2024-05-31 10:31:06 WARN order 8 failed
Traceback (most recent call last):
  File "order.py", line 3, in run
    pay()
ValueError: no money
2024-05-31 10:31:07 INFO stop
  by hand
2024-05-31 10:31:08 INFO start
2024-05-31 10:31:09 INFO start
2024-05-31 10:31:10 INFO start
2024-05-31 10:31:11 INFO start"""


@pytest.mark.parametrize("form", ["{}", "Read this:\n\n```\n{}\n```\n"])
@pytest.mark.parametrize("bracket", ["", "["])
def test_lines_of_an_entry_need_its_first(form: str, bracket: str) -> None:
    found = needs(form.format(TRACE.replace("2024-", bracket + "2024-")))
    fences = {"Read this:", "```"} if "```" in form else set()
    error, cause = f"{bracket}2024-05-31 10:31:05 ERROR order 7 failed", "Caused by: shop.Closed: bank is closed"
    refused = "shop.Refused: no card"
    assert found[bracket + "2024-05-31 10:31:04 INFO start"] == fences
    assert found[refused] - {cause} == {error, *fences}
    assert found["at shop.Order.run(Order:3)"] - {cause} == {error, refused, *fences}
    assert found[cause] - {refused} == {error, *fences}
    assert found["at shop.Bank.call(Bank:88)"] - {refused} == {error, cause, *fences}
    assert found[error] == {refused, *fences, *([] if fences else [cause])}
    assert {"Traceback (most recent call last):", f"{bracket}2024-05-31 10:31:06 WARN order 8 failed"} <= found["pay()"]
    assert found["by hand"] == {f"{bracket}2024-05-31 10:31:07 INFO stop", *fences}


def test_short_entries_are_units() -> None:
    long = "2024-05-31 10:31:08 ERROR no\n" + "\tat shop.Order.run(Order:3)\n" * 12
    text = f"2024-05-31 10:31:04 INFO start\n{TRACE}\n\nNo entry.\n{long}10:31:09 INFO stop"
    found = units_of(text)
    ends = [*found.hard_lines.tolist()[1:], len(text)]
    units = [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]
    stamped = [entry.strip() for entry in re.split(r"\n(?=2024)", TRACE)]
    rows = long.strip().replace("\t", "").split("\n")
    assert units == ["2024-05-31 10:31:04 INFO start", *stamped, "No entry.", *rows, "10:31:09 INFO stop"]
    assert [unit for unit, record in zip(units, found.records, strict=True) if record] == [
        entry for entry in stamped if "\n" in entry
    ]


@pytest.mark.parametrize(
    "text",
    [
        "date,count,sum\n2024-05-01,3,4\n2024-05-02,3,5\n2024-05-03,1,2\nall,7,11",
        "10:31:05 Ida: Is it dry?\nI need it.\n10:31:09 Ole: No.\n10:31:22 Ida: Pity.\nI wait.",
        "1\n00:00:01,000 --> 00:00:04,000\nHello.\n\n2\n00:00:05,000 --> 00:00:06,000\nWho?\n\n"
        "3\n00:00:07,000 --> 00:00:08,000\nMe.",
        "2024-05-01 rye\n- oats\n2024-05-02 rye\n- oats\n- hay",
        "1. rye\n   in May\n2. oats\n   in June\n3. hay\n   in July",
        "2024-05-01 rye\n\n2024-05-02 oats\n\n2024-05-03 hay\n\nAll is in.",
        "2024-05-01\n2024-05-02\n2024-05-03",
    ],
)
def test_what_is_no_log(text: str) -> None:
    before, found = boundaries_of(text), units_of(text)
    assert found.hard_lines.tolist() == before.hard_lines.tolist()
    assert found.records.tolist() == before.records.tolist()


def test_a_log_is_known_for_each_context() -> None:
    log = "10:31:05 a\n\tb\n10:31:06 c\n10:31:07 d"
    notes = "10:31:05 e\nf\ng\nh"
    text = f"{notes}\n\n{log}"
    found = with_units(text, code_points(text), boundaries_of(text), np.array([0, len(notes) + 2]))
    assert [text[line] for line in found.hard_lines.tolist()] == ["1", "f", "g", "h", "1", "1", "1"]
    assert found.records.nonzero()[0].tolist() == [4]


def test_examples_are_records() -> None:
    for text in (FEW_SHOT, f"Solve these.\n\n{FEW_SHOT}\n\nNow you.", FEW_SHOT.replace("\n", "\r\n")):
        found = units_of(text)
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
    assert not units_of(text).records.any()


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
    found = units_of(text)
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
    before, found = boundaries_of(text), units_of(text)
    assert found.sentences.tolist() == before.sentences.tolist()
    assert found.labels.tolist() == found.hard_lines.tolist() == before.hard_lines.tolist()


def test_long_speeches_may_be_cut() -> None:
    text = "\n".join(f"{name}: " + "It rained on the hill for a day. " * 12 for name in ("Ida", "Ole") * 2)
    assert units_of(text).sentences.tolist() == boundaries_of(text).sentences.tolist()


def test_the_last_block_is_no_example_where_it_is_the_question(compressor: BeaverPromptCompressor) -> None:
    found = units_of(FEW_SHOT, implicit_query=True)
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
