"""Mails with a few lines over each that tell who wrote it: no sentence seems to be of another's mail."""

from __future__ import annotations

import re

import pytest
from kept_texts import kept
from line_readings import names

from beaver_compat import BeaverPromptCompressor

MAILS = [
    (
        "Beth Wells",
        "Orders for the fair",
        "Dear all,",
        "here is where we stand. Booth 47 in hall 5 has 36 square metres and costs 28,900. We set it up from 3 June "
        "at 7:00.\n\nThe hotel is booked for five nights. Two of us sleep in the Warta, as the other one was full.",
    ),
    (
        "Tom Roberts",
        "Re: Orders for the fair",
        "Hello Beth,",
        "three remarks: The prototype of the pump will not be ready. The forklift has to be ordered "
        "by ourselves; last year it was 350 an hour.\n\nWe take two vans. Chris drives the first, I drive the second.",
    ),
    (
        "Magda Duda",
        "Re: Re: Orders for the fair",
        "Good morning",
        "I spoke to the organiser. The deposit for the keys is 500 and comes back after the fair.\n\n"
        "The catering is done by Smakosz, as the other one has no vegan dishes. The coffee machine is lent by us.",
    ),
    (
        "Oscar Land",
        "Re: Re: Re: Orders for the fair",
        "Hi,",
        "well done. The generator is hired from Budmax for 220 a day.\n\nThe surveys are collected by Ingrid until 12 "
        "June. Last year there were 143 of them.",
    ),
]
KEYS = {"From": "To", "Von": "An", "**From**": "**To**"}
RULES = ["---\n", "", "-----Original Message-----\n", "________________\n"]
QUESTIONS = {
    "Who drives the second van?": "Tom Roberts",
    "How much is the deposit for the keys?": "Magda Duda",
    "Why do two of us sleep in the Warta?": "Beth Wells",
    "Who collects the surveys?": "Oscar Land",
}


def thread(key: str, rule: str, count: int = 4, greeting: bool = True) -> str:
    mails = [
        f"{key}: {name}\n{KEYS[key]}: The team\nDate: {day} May 2024\nSubject: {subject}\n\n"
        + (f"{hello}\n\n" if greeting else "")
        + f"{text}\n\n{name[0]}.\n\n"
        for day, (name, subject, hello, text) in enumerate(MAILS[:count], 6)
    ]
    return rule.join(mails)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("key", KEYS)
def test_no_sentence_stands_below_the_sender_of_another_mail(
    compressor: BeaverPromptCompressor, key: str, rule: str, question: str
) -> None:
    text = thread(key, rule)
    for budget in range(70, 240, 20):
        sender, told, empty = "", 0, False
        for line in filter(str.strip, kept(compressor, text, question, budget).split("\n")):
            if line.startswith(f"{key}:"):
                assert not empty, budget  # no mail is kept without text
                sender, empty = line.removeprefix(f"{key}: "), True
            elif ": " not in line or len(line) > 50:
                empty = False
            if body := next((name for name, *_, said in MAILS if len(line) > 20 and line in said), ""):
                assert body == sender, (budget, line)
                told += 1
        assert told, budget
        assert not empty, budget


@pytest.mark.parametrize("greeting", [True, False])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_lines_over_a_mail_name_all_of_its_paragraphs(count: int, greeting: bool) -> None:
    found = names(thread("From", "---\n", count, greeting))
    for name, *_, text in MAILS[:count]:
        for line in text.split("\n\n"):
            [label] = found[line]
            assert label.startswith(f"From: {name}\nTo: The team"), line


def test_titles_over_such_lines_name_what_is_below() -> None:
    recipes = "\n\n".join(
        f"## {title}\n\nServes: 4\nTime: {at}0 minutes\nLevel: easy\n\nPeel {title.lower()} and cook them well."
        for at, title in enumerate(["Leeks", "Beets", "Peas"], 2)
    )
    found = names(recipes)
    for title in ("Leeks", "Beets", "Peas"):
        named = found[f"Peel {title.lower()} and cook them well."]
        assert {name for name in named if name.startswith("## ")} == {f"## {title}"}


def test_two_blocks_of_two_lines_are_no_mails() -> None:
    text = "\n\n".join(f"Colour: red\nSize: {size}\n\nHello,\n\nthe mill is old and grinds rye." for size in "SM")
    assert not any(
        re.search("Colour", name) for name in names(f"# A\n\n# B\n\n{text}")["the mill is old and grinds rye."]
    )


@pytest.mark.parametrize(
    "block", ["a: b\nc: d\ne: f\n\nHi,\n\nWell.\n\n", "---\na: b\n", "a: b\nc: d\ne: f\n\nHi,\n\n"]
)
def test_many_mails_do_no_harm(compressor: BeaverPromptCompressor, block: str) -> None:
    text = block * 20_000 + "The fee is 24 crowns.\n"
    assert "24 crowns" in kept(compressor, text, "How high is the fee in crowns?", 60)
