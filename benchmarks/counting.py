"""What budgets are counted in, and what methods are built from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.baselines import Counter


class TableCounter:
    """Tokens of the default embedding table's tokenizer, by the tokenizers library itself."""

    def __init__(self) -> None:
        from beaver_compat.embeddings import load_table

        self._tokenizer = load_table().tokenizer
        self._tokenizer.encode_special_tokens = True  # as the ordinary text they are

    def __call__(self, text: str) -> int:
        return int(self.count_many([text])[0])

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The number of tokens of each text, int64 `[n]`."""
        found = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return np.array([len(encoding) for encoding in found], dtype=np.int64)


@dataclass(frozen=True)
class Setup:
    """What methods are built from.

    Attributes:
        counter: what a budget is counted in.
        counter_name: the same as `BeaverPromptCompressor` takes it.
        cache: folder of sentence embeddings.
        weights: of a rival, by its name, where they aren't those that it is published with.
    """

    counter: Counter
    counter_name: str
    cache: Path | None = None
    weights: tuple[tuple[str, str], ...] = ()


def make_setup(counter_name: str, cache: Path | None = None, weights: Sequence[tuple[str, str]] = ()) -> Setup:
    """The counter by its name: "table", or a tiktoken model or encoding."""
    table = TableCounter()
    if counter_name == "table":
        return Setup(table, counter_name, cache, tuple(weights))
    from beaver_compat.counting import make_counter

    return Setup(make_counter(counter_name, table), counter_name, cache, tuple(weights))
