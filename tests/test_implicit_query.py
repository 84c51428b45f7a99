"""Where the query begins in a prompt that comes without one."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat import BeaverPromptCompressor
from beaver_compat.implicit_query import find_query
from beaver_compat.text.lined_text import read_lines

COMPRESSOR = BeaverPromptCompressor(token_counter="table")
FILLER = [
    "The mill by the river was rebuilt after the flood.",
    "Its wheel turns once in nine seconds.",
    "Bread is baked there on Saturdays and sold at the gate.",
    "The path along the dam is closed in winter.",
    "Herons nest in the reeds below the weir.",
    "A cart with two oxen brought the stones from the quarry.",
]
TEXT = "\n\n".join(" ".join(FILLER[n:] + FILLER[:n]) for n in range(6))


def query_of(*contexts: str, page_size: int = 64) -> str:
    """What is taken for the question."""
    return found_in(*contexts, page_size=page_size)[0]


def found_in(*contexts: str, page_size: int = 64) -> tuple[str, bool]:
    """What is taken for the question, and whether it asks for something."""
    lined = read_lines(contexts)
    tokens = [COMPRESSOR._tokenizer.encode([context]).offsets[:, 0] for context in contexts]
    origins = lined.context_starts
    starts = np.concatenate([own.astype(np.int64) + origin for own, origin in zip(tokens, origins, strict=True)])
    limits = np.cumsum([0, *(own.size for own in tokens)])
    begin, end, asks = find_query(lined, starts, limits, page_size)
    return lined.text[slice(*np.append(starts, len(lined.text))[[begin, end]])].strip(), asks


@pytest.mark.parametrize(
    "end",
    [
        "Who rebuilt the mill?",
        "Who rebuilt the mill?\n",
        "Who rebuilt the mill? Answer in one word.",
        "Who rebuilt the mill?\nAnswer:",
        "Question: Who rebuilt the mill?\nAnswer:",
        "Question: who rebuilt the mill\n\nAnswer:",
        "**Question 3:** Who rebuilt the mill?",
        "Q: Who rebuilt the mill?\nA:",
        "The question: who rebuilt the mill, and was it paid?\nUse the text only.",
        "Frage: Wer hat die Mühle gebaut?\nAntwort:",
        "问题：谁重建了磨坊？\n答案：",
        "User: Who rebuilt the mill?\nAssistant:",
        "¿Quién reconstruyó el molino?",
        "من أعاد بناء الطاحونة؟",
        "Question: What turns once in nine seconds?\nA. The mill\nB. The wheel\nC. The cart\nD. Is it none?",
        "Which of these is closed in winter?\n\nA. The path along the dam\nB. The gate\nC. The weir",
        "<question>\nWho rebuilt the mill?\n</question>\n\nUse only the text above. Answer with one word.",
        "[QUESTION]\nWho rebuilt the mill?\n[/QUESTION]\n\nUse only the text. Keep the answer short, and explain it.",
        "1. Who rebuilt the mill?\n2. Who was paid?\n3. When does the wheel turn?",
        "Who rebuilt the mill?\n\nWho was paid for it?",
        "Which of these is closed in winter, when herons nest?\n\nA. The path along the dam, which is the longer way to"
        " the town and to the harbour\n\nB. The gate, where bread is sold on Saturdays to all who come by\n\nC. The"
        " weir below the reeds, where the herons nest all through the summer\n\nD. None of them, as the text says",
        "User: Remind me who rebuilt the mill\nAssistant:",
        "User: Who rebuilt it? My son wants to know, because he must write about it for his school.\nAssistant:",
        "Summarize what is said about the mill in three sentences.",
        "List all animals that are mentioned in the text above.\n\nAnswer:",
    ],
)
def test_the_question_at_the_end_is_the_query(end: str) -> None:
    assert query_of(f"{TEXT}\n\n{end}") == end.strip()
    assert query_of(TEXT, TEXT, end) == end.strip()


@pytest.mark.parametrize(
    "opening",
    [
        "Who rebuilt the mill?",
        "Read the text and tell me: who rebuilt the mill? One name is enough.",
        "Answer the question from the text below.\n\nWho rebuilt the mill?",
        "Question: who rebuilt the mill\nA. Ann\nB. Bo",
        "من أعاد بناء الطاحونة؟",
        "Translate to French:",
        "Extract every date.",
        "Summarize the following text in three bullet points:",
        "Translate the text below, all that was rebuilt after the flood, into French:",
        "Summarize the following text in two sentences.",
        "Please list what was rebuilt after the flood. Keep the names.",
        "Fasse den folgenden Text in zwei Sätzen zusammen.",
        "总结下面的文章，用三句话。",
    ],
)
def test_the_question_at_the_beginning_is_the_query(opening: str) -> None:
    assert query_of(f"{opening}\n\n{TEXT}") == opening
    assert query_of(opening, TEXT) == opening
    kept = COMPRESSOR.compress(f"{opening}\n\n{TEXT}", target_token=80)
    assert kept.compressed_context.startswith(opening)
    assert kept.spans[0].role == "query"
    if "rebuilt" in opening:  # the table knows no Arabic
        assert "rebuilt after the flood" in kept.compressed_context


@pytest.mark.parametrize(
    "opening", ["Open the gate by hand.", "Listing 3 has all names.", "Write-ups are below", "The list."]
)
def test_what_tells_the_reader_nothing_about_the_text_is_no_query(opening: str) -> None:
    assert not query_of(f"{opening}\n\n{TEXT}").startswith(opening)


def test_a_question_at_the_beginning_may_stand_right_above_the_text() -> None:
    assert query_of(f"Who rebuilt the mill?\n{TEXT}") == "Who rebuilt the mill?"
    chat = "Ann: How are you?\n" + "Bob: Fine.\nAnn: Well, let us go, then.\n" * 40
    spans = COMPRESSOR.compress(chat, target_token=60).spans
    assert all(span.start > 0 for span in spans if span.role == "query")


def test_the_query_at_the_beginning_ends_with_its_context() -> None:
    contexts = ["How old is the fox?", "The fox is seven years old. " * 9, "The fox jumps."]
    for left in range(1, 20):
        tokens = COMPRESSOR.counter("\n\n".join(contexts)) - left
        query, *_ = COMPRESSOR.compress(contexts, target_token=tokens).spans
        assert (query.context_index, query.start, query.end) == (0, 0, len(contexts[0]))
    later = ["The fox is seven years old. ", "\n\nQuestion: How old is the fox?\nAnswer: 7\n\n", "The fox jumps. " * 9]
    assert all(span.end <= len(later[span.context_index]) for span in COMPRESSOR.compress(later, target_token=40).spans)


@pytest.mark.parametrize("least_left", range(2, 30, 3))
def test_a_table_above_the_question_at_the_beginning_needs_no_sentence_of_the_text(least_left: int) -> None:
    table = "| id | name |\n| -- | ---- |\n| 7 | fox |\n\n\n"
    contexts = [f"{table}Question: How old is the fox?\n\n" + "The brown fox, aged 7, jumps. " * 9, "The fox jumps."]
    tokens = COMPRESSOR.counter("\n\n".join(contexts))
    result = COMPRESSOR.compress(contexts, target_token=tokens - least_left)
    assert result.compressed_context.startswith(f"{table}Question: How old is the fox?\n\n")
    assert all(span.end <= len(contexts[span.context_index]) for span in result.spans)


def test_what_calls_itself_a_question_at_the_beginning_is_the_query_whatever_else_is_asked() -> None:
    asked = "Question: Who rebuilt the mill?"
    assert query_of(f"{asked}\n\n{TEXT}\n\nThe visitors left late. Would they come again?") == asked
    faq = "\n\n".join(f"What is the {word}?\n\n{FILLER[0]}" for word in ["mill", "wheel", "bread", "path", "cart"])
    assert query_of(f"{asked}\n\n{faq}") == asked


@pytest.mark.parametrize("style", ["## {}\n\n", "Passage 3:\n{}\n", "{}\n\n", '<document index="3">\n{}\n'])
def test_the_question_is_not_printed_under_the_last_heading(style: str) -> None:
    names = ["Old Mill", "Beacon School", "Marrow Bridge", "Grey Harbour"]
    parts = [style.replace("3", str(n)).format(name) + " ".join(FILLER) for n, name in enumerate(names)]
    asked = "Where do the herons of the Old Mill nest?"
    for budget in (45, 60, 90):
        kept = COMPRESSOR.compress("\n\n".join([*parts, asked]), target_token=budget).compressed_context
        assert kept.endswith(asked)
        assert "Harbour" not in kept
        assert not re.search(r"(Passage|index=.)3", kept)


def test_the_last_question_of_a_list_does_not_stand_over_the_user_s() -> None:
    faq = {
        "Can I change my plan?": "You can change your plan at any time in the settings of your account.",
        "Can I get my money back?": "Annual plans can be refunded within 14 days, monthly ones not at all.",
        "How do I delete my account?": "Write to us. All files are removed after a month.",
    }
    text = "\n\n".join(f"{question}\n{answer}" for question, answer in faq.items())
    for asked in ("Do you give the money back?", "Question: Do you give the money back?"):
        kept = COMPRESSOR.compress(f"{text}\n\n{asked}", target_token=40).compressed_context
        assert kept.endswith(asked)
        assert "delete my account" not in kept


def test_of_many_questions_the_first_is_not_the_query() -> None:
    text = "\n\n".join(
        f"What is the {word}?\n\n{FILLER[n]}" for n, word in enumerate(["mill", "wheel", "bread", "path"])
    )
    assert not query_of(f"{text}\n\n{TEXT}").startswith("What")


def test_the_last_question_is_the_query() -> None:
    shots = "Question: Who baked?\nAnswer: Ann\n\nQuestion: Who was paid for it?\nAnswer: Bo"
    asked = "Question: Who rebuilt the mill?\nAnswer:"
    assert query_of(f"{TEXT}\n\n{shots}\n\n{asked}") == asked


def test_a_question_on_the_line_below_the_text_or_behind_it() -> None:
    assert query_of(f"{TEXT}\nWho rebuilt the mill?") == "Who rebuilt the mill?"
    assert query_of(f"{TEXT} Who rebuilt the old mill by the river?") == "Who rebuilt the old mill by the river?"


@pytest.mark.parametrize(
    "end",
    [
        "See https://example.org/mill?page=2 for more of it",
        "See https://example.org/mill? for more of it",
        'They said \'why?\' and "what?" and "who?" all day long, and then',
        "OK?",
        "Best regards,\nBo",
        "END OF THE TERMS AND CONDITIONS",
    ],
)
def test_where_nothing_is_asked_the_last_tokens_are_the_query(end: str) -> None:
    query = query_of(f"{TEXT}\n\n{end}")
    assert query.endswith(end)
    assert len(query) > len(end) + 100


@pytest.mark.parametrize(
    "end",
    [
        "Find out who rebuilt the mill.",
        "I need to know who rebuilt the mill, and whether it was paid.",
        "Please tell me the name of the builder.",
        "Could you list all animals that live by the river.",
        "who rebuilt the mill",
        "And how many oxen brought the stones",
        "Wer hat die Mühle gebaut",
        "Cuántas ruedas tiene el molino",
        "告诉我谁重建了磨坊。",
    ],
)
def test_requests_and_questions_without_a_mark_are_known_at_the_end(end: str) -> None:
    assert found_in(f"{TEXT}\n\n{end}") == (end, True)


@pytest.mark.parametrize(
    "end",
    [
        "When the mill was rebuilt, all came to see the wheel turn.",
        "The findings of the two guilds were stated in a letter.",
        "How to find the mill",
        "Named after Ann, who rebuilt it",
    ],
)
def test_sentences_and_titles_at_the_end_ask_nothing(end: str) -> None:
    assert not found_in(f"{TEXT}\n\n{end}")[1]


@pytest.mark.parametrize("text", [" ".join(FILLER), f"{FILLER[0]} {FILLER[1]} Who did it?", "\n\n".join(FILLER[:2])])
def test_most_of_a_short_text_is_no_query(text: str) -> None:
    assert len(query_of(text)) <= len(text) / 2


def test_a_question_far_from_the_end_is_none() -> None:
    query = query_of(f"{TEXT}\n\nWho rebuilt the mill?\n\n{TEXT}")
    assert "Who" not in query


PIECES = [
    "Who is it?",
    "word ",
    "\n",
    "\n\n",
    "Question: ",
    "Q: a",
    "?",
    ". ",
    "One went home. ",
    "漢字？",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    " ",
]
pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=30).map("".join).filter(str.strip)


@given(st.lists(pieces, min_size=1, max_size=3), st.sampled_from([4, 16, 64]))
def test_the_query_is_at_one_end_and_bounded(contexts: list[str], page_size: int) -> None:
    query = query_of(*contexts, page_size=page_size)
    assert query
    assert contexts[-1].rstrip().endswith(query) or "\n\n".join(contexts).lstrip().startswith(query)
    assert COMPRESSOR.counter(query) <= 2 * page_size + 2


def test_prompts_that_end_with_their_question_keep_its_answer() -> None:
    chance = random.Random(4)
    names = ["Ilse", "Bruno", "Carla", "Dieter", "Elena", "Falk", "Gerda", "Hugo"]
    places = ["harbour", "chapel", "granary", "school", "library", "theatre", "stable", "bakery"]
    facts = [f"{name} painted the {place} in the spring." for name, place in zip(names, places, strict=True)]
    body = facts + [sentence for sentence in FILLER for _ in range(6)]
    chance.shuffle(body)
    text = "\n\n".join(" ".join(body[at : at + 4]) for at in range(0, len(body), 4))
    for ending in ("{}", "Question: {}\nAnswer:", "{}\n\nAnswer in one word:"):
        for name, place in zip(names, places, strict=True):
            asked = ending.format(f"Who painted the {place}?")
            kept = COMPRESSOR.compress_prompt(f"{text}\n\n{asked}", target_token=60)["compressed_prompt"]
            assert f"{name} painted the {place}" in kept
            assert kept.endswith(asked)


def test_a_question_in_the_last_segment_ranks_the_others() -> None:
    for place, name in (("granary", "Carla"), ("stable", "Gerda")):
        facts = f"Carla painted the granary in spring. {' '.join(FILLER * 3)} Gerda painted the stable in spring. "
        text = facts + " ".join(FILLER * 3)
        asked = f"Question: Who painted the {place}?"
        tagged = f"<llmlingua, rate=0.1>{text}</llmlingua><llmlingua, compress=False>\n\n{asked}</llmlingua>"
        kept = COMPRESSOR.structured_compress_prompt([tagged])["compressed_prompt"]
        assert f"{name} painted the {place}" in kept
        assert kept.endswith(asked)


def test_a_question_at_the_beginning_finds_its_answer_as_one_at_the_end_does() -> None:
    names = ["Ilse", "Bruno", "Carla", "Dieter", "Elena", "Falk", "Gerda", "Hugo"]
    documents = [
        f"Document [{n}](Title: {name}) {name} ran the shop at gate {n} for years. " for n, name in enumerate(names)
    ]
    text = "\n\n".join(document + " ".join(FILLER) for document in documents)
    for name in names:
        asked = f"Who is {name}, and which shop did {name} run?"
        for prompt in (f"{asked}\n\n{text}", f"{text}\n\n{asked}"):
            kept = COMPRESSOR.compress(prompt, target_token=60).compressed_context
            assert f"{name} ran the shop" in kept
            assert asked in kept
