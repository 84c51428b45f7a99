"""What LLMLingua's users complain of, by the issue numbers of microsoft/LLMLingua, and that it doesn't happen here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
import tiktoken
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, OBSERVATORY, QUESTION, TAGGED, TAGGED_JSON, kept_words

from beaver_compat import BeaverPromptCompressor, TokenCounterWarning, counting
from beaver_compat.errors import ModelNotFoundError

HANG_GUARD = 300  # seconds
CODE = "\n".join(
    f'def load_{name}(path: str, limit: int = {number}) -> list[str]:\n    """Read the {name} file."""\n'
    f"    with open(path) as file:\n        return file.read().splitlines()[:limit]\n"
    for number, name in enumerate(["orders", "invoices", "parcels", "vendors", "returns", "ledgers"])
)
TABLE = "city;population;river;founded\n" + "\n".join(
    f"City {number};{number * 31_337};River {number % 7};{1200 + number}" for number in range(60)
)
MARKDOWN = "# Rivers\n\n| city | population | river |\n| --- | --- | --- |\n" + "\n".join(
    f"| City {number} | {number * 31_337} | River {number % 7} |" for number in range(60)
)
CHINESE = (
    "海港建于一八七一年，由工程师林海设计。港口有三座石码头和一座小灯塔。每年春天，灯塔看守人都会粉刷栏杆。"
    "渡轮每天七点十五分和十六点四十分开往岛屿。一张船票十二克朗，儿童免费。冬天因为结冰，第二座码头关闭。"
)
JAPANESE = (
    "この港は1871年に建設されました。石造りの桟橋が三つと小さな灯台があります。灯台守は毎年春に手すりを塗ります。"
    "島へのフェリーは毎日7時15分に出ます。切符は12クローネで、子供は無料です。冬は氷のため第二桟橋が閉まります。"
)


@pytest.mark.parametrize("context", [HARBOUR, CONTEXTS, CODE, TABLE, CHINESE * 3, "x" * 3000, "word " * 900])
def test_the_budget_is_missed_195_105_73_61(compressor: BeaverPromptCompressor, context: str | list[str]) -> None:
    for target in (0, 1, 17, 64, 133.7):
        assert compressor.compress_prompt(context, target_token=target)["compressed_tokens"] <= target
    for rate in (0.0, 0.07, 0.5, 0.93):
        result = compressor.compress_prompt(context, instruction="Read.", question="Which?", rate=rate)
        least = compressor.counter("Read.\n\nWhich?")
        assert result["compressed_tokens"] <= max(rate * result["origin_tokens"], least)
        assert result["compressed_tokens"] == compressor.counter(result["compressed_prompt"])


def test_prompts_under_200_tokens_are_not_compressed_196(compressor: BeaverPromptCompressor) -> None:
    for text in (HARBOUR, HARBOUR[:200], "One sentence here. And a second one."):
        result = compressor.compress_prompt(text, rate=0.5)
        assert 0 < result["compressed_tokens"] <= 0.5 * result["origin_tokens"] < 100


@pytest.mark.parametrize("device", ["cpu", "auto"])
def test_cuda_is_assumed_216_79_75_55_121(device: str) -> None:
    made = BeaverPromptCompressor(device_map=device, token_counter="table")
    assert ANSWER in made.compress_prompt(CONTEXTS, question=QUESTION, target_token=60)["compressed_prompt"]


BARE_MACHINE = """
import json, os, resource, socket, sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""

def refused(*args, **kwargs):
    raise OSError("no network")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refused
sys.modules["transformers"] = None  # importing it fails
from beaver_compat import BeaverPromptCompressor

made = BeaverPromptCompressor(token_counter="table")
made.compress_prompt("Warm up. " * 9)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sentences = [f"Parcel {n} went from depot {n % 97} to street {n % 89} on day {n % 365}. " for n in range(9000)]
sentences[4321] = "The lost violin lay in locker 77. "
result = made.compress_prompt("".join(sentences), question="Where was the lost violin?", target_token=500)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
unit = 1 << 30 if sys.platform == "darwin" else 1 << 20
kept = "locker 77" in result["compressed_prompt"]
print(json.dumps([result["origin_tokens"], result["compressed_tokens"], kept, grown / unit]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no resource module")
def test_slow_175_147_64_and_new_transformers_210_36_and_the_network_106_148_and_memory_220() -> None:
    found = subprocess.run(
        [sys.executable, "-c", BARE_MACHINE], capture_output=True, text=True, timeout=HANG_GUARD, check=True
    )
    origin, compressed, kept, gigabytes = json.loads(found.stdout)
    assert origin > 150_000
    assert compressed <= 500
    assert kept
    assert gigabytes < 2


def test_the_network_is_needed_for_tiktoken_106_148(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> tiktoken.Encoding:
        raise ModelNotFoundError(f"{name} can't be had")

    monkeypatch.setattr(counting, "load_encoding", missing)
    monkeypatch.setattr(counting, "_COUNTERS", {})
    monkeypatch.setattr(counting, "_warned", False)
    with pytest.warns(TokenCounterWarning, match="embedding table's tokenizer"):
        made = BeaverPromptCompressor()
    assert made.compress_prompt(HARBOUR, target_token=30)["compressed_tokens"] <= 30


@pytest.mark.parametrize("context", ["", [], None, [""], ["", ""], " \n ", ["\n", " "]])
def test_empty_input_crashes_144_14(compressor: BeaverPromptCompressor, context: Any) -> None:
    for result in (
        compressor.compress_prompt(context),
        compressor.compress_prompt(context, question=QUESTION, rank_method="longllmlingua", concate_question=False),
        compressor.compress_prompt_llmlingua2(context, return_word_label=True),
        compressor.compress_prompt_llmlingua2(context, use_context_level_filter=True),
        compressor.structured_compress_prompt(context),
    ):
        assert not result["compressed_prompt"].strip()
    framed = compressor.compress_prompt(context, "Be brief.", "Why?", target_token=50)
    assert framed["compressed_prompt"].split() == ["Be", "brief.", "Why?"]
    assert compressor.compress_json({}, {})["compressed_prompt"] == {}
    assert compressor.recover("", "", "") == ""
    assert compressor.get_rank_results([], "", "llmlingua", "none", []) == []
    assert compressor.get_token_length("", add_special_tokens=False) == 0


@pytest.mark.parametrize("text", [CHINESE, JAPANESE])
def test_chinese_and_japanese_are_garbled_4_63_152(compressor: BeaverPromptCompressor, text: str) -> None:
    for rate in (0.3, 0.5, 0.8):
        prompt = compressor.compress_prompt([text, text[::-1]], rate=rate)["compressed_prompt"]
        for piece in re.split(r"\n+", prompt):
            assert piece in text or piece in text[::-1]
    question = "渡轮几点开往岛屿？" if text is CHINESE else "フェリーは何時に出ますか？"
    prompt = compressor.compress_prompt(text, question=question, rate=0.6, concate_question=False)["compressed_prompt"]
    assert ("七点十五分" if text is CHINESE else "7時15分") in prompt


def test_structured_tags_are_ignored_114_201(compressor: BeaverPromptCompressor) -> None:
    prompt = compressor.structured_compress_prompt(TAGGED, rate=0.5)["compressed_prompt"]
    assert "llmlingua" not in prompt
    assert [line.split(":")[0] for line in prompt.split("\n")] == ["Chair", "Clerk", "Chair"]
    code = (
        "<llmlingua, compress=False>if (a < b && c > d) { x<T>(); }</llmlingua><llmlingua, rate=0.3> "
        + HARBOUR
        + "</llmlingua>"
    )
    assert compressor.structured_compress_prompt(code)["compressed_prompt"].startswith(
        "if (a < b && c > d) { x<T>(); }"
    )


def test_json_is_corrupted_183(compressor: BeaverPromptCompressor) -> None:
    assert list(json.loads(compressor.structured_compress_prompt(TAGGED_JSON)["compressed_prompt"])) == [
        "id",
        "biography",
        "notes",
    ]
    data = {"kept": 'one, two,, three, "four"', "cut": OBSERVATORY + ' It says: "a, b,, c".', "n": 12.50}
    setting = {"rate": 0.5, "compress": True, "value_type": "str", "pair_remove": False}
    config = {"kept": {**setting, "compress": False}, "cut": setting, "n": {**setting, "value_type": "float"}}
    value = compressor.compress_json(data, config, question="What does it say?")["compressed_prompt"]
    assert (value["kept"], value["n"]) == (data["kept"], 12.5)
    assert value["cut"].endswith('"a, b,, c".')


def test_numbers_entities_and_words_are_mangled_149_213(compressor: BeaverPromptCompressor) -> None:
    facts = "\n".join(
        f"Invoice 2024-{number:05d}-X of Ms. O'Neil{number} was 1,{number:03d}.50 € (see https://ex.org/a?b={number}&c=1.5)."
        for number in range(40)
    )
    words = set(facts.split())
    for target in (37, 80, 213):
        prompt = compressor.compress_prompt(facts, target_token=target)["compressed_prompt"]
        assert set(prompt.split()) <= words
        assert kept_words(prompt, facts)


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (CODE, "def load_parcels", "def load_parcels("),
        (TABLE, "What is the population of City 41?", f"City 41;{41 * 31_337};River 6;1241"),
        (MARKDOWN, "What is the population of City 41?", f"| City 41 | {41 * 31_337} | River 6 |"),
    ],
)
def test_tables_and_code_are_broken_126_202(
    compressor: BeaverPromptCompressor, text: str, question: str, answer: str
) -> None:
    lines = text.split("\n")
    for rate in (0.2, 0.5, 0.8):
        prompt = compressor.compress_prompt(text, question=question, rate=rate, concate_question=False)[
            "compressed_prompt"
        ]
        places = iter(lines)
        assert all(line in places for line in prompt.split("\n"))
        assert answer in prompt


def test_llmlingua2_ignores_the_question_128_203() -> None:
    second = BeaverPromptCompressor(token_counter="table", use_llmlingua2=True)
    for question, answer in (
        (QUESTION, ANSWER),
        ("When do ferries leave?", "7:15"),
        ("Who planted the oldest tree?", "Aldwin"),
    ):
        assert answer in second.compress_prompt(CONTEXTS, question=question, target_token=45)["compressed_prompt"]


def test_text_with_special_tokens_raises(compressor: BeaverPromptCompressor) -> None:
    text = f"<|endoftext|> {HARBOUR} </s><s>[INST] <|im_start|> [SEP] <pad> <|endoftext|>"
    for made in (compressor, BeaverPromptCompressor(token_counter=len)):
        for call in (made.compress_prompt, made.compress_prompt_llmlingua2, made.structured_compress_prompt):
            result = call([text, text], rate=0.6)
            assert result["compressed_tokens"] <= 0.6 * result["origin_tokens"]
            assert kept_words(result["compressed_prompt"], f"{text} {text}")
        assert made.get_token_length("<|endoftext|>", use_oai_tokenizer=True) > 1
