"""The real clients of LLMLingua, unchanged, with our class in the place of `llmlingua.PromptCompressor`.

LangChain's `LLMLinguaCompressor`, LlamaIndex's `LongLLMLinguaPostprocessor`, AutoGen's (0.2 and ag2) `LLMLingua`.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import types
from typing import Any

import pytest
from frameworks import framework
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, OBSERVATORY, ORCHARD, QUESTION, TAGGED, kept_words

import beaver_compat.compressor as home
from beaver_compat import BeaverPromptCompressor, engine
from beaver_compat.counting import FunctionCounter
from beaver_compat.errors import InputAssertionError

DIGITS = [
    "7",
    "1910",
    "12 crowns is what a ticket costs in 2024",
    "2 donkeys carry 48 baskets. The comet of 1910 was photographed by Ilse Varga in year 1910",
    "1. First item\n2. Second item of 3",
]
ODD = ["", " ", "\n\n", "It has\n\n\nblank lines.\n\nAnd\r\n\r\nothers.", "A tag <#ref0#> inside. And <#ref99#> too."]
MANY = [f"Room {n} holds {n * 7} chairs. Its key hangs on hook {n}. It was painted in {1900 + n}." for n in range(300)]
MANY[213] += " The lost violin lies in its locker. The violin belongs to Ilse Varga."


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch, compressor: BeaverPromptCompressor) -> list[str | None]:
    """Our class stands in LLMLingua's place; the models that clients ask it for.

    Each model is given the bundled table, and tokens are the table's, so that nothing is fetched.
    """
    names: list[str | None] = []

    def load(name: str | None, **settings: Any) -> Any:
        names.append(name)
        return compressor.table

    monkeypatch.setattr(home, "load_table", load)
    monkeypatch.setattr(engine, "make_counter", lambda spec, table_counter: FunctionCounter("table", table_counter))
    module = types.ModuleType("llmlingua")
    module.PromptCompressor = BeaverPromptCompressor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "llmlingua", module)
    return names


def is_cut_from(piece: str, text: str) -> bool:
    """Whether a piece is made of stretches of a text, in order, joined by line ends."""
    return re.search(r".*?".join(map(re.escape, piece.split("\n"))), text, re.DOTALL) is not None


# LangChain


def langchain(**settings: Any) -> Any:
    client = framework("langchain_community.document_compressors.llmlingua_filter")
    made = client.LLMLinguaCompressor(**settings)
    assert type(made.lingua) is BeaverPromptCompressor
    return made


def documents_of(texts: list[str]) -> list[Any]:
    documents = framework("langchain_core.documents")
    return [documents.Document(page_content=text, metadata={"number": n}) for n, text in enumerate(texts)]


@pytest.mark.parametrize("target", [18, 60, 150, 400, 5000])
@pytest.mark.parametrize("texts", [CONTEXTS, DIGITS, [*ODD, *CONTEXTS, *DIGITS]], ids=["prose", "digits", "odd"])
def test_langchain_selects_inside_documents_and_keeps_metadata(texts: list[str], target: int) -> None:
    made = langchain(target_token=target)
    kept = made.compress_documents(documents_of(texts), QUESTION)
    numbers = [document.metadata["number"] for document in kept]  # no document without its metadata
    assert len(set(numbers)) == len(numbers)
    for number, document in zip(numbers, kept, strict=True):
        assert document.page_content
        assert is_cut_from(document.page_content, texts[number].replace("\n\n", "\n"))
    assert sum(made.lingua.counter(document.page_content) for document in kept) <= target
    if target >= 60:
        assert any(ANSWER in document.page_content for document in kept) or texts is DIGITS
    if target == 5000:
        assert sorted(numbers) == [number for number, text in enumerate(texts) if text.strip()]


def test_langchain_digits_at_the_ends_of_documents_stay() -> None:
    kept = langchain(target_token=5000).compress_documents(documents_of(DIGITS), QUESTION)
    assert {document.metadata["number"]: document.page_content for document in kept} == dict(enumerate(DIGITS))


def test_langchain_budget_below_the_instruction_keeps_nothing() -> None:
    assert langchain(target_token=5).compress_documents(documents_of(CONTEXTS), QUESTION) == []
    assert langchain(target_token=0).compress_documents(documents_of(CONTEXTS), QUESTION) == []


@pytest.mark.parametrize("texts", [[], [""], ["", " \n"]])
def test_langchain_empty_documents(texts: list[str]) -> None:
    assert langchain().compress_documents(documents_of(texts), QUESTION) == []


def test_langchain_many_documents_in_a_thread_and_in_a_retriever() -> None:
    framework("langchain_classic")
    from langchain_classic.retrievers import ContextualCompressionRetriever
    from langchain_core.retrievers import BaseRetriever

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Any]:
            return documents_of(MANY)

    made = langchain()  # 300 tokens
    question = "Where is the lost violin?"
    kept = made.compress_documents(documents_of(MANY), question)
    assert len(kept) > 1
    assert any("violin lies in its locker" in document.page_content for document in kept)
    for document in kept:
        assert is_cut_from(document.page_content, MANY[document.metadata["number"]])

    async def at_once() -> list[Any]:
        calls = [made.acompress_documents(documents_of(MANY), question) for _ in range(4)]
        return list(await asyncio.gather(*calls))

    assert asyncio.run(at_once()) == [kept] * 4
    retriever = ContextualCompressionRetriever(base_compressor=made, base_retriever=Shelf())
    assert retriever.invoke(question) == asyncio.run(retriever.ainvoke(question)) == kept


def test_langchain_settings_reach_the_compressor(asked: list[str | None]) -> None:
    langchain()
    langchain(model_name="gpt2", device_map="cpu", model_config={"revision": "main"}, open_api_config={"api_key": "x"})
    assert asked == [None, "gpt2"]
    given = BeaverPromptCompressor()
    assert langchain(lingua=given).lingua is given
    plain = langchain(target_token=200, additional_compress_kwargs={"keep_first_sentence": 1}, rank_method="bm25")
    kept = plain.compress_documents(documents_of(CONTEXTS), QUESTION)
    assert [document.metadata["number"] for document in kept] == [0, 1, 2]
    with pytest.raises(InputAssertionError, match="necessary to set a question"):
        langchain().compress_documents(documents_of(CONTEXTS), "")


# LlamaIndex


def llamaindex(**settings: Any) -> Any:
    made = framework("llama_index.postprocessor.longllmlingua").LongLLMLinguaPostprocessor(
        **{"device_map": "cpu", **settings}
    )
    assert type(made._llm_lingua) is BeaverPromptCompressor
    return made


def nodes_of(texts: list[str]) -> list[Any]:
    schema = framework("llama_index.core.schema")
    return [
        schema.NodeWithScore(node=schema.TextNode(text=text, id_=f"id{n}", metadata={"source": n}), score=0.5)
        for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize("texts", [CONTEXTS, DIGITS, [*ODD, *CONTEXTS, *DIGITS], MANY], ids=list("pdom"))
@pytest.mark.parametrize("target", [50, 80, 300])
def test_llamaindex_gives_stretches_of_the_nodes(texts: list[str], target: int) -> None:
    made = llamaindex(target_token=target)
    kept = made.postprocess_nodes(nodes_of(texts), query_str=QUESTION)
    assert kept
    for node in kept:
        assert node.node.metadata == {f"id{n}": {"source": n} for n in range(len(texts))}
        assert is_cut_from(node.text, "".join(texts))
    assert sum(made._llm_lingua.counter(node.text) for node in kept) <= target
    assert any(ANSWER in node.text for node in kept) or texts is MANY or (texts is DIGITS and target < 300)


def test_llamaindex_takes_instruction_and_question_off() -> None:
    made = llamaindex(target_token=90, instruction_str="Answer with care.")
    kept = made.postprocess_nodes(nodes_of([HARBOUR, OBSERVATORY]), query_str=QUESTION)
    text = "\n\n".join(node.text for node in kept)
    assert ANSWER in text
    assert "care" not in text
    assert QUESTION not in text


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_llamaindex_empty_nodes(texts: list[str]) -> None:
    assert llamaindex(target_token=50).postprocess_nodes(nodes_of(texts), query_str=QUESTION) == []


def test_llamaindex_budget_below_the_instruction_keeps_nothing() -> None:
    assert llamaindex(target_token=3).postprocess_nodes(nodes_of(CONTEXTS), query_str=QUESTION) == []


def test_llamaindex_async_and_rate() -> None:
    made = llamaindex(additional_compress_kwargs={"rate": 0.4})
    kept = made.postprocess_nodes(nodes_of(CONTEXTS), query_str=QUESTION)
    assert ANSWER in "".join(node.text for node in kept)
    again = asyncio.run(made.apostprocess_nodes(nodes_of(CONTEXTS), query_str=QUESTION))
    assert [node.text for node in again] == [node.text for node in kept]


def test_llamaindex_query_engine_of_the_notebook() -> None:
    framework("llama_index.core")
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import QueryBundle

    class Shelf(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[Any]:
            return nodes_of(CONTEXTS)

    made = llamaindex(
        instruction_str="Given the context, please answer the final question",
        target_token=90,
        rank_method="longllmlingua",
        additional_compress_kwargs={
            "condition_compare": True,
            "condition_in_question": "after",
            "context_budget": "+100",
            "reorder_context": "sort",
            "dynamic_context_compression_ratio": 0.3,
        },
    )
    kept = made.postprocess_nodes(nodes_of(CONTEXTS), query_bundle=QueryBundle(query_str=QUESTION))
    assert 0 < made._llm_lingua.get_token_length("\n\n".join(node.get_content() for node in kept)) < 90
    engine = RetrieverQueryEngine.from_args(Shelf(), llm=MockLLM(), node_postprocessors=[made])
    answer = engine.query(QUESTION)
    assert [node.text for node in answer.source_nodes] == [node.text for node in kept]
    assert ANSWER in str(answer)  # the mock repeats the prompt


def test_llamaindex_llmlingua2(asked: list[str | None]) -> None:
    name = "microsoft/llmlingua-2-xlm-roberta-large-meetingbank"
    made = llamaindex(model_name=name, use_llmlingua2=True, target_token=60)
    kept = made.postprocess_nodes(nodes_of(CONTEXTS), query_str=QUESTION)
    assert ANSWER in "".join(node.text for node in kept)
    assert asked == [name]
    assert made._llm_lingua.use_llmlingua2


# AutoGen


@pytest.fixture
def autogen(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module that reads `PromptCompressor` when it is imported, imported anew."""
    name = "autogen.agentchat.contrib.capabilities.text_compressors"
    framework("autogen.agentchat.contrib.capabilities")
    monkeypatch.delitem(sys.modules, name, raising=False)
    return framework(name)


def test_autogen_compresses_texts_with_its_defaults(autogen: Any, asked: list[str | None]) -> None:
    made = autogen.LLMLingua()
    assert asked == ["microsoft/llmlingua-2-bert-base-multilingual-cased-meetingbank"]
    result = made.compress_text(HARBOUR, rate=0.5, question="When do ferries leave?")
    assert "7:15" in result["compressed_prompt"]
    assert result["compressed_tokens"] <= 0.5 * result["origin_tokens"]
    assert made.compress_text("")["compressed_prompt"] == ""
    assert made.compress_text("7", rate=0.5)["compressed_tokens"] <= 1


def test_autogen_structured(autogen: Any) -> None:
    made = autogen.LLMLingua({"model_name": "gpt2", "device_map": "cpu"}, structured_compression=True)
    prompt = made.compress_text(TAGGED, rate=0.5)["compressed_prompt"]
    assert [line.split(":")[0] for line in prompt.split("\n")] == ["Chair", "Clerk", "Chair"]


def test_autogen_transforms_a_conversation(autogen: Any) -> None:
    from autogen.agentchat.contrib.capabilities.transforms import TextMessageCompressor
    from autogen.cache.in_memory_cache import InMemoryCache

    transform = TextMessageCompressor(
        text_compressor=autogen.LLMLingua(),
        compression_params={"target_token": 40},
        cache=InMemoryCache(seed=1),
        filter_dict={"role": ["system"]},
    )
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": ORCHARD},
        {"role": "user", "content": HARBOUR},
        {"role": "assistant", "content": [{"type": "text", "text": OBSERVATORY}, {"type": "text", "text": ""}, image]},
        {"role": "user", "content": ""},
        {"role": "user", "content": None},
        {"role": "user", "content": "12"},
    ]
    before = json.loads(json.dumps(messages))
    after = transform.apply_transform(json.loads(json.dumps(messages)))
    assert after[0] == before[0]
    assert kept_words(after[1]["content"], HARBOUR)
    assert kept_words(after[2]["content"][0]["text"], OBSERVATORY)
    assert after[2]["content"][1:] == before[2]["content"][1:]
    assert after[3:] == before[3:]
    text, had_effect = transform.get_logs(before, after)
    assert had_effect
    assert re.fullmatch(r"\d+ tokens saved with text compression\.", text)
    assert transform.apply_transform(json.loads(json.dumps(messages))) == after  # from its cache
