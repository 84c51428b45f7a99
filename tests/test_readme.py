"""The README's examples run, and print what the README says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = re.compile(r"<!-- example -->\n```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


def test_examples_print_what_the_readme_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = EXAMPLE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(examples) == 2
    names: dict[str, Any] = {}
    for code, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected


def test_make_demo_finds_the_answer() -> None:
    """The command of `make demo`, in this process."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    question = re.search(r'--question "(.*?)"', makefile)
    budget = re.search(r"--target-token (\d+)", makefile)
    assert question
    assert budget
    from beaver_compat.cli import main

    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(printed):
        document = str(ROOT / "docs/demo/gpl-3.0.txt")
        code = main(
            ["compress", document, "--token-counter", "table", "--target-token", budget[1], "--question", question[1]]
        )
    assert code == 0
    printed.seek(0)
    assert "prior to 30 days after" in printed.read()
