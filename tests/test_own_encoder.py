"""Tokenizers whose offsets come from the library itself: words kept, faults of the library made good."""

from __future__ import annotations

import copy
import struct

import numpy as np
import pytest
from tokenization_truths import OWN, plain_ids, spelling
from tokenizer_factory import FAMILIES, MARKER, gpt2_like, xlm_roberta_like
from tokenizers import Tokenizer as Backend
from tokenizers import normalizers, pre_tokenizers
from tokenizers.models import Unigram

from beaver_compat.models import own_encoder
from beaver_compat.tokenization import Tokenizer


@pytest.mark.parametrize("family", OWN)
def test_known_words_are_bounded(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_encoder, "_KNOWN_WORDS", 10)
    tokenizer = Tokenizer(FAMILIES[family]())
    text = " ".join(f"word{i}" for i in range(300))
    first, second = tokenizer.encode([text]), tokenizer.encode([text])
    assert np.array_equal(first.ids, second.ids)
    assert np.array_equal(first.offsets, second.offsets)
    tokenizer.encode(["other words " * 50])
    assert len(tokenizer._own._known) < 20


def _dropping_first_control() -> Backend:
    """Unigram with a compiled normalizer, as XLM-R's, that drops U+0001 and nothing else."""
    trie = [0] * 256  # a double array: units[0 ^ byte], then the leaf at 1 ^ 2
    trie[1] = 1 | 1 << 8 | 2 << 10
    trie[3] = 1 << 31
    charsmap = struct.pack("<I256I", 4 * len(trie), *trie) + b"\0"
    backend = copy.deepcopy(xlm_roberta_like())
    backend.normalizer = normalizers.Precompiled(charsmap)
    return backend


@pytest.mark.parametrize("text", ["\x01\x01ab cd", "\x01", "a\x01\x01b \x01cd", "\x01 \x01", "\x01é" + " ab" * 300])
def test_dropped_characters_at_the_start_shift_nothing(text: str) -> None:
    backend = _dropping_first_control()
    assert backend.normalizer.normalize_str("\x01a\x01") == "a"
    ids, offsets, _ = Tokenizer(backend).encode([text])
    assert ids.tolist() == plain_ids(backend, text)
    for i, (start, end) in zip(ids.tolist(), offsets.tolist(), strict=True):
        token = spelling(backend, i).replace(MARKER, "")
        assert text[start:end].replace("\x01", "").strip() in (token, token.strip()) or token == "<unk>"


def test_spaces_that_a_pre_tokenizer_drops_lie_between_tokens() -> None:
    backend = copy.deepcopy(gpt2_like())
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(" ", "removed"), byte_level])
    text = "the  dam 河 x"
    ids, offsets, _ = Tokenizer(backend).encode([text])
    assert ids.tolist() == plain_ids(backend, text)
    assert "".join(text[start:end] for start, end in offsets.tolist()) == "thedam河x"


def test_unigram_that_does_not_split_words() -> None:
    backend = Backend(Unigram([("<unk>", 0.0), (MARKER, -2.0), ("a", -1.0), (f"a{MARKER}a", -1.5)], unk_id=0))
    backend.normalizer = normalizers.Replace(" ", MARKER)
    ids, offsets, _ = Tokenizer(backend).encode(["a a a" + " a" * 500])
    assert 3 in ids
    assert offsets[:, 0].tolist() == [0, *offsets[:-1, 1].tolist()]
