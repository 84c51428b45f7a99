"""Contexts and what has been read of them: tokens, pages and vectors, none of which depend on a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Protocol

import numpy as np

from beaver_compat.counting import TableCounter, TokenCounter
from beaver_compat.document import Document
from beaver_compat.scoring import Encoded
from beaver_compat.tokenization import Tokenized, Tokenizer

Read = tuple[Document, Encoded | None]
Reader = Callable[["Source", bool], Read]


class Owner(Protocol):
    """A compressor; those that read every context alike have equal identities."""

    @property
    def _identity(self) -> tuple[object, ...]: ...


class Source:
    """The contexts of one prompt, read when they are first needed and only once.

    Args:
        contexts: texts.
        tokenizer: of the embedding table.
        reader: reads a source, with the implicit query set apart or not.

    Attributes:
        contexts: the texts.
        tokens: the tokens of all contexts.
    """

    def __init__(self, contexts: Sequence[str], tokenizer: Tokenizer, reader: Reader) -> None:
        self.contexts = tuple(contexts)
        self._tokenizer = tokenizer
        self._reader = reader
        self._lock = RLock()
        self._known: dict[bool, Read] = {}
        self._tokens: Tokenized | None = None
        self._counts: tuple[TokenCounter, list[int]] | None = None

    def __getstate__(self) -> dict[str, object]:
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._lock = RLock()

    @property
    def tokens(self) -> Tokenized:
        with self._lock:
            if self._tokens is None:
                self._tokens = self._tokenizer.encode(self.contexts)
            return self._tokens

    def read(self, implicit_query: bool) -> Read:
        """The document, with or without the implicit query set apart, and its vectors where they are kept."""
        with self._lock:
            if implicit_query not in self._known:
                self._known[implicit_query] = self._reader(self, implicit_query)
            return self._known[implicit_query]

    def counts(self, counter: TokenCounter) -> list[int]:
        """Tokens of each context by itself."""
        if isinstance(counter, TableCounter) and counter.tokenizer is self._tokenizer:
            return np.diff(self.tokens.limits).tolist()
        known = self._counts
        if known is None or known[0] is not counter:
            known = self._counts = counter, counter.count_many(self.contexts).tolist()
        return known[1]


def read_tokens(sources: Sequence[Source]) -> None:
    """Tokenize the contexts of several sources, of one tokenizer, together: each gets those it would have alone."""
    new = [source for source in sources if source._tokens is None]
    if not new:
        return
    ids, offsets, limits = new[0]._tokenizer.encode([context for source in new for context in source.contexts])
    first = 0
    for source in new:
        own = limits[first : first + len(source.contexts) + 1]
        first += len(source.contexts)
        source._tokens = Tokenized(ids[own[0] : own[-1]], offsets[own[0] : own[-1]], own - own[0])


class PreparedContext(Source):
    """What :meth:`BeaverPromptCompressor.prepare` returns; give it to ``compress`` in the place of the context.

    It fits every compressor with the same table, device, ``config`` and ``language``, however that one counts tokens.
    Pickled, it leaves its compressor behind.

    Attributes:
        contexts: the texts.
        owner: the compressor that prepared it; of a loaded one the first that takes it, None until then.
    """

    owner: Owner | None
    _maker: tuple[object, ...]  # the identity of the compressor that a loaded one was prepared by

    def __init__(self, contexts: Sequence[str], owner: Owner, tokenizer: Tokenizer, reader: Reader) -> None:
        super().__init__(contexts, tokenizer, reader)
        self.owner = owner
        if contexts:
            self.read(implicit_query=False)

    def __getstate__(self) -> dict[str, object]:
        left = {"owner", "_tokenizer", "_reader", "_counts"}  # these are the compressor's
        kept = {name: value for name, value in super().__getstate__().items() if name not in left}
        return kept | {"_tokens": self.tokens, "_maker": self._identity}

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__(state)
        self.owner = self._counts = None

    @property
    def _identity(self) -> tuple[object, ...]:
        return self._maker if self.owner is None else self.owner._identity

    def fits(self, compressor: Owner, tokenizer: Tokenizer, reader: Reader) -> bool:
        """Whether a compressor reads as the one that prepared it does; a loaded one is from then on that compressor's.

        Args:
            compressor: that is to use it.
            tokenizer, reader: the compressor's.
        """
        with self._lock:
            if self.owner is compressor:
                return True
            if self._identity != compressor._identity:
                return False
            if self.owner is None:
                self._tokenizer, self._reader, self.owner = tokenizer, reader, compressor
            return True

    def __repr__(self) -> str:
        return f"PreparedContext({len(self.contexts)} contexts, {self.tokens.ids.size:,} tokens)"
