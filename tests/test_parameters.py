"""Every parameter of LLMLingua: in the signatures, in docs/compatibility.md, and, where it has an effect, here."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, OBSERVATORY, ORCHARD, QUESTION, kept_contexts, kept_words

from beaver_compat import BeaverPromptCompressor, InputValueError
from beaver_compat.wishes import RANK_METHODS, arithmetic

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


# One test for each parameter of compress_prompt that is honoured or mapped.


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
    with pytest.raises(AssertionError, match=r"range \[0, 1\]\. It is 50\.$"):
        compressor.compress_prompt(CONTEXTS, rate=50)


def test_target_token_overrides_rate(compressor: BeaverPromptCompressor) -> None:
    for target in (40, 80.5, 150):
        assert (
            target - 8
            <= compressor.compress_prompt(CONTEXTS, rate=0.9, target_token=target)["compressed_tokens"]
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
    arguments: dict[str, Any] = {"question": QUESTION, "target_token": 90, "concate_question": False}
    plain = compressor.compress_prompt(context, **arguments)
    split = compressor.compress_prompt(context, keep_split=True, **arguments)
    assert "\n\n" in split["compressed_prompt"]
    assert re.search(r"[^\n]\n[^\n]", plain["compressed_prompt"])
    assert not re.search(r"[^\n]\n[^\n]", split["compressed_prompt"])
    assert split["compressed_tokens"] <= 90


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


def test_get_token_length(compressor: BeaverPromptCompressor) -> None:
    text = "The harbour <s> of Vessel Bay"
    assert compressor.get_token_length(text, use_oai_tokenizer=True) == compressor.counter(text)
    assert compressor.get_token_length(text, add_special_tokens=False) == compressor.counter(text)
    assert compressor.get_token_length(text) == compressor.counter(text) + 1
    characters = BeaverPromptCompressor(token_counter=len)
    assert characters.get_token_length(text, use_oai_tokenizer=True) == len(text)


def test_get_rank_results(compressor: BeaverPromptCompressor) -> None:
    ranked = compressor.get_rank_results([*CONTEXTS, ""], QUESTION, "longllmlingua", "after", [0] * 4)
    assert ranked[0][0] == 2
    assert sorted(index for index, _ in ranked) == [0, 1, 2, 3]
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
    assert {type(part) for pair in ranked for part in pair} == {int, float}
    assert compressor.get_rank_results([], QUESTION, "bm25", "none", []) == []
    assert len(compressor.get_rank_results(CONTEXTS, "", "llmlingua", "none", [0] * 3)) == 3
    with pytest.raises(TypeError, match="rank_method"):
        compressor.get_rank_results(CONTEXTS, QUESTION, "", "none", [])


def test_prepared_contexts_take_every_parameter(compressor: BeaverPromptCompressor) -> None:
    prepared = compressor.prepare(CONTEXTS)
    for arguments in ({"reorder_context": "sort"}, {"target_context": 2}, {"keep_first_sentence": 1}, {"rate": 1.0}):
        expected = compressor.compress_prompt(CONTEXTS, question=QUESTION, **arguments)
        assert compressor.compress_prompt(prepared, question=QUESTION, **arguments) == expected


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
