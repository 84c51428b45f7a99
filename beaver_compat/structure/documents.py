"""Documents of YAML in one text, parted by lines of ``---``, and the line that names each: ``name: web``.

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np

from beaver_compat.structure.headings import LONGEST_TITLE
from beaver_compat.structure.parts import Parts
from beaver_compat.text.ascending import rises, union
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText

_RULE = "---"
_NAME = re.compile(r"(?:name|id): *\S")
_LEAST = 2  # documents


def add_documents(lined: LinedText, parts: Parts) -> None:
    """The lines of each document but its name stand in the part that the name names, unless they stand in another one.

    The name stands at the edge of the document or right under ``metadata:``; two have one at least.

    Args:
        lined: the text.
        parts: of the text; is filled in.
    """
    points, first, ends, indents, contexts = lined.points, lined.first, lined.ends, lined.indents, lined.contexts
    top = indents == 0
    rules = np.flatnonzero((points[first] == ord("-")) & (ends - first == len(_RULE)) & top)
    rules = rules[[lined.line(line) == _RULE for line in rules.tolist()]]
    if not rules.size:
        return
    begins = union(rules + 1, np.flatnonzero(rises(contexts, -1)))
    over = np.maximum.accumulate(np.where(top, np.arange(first.size), 0))  # the line at the edge above each
    names: dict[int, int] = {}
    for line in np.flatnonzero(is_any(points[first], "ni") & (ends - first <= LONGEST_TITLE)).tolist():
        if _NAME.match(lined.text, first[line], ends[line]) and (top[line] or lined.line(over[line]) == "metadata:"):
            names.setdefault(int(begins.searchsorted(line, side="right")), line)
    if len(names) < _LEAST:
        return
    begins = np.append(begins, first.size)
    for document, line in names.items():
        begin, end = begins[document - 1 : document + 1].tolist()
        parts.label_ends[line] = lined.edges[line + 1]
        for owners in (parts.owners, parts.around):
            own = owners[begin:end]
            own[own < begin] = line
            owners[[line, over[line]]] = -1
            owners[rules] = -1
