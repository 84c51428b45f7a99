"""The ways in which LLMLingua is constructed, and what its instances are then used as."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest
from prompt_samples import HARBOUR

import beaver_compat.compressor as home
from beaver_compat import BeaverPromptCompressor, PromptCompressor, embeddings


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch, compressor: BeaverPromptCompressor) -> list[tuple[Any, dict[str, Any]]]:
    """The names and settings that tables are asked for; each is given the bundled one."""
    asked: list[tuple[Any, dict[str, Any]]] = []

    def load(name: str | None, *, device: Any, model_config: dict[str, Any]) -> embeddings.EmbeddingTable:
        asked.append((name, model_config))
        return compressor.table

    monkeypatch.setattr(home, "load_table", load)
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
