"""The tokenizers that callers read off a compressor, in the shapes they know from transformers and tiktoken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from beaver_compat.counting import TiktokenCounter, TokenCounter
from beaver_compat.tokenization import Tokenizer

if TYPE_CHECKING:
    import tokenizers


class TokenIds(dict[str, Any]):
    """What a call of :class:`TableTokenizer` gives: ``["input_ids"]`` or ``.input_ids``."""

    @property
    def input_ids(self) -> Any:
        """The ids of one text, or of each of several."""
        return self["input_ids"]


class TableTokenizer:
    """The embedding table's tokenizer.  Special tokens written in a text count as the ordinary text they are.

    Args:
        tokenizer: for the ids of text.
        backend: the same, with its post-processor, for special tokens and decoding.
    """

    def __init__(self, tokenizer: Tokenizer, backend: tokenizers.Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._backend = backend
        framed = backend.encode("a")
        marks = framed.special_tokens_mask
        text = [index for index, mark in enumerate(marks) if not mark] or [len(marks)]
        self._before, self._behind = framed.ids[: text[0]], framed.ids[text[-1] + 1 :]

    def __call__(self, text: str | Sequence[str], add_special_tokens: bool = True) -> TokenIds:
        """The ids of a text, or of each of several."""
        if isinstance(text, str):
            return TokenIds(input_ids=self.encode(text, add_special_tokens))
        return TokenIds(input_ids=[self.encode(one, add_special_tokens) for one in text])

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The ids of a text, with the model's special tokens around them unless told otherwise."""
        ids: list[int] = self._tokenizer.encode_ids(text).tolist()
        return [*self._before, *ids, *self._behind] if add_special_tokens else ids

    def decode(self, token_ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of ids."""
        decoded: str = self._backend.decode([int(token) for token in token_ids], skip_special_tokens)
        return decoded


class CountedTokenizer:
    """What the budget counts in, with tiktoken's ``encode``: ``len(encode(text))`` is the count.

    The ids are tiktoken's or the table's.  A counter that is the user's own function has none: its ids are 0, 1, 2 ...

    Args:
        counter: of the budget.
        table: its ids where the counter is the table's.
    """

    def __init__(self, counter: TokenCounter, table: TableTokenizer | None) -> None:
        self._counter = counter
        self._table = table

    def encode(self, text: str, **_: Any) -> list[int]:
        """The ids that are counted; tiktoken's options on special tokens have no effect, they are ordinary text."""
        if isinstance(self._counter, TiktokenCounter):
            return self._counter.encode(text)
        return list(range(self._counter(text))) if self._table is None else self._table.encode(text, False)

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of ids.

        Raises:
            NotImplementedError: the counter is a function, which has no ids.
        """
        if isinstance(self._counter, TiktokenCounter):
            return self._counter.encoding.decode(list(tokens))
        if self._table is None:
            raise NotImplementedError(f"the token counter {self._counter.name!r} has no ids; use `tokenizer.decode`")
        return self._table.decode(tokens)
