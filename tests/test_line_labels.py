"""Lines that name what is below them by their shape: a name and a time, words between rules, a colon at the end."""

from __future__ import annotations

import numpy as np
import pytest
from kept_texts import kept
from line_readings import leads_of, names

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.line_labels import ruled_lines, stamped_lines
from beaver_compat.text.lined_text import read_lines

CHAT = [
    ("Ada Roth", "9:02", "checkout is down for about a third of the users, error rate at 34 %"),
    ("Raj Patel", "9:03", "looking"),
    ("Raj Patel", "9:07", "looks like the payment pods crash since the deploy at 8:51"),
    ("Ada Roth", "9:08", "who deployed?"),
    ("Mika Laine", "9:09", "me. it was only the log format, build 7714"),
    ("Raj Patel", "9:12", "the new logger needs a variable that isn't set in eu-west\nLOG_SINK is missing there"),
    ("Mika Laine", "9:14", "rolling back to 7709, takes four minutes"),
    ("Ines Duarte", "9:16", "support has 61 tickets so far, what do I tell people?"),
    ("Ada Roth", "9:17", "that payments work again by half past nine and that nobody was charged twice"),
    ("Ines Duarte", "9:24", "one customer says she was charged twice, order 55-1029"),
    ("Raj Patel", "9:28", "the second one is only a reservation, it will vanish within three days"),
    ("Ada Roth", "9:31", "closed. Mika writes the report until Thursday, Raj adds a check for missing variables to it"),
]
STAMPS = [
    "{}  {} AM",
    "[{1}] {0}",
    "{}, 12.03.2025 {}",
    "{} (2025-03-12 {})",
    "**{}** {}",
    "{} \u2014 Today at {} AM",
    "{} \u00b7 Mar 12, 2025, {}",
    "12/03/2025, {1} - {0}",
    "@{} | {}",
]
RULES = [
    "--- Comment by {}, 3 June {} ---",
    "-- {} ({}) --",
    "*** {}, {}: note ***",
    "\u2014\u2014 {} at {} \u2014\u2014",
]


@pytest.mark.parametrize("parted", ["\n\n", "\n"])
@pytest.mark.parametrize("form", STAMPS + RULES)
def test_a_line_with_a_name_is_the_label_of_what_is_below_it(
    compressor: BeaverPromptCompressor, form: str, parted: str
) -> None:
    heads = [form.format(name, time) for name, time, _ in CHAT]
    text = parted.join(f"{head}\n{said}" for head, (_, _, said) in zip(heads, CHAT, strict=True))
    found = names(text)
    for head, (_, _, said) in zip(heads, CHAT, strict=True):
        for line in said.split("\n"):
            names_of = next(names_of for whole, names_of in found.items() if line in whole)
            assert names_of - {"who deployed?", CHAT[7][2]} == {head}
    asked = ["Who deployed the broken build?", "Which variable is missing in eu-west?", "Who writes the report?"]
    for budget in range(60, 250, 20):
        for question in asked:
            context = kept(compressor, text, question, budget)
            held = [line for line in context.split("\n") if line.strip()]
            head = ""
            for line, following in zip(held, [*held[1:], ""], strict=True):
                if line in heads:
                    head = line
                    assert following not in heads, budget
                elif len(line) > 20:
                    assert head in next(names_of for whole, names_of in found.items() if line in whole), budget


@pytest.mark.parametrize("form", STAMPS)
def test_a_question_that_ends_a_message_comes_with_the_reply(compressor: BeaverPromptCompressor, form: str) -> None:
    heads = [form.format(name, time) for name, time, _ in CHAT]
    text = "\n".join(f"{head}\n{said}" for head, (_, _, said) in zip(heads, CHAT, strict=True))
    for budget in range(60, 130, 10):
        for question, at in (("Who deployed?", 3), ("What do I tell the people with 61 tickets?", 7)):
            lines = kept(compressor, text, question, budget).split("\n")
            place = lines.index(CHAT[at][2])
            assert lines[place + 1 : place + 3] == [heads[at + 1], CHAT[at + 1][2]], budget


@pytest.mark.parametrize("reply", ["Ada  9:09 AM", "--- 3 June ---"])
def test_who_goes_on_writing_gives_no_reply(compressor: BeaverPromptCompressor, reply: str) -> None:
    text = f"--- 2 June ---\nAda  9:02 AM\nIt rains.\nAda  9:08 AM\nWho has the key?\n{reply}\nI am off at noon."
    assert "off at noon" not in kept(compressor, text, "Who has the key?", 24)
    _, leads = leads_of(text)
    assert leads is not None
    assert "Who has the key?" not in names(text)["I am off at noon."]


@pytest.mark.parametrize(
    "text",
    [
        "Graz  9:02\nLinz  9:58\nWels  10:20\nSteyr  10:41\nTrains run on working days.",  # a timetable
        "Ada Roth  9:02 AM\nIt rains.",
        "The bell rings at 9:02\nin the morning, and\nthe train leaves at 9:10\nor later.",
        "Doors 9:02\nopen slowly\nLunch 12:30\nis served",
        "2024-05-31 10:31:05 start\n2024-05-31 10:31:06 stop\n2024-05-31 10:31:07 start\n2024-05-31 10:31:08 stop",
        "Ada: be there at 9:02\nyes\nAda: or at 9:05\nno",
        "10:32 <ada>\n10:33 <ada>",
        "Psalm 3:16\n\nPsalm 4:12",
    ],
)
def test_what_is_no_name_with_a_time(text: str) -> None:
    assert stamped_lines(read_lines([text])) == {}


@pytest.mark.parametrize(
    "text",
    [
        "--- Comment by Ada ---\nIt rains.",
        "-----BEGIN KEY-----\nabc\n-----BEGIN KEY-----\nabc",
        "--- a/mill.py\n+++ b/mill.py\n--- a/dam.py\n+++ b/dam.py",
        "** bold **\n** bold **\nIt rains.",
        "----- -----\n1 2\n----- -----\n3 4",
        "--- | --- | ---\n--- | --- | ---",
        "-- one --\nIt rains.\n--- two ---\nIt snows.",
        "- one -\n- two -",
        "--verbose --quiet --\n--force --quiet --",
    ],
)
def test_what_is_not_between_rules(text: str) -> None:
    assert ruled_lines(read_lines([text])) == {}


def test_names_reach_into_no_other_context() -> None:
    found = names("Ada  9:02 AM\nIt rains.\n\nAda  9:05 AM", "It snows.\n\nBo  9:07 AM\nIt hails.\n\nStill.")
    assert found["It rains."] == {"Ada  9:02 AM"}
    assert found["It snows."] == set()
    assert found["It hails."] == {"Bo  9:07 AM"}


def test_a_line_that_may_be_a_title_does_not_reach_over_comments() -> None:
    head = (
        "Steps to reproduce:\n1. Open the journal.\n2. Press the button.\n\nThe bar stays at 99 % for hours and hours."
    )
    rest = "\n\n".join(f"--- Comment by {name} ---\nIt is so, and was so, since May." for name in ("Ada", "Raj"))
    found = names(f"Export hangs\nStatus: Open\n\nSince May it hangs for hours on end.\n\n{head}\n\n{rest}")
    assert found["The bar stays at 99 % for hours and hours."] == {"Steps to reproduce:"}
    assert found["It is so, and was so, since May."] == {"--- Comment by Raj ---"}


GROUPS = {
    "For the dough:": ["500 g flour", "1 sachet dry yeast", "80 g sugar", "80 g soft butter", "1 pinch of salt"],
    "For the topping:": ["1.8 kg plums", "60 g sugar", "1 teaspoon cinnamon"],
    "For the crumble:": ["200 g flour", "80 g sugar", "130 g cold butter"],
    "Ada:": ["is there a rule for plums", "I have none"],
}
RECIPE = """Plum cake

Makes one tray, about 20 pieces, for a long table of hungry guests.

{}

Mix flour and yeast in a large bowl. Add sugar and butter and knead until the dough comes off the bowl.

Rub flour, sugar and butter for the crumble between your fingers and scatter it over the plums.
"""


@pytest.mark.parametrize("mark", ["", "- ", "* ", "2 x "])
def test_lines_below_a_colon_are_of_their_own_group(compressor: BeaverPromptCompressor, mark: str) -> None:
    groups = {name: [mark + line for line in lines] for name, lines in GROUPS.items()}
    text = RECIPE.format("\n\n".join("\n".join([name, *lines]) for name, lines in groups.items()))
    for budget in range(40, 160, 10):
        for name in list(GROUPS)[:3]:
            for what in ("sugar", "flour", "butter"):
                context = kept(compressor, text, f"How much {what} is there {name[:-1].lower()}?", budget)
                owner = ""
                for line in filter(None, context.split("\n")):
                    owner = line if line in groups else owner
                    holders = [group for group, lines in groups.items() if line in lines]
                    assert not holders or owner in holders, (budget, line, context)


def test_a_group_that_says_the_same_as_another_is_no_repeat(compressor: BeaverPromptCompressor) -> None:
    text = RECIPE.format("\n\n".join("\n".join([name, *lines]) for name, lines in GROUPS.items()))
    for name in ("For the dough:", "For the crumble:"):
        context = kept(compressor, text, f"How much sugar is needed {name[:-1].lower()}?", 60)
        assert "80 g sugar" in context.partition(name)[2].partition("For the")[0]


@pytest.mark.parametrize(
    "text",
    [
        "For the dough:\n500 g flour\n80 g sugar\n\nPlums\n60 g sugar",
        "He said to us:\nIt will rain in the valley.\n\nShe said to him:\nIt will not, not today.",
        "So we did this:\n\nWe went\n\nAnd then this:\n\nWe came back",
        '"the dough":\n500 g flour\n\n"the crumble":\n80 g sugar',
    ],
)
def test_what_is_no_group(text: str) -> None:
    _, leads = leads_of(text)
    follows = ["500 g flour", "It will rain", "We went"]
    place = next(text.index(said) for said in follows if said in text)
    assert leads is None or not leads.in_items(np.array([place])).any()


def test_hostile_names_come_back() -> None:
    for text in (
        "Ada  9:02 AM\n" * 20_000,
        "Ada  9:02 AM\nx\n\n" * 20_000,
        ("a 1" * 20 + " 9:02 x\n") * 10_000,
        "a " * 20_000 + "9:02",
        "--- x y ---\n" * 20_000,
        "-" * 20_000 + " x " + "-" * 20_000,
        ("-" * 50 + " x " + "-" * 40 + "\n") * 5_000,
        "a:\nb\n\n" * 20_000,
        "a:\n" * 20_000,
        ":" * 20_000 + "1:1" * 20_000,
    ):
        leads_of(text)


def test_words_between_rules_of_a_lines_width_name_what_is_below() -> None:
    report = "\n".join(
        [
            f"{' test session starts ':=^70}",
            "platform linux",
            *(
                f"{f' {name} ':_^70}\nE       assert {value} >= 0\n"
                for name, value in (("test_pay", -3), ("test_ship", 7))
            ),
            f"{' short test summary info ':=^70}",
            "FAILED test_shop.py::test_pay",
            "FAILED test_shop.py::test_ship",
        ]
    )
    compressor = BeaverPromptCompressor(token_counter="table")
    kept = compressor.compress(
        report, question="What was >= 0 in test_pay?", target_token=40, concate_question=False
    ).compressed_prompt
    title = next(line for line in report.splitlines() if line.startswith("___") and "test_pay" in line)
    assert f"{title}\nE       assert -3 >= 0" in kept
