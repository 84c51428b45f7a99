"""Of a function that is asked for by name the definition is kept, and lines of it, rather than a caller."""

from __future__ import annotations

import ast
import inspect

from line_readings import leads_of

import beaver_compat.structure.items as items_module
import beaver_compat.text.ascending as ascending_module
import beaver_compat.text.cutting as cutting_module
import beaver_compat.text.periods as periods_module
from beaver_compat import BeaverPromptCompressor


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
