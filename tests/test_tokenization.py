"""Tokenizer: ids of the plain library, offsets of slow truths, whatever the family and whatever the text."""

from __future__ import annotations

import copy
import json
import pickle
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenization_truths import (
    OWN,
    PIECES,
    SAMPLES,
    check_exact,
    check_invariants,
    cleaned,
    each_family,
    hostile_texts,
    made,
    many,
    plain_ids,
    same,
)
from tokenizer_factory import FAMILIES, MARKER, TRAINING_TEXT, bert_like, gpt2_like
from tokenizers import AddedToken, Regex, normalizers, pre_tokenizers
from tokenizers import Tokenizer as Backend
from tokenizers.models import BPE

from beaver_compat import tokenization
from beaver_compat.embeddings import load_table
from beaver_compat.errors import InputTypeError, TokenizerError
from beaver_compat.models import own_encoder
from beaver_compat.tokenization import Tokenizer


@pytest.fixture
def without_fastokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastokens", None)


@each_family
@pytest.mark.parametrize("text", SAMPLES)
def test_ids_and_offsets_are_exact(family: str, text: str) -> None:
    check_exact(family, text, made(family).encode([text]))


@each_family
@many
@given(text=hostile_texts)
def test_any_text_is_exact(family: str, text: str) -> None:
    check_exact(family, text, made(family).encode([text]))


@each_family
@many
@given(texts=st.lists(hostile_texts, max_size=4))
def test_a_batch_is_its_texts_one_by_one(family: str, texts: list[str]) -> None:
    tokenizer = made(family)
    batch = tokenizer.encode(texts)
    check_invariants(batch, texts)
    for t, text in enumerate(texts):
        alone = tokenizer.encode([text])
        at = slice(batch.limits[t], batch.limits[t + 1])
        assert np.array_equal(batch.ids[at], alone.ids)
        assert np.array_equal(batch.offsets[at], alone.offsets)
        assert np.array_equal(tokenizer.encode_ids(text), alone.ids)
        assert tokenizer.count(text) == len(alone.ids)


@each_family
def test_with_and_without_fastokens_are_the_same(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = made(family)
    monkeypatch.setitem(sys.modules, "fastokens", None)
    plain = Tokenizer(FAMILIES[family]())
    assert repr(plain).endswith("tokenizers)")
    if family not in OWN:
        assert repr(fast).endswith("fastokens)")
    for text in [*SAMPLES, TRAINING_TEXT, "".join(PIECES)]:
        assert same(plain.encode([text]), fast.encode([text]))


@each_family
def test_byte_level_and_marked_tokens_leave_nothing_out(family: str) -> None:
    _, offsets, _ = made(family).encode([TRAINING_TEXT])
    slices = [TRAINING_TEXT[start:end] for start, end in offsets.tolist()]
    whole = TRAINING_TEXT if family not in OWN else "".join(TRAINING_TEXT.split())
    assert "".join(slices if family not in OWN else ["".join(piece.split()) for piece in slices]) == whole


def _scrambled(seed: int) -> str:
    """A text of some thousand characters, words and odd pieces mixed."""
    dice = random.Random(seed)
    words = [*TRAINING_TEXT.split(" "), *PIECES]
    return " ".join(dice.choice(words) for _ in range(600))


@each_family
@pytest.mark.parametrize("seed", range(3))
def test_cut_texts_have_the_ids_of_the_whole(
    family: str, seed: int, monkeypatch: pytest.MonkeyPatch, without_fastokens: None
) -> None:
    monkeypatch.setattr(tokenization, "_PIECE", 25)
    monkeypatch.setattr(own_encoder, "_SHORT", 0)
    text = cleaned(_scrambled(seed))
    tokenizer = Tokenizer(FAMILIES[family]())
    if family in OWN:
        assert tokenizer._own.by_words
        encoding = tokenizer.backend.encode(text, add_special_tokens=False)
        rows = tokenizer._own.rows_by_words(text)
        assert rows[:, 1:].tolist() == [list(pair) for pair in encoding.offsets]
    else:
        assert len(list(tokenizer._pieces(text))) > 20
    assert tokenizer.encode_ids(text).tolist() == plain_ids(FAMILIES[family](), text)


@each_family
def test_results_belong_to_the_caller(family: str) -> None:
    tokenizer = made(family)
    text = "The beaver builds dams " * 40
    before = tokenizer.encode([text])
    for array in (*tokenizer.encode([text]), tokenizer.encode_ids(text)):
        array[:] = 7
    assert same(tokenizer.encode([text]), before)


@each_family
def test_special_tokens_in_a_text_are_ordinary_text(family: str) -> None:
    tokenizer = made(family)
    special = [t.content for t in FAMILIES[family]().get_added_tokens_decoder().values() if t.special]
    for content in special:
        ids, offsets, _ = tokenizer.encode([f"a {content}."])
        assert len(ids) > 2  # no single id for it
        assert offsets[-1].tolist() == [len(content) + 2, len(content) + 3]


def test_added_tokens_that_are_not_special_keep_their_ids() -> None:
    backend = FAMILIES["qwen"]()
    ids, offsets, _ = made("qwen").encode(["hm <think>x"])
    place = ids.tolist().index(backend.token_to_id("<think>"))
    assert offsets[place].tolist() == [3, 10]


@pytest.mark.parametrize("family", ["gpt2", "llama", "metaspace", "metaspace_split", "xlm_roberta", "bert"])
def test_added_tokens_that_strip_or_split_have_exact_offsets(family: str) -> None:
    backend = copy.deepcopy(FAMILIES[family]())
    backend.no_truncation()
    backend.no_padding()
    backend.add_tokens([AddedToken("<tool>", normalized=False)])
    backend.add_tokens([AddedToken("<gap>", lstrip=True, rstrip=True, normalized=False)])
    tokenizer = Tokenizer(backend)
    for text, spans in [
        ("ab<tool>cd", {"<tool>": "<tool>"}),
        ("ab <gap>  cd <tool> ef<tool>", {"<gap>": " <gap>  ", "<tool>": "<tool>"}),
        ("<gap>", {"<gap>": "<gap>"}),
    ]:
        ids, offsets, _ = tokenizer.encode([text])
        assert ids.tolist() == plain_ids(backend, text)
        for content, span in spans.items():
            at = offsets[ids == backend.token_to_id(content)].tolist()
            assert at
            assert all(text[start:end] == span for start, end in at)
        tail = offsets[-1].tolist()
        assert tail[1] == len(text)


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_lone_surrogate_counts_as_the_replacement_character(head: str, tail: str) -> None:
    for family in ("qwen", "llama", "bert"):
        found = made(family).encode([f"{head}\udcff{tail}"])
        assert same(found, made(family).encode([f"{head}\ufffd{tail}"]))


@each_family
def test_the_callers_tokenizer_is_left_alone(family: str) -> None:
    backend = copy.deepcopy(FAMILIES[family]())
    backend.enable_truncation(max_length=5)
    backend.enable_padding(length=9)
    before = backend.to_str()
    tokenizer = Tokenizer(backend)
    assert tokenizer.count("one two three four five six seven eight nine ten") > 9
    assert backend.to_str() == before
    assert not backend.encode_special_tokens


def test_no_dropout_and_no_added_special_tokens() -> None:
    settings_ = json.loads(gpt2_like().to_str())
    settings_["model"]["dropout"] = 0.9
    backend = Backend.from_str(json.dumps(settings_))
    text = TRAINING_TEXT[:500]
    assert Tokenizer(backend).encode_ids(text).tolist() == plain_ids(gpt2_like(), text)
    assert backend.model.dropout == pytest.approx(0.9)


@each_family
def test_a_copy_by_pickle_gives_the_same(family: str) -> None:
    tokenizer = made(family)
    copied = pickle.loads(pickle.dumps(tokenizer))
    assert repr(copied) == repr(tokenizer)
    for text in SAMPLES:
        assert same(copied.encode([text]), tokenizer.encode([text]))


@each_family
def test_eight_threads_share_one(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_encoder, "_KNOWN_WORDS", 40)  # so that they also forget while others look up
    tokenizer = Tokenizer(FAMILIES[family]())
    texts = [cleaned(_scrambled(seed)) for seed in range(8)]
    expected = [made(family).encode([text]) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        for round_ in range(3):
            for found, right in zip(threads.map(lambda text: tokenizer.encode([text]), texts), expected, strict=True):
                assert same(found, right), round_


def test_vocab_size_counts_added_tokens() -> None:
    for family, trained in FAMILIES.items():
        assert made(family).vocab_size == max(trained().get_vocab().values()) + 1
        assert made(family).encode_ids(TRAINING_TEXT).max() < made(family).vocab_size


def test_repr_tells_family_size_and_engine() -> None:
    assert repr(made("gpt2")) == "Tokenizer(byte-level BPE, 700 ids, fastokens)"
    assert repr(made("llama")) == "Tokenizer(SentencePiece BPE, 1,200 ids, fastokens)"
    assert repr(made("bert")) == "Tokenizer(WordPiece, 800 ids, tokenizers)"


def test_prefix_space_covers_nothing() -> None:
    backend = copy.deepcopy(gpt2_like())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer = Tokenizer(backend)
    for text in ("dam", " dam", "", "\n"):
        ids, offsets, _ = tokenizer.encode([text])
        assert ids.tolist() == plain_ids(backend, text)
        assert "".join(text[start:end] for start, end in offsets.tolist()) == text


def test_unknown_characters_without_byte_tokens() -> None:
    backend = Backend(BPE({"<unk>": 0, MARKER: 1, "a": 2}, [], unk_token="<unk>", fuse_unk=True))
    backend.normalizer = normalizers.Replace(" ", MARKER)
    ids, offsets, _ = Tokenizer(backend).encode(["a xyz a"])
    assert ids.tolist() == [2, 1, 0, 1, 2]
    assert offsets.tolist() == [[0, 1], [1, 2], [2, 5], [5, 6], [6, 7]]


def test_words_that_a_vocabulary_joins_are_never_cut(without_fastokens: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenization, "_PIECE", 4)
    joined = f"a{MARKER}b"
    vocabulary = {"a": 0, "b": 1, MARKER: 2, f"a{MARKER}": 3, joined: 4, "<unk>": 5}
    backend = Backend(BPE(vocabulary, [("a", MARKER), (f"a{MARKER}", "b")], unk_token="<unk>"))
    backend.normalizer = normalizers.Replace(" ", MARKER)
    assert Tokenizer(backend).encode_ids("a b a b a b").tolist() == [4, 2, 4, 2, 4]


def test_offsets_that_lie_are_refused() -> None:
    backend = copy.deepcopy(bert_like())
    backend.normalizer = normalizers.Replace(Regex("[a-z]"), "b")
    with pytest.raises(TokenizerError, match="offsets can't be trusted"):
        Tokenizer(backend)


def test_a_string_in_place_of_texts_is_refused() -> None:
    with pytest.raises(InputTypeError, match=r"pass \[text\]"):
        made("gpt2").encode("one text")
    with pytest.raises(InputTypeError, match="5 of type int"):
        made("gpt2").encode(["a", 5])  # type: ignore[list-item]
    with pytest.raises(InputTypeError, match="None of type NoneType"):
        made("bert").count(None)  # type: ignore[arg-type]


@each_family
@pytest.mark.parametrize("unit", ["a", " ", "\n ", "河", "'", "\x00", "e\u0301", "a\ud800 ", "</s>"])
def test_long_runs_get_an_answer(family: str, unit: str) -> None:
    text = unit * 20_000
    result = made(family).encode([text])
    check_invariants(result, [text])
    assert len(result.ids) == made(family).count(text)


def test_tokenizers_that_are_alike_are_made_once() -> None:
    backend = load_table().tokenizer
    first = Tokenizer.of(backend)
    assert Tokenizer.of(load_table().tokenizer) is first
    loaded = pickle.loads(pickle.dumps(first))
    assert pickle.loads(pickle.dumps(first)) is loaded
    backend.add_tokens(["millstone"])
    changed = Tokenizer.of(backend)
    assert changed is not first
    assert changed.vocab_size == first.vocab_size + 1
    assert changed.encode_ids("millstone").size == 1 < first.encode_ids("millstone").size
