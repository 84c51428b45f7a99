"""Tagged text: parsing, bounds of segments, and the prompt around them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_samples import CONTEXTS, HARBOUR, OBSERVATORY, ORCHARD, TAGGED, TAGGED_JSON, kept_words

from beaver_compat import BeaverPromptCompressor, InputAssertionError, InputTypeError, TagWarning
from beaver_compat.structured import Segment, merged_segments, parse_segments


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("plain", [Segment("plain")]),
        ("a < b > c", [Segment("a < b > c")]),
        ("<llmlingua>a</llmlingua>", [Segment("a")]),
        ("<llmlingua, rate=0.4, compress=False>a</llmlingua>", [Segment("a", 0.4, False)]),
        ("<llmlingua, compress=False, rate=.4>a</llmlingua>", [Segment("a", 0.4, False)]),
        ("<llmlingua ,  rate = 1. >a</llmlingua>", [Segment("a", 1.0)]),
        ("<llmlingua, rate=0>a</llmlingua>", [Segment("a", 0.0)]),
        ("x<llmlingua, rate=0.2>a</llmlingua>y", [Segment("x"), Segment("a", 0.2), Segment("y")]),
        ("<llmlingua, rate=0.2>if (a < b) <b>x</b></llmlingua>", [Segment("if (a < b) <b>x</b>", 0.2)]),
        ("<llmlingua-docs> and llmlingua>", [Segment("<llmlingua-docs> and llmlingua>")]),
    ],
)
def test_parse(text: str, expected: list[Segment]) -> None:
    assert parse_segments(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "told"),
    [
        ("<llmlingua, rate=0.2>no end", [Segment("no end", 0.2)], ["<llmlingua, rate=0.2>"]),
        (
            "a<llmlingua, rate=0.2>b<llmlingua>c</llmlingua>",
            [Segment("a"), Segment("b", 0.2), Segment("c")],
            ["<llmlingua, rate=0.2>"],
        ),
        ("no beginning</llmlingua>rest", [Segment("no beginning"), Segment("rest")], ["</llmlingua>"]),
        ("<llmlingua>a</llmlingua>b</llmlingua>", [Segment("a"), Segment("b")], ["</llmlingua>"]),
        ("</llmlingua>a</llmlingua><llmlingua>", [Segment("a")], ["<llmlingua>", "</llmlingua>"]),
    ],
)
def test_tags_without_a_counterpart_are_tags_with_a_warning(
    text: str, expected: list[Segment], told: list[str]
) -> None:
    with pytest.warns(TagWarning) as seen:
        found = parse_segments(text)
    assert found == expected
    assert [str(warning.message).split(" has no ")[0] for warning in seen] == [repr(tag) for tag in told]


@pytest.mark.parametrize(
    "tag",
    [
        "<llmlingua, rate=x>",
        "<llmlingua, rate=1.2.3>",
        "<llmlingua, rat=0.5>",
        "<llmlingua, rate=True>",
        "<llmlingua, compress=false>",
        "<llmlingua, compress=0>",
        "<llmlingua rate=0.5",
        "</llmlingua >",
    ],
)
def test_what_only_looks_like_a_tag_stays_with_a_warning(compressor: BeaverPromptCompressor, tag: str) -> None:
    told = rf"^'{re.escape(tag)}.* is no tag.* rate \(0 to 1\) and compress \(True"
    with pytest.warns(TagWarning, match=told) as seen:
        result = compressor.structured_compress_prompt(f"{tag} text <llmlingua>abc</llmlingua>{tag}", rate=1)
    assert result["compressed_prompt"] == f"{tag} text abc{tag}"
    assert {warning.filename for warning in seen} == {__file__}


@pytest.mark.filterwarnings("ignore::beaver_compat.TagWarning")
@given(st.lists(st.sampled_from(["<llmlingua", ">", "</llmlingua>", ", rate=0.5", ", compress=False", "a<b", " "])))
def test_parse_loses_no_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    tags = re.compile(r"<llmlingua(\s*,\s*rate=0\.5|\s*,\s*compress=False|\s+)*>|</llmlingua>")
    assert "".join(segment.text for segment in parse_segments(text)) == tags.sub("", text)


def test_a_rate_above_one_is_refused_in_llmlinguas_words(compressor: BeaverPromptCompressor) -> None:
    for call, told in (
        (lambda: parse_segments("<llmlingua, rate=1.5>a</llmlingua>"), r"rate of a tag is 1\.5"),
        (lambda: compressor.segment_structured_context(["a"], 1.5), r"global_rate is 1\.5"),
        (lambda: compressor.segment_structured_context(["a"], 10**400), "global_rate is 1000"),
        (lambda: compressor.structured_compress_prompt(TAGGED, rate=1.5), r"rate is 1\.5"),
    ):
        with pytest.raises(AssertionError, match=rf"'rate' must not exceed 1\.0.* {told}"):
            call()


def test_a_global_rate_that_no_segment_needs_may_be_any_number(compressor: BeaverPromptCompressor) -> None:
    for tagged in ("<llmlingua, rate=0.3>a</llmlingua>", "<llmlingua, compress=False>a</llmlingua>"):
        [own] = compressor.segment_structured_context([tagged], 1.5)[2]
        assert own in ([0.3], [1.0])


def test_segment_structured_context(compressor: BeaverPromptCompressor) -> None:
    contexts, segments, rates, flags = compressor.segment_structured_context([TAGGED, "bare"], 0.5)
    assert contexts[0].startswith("Chair: Thank you all")
    assert "llmlingua" not in contexts[0]
    assert segments[0][:2] == ["Chair:", contexts[0][6 : 6 + len(segments[0][1])]]
    assert rates[0][:4] == [1.0, 0.4, 1.0, 0.3]
    assert flags[0][:4] == [False, True, False, True]
    assert (contexts[1], segments[1], rates[1], flags[1]) == ("bare", ["bare"], [0.5], [True])


def test_concate_segment_info(compressor: BeaverPromptCompressor) -> None:
    info = [(3, 0.5, True), (4, 0.5, True), (2, 0.5, False), (1, 0.5, False), (5, 0.5, True)]
    assert (
        compressor.concate_segment_info(info)
        == merged_segments(info)
        == [(7, 0.5, True), (3, 0.5, False), (5, 0.5, True)]
    )
    assert compressor.concate_segment_info([]) == []


@pytest.mark.parametrize("info", [None, 5, [5], [(1, 0.5)], ["abc"], [("a", 0.5, True)]])
def test_segment_info_of_another_form(compressor: BeaverPromptCompressor, info: Any) -> None:
    with pytest.raises(InputTypeError, match=r"^segment_info.*give a list of \(length, rate, compress\)$"):
        compressor.concate_segment_info(info)


@pytest.mark.parametrize(("rate", "error"), [("x", TypeError), (None, TypeError), (float("nan"), ValueError)])
def test_global_rate_that_is_no_number(compressor: BeaverPromptCompressor, rate: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^global_rate is .*give a number$"):
        compressor.segment_structured_context("a<llmlingua>b</llmlingua>", rate)


def test_uncompressed_segments_are_kept_to_the_letter(compressor: BeaverPromptCompressor) -> None:
    for arguments in ({"rate": 0.5}, {"target_token": 40}, {"target_token": 0}, {"rate": 0.0}):
        prompt = compressor.structured_compress_prompt(TAGGED, **arguments)["compressed_prompt"]
        lines = prompt.split("\n")
        assert [line.split(":")[0] for line in lines] == ["Chair", "Clerk", "Chair"]


def test_each_rate_bounds_its_segment(compressor: BeaverPromptCompressor) -> None:
    count = compressor.counter
    prompt = compressor.structured_compress_prompt(TAGGED, rate=1.0)["compressed_prompt"]
    rated = [segment for segment in parse_segments(TAGGED) if segment.rate is not None]
    for line, segment in zip(prompt.split("\n"), rated, strict=True):
        kept = line.partition(":")[2]
        assert kept
        assert kept_words(kept, segment.text)
        assert count(kept) <= segment.rate * count(segment.text)


@settings(max_examples=25, deadline=None)
@given(
    segments=st.lists(
        st.tuples(
            st.sampled_from([*CONTEXTS, "Note: ", "\n\n", " a < b "]),
            st.sampled_from([None, 0, 0.3, 0.9, 1]),
            st.booleans(),
        ),
        min_size=1,
        max_size=5,
    ),
    target=st.integers(0, 400),
)
def test_segments_keep_their_bounds_and_the_prompt_its_budget(
    compressor: BeaverPromptCompressor, segments: list[tuple[str, float | None, bool]], target: int
) -> None:
    context = "".join(
        f"<llmlingua{'' if rate is None else f', rate={rate}'}, compress={compress}>{text}</llmlingua>"
        for text, rate, compress in segments
    )
    result = compressor.structured_compress_prompt(context, target_token=target)
    least = compressor.structured_compress_prompt(context, target_token=0)
    assert result["compressed_tokens"] == compressor.counter(result["compressed_prompt"])
    assert result["compressed_tokens"] <= max(target, least["compressed_tokens"])
    fixed = "".join(text for text, _, compress in segments if not compress)
    assert "".join(least["compressed_prompt"].split()) == "".join(fixed.split())
    characters = iter("".join(text for text, _, _ in segments))
    assert all(character in characters for character in result["compressed_prompt"] if not character.isspace())


def test_rates_that_ask_for_more_than_the_whole_may_have_are_granted(compressor: BeaverPromptCompressor) -> None:
    tagged = f"<llmlingua, rate=0.9>{HARBOUR}</llmlingua>"
    generous = compressor.structured_compress_prompt(tagged, rate=0.2)
    assert 0.7 * generous["origin_tokens"] < generous["compressed_tokens"] <= 0.9 * generous["origin_tokens"]
    bounded = compressor.structured_compress_prompt(tagged, target_token=30)
    assert bounded["compressed_tokens"] <= 30


def test_segments_without_a_rate_share_what_the_rate_leaves(compressor: BeaverPromptCompressor) -> None:
    tagged = f"<llmlingua, compress=False>Notes:</llmlingua> {HARBOUR} <llmlingua>{OBSERVATORY}</llmlingua>"
    result = compressor.structured_compress_prompt(
        tagged, question="Who photographed the comet?", rate=0.3, concate_question=False
    )
    assert result["compressed_tokens"] <= 0.3 * result["origin_tokens"]
    assert result["compressed_prompt"].startswith("Notes:")
    assert "Ilse Varga" in result["compressed_prompt"]


def test_white_space_between_segments_goes_with_what_is_behind_it(compressor: BeaverPromptCompressor) -> None:
    tagged = "<llmlingua>One.</llmlingua>\n\t<llmlingua, rate=0>Two.</llmlingua>\n<llmlingua>Three.</llmlingua>\n"
    assert compressor.structured_compress_prompt(tagged, rate=1.0)["compressed_prompt"] == "One.\nThree.\n"
    wide = f"<llmlingua, compress=False>Head</llmlingua>{' ' * 9000}<llmlingua>{HARBOUR}</llmlingua>"
    result = compressor.structured_compress_prompt(wide, target_token=60)
    assert result["compressed_prompt"].startswith("Head ")
    assert 20 < result["compressed_tokens"] <= 60


def test_json_text_stays_json(compressor: BeaverPromptCompressor) -> None:
    for arguments in ({"rate": 0.5}, {"target_token": 150}, {"target_token": 0}):
        result = compressor.structured_compress_prompt([TAGGED_JSON], **arguments)
        value = json.loads(result["compressed_prompt"])
        assert list(value) == ["id", "biography", "notes"]
        assert value["notes"][0]["title"] == "Visit"
        assert kept_words(value["biography"], OBSERVATORY)
        assert kept_words(value["notes"][0]["text"], HARBOUR)


def test_instruction_and_question_frame_the_segments(compressor: BeaverPromptCompressor) -> None:
    prompt = compressor.structured_compress_prompt(TAGGED, "Summarize.", "What is item one?", rate=0.6)[
        "compressed_prompt"
    ]
    assert prompt.startswith("Summarize.\n\nChair:")
    assert prompt.endswith("\n\nWhat is item one?")
    assert "Item one is a grant" in prompt


def test_contexts_are_joined_by_blank_lines(compressor: BeaverPromptCompressor) -> None:
    prompt = compressor.structured_compress_prompt([TAGGED, f"<llmlingua>{ORCHARD}</llmlingua>"], rate=0.9)[
        "compressed_prompt"
    ]
    first, second = prompt.split("\n\n")
    assert first.startswith("Chair:")
    assert kept_words(second, ORCHARD)


@pytest.mark.parametrize(
    "context", [None, "", [], [""], "<llmlingua></llmlingua>", "<llmlingua, compress=False></llmlingua>"]
)
def test_empty_input(compressor: BeaverPromptCompressor, context: object) -> None:
    result = compressor.structured_compress_prompt(context)
    assert result["compressed_prompt"] == ""
    assert result["compressed_tokens"] == 0


def test_context_segs(compressor: BeaverPromptCompressor) -> None:
    contexts, segments, rates, flags = compressor.segment_structured_context([TAGGED, TAGGED_JSON], 0.5)
    direct = compressor.compress_prompt(
        contexts, rate=0.5, context_segs=segments, context_segs_rate=rates, context_segs_compress=flags
    )
    assert direct == compressor.structured_compress_prompt([TAGGED, TAGGED_JSON], rate=0.5)


def test_context_segs_rate(compressor: BeaverPromptCompressor) -> None:
    kept = compressor.compress_prompt(HARBOUR, rate=1.0, context_segs=[[HARBOUR]], context_segs_rate=[[0.2]])
    assert kept["compressed_tokens"] <= 0.2 * kept["origin_tokens"]
    none = compressor.compress_prompt(HARBOUR, rate=1.0, context_segs=[[HARBOUR]], context_segs_rate=[[-(10**400)]])
    assert none["compressed_prompt"] == ""


def test_context_segs_compress(compressor: BeaverPromptCompressor) -> None:
    kept = compressor.compress_prompt(HARBOUR, rate=0.2, context_segs=[[HARBOUR]], context_segs_compress=[[False]])
    assert kept["compressed_prompt"] == HARBOUR


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"context_segs": [[], ["a", "b"]]}, InputAssertionError, r"^context_segs\[1\] does not spell its .*; give"),
        (
            {"context_segs": [[], [HARBOUR]], "context_segs_rate": [[], [0.5, 0.5]]},
            InputAssertionError,
            r"should be the same\. Context 1 has 1 segments, 2 rates and 1 flags\.$",
        ),
        (
            {"context_segs": [[], [HARBOUR]], "context_segs_compress": [[], []]},
            InputAssertionError,
            r"should be the same\. Context 1 has 1 segments, 1 rates and 0 flags\.$",
        ),
        (
            {"context_segs": [[], [HARBOUR]], "context_segs_rate": [[], [1.5]]},
            InputAssertionError,
            r"'rate' must not exceed 1\.0.* context_segs_rate\[1\]\[0\] is 1\.5\.$",
        ),
        (
            {"context_segs": [[], [HARBOUR]], "context_segs_rate": [[], ["half"]]},
            InputTypeError,
            r"^context_segs_rate\[1\]\[0\] is of type str: 'half'; give a number$",
        ),
        (
            {"context_segs": [[], ["a", 3]]},
            InputTypeError,
            r"^context_segs\[1\]\[1\] is of type int: 3; give a string$",
        ),
        ({"context_segs": [[HARBOUR]]}, InputAssertionError, r"^context_segs has 1 lists for 2 contexts; give"),
    ],
)
def test_segments_that_do_not_match_are_refused(
    compressor: BeaverPromptCompressor, arguments: dict[str, object], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        compressor.compress_prompt(["", HARBOUR], **arguments)


def test_strict_preserve_uncompressed(compressor: BeaverPromptCompressor) -> None:
    contexts = [f"<llmlingua, compress=False>{ORCHARD}</llmlingua>", HARBOUR, OBSERVATORY]
    strict, loose = (
        compressor.structured_compress_prompt(
            contexts,
            question="Who photographed the comet?",
            rate=1.0,
            force_context_number=1,
            strict_preserve_uncompressed=preserve,
        )
        for preserve in (True, False)
    )
    assert ORCHARD in strict["compressed_prompt"]
    assert ORCHARD not in loose["compressed_prompt"]
    assert "Ilse Varga" in loose["compressed_prompt"]


def test_arguments_are_not_written_to(compressor: BeaverPromptCompressor) -> None:
    contexts, forced = [TAGGED, TAGGED_JSON], [0]
    compressor.structured_compress_prompt(contexts, force_context_ids=forced)
    assert contexts == [TAGGED, TAGGED_JSON]
    assert forced == [0]
