"""Speech without punctuation, in one line, as captions and as subtitles: the answer and what is said beside it."""

from __future__ import annotations

import numpy as np
import pytest
from kept_texts import kept

from beaver_compat import BeaverPromptCompressor
from beaver_compat.scores.times import asks_for_times
from beaver_compat.structure.cues import time_lines
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import read_lines

SAID = (
    "so welcome back everybody today we are talking about the old mill by the river and how it was mended hello and "
    "thank you for having me well my grandfather was the last miller there and when he closed it the roof fell in and "
    "nobody did a thing for thirty years and then we bought it with the money from the farm and first we had to get "
    "the mud out which took two summers and after that we made a new wheel out of oak the wheel weighs eleven hundred "
    "kilos and it was lifted in with a crane that came from the harbour and people ask me about the eels yes they are "
    "still there we put in a ladder for them it cost us nine thousand pounds and half of that was paid by the angling "
    "club so now on the first sunday of each month we grind and you can come and watch us tickets for the tour are "
    "four pounds and children go free and there is bread to take home my wife bakes it in the oven behind the house "
    "with rye from the upper field so do come and see us and thank you all for listening to the show today goodbye"
)
WORDS = SAID.split()
LINES = [" ".join(WORDS[at : at + 7]) for at in range(0, len(WORDS), 7)]
FORMS = {
    "one line": SAID,
    "captions": "\n".join(LINES),
    "times": "\n".join(f"{at // 15}:{at % 15 * 4:02}\n{line}" for at, line in enumerate(LINES)),
    "srt": "\n\n".join(
        f"{at + 1}\n00:{at // 15:02}:{at % 15 * 4:02},000 --> 00:{at // 15:02}:{at % 15 * 4 + 3:02},500\n{line}"
        for at, line in enumerate(LINES)
    ),
}
ASKED = {
    "How much does the wheel weigh?": "eleven hundred kilos",
    "What did the ladder for the eels cost?": "nine thousand pounds",
    "How much are the tickets for the tour?": "four pounds",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("question", ASKED)
def test_the_answer_is_kept(compressor: BeaverPromptCompressor, form: str, question: str) -> None:
    context = kept(compressor, FORMS[form], question, 60)
    said = " ".join(line for line in context.split("\n") if any(map(str.isalpha, line)))
    assert ASKED[question] in said
    assert "-->" not in context


@pytest.mark.parametrize("form", ["times", "srt"])
def test_times_are_kept_where_they_are_asked_for(compressor: BeaverPromptCompressor, form: str) -> None:
    context = kept(compressor, FORMS[form], "When do they talk about the ladder for the eels?", 80)
    lines = context.split("\n")
    own = FORMS[form].split("\n")
    spoken = [line for line in lines if line in LINES]
    assert any("ladder" in line for line in spoken)
    for line in spoken:
        assert own[own.index(line) - 1] == lines[lines.index(line) - 1]


@pytest.mark.parametrize("budget", range(8, 40, 4))
def test_some_of_what_is_said_is_kept_in_any_room(compressor: BeaverPromptCompressor, budget: int) -> None:
    context = kept(compressor, FORMS["srt"], "How much does the wheel weigh?", budget)
    assert context.split("\n")[0] in SAID
    assert context


def test_pages_kept_for_their_place_show_no_times(compressor: BeaverPromptCompressor) -> None:
    context = kept(compressor, FORMS["srt"], "How much does the wheel weigh?", 600)
    assert "-->" not in context


def test_pieces_begin_at_words_and_speakers() -> None:
    for text in (SAID, SAID.replace(" well ", " >> well ")):
        pieces = with_units(read_lines([text])).boundaries.onward.tolist()
        assert len(pieces) >= len(SAID) // 100
        assert all(text[place - 1] == " " for place in pieces)
        assert text.find(">>") in (-1, *pieces)
    wide = "今天我们来谈谈河边的老磨坊以及它是怎样修好的" * 30
    pieces = np.diff([0, *with_units(read_lines([wide])).boundaries.onward.tolist()])
    assert 20 <= pieces.min() <= pieces.max() <= 40


@pytest.mark.parametrize(
    "text",
    [
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0" * 40,
        "The mill, the house, the barn, the field and the river, " * 20,
        "x = fetch(url); y = parse(x); z = store(y); " * 20,
        "import numpy\nimport torch\nfrom os import path\nfrom re import sub\nimport json\nimport sys\nimport math",
        "red apples\ngreen pears\nblue plums\nwhite bread\nfresh milk\nbrown eggs\nsalted butter",
        "\n".join(f"The mill by the river was built in that year. Line {at} says so." for at in range(20)),
        "10:30\nopening of the fair\n11:00\nspeech of the mayor\n11:45\nlunch in the park\n13:00\nrace\n15:00\nend",
    ],
)
def test_what_is_no_speech(text: str) -> None:
    boundaries = with_units(read_lines([text])).boundaries
    assert not boundaries.onward.size
    assert not boundaries.times.size


def test_hostile_speech_comes_back() -> None:
    for text in ("a " * 500_000, "a\n" * 200_000, "0:00\n" * 100_000, ">> a " * 200_000, "一" * 500_000):
        lined = with_units(read_lines([text]))
        assert lined.starts.size
        time_lines(lined)


@pytest.mark.parametrize(
    ("question", "times"),
    [
        ("When does she talk about the mite?", True),
        ("At which minute is the goal?", True),
        ("Give me the timestamp of the goal.", True),
        ("Wann wird über die Milbe gesprochen?", True),
        ("When did the mite come to Wales?", False),
        ("How many minutes does it take?", False),
        ("Wann kam die Milbe nach Wales?", False),
    ],
)
def test_questions_for_a_time(question: str, times: bool) -> None:
    assert asks_for_times(question) == times


def test_no_times_stand_behind_a_question(compressor: BeaverPromptCompressor) -> None:
    said = ["Tonight we talk to Marta Lund.", "- How do you sail so far?", "I sleep twenty minutes at a time."]
    said += [
        "- What do you eat out there?",
        "- Rice, mostly. And tinned peaches.",
        "It rains on the harbour all day.",
    ] * 2
    said += ["- And the money goes to?", "- All of it to the lifeboat station."]
    cues = [f"{n}\n00:00:{n:02d},000 --> 00:00:{n:02d},900\n{text}" for n, text in enumerate(said)]
    for question in ("What does Marta eat?", "Where does the money go?", "How does she sail?"):
        for budget in (30, 40, 60, 80):
            found = compressor.compress("\n\n".join(cues), "", question, target_token=budget, concate_question=False)
            assert found.compressed_context
            assert "-->" not in found.compressed_context
