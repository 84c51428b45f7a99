"""The examples of docs/migrating.md run, and print what it says."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from typing import Any

import pytest
from frameworks import framework
from test_readme import EXAMPLE, ROOT

import beaver_compat
from beaver_compat import engine
from beaver_compat.counting import FunctionCounter

FRAMEWORKS = (
    "langchain_community.document_compressors.llmlingua_filter",
    "llama_index.postprocessor.longllmlingua",
    "haystack",
)
TEXT_COMPRESSORS = "autogen.agentchat.contrib.capabilities.text_compressors"


def test_examples_print_what_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    # Clients that make the compressor themselves count by default with tiktoken, which would be fetched.
    monkeypatch.setattr(engine, "make_counter", lambda spec, table_counter: FunctionCounter("table", table_counter))
    module = types.ModuleType("llmlingua")
    module.PromptCompressor = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "llmlingua", module)
    for name in FRAMEWORKS:
        framework(name)
    framework(TEXT_COMPRESSORS)
    monkeypatch.delitem(sys.modules, TEXT_COMPRESSORS)
    examples = EXAMPLE.findall((ROOT / "docs/migrating.md").read_text(encoding="utf-8"))
    assert len(examples) == 7
    names: dict[str, Any] = {}
    for code, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected


def test_the_page_names_the_extra_that_its_examples_need() -> None:
    page = (ROOT / "docs/migrating.md").read_text(encoding="utf-8")
    named = re.findall(r"^`pip install -c constraints\.txt '\.\[(\w+)\]'`", page, re.MULTILINE)
    assert named == ["clients"]
    extra = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("\nclients = [")[1].split("\n]")[0]
    for package in ("ag2", "langchain-community", "llama-index-postprocessor-longllmlingua", "llmlingua"):
        assert f'"{package}>=' in extra
    assert "beaver-compat[haystack,langchain,llamaindex]" in extra


def test_the_swapped_line_of_the_page() -> None:
    page = (ROOT / "docs/migrating.md").read_text(encoding="utf-8")
    assert "+from beaver_compat import PromptCompressor" in page
    from beaver_compat import PromptCompressor

    assert PromptCompressor is beaver_compat.BeaverPromptCompressor
    assert "PromptCompressor" in beaver_compat.__all__
