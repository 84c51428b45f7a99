"""Of a function that is asked for by name the definition is kept, and lines of it, rather than a caller."""

from __future__ import annotations

import ast
import inspect
import shutil

import pytest
from kept_texts import kept
from line_readings import leads_of

import beaver_compat.structure.items as items_module
import beaver_compat.text.ascending as ascending_module
import beaver_compat.text.cutting as cutting_module
import beaver_compat.text.periods as periods_module
from beaver_compat import BeaverPromptCompressor
from beaver_compat.scores.definitions import definitions
from beaver_compat.text.lined_text import read_lines


def test_the_definition_is_kept_and_lines_of_it(compressor: BeaverPromptCompressor) -> None:
    modules = [items_module, ascending_module, cutting_module, periods_module]
    sources = [inspect.getsource(module) for module in modules]
    prepared = compressor.prepare("\n\n".join(sources))
    functions = [
        (node, source.split("\n"))
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and len(node.body) > 1
    ]
    defined, entered = [], []
    for node, lines in functions:
        body = {line for line in lines[node.body[1].lineno - 1 : node.end_lineno] if line.strip()}
        for budget in (120, 250):
            result = compressor.compress(prepared, question=f"What does {node.name} do?", target_token=budget)
            found = result.compressed_context.split("\n")
            defined.append(lines[node.lineno - 1] in found)
            entered.append(defined[-1] and bool(body & {*found}))
    assert len(functions) > 15
    assert sum(defined) >= 0.9 * len(defined)
    assert sum(entered) >= 0.5 * len(entered)


def test_a_line_stands_in_the_innermost_function() -> None:
    lines, leads = leads_of(
        "# Gate\n\n## Code\n\nclass A:\n    x = 1\n\n    def f(self):\n        if x:\n            y\n\n## End\n\nz"
    )
    assert leads is not None
    found = {
        line.strip(): lines[part].strip() if part >= 0 else "" for line, part in zip(lines, leads.parts, strict=True)
    }
    assert found["y"] == found["if x:"] == "def f(self):"
    assert found["def f(self):"] == found["x = 1"] == "class A:"
    assert found["class A:"] == "## Code"
    assert found["z"] == "## End"
    assert [line.strip() for line, names in zip(lines, leads.signatures, strict=True) if names] == [
        "class A:",
        "def f(self):",
    ]


def test_no_function_reaches_into_another_context() -> None:
    lines, leads = leads_of("def f():\n    x", "    y\n    z")
    assert leads is not None
    assert dict(zip(lines, leads.parts.tolist(), strict=True)) == {"def f():": -1, "    x": 0, "    y": -1, "    z": -1}


@pytest.mark.parametrize("budget", [60, 100, 400, 3000])
def test_the_line_that_defines_a_constant_goes_before_those_that_use_it(
    compressor: BeaverPromptCompressor, budget: int
) -> None:
    source = inspect.getsource(shutil)
    [definition] = [line for line in source.split("\n") if line.startswith("COPY_BUFSIZE = ")]
    assert definition in kept(compressor, source, "What value has COPY_BUFSIZE?", budget).split("\n")


@pytest.mark.parametrize(
    ("line", "defines"),
    [
        ("MAX_TRIES = 3", True),
        ("    MAX_TRIES: int = 3", True),
        ("export const MAX_TRIES: number = 3;", True),
        ("static const vector<int> *MAX_TRIES = 0;", True),
        ("#define MAX_TRIES 3", True),
        ("MAX_TRIES := 3", True),
        ("export MAX_TRIES=3", True),
        ("$MAX_TRIES = 3;", True),
        ("if MAX_TRIES == 3:", False),
        ("tries = MAX_TRIES", False),
        ("MAX_TRIES=tries,", False),
        ("run(MAX_TRIES=3)", False),
        ("for MAX_TRIES in tries:", False),
        ("NO_MAX_TRIES = 3", False),
        ("MAX_TRIES_NOW = 3", False),
        ("MAX_TRIES => 3 = 2", False),
    ],
)
def test_what_gives_a_name_its_value(line: str, defines: bool) -> None:
    assert bool(definitions(read_lines([f"import run\n{line}\nrun()"]), ("MAX_TRIES",))) == defines
