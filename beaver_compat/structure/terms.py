"""Terms over what is said of them: the options in a manual, a glossary, parameters.

It reads characters only.  Lines are looked at all at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.headings import LONGEST_TITLE
from beaver_compat.structure.items import LEAST_INDENT, item_contents
from beaver_compat.text.ascending import rises
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LEAST = 3  # terms of one indentation
_NO_TERM_ENDS = ".?!,;:\u3002\uff1f\uff01\uff0c\uff1b\uff1a{(["  # sentences, and what opens a block of code


def find_terms(lined: LinedText) -> Positions:
    """Short lines right over deeper text that reads like sentences: options in a manual, terms with their definitions.

    There are some of one indentation, and most lines of it that stand so are terms: else it may be code.

    Args:
        lined: the text.

    Returns:
        The hard lines, ascending.
    """
    boundaries, indents, first, ends = lined.boundaries, lined.indents, lined.first, lined.ends
    blank = boundaries.after_blank
    over = np.append((rises(indents, 0)[1:] >= LEAST_INDENT) & ~blank[1:], False)
    over &= (ends - first <= LONGEST_TITLE) & ~boundaries.terminated & ~boundaries.records
    over[1:] &= blank[1:] | over[:-1]
    lines = np.flatnonzero(over)
    if lines.size < _LEAST:
        return lines[:0]
    told = (boundaries.terminated & ~boundaries.records)[lines + 1]
    told &= ~is_any(lined.points[ends[lines] - 1], _NO_TERM_ENDS) & (item_contents(lined)[lines] == 0)
    _, kind = np.unique(indents[lines], return_inverse=True)
    terms = np.bincount(kind, told)
    likely = (terms >= _LEAST) & (2 * terms >= np.bincount(kind))
    return lines[told & likely[kind]]
