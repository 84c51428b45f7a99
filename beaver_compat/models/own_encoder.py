"""Token ids by the `tokenizers` library with its own offsets, for vocabularies whose ids don't tell them.

Does not know pages, and not `fastokens`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, count, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from beaver_compat.models.offsets import repaired, word_limits
from beaver_compat.models.tokenizer_rules import TokenizerRules

if TYPE_CHECKING:
    import tokenizers

_SHORT = 500  # characters of a text that isn't worth taking apart into words
_KNOWN_WORDS = 50_000  # tokenized words that are kept for later texts
_KNOWN_LENGTH = 32  # characters of the longest word that is kept


class OwnEncoder:
    """A tokenizer's ids and own offsets.  Many threads can share one.

    Attributes:
        by_words: long texts are tokenized word by word, each distinct word once.
    """

    def __init__(self, backend: tokenizers.Tokenizer, rules: TokenizerRules) -> None:
        self._backend = backend
        self._rules = rules
        self._known: dict[str, NDArray[np.int32]] = {}
        self.by_words = rules.by_words

    def located(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Ids [L] and offsets [L, 2] of one text by the tokenizer's own offsets."""
        rows = self.rows(text)
        ids = rows[:, 0].copy()
        return ids, repaired(rows[:, 1:], ids == self._rules.marker, text, composes=self._rules.composes)

    def rows(self, text: str) -> NDArray[np.int32]:
        """Id, start and end of each token as the tokenizer tells them, int32 [L, 3]."""
        lead = self._dropped_lead(text) if self._rules.shifts else 0
        text = text[lead:]
        whole = not self.by_words or len(text) < _SHORT
        rows = next(self.encoded([text])) if whole else self.rows_by_words(text)
        rows[:, 1:] += lead
        return rows

    def _dropped_lead(self, text: str) -> int:
        """The number of characters at a text's start that the normalizer drops."""
        dropped: dict[str, bool] = {}
        for position, character in enumerate(text):
            if character not in dropped:
                dropped[character] = not self._backend.normalizer.normalize_str(character)
            if not dropped[character]:
                return position
        return len(text)

    def rows_by_words(self, text: str) -> NDArray[np.int32]:
        """As `rows`; each distinct word is tokenized once, and kept for later texts."""
        limits = word_limits(text)  # [W + 1]
        words = [text[low:high] for low, high in pairwise(limits.tolist())]
        place: dict[str, int] = defaultdict(count().__next__)  # numbers the distinct words as they come
        order = np.fromiter(map(place.__getitem__, words), np.int64, len(words))
        known = self._known_rows(list(place))
        sizes = np.fromiter(map(len, known), np.int64, len(known))
        counts = sizes[order]  # tokens of each word
        # Row r of the result, the inner-th of its word, is row sources[r] of the distinct words' rows.
        shift = (np.cumsum(sizes) - sizes)[order] - (np.cumsum(counts) - counts)
        sources = np.repeat(shift, counts)
        sources += np.arange(len(sources))
        rows: NDArray[np.int32] = np.concatenate(known)[sources]
        rows[:, 1:] += np.repeat(limits[:-1].astype(np.int32), counts)[:, None]
        return rows

    def _known_rows(self, words: list[str]) -> list[NDArray[np.int32]]:
        """Id, start and end of each token of each word, from earlier texts where it was in one."""
        known = [self._known.get(word) for word in words]
        new = [word for word, rows in zip(words, known, strict=True) if rows is None]
        if len(self._known) > _KNOWN_WORDS:
            self._known.clear()
        fresh = dict(zip(new, self.encoded(new), strict=True))
        self._known.update((word, rows.copy()) for word, rows in fresh.items() if len(word) <= _KNOWN_LENGTH)
        return [fresh[word] if rows is None else rows for word, rows in zip(words, known, strict=True)]

    def encoded(self, texts: list[str]) -> Iterator[NDArray[np.int32]]:
        """Id, start and end of each token, for one text after the other."""
        encodings = self._backend.encode_batch(texts, add_special_tokens=False)
        limits = np.cumsum([0, *map(len, encodings)])
        rows = np.empty((limits[-1], 3), np.int32)
        rows[:, 0] = np.fromiter(chain.from_iterable(e.ids for e in encodings), np.int32, len(rows))
        flat = chain.from_iterable(chain.from_iterable(e.offsets for e in encodings))
        rows[:, 1:] = np.fromiter(flat, np.int32, 2 * len(rows)).reshape(-1, 2)
        return (rows[low:high] for low, high in pairwise(limits.tolist()))
