"""Contexts read once for many questions: the tokens, pages and vectors that don't depend on the question."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from beaver_compat.document import Document
from beaver_compat.pipeline import Encoded

Read = tuple[Document, Encoded]


class PreparedContext:
    """What :meth:`BeaverPromptCompressor.prepare` returns; give it to ``compress`` in the place of the context.

    Attributes:
        contexts: the texts.
    """

    def __init__(self, contexts: list[str], owner: object, read: Callable[[list[str], bool], Read]) -> None:
        self.contexts = tuple(contexts)
        self.owner = owner
        self._read = read
        self._lock = Lock()
        self._known: dict[bool, Read] = {}
        if contexts:
            self.read(implicit_query=False)

    def read(self, implicit_query: bool) -> Read:
        """The document and its vectors, with or without the implicit query set apart; read once each."""
        with self._lock:
            if implicit_query not in self._known:
                self._known[implicit_query] = self._read(list(self.contexts), implicit_query)
            return self._known[implicit_query]

    def __repr__(self) -> str:
        tokens = self.read(implicit_query=False)[0].ids.size if self.contexts else 0
        return f"PreparedContext({len(self.contexts)} contexts, {tokens:,} tokens)"
