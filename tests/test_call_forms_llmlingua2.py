"""The ways in which LLMLingua-2 is called: its README, notebook, tests and demo, and its known callers."""

from __future__ import annotations

from typing import Any

import pytest
from call_forms import SHOTS, check
from prompt_samples import CONTEXTS, HARBOUR, QUESTION

from beaver_compat import BeaverPromptCompressor

SIGNS = ["+", "-", "*", "×", "/", "÷", "=", "The answer is", "\n"]
CHINESE = [
    "新闻内容：\n专家提醒：寒冷气候易诱发疾病。要注意保暖，增添衣服。饮食以清淡为主。\n类别：医药、卫生",
    "\n\n新闻内容：\n第38届年会将于10月21日召开。来自60多个国家的代表团与会。\n类别：商业、外贸、海关",
    "\n\n新闻内容：\n十一运会将于今年１０月１６日开幕。比赛项目共设３３个大项。\n类别：体育",
]


@pytest.fixture(scope="module")
def second() -> BeaverPromptCompressor:
    return BeaverPromptCompressor(token_counter="table", use_llmlingua2=True)


SECOND_FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "README": (SHOTS, {"rate": 0.33, "force_tokens": ["\n", "?"]}),
    "notebook, rate": (SHOTS, {"rate": 0.33, "force_tokens": ["!", ".", "?", "\n"], "drop_consecutive": True}),
    "notebook, target": (SHOTS, {"target_token": 300, "force_tokens": ["!", ".", "?", "\n"], "drop_consecutive": True}),
    "notebook, passages": (
        ["\nPassage:" + text for text in CONTEXTS],
        {
            "target_token": 100,
            "force_tokens": ["\nPassage:", ".", "?", "\n"],
            "drop_consecutive": True,
            "use_context_level_filter": True,
        },
    ),
    "notebook, GSM8K": (
        SHOTS.split("\n\n"),
        {
            "target_token": 150,
            "force_tokens": SIGNS,
            "drop_consecutive": True,
            "force_reserve_digit": True,
            "use_context_level_filter": True,
        },
    ),
    "test, rate": (
        SHOTS,
        {"rate": 0.33, "force_tokens": ["\n", ".", "!", "?"], "drop_consecutive": False, "force_reserve_digit": False},
    ),
    "test, one context": (
        SHOTS.split("\n\n")[0],
        {
            "target_token": 30,
            "force_tokens": [*SIGNS, "Question:"],
            "drop_consecutive": False,
            "force_reserve_digit": True,
        },
    ),
    "test, contexts": (
        CONTEXTS[:2],
        {"target_token": 40, "use_context_level_filter": True, "force_tokens": ["\n", ".", "!", "?"]},
    ),
    "test, Chinese": (
        CHINESE,
        {
            "target_token": 100,
            "use_context_level_filter": True,
            "force_tokens": ["\n", "。", "：", "？", "类别：", "体育", "医药、卫生", "商业、外贸、海关"],
            "drop_consecutive": True,
        },
    ),
    "FlashRAG and bergen": (
        CONTEXTS,
        {
            "instruction": "",
            "question": QUESTION,
            "rate": 0.4,
            "force_tokens": ["\n", "?"],
            "use_context_level_filter": False,
        },
    ),
    "test, meeting": (
        HARBOUR,
        {
            "target_token": 60,
            "force_tokens": ["\n", ".", "?", "!"],
            "drop_consecutive": True,
            "force_reserve_digit": False,
        },
    ),
    "evaluation, force words": (HARBOUR, {"rate": 0.6, "force_tokens": ["\n", "?", "not"]}),
    "AutoGen": ([HARBOUR], {"instruction": "", "question": "", "rate": 0.5}),
    "smolagents": (
        HARBOUR,
        {
            "rate": 0.5,
            "force_tokens": ["#", "\n", ",", ".", "-", "?"],
            "force_reserve_digit": True,
            "drop_consecutive": True,
        },
    ),
}


@pytest.mark.parametrize("form", SECOND_FORMS)
def test_llmlingua2(second: BeaverPromptCompressor, form: str) -> None:
    context, arguments = SECOND_FORMS[form]
    result = second.compress_prompt(context, **arguments)
    check(second, result, arguments.get("target_token") or arguments["rate"] * result["origin_tokens"])
    assert "\n\n".join(result["compressed_prompt_list"]) == result["compressed_prompt"] != ""


def test_evaluation_script_of_llmlingua2(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt_llmlingua2(
        CONTEXTS,
        rate=0.5,
        target_token=-1,
        use_context_level_filter=False,
        use_token_level_filter=True,
        target_context=-1,
        context_level_rate=1.0,
        context_level_target_token=-1,
        force_context_ids=[],
        force_tokens=["\n"],
        force_reserve_digit=False,
        drop_consecutive=True,
    )
    assert len(result["compressed_prompt_list"]) == 3


def test_demo_application_reads_the_labels(second: BeaverPromptCompressor) -> None:
    result = second.compress_prompt(
        HARBOUR,
        rate=0.4,
        force_tokens=["\n"],
        chunk_end_tokens=[".", "\n"],
        return_word_label=True,
        drop_consecutive=True,
        force_reserve_digit=True,
    )
    pairs = [pair.split(" ") for pair in result["fn_labeled_original_prompt"].split("\t\t|\t\t")]
    assert [word for word, label in pairs if label == "1"] == result["compressed_prompt"].split()
