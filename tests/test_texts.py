"""Texts of many scripts and kinds, and hostile ones, get a normal answer."""

from __future__ import annotations

import csv
import io
import json

import pytest

from beaver_compat import BeaverPromptCompressor

SCRIPTS = {
    "latin": "Der Bäcker Nr. {} verkauft heute Brot. Er öffnet um 7 Uhr! ",
    "han": "第{}位老师今天讲课。学生们都很高兴！",
    "kana": "{}番の猫は魚が好きです。犬は走ります。",
    "hangul": "{}번 학생이 학교에 갑니다. 날씨가 좋습니다. ",
    "cyrillic": "Писатель {} живёт в Москве. Он пишет книги. ",
    "arabic": "الكاتب {} يعيش في القاهرة. هو يكتب الكتب. ",
    "devanagari": "लेखक {} दिल्ली में रहता है। वह किताबें लिखता है। ",
    "thai": "ครู {} สอนหนังสือทุกวัน นักเรียนชอบมาก ",
    "greek": "Ο συγγραφέας {} ζει στην Αθήνα. Γράφει βιβλία. ",
    "hebrew": "הסופר {} גר בירושלים. הוא כותב ספרים. ",
    "emoji": "👩\u200d👩\u200d👧 number {} 🇩🇪❤\ufe0f says e\u0301. ",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts(compressor: BeaverPromptCompressor, script: str) -> None:
    text = "".join(SCRIPTS[script].format(number) for number in range(150))
    result = compressor.compress(text, question=SCRIPTS[script].format(77), target_token=300, concate_question=False)
    assert 0.9 * 300 <= result.compressed_tokens <= 300
    assert all(text[span.start : span.end] in result.compressed_context for span in result.spans)
    assert result.spans


def test_code_comes_back_in_whole_lines(compressor: BeaverPromptCompressor) -> None:
    code = "".join(f"def area_{n}(width):\n\tif width > {n}:\n\t\treturn width * {n}\n\n" for n in range(200))
    kept = compressor.compress(code, question="What does area_42 return?", target_token=200, concate_question=False)
    assert kept.compressed_context
    lines = set(code.split("\n"))
    assert all(line in lines for line in kept.compressed_context.split("\n"))


@pytest.mark.parametrize("words", [5, 15])
def test_json_lines_stay_json(compressor: BeaverPromptCompressor, words: int) -> None:
    text = "\n".join(json.dumps({"id": n, "text": f"Item {n}. " + "More words here. " * words}) for n in range(60))
    kept = compressor.compress(text, question="item 33", target_token=900, concate_question=False).compressed_context
    assert 33 in [json.loads(line)["id"] for line in kept.split("\n")]


def test_long_texts_of_json_lines_are_kept_in_sentences_with_their_keys(compressor: BeaverPromptCompressor) -> None:
    towns = ["Lund", "Visby", "Ystad", "Falun", "Motala"]
    rest = "It has a harbour, a school and two bakeries. In winter the snow lies deep there. " * 5
    lines = [
        json.dumps({"town": town, "text": f"{rest}The ferry costs {9 + n} crowns. {rest}"})
        for n, town in enumerate(towns)
    ]
    for n, town in enumerate(towns):
        asked = f"What does the ferry to {town} cost?"
        kept = compressor.compress("\n".join(lines), question=asked, target_token=50, concate_question=False)
        before, found, _ = kept.compressed_context.partition(f"The ferry costs {9 + n} crowns.")
        assert found
        assert before.rfind(town) == max(map(before.rfind, towns))


def test_csv_rows_stay_whole(compressor: BeaverPromptCompressor) -> None:
    text = "id,name,city\n" + "".join(f"{n},Name {n},City of {n * 7}\n" for n in range(300))
    kept = compressor.compress(text, question="Name 123", target_token=150, concate_question=False).compressed_context
    rows = list(csv.reader(io.StringIO(kept)))
    assert rows
    assert all(len(row) == 3 for row in rows)


def test_sentences_are_found_across_hard_wraps(compressor: BeaverPromptCompressor) -> None:
    sentence = "The keeper of lighthouse number {0} paints\nits walls white every spring and sells {0} postcards."
    text = "\n".join(sentence.format(n) for n in range(100, 200))
    kept = compressor.compress(text, question="lighthouse number 150", target_token=60, concate_question=False)
    assert sentence.format(150).split("\n")[0] in kept.compressed_context


HOSTILE = {
    "one line": "x" * 1_000_000,
    "newlines": "\n" * 1_000_000 + "a",
    "digits after a period": "a. " + "1" * 50_000 + " b." * 1000,
    "numbered references": "..[111 111 111 111 111 111 111 111 111 111 " * 2000,
    "open tags": "<a <b <c. " * 20_000,
    "dots": "." * 200_000,
    "special tokens": "<|endoftext|> </s> [SEP] " * 4000,
    "NULs and lone surrogates": "a\x00\ud800b. " * 10_000,
    "combining marks": "e" + "\u0301" * 100_000,
    "a run of backticks": "a\n" + "`" * 500_000 + "x`\nb.\n",
    "modifiers": "static " * 70_000 + "x\n    y = 1\nb.\n",
    "rows of dashes": ("|a|b|\n|" + "-" * 4000 + "x|\n|c|d|\n\n") * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text(compressor: BeaverPromptCompressor, name: str) -> None:
    result = compressor.compress(HOSTILE[name], question="What is it?", target_token=100)
    assert result.compressed_tokens <= 100
    assert result.compressed_prompt.endswith("What is it?")


@pytest.mark.parametrize("question", ["", "0, " * 2000])
def test_repetitive_text(compressor: BeaverPromptCompressor, question: str) -> None:
    text = "0, 0, 0, 0, 0, 0, 0, 0\n" * 8000
    result = compressor.compress(text, question=question, target_token=100, concate_question=False)
    assert 0 < result.compressed_tokens <= 100


def test_pieces_of_a_long_sentence_begin_behind_its_clauses(compressor: BeaverPromptCompressor) -> None:
    text = ", ".join(f"the miller of house {n} brought his flour to the market by cart" for n in range(30)) + "."
    document, _ = compressor.prepare(text).read(implicit_query=False)
    starts = document.sentences.starts.tolist()
    assert len(starts) > 4
    assert all(text[start:].lstrip().startswith("the miller") for start in starts)
