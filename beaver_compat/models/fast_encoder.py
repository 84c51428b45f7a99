"""Token ids by the `fastokens` library, where it is installed and takes the tokenizer.

Does not know offsets, nor whether the ids are right: `tokenization` compares them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import tokenizers

_VOWEL_SEPARATOR = "\u180e"  # white space or not, by Unicode version: fastokens and tokenizers don't agree


class FastEncoder:
    """fastokens' form of a tokenizer.  Many threads can share one."""

    def __init__(self, fast: Any, marker: str) -> None:
        self._encode = fast.encode_batch_flat
        self._marker = marker  # what a Metaspace pre-tokenizer puts before a text, empty if nothing

    @classmethod
    def of(cls, backend: tokenizers.Tokenizer) -> FastEncoder | None:
        """The tokenizer in fastokens; None if it isn't installed or doesn't take the tokenizer."""
        try:
            import fastokens
        except ImportError:
            return None
        settings, marker = backend.to_str(), ""
        if type(backend.pre_tokenizer).__name__ == "Metaspace":
            settings, marker = _without_metaspace(json.loads(settings))
        fast = _attempt(lambda: fastokens.Tokenizer.from_json_str(settings))
        return None if fast is None else cls(fast, marker)

    def __call__(self, texts: list[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
        """Ids of a batch of texts, special tokens being ordinary text.

        Args:
            texts: T texts without lone surrogates.

        Returns:
            Ids of all texts, int32 [L], and where each text's begin, int64 [T + 1]; None if it can't take them.
        """
        if any(_VOWEL_SEPARATOR in text for text in texts):
            return None
        if self._marker:
            texts = [self._marked(text) for text in texts]
        flat = _attempt(lambda: self._encode(texts, add_special_tokens=False, split_special_tokens=True))
        if flat is None:
            return None
        return np.frombuffer(flat[0], "<u4").astype(np.int32), np.frombuffer(flat[1], "<u8").astype(np.int64)

    def _marked(self, text: str) -> str:
        return text if not text or text.startswith((" ", self._marker)) else f" {text}"


def _without_metaspace(settings: dict[str, Any]) -> tuple[str, str]:
    """A tokenizer.json with Metaspace, which fastokens doesn't know, put in other words.

    Returns:
        The file's text, and the marker that has to stand before a text, empty if none.  Where no other words do,
        the file is left as it is, so that fastokens refuses it.
    """
    metaspace = settings["pre_tokenizer"]
    marker: str = metaspace["replacement"]
    if settings["normalizer"] is not None or not all(token["special"] for token in settings["added_tokens"]):
        return json.dumps(settings), ""
    settings["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": marker}
    settings["pre_tokenizer"] = None
    if metaspace["split"]:
        settings["pre_tokenizer"] = {
            "type": "Split",
            "pattern": {"String": marker},
            "behavior": "MergedWithNext",
            "invert": False,
        }
    return json.dumps(settings), "" if metaspace["prepend_scheme"] == "never" else marker


def _attempt(call: Callable[[], Any]) -> Any:
    """What a call into fastokens returns; None if it refuses, be it by a Rust panic, which is no Exception."""
    try:
        return call()
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            return None
        raise
