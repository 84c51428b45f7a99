"""What is kept where nothing is looked for: the sentences that say most."""

from __future__ import annotations

import pytest
from kept_texts import kept

from beaver_compat import BeaverConfig, BeaverPromptCompressor
from beaver_compat.scores.tasks import asks_for_all

FACTS = [
    "The harbour of Vessel Bay was built in 1871 by the engineer Clara Dunmore.",
    "Three stone piers, a lighthouse and an ice house belong to the old quay.",
    "Tickets cost 12 crowns, children below six travel free.",
    "Herons nest in reeds behind the western breakwater.",
]
IDLE = [
    "It is what it is, and there is not much more that can be said about it.",
    "As was said before, it was as it has been for as long as it has been there.",
    "This is one of those things that are as they are, and that is how it will be.",
    "And then there is also what there was before that, and it is the same as this.",
    "There is not much to say about it that was not there to be said before it was.",
    "That is how it is there, and it is not as if it was not so before.",
]
PARAGRAPHS = [f"{IDLE[at]} {fact} {IDLE[at + 1]}" for at, fact in enumerate(FACTS)]
TEXT = "\n\n".join([*PARAGRAPHS, IDLE[5]])


def facts_in(context: str) -> int:
    return sum(fact in context for fact in FACTS)


@pytest.mark.parametrize(
    "question", ["", "Summarize the text above.", "Bitte fasse den Text zusammen.", "翻译这段文字。"]
)
def test_sentences_that_say_most_are_kept_where_nothing_is_looked_for(
    compressor: BeaverPromptCompressor, question: str
) -> None:
    by_the_query = BeaverConfig(information_weight=0, number_weight=0)
    other = BeaverPromptCompressor(token_counter="table", config=by_the_query)
    assert facts_in(kept(compressor, TEXT, question, 130)) >= 3
    assert all(
        facts_in(kept(compressor, TEXT, question, budget)) > facts_in(kept(other, TEXT, question, budget))
        for budget in (110, 130)
    )


def test_a_question_ranks_alone(compressor: BeaverPromptCompressor) -> None:
    asked = "What is there to say about it?"
    without = BeaverPromptCompressor(token_counter="table", config=BeaverConfig(information_weight=0))
    assert kept(compressor, TEXT, asked, 60) == kept(without, TEXT, asked, 60)


@pytest.mark.parametrize(
    ("question", "all_of_it"),
    [
        ("Summarise this in three sentences.", True),
        ("Please write a short summary of the meeting.", True),
        ("Could you translate it into French?", True),
        ("Résumez le texte.", True),
        ("要約してください。", True),
        ("What does the summary say about herons?", False),
        ("How do I translate a page?", False),
        ("Which corrections were made?", False),
        ("", False),
    ],
)
def test_tasks_that_take_the_whole_text(question: str, all_of_it: bool) -> None:
    assert asks_for_all(question) == all_of_it
