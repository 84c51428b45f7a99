"""Lines of code that end like sentences (``-> int: ...``, ``raise KeyError("No such name.")``) or are long.

It reads characters only.  A line is known by how it begins and how it ends; docstrings and comments are prose.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.boundaries import LONGEST_RECORD
from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText

_SURELY_SHORT = 64  # characters, fewer than a page has: of these only those that end like a sentence are looked at
_NAME = r"[^\W\d][\w$]*(?:\.\w+)*"
_END_SIGNS = ")]}\"'`;,:{\\"
_END = rf"(?:[{re.escape(_END_SIGNS)}]|\.\.\.)"  # what a sentence does not end with
_COMMENT = r"(?:[ \t]+(?:#|//)[ \t].*)?"
_STATEMENT = re.compile(
    r"(?:(?:async +)?(?:def|class|fn|func|fun|function) +\w+ *[(<\[:]"
    r"|(?:return|raise|throw|yield|await|assert|const|let|var|if|elif|while|for|with|case)\b *[\w(\[{\"'!]"
    rf"|{_NAME}(?:\[[^\]\n]*\])?(?: *: *[\w.]+(?:\[[\w.,| \[\]]*\])?)? +[-+*/|&%^:]?= "  # an assignment
    rf"|{_NAME} *: *[\w.]+\["  # a field with its type
    rf"|[@.]?{_NAME}!?\("
    r"|[rbfuRBFU]{1,2}[\"']"
    rf"|\) *(?:->|:))[^\n]*{_END}{_COMMENT}"
    rf"|\w+(?:=| *: *[\"'`\[{{(])[^\n]*,{_COMMENT}"  # an argument or item
)


def find_statements(lined: LinedText) -> NDArray[np.bool_]:
    """True for each hard line that reads as code though it ends like a sentence or is long, bool [N].

    Args:
        lined: the text.
    """
    text, points, boundaries = lined.text, lined.points, lined.boundaries
    first, ends = lined.first, lined.ends
    length = ends - first
    likely = (boundaries.terminated | (length > _SURELY_SHORT)) & (length <= LONGEST_RECORD) & ~boundaries.records
    if not (holds(text, "# ") or holds(text, "// ")):  # then what ends like any sentence has no comment that does
        likely &= is_any(points[ends - 1], _END_SIGNS) | (points[np.maximum(ends - 2, 0)] == ord("."))
    found = np.zeros(first.size, dtype=bool)
    for line in np.flatnonzero(likely).tolist():
        found[line] = _STATEMENT.fullmatch(text, int(first[line]), int(ends[line])) is not None
    return found
