"""Units of several lines or sentences: few-shot examples, fenced blocks and lines of a transcript."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from line_readings import boundaries_of, units_of
from text_kinds import EXAMPLES, FEW_SHOT

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.cues import subtitle_cues
from beaver_compat.structure.lead_finder import find_leads
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import read_lines


def test_short_fenced_blocks_are_records() -> None:
    short, long = "```sh\nfetch\n\n# all\nbuild\n```", "~~~\n" + "step\n" * 40 + "~~~"
    text = f"To build:\n\n{short}\n\nOr:\n\n{long}\n\n    {short}\n\n```\nopen"
    found = units_of(text)
    ends = [*found.hard_lines.tolist()[1:], len(text)]
    lines = [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]
    assert [line for line, record in zip(lines, found.records, strict=True) if record] == [short, short]
    assert len(lines) == 2 + 2 + 42 + 2
    leads = find_leads(read_lines([text]).with_boundaries(found))
    assert leads is not None
    for at, expected in ((0, [0, 1]), (1, [0, 1]), (2, [2, 3, 4, 44]), (10, [2, 3, 44])):
        chosen = leads.of(leads.starts[[at]], leads.text_ends[[at]])[0]
        assert set(found.hard_lines.searchsorted(chosen).tolist()) | {at} == {at, *expected}
    apart = replace(read_lines([text]), context_starts=np.array([0, text.index("all")]))
    assert not with_units(apart).boundaries.records[:3].any()


def test_examples_are_records() -> None:
    for text in (FEW_SHOT, f"Solve these.\n\n{FEW_SHOT}\n\nNow you.", FEW_SHOT.replace("\n", "\r\n")):
        found = units_of(text)
        ends = [*found.hard_lines.tolist()[1:], len(text)]
        pieces = [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]
        assert [
            piece.replace("\r", "") for piece, record in zip(pieces, found.records, strict=True) if record
        ] == EXAMPLES
        for column in (found.labels, found.tables, found.terminated, found.after_blank):
            assert column.size == found.hard_lines.size


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLES[0],
        "Question: one\n\nQuestion: two",
        "\n\n".join(["Pat: Good morning.\nIt rains.", "Pat: Yes.\nIt does."]),
        "\n\n".join(["Question: " + "so it goes " * 400 + "\nAnswer: 1"] * 2),
    ],
)
def test_what_is_no_example(text: str) -> None:
    assert not units_of(text).records.any()


TRANSCRIPTS = [
    "[2024-05-02 10:{}] {}: {}",
    "10:{} <{}> {}",
    "{1} (10:{0}): {2}",
    "**{1}:** {2}",
    "02/05/2024, 10:{} - {}: {}",
    "{1}\uff1a{2}",
]
SAID = [
    ("Ida Roth", "Is the pump fixed? I need it for the lower field. It has been dry for days."),
    ("Ole", "No. The seal is on order from Bergen. It comes on Friday, says the shop."),
    ("Ida Roth", "Fine. Then I borrow one. Do you still have the small petrol pump? Mine was sold."),
    ("Kim", "Ours is free. Fetch it after six. The key hangs behind the door of the barn."),
]


@pytest.mark.parametrize("form", TRANSCRIPTS)
def test_a_line_of_a_transcript_is_one_sentence(form: str) -> None:
    lines = [form.format(10 + minute, name, said) for minute, (name, said) in enumerate(SAID)]
    text = "It was a dry May. Nothing grew.\n\n" + "\n".join(lines)
    before = boundaries_of(text)
    found = units_of(text)
    own = [text.index(line) for line in lines]
    assert found.hard_lines.tolist() == [0, *own]
    assert [text[label : label + 2] for label in found.labels[1:].tolist()] == [said[:2] for _, said in SAID]
    assert found.labels[0] == 0
    assert found.sentences.tolist() == [place for place in before.sentences.tolist() if place < own[0]]


@pytest.mark.parametrize(
    "text",
    [
        "Note: It rains. It pours.\nBring boots. Bring coats.",
        "See http://a.example. It is new.\nSee http://b.example. It is old.",
        "The pump was dry. Ida said: no.\nThe field was dry. Ole said: yes.",
        "Ida: no. Then yes.",
    ],
)
def test_what_is_no_transcript(text: str) -> None:
    before, found = boundaries_of(text), units_of(text)
    assert found.sentences.tolist() == before.sentences.tolist()
    assert found.labels.tolist() == found.hard_lines.tolist() == before.hard_lines.tolist()


def test_long_speeches_may_be_cut() -> None:
    text = "\n".join(f"{name}: " + "It rained on the hill for a day. " * 12 for name in ("Ida", "Ole") * 2)
    assert units_of(text).sentences.tolist() == boundaries_of(text).sentences.tolist()


def test_the_last_block_is_no_example_where_it_is_the_question(compressor: BeaverPromptCompressor) -> None:
    found = units_of(FEW_SHOT, implicit_query=True)
    assert found.records.sum() == len(EXAMPLES) - 1
    result = compressor.compress(FEW_SHOT, target_token=150)
    assert result.spans[-1].role == "query"
    assert result.compressed_prompt.endswith("The answer is 146")


CUES = [
    "We came to the mill\nbefore the snow fell.",
    "<i>Nobody had seen the miller\nsince the feast of St. Luke.</i>",
    "- Where is the key?\n- Under the stone.",
    "Inside the clock had stopped.",
]
CUE_FORMS = {
    "srt": ("", "{0}\n00:{0:02}:02,000 --> 00:{0:02}:04,500\n{1}"),
    "vtt": ("WEBVTT - Some title\n\nNOTE A sentence. And another.\n\n", "00:{0:02}.000 --> 00:{0:02}.900\n{1}"),
    "settings": ("WEBVTT\n\n", "chapter {0}\n00:00:{0:02}.000 --> 00:01:{0:02}.900 line:0 position:20%\n{1}"),
}


@pytest.mark.parametrize("form", CUE_FORMS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_a_cue_says_is_a_line_below_its_times(form: str, end: str) -> None:
    head, cue = CUE_FORMS[form]
    cues = [cue.format(number, said).replace("\n", end) for number, said in enumerate(CUES, 7)]
    text = head.replace("\n", end) + (2 * end).join(cues)
    found = units_of(text)
    ends = [*found.hard_lines.tolist()[1:], len(text)]
    lines = [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]
    said = [one.replace("\n", end) for one in CUES]
    assert lines[-2 * len(cues) + 1 :: 2] == said
    times = [text[start:].split(end + line)[0] for start, line in zip(found.times.tolist(), said, strict=True)]
    assert times == lines[-2 * len(cues) :: 2]


def test_cues_without_blank_lines_between_them_end_at_the_next() -> None:
    cue = CUE_FORMS["srt"][1]
    cues = [cue.format(number, said) for number, said in enumerate(CUES, 1)]
    found = units_of("\n".join(cues))
    assert found.hard_lines.size == 2 * found.times.size == 2 * len(cues)


def test_times_and_arrows_in_other_text_make_no_cue() -> None:
    for text in ("<!-- a -->\n12:30 --> 13:10 by train\nor bus", "See:\n00:01:02,000 -->\nnothing", "a --> b\nc"):
        begins, *_ = subtitle_cues(read_lines([text]))
        assert not begins.size
    long = units_of(CUE_FORMS["srt"][1].format(1, "- and so on\n" * 40))
    assert long.hard_lines.size == 1 + 40


@pytest.mark.parametrize("form", CUE_FORMS)
@pytest.mark.parametrize("budget", range(60, 150, 15))
def test_cues_are_kept_whole(compressor: BeaverPromptCompressor, form: str, budget: int) -> None:
    head, cue = CUE_FORMS[form]
    cues = [cue.format(number, said) for number, said in enumerate(CUES * 3, 7)]
    text = head + "\n\n".join(cues)
    result = compressor.compress(
        text, question="When in the film is the key spoken of?", target_token=budget, concate_question=False
    )
    kept = result.compressed_context
    assert any("Under the stone" in cue and cue in kept for cue in cues)
    for line in head.split("\n"):
        kept = kept.replace(line, "", 1) if line else kept
    for cue in cues:
        kept = kept.replace(cue, "", 1)
    assert not kept.strip() or kept.strip() in head


def test_names_with_a_date_in_brackets_are_labels() -> None:
    notes = ["[a.koch, 2024-02-03] It rains. It pours.", "[Li Ho 10:31]: It snows. It hails."]
    found = units_of("\n".join(notes))
    assert (found.labels - found.hard_lines).tolist() == [note.index("It ") for note in notes]
    assert found.sentences.size >= 2  # each of several sentences is for itself
    for other in ("[Fri Feb 02 10:31:05 2024] It rains. It pours.", "[3] It rains. It pours.", "[sic] It. Pours."):
        found = units_of(f"{other}\n{other}")
        assert (found.labels == found.hard_lines).all()
