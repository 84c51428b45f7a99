"""What a tokenizer's parts tell about it: how its ids cover a text, and where a text can be cut.

Reads the parts of a `tokenizers.Tokenizer`; does not tokenize.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beaver_compat.models.offsets import byte_alphabet, byte_level_widths, marked_widths

if TYPE_CHECKING:
    import tokenizers

MARKER = "▁"  # how SentencePiece vocabularies write a space
_BYTE_SPACE = byte_alphabet()[ord(" ")]
_COMPOSING = {"NFC", "NFKC", "Precompiled"}
_KEEPING = {
    "ByteLevel",
    "Metaspace",
    "Split",
    "Digits",
    "Punctuation",
}  # pre-tokenizers that keep white space
_SPLITTING = {"BertPreTokenizer", "Whitespace", "WhitespaceSplit"}  # pre-tokenizers that split at white space
_WORD_CUT = re.compile(r"(?<=\w)(?= \w)")  # the space goes right
_MARKED_WORD_CUT = re.compile(r"(?<=\w) (?=\w)")  # the space is dropped: each piece gets a marker of its own


@dataclass(frozen=True)
class TokenizerRules:
    """How a tokenizer's ids cover a text.

    Attributes:
        family: name for people.
        bytewise: tokens are written in `offsets.byte_alphabet`.
        vocab_size: largest id + 1, added tokens included; V below.
        widths: characters that each id begins, int64 [V]; None where ids alone don't tell.
        opaque: ids beside which the widths need not add up, bool [V].
        marker: id of the space marker standing alone, -1 if there is none.
        prepends: one character may be put before a text.
        composes: texts are normalized to a composed form.
        shifts: characters dropped at a text's start shift the tokenizer's own offsets (a fault of `tokenizers`).
        by_words: words can be tokenized one by one, the ids are the whole's.
        cut: where a text can be cut so that the pieces' ids are the whole's; None if nowhere, or by words.
    """

    family: str
    bytewise: bool
    vocab_size: int
    widths: NDArray[np.int64] | None
    opaque: NDArray[np.bool_]
    marker: int
    prepends: bool
    composes: bool
    shifts: bool
    by_words: bool
    cut: re.Pattern[str] | None


def rules_of(backend: tokenizers.Tokenizer) -> TokenizerRules:
    """Work out the rules of a tokenizer that takes special tokens in a text for ordinary text."""
    vocabulary = backend.get_vocab(with_added_tokens=True)
    normalizers, pre_tokenizers = _parts(backend.normalizer), _parts(backend.pre_tokenizer)
    kinds = {part["type"] for part in normalizers}
    matched = {i: token for i, token in backend.get_added_tokens_decoder().items() if not token.special}
    tokens = [""] * (max(vocabulary.values(), default=-1) + 1)
    for token, i in vocabulary.items():
        tokens[i] = token
    family = _family(backend.model, normalizers, pre_tokenizers, vocabulary)
    prepends = _prepends(normalizers, pre_tokenizers)
    space = " " if family == _BYTE_LEVEL else MARKER
    divisible = not any(token.rstrip or _over_a_cut(token.content, space) for token in matched.values())
    opaque = np.zeros(len(tokens), np.bool_)
    opaque[[i for i, token in matched.items() if prepends or token.lstrip or token.rstrip]] = True
    opaque[vocabulary.get(getattr(backend.model, "unk_token", None) or "", [])] = True
    return TokenizerRules(
        family=family,
        bytewise=any(part["type"] == "ByteLevel" for part in pre_tokenizers),
        vocab_size=len(tokens),
        widths=_widths(family, tokens, matched),
        opaque=opaque,
        marker=vocabulary.get(MARKER, -1),
        prepends=prepends,
        composes=bool(kinds & _COMPOSING),
        shifts="Precompiled" in kinds,
        by_words=family not in (_BYTE_LEVEL, _MARKED) and divisible and _splits_words(kinds, pre_tokenizers),
        cut=_cut(family, "Prepend" in kinds, tokens, matched) if divisible else None,
    )


_BYTE_LEVEL, _MARKED = "byte-level BPE", "SentencePiece BPE"


def _parts(component: Any) -> list[dict[str, Any]]:
    """The states of a normalizer or pre-tokenizer, sequences laid flat."""
    return [] if component is None else _flat(json.loads(component.__getstate__()))


def _flat(state: dict[str, Any]) -> list[dict[str, Any]]:
    if state["type"] != "Sequence":
        return [state]
    inner = state.get("normalizers", state.get("pretokenizers", []))
    return [part for child in inner for part in _flat(child)]


def _family(
    model: Any,
    normalizers: list[dict[str, Any]],
    pre_tokenizers: list[dict[str, Any]],
    vocabulary: dict[str, int],
) -> str:
    name = type(model).__name__
    if name != "BPE" or model.continuing_subword_prefix or model.end_of_word_suffix:
        return name
    splitters = {part["type"] for part in pre_tokenizers}
    if not splitters <= _KEEPING or not all(map(_keeps_length, normalizers)):
        return name
    if "ByteLevel" not in splitters:
        return _MARKED
    prefix_per_split = len(pre_tokenizers) > 1 and _prepends(normalizers, pre_tokenizers)
    complete = all(byte in vocabulary for byte in byte_alphabet())
    return _BYTE_LEVEL if complete and not prefix_per_split and {"NFC"} >= {n["type"] for n in normalizers} else name


def _keeps_length(normalizer: dict[str, Any]) -> bool:
    """Whether the normalized text has a character for each of the NFC text, but for one put before it."""
    if normalizer["type"] == "Replace":
        return len(normalizer["pattern"].get("String", "")) == len(normalizer["content"]) == 1
    return normalizer["type"] == "NFC" or (normalizer["type"] == "Prepend" and len(normalizer["prepend"]) == 1)


def _prepends(normalizers: list[dict[str, Any]], pre_tokenizers: list[dict[str, Any]]) -> bool:
    return any(
        part["type"] == "Prepend"
        or (part["type"] == "Metaspace" and part.get("prepend_scheme") != "never")
        or (part["type"] == "ByteLevel" and bool(part.get("add_prefix_space")))
        for part in normalizers + pre_tokenizers
    )


def _widths(family: str, tokens: list[str], matched: dict[int, Any]) -> NDArray[np.int64] | None:
    if family not in (_BYTE_LEVEL, _MARKED):
        return None
    widths = byte_level_widths(tokens) if family == _BYTE_LEVEL else marked_widths(tokens)
    for i, token in matched.items():
        widths[i] = len(token.content)
    return widths


def _splits_words(kinds: set[str], pre_tokenizers: list[dict[str, Any]]) -> bool:
    splits = (p["type"] in _SPLITTING or (p["type"] == "Metaspace" and p["split"]) for p in pre_tokenizers)
    return any(splits) and "Prepend" not in kinds


def _cut(family: str, drops_space: bool, tokens: list[str], matched: dict[int, Any]) -> re.Pattern[str] | None:
    """Where a text of a BPE family can be cut: no token may reach over a cut."""
    if family not in (_BYTE_LEVEL, _MARKED) or (drops_space and matched):
        return None
    space = _BYTE_SPACE if family == _BYTE_LEVEL else MARKER
    if any(_over_a_cut(token, space) for token in tokens if space in token[1:]):
        return None
    return _MARKED_WORD_CUT if drops_space else _WORD_CUT


def _over_a_cut(token: str, space: str) -> bool:
    """Whether a token, its bytes decoded if `space` is the byte-level one, has a space behind a letter."""
    if space == _BYTE_SPACE:
        values = map(byte_alphabet().find, token)
        token = bytes(value for value in values if value >= 0).decode("utf-8", "replace")
    return bool(re.search("[\\w\ufffd] ", token.replace(space, " ")))
