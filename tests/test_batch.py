"""Many prompts in one call give what each gives alone."""

from __future__ import annotations

import io
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver_compat import BeaverPromptCompressor, InputAssertionError, InputTypeError, InputValueError
from beaver_compat.face import batch
from beaver_compat.prepared import Source, read_tokens

LICENCE = (Path(__file__).resolve().parent.parent / "docs/demo/gpl-3.0.txt").read_text(encoding="utf-8")
PIECES = [LICENCE[start : start + 3000] for start in range(0, 12_000, 3000)]
CONTEXTS: list[Any] = [
    PIECES,
    PIECES[0],
    ["", PIECES[1], ""],
    "河狸是森林的工程师。它筑坝，" * 30,
    "id,name\n" + "\n".join(f"{row},Ann" for row in range(60)),
    "<#ref0#> A dam. It holds. <#ref0#>",
    "\ud800 \x00 </s> " * 30,
    " \n ",
    [],
    "",
    None,
]
QUESTIONS = ["", "Who may convey verbatim copies?", "zxqv", "河狸"]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"context": st.sampled_from(CONTEXTS)},
            optional={
                "question": st.sampled_from(QUESTIONS),
                "instruction": st.sampled_from(["", "Read."]),
                "target_token": st.integers(0, 300),
                "rate": st.sampled_from([0.1, 0.9]),
                "force_context_ids": st.just([]),
            },
        ),
        max_size=8,
    ),
    st.sampled_from([1, 5000, 1 << 22]),
)
@settings(max_examples=60, deadline=None)
def test_each_result_is_that_of_the_prompt_alone(
    compressor: BeaverPromptCompressor, prompts: list[dict[str, Any]], at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "_CHARACTERS_AT_ONCE", at_once)
        found = compressor.compress_prompts(prompts)
    assert found == [compressor.compress_prompt(**prompt) for prompt in prompts]


def test_what_is_common_counts_where_a_prompt_has_none_of_its_own(compressor: BeaverPromptCompressor) -> None:
    prompts: list[Any] = [PIECES, PIECES[1], {"context": PIECES[2], "target_token": 50}]
    found = compressor.compress_prompts(prompts, question="What is a patent?", target_token=150)
    assert found == [
        compressor.compress_prompt(context, question="What is a patent?", target_token=budget)
        for context, budget in ((PIECES, 150), (PIECES[1], 150), (PIECES[2], 50))
    ]


def test_a_prepared_context_may_stand_in_many_prompts(compressor: BeaverPromptCompressor) -> None:
    prepared = compressor.prepare(LICENCE)
    prompts = [{"context": prepared, "question": question} for question in QUESTIONS]
    expected = [compressor.compress_prompt(LICENCE, question=question, target_token=200) for question in QUESTIONS]
    assert compressor.compress_prompts(prompts, target_token=200) == expected


def test_llmlingua2s_results_too() -> None:
    compressor = BeaverPromptCompressor(use_llmlingua2=True, token_counter="table")
    prompts: list[Any] = ["", [], PIECES, PIECES[0]]
    found = compressor.compress_prompts(prompts, rate=0.2, return_word_label=True)
    assert found == [compressor.compress_prompt(prompt, rate=0.2, return_word_label=True) for prompt in prompts]


def test_texts_of_a_run_are_tokenized_together(
    compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []
    encode = compressor._tokenizer.encode

    def watched(texts: Any) -> Any:
        calls.append(list(texts))
        return encode(texts)

    monkeypatch.setattr(compressor._tokenizer, "encode", watched)
    compressor.compress_prompts([PIECES, PIECES[0], ["a", "b"]], question="What?", target_token=100)
    assert calls[0] == [*PIECES, PIECES[0], "a", "b"]
    assert not {text for later in calls[1:] for text in later} & set(PIECES)  # questions, and words in capitals
    assert calls.count(["What?"]) == 2  # the last prompt fits: nothing ranks it


def test_nothing_gives_nothing(compressor: BeaverPromptCompressor) -> None:
    assert compressor.compress_prompts([]) == []
    assert compressor.compress_prompts(iter([])) == []


@pytest.mark.parametrize(
    ("prompts", "common", "error", "message"),
    [
        ("one text", {}, InputTypeError, "prompts is of type str: 'one text'; give a list"),
        ({"context": "a"}, {}, InputTypeError, "prompts is of type dict"),
        (None, {}, InputTypeError, "prompts is of type NoneType: None; give a list"),
        ([PIECES, 7], {}, InputTypeError, r"prompts\[1\]: context is of type int: 7"),
        ([["a", None]], {}, InputTypeError, r"prompts\[0\]: context\[1\] is of type NoneType"),
        ([{"text": "a"}], {}, InputTypeError, r"prompts\[0\]: compress_prompt has no argument 'text'; give some of"),
        ([{"question": "Who?"}], {}, InputTypeError, r"^prompts\[0\] has no context; give one$"),
        (["a", {}], {}, InputTypeError, r"^prompts\[1\] has no context; give one$"),
        (["a"], {"budget": 3}, InputTypeError, "compress_prompts has no argument 'budget'"),
        (["a"], {"context": "b"}, InputTypeError, "compress_prompts has no argument 'context'"),
        (["a", {"context": "b", "rate": 2}], {}, InputAssertionError, r"prompts\[1\]: .*rate"),
        (
            [{"context": "a", "force_context_ids": [4]}],
            {},
            InputValueError,
            r"prompts\[0\]: force_context_ids\[0\] is 4",
        ),
    ],
)
def test_errors_name_the_prompt(
    compressor: BeaverPromptCompressor, prompts: Any, common: dict[str, Any], error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        compressor.compress_prompts(prompts, **common)


BAD: list[tuple[dict[str, Any], type, str]] = [
    ({"rate": 1.5}, InputAssertionError, "'rate' must not exceed"),
    ({"rate": float("nan")}, InputValueError, "rate is NaN"),
    ({"target_token": "5"}, InputTypeError, "target_token is of type str"),
    ({"target_token": -2}, InputValueError, "target_token is -2"),
    ({"question": 5}, InputTypeError, "question is of type int"),
    ({"instruction": 5}, InputTypeError, "instruction is of type int"),
    ({"force_context_ids": [4]}, InputValueError, r"force_context_ids\[0\] is 4"),
]
BAD_FOR_LLMLINGUA2 = [*BAD, ({"force_tokens": ["!"] * 101}, InputAssertionError, "force_tokens has 101 tokens")]
BAD_FOR_OTHERS = [
    *BAD,
    ({"context_budget": "foo"}, InputValueError, "context_budget is 'foo'"),
    ({"rank_method": "foo"}, InputTypeError, "rank_method is 'foo'"),
    ({"context_segs": [["a"]]}, InputAssertionError, "context_segs has 1 lists"),
]


@pytest.mark.parametrize(
    ("llmlingua2", "bad", "error", "message"),
    [*((True, *row) for row in BAD_FOR_LLMLINGUA2), *((False, *row) for row in BAD_FOR_OTHERS)],
)
def test_what_cannot_be_used_is_found_before_any_work_is_done(
    monkeypatch: pytest.MonkeyPatch, llmlingua2: bool, bad: dict[str, Any], error: type, message: str
) -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    compressor = BeaverPromptCompressor(use_llmlingua2=llmlingua2, token_counter=count)
    monkeypatch.setattr(batch, "_CHARACTERS_AT_ONCE", 1)
    monkeypatch.setattr(compressor._tokenizer, "encode", lambda texts: pytest.fail("a text is tokenized"))
    counted.clear()
    with pytest.raises(error, match=rf"^prompts\[2\]: .*{message}"):
        compressor.compress_prompts([PIECES, PIECES[0], {"context": PIECES[:2], **bad}], target_token=100)
    assert not counted


def test_what_is_read_of_a_run_goes_when_it_is_done(
    compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources: list[weakref.ref[Source]] = []
    most = 0

    def watched(own: list[Source]) -> None:
        nonlocal most
        sources.extend(map(weakref.ref, own))
        read_tokens(own)
        most = max(most, sum("tokens" in vars(source) for kept in sources if (source := kept())))

    monkeypatch.setattr(batch, "_CHARACTERS_AT_ONCE", 1)
    monkeypatch.setattr(batch, "read_tokens", watched)
    compressor.compress_prompts(PIECES * 3, target_token=50)
    assert len(sources) == 3 * len(PIECES)
    assert most <= 2


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "progress", "shown"),
    [(io.StringIO, None, False), (io.StringIO, True, True), (Terminal, True, True), (Terminal, False, False)],
)
def test_the_progress_bar(
    compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch, stream: type, progress: bool, shown: bool
) -> None:
    error = stream()
    monkeypatch.setattr("sys.stderr", error)
    compressor.compress_prompts([PIECES[0]] * 3, target_token=50, progress=progress)
    assert ("3/3" in error.getvalue()) == shown


@pytest.mark.parametrize(("stream", "shown"), [(io.StringIO, False), (Terminal, True)])
def test_long_work_shows_it_on_a_terminal_only(
    compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch, stream: type, shown: bool
) -> None:
    error = stream()
    monkeypatch.setattr("sys.stderr", error)
    monkeypatch.setattr(batch, "_LONG_WORK", 1e-9)
    compressor.compress_prompts([PIECES[0]] * 3, target_token=50)
    assert ("3/3" in error.getvalue()) == shown
