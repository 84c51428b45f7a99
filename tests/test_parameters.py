"""One test for each parameter of compress_prompt that is honoured or mapped."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, OBSERVATORY, ORCHARD, QUESTION, kept_contexts

from beaver_compat import BeaverPromptCompressor
from beaver_compat.selection.wishes import RANK_METHODS


def test_context(compressor: BeaverPromptCompressor) -> None:
    expected = compressor.compress_prompt(CONTEXTS, question=QUESTION)
    assert compressor.compress_prompt(tuple(CONTEXTS), question=QUESTION) == expected
    assert compressor.compress_prompt([HARBOUR]) == compressor.compress_prompt(HARBOUR)
    for wrong, words in ((5, "type int"), ([HARBOUR, 5], r"context\[1\] is of type int"), ({"a": 1}, "type dict")):
        with pytest.raises(TypeError, match=words):
            compressor.compress_prompt(wrong)  # type: ignore[arg-type]


def test_instruction(compressor: BeaverPromptCompressor) -> None:
    prompt = compressor.compress_prompt(CONTEXTS, instruction="Answer briefly.", rate=0.3)["compressed_prompt"]
    assert prompt.startswith("Answer briefly.\n\n")


def test_rate(compressor: BeaverPromptCompressor) -> None:
    for rate in (0.1, 0.33, 0.5, 1):
        result = compressor.compress_prompt(CONTEXTS, rate=rate)
        assert 0.9 * rate * result["origin_tokens"] - 5 <= result["compressed_tokens"] <= rate * result["origin_tokens"]
    with pytest.raises(AssertionError, match=r"^Error: 'rate' must not exceed 1\.0\. The value of 'rate' indicates"):
        compressor.compress_prompt(CONTEXTS, rate=1.1)
    with pytest.raises(AssertionError, match=r"range \[0, 1\]\. rate is 50\.$"):
        compressor.compress_prompt(CONTEXTS, rate=50)


def test_target_token_overrides_rate(compressor: BeaverPromptCompressor) -> None:
    sentence = 16  # tokens: what stays empty is less than one
    for target in (40, 80.5, 150):
        assert (
            target - sentence
            < compressor.compress_prompt(CONTEXTS, rate=0.9, target_token=target)["compressed_tokens"]
            <= target
        )


def test_force_context_ids_are_kept_whole(compressor: BeaverPromptCompressor) -> None:
    for index in (0, -2):
        ids = [index]
        prompt = compressor.compress_prompt(CONTEXTS, question=QUESTION, rate=0.5, force_context_ids=ids)
        assert CONTEXTS[index] in prompt["compressed_prompt"]
        assert ids == [index]


def test_force_context_number(compressor: BeaverPromptCompressor) -> None:
    one = compressor.compress_prompt(
        CONTEXTS, question=QUESTION, rate=0.9, force_context_number=1, concate_question=False
    )
    assert one["compressed_prompt"] == OBSERVATORY
    forced = compressor.compress_prompt(
        CONTEXTS, question=QUESTION, rate=0.9, force_context_number=1, force_context_ids=[1], concate_question=False
    )
    assert forced["compressed_prompt"] == ORCHARD


def test_target_context(compressor: BeaverPromptCompressor) -> None:
    for number in (0, 1, 2, 3, 7):
        prompt = compressor.compress_prompt(
            CONTEXTS, question=QUESTION, rate=1.0, target_context=number, concate_question=False
        )["compressed_prompt"]
        assert len(kept_contexts(prompt, CONTEXTS)) == min(max(number, 1), 3)
        assert OBSERVATORY in prompt


def test_context_level_rate(compressor: BeaverPromptCompressor) -> None:
    for share, number in ((0.1, 1), (0.4, 1), (0.75, 2), (1.0, 3)):
        prompt = compressor.compress_prompt(
            CONTEXTS, question=QUESTION, rate=1.0, context_level_rate=share, concate_question=False
        )["compressed_prompt"]
        assert len(kept_contexts(prompt, CONTEXTS)) == number


def test_context_level_target_token(compressor: BeaverPromptCompressor) -> None:
    size = compressor.counter(OBSERVATORY)
    for tokens in (0, size, size + 5):
        prompt = compressor.compress_prompt(
            CONTEXTS, question=QUESTION, rate=1.0, context_level_target_token=tokens, concate_question=False
        )["compressed_prompt"]
        assert prompt == OBSERVATORY


def test_context_budget(compressor: BeaverPromptCompressor) -> None:
    arguments: dict[str, Any] = {"question": QUESTION, "target_token": 200, "concate_question": False}
    free = compressor.compress_prompt(CONTEXTS, **arguments)["compressed_prompt"]
    assert len(kept_contexts(free, CONTEXTS)) == 3
    sizes = [compressor.counter(CONTEXTS[index]) for index in (2, 0, 1)]  # best first
    for suffix, bound in (
        ("*0.6", 120),
        ("-80", 120),
        ("/2", 100),
        ("*1", 200),
        ("+20*2", 240),
        (" + 150 ", 350),
        ("-300", 0),
    ):
        prompt = compressor.compress_prompt(CONTEXTS, context_budget=suffix, **arguments)["compressed_prompt"]
        expected = max(sum(sum(sizes[: count + 1]) <= bound for count in range(3)), 1)
        assert len(kept_contexts(prompt, CONTEXTS)) == expected, suffix


@pytest.mark.parametrize(
    ("order", "expected"),
    [("original", [0, 1, 2]), ("sort", [2, 0, 1]), ("other", [2, 0, 1]), ("two_stage", [2, 1, 0])],
)
def test_reorder_context(compressor: BeaverPromptCompressor, order: str, expected: list[int]) -> None:
    question = "When was the comet photographed, and by whom was the harbour built?"
    for rate in (0.7, 1.0):
        result = compressor.compress_prompt(
            CONTEXTS, question=question, rate=rate, reorder_context=order, concate_question=False
        )
        assert kept_contexts(result["compressed_prompt"], CONTEXTS) == expected
        assert result["compressed_tokens"] <= rate * result["origin_tokens"]


def test_dynamic_context_compression_ratio(compressor: BeaverPromptCompressor) -> None:
    contexts = [f"{text} {other[:120]}" for text, other in zip(CONTEXTS, CONTEXTS[1:] + CONTEXTS[:1], strict=True)]
    shares = []
    for ratio in (0.0, 1.0):
        prompt = compressor.compress_prompt(
            contexts, question=QUESTION, rate=0.5, dynamic_context_compression_ratio=ratio, concate_question=False
        )["compressed_prompt"]
        pieces = dict(zip(kept_contexts(prompt, contexts), prompt.split("\n\n"), strict=True))
        shares.append(len(pieces[2]) / len(prompt))
    assert shares[1] > shares[0] + 0.03


def test_use_context_level_filter(compressor: BeaverPromptCompressor) -> None:
    bounds: dict[str, Any] = {
        "target_context": 1,
        "force_context_number": 1,
        "context_level_rate": 0.1,
        "context_budget": "*0",
    }
    for method in (compressor.compress_prompt, compressor.structured_compress_prompt):
        known = {name: value for name, value in bounds.items() if name in inspect.signature(method).parameters}
        for filtered, number in ((True, 1), (False, 3)):
            prompt = method(
                CONTEXTS,
                question=QUESTION,
                rate=1.0,
                use_context_level_filter=filtered,
                concate_question=False,
                **known,
            )["compressed_prompt"]
            assert len(kept_contexts(prompt, CONTEXTS)) == number


def test_use_token_level_filter(compressor: BeaverPromptCompressor) -> None:
    for target in (120, 150, 220, 300):
        prompt = compressor.compress_prompt(
            CONTEXTS, question=QUESTION, target_token=target, use_token_level_filter=False, concate_question=False
        )["compressed_prompt"]
        assert OBSERVATORY in prompt
        assert all(piece.endswith(".") for piece in re.split(r"\n+", prompt))


def test_use_sentence_level_filter(compressor: BeaverPromptCompressor) -> None:
    question = "When was the comet photographed, and by whom was the harbour built?"
    for by_sentence, number in ((False, 1), (True, 2)):
        prompt = compressor.compress_prompt(
            CONTEXTS,
            question=question,
            target_token=115,
            use_token_level_filter=False,
            use_sentence_level_filter=by_sentence,
            concate_question=False,
        )["compressed_prompt"]
        assert len(kept_contexts(prompt, CONTEXTS)) == number
        assert (OBSERVATORY in prompt) is not by_sentence
        assert all(piece.endswith(".") for piece in re.split(r"\n+", prompt))


def test_keep_split(compressor: BeaverPromptCompressor) -> None:
    context = "\n\n".join(sentence + "." for text in CONTEXTS for sentence in text.rstrip(".").split(". "))
    arguments: dict[str, Any] = {"question": QUESTION, "target_token": 120, "concate_question": False}
    plain = compressor.compress_prompt(context, **arguments)
    split = compressor.compress_prompt(context, keep_split=True, **arguments)
    assert "\n\n" in split["compressed_prompt"]
    assert re.search(r"[^\n]\n[^\n]", plain["compressed_prompt"])
    assert not re.search(r"[^\n]\n[^\n]", split["compressed_prompt"])
    assert split["compressed_tokens"] <= 120


def test_keep_first_sentence(compressor: BeaverPromptCompressor) -> None:
    for count, last in ((1, "Clara Dunmore."), (2, "a small lighthouse.")):
        prompt = compressor.compress_prompt(CONTEXTS, question=QUESTION, rate=0.5, keep_first_sentence=count)
        assert last in prompt["compressed_prompt"]
        assert (
            "The orchard at Millbrook grows 48 kinds of apples and nine kinds of pears." in prompt["compressed_prompt"]
        )


def test_keep_last_sentence(compressor: BeaverPromptCompressor) -> None:
    prompt = compressor.compress_prompt(CONTEXTS, question=QUESTION, rate=0.5, keep_last_sentence=1)[
        "compressed_prompt"
    ]
    assert "Fishermen mend their nets in the long shed beside the ice house." in prompt
    assert "Two donkeys carry the baskets down to the road." in prompt
    assert "Tomas Lindqvist, who studies variable stars." in prompt


def test_keep_sentence_number(compressor: BeaverPromptCompressor) -> None:
    arguments: dict[str, Any] = {"question": QUESTION, "rate": 0.34, "concate_question": False}
    free = compressor.compress_prompt(CONTEXTS, **arguments)["compressed_prompt"]
    forced = compressor.compress_prompt(CONTEXTS, keep_sentence_number=1, **arguments)["compressed_prompt"]
    assert len(set(kept_contexts(free, CONTEXTS))) < 3
    assert kept_contexts(forced, CONTEXTS) == [0, 1, 2]


def test_add_instruction(compressor: BeaverPromptCompressor) -> None:
    instruction = "Tell what the donkeys carry."
    plain, added = (
        compressor.compress_prompt(CONTEXTS, instruction, "Well?", target_token=60, add_instruction=add)[
            "compressed_prompt"
        ]
        for add in (False, True)
    )
    assert "Two donkeys carry the baskets" not in plain
    assert "Two donkeys carry the baskets" in added


def test_rank_method(compressor: BeaverPromptCompressor) -> None:
    expected = compressor.compress_prompt(CONTEXTS, question=QUESTION)
    for method in RANK_METHODS:
        assert compressor.compress_prompt(CONTEXTS, question=QUESTION, rank_method=method) == expected
    with pytest.raises(TypeError, match="rank_method is 'bm26'"):
        compressor.compress_prompt(CONTEXTS, question=QUESTION, rank_method="bm26")
    for call in (compressor.compress_prompt, compressor.structured_compress_prompt):
        with pytest.raises(AssertionError, match=r"^In the LongLLMLingua, it is necessary to set a question\.$"):
            call(CONTEXTS, rank_method="longllmlingua")


def test_concate_question(compressor: BeaverPromptCompressor) -> None:
    printed, silent = (
        compressor.compress_prompt(CONTEXTS, question=QUESTION, target_token=60, concate_question=printed)[
            "compressed_prompt"
        ]
        for printed in (True, False)
    )
    assert printed.endswith("\n\n" + QUESTION)
    assert QUESTION not in silent
    assert ANSWER in silent


def test_force_tokens(compressor: BeaverPromptCompressor) -> None:
    for token in ("donkeys", "Saint Aldwin", "16:40", "sweet beer"):
        prompt = compressor.compress_prompt(CONTEXTS, question=QUESTION, target_token=70, force_tokens=[token])
        assert token in prompt["compressed_prompt"]
    sentences = " ".join(CONTEXTS).split(". ")
    context = "\n".join(sentence + "!."[index % 3 > 0] for index, sentence in enumerate(sentences))
    assert marks_kept(compressor, context, "!", force_tokens=["!"]) > marks_kept(compressor, context, "!")


def marks_kept(compressor: BeaverPromptCompressor, context: str, marks: str, **arguments: Any) -> int:
    """How many of some characters are kept, over ten targets."""
    results = (
        compressor.compress_prompt(context, question=QUESTION, target_token=target, concate_question=False, **arguments)
        for target in range(30, 230, 20)
    )
    return sum(result["compressed_prompt"].count(mark) for result in results for mark in marks)


def test_force_tokens_of_any_kind_are_no_error(compressor: BeaverPromptCompressor) -> None:
    tokens = ["", "\n", " ", "\ud800", "(", ".*", "<|endoftext|>", "漢", "a" * 5000, HARBOUR]
    assert compressor.compress_prompt(CONTEXTS, force_tokens=tokens)["compressed_prompt"]
    assert compressor.compress_prompt(CONTEXTS, force_tokens=None) == compressor.compress_prompt(CONTEXTS)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"force_tokens\[1\] is of type int"):
        compressor.compress_prompt(CONTEXTS, force_tokens=["a", 5])  # type: ignore[list-item]


def test_force_reserve_digit(compressor: BeaverPromptCompressor) -> None:
    context, digits = "\n".join(" ".join(CONTEXTS).split(". ")), "0123456789"
    assert marks_kept(compressor, context, digits, force_reserve_digit=True) > marks_kept(compressor, context, digits)


def test_prepared_contexts_take_every_parameter(compressor: BeaverPromptCompressor) -> None:
    prepared = compressor.prepare(CONTEXTS)
    for arguments in ({"reorder_context": "sort"}, {"target_context": 2}, {"keep_first_sentence": 1}, {"rate": 1.0}):
        expected = compressor.compress_prompt(CONTEXTS, question=QUESTION, **arguments)
        assert compressor.compress_prompt(prepared, question=QUESTION, **arguments) == expected
