"""What a caller wishes for: values that are refused, numbers beyond any prompt, and any mix of wishes."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_samples import CONTEXTS, QUESTION, kept_words

from beaver_compat import BeaverPromptCompressor, InputValueError
from beaver_compat.selection.wishes import arithmetic


@pytest.mark.parametrize(
    "suffix",
    ["100", "+x", "+__import__('os').system('true')", "**2", "+1)", "+1;1", "/0", "+" + "9" * 200, "+1e3", "//2"],
)
def test_context_budget_that_is_no_arithmetic_is_refused(compressor: BeaverPromptCompressor, suffix: str) -> None:
    with pytest.raises(InputValueError, match="context_budget"):
        compressor.compress_prompt(CONTEXTS, context_budget=suffix)


@given(st.lists(st.tuples(st.sampled_from("+-*"), st.integers(0, 99)), max_size=4), st.integers(0, 1000))
def test_arithmetic_has_the_usual_precedence(terms: list[tuple[str, int]], start: int) -> None:
    suffix = "".join(f"{sign}{number}" for sign, number in terms)
    tree = ast.parse(f"{start}{suffix}", mode="eval")
    assert arithmetic(start, suffix) == value_of(tree.body)


def value_of(node: ast.expr) -> float:
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]
    assert isinstance(node, ast.BinOp)
    left, right = value_of(node.left), value_of(node.right)
    return (
        left + right if isinstance(node.op, ast.Add) else left - right if isinstance(node.op, ast.Sub) else left * right
    )


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("target_token", "many", TypeError),
        ("target_token", -5, ValueError),
        ("rate", -0.1, ValueError),
        ("rate", None, TypeError),
        ("rate", 10**400, AssertionError),
        ("rate", -(10**400), ValueError),
        ("force_context_ids", [10**400], ValueError),
        ("force_tokens", 5, TypeError),
        ("force_tokens", [5], TypeError),
        ("force_context_ids", [3], ValueError),
        ("force_context_ids", "0", TypeError),
        ("keep_first_sentence", -1, ValueError),
        ("keep_last_sentence", "all", TypeError),
        ("keep_sentence_number", 1.5, TypeError),
        ("force_context_number", "two", TypeError),
        ("target_context", "two", TypeError),
        ("context_level_rate", -1, ValueError),
        ("context_level_rate", 3, ValueError),
        ("context_level_rate", "all", TypeError),
        ("context_level_rate", float("nan"), ValueError),
        ("context_level_target_token", "two", TypeError),
        ("dynamic_context_compression_ratio", "much", TypeError),
        ("context_budget", 100, TypeError),
        ("instruction", 5, TypeError),
        ("question", ["a"], TypeError),
    ],
)
def test_wrong_values_are_refused_by_name(
    compressor: BeaverPromptCompressor, name: str, value: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match=name):
        compressor.compress_prompt(CONTEXTS, **{name: value})


@pytest.mark.parametrize(
    ("name", "largest"),
    [
        ("target_token", 10**6),
        ("dynamic_context_compression_ratio", 1),
        ("context_level_target_token", 10**6),
        ("keep_first_sentence", 100),
        ("keep_last_sentence", 100),
        ("keep_sentence_number", 100),
        ("force_context_number", 100),
        ("target_context", 100),
    ],
)
def test_numbers_beyond_any_prompt_mean_all_of_it(compressor: BeaverPromptCompressor, name: str, largest: int) -> None:
    expected = compressor.compress_prompt(CONTEXTS, question=QUESTION, **{name: largest})
    for value in (2**70, 10**400, 10**5000):
        assert compressor.compress_prompt(CONTEXTS, question=QUESTION, **{name: value}) == expected
    assert compressor.compress_prompt(CONTEXTS, question=QUESTION, **{name: 1e300}) == expected


def wishes() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "force_context_ids": st.lists(st.integers(-2, 1), max_size=2),
            "force_context_number": st.integers(0, 3),
            "use_sentence_level_filter": st.booleans(),
            "use_context_level_filter": st.booleans(),
            "use_token_level_filter": st.booleans(),
            "keep_split": st.booleans(),
            "keep_first_sentence": st.integers(0, 3),
            "keep_last_sentence": st.integers(0, 3),
            "keep_sentence_number": st.integers(0, 3),
            "context_budget": st.sampled_from(["+100", "*1.5", "-20"]),
            "reorder_context": st.sampled_from(["original", "sort", "two_stage"]),
            "dynamic_context_compression_ratio": st.floats(0, 1),
            "target_context": st.integers(-1, 3),
            "context_level_rate": st.floats(0, 1),
            "context_level_target_token": st.integers(-1, 200),
            "force_tokens": st.lists(st.sampled_from(["\n", "?", "donkeys", "of"]), max_size=3),
            "force_reserve_digit": st.booleans(),
            "concate_question": st.booleans(),
            "question": st.sampled_from(["", QUESTION]),
        },
    )


@settings(max_examples=60, deadline=None)
@given(
    contexts=st.lists(
        st.sampled_from([*CONTEXTS, "", "Short.", "a\n\nb", "x" * 300, "漢字かな。漢字。"]), min_size=2, max_size=5
    ),
    target=st.integers(0, 400),
    arguments=wishes(),
)
def test_whatever_is_wished_for_the_budget_holds_and_text_is_verbatim(
    compressor: BeaverPromptCompressor, contexts: list[str], target: int, arguments: dict[str, Any]
) -> None:
    result = compressor.compress_prompt(contexts, target_token=target, **arguments)
    question = arguments.get("question", "") if arguments.get("concate_question", True) else ""
    assert result["compressed_tokens"] == compressor.counter(result["compressed_prompt"])
    assert result["compressed_tokens"] <= max(target, compressor.counter(question))
    kept = result["compressed_prompt"].removesuffix(question)
    for piece in re.split(r"\n+", kept):
        assert any(kept_words(piece, context) or piece in context for context in contexts)
