"""Multiple choice: a question, its lettered options and the answer below them."""

from __future__ import annotations

import pytest
from kept_texts import kept
from line_readings import leads_of, needs, units_of

from beaver_compat import BeaverPromptCompressor

QUESTIONS = [
    ("Which organelle makes energy available to the cell?", "the nucleus|the mitochondrion|the ribosome", "B"),
    ("What do plants release in the light?", "nitrogen|carbon dioxide|oxygen|hydrogen", "C"),
    ("How many chambers does the heart of a frog have?", "one|two|three|four", "C"),
    ("Which vitamin is made in the skin by sunlight?", "vitamin A|vitamin B12|vitamin C|vitamin D", "D"),
    ("Which blood cells fight infections?", "white ones|red ones|platelets|none of them", "A"),
    ("Where in the lungs does air come into the blood?", "in the bronchi|in the trachea|in the alveoli", "C"),
    ("Which of these animals lays eggs?", "the dolphin|the platypus|the bat|the seal", "B"),
    ("What is the largest organ of humans?", "the liver|the skin|the brain|the gut", "B"),
]
MARKS = ["{}) ", "({}) ", "{}. ", "[{}] ", "   {}: "]


def quiz(mark: str, answer: str = "Answer: {}", small: bool = False) -> list[str]:
    found = []
    for number, (asked, options, right) in enumerate(QUESTIONS, 1):
        letters = "abcd" if small else "ABCD"
        lines = [mark.format(letter) + option for letter, option in zip(letters, options.split("|"), strict=False)]
        found.append("\n".join([f"{number}. {asked}", *lines, *([answer.format(right)] if answer else [])]))
    return found


def records_of(text: str) -> list[str]:
    found = units_of(text)
    ends = [*found.hard_lines.tolist()[1:], len(text)]
    lines = [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]
    return [line for line, record in zip(lines, found.records, strict=True) if record]


@pytest.mark.parametrize("answer", ["Answer: {}", "**Richtig:** {}", "Correct answer: ({}) as they say", ""])
@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("mark", MARKS)
def test_a_question_and_its_options_are_one_unit(mark: str, small: bool, answer: str) -> None:
    questions = quiz(mark, answer, small)
    assert records_of("Test, class 9b\n\n" + "\n\n".join(questions)) == questions
    assert records_of("Test, class 9b\n\n" + "\n".join(questions)) == questions


def test_a_line_that_does_not_ask_leads_to_options_right_below_it() -> None:
    for text in (
        "The heart of a frog has\nA) one room\nB) two\nKey: B",
        "A frog's heart has ___\n(a) one room\n(b) two",
    ):
        assert records_of(f"{text}\n\nIt rains.") == [text]


def test_no_option_is_kept_without_the_others(compressor: BeaverPromptCompressor) -> None:
    questions = quiz("{}) ")
    text = "Biology test, class 9b\n\n" + "\n\n".join(questions)
    for (asked, _, _), question in zip(QUESTIONS, questions, strict=True):
        for budget in range(55, 250, 25):
            context = kept(compressor, text, asked, budget)
            assert question in context
            for other in questions:
                context = context.replace(other, "")
            assert ") the" not in context
            assert "Answer" not in context


def test_the_options_of_a_long_question_need_it() -> None:
    options = [
        f"{letter}) " + "because it is so and was always so in this valley and " * 3 + letter for letter in "ABC"
    ]
    text = "\n".join(["1. Why is the mill closed?", *options, "Answer: B"])
    assert not units_of(text).records.any()
    for line in (*options, "Answer: B"):
        assert needs(text)[line] == {"1. Why is the mill closed?"}


@pytest.mark.parametrize(
    "text",
    [
        "The tenant shall:\n(a) pay the rent;\n(b) keep dogs out;\n(c) sweep the stairs.",
        "The tenant shall do all of this:\n\n(a) pay the rent\n(b) keep dogs out",
        "The tenant " + "and the owner " * 12 + "shall:\n(a) pay the rent\n(b) keep dogs out",
        "It rains in the valley.\nA. Koch stays at home.\nB. Berg does not.",
        "Who is it?\nB) Ann\nC) Bob",
        "Who is it?\nA) Ann\nb) Bob",
        "Who is it?\nA) Ann",
        "Who is it?\n\nIt rains.\nA) Ann\nC) Bob",
        "A) Ann\nB) Bob\nC) Cem",
        "Is it so?\nA man came in.\nB is a letter.",
    ],
)
def test_what_is_no_choice(text: str) -> None:
    assert not units_of(text).records.any()


def test_a_choice_stays_in_its_context_and_the_last_may_be_what_is_asked() -> None:
    lines, leads = leads_of("Who is it?", "A) Ann\nB) Bob")
    assert leads is None or (leads.needed < 0).all()
    assert len(lines) == 3
    text = "\n\n".join(quiz("{}) ", answer=""))
    assert units_of(text, implicit_query=True).records.sum() == len(QUESTIONS) - 1


def test_hostile_options_come_back() -> None:
    for text in (
        "Why?\nA) x\nB) y\n" * 20_000,
        "A) x\n" * 20_000,
        "(a) " * 50_000 + "\n(b) " * 20_000,
        "Why?\nA) x\n" + "B) y\n" * 20_000 + "(",
    ):
        units_of(text)
        leads_of(text)
