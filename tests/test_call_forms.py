"""The ways in which LLMLingua is called: its README, DOCUMENT.md, example notebooks and tests, and its known callers.

Every form runs, holds its budget and gives a result of LLMLingua's shape.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import types
from typing import Any

import pytest
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, OBSERVATORY, ORCHARD, QUESTION, TAGGED, TAGGED_JSON, kept_words

import beaver_compat.compressor as home
from beaver_compat import BeaverPromptCompressor, PromptCompressor, embeddings
from beaver_compat.wishes import RANK_METHODS

INSTRUCTION = "Write a short answer to the question, using only the given search results."
DOCUMENTS = [f"Document [{number}](Title: Place {number}) {text}" for number, text in enumerate(CONTEXTS, 1)]
LONG = {
    "condition_in_question": "after_condition",
    "reorder_context": "sort",
    "dynamic_context_compression_ratio": 0.3,
    "condition_compare": True,
    "context_budget": "+100",
    "rank_method": "longllmlingua",
}
NOTEBOOK = {
    "condition_compare": True,
    "condition_in_question": "after",
    "rank_method": "longllmlingua",
    "use_sentence_level_filter": False,
    "context_budget": "+100",
    "dynamic_context_compression_ratio": 0.4,
    "reorder_context": "sort",
}
SHOTS = "\n\n".join(
    f"Question: A box holds {number} pens and costs ${number * 2}. How much are 3 boxes?\nLet's think step by step\n"
    f"One box costs ${number * 2}.\nThree boxes cost 3 * {number * 2} = {number * 6} dollars.\n"
    f"The answer is {number * 6}"
    for number in range(3, 12)
)
SIGNS = ["+", "-", "*", "×", "/", "÷", "=", "The answer is", "\n"]
CHINESE = [
    "新闻内容：\n专家提醒：寒冷气候易诱发疾病。要注意保暖，增添衣服。饮食以清淡为主。\n类别：医药、卫生",
    "\n\n新闻内容：\n第38届年会将于10月21日召开。来自60多个国家的代表团与会。\n类别：商业、外贸、海关",
    "\n\n新闻内容：\n十一运会将于今年１０月１６日开幕。比赛项目共设３３个大项。\n类别：体育",
]


@pytest.fixture(scope="module")
def second() -> BeaverPromptCompressor:
    return BeaverPromptCompressor(token_counter="table", use_llmlingua2=True)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch, compressor: BeaverPromptCompressor) -> list[tuple[Any, dict[str, Any]]]:
    """The names and settings that tables are asked for; each is given the bundled one."""
    asked: list[tuple[Any, dict[str, Any]]] = []

    def load(name: str | None, *, device: Any, model_config: dict[str, Any]) -> embeddings.EmbeddingTable:
        asked.append((name, model_config))
        return compressor.table

    monkeypatch.setattr(home, "load_table", load)
    monkeypatch.setattr(home, "Tokenizer", lambda backend: compressor._tokenizer)
    return asked


LINGUA2 = "microsoft/llmlingua-2-xlm-roberta-large-meetingbank"
LINGUA2_SMALL = "microsoft/llmlingua-2-bert-base-multilingual-cased-meetingbank"
CONSTRUCTORS: list[tuple[tuple[Any, ...], dict[str, Any], str | None]] = [
    ((), {}, None),
    (("microsoft/phi-2",), {}, "microsoft/phi-2"),
    (("TheBloke/Llama-2-7b-Chat-GPTQ",), {"model_config": {"revision": "main"}}, "TheBloke/Llama-2-7b-Chat-GPTQ"),
    (("lgaalves/gpt2-dolly",), {"device_map": "cpu"}, "lgaalves/gpt2-dolly"),
    ((), {"model_name": LINGUA2, "use_llmlingua2": True}, LINGUA2),
    ((), {"model_name": LINGUA2, "device_map": "cpu", "use_llmlingua2": True, "llmlingua2_config": {}}, LINGUA2),
    (
        (),
        {"model_name": "NousResearch/Llama-2-7b-hf", "device_map": "auto", "model_config": {}, "open_api_config": {}},
        "NousResearch/Llama-2-7b-hf",
    ),
    (("gpt2", "cpu", {}, {}, True, {"max_batch_size": 50, "max_force_token": 100}), {}, "gpt2"),
    (("gpt2", "balanced"), {"use_slingua": True}, "gpt2"),
    ((), {"model_name": LINGUA2_SMALL, "model_config": {"revision": "main"}, "use_llmlingua2": True}, LINGUA2_SMALL),
    (
        (),
        {"model_name": "SecurityLingua/securitylingua-xlm-s2s", "use_slingua": True},
        "SecurityLingua/securitylingua-xlm-s2s",
    ),
    (("NousResearch/Llama-2-7b-hf",), {"model_config": {"do_sample": True}}, "NousResearch/Llama-2-7b-hf"),
    ((), {"model_name": {}, "device_map": "cpu", "model_config": {}, "open_api_config": {}}, None),  # LangChain
    ((), {"model_name": None, "model_config": None, "open_api_config": None, "llmlingua2_config": None}, None),
]


@pytest.mark.parametrize(("positional", "named", "name"), CONSTRUCTORS)
def test_constructors(
    loaded: list[tuple[Any, dict[str, Any]]], positional: tuple[Any, ...], named: dict[str, Any], name: str | None
) -> None:
    made = PromptCompressor(*positional, **named, token_counter="table")
    assert made.compress_prompt(HARBOUR)["compressed_prompt"]
    assert loaded == [(name, named.get("model_config") or {})]


def check(made: BeaverPromptCompressor, result: dict[str, Any], bound: float) -> None:
    """The shape, the counts and the budget of a result."""
    texts = {
        key: value
        for key, value in result.items()
        if key not in ("compressed_prompt_list", "fn_labeled_original_prompt")
    }
    assert list(texts) == ["compressed_prompt", "origin_tokens", "compressed_tokens", "ratio", "rate", "saving"]
    assert result["compressed_tokens"] == made.counter(result["compressed_prompt"]) <= bound
    assert re.fullmatch(r"\d+\.\dx", result["ratio"])
    assert re.fullmatch(r"\d+\.\d%", result["rate"])
    assert re.fullmatch(r", Saving \$\d+\.\d in GPT-4\.", result["saving"])
    assert json.loads(json.dumps(result)) == result


PLAIN_FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "README quick start": (SHOTS, {"instruction": "", "question": "", "target_token": 200}),
    "README LongLLMLingua": (CONTEXTS, {"question": QUESTION, "rate": 0.55, **LONG}),
    "notebook RAG 500": (
        DOCUMENTS,
        {"instruction": INSTRUCTION, "question": QUESTION, "target_token": 150, **NOTEBOOK},
    ),
    "notebook RAG 100": (
        DOCUMENTS,
        {"instruction": INSTRUCTION, "question": QUESTION, "target_token": 100, **NOTEBOOK},
    ),
    "notebook OnlineMeeting": (
        "\n".join(CONTEXTS).split("\n"),
        {"instruction": "", "question": QUESTION, "target_token": 120, **NOTEBOOK},
    ),
    "notebook OnlineMeeting, sentences": (
        "\n".join(CONTEXTS).split("\n"),
        {
            "instruction": "",
            "question": QUESTION,
            "target_token": 120,
            "condition_compare": True,
            "condition_in_question": "after",
            "rank_method": "longllmlingua",
            "use_sentence_level_filter": True,
            "context_budget": "+100",
            "reorder_context": "sort",
        },
    ),
    "notebook CoT": (
        SHOTS.split("\n\n"),
        {"instruction": "", "question": "", "target_token": 200, "context_budget": "*1.5", "iterative_size": 100},
    ),
    "notebook Code": (
        [f"    public void step{number}() {{\n        counter += {number};\n    }}" for number in range(30)],
        {
            "instruction": "Complete the code.",
            "question": "void step7()\n\nNext line of code:\n",
            "target_token": 150,
            **NOTEBOOK,
        },
    ),
    "test LLMLingua, one context": (SHOTS.split("\n\n")[0], {"target_token": 40}),
    "test LLMLingua, contexts": (SHOTS.split("\n\n"), {"target_token": 150}),
    "test LongLLMLingua, one context": (
        SHOTS.split("\n\n")[0],
        {"question": QUESTION, "target_token": 50, **LONG, "dynamic_context_compression_ratio": 0.4},
    ),
    "test LongLLMLingua, contexts": (
        SHOTS.split("\n\n"),
        {"question": QUESTION, "target_token": 250, **LONG, "dynamic_context_compression_ratio": 0.4},
    ),
    "LlamaIndex": (
        ["".join(CONTEXTS)],
        {"instruction": INSTRUCTION, "question": QUESTION, "target_token": 100, "rank_method": "longllmlingua"},
    ),
    "Promptflow and servers": ([HARBOUR], {"instruction": "", "question": "", "rate": 0.33}),
}


@pytest.mark.parametrize("form", PLAIN_FORMS)
def test_compress_prompt(compressor: BeaverPromptCompressor, form: str) -> None:
    context, arguments = PLAIN_FORMS[form]
    result = compressor.compress_prompt(context, **arguments)
    check(compressor, result, arguments.get("target_token") or arguments["rate"] * result["origin_tokens"])
    assert result["compressed_prompt"].startswith(arguments.get("instruction", ""))
    assert result["compressed_prompt"].endswith(arguments.get("question", ""))


def test_every_parameter_of_the_documentation_by_name(compressor: BeaverPromptCompressor) -> None:
    signature = inspect.signature(compressor.compress_prompt)
    arguments = {
        name: item.default for name, item in signature.parameters.items() if item.default is not inspect.Parameter.empty
    }
    assert compressor.compress_prompt(CONTEXTS, **arguments) == compressor.compress_prompt(CONTEXTS)
    assert compressor.compress_prompt(CONTEXTS, *arguments.values()) == compressor.compress_prompt(CONTEXTS)


def test_ratio_of_the_oldest_releases_is_refused_as_by_llmlingua(compressor: BeaverPromptCompressor) -> None:
    with pytest.raises(
        TypeError, match=r"^BeaverPromptCompressor\.compress_prompt\(\) got an unexpected keyword argument 'ratio'"
    ):
        compressor.compress_prompt(CONTEXTS, ratio=0.55)  # type: ignore[call-arg]


def test_calling_the_instance(compressor: BeaverPromptCompressor) -> None:
    assert compressor(CONTEXTS, question=QUESTION) == compressor.compress_prompt(CONTEXTS, question=QUESTION)


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


STRUCTURED_FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "README": (TAGGED, {"instruction": "", "question": "", "rate": 0.5}),
    "test, one context": (
        [TAGGED_JSON],
        {"rate": 0.5, "use_sentence_level_filter": True, "use_token_level_filter": True},
    ),
    "test, contexts": (
        [TAGGED_JSON, TAGGED],
        {"rate": 0.5, "use_sentence_level_filter": False, "use_token_level_filter": True},
    ),
    "test LongLLMLingua, one context": (
        [TAGGED_JSON],
        {
            "question": QUESTION,
            "target_token": 150,
            "use_sentence_level_filter": False,
            **LONG,
            "concate_question": False,
        },
    ),
    "test LongLLMLingua, sentences": (
        [TAGGED_JSON],
        {
            "question": QUESTION,
            "target_token": 150,
            "use_sentence_level_filter": True,
            **LONG,
            "dynamic_context_compression_ratio": 0.4,
            "concate_question": False,
        },
    ),
    "test LongLLMLingua, contexts": (
        [TAGGED_JSON, TAGGED],
        {
            "question": QUESTION,
            "target_token": 200,
            "use_sentence_level_filter": False,
            **LONG,
            "concate_question": False,
        },
    ),
}


@pytest.mark.parametrize("form", STRUCTURED_FORMS)
def test_structured(compressor: BeaverPromptCompressor, form: str) -> None:
    context, arguments = STRUCTURED_FORMS[form]
    result = compressor.structured_compress_prompt(context, **arguments)
    check(compressor, result, arguments.get("target_token") or arguments["rate"] * result["origin_tokens"])
    assert "Chair:" in result["compressed_prompt"] or json.loads(result["compressed_prompt"])["id"] is not None


def test_segments_of_the_tests(compressor: BeaverPromptCompressor) -> None:
    contexts, _, _, _ = compressor.segment_structured_context([TAGGED_JSON], 0.5)
    assert json.loads(contexts[0])["biography"] == OBSERVATORY


def test_json_of_the_documentation(compressor: BeaverPromptCompressor) -> None:
    data = {
        "id": 987654,
        "name": "John Doe",
        "skills": ["Java", "Python", "Machine Learning"],
        "biography": OBSERVATORY,
    }
    config = {
        "id": {"rate": 1, "compress": False, "value_type": "int", "pair_remove": True},
        "name": {"rate": 0.7, "compress": False, "value_type": "str", "pair_remove": False},
        "skills": {"rate": 0.2, "compress": True, "value_type": "list", "pair_remove": True},
        "biography": {"rate": 0.3, "compress": True, "value_type": "str", "pair_remove": True},
    }
    value = compressor.compress_json(data, config, use_keyvalue_level_filter=True)["compressed_prompt"]
    assert (value["id"], value["name"]) == (987654, "John Doe")
    assert kept_words(value["biography"], OBSERVATORY)


def test_recover_of_the_documentation(compressor: BeaverPromptCompressor) -> None:
    compressed = compressor.compress_prompt(CONTEXTS, question=QUESTION, rate=0.5)["compressed_prompt"]
    assert (
        compressor.recover(original_prompt="\n\n".join(CONTEXTS), compressed_prompt=compressed, response=ANSWER)
        == ANSWER
    )


@pytest.mark.parametrize("method", RANK_METHODS)
def test_notebook_retrieval(compressor: BeaverPromptCompressor, method: str) -> None:
    condition = "none" if method == "llmlingua" else "after"
    ranked = compressor.get_rank_results(DOCUMENTS, QUESTION, method, condition, [0] * 20)
    assert [pair[0] for pair in ranked].index(2) == 0


def test_notebook_llamaindex_counts(compressor: BeaverPromptCompressor) -> None:
    assert compressor.get_token_length(HARBOUR) > compressor.get_token_length(HARBOUR[:200]) > 1


def test_langchain_finds_its_documents_again(compressor: BeaverPromptCompressor) -> None:
    pages = [*CONTEXTS, "7", "It ends with 12", HARBOUR.replace(". ", ".\n\n\n")]
    contexts = [
        f"\n\n<#ref{index}#> " + page.replace("\n\n", "\n") + f" <#ref{index}#>\n\n" for index, page in enumerate(pages)
    ]
    for arguments in ({"target_token": 60}, {"target_token": 150}, {"rate": 0.9}, {"target_token": 9999}):
        result = compressor.compress_prompt(
            context=contexts,
            instruction="Given this documents, please answer the final question",
            question=QUESTION,
            concate_question=False,
            add_instruction=False,
            **NOTEBOOK,
            **arguments,
        )
        pieces = [piece.strip() for piece in result["compressed_prompt"].split("\n\n")[1:]]
        for piece in pieces:
            match = re.fullmatch(r"<#ref(\d+)#>(.*?)<#ref(\d+)#>", piece, re.DOTALL)
            assert match
            assert match[1] == match[3]
            assert match[2].strip()
            assert kept_words(match[2], pages[int(match[1])])
        assert any(ANSWER in piece for piece in pieces)
        assert result["compressed_tokens"] <= arguments.get("target_token", result["origin_tokens"])


def test_spans_of_contexts_in_reference_tags_are_places_in_them(compressor: BeaverPromptCompressor) -> None:
    contexts = [f"\n\n<#ref{index}#> {page} <#ref{index}#>\n\n" for index, page in enumerate(CONTEXTS)]
    for rate in (0.4, 1.0):
        for span in compressor.compress(contexts, question=QUESTION, rate=rate).spans:
            text = contexts[span.context_index][span.start : span.end]
            assert text in CONTEXTS[span.context_index]
            assert compressor.get_token_length(text, False) == pytest.approx(span.token_end - span.token_start, abs=2)


def test_llamaindex_takes_the_pieces_between_instruction_and_question(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt(
        ["".join(CONTEXTS)], instruction=INSTRUCTION, question=QUESTION, target_token=120, rank_method="longllmlingua"
    )
    first, *pieces, last = result["compressed_prompt"].split("\n\n")
    assert (first, last) == (INSTRUCTION, QUESTION)
    assert ANSWER in "".join(pieces)


def test_loops_that_compress_until_it_is_short_enough_end(compressor: BeaverPromptCompressor) -> None:
    text, counts = "\n".join(CONTEXTS), []
    while compressor.get_token_length(text, use_oai_tokenizer=True) > 10:
        result = compressor.compress_prompt(text, rate=0.7)
        assert result["compressed_tokens"] < result["origin_tokens"]
        text = result["compressed_prompt"]
        counts.append(result["compressed_tokens"])
    assert counts == sorted(counts, reverse=True)


def test_arguments_chosen_by_the_signature(compressor: BeaverPromptCompressor) -> None:
    wanted = {"rate": 0.5, "question": QUESTION, "unknown_option": 1}
    known = inspect.signature(compressor.compress_prompt).parameters
    assert compressor.compress_prompt(CONTEXTS, **{name: value for name, value in wanted.items() if name in known})


def test_instances_pass_for_llmlinguas_after_patching(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("llmlingua")
    module.PromptCompressor = BeaverPromptCompressor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "llmlingua", module)
    import llmlingua

    made = llmlingua.PromptCompressor(token_counter="table")
    assert isinstance(made, llmlingua.PromptCompressor)
    assert made


def test_subclasses_and_attributes(compressor: BeaverPromptCompressor) -> None:
    class Own(PromptCompressor):
        def compress_prompt(self, context: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
            return {**super().compress_prompt(context, *args, **kwargs), "own": True}

    made = Own(token_counter="table", open_api_config={"api_key": "x"})
    assert made.compress_prompt(HARBOUR)["own"]
    assert made(HARBOUR)["own"]
    made.model = made.anything = "set"
    assert (made.model, made.anything) == ("set", "set")
    assert bool(made)
    assert made.open_api_config == {"api_key": "x"}
    assert (made.model_name, made.use_llmlingua2, made.retrieval_model) == ("wordllama", False, None)
    assert made.max_position_embeddings > 1_000_000
    assert "cpu" in made.device or "cuda" in made.device or "mps" in made.device


def test_tokenizer(compressor: BeaverPromptCompressor) -> None:
    tokenizer = compressor.tokenizer
    text = "The harbour <s> of Vessel Bay, 漢字 \ud800"
    ids = tokenizer(text).input_ids
    assert ids == tokenizer(text)["input_ids"] == tokenizer.encode(text)
    assert ids[1:] == tokenizer(text, add_special_tokens=False).input_ids
    assert tokenizer([text, "a"]).input_ids == [ids, tokenizer.encode("a")]
    assert tokenizer.decode(tokenizer.encode(HARBOUR, add_special_tokens=False)) == HARBOUR
    assert tokenizer.decode(tokenizer.encode(HARBOUR), skip_special_tokens=True) == HARBOUR


def test_oai_tokenizer(compressor: BeaverPromptCompressor) -> None:
    text = "The harbour <|endoftext|> of Vessel Bay"
    assert len(compressor.oai_tokenizer.encode(text)) == compressor.counter(text)
    assert compressor.oai_tokenizer.decode(compressor.oai_tokenizer.encode(HARBOUR, disallowed_special=())) == HARBOUR
    characters = BeaverPromptCompressor(token_counter=len)
    assert len(characters.oai_tokenizer.encode(text)) == len(text)
    with pytest.raises(NotImplementedError, match="has no ids"):
        characters.oai_tokenizer.decode([1])


def test_tuples_and_json_safe_results(compressor: BeaverPromptCompressor) -> None:
    result = compressor.compress_prompt((ORCHARD, HARBOUR), question=QUESTION)
    assert json.loads(json.dumps(result)) == result
