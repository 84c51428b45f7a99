"""Questions that a number answers, and the sentences that have one."""

from __future__ import annotations

import gc
import itertools
import random
import re
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat import BeaverConfig, BeaverPromptCompressor
from beaver_compat.embeddings import load_table
from beaver_compat.scores.amounts import asks_for_number, have_numbers, number_words
from beaver_compat.text.characters import Characters
from beaver_compat.tokenization import Tokenizer


@pytest.mark.parametrize(
    "question",
    [
        "How many days do I have to cure a violation?",
        "and how long does it take",
        "When was the bridge opened?",
        "when's the deadline",
        "In what year did the firm move?",
        "What is the size of the new dataset?",
        "Which average monthly price do they name?",
        "What percentage of voters agreed?",
        "What fee is kept when I cancel?",
        "Which limit is agreed with them?",
        "What is the maximum?",
        "Wie viele Tage habe ich?",
        "Wann wurde die Brücke eröffnet?",
        "Combien de jours ai-je ?",
        "Quelle est la durée du contrat ?",
        "¿Cuántos días tengo?",
        "¿Cuándo se abrió el puente?",
        "Quanto custa o bilhete?",
        "Quanti giorni ho?",
        "Hoeveel dagen heb ik?",
        "Сколько дней у меня есть?",
        "我有多少天？",
        "桥是什么时候开放的？",
        "何日ありますか。",
        "다리는 언제 개통되었나요?",
        "كم عدد أيام الإجازة؟",
        "À quelle heure ouvre le musée ?",
        "¿A qué hora abre el museo?",
        "Quand a été ouvert le pont ?",
        "What time does the museum open?",
        "State the number of employees.",
        "Bitte kurz: Wann findet die Sitzung statt?",
        "Jusqu'à quand est-ce valable ?",
        "Wanneer komt de boot aan",
        "Für wie viel? Ab wann kann jeder darauf zugreifen?",
        "¿Cuál fue la temperatura más alta?",
        "Qual è l'altezza della torre?",
        "几小时？",
        "Wann werden die Bojen geborgen?",
        "Ab wann gilt das?",
        "Seit wann?",
        "Was kostet der Eintritt?",
        "Quand le courrier part-il ?",
        "¿Cuál es el precio?",
        "Quando foi inaugurada a piscina?",
        "A che ora?",
        "Quando parte il treno?",
        "Hoe laat?",
        "Wanneer begint het?",
        "Ile kosztuje stoisko?",
        "Kiedy przyjedzie?",
        "O której godzinie?",
        "Когда был спущен на воду?",
        "В котором часу?",
        "Ücret ne kadar?",
        "Kaç gün saklanır?",
        "Ne zaman?",
        "कितना ब्याज मिलता है?",
        "कितने दिन?",
        "कब खुलता है?",
        "何番ですか",
        "何店舗",
        "Kolik to stojí?",
        "Hur mycket?",
        "När?",
        "Kuinka paljon?",
        "Berapa harganya?",
    ],
)
def test_questions_that_a_number_answers(question: str) -> None:
    assert asks_for_number(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Who was the viceroy when the commission visited India?",
        "What happens when a cable breaks?",
        "Why is the sky blue?",
        "How do I reset my password?",
        "What affects the price?",
        "What limits the speed?",
        "Show the somehow manywhere.",
        "Was passiert, wenn das Kabel reißt?",
        "几乎没有人知道。",
        "请用几句话概括。",
        "Explain how long-term memory works.",
        "What version control system do they use?",
        "Which date palm bears fruit?",
        "What share price trend worries the board?",
        "When should I call a doctor?",
        "Wann darf der Vermieter die Wohnung betreten?",
        "Wann muss ich einen Arzt rufen?",
        "Quand le câble casse, que faut-il faire ?",
        "Quand dois-je appeler un médecin ?",
        "Quando posso chiamare il medico?",
        "Cosa succede quando il cavo si rompe?",
        "Wat gebeurt er wanneer de kabel breekt?",
        "Когда кабель рвётся, что делать?",
        "Что было, когда приехал директор?",
        "Co się dzieje, kiedy kabel pęka?",
        "Ali ile kim geldi?",
        "Quelle île est la plus belle ?",
        "Quale è il nome della torre?",
        "¿Cuál es la capital?",
        "Wer kommt wann?",
        "何が起きますか。",
        "何食べますか。",
        "कबूतर कहाँ है?",
        "Vad händer när kabeln går av?",
    ],
)
def test_questions_that_something_else_answers(question: str) -> None:
    assert not asks_for_number(question)


def test_a_long_question_takes_no_long_time() -> None:
    assert not asks_for_number("what " * 100_000)
    assert not asks_for_number("what " + "a" * 1_000_000)
    for piece in ("qual é o ", ". quand il a, b ", "wann ", "jak ", "何", "?" * 50, ". quand," + " " * 90):
        assert not asks_for_number(piece * 20_000)


@given(st.lists(st.sampled_from(["a", "7", "é", " ", ".", "東", "_", "٣"]), max_size=40).map("".join), st.data())
def test_a_number_does_not_begin_inside_a_word(text: str, data: st.DataObject) -> None:
    edges = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text)), max_size=6))})
    starts, ends = np.array(edges[:-1], dtype=np.int64), np.array(edges[1:], dtype=np.int64)
    begins = [match.start() for match in re.finditer(r"(?<![aé7٣])[7٣]", text)]
    expected = [any(start <= begin < end for begin in begins) for start, end in itertools.pairwise(edges)]
    assert have_numbers(Characters(text), starts, ends).tolist() == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "It lasted seven weeks.",
        "Ten of them were old.",
        "Sie dauerte drei Jahre.",
        "Durò cinque anni.",
        "Durou dez anos.",
        "Het duurde twee jaar.",
        "Это было десять лет.",
        "There are sixty-two of them.",
        "Ninety were sent.",
        "They sent fourteen.",
        "Es waren zwölf.",
        "Erano cinque.",
        "Było ich dziewięć.",
    ],
)
def test_numbers_in_words_count_as_those_in_digits(sentence: str) -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    words = number_words(compressor._tokenizer)
    held = []
    for text in (sentence, "It is one of those that may march to the tienda, elfin and unweekly."):
        ids, offsets, _ = compressor._tokenizer.encode([text])
        held.append(words.among(ids, offsets[:, 1], Characters(text)).size > 0)
    assert held == [True, False]


def test_a_number_in_words_is_not_beaten_by_another_s_digits() -> None:
    text = (
        "The siege of Karst began in 1644 and is told in 2 books. The siege of Karst lasted for seven weeks."
        " The walls of Karst are 4 metres thick. Karst has 300 wells and a market."
    )
    compressor = BeaverPromptCompressor(token_counter="table")
    for budget in range(30, 60, 5):
        kept = compressor.compress(text, question="How long did the siege of Karst last?", target_token=budget)
        assert "seven weeks" in kept.compressed_context


def _report(seed: int) -> tuple[str, str]:
    """Sentences on one matter, of which one has a number, and that number."""
    chance = random.Random(seed)
    traits = ["paid for it", "from Graz", "fond of it", "told to rest", "students", "new to it", "asked again"]
    said = ["The annotators who took part in the study were {}.", "Some annotators took part because they were {}."]
    sentences = [sentence.format(trait) for sentence in said for trait in traits]
    chance.shuffle(sentences)
    number = str(chance.randrange(11, 99))
    sentences.insert(chance.randrange(len(sentences)), f"We had {number} annotators for the study, mostly BERT2 users.")
    return " ".join(sentences), number


@pytest.mark.parametrize("asked_in", ["question", "prompt"])
def test_a_sentence_with_a_number_answers_how_many(asked_in: str) -> None:
    found = {}
    for weight in (BeaverConfig().number_weight, 0.0):
        compressor = BeaverPromptCompressor(token_counter="table", config=BeaverConfig(number_weight=weight))
        found[weight] = 0
        for seed in range(12):
            text, number = _report(seed)
            question = "How many annotators took part in the study?"
            if asked_in == "question":
                kept = compressor.compress(text, question=question, target_token=40).compressed_context
            else:
                kept = compressor.compress(f"{text}\n\n{question}", target_token=40).compressed_context
            found[weight] += number in kept
    assert found[0.2] == 12
    assert found[0.0] < 6


def test_where_no_number_is_asked_for_none_is_preferred() -> None:
    text, _ = _report(3)
    plain, weighed = (
        BeaverPromptCompressor(token_counter="table", config=BeaverConfig(number_weight=weight))
        for weight in (0.0, 1.0)
    )
    for budget in range(20, 120, 10):
        first, second = (
            compressor.compress(text, question="Who took part in the study?", target_token=budget).compressed_prompt
            for compressor in (plain, weighed)
        )
        assert first == second


def test_a_batch_prefers_numbers_only_where_they_are_asked_for() -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    prompts = [
        {"context": _report(seed)[0], "question": question}
        for seed in range(3)
        for question in ("How many annotators took part?", "Who took part?", "")
    ]
    together = compressor.compress_prompts(prompts, target_token=40)
    alone = [compressor.compress_prompts([prompt], target_token=40)[0] for prompt in prompts]
    assert together == alone


def test_a_tokenizer_is_not_kept_alive() -> None:
    tokenizer = Tokenizer(load_table().tokenizer)
    assert number_words(tokenizer) is number_words(tokenizer)
    kept = weakref.ref(tokenizer)
    del tokenizer
    gc.collect()
    assert kept() is None
