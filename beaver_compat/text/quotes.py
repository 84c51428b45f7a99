"""Which places lie inside a short quotation, whose sentences stay together: „Wir kommen. Alle.“, 「왔다. 그래.」."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import Characters

_PAIRS = (("„", "“”"), ("“", "”"), ("「", "」"), ("『", "』"))  # those of « » are pysbd's in every language
_LONGEST = 160  # characters from one sign to the other


def quoted(characters: Characters, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True for each place between two signs of quotation that belong together, bool [k]."""
    found = np.zeros(places.size, dtype=np.bool_)
    for opener, closer in _PAIRS:
        closers = characters.marks(closer)
        openers = characters.marks(opener) if closers.size else closers
        if not openers.size:
            continue
        last, following = openers.searchsorted(places) - 1, closers.searchsorted(places)
        opened = np.where(last >= 0, openers[last], -_LONGEST)
        before = np.where(following > 0, closers[following - 1], -1)
        closed = np.append(closers, characters.size + _LONGEST)[following]
        found |= (opened > before) & (closed - opened <= _LONGEST)
    return found
