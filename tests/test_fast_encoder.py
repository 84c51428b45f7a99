"""fastokens is used where it is right, and never where it isn't."""

from __future__ import annotations

import copy
import sys
import types

import numpy as np
import pytest
from tokenization_truths import plain_ids
from tokenizer_factory import FAMILIES, gpt2_like
from tokenizers import normalizers

from beaver_compat.tokenization import Tokenizer


def test_vowel_separator_goes_to_the_plain_library(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer(gpt2_like())
    assert tokenizer._fast is not None
    monkeypatch.setattr(tokenizer._fast, "_encode", lambda texts, **_: (b"\1\0\0\0", bytes(16)))
    assert tokenizer.encode_ids("a").tolist() == [1]
    assert tokenizer.encode_ids("a\u180e").tolist() == plain_ids(gpt2_like(), "a\u180e")


class _PanicException(BaseException):
    """As a Rust panic reaches Python."""


_PanicException.__name__ = "PanicException"


@pytest.fixture
def fake_fastokens(monkeypatch: pytest.MonkeyPatch) -> types.SimpleNamespace:
    """A fastokens whose calls a test can set; by default it does as `tokenizers` does."""
    backend = Tokenizer(gpt2_like()).backend

    def encode(texts: list[str], **_: bool) -> tuple[bytes, bytes]:
        ids = [backend.encode(text, add_special_tokens=False).ids for text in texts]
        limits = np.cumsum([0, *map(len, ids)]).astype("<u8")
        return np.array([i for row in ids for i in row], "<u4").tobytes(), limits.tobytes()

    fake = types.SimpleNamespace(encode=encode, load_error=None)

    class _Tokenizer:
        @staticmethod
        def from_json_str(settings_: str) -> types.SimpleNamespace:
            if fake.load_error is not None:
                raise fake.load_error
            return types.SimpleNamespace(encode_batch_flat=lambda *args, **names: fake.encode(*args, **names))

    monkeypatch.setitem(sys.modules, "fastokens", types.SimpleNamespace(Tokenizer=_Tokenizer))
    return fake


def test_fastokens_is_used_where_it_agrees(fake_fastokens: types.SimpleNamespace) -> None:
    tokenizer = Tokenizer(gpt2_like())
    assert "fastokens" in repr(tokenizer)
    fake_fastokens.encode = lambda texts, **_: (b"\1\0\0\0" * len(texts), bytes(8 * (len(texts) + 1)))
    assert tokenizer.encode_ids("a beaver").tolist() == [1]


def test_fastokens_with_other_ids_is_dropped(fake_fastokens: types.SimpleNamespace) -> None:
    right = fake_fastokens.encode

    def wrong_on_numbers(texts: list[str], **names: bool) -> tuple[bytes, bytes]:
        wrong: tuple[bytes, bytes] = right([text.replace("1984", "1985") for text in texts], **names)
        return wrong

    fake_fastokens.encode = wrong_on_numbers
    tokenizer = Tokenizer(gpt2_like())
    assert repr(tokenizer).endswith("tokenizers)")
    assert tokenizer.encode_ids("in 1984").tolist() == plain_ids(gpt2_like(), "in 1984")


@pytest.mark.parametrize("error", [ValueError("no such normalizer"), _PanicException("index out of bounds")])
def test_what_fastokens_refuses_goes_to_tokenizers(fake_fastokens: types.SimpleNamespace, error: BaseException) -> None:
    tokenizer = Tokenizer(gpt2_like())

    def refuse(texts: list[str], **_: bool) -> tuple[bytes, bytes]:
        raise error

    fake_fastokens.encode = refuse
    assert tokenizer.encode_ids("a beaver").tolist() == plain_ids(gpt2_like(), "a beaver")
    assert repr(Tokenizer(gpt2_like())).endswith("tokenizers)")
    fake_fastokens.load_error = error
    assert repr(Tokenizer(gpt2_like())).endswith("tokenizers)")


def test_an_interrupt_is_no_refusal(fake_fastokens: types.SimpleNamespace) -> None:
    fake_fastokens.load_error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        Tokenizer(gpt2_like())


def test_metaspace_with_a_normalizer_is_left_to_tokenizers() -> None:
    backend = copy.deepcopy(FAMILIES["metaspace"]())
    backend.normalizer = normalizers.NFC()
    tokenizer = Tokenizer(backend)
    text = "e\u0301 dam e\u0301"
    ids, offsets, _ = tokenizer.encode([text])
    assert ids.tolist() == plain_ids(backend, text)
    assert "".join(text[start:end] for start, end in offsets.tolist()) == text
