"""Numbered questions right above numbered answers: an answer comes with its question, which is not kept alone."""

from __future__ import annotations

import re

import pytest
from kept_texts import kept
from line_readings import names

from beaver_compat import BeaverPromptCompressor

FAQ = {
    "What do I do before the first use?": "Wash the inner pot and the lid with mild detergent. Fill in water only and "
    "run the programme called Care once. It takes about 25 minutes. You can connect the app later.",
    "The app does not connect.": "The device only knows the band of 2.4 GHz. The other band cannot be used with it at "
    "all. Check the router, then hold Timer and Warm for 7 seconds at once, which resets the connection. If that is no "
    "help, update the app.",
    "How long can it keep warm?": "Ordinary warming goes on for 12 hours, moist warming for 40. Do not keep mixed rice "
    "warm, as the smell remains. Power costs about a penny an hour.",
    "The display shows H03.": "That says that the inner pot is missing. H05 says that the lid is open, H11 that the "
    "steam vent is blocked. With H20 pull the plug, wait for half an hour and plug it in again.",
    "Who repairs it?": "Repairs are done by Tachi Service, phone 0570-55-0184, closed on weekends. A board costs 143 "
    "crowns, a heater 116. We pay the postage.",
}
FORMS = {"Q{0}. ": "A{0}. ", "Q{0}: ": "A{0}: ", "Frage {0}: ": "Antwort {0}: ", "Question [{0}] ": "Answer [{0}] "}
QUESTIONS = [
    "How is the connection of the app reset?",
    "Which band does the device know?",
    "What does it mean that the display says H05?",
    "What does a board cost when you repair it?",
]


def faq(form: str) -> str:
    pairs = enumerate(FAQ.items(), 1)
    return "\n\n".join(f"{form.format(at)}{asked}\n{FORMS[form].format(at)}{said}" for at, (asked, said) in pairs)


@pytest.mark.parametrize("form", FORMS)
def test_a_numbered_question_names_the_answer(form: str) -> None:
    found = names(faq(form))
    for at, (asked, said) in enumerate(FAQ.items(), 1):
        label = FORMS[form].format(at)
        assert found[f"{label}{said}"] == {f"{form.format(at)}{asked}", label.strip()}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_no_answer_is_kept_below_another_question_and_no_question_alone(
    compressor: BeaverPromptCompressor, form: str, question: str
) -> None:
    text = faq(form)
    asks, says = ({head.format(at): at for at in range(1, len(FAQ) + 1)} for head in (form, FORMS[form]))
    for budget in range(24, 200, 8):
        lines = [line for line in kept(compressor, text, question, budget).split("\n") if line]
        number, told = 0, True
        for line in lines:
            asked = next((at for label, at in asks.items() if line.startswith(label.strip())), 0)
            answer = next((at for label, at in says.items() if line.startswith(label.strip())), 0)
            if asked:
                assert told, (budget, lines)
                assert [*FAQ][asked - 1] in line, budget
                number, told = asked, False
                continue
            assert answer in (0, number) or not number, (budget, lines)
            body = re.sub(r"^\w+ ?\[?\d\]?[.:]? ", "", line)
            assert any(body in said for said in [*FAQ.values()][number - 1 if number else 0 : number or None]), budget
            assert len(body) > 2, (budget, lines)
            told = True
        assert told, (budget, lines)


@pytest.mark.parametrize(
    "pair", ["Q{0}. Why?\nA{0}. So.\n\n", "Q1. Why?\nA1. So.\n", "A1.\nB1.\n", "Q{0}. Why?\nQ{0}. No.\n"]
)
def test_many_numbered_pairs_do_no_harm(compressor: BeaverPromptCompressor, pair: str) -> None:
    text = "".join(pair.format(at) for at in range(10_000)) + "The toll is 24 crowns.\n"
    assert "24 crowns" in kept(compressor, text, "How high is the toll in crowns?", 60)


SPOKEN = {
    "Q: How do I return a broken lamp?": "A: Send it back in its box. We pay for the postage within thirty days.",
    "Q: What does express shipping cost?": "A: Express shipping costs nine euros. It arrives on the next working day.",
    "Q: Can I change the colour of my order?": "A: Yes, until the order is packed. Write to us with your number.",
    "Q: Who repairs the espresso machine?": "A: Our workshop in Turin repairs it. Bring the receipt with you.",
}
LATER = (
    "Batteries must be taken out before you post it. The courier refuses it otherwise.",
    "Islands take two days longer. We tell you at the checkout.",
    "After that it cannot be changed. You may return it for a refund.",
    "This takes about three weeks. A loan costs five euros a week.",
)


def test_an_answer_goes_on_in_further_paragraphs(compressor: BeaverPromptCompressor) -> None:
    pairs = zip(SPOKEN.items(), LATER, strict=True)
    text = "\n\n".join(f"{asked}\n{said}\n\n{later}" for (asked, said), later in pairs)
    found = names(text, units=True)
    for (asked, _), later in zip(SPOKEN.items(), LATER, strict=True):
        assert found[later] == {asked, "A:"}
    asked, later = [*SPOKEN][3], LATER[3]
    assert kept(compressor, text, "How much does a loan cost per week?", 40) == f"{asked}\nA: {later}"


@pytest.mark.parametrize(
    "last",
    [
        "[call ended]\n\nThe caller was told to wait. A callback is due on Monday.",
        "Summary\n\nThe caller was told to wait. A callback is due on Monday.",
    ],
)
def test_what_stands_behind_a_call_is_not_of_its_last_speaker(last: str) -> None:
    said = "Ann: Hello, my line is dead. It has been since noon.\n\nBob: I see that here. I will send a technician."
    found = names(f"{said}\n\n{said}\n\n{last}", units=True)
    assert found["The caller was told to wait. A callback is due on Monday."].isdisjoint({"Ann:", "Bob:"})


def test_the_value_of_a_key_is_no_turn() -> None:
    mail = "From: Ann\nTo: Bob\nSubject: {0}\n\nThe {0} is ready. Come and look at it."
    found = names("\n\n".join(mail.format(thing) for thing in ("lamp", "chair", "table", "stool")), units=True)
    assert "Subject:" not in found["The chair is ready. Come and look at it."]


def test_a_comment_that_asks_is_a_comment() -> None:
    code = (
        "sub {0} {{\n  # hm, should we stop here?\n  return check(1);\n}}\n\n# {0}: ???\nsub made {{\n  return 2;\n}}"
    )
    found = names("\n\n".join(code.format(name) for name in ("tree", "pond", "dam")), units=True)
    assert not any("?" in label for labels in found.values() for label in labels)
    found = names("## How old is it?\n\nIt is old. So it is.\n\n## Who built it?\n\nTwo brothers did. From Graz.")
    assert found["Two brothers did. From Graz."] == {"## Who built it?"}
