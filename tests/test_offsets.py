"""Offsets from ids, held to slow loops over bytes and characters."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from beaver_compat.models.offsets import (
    between_limits,
    byte_alphabet,
    byte_level_widths,
    composed_positions,
    marked_widths,
    repaired,
    token_limits,
    word_limits,
)

# Characters that NFC composes, reorders, decomposes or leaves alone, in every odd way that Unicode has.
MARKS = [
    *"aeouAE1 .\n",
    *"\u0301\u0323\u0302\u0327\u0344\u0345",
    *"éạÅ\u212b\u2126\uf900",
    *"\u1100\u1161\u11a8가각\uac00",
    *"क\u093c\u0958\u09c7\u09be\u0b47\u0b3e\u0f42\u0fb7\u0f43",
    *"漢😀\u200d\u0e33",
]
marked_texts = st.lists(st.sampled_from(MARKS), max_size=30).map("".join)


def test_byte_alphabet_is_that_of_tokenizers() -> None:
    assert set(byte_alphabet()) == set(pre_tokenizers.ByteLevel.alphabet())
    assert len(byte_alphabet()) == 256
    for byte, character in zip("é 漢\n".encode(), "Ã©Ġæ¼¢Ċ", strict=True):
        assert byte_alphabet()[byte] == character


@given(st.text())
def test_byte_level_widths_count_the_characters_begun(text: str) -> None:
    tokens = [byte_alphabet()[byte] for byte in text.encode()]
    begun = [int(i == 0) for character in text for i in range(len(character.encode()))]
    assert byte_level_widths(tokens).tolist() == begun
    assert byte_level_widths(["".join(tokens)]).tolist() == [len(text)]


def test_widths_of_no_tokens() -> None:
    assert byte_level_widths([]).tolist() == []
    assert byte_level_widths(["", "a"]).tolist() == [0, 1]
    assert marked_widths([]).tolist() == []


@pytest.mark.parametrize("byte", range(256))
def test_byte_token_is_as_wide_as_what_it_begins(byte: int) -> None:
    continues = 0b1000_0000 <= byte <= 0b1011_1111
    assert marked_widths([f"<0x{byte:02X}>"]).tolist() == [0 if continues else 1]


def test_only_whole_byte_tokens_are_bytes() -> None:
    assert marked_widths(["<0xE4", "x<0xE4>", "<0xe4>", "▁▁a"]).tolist() == [5, 7, 6, 3]


@given(st.lists(st.integers(0, 4), max_size=20), st.integers(-2, 2), st.booleans())
def test_token_limits_are_running_sums_or_none(sizes: list[int], missing: int, prepends: bool) -> None:
    widths = np.arange(5)
    ids = np.array(sizes, np.int32)
    limits = token_limits(ids, widths, sum(sizes) - missing, prepends=prepends)
    if missing == 0 or (missing == 1 and prepends):
        assert limits is not None
        assert limits.tolist() == [0] + [sum(sizes[: i + 1]) - missing for i in range(len(sizes))]
    else:
        assert limits is None


def test_between_limits_pairs_neighbours() -> None:
    offsets = between_limits(np.array([0, 2, 2, 5]))
    assert offsets.dtype == np.int32
    assert offsets.tolist() == [[0, 2], [2, 2], [2, 5]]
    assert between_limits(np.array([0])).shape == (0, 2)


@settings(max_examples=300)
@given(marked_texts)
def test_composed_positions_are_exact_cuts(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    positions = composed_positions(text)
    if positions is None:
        assert composed == text
        return
    assert composed != text
    assert positions.shape == (len(composed) + 1,)
    assert positions[-1] == len(text)
    assert (np.diff(positions) >= 0).all()
    for position in set(positions.tolist()):
        at = [i for i, p in enumerate(positions.tolist()) if p == position]
        head, tail = (unicodedata.normalize("NFC", part) for part in (text[:position], text[position:]))
        assert any((head, tail) == (composed[:i], composed[i:]) for i in at)


def test_unchanged_clusters_keep_every_position() -> None:
    positions = composed_positions("x\u0302y e\u0301 x\u0302")
    assert positions is not None
    assert positions.tolist() == [0, 1, 2, 3, 4, 6, 7, 8, 9]


@st.composite
def _text_and_own_offsets(draw: st.DrawFn) -> tuple[str, np.ndarray]:
    text = draw(marked_texts.filter(bool))
    starts = sorted(draw(st.lists(st.integers(0, len(text) - 1), max_size=12)))
    return text, np.array([(s, draw(st.integers(s, len(text)))) for s in starts], np.int32).reshape(-1, 2)


@settings(max_examples=300)
@given(_text_and_own_offsets(), st.booleans())
def test_repaired_offsets_keep_the_rule(case: tuple[str, np.ndarray], composes: bool) -> None:
    text, own = case
    offsets = repaired(own, np.zeros(len(own), np.bool_), text, composes=composes)
    assert offsets.shape == own.shape
    limits = [0, *offsets.ravel().tolist(), len(text)]
    assert limits == sorted(limits)
    if not composes:  # else what covered the inside of a cluster alone may be empty now
        assert _covered(offsets) >= _covered(own)
    following = [*offsets[1:, 0].tolist(), len(text)][: len(own)]
    for (_, end), start in zip(offsets.tolist(), following, strict=True):
        assert end == start or text[end].isspace()  # what lies between begins with white space


def _covered(offsets: np.ndarray) -> set[int]:
    return {i for start, end in offsets.tolist() for i in range(start, end)}


def test_repair_of_a_shared_character_a_dropped_mark_and_a_hollow_marker() -> None:
    own = np.array([(0, 1), (0, 1), (1, 2), (1, 2), (4, 5)], np.int32)
    hollow = np.array([True, False, False, False, True])
    assert repaired(own, hollow, "a½\u0301\u0302 ", composes=False).tolist() == [
        [0, 0],
        [0, 1],
        [1, 2],
        [2, 4],
        [4, 5],
    ]


def test_repair_keeps_the_tokenizers_offsets() -> None:
    own = np.array([(0, 1), (0, 1)], np.int32)
    repaired(own, np.zeros(2, np.bool_), "½\u0301", composes=True)
    assert own.tolist() == [[0, 1], [0, 1]]


@settings(max_examples=300)
@given(st.text(alphabet=st.sampled_from("ab1.  \n\t\u00a0é漢\u0301\u200b\ufc5e\x00"), max_size=40))
def test_words_begin_where_the_slow_way_says(text: str) -> None:
    solid = re.compile(r"[a-z0-9.é漢]")
    begins = [
        i
        for i in range(1, len(text) - 1)
        if text[i] == " " and solid.fullmatch(text[i - 1]) and solid.fullmatch(text[i + 1])
    ]
    assert word_limits(text).tolist() == [0, *begins, len(text)]
