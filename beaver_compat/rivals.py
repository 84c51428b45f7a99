"""Other compressors with the settings that they are published with, through the packages that their users install.

Imports nothing but the standard library until one is loaded, and nothing else of this package, so that it also runs
under an interpreter that has only the rival.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

KEPT_TOKENS = ["\n", "?", "!", "."]
_LLAMA = "NousResearch/Llama-2-7b-hf"
# Its pins would put old versions of pydantic, click and spacy over those that are there.
_INSTALL_SELECTIVE = (
    "pip install --no-deps selective-context==0.1.4; pip install nltk 'spacy>=3.7'; "
    "python -m spacy download en_core_web_sm"
)
_SELECTIVE_WORDS = 500  # a piece; GPT-2 reads 1,024 tokens at a time
Compress = Callable[[str, str, int], str]  # context, question, target in tokens -> what is left of the context


class Settings(NamedTuple):
    """How a rival is loaded and called.

    Attributes:
        weights: name on the hub that it is published with.
        load: keyword arguments of LLMLingua's constructor.
        call: keyword arguments of `compress_prompt`.
        paragraphs: whether it is given the context in paragraphs.
        install: commands that bring its package; "" where ``pip install`` of a module that is missing will do.
    """

    weights: str
    load: dict[str, Any]
    call: dict[str, Any]
    paragraphs: bool = True
    install: str = ""


RIVALS: dict[str, Settings] = {
    "llmlingua": Settings(_LLAMA, {}, {}),
    "longllmlingua": Settings(
        _LLAMA,
        {},
        {
            "condition_in_question": "after_condition",
            "reorder_context": "sort",
            "dynamic_context_compression_ratio": 0.3,
            "condition_compare": True,
            "context_budget": "+100",
            "rank_method": "longllmlingua",
        },
    ),
    "llmlingua2": Settings(
        "microsoft/llmlingua-2-xlm-roberta-large-meetingbank",
        {"use_llmlingua2": True},
        {"force_tokens": KEPT_TOKENS},
        paragraphs=False,
    ),
    "llmlingua2-small": Settings(
        "microsoft/llmlingua-2-bert-base-multilingual-cased-meetingbank",
        {"use_llmlingua2": True},
        {"force_tokens": KEPT_TOKENS},
        paragraphs=False,
    ),
    "selective-context": Settings("gpt2", {}, {}, install=_INSTALL_SELECTIVE),
}


def load_rival(name: str, weights: str | None = None, device: str = "cpu") -> Compress:
    """A rival, ready to compress.

    Args:
        name: one of ``RIVALS``.
        weights: name on the hub, or a folder, in the place of what it is published with.
        device: such as cpu or cuda.

    Returns:
        A function of context, question and target (in the rival's tokens) that returns what is left of the context.

    Raises:
        ImportError: its package isn't installed.
        OSError: its weights can't be had.
    """
    settings = RIVALS[name]
    if name == "selective-context":
        return _selective_context(weights or settings.weights)
    from llmlingua import PromptCompressor  # type: ignore[import-untyped]

    return using(PromptCompressor(weights or settings.weights, device, **settings.load), name)


def using(compressor: Any, name: str) -> Compress:
    """A loaded compressor of the LLMLingua family with the settings that ``name`` is published with."""
    settings = RIVALS[name]

    def compress(context: str, question: str, target: int) -> str:
        contexts = context.split("\n\n") if settings.paragraphs else [context]
        result = compressor.compress_prompt(
            contexts, question=question, target_token=target, concate_question=False, **settings.call
        )
        compressed: str = result["compressed_prompt"]
        return compressed

    return compress


def _selective_context(weights: str) -> Compress:
    from selective_context import SelectiveContext  # type: ignore[import-not-found]

    model = SelectiveContext(model_type=weights, lang="en")

    def compress(context: str, question: str, target: int) -> str:
        words = context.split(" ")
        pieces = [" ".join(words[at : at + _SELECTIVE_WORDS]) for at in range(0, len(words), _SELECTIVE_WORDS)]
        tokens = sum(len(model.tokenizer(piece)["input_ids"]) for piece in pieces)
        dropped = max(0.0, 1 - target / max(tokens, 1))
        return " ".join(model(piece, reduce_ratio=dropped)[0] for piece in pieces)

    return compress
