"""LLMLingua-2's mode: contexts alone, a list beside the prompt, labels of words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, QUESTION, kept_words

from beaver_compat import BeaverPromptCompressor
from beaver_compat.face.word_labels import labeled_words
from beaver_compat.result import KeptSpan


@pytest.fixture(scope="module")
def compressor() -> BeaverPromptCompressor:
    return BeaverPromptCompressor(token_counter="table", use_llmlingua2=True)


def test_instruction_and_question_are_neither_printed_nor_counted(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(CONTEXTS, "Answer in one word.", QUESTION, target_token=60)
    assert "Answer in one word." not in result["compressed_prompt"]
    assert QUESTION not in result["compressed_prompt"]
    assert result["origin_tokens"] == compressor.counter("\n\n".join(CONTEXTS))
    assert result["compressed_tokens"] == compressor.counter(result["compressed_prompt"]) <= 60


@pytest.mark.parametrize(
    ("question", "answer"),
    [(QUESTION, ANSWER), ("How many kinds of pears?", "nine"), ("What does a ticket cost?", "12 crowns")],
)
def test_the_question_ranks(compressor: BeaverPromptCompressor, question: str, answer: str) -> None:
    assert answer in compressor.compress_prompt(CONTEXTS, question=question, target_token=50)["compressed_prompt"]


def test_without_the_context_filter_there_is_one_entry_for_each_context(compressor: BeaverPromptCompressor) -> None:
    contexts = [*CONTEXTS, "", CONTEXTS[0]]
    for arguments in ({"target_token": 40}, {"rate": 0.7}, {"rate": 1.0}, {"target_token": 0}):
        result = compressor.compress_prompt(contexts, question=QUESTION, use_context_level_filter=False, **arguments)
        kept = result["compressed_prompt_list"]
        assert "\n\n".join(kept) == result["compressed_prompt"]
        assert len(kept) == len(contexts)
        assert all(kept_words(text, context) for text, context in zip(kept, contexts, strict=True))


def test_with_the_context_filter_dropped_contexts_are_absent(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(CONTEXTS, question=QUESTION, target_token=40, use_context_level_filter=True)
    kept = result["compressed_prompt_list"]
    assert "\n\n".join(kept) == result["compressed_prompt"]
    assert "" not in kept
    assert len(kept) < len(CONTEXTS)
    assert ANSWER in kept[-1]


def test_the_method_and_the_mode_agree(compressor: BeaverPromptCompressor) -> None:
    plain = BeaverPromptCompressor(token_counter="table")
    slingua = BeaverPromptCompressor(token_counter="table", use_slingua=True)
    arguments: dict[str, Any] = {"rate": 0.4, "force_tokens": ["\n", "?"], "use_context_level_filter": False}
    expected = compressor.compress_prompt(CONTEXTS, **arguments)
    assert plain.compress_prompt_llmlingua2(CONTEXTS, **arguments) == expected
    assert slingua.compress_prompt(CONTEXTS, **arguments) == expected


@pytest.mark.parametrize("context", ["", [""], None, [], ["", ""]])
def test_empty_contexts(compressor: BeaverPromptCompressor, context: Any) -> None:
    result = compressor.compress_prompt(context, return_word_label=True)
    assert result["compressed_prompt"].strip() == "" == result["fn_labeled_original_prompt"]
    assert result["compressed_prompt_list"] == (
        [""] if context == "" else list(context or []) if len(context or []) < 2 else []
    )


def test_results_are_plain_json(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(CONTEXTS, rate=0.33, return_word_label=True)
    assert json.loads(json.dumps(result)) == result
    assert list(map(type, (result["origin_tokens"], result["compressed_tokens"]))) == [int, int]


def test_return_word_label(compressor: BeaverPromptCompressor) -> None:
    assert "fn_labeled_original_prompt" not in compressor.compress_prompt(CONTEXTS)
    for filtered in (False, True):
        result = compressor.compress_prompt(
            CONTEXTS, question=QUESTION, rate=0.4, return_word_label=True, use_context_level_filter=filtered
        )
        pairs = [pair.split(" ") for pair in result["fn_labeled_original_prompt"].split("\t\t|\t\t")]
        assert [word for word, _ in pairs] == " ".join(CONTEXTS).split()
        assert [word for word, label in pairs if label == "1"] == result["compressed_prompt"].split()
        assert {label for _, label in pairs} == {"0", "1"}


def test_word_sep(compressor: BeaverPromptCompressor) -> None:
    labeled = compressor.compress_prompt("a|b c", rate=1.0, return_word_label=True, word_sep="|")
    assert labeled["fn_labeled_original_prompt"] == "a 1|b 1|c 1"


def test_label_sep(compressor: BeaverPromptCompressor) -> None:
    labeled = compressor.compress_prompt("well-known fact", rate=1.0, return_word_label=True, label_sep="-")
    assert labeled["fn_labeled_original_prompt"].split("\t\t|\t\t") == ["well-1", "known-1", "fact-1"]


def test_words_are_split_where_a_kept_part_ends() -> None:
    spans = [KeptSpan(0, 2, 4, 0, 1, "flash", 1.0)]
    assert labeled_words(["abcdef g", "h"], spans, "|", "=") == "ab=0|cd=1|ef=0|g=0|h=0"


def test_force_context_ids(compressor: BeaverPromptCompressor) -> None:
    ids = [-3]
    for filtered in (False, True):
        result = compressor.compress_prompt(
            CONTEXTS, question=QUESTION, rate=0.45, force_context_ids=ids, use_context_level_filter=filtered
        )
        assert HARBOUR in result["compressed_prompt_list"]
    assert ids == [-3]


@pytest.mark.parametrize(
    "bound",
    [{"target_context": 1}, {"context_level_rate": 0.4}, {"context_level_target_token": 110}, {"target_context": 0}],
)
def test_bounds_on_contexts(compressor: BeaverPromptCompressor, bound: dict[str, Any]) -> None:
    result = compressor.compress_prompt(CONTEXTS, question=QUESTION, rate=1.0, use_context_level_filter=True, **bound)
    assert result["compressed_prompt_list"] == [CONTEXTS[2]]
    unfiltered = compressor.compress_prompt(
        CONTEXTS, question=QUESTION, rate=1.0, use_context_level_filter=False, **bound
    )
    assert unfiltered["compressed_prompt_list"] == CONTEXTS


def test_the_filter_without_bounds_lets_half_of_what_goes_go_with_contexts(compressor: BeaverPromptCompressor) -> None:
    contexts = [f"Report {number}. " + text for number, text in enumerate(CONTEXTS * 4)]
    result = compressor.compress_prompt_llmlingua2(contexts, rate=0.2, use_context_level_filter=True)
    assert len(result["compressed_prompt_list"]) <= 0.6 * len(contexts)


def test_use_token_level_filter(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(
        CONTEXTS, question=QUESTION, rate=0.4, use_context_level_filter=True, use_token_level_filter=False
    )
    assert result["compressed_prompt_list"] == [CONTEXTS[2]]


def test_token_to_word_is_mean_or_first(compressor: BeaverPromptCompressor) -> None:
    assert compressor.compress_prompt(HARBOUR, token_to_word="first") == compressor.compress_prompt(HARBOUR)
    with pytest.raises(NotImplementedError, match="token_to_word is 'last'"):
        compressor.compress_prompt(HARBOUR, token_to_word="last")


def test_max_force_token() -> None:
    tokens = [f"token {number}" for number in range(5)]
    few = BeaverPromptCompressor(token_counter="table", use_llmlingua2=True, llmlingua2_config={"max_force_token": 4})
    with pytest.raises(AssertionError, match="force_tokens has 5 tokens"):
        few.compress_prompt(HARBOUR, force_tokens=tokens)
    many = BeaverPromptCompressor(token_counter="table", use_llmlingua2=True, llmlingua2_config={"max_batch_size": 9})
    assert many.compress_prompt(HARBOUR, force_tokens=tokens)["compressed_prompt"]
    with pytest.raises(TypeError, match="unexpected key 'max_length'"):
        BeaverPromptCompressor(token_counter="table", use_llmlingua2=True, llmlingua2_config={"max_length": 9})


@pytest.mark.parametrize("most", ["x", None, 1.5])
def test_max_force_token_that_is_no_integer(most: Any) -> None:
    with pytest.raises(TypeError, match=rf"^llmlingua2_config\['max_force_token'\] .*: {most!r}; give an integer$"):
        BeaverPromptCompressor(use_llmlingua2=True, llmlingua2_config={"max_force_token": most})


def test_llmlingua2_config_that_is_no_dict() -> None:
    with pytest.raises(TypeError, match=r"^llmlingua2_config is of type list: \[1\]; give a dict$"):
        BeaverPromptCompressor(use_llmlingua2=True, llmlingua2_config=[1])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["word_sep", "label_sep"])
@pytest.mark.parametrize("mark", [None, 5])
def test_separators_that_are_no_strings(compressor: BeaverPromptCompressor, name: str, mark: Any) -> None:
    for call in (compressor.compress_prompt, compressor.compress_prompt_llmlingua2):
        with pytest.raises(TypeError, match=rf"^{name} is of type {type(mark).__name__}: {mark}; give a string$"):
            call(CONTEXTS, return_word_label=True, **{name: mark})
        assert call(CONTEXTS, **{name: mark})["compressed_prompt"]


def test_a_target_beyond_any_prompt_leaves_all_contexts(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(CONTEXTS, target_token=10**400, use_context_level_filter=True)
    assert result["compressed_prompt_list"] == CONTEXTS


@settings(max_examples=30, deadline=None)
@given(
    contexts=st.lists(st.sampled_from([*CONTEXTS, "", "One.", "a\n\nb", "  x  ", "漢字かな。漢字。"]), max_size=5),
    target=st.integers(0, 300),
    filtered=st.booleans(),
    whole=st.booleans(),
)
def test_budget_list_and_words_hold(
    compressor: BeaverPromptCompressor, contexts: list[str], target: int, filtered: bool, whole: bool
) -> None:
    result = compressor.compress_prompt(
        contexts,
        question=QUESTION,
        target_token=target,
        use_context_level_filter=filtered,
        use_token_level_filter=not whole,
        return_word_label=True,
    )
    kept = result["compressed_prompt_list"]
    assert "\n\n".join(kept) == result["compressed_prompt"]
    separators = compressor.counter("\n\n".join([""] * len(kept)))
    assert result["compressed_tokens"] <= max(target, separators)
    labeled = [pair.rsplit(" ", 1) for pair in result["fn_labeled_original_prompt"].split("\t\t|\t\t") if pair]
    characters = "".join(word for word, label in labeled if label == "1")
    assert characters == "".join(result["compressed_prompt"].split())


def test_without_a_question_the_context_at_the_end_stays(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(CONTEXTS, rate=0.5, use_context_level_filter=True, target_context=1)
    assert result["compressed_prompt_list"] == [CONTEXTS[2]]


def test_contexts_in_reference_tags(compressor: BeaverPromptCompressor) -> None:
    contexts = [f"<#ref{index}#> {text} <#ref{index}#>" for index, text in enumerate(CONTEXTS)]
    for filtered in (False, True):
        result = compressor.compress_prompt(
            contexts, question=QUESTION, rate=0.3, use_context_level_filter=filtered, return_word_label=True
        )
        assert "\n\n".join(result["compressed_prompt_list"]) == result["compressed_prompt"]
        kept = result["compressed_prompt_list"][-1]
        assert kept.startswith("<#ref2#> ")
        assert kept.endswith(" <#ref2#>")
        assert ANSWER in kept
        assert "Varga. 1" in result["fn_labeled_original_prompt"]


def test_prepared_contexts(compressor: BeaverPromptCompressor) -> None:
    prepared = compressor.prepare(CONTEXTS)
    for arguments in ({"question": QUESTION, "target_token": 60, "return_word_label": True}, {"target_context": 2}):
        assert compressor.compress_prompt(prepared, **arguments) == compressor.compress_prompt(CONTEXTS, **arguments)
    assert compressor.compress_prompt_llmlingua2(prepared) == compressor.compress_prompt_llmlingua2(CONTEXTS)
