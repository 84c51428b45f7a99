"""The compressor's face: what comes back, in which frame, for which arguments.  `test_promises` has the promises."""

from __future__ import annotations

import copy
import inspect
import json
import random
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray
from text_samples import check_result, code, json_lines, kept_places, prose

from beaver_compat import BeaverConfig, BeaverPromptCompressor, InputAssertionError, InputValueError, PromptCompressor
from beaver_compat.prepared import Source

PROSE = prose(400)
QUESTION = "Who wrote to the old river?"
CONTEXTS = [prose(40, 1), code(40, 2), json_lines(40, 3), "A last short one."]


def words(text: str) -> int:
    return len(text.split())


def octets(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def test_llmlingua_has_the_same_constructor_and_call() -> None:
    pytest.importorskip("transformers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        llmlingua = pytest.importorskip("llmlingua")
    for name in ("__init__", "__call__", "compress_prompt"):
        theirs = inspect.signature(getattr(llmlingua.PromptCompressor, name)).parameters.values()
        ours = list(inspect.signature(getattr(PromptCompressor, name)).parameters.values())
        assert all(extra.kind is inspect.Parameter.KEYWORD_ONLY for extra in ours[len(theirs) :])
        for their, our in zip(theirs, ours, strict=False):
            assert (their.name, their.kind) == (our.name, our.kind)
            assert their.default == our.default or our.name == "model_name"


@pytest.mark.parametrize("counter", [len, words, octets])
def test_the_budget_holds_and_is_used_in_any_unit(counter: Callable[[str], int]) -> None:
    compressor = BeaverPromptCompressor(token_counter=counter)
    for arguments in ({"target_token": 1500}, {"rate": 0.5}, {"target_token": 2000.9}, {"rate": 0.9}):
        result = compressor.compress(PROSE, "Read.", QUESTION, **arguments)
        check_result(result, [PROSE], counter, "Read.", QUESTION)
        assert result.compressed_tokens >= 0.97 * result.budget
        assert result.counter == counter.__name__


def test_separators_count(compressor: BeaverPromptCompressor) -> None:
    contexts = [f"Word{number}." for number in range(200)]
    for target in (30, 100, 300):
        result = compressor.compress(contexts, "I", "Word7?", target_token=target)
        check_result(result, contexts, compressor.counter, "I", "Word7?")
        assert result.compressed_context.count("\n\n") == len(result.spans) - 1


def test_a_set_target_rules_alone(compressor: BeaverPromptCompressor) -> None:
    assert compressor.compress(PROSE, rate=0.0, target_token=500) == compressor.compress(PROSE, target_token=500)
    assert compressor.compress(PROSE, target_token=500.9).budget == 500
    unset = compressor.compress(PROSE, rate=0.1, target_token=-1)
    assert unset == compressor.compress(PROSE, rate=0.1, target_token=-1.0) == compressor.compress(PROSE, rate=0.1)
    assert unset.budget == int(0.1 * unset.origin_tokens)
    assert compressor.compress(PROSE, target_token=float("inf")).compressed_context == PROSE


def test_the_original_is_counted_as_llmlingua_does(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress([" a ", "", "b"], "", "c? ", target_token=9)
    assert result.origin_tokens == compressor.counter("a \n\n\n\nb\n\nc?")


@pytest.mark.parametrize("instruction", ["", "Read.", " \n"])
@pytest.mark.parametrize("question", ["", QUESTION])
@pytest.mark.parametrize("printed", [True, False])
def test_the_frame(compressor: BeaverPromptCompressor, instruction: str, question: str, printed: bool) -> None:
    result = compressor.compress(CONTEXTS, instruction, question, target_token=200, concate_question=printed)
    check_result(result, CONTEXTS, compressor.counter, instruction, question if printed else "")
    assert result.spans


def test_a_question_that_is_not_printed_still_ranks(compressor: BeaverPromptCompressor) -> None:
    place = PROSE.index("year 250.")
    result = compressor.compress(PROSE, question="What was in year 250?", target_token=60, concate_question=False)
    assert any(span.start < place < span.end for span in result.spans)


def test_the_frame_is_complete_even_where_it_exceeds_the_budget(compressor: BeaverPromptCompressor) -> None:
    for target in (0, 3):
        result = compressor.compress(PROSE, "Read this.", QUESTION, target_token=target)
        assert result.compressed_prompt == f"Read this.\n\n{QUESTION}"
        assert not result.spans
        assert not result.within_budget


def test_a_question_longer_than_the_context(compressor: BeaverPromptCompressor) -> None:
    context, question = prose(5), prose(300, 7)
    for target in (compressor.counter(question) - 1, compressor.counter(question) + 40, 10**6):
        result = compressor.compress(context, question=question, target_token=target)
        check_result(result, [context], compressor.counter, question=question)
    assert compressor.compress(context, question=question, rate=0.9).compressed_prompt == question


@pytest.mark.parametrize("context", [None, "", [], [""], (), ["", ""]])
def test_empty_contexts(compressor: BeaverPromptCompressor, context: list[str] | str | None) -> None:
    result = compressor.compress(context, "Read.", QUESTION, target_token=100)
    assert result.compressed_prompt == f"Read.\n\n{QUESTION}"
    assert result.spans == ()
    bare = compressor.compress_prompt(context)
    assert bare["compressed_prompt"] == ""
    assert bare["compressed_tokens"] == 0
    assert bare["ratio"] == "1.0x"


@pytest.mark.parametrize("blank", ["", " ", "\n", "\r\n\t", "\u2028\x85"])
def test_blank_contexts_among_others(compressor: BeaverPromptCompressor, blank: str) -> None:
    contexts = [blank, "One two three. " * 9, blank, "Four five six. " * 9, blank]
    for target in (10, 40, 1000):
        result = compressor.compress(contexts, question="five?", target_token=target)
        check_result(result, contexts, compressor.counter, question="five?")
        assert kept_places(contexts, result)
    assert compressor.compress(blank, target_token=100).compressed_context == blank
    assert compressor.compress(blank * 500, target_token=2).compressed_tokens <= 2


def test_nothing_fits_but_a_piece_does(compressor: BeaverPromptCompressor) -> None:
    """Also of texts that are kept whole or not at all where that is possible."""
    for text in (json_lines(1, words=80), code(3), PROSE, "x" * 500, "河狸筑坝" * 50, "1,2,3\n" * 4):
        result = compressor.compress(text, target_token=12)
        check_result(result, [text], compressor.counter)
        assert result.spans


def test_forced_contexts(compressor: BeaverPromptCompressor) -> None:
    forced = [-1, 1, 1]
    result = compressor.compress(CONTEXTS, question="year 3?", target_token=1000, force_context_ids=forced)
    check_result(result, CONTEXTS, compressor.counter, question="year 3?")
    assert forced == [-1, 1, 1]
    assert CONTEXTS[1].strip() in result.compressed_context
    assert result.compressed_context.endswith("\n\nA last short one.")
    assert {span.context_index for span in result.spans if span.role == "forced"} == {1, 3}
    assert any(span.role != "forced" for span in result.spans)


def test_the_refusal_of_a_forced_context_says_what_to_give(compressor: BeaverPromptCompressor) -> None:
    for contexts, step in (
        (["One.", "Two."], "2 contexts; give an integer from -2 to 1"),
        ([], "0 contexts; give None"),
    ):
        with pytest.raises(InputValueError, match=rf"^force_context_ids\[0\] is 5, but there are {step}$"):
            compressor.compress(contexts, force_context_ids=[5])


def test_a_forced_context_that_does_not_fit_is_cut(compressor: BeaverPromptCompressor) -> None:
    for index, text in enumerate(CONTEXTS[:3]):
        result = compressor.compress(CONTEXTS, target_token=90, question="year 3?", force_context_ids=[index])
        check_result(result, CONTEXTS, compressor.counter, question="year 3?")
        assert [span.context_index for span in result.spans if span.role == "forced"] == [index]
        if index == 2:
            assert all(json.loads(line) for line in result.compressed_context.splitlines() if line.startswith("{"))
        assert result.compressed_context.splitlines()[0] in text


def test_without_a_question_the_end_is_the_query(compressor: BeaverPromptCompressor) -> None:
    text = f"{PROSE}\nSo, tell me: what was it that Dr. Smith paid for in year 17?"
    result = compressor.compress(text, target_token=300)
    check_result(result, [text], compressor.counter)
    last = result.spans[-1]
    assert last.role == "query"
    assert last.end == len(text)
    assert result.compressed_context.endswith("what was it that Dr. Smith paid for in year 17?")


SHORT = (
    "Ferries leave at 7:15 and 16:40 each day. The orchard grows 48 kinds of apples. Its cider press is driven by a"
    " water wheel. The comet of 1910 was photographed there by Ilse Varga. The school has ninety pupils. Its roof is"
    " made of copper.\n\nQuestion: Who photographed the comet?"
)


def test_without_a_question_the_last_line_stays_the_longest(compressor: BeaverPromptCompressor) -> None:
    asked = "Question: Who photographed the comet?"
    for budget in range(compressor.counter(asked), compressor.counter(SHORT)):
        assert compressor.compress(SHORT, target_token=budget).compressed_context.endswith(asked)
    assert "by Ilse Varga." in compressor.compress(SHORT, rate=0.5).compressed_context
    chat = "".join(f"Ann: The year {year} was wet.\nBob: And cold.\n" for year in range(1900, 1930)) + "Ann: Why 1907?"
    for budget in (12, 40, 200):
        assert compressor.compress(chat, target_token=budget).compressed_context.endswith("Ann: Why 1907?")


def test_errors_that_llmlingua_raises_by_assert(compressor: BeaverPromptCompressor) -> None:
    for kind in (AssertionError, ValueError, InputAssertionError):
        with pytest.raises(kind, match=r"^Error: 'rate' must not exceed 1\.0\."):
            compressor.compress_prompt(PROSE, rate=1.01)
        with pytest.raises(kind, match="it is necessary to set a question"):
            compressor.compress_prompt(PROSE, rank_method="longllmlingua")
    assert compressor.compress_prompt(PROSE, question=QUESTION, rank_method="longllmlingua")


def test_a_language_without_rules_is_refused_at_once() -> None:
    with pytest.raises(InputValueError, match="language 'tlh'"):
        BeaverPromptCompressor(token_counter="table", language="tlh")
    for tag in ("German", "de-", "de-DE-x", "", "-de", "xx-DE"):
        with pytest.raises(
            InputValueError, match=f"language '{tag}' has no sentence rules: pass one of am, ar, .*, zh"
        ):
            BeaverPromptCompressor(token_counter="table", language=tag)


def test_one_language_however_it_is_written() -> None:
    text = "Das war am 3. Mai 1910 in Graz. Danach kam z. B. Wien. Wer war dabei? Niemand."
    german = BeaverPromptCompressor(token_counter="table", language="de")
    prepared = german.prepare(text)
    for tag in ("DE", "de-DE", "de_AT", "De-Latn-ch"):
        other = BeaverPromptCompressor(token_counter="table", language=tag)
        assert other.language == "de"
        assert other.compress(prepared, target_token=20) == german.compress(text, target_token=20)


def test_the_dict(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(PROSE, "Read.", QUESTION, target_token=1000)
    typed = compressor.compress(PROSE, "Read.", QUESTION, target_token=1000)
    assert result == typed.to_llmlingua() == compressor(PROSE, "Read.", QUESTION, target_token=1000)
    origin, compressed = typed.origin_tokens, typed.compressed_tokens
    assert result == {
        "compressed_prompt": typed.compressed_prompt,
        "origin_tokens": origin,
        "compressed_tokens": compressed,
        "ratio": f"{origin / compressed:.1f}x",
        "rate": f"{compressed / origin * 100:.1f}%",
        "saving": f", Saving ${(origin - compressed) * 0.06 / 1000:.1f} in GPT-4.",
    }
    assert [type(value) for value in result.values()] == [str, int, int, str, str, str]
    assert json.loads(json.dumps(result)) == result
    result["compressed_prompt"] = ""
    assert compressor.compress_prompt(PROSE, "Read.", QUESTION, target_token=1000)["compressed_prompt"]


def test_nothing_outside_is_touched(compressor: BeaverPromptCompressor, capfd: pytest.CaptureFixture[str]) -> None:
    contexts, before = list(CONTEXTS), random.getstate()
    compressor.compress_prompt(contexts, question=QUESTION, target_token=200)
    assert contexts == CONTEXTS
    assert random.getstate() == before
    assert capfd.readouterr() == ("", "")


def test_threads_share_a_prepared_context(compressor: BeaverPromptCompressor) -> None:
    questions = [f"What was in year {year}?" for year in range(0, 400, 25)]
    alone = [compressor.compress(PROSE, question=question, target_token=300) for question in questions]
    prepared = compressor.prepare(PROSE)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda q: compressor.compress(prepared, question=q, target_token=300), questions)) == alone


@pytest.mark.parametrize("context", [None, [], "", ["", ""], "\n", ["", "a b c"]])
def test_what_is_empty_can_be_prepared(compressor: BeaverPromptCompressor, context: list[str] | str | None) -> None:
    prepared = compressor.prepare(context)
    assert compressor.compress(prepared, target_token=9) == compressor.compress(context, target_token=9)


@pytest.mark.parametrize("config", [BeaverConfig.paper(), BeaverConfig(sentence_smoothing=False)])
def test_other_settings_keep_the_promises(compressor: BeaverPromptCompressor, config: BeaverConfig) -> None:
    other = copy.copy(compressor)
    other.config = config
    for target in (20, 300, 1500):
        for question in ("", QUESTION):
            result = other.compress(CONTEXTS, question=question, target_token=target)
            check_result(result, CONTEXTS, compressor.counter, question=question)


def test_a_piece_of_an_endless_sentence_goes_on_to_its_next_pause(compressor: BeaverPromptCompressor) -> None:
    clause = (
        "convey the object code in a physical product of any kind that is customarily used for software interchange, "
    )
    text = "You may do so in one of these ways: a) " + 5 * clause + 5 * "and "  # a page ends between mill and number
    text += "the magic number for the old mill is: 1845981. b) " + 14 * clause + "or c) nothing."
    result = compressor.compress(text, question="What is the magic number for the old mill?", target_token=150)
    assert "the magic number for the old mill is: 1845981." in result.compressed_context


@pytest.mark.parametrize("before", ["", "\n\n\n", "\n \n\n"])
@pytest.mark.parametrize("apart", [False, True])
def test_a_forced_text_below_blank_lines_is_divided_by_its_own_sentences(
    compressor: BeaverPromptCompressor, before: str, apart: bool
) -> None:
    """What stands above the blank lines, or below the text, is a record of several objects."""
    record = str([{"id": number, "name": f"person number {number}"} for number in range(8)]).replace("'", '"')
    text = before + (
        "The mill is closed on Sundays because of the flood. The bridge will open next spring after long repairs. The"
        " ferry leaves at nine. A boat can be rented at the old pier near the church."
    )
    contexts = [f"Nothing of note.\n{record}", text] if apart else [f"{text}\n{record}"]
    for budget in (12, 25, 40):
        found = compressor.compress(
            contexts,
            question="When does the ferry leave?",
            target_token=budget,
            force_context_ids=[len(contexts) - 1],
            concate_question=False,
        )
        assert "The ferry leaves at nine." in found.compressed_context
        assert "{" not in found.compressed_context


def test_a_prompt_that_fits_is_only_counted(
    compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressor, "_read", None)
    contexts = ["The ferry leaves at nine.", "", "  ", "It stops at noon.\n"]
    found = compressor.compress(contexts, question="When does it leave?", target_token=500)
    assert found.compressed_tokens == found.origin_tokens
    assert [(span.context_index, span.start, span.end) for span in found.spans] == [
        (index, 0, len(context)) for index, context in enumerate(contexts) if context
    ]
    limits = [compressor._tokenizer.encode([context]).ids.size for context in contexts]
    assert [(span.token_start, span.token_end) for span in found.spans] == [(0, limits[at]) for at in (0, 2, 3)]


def test_short_contexts_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    counted: list[str] = []
    count_many = compressor.counter.count_many

    def recorded(texts: Sequence[str]) -> NDArray[np.int64]:
        counted.extend(texts)
        return count_many(texts)

    monkeypatch.setattr(compressor.counter, "count_many", recorded)
    monkeypatch.setattr(Source, "counts", None)  # a wrapped counter knows nothing of the tokens that were read
    contexts = [f"The ferry number {number} leaves at nine. " * 12 for number in range(6)]
    compressor.compress(contexts, question="When does it leave?", target_token=100)
    assert sum(map(len, counted)) == len("\n\n".join([*contexts, "When does it leave?"]))


@pytest.mark.parametrize(
    ("last", "kept"), [("It lies south of Bergen.", True), ("Which of them is older?\n\nAnswer:", False)]
)
def test_forced_text_that_fits_goes_before_an_end_that_asks_nothing(
    compressor: BeaverPromptCompressor, last: str, kept: bool
) -> None:
    forced = "Bergen is a city on the coast. It rains on 231 days a year. Its fish market dates from 1276."
    other = (
        f"Stavanger is the oil capital. Its cathedral was built in 1125. The petroleum museum opened in 1999. {last}"
    )
    least = compressor.counter(forced)
    for budget in range(least, least + 12):
        result = compressor.compress([forced, other], force_context_ids=[0], target_token=budget)
        assert kept == (forced in result.compressed_context), budget
        assert kept or last.splitlines()[0] in result.compressed_context
    part = compressor.compress([forced, other], force_context_ids=[0], target_token=least - 8).compressed_context
    assert last.splitlines()[-1] in part


@pytest.mark.parametrize("frame", ["{text}\n\nQuestion: {asked}\nHelpful Answer:", "Question: {asked}\n\n{text}"])
def test_a_question_that_is_printed_anyway_is_kept_last_in_the_text(
    compressor: BeaverPromptCompressor, frame: str
) -> None:
    facts = {
        "Who runs the mill on the river?": "The mill on the river is run by Ann Frost, who bought it from her uncle.",
        "When does the ferry leave Oslo?": "The ferry leaves Oslo at a quarter past nine, on Sundays an hour later.",
        "How many herons nest by the lake?": "By the lake nest forty herons and, since last year, two pairs of cranes.",
        "What does the baker sell on Friday?": "On Friday the baker sells plum cake, which is gone before ten o'clock.",
    }
    for asked, answer in facts.items():
        rest = "The gate is painted green every spring, and the path to it is swept by the children of the school. " * 4
        text = frame.format(text="\n\n".join([rest, *facts.values(), rest]), asked=asked)
        for budget in range(35, 90, 5):
            found = compressor.compress(text, question=asked, target_token=budget)
            assert answer in found.compressed_context
            first = frame.startswith("Question")  # is a part of the first page, which is kept for where it stands
            assert first or asked not in found.compressed_context
        alone = compressor.compress(text, question=asked, target_token=40, concate_question=False)
        assert asked in alone.compressed_prompt  # which has it nowhere else


def test_a_text_of_nothing_but_its_question(compressor: BeaverPromptCompressor) -> None:
    asked = "Who runs the mill on the river?"
    found = compressor.compress(f"{asked}\n" * 4000, question=asked, target_token=60)
    assert found.within_budget
    assert found.compressed_context.startswith(asked)
