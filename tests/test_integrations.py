"""Our components inside the real frameworks: LangChain, LlamaIndex, Haystack."""

from __future__ import annotations

import asyncio
import inspect
import json
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from frameworks import framework
from model_files import model_files, write_folder
from prompt_samples import ANSWER, CONTEXTS, HARBOUR, OBSERVATORY, QUESTION, kept_words

from beaver_compat import BeaverPromptCompressor
from beaver_compat.errors import InputValueError
from beaver_compat.integrations.documents import shortened

TEXTS = [
    *CONTEXTS,
    "",
    "7",
    "1910 was a year. In 1910 Ilse Varga bought 12",
    "It has\n\n\nblank lines.\n\nAnd\r\nothers.",
    " \n ",
]
BUDGETS = [{"target_token": 0}, {"target_token": 45}, {"target_token": 120.5}, {"rate": 0.3}, {"rate": 1.0}]


def stretches(text: str, spans: list[dict[str, Any]]) -> list[str]:
    """What the metadata says was kept."""
    return [text[span["start"] : span["end"]] for span in spans]


def check_kept(original: str, kept: str, spans: list[dict[str, Any]]) -> None:
    """Kept text is the spans' text and nothing else, in order; the spans survive JSON."""
    assert json.loads(json.dumps(spans)) == spans
    assert [span["start"] for span in spans] == sorted(span["start"] for span in spans)
    assert kept.replace("\n", "") == "".join(stretches(original, spans)).replace("\n", "")
    assert kept_words(kept, original)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("dynamic", [0.0, 1.0])
def test_kept_texts_are_what_the_compressor_prints(
    compressor: BeaverPromptCompressor, budget: dict[str, float], dynamic: float
) -> None:
    arguments = {"rate": 0.5, "target_token": -1, "dynamic_context_compression_ratio": dynamic, **budget}
    kept = shortened(compressor, TEXTS, QUESTION, **arguments)
    result = compressor.compress(TEXTS, question=QUESTION, concate_question=False, **arguments)
    assert "\n\n".join(own.text for own in kept.values()) == result.compressed_context
    assert compressor.counter("\n\n".join(own.text for own in kept.values())) <= result.budget
    for index, own in kept.items():
        check_kept(TEXTS[index], own.text, own.metadata)
        assert own.text in TEXTS[index] or len(own.spans) > 1


def test_spans_that_touch_are_printed_as_one(compressor: BeaverPromptCompressor) -> None:
    texts = [" ".join(f"Parcel {n} of {town} weighs {n * 3} grams." for n in range(150)) for town in ("Hull", "York")]
    arguments = {"rate": 0.5, "target_token": -1, "dynamic_context_compression_ratio": 0.0}
    kept = shortened(compressor, texts, "Which parcels of York are light?", **arguments)
    assert any(before.end == span.start for own in kept.values() for before, span in pairwise(own.spans))
    result = compressor.compress(
        texts, question="Which parcels of York are light?", concate_question=False, **arguments
    )
    assert "\n\n".join(own.text for own in kept.values()) == result.compressed_context


def test_better_documents_keep_more_of_their_text(compressor: BeaverPromptCompressor) -> None:
    def size(ratio: float) -> int:
        kept = compressor.compress(
            CONTEXTS, question="Which fire?", target_token=100, dynamic_context_compression_ratio=ratio
        )
        return sum(span.end - span.start for span in kept.spans if CONTEXTS[span.context_index] == OBSERVATORY)

    assert size(1.0) > size(0.0)
    assert compressor.compress(CONTEXTS, question=QUESTION, dynamic_context_compression_ratio=0.7).to_llmlingua() == (
        compressor.compress_prompt(CONTEXTS, question=QUESTION, dynamic_context_compression_ratio=0.7)
    )


def test_modules_import_their_framework_only() -> None:
    code = (
        "import sys, beaver_compat, beaver_compat.integrations\n"
        "assert not {'torch', 'langchain_core', 'llama_index', 'haystack'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# All of them


@pytest.fixture(params=["langchain_core", "llama_index.core", "haystack"])
def component(request: pytest.FixtureRequest) -> Any:
    """The class of one framework's component."""
    name = request.param
    framework(name)
    if name == "langchain_core":
        from beaver_compat.integrations.langchain import BeaverCompressor as Component
    elif name == "haystack":
        from beaver_compat.integrations.haystack import BeaverCompressor as Component
    else:
        from beaver_compat.integrations.llamaindex import BeaverPostprocessor as Component
    return Component


def kept_by(component: Any) -> list[str]:
    """The texts that a component keeps of the same documents."""
    kind = type(component).__module__.rpartition(".")[2]
    if kind == "langchain":
        kept = component.compress_documents(langchain_documents(CONTEXTS), QUESTION)
        return [document.page_content for document in kept]
    if kind == "haystack":
        kept = component.run(query=QUESTION, documents=haystack_documents(CONTEXTS))["documents"]
        return [document.content for document in kept]
    return [node.text for node in component.postprocess_nodes(llamaindex_nodes(CONTEXTS), query_str=QUESTION)]


def test_components_take_the_same_arguments(component: Any, compressor: BeaverPromptCompressor, tmp_path: Path) -> None:
    folder = str(write_folder(tmp_path, model_files()))
    budget = {"rate": 0.9, "target_token": 45, "dynamic_context_compression_ratio": 0.2}
    expected = shortened(compressor, CONTEXTS, QUESTION, **budget)
    for own in ({"token_counter": "table"}, {"compressor": compressor}, {"compressor": compressor, "model_name": "no"}):
        assert kept_by(component(**budget, **own)) == [kept.text for kept in expected.values()]
    made = component(model_name=folder, token_counter="table", compressor=None)
    assert (made.model_name, made.token_counter, made.compressor) == (folder, "table", None)
    table = BeaverPromptCompressor(folder, token_counter="table")
    rest = {"rate": 0.5, "target_token": -1, "dynamic_context_compression_ratio": 1.0}  # the defaults
    assert kept_by(made) == [kept.text for kept in shortened(table, CONTEXTS, QUESTION, **rest).values()]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("rate", 5, r"'rate' must not exceed 1\.0.* rate is 5"),
        ("rate", -0.5, "rate is -0.5; give a share from 0 to 1"),
        ("target_token", -2, "target_token is -2.*; give 0 or more tokens, or -1 to use rate"),
        ("target_token", float("nan"), "target_token is NaN; give a number"),
        ("dynamic_context_compression_ratio", -3, "dynamic_context_compression_ratio is -3.*; give a share from 0 to"),
        ("dynamic_context_compression_ratio", 1.5, "dynamic_context_compression_ratio is 1.5; give a share from 0 to"),
    ],
)
def test_components_name_values_that_can_not_be_used(
    component: Any, compressor: BeaverPromptCompressor, name: str, value: float, told: str
) -> None:
    with pytest.raises(ValueError, match=told):  # pydantic wraps it
        component(compressor=compressor, **{name: value})
    made = component(compressor=compressor)
    setattr(made, name, value)
    with pytest.raises(InputValueError, match=told):
        kept_by(made)


def test_components_name_arguments_that_there_are_not(component: Any) -> None:
    for wrong in ({"target_tokens": 100}, {"model": "gpt2"}):
        with pytest.raises((TypeError, ValueError), match=rf"\b{next(iter(wrong))}\b"):
            component(**wrong)


# LangChain


def langchain_documents(texts: list[str]) -> list[Any]:
    documents = framework("langchain_core.documents")
    return [
        documents.Document(page_content=text, metadata={"source": f"file{n}", "tags": ["a"]}, id=f"id{n}")
        for n, text in enumerate(texts)
    ]


def langchain_compressor(compressor: BeaverPromptCompressor, **fields: Any) -> Any:
    framework("langchain_core")
    from beaver_compat.integrations.langchain import BeaverCompressor

    return BeaverCompressor(compressor=compressor, **fields)


@pytest.mark.parametrize("budget", BUDGETS)
def test_langchain_keeps_ids_and_metadata_and_adds_spans(
    compressor: BeaverPromptCompressor, budget: dict[str, float]
) -> None:
    documents = langchain_documents(TEXTS)
    before = [document.model_dump() for document in documents]
    made = langchain_compressor(compressor, **budget)
    kept = made.compress_documents(documents, QUESTION)
    assert [document.model_dump() for document in documents] == before
    assert kept == asyncio.run(made.acompress_documents(documents, QUESTION))
    numbers = [int(document.id.removeprefix("id")) for document in kept]
    assert numbers == sorted(set(numbers))
    for number, document in zip(numbers, kept, strict=True):
        spans = document.metadata["kept_spans"]
        assert document.metadata == {**documents[number].metadata, "kept_spans": spans}
        check_kept(TEXTS[number], document.page_content, spans)
    text = "\n\n".join(document.page_content for document in kept)
    assert compressor.counter(text) <= budget.get("target_token", compressor.counter(text))
    assert (ANSWER in text) == (budget.get("target_token") != 0)


def test_langchain_retriever(compressor: BeaverPromptCompressor) -> None:
    framework("langchain_classic")
    from langchain_classic.retrievers import ContextualCompressionRetriever
    from langchain_core.retrievers import BaseRetriever

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Any]:
            return langchain_documents(CONTEXTS * 30)

    retriever = ContextualCompressionRetriever(
        base_compressor=langchain_compressor(compressor, target_token=40), base_retriever=Shelf()
    )
    kept = retriever.invoke(QUESTION)
    assert any(ANSWER in document.page_content for document in kept)
    assert kept == asyncio.run(retriever.ainvoke(QUESTION))


def test_no_documents(compressor: BeaverPromptCompressor) -> None:
    assert langchain_compressor(compressor).compress_documents([], QUESTION) == []


# LlamaIndex


def llamaindex_nodes(texts: list[str]) -> list[Any]:
    schema = framework("llama_index.core.schema")
    return [
        schema.NodeWithScore(node=schema.TextNode(text=text, id_=f"id{n}", metadata={"source": n}), score=1 - n / 99)
        for n, text in enumerate(texts)
    ]


def llamaindex_postprocessor(compressor: BeaverPromptCompressor, **fields: Any) -> Any:
    framework("llama_index.core")
    from beaver_compat.integrations.llamaindex import BeaverPostprocessor

    return BeaverPostprocessor(compressor=compressor, **fields)


@pytest.mark.parametrize("budget", BUDGETS)
def test_llamaindex_keeps_ids_scores_and_metadata(compressor: BeaverPromptCompressor, budget: dict[str, float]) -> None:
    nodes = llamaindex_nodes(TEXTS)
    before = [node.model_dump() for node in nodes]
    made = llamaindex_postprocessor(compressor, **budget)
    kept = made.postprocess_nodes(nodes, query_str=QUESTION)
    assert [node.model_dump() for node in nodes] == before
    assert kept == asyncio.run(made.apostprocess_nodes(nodes, query_str=QUESTION))
    for node in kept:
        number = int(node.node_id.removeprefix("id"))
        assert node.score == nodes[number].score
        if not TEXTS[number]:
            assert node is nodes[number]  # it may hold an image
            continue
        spans = node.metadata["kept_spans"]
        assert node.metadata == {"source": number, "kept_spans": spans}
        check_kept(TEXTS[number], node.text, spans)
        assert "kept_spans" not in node.get_content(metadata_mode=framework("llama_index.core.schema").MetadataMode.LLM)
    assert (ANSWER in "".join(node.text for node in kept)) == (budget.get("target_token") != 0)


def test_llamaindex_settings_and_serialisation(compressor: BeaverPromptCompressor) -> None:
    made = llamaindex_postprocessor(compressor, target_token=77)
    with pytest.raises(InputValueError, match="query_bundle is None"):
        made.postprocess_nodes(llamaindex_nodes(CONTEXTS))
    settings = llamaindex_postprocessor(compressor, target_token=77, token_counter="table").to_dict()
    assert (settings["class_name"], settings["target_token"]) == ("BeaverPostprocessor", 77)
    again = type(made).from_dict(settings)
    assert again.to_dict() == settings
    assert "compressor" not in type(made).model_json_schema()["properties"]
    assert pickle.loads(pickle.dumps(made)).compressor.counter.name == "table"
    nodes = llamaindex_nodes(CONTEXTS)
    assert again.postprocess_nodes(nodes, query_str=QUESTION) == made.postprocess_nodes(nodes, query_str=QUESTION)


# Haystack


def haystack_documents(texts: list[str | None]) -> list[Any]:
    document = framework("haystack").Document
    return [document(id=f"id{n}", content=text, meta={"source": n}, score=0.5) for n, text in enumerate(texts)]


def haystack_compressor(**settings: Any) -> Any:
    framework("haystack")
    from beaver_compat.integrations.haystack import BeaverCompressor

    return BeaverCompressor(token_counter="table", **settings)


@pytest.mark.parametrize("budget", BUDGETS)
def test_haystack_keeps_ids_scores_and_metadata(budget: dict[str, float]) -> None:
    documents = haystack_documents([*TEXTS, None])
    before = [document.to_dict() for document in documents]
    kept = haystack_compressor(**budget).run(query=QUESTION, documents=documents)["documents"]
    assert [document.to_dict() for document in documents] == before
    assert kept[-1] is documents[-1]
    for document in kept[:-1]:
        number = int(document.id.removeprefix("id"))
        spans = document.meta["kept_spans"]
        assert (document.score, document.meta) == (0.5, {"source": number, "kept_spans": spans})
        check_kept(TEXTS[number], document.content, spans)
    assert (ANSWER in "".join(document.content for document in kept[:-1])) == (budget.get("target_token") != 0)


def test_haystack_pipeline_written_and_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    haystack = framework("haystack")
    pipeline = haystack.Pipeline()
    pipeline.add_component("beaver", haystack_compressor(target_token=60))
    written = pipeline.dumps()
    assert "beaver_compat.integrations.haystack.BeaverCompressor" in written
    guarded = "allowed_modules" in inspect.signature(haystack.Pipeline.loads).parameters
    if guarded:  # from 3.0 on only listed modules are imported
        with pytest.raises(haystack.core.errors.DeserializationError, match="allowlist"):
            haystack.Pipeline.loads(written)
        monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "beaver_compat.*")
        haystack.Pipeline.loads(written)
        monkeypatch.delenv("HAYSTACK_DESERIALIZATION_ALLOWLIST")
    again = haystack.Pipeline.loads(written, **({"allowed_modules": ["beaver_compat.*"]} if guarded else {}))
    data = {"beaver": {"query": QUESTION, "documents": haystack_documents([HARBOUR, OBSERVATORY])}}
    kept = again.run(data)["beaver"]["documents"]
    assert kept == pipeline.run(data)["beaver"]["documents"]
    assert ANSWER in kept[-1].content
    wider = again.run({"beaver": {**data["beaver"], "target_token": 9999}})["beaver"]["documents"]
    assert [document.content for document in wider] == [HARBOUR, OBSERVATORY]
