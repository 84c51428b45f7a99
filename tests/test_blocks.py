"""Blocks of code: what opens them, their docstrings and braces, against a slow walk upward from each line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_readings import PIECES, leads_of, needs
from text_kinds import CODE


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


TABLES = """CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    email TEXT
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    status TEXT DEFAULT 'open'
);
sizes = [
  7,
  9,
]
"""


def test_an_open_bracket_opens_a_block() -> None:
    found = needs(TABLES)
    assert found["status TEXT DEFAULT 'open'"] == {"CREATE TABLE orders ("}
    assert found["email TEXT"] == {"CREATE TABLE customers ("}
    assert found["CREATE TABLE customers ("] == {"id INTEGER PRIMARY KEY,"}
    assert found["9,"] == {"sizes = ["}


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


def test_comments_between_the_branches_of_a_block() -> None:
    text = "if linux:\n    a = 1\n# Windows, see\n# there\nelif windows:\n    b = 2\n# any\nelse:\n    c = 3\n"
    found = needs(text)
    assert found["elif windows:"] == {"if linux:", "a = 1", "b = 2"}
    assert found["c = 3"] == {"else:", "if linux:", "a = 1"}


def test_other_blocks_by_indentation() -> None:
    text = "services:\n  web:\n    image: nginx\n    ports:\n      - 80\nTo do:\n  - sweep the yard\nDone."
    found = needs(text)
    assert found["image: nginx"] == {"web:", "services:"}
    assert found["services:"] == {"web:", "image: nginx"}
    assert found["- 80"] == {"ports:", "web:", "services:"}
    assert found["To do:"] == {"- sweep the yard"}
    assert found["Done."] == set()
    assert needs("He said:\n\n    " + "so it goes " * 60 + "\n\nand that was all.")["He said:"] == set()


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


def test_an_element_with_a_name_is_needed_by_what_is_in_it() -> None:
    method = """  <method name="{0}">
    <doc>
      Sets the {1} of the daemon, which is read from
      the <tt>{1}</tt> file.
    </doc>
    <arg name="{1}" direction="in"/>
  </method>"""
    text = "<node>\n" + "\n".join(method.format(name, name.lower()) for name in ("Proxy", "Socket")) + "\n</node>"
    found = needs(text)
    assert (
        '<method name="Socket">'
        in found["Sets the socket of the daemon, which is read from\n      the <tt>socket</tt> file."]
    )
    assert '<method name="Proxy">' in found['<arg name="proxy" direction="in"/>']
    _, leads = leads_of('<body>\n  <div id="a">\n    <p>It rains.</p>\n    <p>It pours.</p>\n  </div>\n</body>')
    assert leads is None or (leads.needed < 0).all()


@pytest.mark.parametrize(
    "line", ["# the tests of modes", "##     #  So is this needed?", "#if CHECKED", "#define SIZE 4", "// of modes"]
)
def test_a_comment_or_directive_at_the_edge_ends_no_block(line: str) -> None:
    before = "class FileTests(BaseTests):\n    def test_newline(self):\n        t1 = self.write()"
    text = f"{before}\n\n{line}\n    def test_mode(self):\n        run()\n"
    found = needs(text)
    assert found["run()"] == {"def test_mode(self):", "class FileTests(BaseTests):"}
    heading = "Steps:\n    first\n\n# Other\n\n    second()\n    third()\n"
    _, leads = leads_of(heading)
    assert leads is not None
    assert (leads.needed[3:] < 0).all()


def test_blocks_of_cmake() -> None:
    text = (
        "function(generate)\n  if(NOT OUT_DIR)\n    set(OUT_DIR here)\n  elseif(PYTHON)\n    set(EXTENSIONS _pb2.py)\n"
        "  endif()\nendfunction()\n"
    )
    assert needs(text)["set(EXTENSIONS _pb2.py)"] >= {"elseif(PYTHON)", "if(NOT OUT_DIR)", "function(generate)"}


def test_a_tab_is_deeper_than_spaces() -> None:
    text = "bind E <Control-d> {\n    if {$strict} {\n\tdelete one character\n    }\n}\n"
    assert needs(text)["delete one character"] == {"if {$strict} {", "bind E <Control-d> {"}
