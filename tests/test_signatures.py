"""Every parameter of LLMLingua: in the signatures, in docs/compatibility.md, and, where it has an effect, in a test."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from prompt_samples import CONTEXTS, QUESTION

from beaver_compat import BeaverPromptCompressor

METHODS = (
    "compress_prompt",
    "compress_prompt_llmlingua2",
    "structured_compress_prompt",
    "compress_json",
    "recover",
    "get_token_length",
    "get_rank_results",
    "segment_structured_context",
    "concate_segment_info",
)
DOCUMENT = Path(__file__).parent.parent / "docs" / "compatibility.md"
TESTS = ("test_parameters.py", "test_structured.py", "test_json.py", "test_llmlingua2.py", "test_recovery.py")


def documented(method: str) -> dict[str, str]:
    """Class of each parameter in a method's table, in order."""
    section = DOCUMENT.read_text(encoding="utf-8").split(f"\n## {method}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (honoured|mapped|no effect) \|", section, re.MULTILINE))


def llmlingua_signatures() -> dict[str, list[tuple[str, Any]]]:
    """Names and defaults of each method of the installed LLMLingua, read without importing it."""
    try:
        installed = importlib.metadata.distribution("llmlingua")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("llmlingua is not installed: pip install 'beaver-compat[compare]'")
    source = Path(str(installed.locate_file("llmlingua/prompt_compressor.py"))).read_text(encoding="utf-8")
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.args.args and node.args.args[0].arg == "self":
            names = [argument.arg for argument in node.args.args[1:]]
            defaults = [ast.literal_eval(default) for default in node.args.defaults]
            missing = [inspect.Parameter.empty] * (len(names) - len(defaults))
            found[node.name] = list(zip(names, [*missing, *defaults], strict=True))
    return found


@pytest.mark.parametrize("method", METHODS)
def test_signatures_are_llmlinguas(method: str) -> None:
    own = list(inspect.signature(getattr(BeaverPromptCompressor, method)).parameters.values())[1:]
    assert [(parameter.name, parameter.default) for parameter in own] == llmlingua_signatures()[method]
    assert {parameter.kind for parameter in own} == {inspect.Parameter.POSITIONAL_OR_KEYWORD}


def test_every_method_of_llmlingua_is_there(compressor: BeaverPromptCompressor) -> None:
    public = {name for name in llmlingua_signatures() if not name.startswith("_")}
    unavailable = public - set(METHODS)
    text = DOCUMENT.read_text(encoding="utf-8").split("## Methods that need a language model")[1]
    for name in unavailable:
        assert f"`{name}`" in text
        with pytest.raises(NotImplementedError, match=rf"{name} works on a language model.* use `"):
            getattr(compressor, name)("anything", at="all")


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_is_documented(method: str) -> None:
    assert list(documented(method)) == list(inspect.signature(getattr(BeaverPromptCompressor, method)).parameters)[1:]


def test_every_parameter_with_an_effect_has_a_test() -> None:
    names = "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in TESTS)
    tested = set(re.findall(r"^def test_(\w+)\(", names, re.MULTILINE))
    for method in METHODS[:4]:
        for name, kind in documented(method).items():
            assert kind == "no effect" or any(test.startswith(name) for test in tested), name


NO_EFFECT: dict[str, Any] = {
    "iterative_size": 10,
    "high_priority_bonus": 0,
    "token_budget_ratio": 9.0,
    "condition_in_question": "after_condition",
    "condition_compare": True,
    "return_word_label": True,
    "word_sep": "|",
    "label_sep": "",
    "token_to_word": "first",
    "drop_consecutive": True,
    "chunk_end_tokens": [],
}


def test_parameters_without_effect_change_nothing(compressor: BeaverPromptCompressor) -> None:
    assert {name for name, kind in documented("compress_prompt").items() if kind == "no effect"} == set(NO_EFFECT)
    expected = compressor.compress_prompt(CONTEXTS, question=QUESTION)
    for name, value in NO_EFFECT.items():
        assert compressor.compress_prompt(CONTEXTS, question=QUESTION, **{name: value}) == expected
