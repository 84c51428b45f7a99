"""The names of a text's parts: numbered labels, headings, speakers' names, and what is kept and found by them."""

from __future__ import annotations

import random

import pytest
from heading_samples import BODY, OTHER
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_texts import kept
from line_readings import PIECES, labels_at, leads_of, names

from beaver_compat import BeaverConfig, BeaverPromptCompressor

STYLES = {
    "Document [{}](Title: The {} (mill)) {}": "Document [{}](Title: The {} (mill))",
    "Paragraph {}: About {}. {}": "Paragraph {}:",
    "Passage {}:\n{} today\n{}": "Passage {}:\n{} today",
    "[{}] On {}. {}": "[{}]",
    "{}. On {}. {}": "{}.",
    "({}) On {}. {}": "({})",
    "Step {} - {}\n{}": "Step {} - {}",
    "### Step {} of {}\n\n{}": "### Step {} of {}",
    "--- Source {} ---\n\nThere were {} of them. {}": "--- Source {} ---",
    "第{}段：{}。{}": "第{}段：",
    "[Quelle {}]\n{} {}": "[Quelle {}]",
    "\u3010文档{}\u3011\n{} {}": "\u3010文档{}\u3011",
    "Документ № {}.\n{} {}": "Документ № {}.",
    '<document index="{}" name="{}">\n{}': '<document index="{}" name="{}">',
    "Chunk #{} (score: 0.{}): {}": "Chunk #{} (score: 0.{}):",
}


@pytest.mark.parametrize("style", STYLES)
def test_the_rest_of_a_part_needs_its_label(style: str) -> None:
    text = "\n\n".join(style.format(n, n * 7, body) for n, body in ((1, BODY), (2, OTHER), (3, BODY)))
    for number, last in ((1, "stay"), (2, "melted down"), (3, "stay")):
        place = text.index(last, text.index(STYLES[style].format(number, number * 7)))
        assert labels_at(text, place) == [STYLES[style].format(number, number * 7)]


@pytest.mark.parametrize(
    "text",
    [
        f"Paragraph 1: {BODY}",  # one alone numbers nothing
        f"1984. {BODY}\n\n12. {OTHER}\n\n7. {BODY}",  # bare numbers count up
        f"10:31 {BODY}\n10:32 {OTHER}",
        f"2024-05-31 {BODY}\n2024-06-01 {OTHER}",
        f"In 1871 {BODY}\n\nIn 1872 {OTHER}",
        f"3.14 {BODY}\n\n4.14 {OTHER}",
        f"{BODY}\n\n{OTHER}",
    ],
)
def test_what_is_no_label(text: str) -> None:
    _, leads = leads_of(text)
    assert leads is None or (leads.label_ends == leads.starts).all()


def test_captions_name_their_own_line_only() -> None:
    text = "\n\n".join(f"Figure {n}: A mill. It is old and has a wheel that turns.\n\n{BODY}" for n in (1, 2, 3))
    assert names(text)[BODY] == set()
    assert names(text)["Figure 2: A mill. It is old and has a wheel that turns."] == {"Figure 2:"}


NOTE = """PMH: HTN, T2DM (dx 2011), s/p CABG 2018.

Medications:
- Metformin 1000 mg PO BID
- Aspirin 81 mg PO daily

Allergies: Penicillin (rash)

Plan: start levofloxacin 750 mg IV daily."""


def test_a_name_with_a_line_of_its_own_ends_the_part_before_it(compressor: BeaverPromptCompressor) -> None:
    found = names(NOTE)
    assert found["- Metformin 1000 mg PO BID"] == found["- Aspirin 81 mg PO daily"] == {"Medications:"}
    for budget in range(20, 70):
        kept = compressor.compress(NOTE, question="How much aspirin?", target_token=budget, concate_question=False)
        assert "PMH: Medications" not in kept.compressed_context, budget


def test_a_heading_ends_the_part_under_a_name() -> None:
    found = names(NOTE.replace("Medications:", "## Medications\n") + "\n\n## More\n\nIt rains.")
    assert found["- Aspirin 81 mg PO daily"] == {"## Medications"}
    assert found["It rains."] == {"## More"}


def test_parts_within_parts() -> None:
    steps = "\n\n".join(f"Step {n}:\n{BODY}" for n in (1, 2, 3))
    text = "\n\n".join(f"Document {n}\n\n{OTHER}\n\n{steps}" for n in (1, 2))
    assert labels_at(text, text.rindex("hard winter")) == ["Step 3:", "Document 2"]


def test_the_last_part_ends_where_it_would_be_the_longest() -> None:
    steps = "\n".join(f"Step {n}: Mill" for n in range(1, 9))
    found = names(f"{steps}\n\n{BODY}\n\n{OTHER}")
    assert found[BODY] == found[OTHER] == set()
    days = "\n\n".join(f"Day {n}\n{BODY}\n\n{OTHER}\n\n{BODY}" for n in (1, 2))
    weeks = "\n\n".join(f"Week {n}\n{BODY}\n\n{OTHER}" for n in (1, 2))
    text = f"{days}\n\n{weeks}"
    assert labels_at(text, text.rindex("melted")) == ["Week 2"]  # the weeks are not of the last day


def test_no_label_reaches_into_another_context() -> None:
    found = names(f"Document 1:\n\n{BODY}", f"Document 2:\n\n{OTHER}", "It rains. It pours.")
    assert found[BODY] == {"Document 1:"}
    assert found[OTHER] == {"Document 2:"}
    assert found["It rains. It pours."] == set()


@given(
    st.lists(
        st.sampled_from([*PIECES, "Step 1:", "Step 2:", "# A", "## B", "Part 3", BODY, "", "[1] x", "[2] y"]),
        max_size=25,
    )
)
@settings(max_examples=200, deadline=None)
def test_labels_stand_before_what_needs_them(rows: list[str]) -> None:
    lines, leads = leads_of("\n".join(rows))
    if leads is None:
        return
    order = range(len(lines))
    assert all(leads.parts[line] < line and leads.around[line] <= leads.parts[line] for line in order)
    assert (leads.label_ends >= leads.starts).all()
    heads = leads.heads_of(leads.starts)
    assert all(head < line for line, head in zip(order, heads.tolist(), strict=True))


WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "flint",
    "grove",
    "heron",
    "iris",
    "jasper",
    "kelp",
    "larch",
    "maple",
    "nectar",
    "olive",
    "pearl",
    "quartz",
    "reed",
]


def passages(style: str, count: int) -> str:
    """Passages of six sentences, each with a word of its own in its third sentence."""
    filler = "Rain fell on the roofs of the town. Bread was sold at the corner, as on any other day of that year."
    return "\n\n".join(
        style.format(n + 1, f"{filler} The {WORDS[n]} was found by a child at dusk. {filler}") for n in range(count)
    )


@pytest.mark.parametrize("style", ["Paragraph {}: {}", "Passage {}:\n{}", "[{}] {}", "{}. {}", "## Passage {}\n\n{}"])
@pytest.mark.parametrize("budget", [40, 80, 200])
def test_what_is_kept_of_a_passage_stands_under_its_label(
    compressor: BeaverPromptCompressor, style: str, budget: int
) -> None:
    text = passages(style, len(WORDS))
    for n, word in enumerate(WORDS):
        question = f"Which passage tells of the {word}?"
        context = compressor.compress(text, question=question, target_token=budget, concate_question=False)
        before, found, _ = context.compressed_context.partition(f"The {word} was found")
        assert found
        labels = [(f"\n{before}".rfind(f"\n{style.format(m + 1, '').strip()}"), m) for m in range(len(WORDS))]
        assert max(labels)[1] == n, (budget, context.compressed_context)
        assert max(labels)[0] >= 0


@pytest.mark.parametrize("style", ["Document [{}](Title: {}) ", "Passage {}: ", "[{}] ", "{}. "])
def test_the_sentence_behind_a_label_goes_before_those_that_it_names(style: str) -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    names = ["Ilse", "Bruno", "Carla", "Dieter", "Elena", "Falk", "Gerda", "Hugo"]
    more = " The mill was rebuilt after the flood. Its wheel turns once in nine seconds. The path is closed in winter."
    text = "\n\n".join(
        f"{style.format(n + 1, name)}{name} ran the shop at gate {n} for years.{more}" for n, name in enumerate(names)
    )
    for name in names:
        question = f"Who is {name}, and which shop did {name} run?"
        kept = compressor.compress(text, question=question, target_token=40, concate_question=False)
        assert f"{name} ran the shop" in kept.compressed_context


def manual(
    rng: random.Random, style: str, names: list[str], facts: list[str], filler: list[str]
) -> tuple[str, dict[str, int]]:
    months = dict(zip(names, rng.sample(range(6, 96), len(names)), strict=True))
    sections = []
    for name in names:
        body = [fact.format(rng.randrange(100, 900)) for fact in facts]
        body += [f"The warranty covers {months[name]} months from the date of purchase.", *filler]
        rng.shuffle(body)
        sections.append(style.format(name) + "\n\n".join(" ".join(body[at : at + 4]) for at in range(0, len(body), 4)))
    return "\n\n".join(sections), months


@pytest.mark.parametrize("style", ["## {}\n\n", "{}\n\n", "**{}**\n\n", "Product: {}\n", "{}\n=========\n"])
def test_what_stands_under_the_heading_that_is_asked_for_goes_first(style: str) -> None:
    products = [
        "Falcon",
        "Heron",
        "Osprey",
        "Kestrel",
        "Swift",
        "Raven",
        "Condor",
        "Sparrow",
        "Wren",
        "Eagle",
        "Harrier",
        "Merlin",
        "Buzzard",
        "Puffin",
    ]
    facts = ["It weighs {} grams with the battery in place.", "On a full charge it runs for {} minutes."]
    filler = [
        "The housing is made of recycled aluminium.",
        "Updates arrive over the air every few weeks and install themselves at night.",
        "A quick start guide in twelve languages is included in the box.",
        "Our support team answers questions on working days between nine and five.",
        "Water splashes do no harm, but the unit must not be submerged.",
    ]
    text, months = manual(random.Random(5), style, products, facts, filler)
    found = {}
    for weight in (0.3, 0.0):
        compressor = BeaverPromptCompressor(token_counter="table", config=BeaverConfig(heading_weight=weight))
        kept = {
            name: compressor.compress(
                text, question=f"How long is the warranty of the {name}?", target_token=120, concate_question=False
            ).compressed_context
            for name in products
        }
        found[weight] = sum(f"covers {months[name]} months" in kept[name] for name in products)
        assert all(name in kept[name] for name in products if f"covers {months[name]} months" in kept[name])
    assert found[0.3] >= len(products) - 1
    assert found[0.0] < found[0.3]


def test_without_labels_the_sentence_is_kept_alone() -> None:
    bare = BeaverPromptCompressor(token_counter="table", config=BeaverConfig(part_labels=False))
    text = passages("Passage {}:\n{}", len(WORDS))
    question = "Which passage tells of the maple?"
    context = bare.compress(text, question=question, target_token=12, concate_question=False).compressed_context
    assert context == "The maple was found by a child at dusk."
    assert not BeaverConfig.paper().part_labels


@pytest.mark.parametrize("form", ["[Document {}] {} espresso machine\n", "## {1}\n\n"])
def test_what_is_said_of_another_product_is_no_repeat(compressor: BeaverPromptCompressor, form: str) -> None:
    names = ["Aster", "Birch", "Cedar", "Dahlia", "Elder", "Fern", "Gentian", "Hazel"]
    text = "\n\n".join(
        f"{form.format(at + 1, name)}The {name} heats up in {20 + at} seconds. It weighs {4 + at} kg. "
        f"The warranty covers {(12, 18, 24)[at % 3]} months. The cable is {80 + at * 3} cm long."
        for at, name in enumerate(names)
    )
    for name in names[3:]:
        for budget in (60, 90, 150):
            context = kept(compressor, text, f"How long is the warranty of the {name}?", budget)
            assert "The warranty covers" in context.partition(name)[2].partition("\n\n[")[0], (name, budget)
