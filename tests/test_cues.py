"""Long cues of subtitles: the sentence that answers best is kept, with the cue's times and speaker."""

from __future__ import annotations

import re

import pytest
from kept_texts import kept

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.cues import cue_texts, subtitle_cues
from beaver_compat.text.lined_text import read_lines

SAID = (
    "The mill was built by two brothers. Its wheel has blades of oak.\nThe flour went down the river to the town in "
    "flat boats, as far as the bridge.\nIn winter the ice stood as high as the {} floor."
)
FLOORS = ["first", "second", "third", "upper"]
FORMS = {
    "srt": "{0}\n00:0{0}:02,000 --> 00:0{0}:04,500\n{1}",
    "vtt": "00:0{0}.000 --> 00:0{0}.900\n<v Ada Roth>{1}",
    "settings": "chapter {0}\n00:00:0{0}.000 --> 00:01:0{0}.900 line:0 position:20%\n{1}",
}
TIMES = re.compile(r"0\d.*-->.*")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("form", FORMS)
def test_a_sentence_of_a_long_cue_comes_with_its_times(compressor: BeaverPromptCompressor, form: str, end: str) -> None:
    cues = [FORMS[form].format(number, SAID.format(floor)).replace("\n", end) for number, floor in enumerate(FLOORS, 1)]
    text = (2 * end).join(cues)
    for cue, floor in zip(cues, FLOORS, strict=True):
        for budget in (65, 80, 100):
            context = kept(compressor, text, f"When in the video was the ice as high as the {floor} floor?", budget)
            place = context.index(f"In winter the ice stood as high as the {floor} floor.")
            times = TIMES.findall(context, 0, place)
            assert times, budget
            assert times[-1].strip() in cue, budget


def test_where_what_is_said_begins() -> None:
    cues = [
        "00:01.000 --> 00:02.000\n<v Ada>It rains.",
        "7\n00:01.000 --> 00:02.000 align:start\n  It snows.",
        "00:01.000 --> 00:02.000\n<v Ada>It rains.\n<v Bo>It snows.",
        "00:01.000 --> 00:02.000\n- It rains.\n- It snows.",
        "00:01.000 --> 00:02.000\n<v Ada>",
    ]
    lined = read_lines(["\n\n".join(cues)])
    texts = cue_texts(lined, *subtitle_cues(lined)[::2])
    assert [lined.text[text : text + 8] if text >= 0 else "" for text in texts.tolist()] == [
        "It rains",
        "It snows",
        "",
        "",
        "",
    ]


def test_hostile_cues_come_back() -> None:
    for said in (" " * 100_000 + "x", "\n" * 50_000, "<v " * 50_000, "- " * 50_000, "x\n" * 50_000):
        lined = read_lines([f"00:01.000 --> 00:02.000\n{said}"])
        cue_texts(lined, *subtitle_cues(lined)[::2])
