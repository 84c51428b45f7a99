"""Few-shot examples and records with cues of any words: what is one unit, and what lines need of each other."""

from __future__ import annotations

import pytest
from kept_texts import kept
from line_readings import leads_of, names, needs, units_of

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.examples import cued_blocks
from beaver_compat.text.lined_text import read_lines

SAID = {
    "My parcel was supposed to arrive on Tuesday and nobody has seen it since.": "Delivery",
    "I was charged twice for the same order. Please pay one of them back.": "Billing",
    "The lid of the lunch box does not close, one of the clips is missing.": "Product",
    "I can't log in any more, the reset mail never comes.": "Account",
    "The courier left the box in the rain, everything inside is soaked.": "Delivery",
    "Why is there a fee on my invoice? It was not on the order page.": "Billing",
    "The blue of the cushion is much darker than in the picture. Is that normal?": "Product",
    "Please delete my account and everything that you have stored about me.": "Account",
}
CUES = [
    "Tweet: {}\nSentiment: {}",
    "Message: {}\nCategory: {}",
    "Customer: {}\nAgent: {}",
    "**Mail:** {}\n**Desk:** {}",
    "### Letter: {}\nDesk: {}",
    "Satz 3: {}\nKlasse: {}",
]


@pytest.mark.parametrize("parted", ["\n\n", "\n"])
@pytest.mark.parametrize("form", CUES)
def test_an_example_is_kept_with_its_own_label(compressor: BeaverPromptCompressor, form: str, parted: str) -> None:
    examples = [form.format(*pair) for pair in SAID.items()]
    asked = form.format("I returned the jacket four weeks ago.", "").rstrip()
    text = parted.join(["Classify the text with one word.\n", *examples, asked])
    for budget in range(50, 260, 15):
        found = compressor.compress(text, target_token=budget).compressed_prompt
        assert asked in found
        held = [example for example in examples if example in found]
        assert held
        for example in held:
            found = found.replace(example, "")
        assert not any(said[:20] in found for said in SAID), budget
        assert not any(f": {label}" in found for label in SAID.values()), budget


@pytest.mark.parametrize("parted", ["\n\n", "\n"])
def test_examples_of_four_lines_are_units_where_the_last_waits_for_its_end(parted: str) -> None:
    form = "Email: {}\nOpened: yes\nRead by: Ada\nDesk: {}"
    examples = [form.format(*pair) for pair in SAID.items()]
    asked = "Email: I returned the jacket four weeks ago.\nOpened: no\nRead by: Ida\nDesk:"
    assert lines_of(parted.join([*examples, asked]))[:8] == examples
    assert units_of(parted.join([*examples, asked]), implicit_query=True).records.sum() == len(examples)
    assert not units_of(parted.join(examples)).records.any()


ASKED = {
    "How do I change the filter of the purifier?": "Pull the plug and turn the lid to the left until it clicks. The "
    "old filter goes into the residual waste. Press Reset for three seconds so that the counter starts at zero.",
    "How loud is the purifier at night?": "In sleep mode we measured 24 decibels at a distance of a metre. The fan "
    "may crackle when the ioniser is on, which is harmless. At full power it reaches 53 decibels.",
    "Why does the ring glow red?": "The sensor has found smoke or much dust. Wipe its lens with a dry cotton bud "
    "every second month. If it stays red in clean air, the sensor board has to be replaced.",
    "Does it help against pollen?": "Yes, the fleece holds back 99.5 percent of birch pollen. Keep the windows closed "
    "between five and ten in the morning. Wash curtains once a fortnight during the season.",
    "What happens if I cancel the filter subscription?": "Nothing but that no more parcels come. Credit of more than "
    "4 euros is paid back by transfer. You can take it up again from the app whenever you like.",
}
WANTED = {
    "Which button sets the counter to zero?": "Press Reset for three seconds",
    "How many decibels does it reach at full power?": "53 decibels",
    "How often should the lens of the sensor be wiped?": "every second month",
    "How often are curtains washed in the pollen season?": "once a fortnight",
    "Is credit paid back after I cancel?": "4 euros is paid back",
}


@pytest.mark.parametrize("parted", ["\n\n", "\n\n\n"])
@pytest.mark.parametrize(
    "form", ["Q: {}\nA: {}", "Question: {}\nAnswer: {}", "**Q: {}**\n{}", "Frage: {}\nAntwort: {}"]
)
def test_of_a_long_answer_sentences_are_kept_below_their_question(
    compressor: BeaverPromptCompressor, form: str, parted: str
) -> None:
    text = parted.join(form.format(*pair) for pair in ASKED.items())
    heads = [form.format(asked, "").split("\n")[0] for asked in ASKED]
    found = 0
    for budget in range(30, 70, 6):
        for (question, wanted), head in zip(WANTED.items(), heads, strict=True):
            context = kept(compressor, text, question, budget)
            named = [line for line in context[: context.find(wanted)].split("\n") if line in heads]
            found += wanted in context and named[-1:] == [head]
    assert found >= 23


def test_questions_that_the_text_asks_or_that_show_how_to_think_are_examples() -> None:
    blocks = [f"Q: {asked}\nA: {said}" for asked, said in ASKED.items()]
    assert not units_of("\n\n".join(blocks)).records.any()
    open_ended = "\n\n".join([*blocks, "Q: How heavy is it?\nA:"])
    assert units_of(open_ended, implicit_query=True).records.sum() == len(blocks)
    thought = [f"{block} So the answer is {'no' if at % 2 else 'yes'}." for at, block in enumerate(blocks)]
    assert lines_of("\n\n".join(thought)) == thought


def lines_of(text: str) -> list[str]:
    found = units_of(text)
    ends = [*found.hard_lines.tolist()[1:], len(text)]
    return [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]


NAMES = ["Ada Roth", "Bela Kun", "Cem Ak", "Dora Lind", "Emil Fay", "Fia Horn"]
TOWNS = ["Graz", "Linz", "Wels", "Steyr", "Enns", "Leoben"]
CHATS = [
    "\n".join(f"{name}: {said}" for said, name in zip(SAID, ["Ada", "Bela"] * 4, strict=True)),
    "\n\n".join(f"{name}: {said}" for said, name in zip(SAID, ["Ada", "Bela"] * 4, strict=True)),
    "\n".join(f"{name}: {said}" for said, name in zip(SAID, [*NAMES[:3], *NAMES[1:3], *NAMES[:3]], strict=True)),
]
OTHERS = [
    *CHATS,
    "\n\n".join(
        f"From: {name}\nTo: Gil\nSubject: hay\n\nHay is dear in {town}."
        for name, town in zip(NAMES, TOWNS, strict=True)
    ),
    "services:\n" + "\n".join(f"- name: {town}\n  image: mill\n  port: 80" for town in TOWNS),
    "\n\n".join(f"{town.lower()}:\n  image: mill\n  port: 80" for town in TOWNS),
    "\n\n".join(f"{name}\nStreet: Mill Lane\nTown: {town}" for name, town in zip(NAMES, TOWNS, strict=True)),
    "\n\n".join(["Tweet: one\nSentiment: bad"] * 2),
    "Note: It rains.\nBring boots.\n\nNote: It snows.\nBring coats.\n\nNote: It hails.\nStay here.",
    "Ada: one\nBela: two\nAda: three\nBela: four\n\nAda: five\nBela: six\nAda: seven\nBela: eight"
    + "\n\nAda: ten\nBela: six" * 2,
    "class A:\n    def f():\n" * 3,
]


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_block_of_cues(text: str) -> None:
    begins, _ = cued_blocks(read_lines([text]))
    assert not begins.size


def test_no_block_reaches_into_another_context() -> None:
    begins, _ = cued_blocks(read_lines(["Tweet: one", "Tone: good"] * 4))
    assert not begins.size


def record(at: int) -> list[str]:
    return [
        f"Name: {NAMES[at]}",
        f"Street: Mill Lane {3 * at + 2}",
        f"Town: {TOWNS[at]}",
        f"Phone: 0316 {2100 + 137 * at}",
        f"Born: {at + 3} May {1950 + 3 * at}",
        f"Member: M-{4410 + 71 * at}",
        f"Blood group: {'AB0'[at % 3]} positive",
        f"Doctor: Dr. {'KLMNOP'[at]}. Berg in {TOWNS[(at + 3) % 6]}, on working days between nine and five",
    ]


@pytest.mark.parametrize("parted", ["\n\n", "\n"])
def test_the_lines_of_a_record_need_its_first(parted: str) -> None:
    text = parted.join("\n".join(record(at)) for at in range(6))
    assert lines_of(text) == [line for at in range(6) for line in record(at)]
    for at in range(6):
        for line in record(at)[1:]:
            if line.count("positive") == 0:
                assert needs(text)[line] == names(text)[line] == {record(at)[0]}


@pytest.mark.parametrize("parted", ["\n\n", "\n"])
@pytest.mark.parametrize(("budget", "least"), [(25, 20), (45, 25), (70, 26)])
def test_a_line_of_a_record_is_found_with_its_first(
    compressor: BeaverPromptCompressor, budget: int, least: int, parted: str
) -> None:
    text = parted.join("\n".join(record(at)) for at in range(6))
    found = 0
    for at, name in enumerate(NAMES):
        first, *lines = record(at)
        for line in lines:
            context = kept(compressor, text, f"What is the {line.split(':')[0].lower()} of {name}?", budget)
            found += line in context.partition(first)[2].partition("Name:")[0]
    assert found >= least


def test_a_long_example_has_its_label_below_its_own_text(compressor: BeaverPromptCompressor) -> None:
    more = "We waited for weeks and wrote three times. " * 8
    text = "\n\n".join(f"Tweet: {said} {more}\nTone: {label} {at}" for at, (said, label) in enumerate(SAID.items()))
    for at, (said, label) in enumerate(SAID.items()):
        for budget in range(20, 160, 20):
            context = kept(compressor, text, said, budget)
            before, held, _ = context.partition(f"Tone: {label} {at}")
            assert not held or before.rstrip().endswith("wrote three times."), budget


def test_no_block_goes_over_the_blank_line_behind_another() -> None:
    said = [*SAID, "All parts of it are sold by themselves."]
    chunks = [f"Title: {'AB'[at % 2]}\nContent: {text}" for at, text in enumerate(said)]
    found = needs("\n\n".join(chunks))
    for title, content in (chunk.split("\n") for chunk in chunks):
        assert found[content] == {title}


def test_hostile_cues_come_back() -> None:
    for text in (
        "".join(f"a{number % 7}b: x\n" for number in range(20_000)),
        "".join(f"{chr(97 + number % 26)}{chr(97 + number // 26 % 26)}: x\n" for number in range(20_000)),
        "Tweet: x\nTone: y\n\n" * 10_000,
        "Tweet: " * 20_000 + "\n" + "Tone: " * 20_000,
        "Q: Why?\nA: It is so. It was so.\n\n" * 10_000,
        ("Q: Why?\nA: " + ". " * 2_000 + "\n\n") * 10,
        "a: x\nb: y\n" + "c: z\n" * 20_000 + "a: x\nb: y\n" * 3,
    ):
        units_of(text)
        leads_of(text)


def test_passages_below_their_titles_are_kept_in_sentences(compressor: BeaverPromptCompressor) -> None:
    said = {
        "Losses": "Much water leaks away each year. The mains are of 1940. The programme is led by Marta Ilves.",
        "Charges": "Customers are billed twice a year. With a meter they pay 1.84. The Blue Card halves the charge.",
        "Board": "It consists of nine members. Its chair is Oluwaseun Pratt. Minutes are published within ten days.",
    }
    chunks = [
        f"Title: {title}\nContent: {text} So it has been as long as any of us can remember, and so it will be for long."
        for title, text in said.items()
    ]
    found = kept(compressor, "\n\n".join(chunks), "Who leads the programme?", 32)
    assert found.startswith("Title: Losses\nContent:")
    assert "The programme is led by Marta Ilves." in found
