"""Turns of a chat: a question comes with the reply, of long turns the best sentence with the speaker."""

from __future__ import annotations

import re

import pytest
from kept_texts import kept

from beaver_compat import BeaverPromptCompressor

CHAT = [
    ("Lucy Barnes", "Good morning, what about the lorry from Tarbert?"),
    ("Ian Moffat", "It came at ten last night, the driver had to wait on pier 4. He left two pallets behind."),
    ("Lucy Barnes", "And what was on the two that are missing, then?"),
    ("Ian Moffat", "One was pumps for Agrosouth, who need them by Friday at the latest. The other was gaskets."),
    (
        "Martha Quick",
        "I spoke to the harbour, they send them today in the small van. Ian, the forklift in hall 3 loses oil again, "
        "so I had it parked. The other one is being inspected until Thursday.",
    ),
    ("Ian Moffat", "Then we have one left. Shall we hire another?"),
    ("Oscar Landa", "Last time Maquinor charged 95 pounds a day for theirs, Alquilex takes 78."),
    (
        "Martha Quick",
        "That was Rob, the apprentice. I put it right in the books. Where we really are short is sunflower oil: 27 "
        "canisters less than there ought to be. Nobody has signed for them.",
    ),
    ("Lucy Barnes", "That is serious, have a look at the cameras of the weekend."),
    ("Martha Quick", "Where is the farewell dinner for Paul in the end?"),
    ("Oscar Landa", "In the Goikoe grill, on 5 July at nine. There are 14 of us, it comes to 38 a head."),
    ("Lucy Barnes", "Ian fetches the watch that we give him; it is paid, 210 between us all."),
]
FORMS = {
    "stamped": lambda at, name, said: f"[09:{at + 10}] {name}: {said}",
    "named": lambda at, name, said: f"{name}: {said}",
    "apart": lambda at, name, said: f"{name} (9:{at + 10}): {said}\n",
}


def chat(form: str) -> str:
    return "\n".join(FORMS[form](at, *turn) for at, turn in enumerate(CHAT))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("question", "asked"),
    [("Where is Paul's farewell?", 9), ("What is missing, what was on it?", 2), ("Shall we hire a forklift?", 5)],
)
def test_a_question_comes_with_the_reply(
    compressor: BeaverPromptCompressor, form: str, question: str, asked: int
) -> None:
    text, reply = chat(form), CHAT[asked + 1][1]
    for budget in range(75, 200, 25):
        lines = [line for line in kept(compressor, text, question, budget).split("\n") if line]
        place = next(at for at, line in enumerate(lines) if CHAT[asked][1] in line)
        assert reply[:20] in lines[place + 1], budget
        assert CHAT[asked + 1][0] in lines[place + 1], budget


def test_who_goes_on_speaking_gives_no_reply(compressor: BeaverPromptCompressor) -> None:
    turns = [
        *CHAT[:9],
        ("Lucy Barnes", "Who has the key of the cellar?"),
        ("Lucy Barnes", "I am off at noon."),
        *CHAT[9:],
    ]
    text = "\n".join(FORMS["stamped"](at, *turn) for at, turn in enumerate(turns))
    for budget in range(24, 36, 4):
        assert "I am off" not in kept(compressor, text, "Who has the key of the cellar?", budget)


@pytest.mark.parametrize("form", FORMS)
def test_of_a_long_turn_the_best_sentence_comes_with_the_speaker(compressor: BeaverPromptCompressor, form: str) -> None:
    text, label = chat(form), FORMS[form](7, "Martha Quick", "").strip()
    said = "Where we really are short is sunflower oil: 27 canisters less than there ought to be."
    for budget in range(compressor.counter(f"{label} {said}") + 1, 70):
        context = kept(compressor, text, "How many canisters of sunflower oil are we short of?", budget)
        assert said in context, budget
        behind = re.findall(rf"{re.escape(label)}\s(.*)", context)
        assert behind
        assert behind[0].startswith(("That was Rob", "I put it", "The other one", said)), budget


@pytest.mark.parametrize("line", ["Ann: What now?", "Ann: So?\nBob: Why?", "[10:10] Ann: So?\n[10:11] Bob: Yes."])
def test_many_questions_do_no_harm(compressor: BeaverPromptCompressor, line: str) -> None:
    text = f"{line}\n" * 20_000 + "Cem: The toll is 24 crowns."
    assert "24 crowns" in kept(compressor, text, "How high is the toll in crowns?", 60)


PRODUCTS = {"Aster": ("red", 4, 24), "Birch": ("blue", 5, 36), "Cedar": ("green", 6, 48)}


def test_sentences_of_lines_with_one_name_each_stand_behind_their_own(compressor: BeaverPromptCompressor) -> None:
    lines = {
        name: [f"I am {colour}.", f"I weigh {weight} kg.", f"My warranty covers {months} months."]
        for name, (colour, weight, months) in PRODUCTS.items()
    }
    text = "\n".join(f"{name}: {' '.join(said)}" for name, said in lines.items())
    for name, said in lines.items():
        for budget in range(34, 90, 3):
            context = kept(compressor, text, f"How many months does the warranty of the {name} cover?", budget)
            assert said[-1] in context, budget
            owner = ""
            for word in re.findall(r"\w+(?=: )|(?:I|My) [^.\n]*\.", context):
                owner = word if word in lines else owner
                assert word in lines or word in lines[owner], budget
