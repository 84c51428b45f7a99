"""Words are scored in one form, wherever they stand; nothing else changes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizer_factory import FAMILIES

from beaver_compat import BeaverConfig, BeaverPromptCompressor
from beaver_compat.scores import word_forms
from beaver_compat.scores.word_forms import formed_ids, forms_of, odd_words, words_of
from beaver_compat.text.characters import Characters
from beaver_compat.tokenization import Tokenizer

CAPITALS = re.compile(
    r"(?<![^\W_河狸])(?:[A-ZÄÖÜ]{4,}(?![^\W_河狸])|(?<=_)[A-ZÄÖÜ]{2,}(?![^\W_河狸])|[A-ZÄÖÜ]{2,}(?=_))"
)
LETTERS = re.compile(r"(?<![^\W_])[^\W\d_河狸]{2,40}(?![^\W_])")
CONNECTED = re.compile(r"[^\W\d_河狸][-'’./@&+_]")
BITS = ["LIABILITY", "Über", "ÜBER", "NOT", "A", "x", "MAX_SIZE", "ABCD1", "mona", "Mona", "2nd", "河狸", "a" * 41]
SIGNS = [" ", ".", "(", "\n", "-", ",", '"', "|", "\t", "'", "_", ",  ", "@"]
texts = st.lists(st.sampled_from(BITS + SIGNS), max_size=20).map("".join)


@cache
def made(family: str) -> Tokenizer:
    return Tokenizer(FAMILIES[family]())


def odd(text: str) -> list[tuple[int, int, bool]]:
    """The words that stand in another form, by patterns: where they begin and end, and whether they are capitals."""
    found = {match.span(): True for match in CAPITALS.finditer(text)}
    for match in LETTERS.finditer(text):
        before = text[max(match.start() - 2, 0) : match.start()]
        if before[-1:] != " " and not CONNECTED.fullmatch(before):
            found.setdefault(match.span(), False)
    return sorted((start, end, capital) for (start, end), capital in found.items())


@given(texts, st.integers(1, 60))
@settings(max_examples=300, deadline=None)
def test_odd_words_are_found_piece_by_piece(text: str, at_once: int) -> None:
    characters = Characters(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_forms, "CHARACTERS_AT_ONCE", at_once)
        words = odd_words(characters)
    assert list(zip(*(column.tolist() for column in words), strict=True)) == odd(text)


@pytest.mark.parametrize("family", FAMILIES)
@given(texts)
@example("LIABILITY河狸_LIABILITY")
@example("NOT_.|NOT")
@settings(max_examples=30, deadline=None)
def test_a_words_tokens_are_those_of_its_form(family: str, text: str) -> None:
    tokenizer = made(family)
    ids, offsets, _ = tokenizer.encode([text])
    starts, ends = offsets.T.astype(np.int64)
    expected = ids.tolist()
    for word_start, word_end, capital in odd(text):
        word = text[word_start:word_end].lower() if capital else text[word_start:word_end]
        form, places, _ = tokenizer.encode([" " + word])
        begins = [max(at - 1, 0) for at in places[:, 0].tolist()]
        first = max((index for index, at in enumerate(begins) if at <= 0), default=0)  # behind the space's own token
        held = [token for token in range(ids.size) if ends[token] > word_start and starts[token] < word_end]
        for place, token in enumerate(held):
            inside = max(int(starts[token]) - word_start, 0)
            own = [index for index, at in enumerate(begins) if at <= inside][-1]
            expected[token] = form[first + place if len(form) - first == len(held) else own]
    found = formed_ids(ids, starts, ends, text, odd_words(Characters(text)), tokenizer.encode)
    assert found.tolist() == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_forms_are_all_tokens_that_spell_the_same_but_for_case(family: str) -> None:
    tokenizer = made(family)
    vocabulary = tokenizer.backend.get_vocab()
    spelt = {index: token.replace("Ġ", " ") if tokenizer.bytewise else token for token, index in vocabulary.items()}
    ids = np.arange(tokenizer.vocab_size, dtype=np.int32)
    members, formed = forms_of(tokenizer, ids)
    found = set(zip(members.tolist(), formed.tolist(), strict=True))
    assert {(index, index) for index in ids.tolist()} <= found
    assert all(spelt[one].lower() == spelt[other].lower() for one, other in found)
    plain = {index: token.lower() for index, token in spelt.items() if re.fullmatch("[ ▁]?[A-Za-z]{2,}", token)}
    pairs = {(one, other) for one, small in plain.items() for other, same in plain.items() if small == same}
    assert pairs <= found
    assert len(pairs) > len(plain) or family == "bert"  # which has none but small letters


@pytest.mark.parametrize("family", FAMILIES)
@given(texts)
@settings(max_examples=30, deadline=None)
def test_word_sizes_count_the_tokens_between_other_signs(family: str, text: str) -> None:
    ids, offsets, _ = made(family).encode([text])
    starts, ends = offsets.T.astype(np.int64)
    words: list[list[int]] = []
    for token in range(ids.size):
        start = int(starts[token])
        inside = start > 0 and re.fullmatch(r"[^\W_河狸]{2}", text[start - 1 : start + 1])
        if words and (inside or start == ends[token]):
            words[-1].append(token)
        else:
            words.append([token])
    expected = [len(word) for word in words for _ in word]
    sizes, numeric = words_of(Characters(text), starts, ends)
    assert sizes.tolist() == expected
    digits = [any(map(str.isdigit, text[starts[word[0]] : ends[word[-1]]])) for word in words for _ in word]
    assert numeric.tolist() == digits


def test_a_key_matches_a_question_in_small_letters() -> None:
    keys = ["Issued", "Due", "Paid", "Ordered", "Shipped", "Booked", "Cancelled", "Refunded", "Reviewed", "Closed"]
    text = "\n".join(f"{key}: day {index + 11}" for index, key in enumerate(keys))
    missed: dict[bool, list[str]] = {}
    for folds in (True, False):
        compressor = BeaverPromptCompressor(token_counter="table", config=BeaverConfig(fold_words=folds))
        context = compressor.prepare(text)
        missed[folds] = [
            key
            for key in keys
            if f"{key}:"
            not in compressor.compress(
                context, question=f"and when was it {key.lower()}?", target_token=10, concate_question=False
            ).compressed_context
        ]
    assert not missed[True]
    assert missed[False]


def test_question_words_of_many_pieces_weigh_no_more_than_others() -> None:
    """The bundled vocabulary spells ``qual`` and ``diária`` in pieces."""
    rooms = ["Vale Verde", "Pedra Azul", "Casa do Rio", "Monte Claro", "Porto Velho", "Lagoa Nova"]
    rows = [f"| {room} | {84 + 7 * index},50 | {61 + 9 * index},8 |" for index, room in enumerate(rooms)]
    notes = (
        "Qualquer hóspede que queira qualificar a sua estadia pode qualquer dia falar com a recepção da pousada. "
        "Durante o inverno a piscina fica fechada, e a sauna abre às sextas; quem quiser qualidade chega cedo. "
    )
    text = "\n".join([notes * 3, "", "| Pousada | Diária média | Ocupação |", "|---|---|---|", *rows])
    compressor = BeaverPromptCompressor(token_counter="table")
    context = compressor.prepare(text)
    for room, row in zip(rooms, rows, strict=True):
        question = f"Qual foi a diária média da pousada {room}?"
        assert row in compressor.compress(context, question=question, target_token=110).compressed_context


def test_a_clause_in_capitals_answers_a_question_in_small_letters() -> None:
    text = (Path(__file__).parent.parent / "docs/demo/gpl-3.0.txt").read_text(encoding="utf-8")
    for folds in (True, False):
        compressor = BeaverPromptCompressor(token_counter="table", config=BeaverConfig(fold_words=folds))
        result = compressor.compress(
            text, question="Who bears the cost of servicing a defective program?", target_token=150
        )
        assert ("ALL NECESSARY SERVICING" in result.compressed_context) == folds


FIRST = ["Anna", "Ben", "Carla", "Elif", "Femi", "Grace", "Ines", "Jonas", "Mona", "Olga", "Rosa", "Will"]
LAST = ["Adams", "Evans", "Gupta", "Khan", "Meyer", "Novak", "Rossi", "Vogel", "Young", "Zhang"]
NAMES = [(FIRST[index % 12], LAST[(index + index // 60) % 10]) for index in range(120)]
TABLES = {
    "csv": ("id,name,mail,salary", "{id},{first} {last},{mail}@example.com,{salary}"),
    "markdown": (
        "| id | name | mail | salary |\n|---|---|---|---|",
        "|{id}|{first} {last}|{mail}@example.com|{salary}|",
    ),
    "json": ("", '{{"id": {id}, "name": "{first} {last}", "mail": "{mail}@example.com", "salary": {salary}}}'),
}


@pytest.mark.parametrize("kind", TABLES)
def test_the_row_of_a_name_is_kept_however_the_cell_spells_it(kind: str) -> None:
    header, row = TABLES[kind]
    rows = [
        row.format(id=1000 + index, first=first, last=last, mail=f"{first}.{last}".lower(), salary=30_000 + 457 * index)
        for index, (first, last) in enumerate(NAMES)
    ]
    assert len(set(NAMES)) == len(NAMES)
    compressor = BeaverPromptCompressor(token_counter="table")
    context = compressor.prepare("\n".join([header, *rows] if header else rows))
    missed = []
    for (first, last), wanted in zip(NAMES, rows, strict=True):
        result = compressor.compress(context, question=f"What is the salary of {first} {last}?", target_token=130)
        if wanted not in result.compressed_context:
            missed.append(wanted)
    assert not missed
