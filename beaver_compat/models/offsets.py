"""Exact character offsets of tokens, worked out from token ids alone or from a tokenizer's own offsets.

Pure numpy.  Does not know any tokenizer: what it needs of one is the number of characters that each id covers.

One rule holds for every family: a character that several tokens share belongs to the first of them, the others are
empty and stand at its end.  So starts and ends never decrease, and a cut between two tokens never splits a character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import code_points

_BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")  # how SentencePiece vocabularies write single bytes
_FIRST_COMBINING = 0x300  # no character below it joins with the one before it
_LAST_DECOMPOSED = 0x2FA1D  # no character above it has a canonical decomposition
_LAST_ASCII = ord("~")
_JAMO = range(0x1160, 0x1200)  # vowels and finals, which follow other jamo
_IS_SPACE = np.array([chr(point).isspace() for point in range(0x3002)])  # the last one stands for all others


@cache
def byte_alphabet() -> str:
    """The 256 characters in which byte-level vocabularies write bytes, in the order of the bytes.

    >>> byte_alphabet()[32], byte_alphabet()[65], byte_alphabet()[255]
    ('Ġ', 'A', 'ÿ')
    """
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return "".join(chr(byte if byte in plain else next(others)) for byte in range(0x100))


def byte_level_widths(tokens: Sequence[str]) -> NDArray[np.int64]:
    """Characters that each token of a byte-level vocabulary begins: its bytes that are no UTF-8 continuation.

    Args:
        tokens: the vocabulary, V strings in the byte alphabet.

    Returns:
        Characters, int64 [V].

    >>> byte_level_widths(["Ġthe", "Ã©", "Ã", "©"]).tolist()
    [4, 1, 1, 0]
    """
    lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
    begins = ~np.isin(code_points("".join(tokens)), code_points(byte_alphabet()[0x80:0xC0]))
    before = np.concatenate(([0], np.cumsum(begins)))
    limits = np.concatenate(([0], np.cumsum(lengths)))
    return np.diff(before[limits])


def marked_widths(tokens: Sequence[str]) -> NDArray[np.int64]:
    """Characters that each token of a SentencePiece vocabulary begins; the space marker stands for one.

    Byte tokens of one character: the lead byte begins it, the others begin nothing.

    Args:
        tokens: the vocabulary, V strings.

    Returns:
        Characters, int64 [V].

    >>> marked_widths(["▁the", "<0x41>", "<0xE4>", "<0xB8>"]).tolist()
    [4, 1, 1, 0]
    """
    return np.fromiter(map(_marked_width, tokens), np.int64, len(tokens))


def _marked_width(token: str) -> int:
    byte = _BYTE_TOKEN.fullmatch(token)
    return len(token) if byte is None else int(not 0x80 <= int(byte[1], 16) < 0xC0)


def token_limits(
    ids: NDArray[np.int32], widths: NDArray[np.int64], length: int, *, prepends: bool
) -> NDArray[np.int64] | None:
    """Character positions between the tokens of a text whose tokens cover it without gaps.

    Args:
        ids: the text's tokens, int32 [L].
        widths: characters that each id begins, int64 [V].
        length: the text's length in characters, after the tokenizer's normalizer.
        prepends: the tokenizer may put one character before the text; it covers nothing.

    Returns:
        int64 [L + 1], the first 0 and the last `length`; None if the tokens don't add up to the text.

    >>> token_limits(np.array([0, 1], np.int32), np.array([4, 2]), 5, prepends=True).tolist()
    [0, 3, 5]
    """
    limits = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(widths.take(ids), out=limits[1:])
    extra = int(limits[-1]) - length
    if extra not in ((0, 1) if prepends else (0,)):
        return None
    limits[1:] -= extra
    return limits


def between_limits(limits: NDArray[np.int64]) -> NDArray[np.int32]:
    """Offsets int32 [L, 2] of tokens that lie between limits, int64 [L + 1]."""
    offsets = np.empty((len(limits) - 1, 2), np.int32)
    offsets[:, 0] = limits[:-1]
    offsets[:, 1] = limits[1:]
    return offsets


def composed_positions(text: str) -> NDArray[np.int64] | None:
    """Where the positions of a text's NFC form lie in the text itself.

    The form is compared cluster by cluster (a character and those that join with it).  In a cluster that NFC
    changes only start and end are certain: positions inside are moved to its end.

    Args:
        text: n characters, m in NFC.

    Returns:
        int64 [m + 1], never decreasing, the last n; None if the text is in NFC, so that nothing moves.

    >>> composed_positions("xe\u0301y").tolist()
    [0, 1, 3, 4]
    """
    if unicodedata.is_normalized("NFC", text):
        return None
    old, new = code_points(text), code_points(unicodedata.normalize("NFC", text))
    old_heads, new_heads = _cluster_heads(old), _cluster_heads(new)
    old_sizes, new_sizes = np.diff(old_heads, append=len(old)), np.diff(new_heads, append=len(new))
    cluster = np.repeat(np.arange(len(new_heads)), new_sizes)  # [m]
    inner = np.arange(len(new)) - new_heads[cluster]
    unmoved = old_heads[cluster] + inner  # right where the cluster is unchanged
    changed = old_sizes != new_sizes
    changed[cluster[old[np.minimum(unmoved, len(old) - 1)] != new]] = True
    ends = old_heads + old_sizes
    positions = np.where(changed[cluster] & (inner > 0), ends[cluster], unmoved)
    return np.append(positions, len(old))


def _cluster_heads(points: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Positions of the characters that begin a cluster.  Text and NFC form have equally many."""
    distinct, which = np.unique(points, return_inverse=True)
    heads = ~np.array([_joins_previous(point) for point in distinct.tolist()])[which]
    heads[0] = True
    return np.flatnonzero(heads)


def _joins_previous(point: int) -> bool:
    if point < _FIRST_COMBINING:
        return False
    first = unicodedata.normalize("NFD", chr(point))[0]
    return unicodedata.combining(first) != 0 or first in _joining_starters()


@cache
def _joining_starters() -> frozenset[str]:
    """Characters of combining class 0 that canonical composition puts behind another one."""
    parts = (unicodedata.decomposition(chr(point)) for point in range(_FIRST_COMBINING, _LAST_DECOMPOSED + 1))
    behind = {chr(int(code, 16)) for part in parts if part and part[0] != "<" for code in part.split()[1:]}
    return frozenset({*filter(lambda c: unicodedata.combining(c) == 0, behind), *map(chr, _JAMO)})


def repaired(own: NDArray[np.int32], hollow: NDArray[np.bool_], text: str, *, composes: bool) -> NDArray[np.int32]:
    """A tokenizer's own offsets, made to keep this module's rule.

    Tokenizers report a character once for every token that shares it, drop the combining marks that a normalizer
    merges or strips, and give a prepended marker the range of what follows.

    Args:
        own: the tokenizer's own offsets, int32 [L, 2].
        hollow: tokens that may be a prepended marker, bool [L].
        text: n characters.
        composes: the tokenizer normalizes to a composed form, so that whole clusters belong together.

    Returns:
        int32 [L, 2].  Dropped characters that are no white space belong to the token before them.

    >>> own = np.array([[0, 1], [0, 1], [3, 4]], np.int32)
    >>> repaired(own, np.zeros(3, bool), "½\u0301\u0302x y", composes=False).tolist()
    [[0, 1], [1, 3], [3, 4]]
    """
    if not len(own):
        return own
    starts, ends = own[:, 0].astype(np.int64), own[:, 1].astype(np.int64)
    following = np.append(starts[1:], len(text))
    ends = np.where(hollow & (following == starts), starts, ends)
    positions = composed_positions(text) if composes else None
    if positions is not None:
        starts = positions[positions.searchsorted(starts)]
        ends = positions[positions.searchsorted(ends)]
    ends = np.maximum.accumulate(ends)
    starts[1:] = np.maximum(starts[1:], ends[:-1])
    following = np.append(starts[1:], len(text))
    gaps = np.flatnonzero(following > ends)
    ends[gaps] = _past_dropped(text, ends[gaps], following[gaps])
    return np.stack((starts, ends), axis=1).astype(np.int32)


def _past_dropped(text: str, ends: NDArray[np.int64], limits: NDArray[np.int64]) -> NDArray[np.int64]:
    """`ends`, each moved up to the next white space or its limit, whichever comes first."""
    if not len(ends):
        return ends
    spaces = _are_spaces(text)
    dropped = ~spaces[ends]
    if not dropped.any():
        return ends
    where = np.append(np.flatnonzero(spaces), len(text))
    return np.where(dropped, np.minimum(where[where.searchsorted(ends)], limits), ends)


def word_limits(text: str) -> NDArray[np.int64]:
    """Where words begin: before each single space between two characters that are no white space in any form.

    Args:
        text: n characters.

    Returns:
        int64 [P + 1]; word p is `text[limits[p]:limits[p + 1]]`, its space in front.

    >>> word_limits("one two  three\\n four").tolist()
    [0, 3, 20]
    """
    points = code_points(text)
    inner = np.flatnonzero(points[1:-1] == ord(" ")) + 1
    cuts = inner[_are_solid(points[inner - 1]) & _are_solid(points[inner + 1])]
    return np.concatenate(([0], cuts, [len(points)]))


def _are_solid(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    solid = (points > ord(" ")) & (points <= _LAST_ASCII)
    others = points > _LAST_ASCII
    if others.any():
        distinct, which = np.unique(points[others], return_inverse=True)
        solid[others] = np.array([_is_solid(point) for point in distinct.tolist()])[which]
    return solid


@cache
def _is_solid(point: int) -> bool:
    """Whether a character is a letter or digit that no normalizer drops, or gives a space at its edges."""
    form = unicodedata.normalize("NFKC", chr(point))
    return chr(point).isalnum() and not (form[0].isspace() or form[-1].isspace())


def _are_spaces(text: str) -> NDArray[np.bool_]:
    return _IS_SPACE[np.minimum(code_points(text), len(_IS_SPACE) - 1)]
