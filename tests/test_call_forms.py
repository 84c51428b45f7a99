"""The ways in which LLMLingua is called: its README, DOCUMENT.md, example notebooks and tests, and its known callers.

Every form runs, holds its budget and gives a result of LLMLingua's shape.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from call_forms import INSTRUCTION, NOTEBOOK, SHOTS, check
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, OBSERVATORY, ORCHARD, QUESTION, TAGGED, TAGGED_JSON, kept_words

from beaver_compat import BeaverPromptCompressor
from beaver_compat.selection.wishes import RANK_METHODS

DOCUMENTS = [f"Document [{number}](Title: Place {number}) {text}" for number, text in enumerate(CONTEXTS, 1)]
LONG = {
    "condition_in_question": "after_condition",
    "reorder_context": "sort",
    "dynamic_context_compression_ratio": 0.3,
    "condition_compare": True,
    "context_budget": "+100",
    "rank_method": "longllmlingua",
}
PLAIN_FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "README quick start": (SHOTS, {"instruction": "", "question": "", "target_token": 200}),
    "README LongLLMLingua": (CONTEXTS, {"question": QUESTION, "rate": 0.55, **LONG}),
    "notebook RAG 500": (
        DOCUMENTS,
        {"instruction": INSTRUCTION, "question": QUESTION, "target_token": 150, **NOTEBOOK},
    ),
    "notebook RAG 100": (
        DOCUMENTS,
        {"instruction": INSTRUCTION, "question": QUESTION, "target_token": 100, **NOTEBOOK},
    ),
    "notebook OnlineMeeting": (
        "\n".join(CONTEXTS).split("\n"),
        {"instruction": "", "question": QUESTION, "target_token": 120, **NOTEBOOK},
    ),
    "notebook OnlineMeeting, sentences": (
        "\n".join(CONTEXTS).split("\n"),
        {
            "instruction": "",
            "question": QUESTION,
            "target_token": 120,
            "condition_compare": True,
            "condition_in_question": "after",
            "rank_method": "longllmlingua",
            "use_sentence_level_filter": True,
            "context_budget": "+100",
            "reorder_context": "sort",
        },
    ),
    "notebook CoT": (
        SHOTS.split("\n\n"),
        {"instruction": "", "question": "", "target_token": 200, "context_budget": "*1.5", "iterative_size": 100},
    ),
    "notebook Code": (
        [f"    public void step{number}() {{\n        counter += {number};\n    }}" for number in range(30)],
        {
            "instruction": "Complete the code.",
            "question": "void step7()\n\nNext line of code:\n",
            "target_token": 150,
            **NOTEBOOK,
        },
    ),
    "test LLMLingua, one context": (SHOTS.split("\n\n")[0], {"target_token": 40}),
    "test LLMLingua, contexts": (SHOTS.split("\n\n"), {"target_token": 150}),
    "test LongLLMLingua, one context": (
        SHOTS.split("\n\n")[0],
        {"question": QUESTION, "target_token": 50, **LONG, "dynamic_context_compression_ratio": 0.4},
    ),
    "test LongLLMLingua, contexts": (
        SHOTS.split("\n\n"),
        {"question": QUESTION, "target_token": 250, **LONG, "dynamic_context_compression_ratio": 0.4},
    ),
    "LlamaIndex": (
        ["".join(CONTEXTS)],
        {"instruction": INSTRUCTION, "question": QUESTION, "target_token": 100, "rank_method": "longllmlingua"},
    ),
    "Promptflow and servers": ([HARBOUR], {"instruction": "", "question": "", "rate": 0.33}),
}


@pytest.mark.parametrize("form", PLAIN_FORMS)
def test_compress_prompt(compressor: BeaverPromptCompressor, form: str) -> None:
    context, arguments = PLAIN_FORMS[form]
    result = compressor.compress_prompt(context, **arguments)
    check(compressor, result, arguments.get("target_token") or arguments["rate"] * result["origin_tokens"])
    assert result["compressed_prompt"].startswith(arguments.get("instruction", ""))
    assert result["compressed_prompt"].endswith(arguments.get("question", ""))


def test_every_parameter_of_the_documentation_by_name(compressor: BeaverPromptCompressor) -> None:
    signature = inspect.signature(compressor.compress_prompt)
    arguments = {
        name: item.default for name, item in signature.parameters.items() if item.default is not inspect.Parameter.empty
    }
    assert compressor.compress_prompt(CONTEXTS, **arguments) == compressor.compress_prompt(CONTEXTS)
    assert compressor.compress_prompt(CONTEXTS, *arguments.values()) == compressor.compress_prompt(CONTEXTS)


def test_ratio_of_the_oldest_releases_is_refused_as_by_llmlingua(compressor: BeaverPromptCompressor) -> None:
    with pytest.raises(
        TypeError, match=r"^BeaverPromptCompressor\.compress_prompt\(\) got an unexpected keyword argument 'ratio'"
    ):
        compressor.compress_prompt(CONTEXTS, ratio=0.55)  # type: ignore[call-arg]


def test_a_misspelt_argument_of_the_constructor() -> None:
    with pytest.raises(TypeError, match=r"token_countr'\. Did you mean 'token_counter'\?$"):
        BeaverPromptCompressor(token_countr="table")  # type: ignore[call-arg]


@pytest.mark.parametrize(("wrong", "near"), [("targettoken", "target_token"), ("qestion", "question")])
def test_a_misspelt_argument(compressor: BeaverPromptCompressor, wrong: str, near: str) -> None:
    message = rf"{wrong}'.*\. Did you mean '{near}'\?$"
    for method in (compressor.compress_prompt, compressor, compressor.compress, compressor.structured_compress_prompt):
        with pytest.raises(TypeError, match=message):
            method(CONTEXTS, **{wrong: 9})  # type: ignore[operator]
    with pytest.raises(TypeError, match=message):
        compressor.compress_prompts([{"context": CONTEXTS, wrong: 9}])


def test_calling_the_instance(compressor: BeaverPromptCompressor) -> None:
    assert compressor(CONTEXTS, question=QUESTION) == compressor.compress_prompt(CONTEXTS, question=QUESTION)


STRUCTURED_FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "README": (TAGGED, {"instruction": "", "question": "", "rate": 0.5}),
    "test, one context": (
        [TAGGED_JSON],
        {"rate": 0.5, "use_sentence_level_filter": True, "use_token_level_filter": True},
    ),
    "test, contexts": (
        [TAGGED_JSON, TAGGED],
        {"rate": 0.5, "use_sentence_level_filter": False, "use_token_level_filter": True},
    ),
    "test LongLLMLingua, one context": (
        [TAGGED_JSON],
        {
            "question": QUESTION,
            "target_token": 150,
            "use_sentence_level_filter": False,
            **LONG,
            "concate_question": False,
        },
    ),
    "test LongLLMLingua, sentences": (
        [TAGGED_JSON],
        {
            "question": QUESTION,
            "target_token": 150,
            "use_sentence_level_filter": True,
            **LONG,
            "dynamic_context_compression_ratio": 0.4,
            "concate_question": False,
        },
    ),
    "test LongLLMLingua, contexts": (
        [TAGGED_JSON, TAGGED],
        {
            "question": QUESTION,
            "target_token": 200,
            "use_sentence_level_filter": False,
            **LONG,
            "concate_question": False,
        },
    ),
}


@pytest.mark.parametrize("form", STRUCTURED_FORMS)
def test_structured(compressor: BeaverPromptCompressor, form: str) -> None:
    context, arguments = STRUCTURED_FORMS[form]
    result = compressor.structured_compress_prompt(context, **arguments)
    check(compressor, result, arguments.get("target_token") or arguments["rate"] * result["origin_tokens"])
    assert "Chair:" in result["compressed_prompt"] or json.loads(result["compressed_prompt"])["id"] is not None


def test_segments_of_the_tests(compressor: BeaverPromptCompressor) -> None:
    contexts, _, _, _ = compressor.segment_structured_context([TAGGED_JSON], 0.5)
    assert json.loads(contexts[0])["biography"] == OBSERVATORY


def test_json_of_the_documentation(compressor: BeaverPromptCompressor) -> None:
    data = {
        "id": 987654,
        "name": "John Doe",
        "skills": ["Java", "Python", "Machine Learning"],
        "biography": OBSERVATORY,
    }
    config = {
        "id": {"rate": 1, "compress": False, "value_type": "int", "pair_remove": True},
        "name": {"rate": 0.7, "compress": False, "value_type": "str", "pair_remove": False},
        "skills": {"rate": 0.2, "compress": True, "value_type": "list", "pair_remove": True},
        "biography": {"rate": 0.3, "compress": True, "value_type": "str", "pair_remove": True},
    }
    value = compressor.compress_json(data, config, use_keyvalue_level_filter=True)["compressed_prompt"]
    assert (value["id"], value["name"]) == (987654, "John Doe")
    assert kept_words(value["biography"], OBSERVATORY)


def test_recover_of_the_documentation(compressor: BeaverPromptCompressor) -> None:
    compressed = compressor.compress_prompt(CONTEXTS, question=QUESTION, rate=0.5)["compressed_prompt"]
    assert (
        compressor.recover(original_prompt="\n\n".join(CONTEXTS), compressed_prompt=compressed, response=ANSWER)
        == ANSWER
    )


@pytest.mark.parametrize("method", RANK_METHODS)
def test_notebook_retrieval(compressor: BeaverPromptCompressor, method: str) -> None:
    condition = "none" if method == "llmlingua" else "after"
    ranked = compressor.get_rank_results(DOCUMENTS, QUESTION, method, condition, [0] * 20)
    assert [pair[0] for pair in ranked].index(2) == 0


def test_notebook_llamaindex_counts(compressor: BeaverPromptCompressor) -> None:
    assert compressor.get_token_length(HARBOUR) > compressor.get_token_length(HARBOUR[:200]) > 1


def test_tuples_and_json_safe_results(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt((ORCHARD, HARBOUR), question=QUESTION)
    assert json.loads(json.dumps(result)) == result
