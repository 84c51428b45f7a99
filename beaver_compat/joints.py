"""Counts of texts put together from parts whose counts are known: only the joints are counted again.

It knows counters and where they let a text be cut, not what the parts are.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence

from beaver_compat.arguments import joined_prompt
from beaver_compat.counting import TokenCounter
from beaver_compat.text.lined_text import CONTEXT_SEPARATOR

_REACH = 256  # characters from a part's edge in which a cut is looked for
LEAST_KNOWN = 4 * _REACH  # characters: shorter parts are counted with the joint, whether they are known or not


def count_joined(counter: TokenCounter, parts: Sequence[str], known: Mapping[int, int]) -> int:
    """Tokens of the parts that are not empty, joined by blank lines.

    Args:
        counter: with a ``cut``, else the whole is counted.
        parts: texts.
        known: tokens of a part by itself, by its index; not all have to be known.
    """
    cut = counter.cut
    if cut is None:
        return counter(joined_prompt(parts))
    joints, pieces, total, begun = [], [], 0, [""]
    separator = ""
    for index, part in enumerate(parts):
        if not part:
            continue
        begun.append(separator)
        separator = CONTEXT_SEPARATOR
        edges = _edges(part, cut) if index in known else None
        if edges is None:
            begun.append(part)
            continue
        first, last = edges
        total += known[index]
        pieces += [part[: first.start()], part[last.end() :]]
        joints.append("".join([*begun, pieces[-2]]))
        begun = [pieces[-1]]
    joints.append("".join(begun))
    counts = counter.count_many([*joints, *pieces])
    return total + int(counts[: len(joints)].sum() - counts[len(joints) :].sum())


def _edges(text: str, cut: re.Pattern[str]) -> tuple[re.Match[str], re.Match[str]] | None:
    """The first and the last place near the ends of a long text where it may be cut."""
    if len(text) < LEAST_KNOWN:
        return None
    first = cut.search(text, 0, _REACH)
    last = deque(cut.finditer(text, len(text) - _REACH), maxlen=1)
    return (first, last[0]) if first and last else None
