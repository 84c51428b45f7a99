"""Text to token ids and exact character offsets.

Ids are those that the `tokenizers` library gives without special tokens.  `fastokens`, where it is installed and
gives the same ids, is some thirty times faster.  Offsets come from the ids alone where the vocabulary allows it.
Does not know pages, budgets or embeddings.
"""

from __future__ import annotations

import copy
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from beaver_compat.errors import InputTypeError, TokenizerError, shown
from beaver_compat.models.fast_encoder import FastEncoder
from beaver_compat.models.offsets import between_limits, composed_positions, token_limits
from beaver_compat.models.own_encoder import OwnEncoder
from beaver_compat.models.tokenizer_rules import rules_of

if TYPE_CHECKING:
    import tokenizers

_SURROGATES = re.compile("[\ud800-\udfff]")
_PIECE = 16_384  # characters of a long text that `tokenizers` gets as one piece
_PROBED_TOKENS = 64  # added tokens that the check at load writes out
_BRACKETED = re.compile(r"[<\[].*[>\]]")  # byte tokens, and special ones such as [UNK]
_PROBES = (
    "The quick brown fox, in 1984; it's 3.14!\n\n  def f(x):\r\n\treturn x  \n \n",
    "naïve café — “quotes” … ½ ﬁn İstanbul ẞ the end",
    "cafe\u0301 a\u0301\u0323b \u1100\u1161\u11a8 क\u093c x\u0302 in NFD",
    "漢字かな交じり文。 한국어 문장 हिन्दी क्षि ไทยภาษาไทย العربية עברית Ελληνικά русский",
    "👩\u200d👩\u200d👧 🇩🇪 ❤\ufe0f 👍🏽 one\u00a0two\u3000three\u200bfour\u00adfive \u2028 six",
    " leading, trailing ",
    "▁x ▁ <0x41> a  b   c\x00\x01 \ufeffd \ufffd",
    "x" * 200 + " " * 50 + "12345678901234567890",
)
_LETTERS = "naïve 漢字 e\u0301\u0323 — The quick brown fox jumps over the lazy dog.\n\tIt's 12 o'clock: x_y = (a+b)"


class Tokenized(NamedTuple):
    """Token ids and character ranges of a batch of texts, one text after the other.

    Attributes:
        ids: int32 [L].
        offsets: half-open character range of each token in its own text, int32 [L, 2].
        limits: int64 [T + 1]; text t has the tokens `limits[t]` to `limits[t + 1]`.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int32]
    limits: NDArray[np.int64]


class Tokenizer:
    """A tokenizer with exact character offsets.  It pickles, and many threads can share one.

    Special tokens are never added, and those written in a text (`</s>`, `[SEP]`) are ordinary text; added tokens
    that are not special keep their ids.  Lone surrogates count as U+FFFD.  BPE dropout is off.

    Offsets: starts and ends never decrease.  A character that several tokens share belongs to the first of them,
    the others are empty and stand at its end.  Characters that a normalizer merges or drops belong to the token
    that they join; white space may lie between tokens.  A marker put before a text covers nothing.

    Attributes:
        backend: a private copy of the `tokenizers.Tokenizer`, without truncation, padding and post-processor.
        vocab_size: largest id + 1, added tokens included.
        bytewise: whether its vocabulary is written in bytes (``byte_alphabet``).
        cut: where a text can be cut so that the pieces' ids are the whole's (what it matches belongs to neither
            piece); None if that isn't known.
    """

    backend: tokenizers.Tokenizer
    vocab_size: int
    bytewise: bool
    cut: re.Pattern[str] | None

    def __init__(self, backend: tokenizers.Tokenizer) -> None:
        """Copy a tokenizer, and check its ids and offsets on a few hard texts.

        Args:
            backend: it is not changed.

        Raises:
            TokenizerError: its offsets don't point at the text of its tokens.
        """
        self.backend = _private_copy(backend)
        self._rules = rules_of(self.backend)
        self.vocab_size, self.bytewise, self.cut = self._rules.vocab_size, self._rules.bytewise, self._rules.cut
        self._own = OwnEncoder(self.backend, self._rules)
        self._fast = FastEncoder.of(self.backend)
        self._verify()

    @classmethod
    def of(cls, backend: tokenizers.Tokenizer) -> Tokenizer:
        """The one for a backend: the same object for all that are alike, as making one takes half a second.

        Args:
            backend: it is not changed.

        Raises:
            TokenizerError: its offsets don't point at the text of its tokens.
        """
        digest = hashlib.sha256(backend.to_str().encode()).digest()
        known = _KNOWN.get(digest)
        if known is None:
            known = _KNOWN[digest] = cls(backend)
        return known

    def __repr__(self) -> str:
        engine = "tokenizers" if self._fast is None else "fastokens"
        return f"{type(self).__name__}({self._rules.family}, {self.vocab_size:,} ids, {engine})"

    def __reduce__(self) -> tuple[Callable[[tokenizers.Tokenizer], Tokenizer], tuple[tokenizers.Tokenizer]]:
        return type(self).of, (self.backend,)

    def encode(self, texts: Sequence[str]) -> Tokenized:
        """Ids and offsets of a batch of texts.

        Args:
            texts: T texts of less than 2**31 characters each.

        Raises:
            InputTypeError: `texts` is a single string, or holds something else than strings.
        """
        if isinstance(texts, str):
            raise InputTypeError(f"texts must be a sequence of strings, not the string {shown(texts)}: pass [text].")
        cleaned = [_cleaned(text) for text in texts]
        if self._rules.widths is None:
            found = [self._own.located(text) for text in cleaned]
        else:
            ids, limits = self._batch_ids(cleaned)
            spans = pairwise(limits.tolist())
            found = [self._located(ids[low:high], text) for (low, high), text in zip(spans, cleaned, strict=True)]
        if len(found) == 1:
            return Tokenized(*found[0], np.array([0, len(found[0][0])], np.int64))
        return Tokenized(
            np.concatenate([np.empty(0, np.int32), *(ids for ids, _ in found)]),
            np.concatenate([np.empty((0, 2), np.int32), *(offsets for _, offsets in found)]),
            np.cumsum([0, *(len(ids) for ids, _ in found)], dtype=np.int64),
        )

    def encode_ids(self, text: str) -> NDArray[np.int32]:
        """The ids of one text, int32 [L]: those of `encode`, in less time.

        Raises:
            InputTypeError: `text` is no string.
        """
        text = _cleaned(text)
        return self._own.rows(text)[:, 0].copy() if self._rules.widths is None else self._batch_ids([text])[0]

    def count(self, text: str) -> int:
        """The number of tokens of a text.

        Raises:
            InputTypeError: `text` is no string.
        """
        return len(self.encode_ids(text))

    def count_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The number of tokens of each text, int64 [T].

        Raises:
            InputTypeError: one of them is no string.
        """
        if self._rules.widths is None:
            return np.array([self.count(text) for text in texts], dtype=np.int64)
        return np.diff(self._batch_ids([_cleaned(text) for text in texts])[1])

    def _located(self, ids: NDArray[np.int32], text: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Ids [L] and offsets [L, 2] of one text whose ids are known."""
        rules = self._rules
        assert rules.widths is not None
        if rules.opaque.take(ids).any():
            return self._own.located(text)
        positions = composed_positions(text) if rules.composes else None
        length = len(text) if positions is None else len(positions) - 1
        limits = token_limits(ids, rules.widths, length, prepends=rules.prepends)
        if limits is None:
            return self._own.located(text)
        return ids, between_limits(limits if positions is None else positions[limits])

    def _batch_ids(self, texts: list[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Ids [L] of all texts, and where each text's begin [T + 1]: long texts in pieces, in parallel."""
        of_text = [[text] if len(text) <= _PIECE else list(self._pieces(text)) for text in texts]
        pieces = list(chain.from_iterable(of_text))
        found = None if self._fast is None else self._fast(pieces)
        ids, limits = self._plain_ids(pieces) if found is None else found
        return ids, limits if len(pieces) == len(texts) else limits[np.cumsum([0, *map(len, of_text)])]

    def _plain_ids(self, texts: list[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Ids [L] of all texts, and where each text's begin [T + 1], by the `tokenizers` library."""
        encodings = self.backend.encode_batch_fast(texts, add_special_tokens=False)
        limits = np.cumsum([0, *map(len, encodings)], dtype=np.int64)
        return np.fromiter(chain.from_iterable(e.ids for e in encodings), np.int32, limits[-1]), limits

    def _pieces(self, text: str) -> Iterator[str]:
        """A text in pieces whose ids, one after the other, are the text's."""
        start = 0
        if self.cut is not None:
            for low in range(_PIECE, len(text), _PIECE):
                if cut := self.cut.search(text, low, low + _PIECE):
                    yield text[start : cut.start()]
                    start = cut.end()
        yield text[start:]

    def _verify(self) -> None:
        """Give up what yields other ids than plain `tokenizers`; raise if offsets are wrong."""
        added = [token.content for token in self.backend.get_added_tokens_decoder().values()]
        some = added[:_PROBED_TOKENS] + added[-_PROBED_TOKENS:]
        probes = [*_PROBES, " ".join(some), "a".join(some)]
        expected = list(self._own.encoded(probes))
        if self._fast is not None and not all(map(self._fast_agrees, probes, expected)):
            self._fast = None
        if self.cut is not None and not all(map(self._cut_agrees, probes, expected)):
            self.cut = None
        rows = map(self._own.rows_by_words, probes)
        self._own.by_words = self._own.by_words and all(map(np.array_equal, rows, expected))
        ids, offsets, _ = self.encode([_LETTERS])
        for i, (start, end) in zip(ids.tolist(), offsets.tolist(), strict=True):
            self._check_letters(self.backend.id_to_token(i) or "", _LETTERS[start:end])

    def _fast_agrees(self, text: str, expected: NDArray[np.int32]) -> bool:
        found = None if self._fast is None else self._fast([text])
        return found is not None and np.array_equal(found[0], expected[:, 0])

    def _cut_agrees(self, text: str, expected: NDArray[np.int32]) -> bool:
        """Whether a text cut wherever it may be has the ids of the whole."""
        pieces = [text] if self.cut is None else self.cut.split(text)
        return np.array_equal(np.concatenate([rows[:, 0] for rows in self._own.encoded(pieces)]), expected[:, 0])

    def _check_letters(self, token: str, covered: str) -> None:
        """Raise if a token has letters that the text it covers hasn't, but for tokens that spell no text."""
        suffix = getattr(self.backend.model, "end_of_word_suffix", None) or ""
        letters = iter(_ascii_letters(unicodedata.normalize("NFKD", covered)))
        if _BRACKETED.fullmatch(token) or all(
            letter in letters for letter in _ascii_letters(token.removesuffix(suffix))
        ):
            return
        raise TokenizerError(
            f"the tokenizer's offsets can't be trusted: its token {shown(token)} is said to cover "
            f"{shown(covered)}. Use a model with another tokenizer."
        )


_KNOWN: WeakValueDictionary[bytes, Tokenizer] = WeakValueDictionary()  # by what their backends are written as


def _cleaned(text: str) -> str:
    if not isinstance(text, str):
        raise InputTypeError(f"a text must be a string, not {shown(text)} of type {type(text).__name__}.")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def _ascii_letters(text: str) -> list[str]:
    return [letter for letter in text.lower() if "a" <= letter <= "z"]


def _private_copy(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """A copy that gives the ids of the text, all of them, and the same ones each time."""
    own = copy.deepcopy(backend)
    own.no_truncation()
    own.no_padding()
    own.post_processor = None  # ByteLevel's would cut spaces off offsets
    own.encode_special_tokens = True  # take them for ordinary text
    if getattr(own.model, "dropout", None):
        own.model.dropout = None
    return own
