"""Texts of many kinds, and what must hold for a result on any of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import pairwise

from beaver_compat import CompressionResult
from beaver_compat.result import ROLES

SUBJECTS = ("The beaver", "A farmer", "Her sister", "The old river", "Dr. Smith", "Nobody", "The mayor of Kent", "It")
VERBS = ("builds", "sees", "remembers", "crosses", "does not like", "paid $3.50 for", "wrote to", "follows")
OBJECTS = ("a dam", "the bridge at 5 p.m.", "three stones", "the long road, slowly", "water", "a letter (two pages)")
WORDS = ["river", "stone", "alpha", "return", "value", "total", "count", "while", "branch", "dam", "water", "lodge"]

PARAGRAPHS = {
    "latin": "The beaver {n} builds a dam of branches. The pond behind it is {n} feet deep! Who would cross it?",
    "cyrillic": "Бобр {n} строит плотину из веток. Пруд за ней глубиной {n} метров! Кто его переплывёт?",
    "greek": "Ο κάστορας {n} χτίζει φράγμα από κλαδιά. Η λίμνη πίσω του έχει βάθος {n} μέτρα! Ποιος θα περάσει;",
    "arabic": "القندس {n} يبني سدا من الأغصان. البركة خلفه عمقها {n} أمتار! من سيعبرها؟",
    "hebrew": "הבונה {n} בונה סכר מענפים. הבריכה מאחוריו בעומק {n} מטרים! מי יחצה אותה?",
    "devanagari": "ऊदबिलाव {n} शाखाओं से बाँध बनाता है। पीछे का तालाब {n} मीटर गहरा है। कौन पार करेगा?",
    "han": "第{n}只河狸用树枝筑坝。坝后的池塘有{n}米深！谁会游过去？",
    "kana": "ビーバー{n}は枝でダムを作る。その池は{n}メートルの深さだ！だれが渡るのか？",
    "hangul": "비버 {n}은 나뭇가지로 댐을 짓는다. 그 뒤의 연못은 {n}미터 깊이다! 누가 건널까?",
    "thai": "บีเวอร์ตัวที่ {n} สร้างเขื่อนจากกิ่งไม้ น้ำในบ่อลึก {n} เมตร ใครจะข้ามไป",
}


def prose(count: int, seed: int = 0, breaks: Sequence[str] = (" ",)) -> str:
    """Some sentences, no two the same."""
    chance = random.Random(seed)
    return "".join(
        f"{chance.choice(SUBJECTS)} {chance.choice(VERBS)} {chance.choice(OBJECTS)} in year {number}."
        + chance.choice(breaks)
        for number in range(count)
    )


def code(lines: int, seed: int = 0, indent: str = "\t") -> str:
    """Lines of code, each with its number, some indented."""
    chance = random.Random(seed)
    return "\n".join(
        f"{indent * chance.randint(0, 4)}{'_'.join(chance.choices(WORDS, k=3))}_{number} = {chance.choice(WORDS)}()"
        for number in range(lines)
    )


def json_lines(count: int, seed: int = 0, words: int = 12) -> str:
    """Records of up to ``words`` words, one to a line."""
    chance = random.Random(seed)
    return "\n".join(
        json.dumps({"id": number, "text": " ".join(chance.choices(WORDS, k=chance.randint(1, words))), "tags": [1, 2]})
        for number in range(count)
    )


def joined(contexts: Sequence[str], result: CompressionResult) -> str:
    """The context part that the spans of a result make."""
    text = ""
    for before, span in pairwise([None, *result.spans]):
        assert span is not None
        if before is not None and before.context_index != span.context_index:
            text += "\n\n"
        elif before is not None and before.end != span.start:
            text += "\n"
        text += contexts[span.context_index][span.start : span.end]
    return text


def kept_places(contexts: Sequence[str], result: CompressionResult) -> set[tuple[int, int]]:
    """Context and position of every kept character that is not white space."""
    return {
        (span.context_index, place)
        for span in result.spans
        for place in range(span.start, span.end)
        if not contexts[span.context_index][place].isspace()
    }


def kept_runs(result: CompressionResult) -> list[tuple[int, int, int]]:
    """Context, start and end of the kept stretches, spans that touch taken together."""
    runs: list[tuple[int, int, int]] = []
    for span in result.spans:
        if runs and runs[-1][0] == span.context_index and runs[-1][2] == span.start:
            runs[-1] = (span.context_index, runs[-1][1], span.end)
        else:
            runs.append((span.context_index, span.start, span.end))
    return runs


def check_result(
    result: CompressionResult,
    contexts: Sequence[str],
    count: Callable[[str], int],
    instruction: str = "",
    question: str = "",
) -> None:
    """What is promised of every result, ``question`` being what is printed."""
    frame = [instruction, result.compressed_context, question]
    assert result.compressed_prompt == "\n\n".join(part for part in frame if part)
    assert result.compressed_tokens == count(result.compressed_prompt)
    bare = count("\n\n".join(part for part in (instruction, question) if part))
    assert result.compressed_tokens <= result.budget or (bare > result.budget and not result.compressed_context)
    assert result.compressed_context == joined(contexts, result)
    for span in result.spans:
        assert 0 <= span.start < span.end <= len(contexts[span.context_index])
        assert 0 <= span.token_start < span.token_end
        assert span.role in ROLES
        assert (span.score is None) == (span.role in ("forced", "query"))
    for before, span in pairwise(result.spans):
        assert (before.context_index, before.end) <= (span.context_index, span.start)
        if before.context_index == span.context_index:
            assert before.token_end - 1 <= span.token_start  # two that touch may share the token between them
