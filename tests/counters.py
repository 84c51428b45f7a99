"""Token counters whose counts can be seen by eye."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


class Characters:
    """Counts characters: every piece costs exactly what it looks like."""

    def __call__(self, text: str) -> int:
        return len(text)

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        return np.array([len(text) for text in texts], dtype=np.int64)


class Words(Characters):
    """Counts words."""

    def __call__(self, text: str) -> int:
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)
