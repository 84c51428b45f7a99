"""Questions that name their answers, titles over titles, and what is kept with the name of its part."""

from __future__ import annotations

import pytest
from heading_samples import BODY, OTHER
from kept_texts import kept
from line_readings import labels_at, leads_of, names

from beaver_compat import BeaverPromptCompressor

ANSWERS = {
    "How long does shipping take?": "Parcels usually arrive within three to five working days.",
    "Can I return a product?": "Yes, within 30 days, as long as it is unused and in its box.",
    "Do you ship abroad?": "At the moment only to Austria and Switzerland.",
    "How do I reset my password?": "Click on the key symbol on the login page and follow the mail that we send you.",
    "Is there a warranty?": "All devices come with 24 months, batteries with six.",
    "Do you have a shop?": "Ours is in the Herrengasse in Graz, next to the post office.",
    "Can I change my order?": "Until it is packed, which mostly happens on the same evening.",
    "How do I cancel my subscription?": "A short message to the team is enough; it ends with the month.",
}


@pytest.mark.parametrize(
    "style",
    ["{}\n{}", "{}\n\n{}", "**{}**\n{}", "### {}\n\n{}", "{}\n    {}", "<p><b>{}</b></p>\n<p>{}</p>", "{}\u200b\n{}"],
)
def test_a_question_comes_with_its_answer(compressor: BeaverPromptCompressor, style: str) -> None:
    if "\u200b" in style:  # with full-width signs
        style, sign = style.replace("\u200b", ""), "\uff1f"
    else:
        sign = "?"
    text = "\n\n".join(style.format(asked.replace("?", sign), answer) for asked, answer in ANSWERS.items())
    for asked, answer in ANSWERS.items():
        context = compressor.compress(text, question=asked, target_token=45, concate_question=False).compressed_context
        assert answer in context
        assert asked[:-1] in context.partition(answer)[0]


def test_what_is_asked_in_a_story_names_nothing() -> None:
    story = f'{BODY}\n\n"Who was it?"\n\n{OTHER}\n\n"Where did he go?"\n\n{BODY}'
    assert leads_of(story)[1] is None
    assert leads_of(f"Who was it?\n\nWhere did he go?\n\n{BODY}")[1] is None  # the first has no answer: one alone


INTERVIEW = [
    ("You have built boats for forty years. How many have there been?", "Two hundred and six, with the dinghies."),
    ("Which one are you most proud of?", "The Marisol, a cutter of 38 feet. She has been around the Horn twice."),
    ("Why wood and not plastic?", "Because it forgives. My father worked with glass fibre, it ruined his lungs."),
    ("What kind of wood do you use?", "Larch for the planks, oak for the frames. For masts I want spruce."),
    ("Is it hard to find apprentices?", "No. I get some eighty letters a year and take two."),
    ("And who will take over the yard?", "My niece Ragna. She signed the papers in March."),
]


@pytest.mark.parametrize(("asks", "says"), [("INTERVIEWER", "HALVORSEN"), ("Ida Roth", "Ole Berg")])
def test_the_question_of_an_interview_comes_with_the_reply(
    compressor: BeaverPromptCompressor, asks: str, says: str
) -> None:
    turns = [f"{asks}\n{asked}\n\n{says}\n{reply}" for asked, reply in INTERVIEW]
    text = "\n\n".join(["A talk with a boat builder, on a bench in front of the yard, in May.", *turns])
    for asked, reply in INTERVIEW:
        assert labels_at(text, text.index(reply))[:2] == [says, asked]
        for budget in range(60, 140, 20):
            context = compressor.compress(text, question=asked, target_token=budget, concate_question=False)
            assert f"{asked}\n{says}\n{reply}" in context.compressed_context.replace("\n\n", "\n"), budget


def test_a_turn_that_introduces_a_text_answers_nothing(compressor: BeaverPromptCompressor) -> None:
    rooms = {
        "cellar": "rye",
        "attic": "honey",
        "kitchen": "salt",
        "chapel": "candles",
        "stable": "oats",
        "tower": "bells",
    }
    kept_in = {room: f"The {room} of the mill is full of {goods}." for room, goods in rooms.items()}
    lines = "\n\n".join(kept_in.values())
    chat = f"user: Hi\n\nassistant: Hello, how can I help?\n\nuser: Here is my list:\n{lines}\n\nassistant: Thanks."
    for room, line in kept_in.items():
        found = kept(compressor, chat, f"What is the {room} full of?", 30)
        assert line in found
        assert "user: Here is my list:" in found
        assert "how can I help" not in found


def test_a_question_at_a_sections_end_is_not_of_the_next() -> None:
    for question in ("What is to be done?", f"{BODY}\n\nWhat is to be done?"):
        names_of = ("Aims", "Aims") if question[0] == "W" else ("Aims", "Risks")
        text = "\n\n".join(f"## {names_of[0]}\n\n{question}\n\n## {names_of[1]}\n\n{OTHER}" for _ in range(2))
        assert "What is to be done?" not in labels_at(text, text.rindex("The press"))


HISTORY = """HISTORY

0.9.1 -- 2019-01-29
-------------------

Fixed Bugs
~~~~~~~~~~

- Fix the leak of sockets in the pool of the downloader

0.9.0 -- 2018-06-11
-------------------

New Features
~~~~~~~~~~~~

- Add X509 adapter that can handle PKCS12 certificates

Fixed Bugs
~~~~~~~~~~

- Fix the cookie jar when a server sends an empty name
"""


def test_a_title_that_stands_twice_needs_the_one_over_it() -> None:
    assert labels_at(HISTORY, HISTORY.index("leak")) == ["Fixed Bugs\n~~~~~~~~~~", "0.9.1 -- 2019-01-29\n" + "-" * 19]
    assert labels_at(HISTORY, HISTORY.index("cookie"))[-1] == "0.9.0 -- 2018-06-11\n" + "-" * 19
    assert labels_at(HISTORY, HISTORY.index("X509"))[-1] == "0.9.0 -- 2018-06-11\n" + "-" * 19  # so do most beside it


CHANGES = """# Changelog

## [4.2.0] - 2025-03-30

### Added

- `pebble sync --since` takes a date or a commit.

### Fixed

- Files with a colon in their name are no longer skipped on Windows (#1402).

## [4.1.3] - 2025-02-11

### Fixed

- A crash in `pebble diff` on binary files larger than 2 GB (#1377).

### Security

- Updated `libarchive` to 3.7.7 because of a leak of keys.

## [4.1.0] - 2024-12-05

### Added

- Repositories can be stored in the cloud.

### Deprecated

- The option `--fast-list` does nothing any more and will go in 5.0.
"""


@pytest.mark.parametrize(
    ("question", "answer", "version"),
    [
        ("In which version was libarchive updated?", "`libarchive` to 3.7.7", "## [4.1.3]"),
        ("Since when does --fast-list do nothing?", "The option `--fast-list`", "## [4.1.0]"),
        ("When was the crash of pebble diff fixed?", "A crash in `pebble diff`", "## [4.1.3]"),
    ],
)
def test_a_change_comes_with_its_version(
    compressor: BeaverPromptCompressor, question: str, answer: str, version: str
) -> None:
    for budget in range(60, 160, 20):
        found = compressor.compress(CHANGES, question=question, target_token=budget, concate_question=False)
        before, held, _ = found.compressed_context.partition(answer)
        assert held
        assert before.rpartition("\n## ")[2].removeprefix("## ").startswith(version.removeprefix("## ")), budget


def test_a_title_of_its_own_among_such_needs_none_over_it() -> None:
    text = "\n\n".join(
        f"## Mill {number}\n\n### {title}\n\n{BODY}\n\n### {wheel}\n\n{OTHER}"
        for number, title, wheel in ((1, "Oak Gate", "Wheel"), (2, "Salt Path", "Race"), (3, "High Barn", "Wheel"))
    )
    found = names(text)
    assert found["### Oak Gate"] == {"### Oak Gate"}
    assert labels_at(text, text.index("hard winter", text.index("Salt"))) == ["### Salt Path"]
    assert labels_at(text, text.rindex("melted")) == ["### Wheel", "## Mill 3"]


def test_a_part_that_is_indented_ends_with_the_indentation() -> None:
    options = f"""OPTIONS
       It takes these options, one by one or all of them at once, as you like.

       filename
\t   {BODY}

       -C
       --create
\t   {OTHER}

       Note
\t   {BODY}
"""
    assert labels_at(options, options.index("The mill was")) == ["filename"]
    assert labels_at(options, options.index("The press was")) == ["--create", "-C"]
    assert labels_at(options, options.rindex("The mill was")) == ["Note"]


def test_a_sentence_goes_whole_without_its_label_before_it_is_cut_with_it(compressor: BeaverPromptCompressor) -> None:
    said = "The limit of our study is that nobody but the two authors ever saw the mill."
    text = f"## 1 Introduction to the Mill\n\n{BODY}\n\n## 2 A Longer Discussion of All Results\n\n{said} {OTHER}"
    question = "What is the limit of the study?"
    for budget in range(compressor.counter(said), 60):
        result = compressor.compress(text, question=question, target_token=budget, concate_question=False)
        assert said in result.compressed_context, budget
    assert "## 2 A Longer" in result.compressed_context


def test_later_sentences_of_a_long_turn_come_with_the_speaker(compressor: BeaverPromptCompressor) -> None:
    chat = "We should talk about the budget first, as we did last week, and then go on to the rest of the list. " * 3
    said = "The crane is out of order since Monday."
    text = f"Ann: {chat}The lamp costs nine crowns.\n\nBob: {chat}{said}\n\nAnn: {chat}"
    result = compressor.compress(
        text,
        question="Since when is the crane out of order?",
        target_token=compressor.counter(f"Bob: {said}"),
        concate_question=False,
    )
    assert result.compressed_context == f"Bob: {said}"
    assert [text[span.start : span.end] for span in result.spans] == ["Bob:", said]
