"""The counter that a budget is counted in: tiktoken, the embedding table's tokenizer, or the user's function.

It is handed the table's counter and knows nothing of tables, of budgets or of character offsets.
"""

from __future__ import annotations

import operator
import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from beaver_compat.caller import warn_caller
from beaver_compat.errors import InputTypeError, InputValueError, ModelNotFoundError, shown
from beaver_compat.models.vocabulary import OWN_ENCODINGS, cached_files, encoding_name, load_encoding

if TYPE_CHECKING:
    from tiktoken import Encoding

    from beaver_compat.tokenization import Tokenizer

DEFAULT_ENCODING = "cl100k_base"  # of gpt-3.5-turbo, LLMLingua's counter
# Characters in one call from which loading fastokens pays: 0.5 to 1.3 s in the background, once.
LONG_TEXT = 100_000
MOST_TOKENS = 2**53  # of one text: floats are exact up to here, and sums of a thousand such counts fit into int64
# Piece length where white space runs on: tiktoken's patterns give up on runs of some 500,000 characters.
SLICE = 100_000
# All of tiktoken's patterns end a run of letters where it ends, and put a space before letters with them.
_WORD_CUT = re.compile(r"(?<=[A-Za-z])(?= [A-Za-z])")

_FASTOKENS_PRESETS = ("cl100k_base", "o200k_base")
# fastokens must give tiktoken's ids on these before it may count: contractions, numbers, odd spaces, special
# tokens, marks, scripts, long runs.
_HARD_TEXTS = (
    "It's HE'LL they\u2019re I'\u017f \u0130\u0131 \u01c5\u02b0\u00aa",
    "1234567 3.14 \u0663\u00b2\u216b x=y; // #!$ ...",
    "a  b\t\tc \n\n  d\r\n\r\n e\x0b\x0c\x1c\x85\xa0\u2028\u3000\u180e\u200b\ufeff f   ",
    "<|endoftext|> <|fim_prefix|><|endofprompt|> \x00\ufffd\U0010ffff",
    "e\u0301\u0308 \u00e9 \u4e16\u754c\u3002\u65e5\u672c\u306e \ud55c\uad6d",
    "\u0627\u0639 \u0939\u093f \u0e44\u0e17",
    "\U0001f600\U0001f469\u200d\U0001f467\U0001f1e9\U0001f1ea",
    "aA" * 200 + " " * 300 + "^" * 300 + "\n" * 300 + "x",
)

_COUNTERS: dict[str, TiktokenCounter] = {}  # encoding name -> its counter, which all callers share
_warned = False


class TokenCounterWarning(UserWarning):
    """tiktoken's vocabulary can't be had, so tokens are those of the embedding table's tokenizer."""


class TokenCounter(Protocol):
    """Counts tokens; the same text always gives the same number.

    `name` says what is counted: an encoding by its name, "table", or a function by its own.  `cut` matches where a
    text may be cut so that its count is the sum of the pieces' (what it matches belongs to neither piece); None where
    nothing is known.
    """

    @property
    def name(self) -> str: ...

    @property
    def cut(self) -> re.Pattern[str] | None: ...

    def __call__(self, text: str) -> int: ...

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]: ...


class FunctionCounter:
    """A counter around a function `str -> int`, whose results are checked.

    >>> FunctionCounter("characters", len).count_many(["ab", ""])
    array([2, 0])
    """

    cut: None = None

    def __init__(self, name: str, function: Callable[[str], int]) -> None:
        self.name = name
        self._function = function

    def __repr__(self) -> str:
        return f"FunctionCounter({self.name!r})"

    def __call__(self, text: str) -> int:
        """The number of tokens of `text`.

        Raises:
            InputTypeError, InputValueError: the function gave no integer, a negative one, or one above `MOST_TOKENS`.
        """
        counted = self._function(text)
        if isinstance(counted, bool) or not hasattr(counted, "__index__"):
            raise InputTypeError(f"token_counter {self.name!r} gave {shown(counted)}: return an integer.")
        if not 0 <= counted <= MOST_TOKENS:
            least_or_most = "0 or more" if counted < 0 else f"{MOST_TOKENS} or less"
            raise InputValueError(f"token_counter {self.name!r} gave {shown(counted)}: return {least_or_most}.")
        return operator.index(counted)

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The number of tokens of each text, int64 `[n]`."""
        return np.array([self(text) for text in texts], dtype=np.int64)


class TableCounter:
    """A counter in an embedding table's tokens."""

    name = "table"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.cut = tokenizer.cut

    def __repr__(self) -> str:
        return f"TableCounter({self.tokenizer!r})"

    def __call__(self, text: str) -> int:
        """The number of tokens of `text`."""
        return self.tokenizer.count(text)

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The number of tokens of each text, int64 `[n]`."""
        return self.tokenizer.count_many(texts)


class TiktokenCounter:
    """A counter in a tiktoken encoding; special tokens count as the ordinary text they are.

    Lone surrogates count as U+FFFD.  Where white space runs on for `SLICE` characters or more, the text may
    be encoded in pieces of that length, each of which can give a token or so more or less.  fastokens, where
    installed, takes over once a long text has come by; its ids are the same.  Pickles by the encoding's name.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.name = encoding.name
        self.cut = _WORD_CUT if self.name in OWN_ENCODINGS else None
        self._fast = _FastTokenizer(encoding)

    def __repr__(self) -> str:
        return f"TiktokenCounter({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], TiktokenCounter], tuple[str]]:
        return _tiktoken_counter, (self.name,)

    def __call__(self, text: str) -> int:
        """The number of tokens of `text`."""
        return int(self.count_many([text])[0])

    def encode(self, text: str) -> list[int]:
        """The ids that are counted."""
        return [token for piece in _pieces(text) for token in self.encoding.encode_ordinary(piece)]

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The number of tokens of each text, int64 `[n]`."""
        fast = self._fast.ready(sum(map(len, texts)))
        if fast is None:
            return np.array([len(self.encode(text)) for text in texts], dtype=np.int64)
        pieces = [_pieces(text) for text in texts]
        counts = _batch_counts(fast, [piece for of_text in pieces for piece in of_text])
        owners = np.repeat(np.arange(len(texts)), [len(of_text) for of_text in pieces])
        return np.bincount(owners, counts, len(texts)).astype(np.int64)


def make_counter(spec: str | Callable[[str], int] | None, table_counter: TokenCounter) -> TokenCounter:
    """The counter that `token_counter=spec` asks for.

    Args:
        spec: the name of a tiktoken model or encoding; "table"; a function; or None for gpt-3.5-turbo's encoding,
            and where its vocabulary is neither cached nor fetched within `vocabulary.FETCH_SECONDS`, the table's
            counter, with one `TokenCounterWarning` per process.
        table_counter: counts tokens of the embedding table's tokenizer.

    Raises:
        InputTypeError, InputValueError: `spec` is none of these.
        ModelNotFoundError: the vocabulary of a named model or encoding can't be had.

    >>> make_counter(len, FunctionCounter("table", str.__len__))("abc")
    3
    """
    if spec is None:
        try:
            return _tiktoken_counter(DEFAULT_ENCODING)
        except ModelNotFoundError as error:
            _warn_once(error)
            return table_counter
    if callable(spec):
        return FunctionCounter(getattr(spec, "__name__", type(spec).__name__), spec)
    if not isinstance(spec, str):
        raise InputTypeError(f'token_counter is {shown(spec)}: give a tiktoken model\'s name, "table" or a function.')
    return table_counter if spec == "table" else _tiktoken_counter(encoding_name(spec))


def _tiktoken_counter(name: str) -> TiktokenCounter:
    if name not in _COUNTERS:
        _COUNTERS.setdefault(name, TiktokenCounter(load_encoding(name)))
    return _COUNTERS[name]


def _warn_once(error: ModelNotFoundError) -> None:
    global _warned
    if not _warned:
        _warned = True
        message = f"tokens are counted with the embedding table's tokenizer: {error}"
        warn_caller(message, TokenCounterWarning)


class _FastTokenizer:
    """fastokens' tokenizer of an encoding, loaded in the background when the first long text comes by."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._tokenizer: Any = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def ready(self, characters: int) -> Any:
        """The tokenizer, or None until it is loaded and found to give tiktoken's ids.

        Args:
            characters: how many are about to be counted.
        """
        if self._thread is None and characters >= LONG_TEXT:
            with self._lock:
                if self._thread is None:
                    # No daemon: coming back from native code at exit, it would abort the process.
                    self._thread = threading.Thread(target=self._load, name="fastokens", daemon=False)
                    self._thread.start()
        return self._tokenizer

    def _load(self) -> None:
        name = self._encoding.name
        files = cached_files(name) if name in _FASTOKENS_PRESETS else None
        if files is None:
            return
        try:
            from fastokens import Tokenizer

            loaded = Tokenizer.from_tiktoken(str(files[0]), encoding=name)
            same = [loaded.encode_ordinary(t).ids == self._encoding.encode_ordinary(t) for t in _HARD_TEXTS]
        except Exception:  # noqa: BLE001  not installed, or not for this vocabulary: tiktoken goes on counting
            return
        self._tokenizer = loaded if all(same) else None


def _batch_counts(fast: Any, pieces: list[str]) -> npt.NDArray[np.int64]:
    try:
        _, ends = fast.encode_batch_flat(pieces, split_special_tokens=True)
    except UnicodeEncodeError:  # lone surrogates, replaced the way tiktoken does it
        mended = [piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for piece in pieces]
        _, ends = fast.encode_batch_flat(mended, split_special_tokens=True)
    limits = np.frombuffer(ends, dtype="<u8").astype(np.int64)
    counts: npt.NDArray[np.int64] = limits[1:] - limits[:-1]
    return counts


def _pieces(text: str) -> list[str]:
    """`text` whole, or cut every `SLICE` characters where one of the pieces is nothing but white space."""
    cut = [text[start : start + SLICE] for start in range(0, len(text), SLICE)]
    return cut if any(len(piece) == SLICE and piece.isspace() for piece in cut) else [text]
