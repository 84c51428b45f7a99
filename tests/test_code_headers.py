"""Headers of code that go over several lines, against a slow reading on from each line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_texts import kept
from line_readings import boundaries_of, needs, units_of

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.code_headers import find_headers
from beaver_compat.text.lined_text import read_lines

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
    lined = read_lines([text])
    if not lined.starts.size:
        return
    numbers = [text.count("\n", 0, line) for line in lined.starts.tolist()]
    begins, ends = find_headers(lined)
    assert [(numbers[low], numbers[high - 1]) for low, high in zip(begins, ends, strict=True)] == headers_slowly(text)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        (
            "with bakery:\n    bake(oven=1,\n         rye=2,\n         END)\n    stop()",
            {"with bakery:", "bake(oven=1,"},
        ),
        ("loaf = bake(1,\n            END)\nstop()", {"loaf = bake(1,"}),
        ("loaf = (rye +\n        END)\nstop()", {"loaf = (rye +"}),
        ("loaf = bake(1, {\n    2: [3,\n        END]})\nstop()", {"loaf = bake(1, {", "2: [3,"}),
        ("loaf = bake(1,\n            2)\n  END", set()),
        ("loaf = bake(1,\n\n            END)\nstop()", set()),
        ("loaf, rye = 1,\n        END\nstop()", set()),
    ],
)
def test_later_lines_of_a_call_need_its_first(text: str, needed: set[str]) -> None:
    found = needs("def day():\n    pass\n" + text)
    assert next(lines for line, lines in found.items() if "END" in line) == needed


CALLS = "\n\n".join(
    f"""def {name}_all(folder):
    \"\"\"Bake all loaves of a folder.\"\"\"
    found = [loaf for loaf in folder.loaves if loaf.name]
    return bake_{name}(loaves=found, oven=folder.oven, heat=folder.heat, watch=True,
                     skip_burnt_{name}=skip_burnt_{name})"""
    for name in ("rye", "oats", "wheat")
)


def test_the_end_of_a_call_is_not_kept_without_its_beginning(compressor: BeaverPromptCompressor) -> None:
    for budget in range(45, 160, 5):
        found = kept(compressor, CALLS, "What is skip_burnt_oats for?", budget)
        for name in ("rye", "oats", "wheat"):
            assert (f"bake_{name}(" in found) >= (f"skip_burnt_{name}=" in found), budget
