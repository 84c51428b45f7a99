"""Hard texts, and slow obvious ways to find what a tokenizer must say of them."""

from __future__ import annotations

import copy
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from tokenizer_factory import FAMILIES, MARKER
from tokenizers import Tokenizer as Backend

from beaver_compat.models.offsets import byte_alphabet, composed_positions
from beaver_compat.tokenization import Tokenized, Tokenizer

BYTE_LEVEL = ("gpt2", "qwen")
MARKED = ("llama", "metaspace", "metaspace_split", "gemma")
OWN = ("xlm_roberta", "bert")
SAMPLES = [
    "",
    " ",
    "a",
    "The beaver's 12,345 dams -- isn't it?\r\n\r\n\tfor x in y:\n",
    "  two  spaces   at the ends ",
    "e\u0301te\u0301 a\u0301\u0323b \u1100\u1161\u11a8 क\u093c x\u0302",
    "👩\u200d👩\u200d👧 👍🏽 🇩🇪 ❤\ufe0f",
    "บีเวอร์สร้างเขื่อน ऊदबिलाव नदी पर يبني القندس סכר",
    "河狸用树枝筑坝。ビーバーは木の枝。비버는 댐을 만든다.",
    "½ ﬁ ① １２ ｶﾞ İ ß ﷺ \ufc5e \u00a8",
    "\x00a\x00 \x01b\u200bc\u00add\ufeff e\u0085f\u2028g\u3000h\u00a0i",
    "</s><|endoftext|> [SEP] <s><think> hm </think><mask> [MASK]<0x41>",
    "▁a ▁▁ b▁",
    "a \u180e b\u180ec",
    "x" * 300 + " " * 40 + "7" * 50 + "\n" * 30,
]
PIECES = [
    *SAMPLES[1:],
    *"ab1 .\n\té漢",
    " the",
    " beaver",
    "'s",
    "\u0301",
    "\u11a8",
    "😀",
    "\ud800",
    "\udc00\ud83d",
]
hostile_texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.text(alphabet=st.characters(), max_size=40),
    st.text(alphabet=st.characters(max_codepoint=0x7F), max_size=40),
)
each_family = pytest.mark.parametrize("family", FAMILIES)
many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
_made: dict[str, Tokenizer] = {}


def made(family: str) -> Tokenizer:
    """The family's tokenizer, one per process."""
    if family not in _made:
        _made[family] = Tokenizer(FAMILIES[family]())
    return _made[family]


def cleaned(text: str) -> str:
    """Surrogates replaced, the slow way."""
    return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text)


def spelling(backend: Backend, token: int) -> str:
    """A token as the vocabulary writes it."""
    found = backend.id_to_token(token)
    assert found is not None
    return found


def same(found: Tokenized, expected: Tokenized) -> bool:
    return all(np.array_equal(found[i], expected[i]) for i in range(3))


def plain_ids(backend: Backend, text: str) -> list[int]:
    """Ids by the plain library, special tokens being ordinary text."""
    own = copy.deepcopy(backend)
    own.no_truncation()
    own.no_padding()
    own.encode_special_tokens = True
    ids: list[int] = own.encode(cleaned(text), add_special_tokens=False).ids
    return ids


def byte_truth(backend: Backend, ids: list[int], text: str) -> list[list[int]]:
    """Offsets of byte-level tokens: the bytes are laid out, and each is looked up in the text."""
    composes = backend.normalizer is not None
    added = {i: token.content for i, token in backend.get_added_tokens_decoder().items()}
    pieces = [added[i].encode() if i in added else bytes(map(byte_alphabet().index, spelling(backend, i))) for i in ids]
    normal = unicodedata.normalize("NFC", text) if composes else text
    assert b"".join(pieces).decode() == normal
    positions = composed_positions(text) if composes else None
    return from_pieces(pieces, normal, 0, positions)


def marked_truth(backend: Backend, ids: list[int], text: str) -> list[list[int]]:
    """Offsets of SentencePiece tokens, in the same way."""
    pieces = []
    for i in ids:
        token = spelling(backend, i)
        is_byte = len(token) == 6 and token.startswith("<0x")
        pieces.append(bytes([int(token[3:5], 16)]) if is_byte else token.encode())
    spelled = b"".join(pieces).decode()
    marks = len(spelled) - len(text)
    assert marks in (0, 1)
    assert spelled[marks:].replace(MARKER, " ") == text.replace(MARKER, " ")
    return from_pieces(pieces, spelled, marks, None)


def from_pieces(pieces: list[bytes], spelled: str, marks: int, positions: np.ndarray | None) -> list[list[int]]:
    """Offsets of byte pieces of a text; a character belongs to the piece that holds its first byte."""
    rounded = []  # of each byte position, the next character position
    for position, character in enumerate(spelled):
        size = len(character.encode())
        rounded += [position] + [position + 1] * (size - 1)
    rounded.append(len(spelled))
    limits, total = [0], 0
    for piece in pieces:
        total += len(piece)
        position = max(0, rounded[total] - marks)
        limits.append(position if positions is None else int(positions[position]))
    return [list(pair) for pair in pairwise(limits)]


def check_invariants(result: Tokenized, texts: list[str]) -> None:
    ids, offsets, limits = result
    assert [ids.dtype, offsets.dtype, limits.dtype] == list(map(np.dtype, (np.int32, np.int32, np.int64)))
    assert offsets.shape == (len(ids), 2)
    assert ids.flags.c_contiguous
    assert offsets.flags.c_contiguous
    assert limits.shape == (len(texts) + 1,)
    assert limits[0] == 0
    assert limits[-1] == len(ids)
    for t, text in enumerate(texts):
        spans = offsets[limits[t] : limits[t + 1]].ravel().tolist()
        assert [0, *spans, len(text)] == sorted([0, *spans, len(text)])


def check_exact(family: str, text: str, result: Tokenized) -> None:
    """Ids of the plain library, and the offsets that the slow way finds."""
    backend = FAMILIES[family]()
    ids = result.ids.tolist()
    assert ids == plain_ids(backend, text)
    check_invariants(result, [text])
    text = cleaned(text)
    if family in BYTE_LEVEL:
        assert result.offsets.tolist() == byte_truth(backend, ids, text)
    if family in MARKED:
        assert result.offsets.tolist() == marked_truth(backend, ids, text)
    if family in OWN:
        check_own(made(family).backend, text, result)


def check_own(backend: Backend, text: str, result: Tokenized) -> None:
    """Each token covers what the library says but for shared characters; only white space lies between tokens."""
    encoding = backend.encode(text, add_special_tokens=False)
    end = 0
    for (start, stop), (low, high) in zip(encoding.offsets, result.offsets.tolist(), strict=True):
        hollow = high == low
        assert hollow or (low == start and high >= stop) or composed_positions(text) is not None or low == end
        between = text[end:low]
        assert not between or end == 0 or between[0].isspace()
        end = high
