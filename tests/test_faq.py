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
