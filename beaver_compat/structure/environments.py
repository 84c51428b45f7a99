r"""Environments of LaTeX, from ``\begin{...}`` to ``\end{...}``, and displayed formulas between ``\[`` or ``$$``.

It reads characters only.  Only lines that begin with a backslash or a dollar sign are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, distinct, outermost
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LONGEST_FORMULA = 512  # characters: of a longer one lines may be kept
_LONGEST_OTHER = 160  # of any other environment
_LONGEST_EDGE = 160  # characters of the line that begins or ends one
_EDGE = re.compile(r"\\begin\{(?P<begun>[^{}]+)\}(?!.*\\end\{(?P=begun)\})|\\end\{(?P<ended>[^{}]+)\}|\\[\[\]]$|\$\$$")
_DEEPEST = 16  # environments within environments
_OVER_ALL = "document"
_FORMULA = re.compile(
    r"\\\[|\$\$|\\begin\{(?:equation|align|gather|multline|eqnarray|displaymath|math|flalign|split)\b"
)
_TABLE = re.compile(r"\\begin\{(?:tab|longtab|xtab)")
_SAYS_NOTHING = re.compile(r"\\(?:hline|[a-z]+rule|centering|label|small|footnotesize|setlength|renewcommand)\b")


@once
def find_environments(lined: LinedText) -> Positions:
    """The hard lines that begin and end each environment that is no record, in order of the first: int64 [k, 2].

    Args:
        lined: the text.
    """
    text, contexts = lined.text, lined.contexts
    first, ends = lined.first, lined.ends
    likely = is_any(lined.points[first], "\\$") & (ends - first <= _LONGEST_EDGE) & (ends - first > 1)
    found: list[tuple[int, int]] = []
    begun: list[tuple[int, str]] = []
    open_ones: Counter[tuple[int, str]] = Counter()
    for line in np.flatnonzero(likely & ~lined.boundaries.records).tolist():
        edge = _EDGE.match(text, first[line], ends[line])
        if not edge:
            continue
        context, name = int(contexts[line]), edge["begun"] or edge["ended"] or edge[0].replace("]", "[")
        if name == _OVER_ALL:
            continue
        ends_one = edge["ended"] or edge[0] == "\\]" or (name == "$$" and open_ones[context, name])
        if not ends_one:
            begun.append((line, name))
            open_ones[context, name] += 1
        elif open_ones[context, name]:
            while True:  # what was begun within and never ended is dropped
                opening, other = begun.pop()
                open_ones[int(contexts[opening]), other] -= 1
                if other == name:
                    break
            found.append((opening, line))
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def short_environments(lined: LinedText) -> tuple[Positions, Positions]:
    """The short environments: the first hard line of each and the line behind its last, int64 [k].

    Args:
        lined: the text.
    """
    openings, closings = find_environments(lined).T
    if not openings.size:
        return openings, closings
    first, ends = lined.first, lined.ends
    most = np.array([_longest(lined.text, start) for start in first[openings].tolist()])
    short = ends[closings] - first[openings] <= most
    return outermost(openings[short], closings[short] + 1)


def _longest(text: str, start: int) -> int:
    """How long the environment that begins at a character may be as a unit; of a table rows may always be kept."""
    if _TABLE.match(text, start):
        return 0
    return _LONGEST_FORMULA if _FORMULA.match(text, start) else _LONGEST_OTHER


def add_environments(
    lined: LinedText,
    needed: Positions,
    bare: NDArray[np.bool_],
    follows: NDArray[np.bool_],
) -> None:
    """Each line of an environment needs its first and last line and, in a table, the first row.

    Args:
        lined: the text.
        needed: the lines that each line needs, int64 [N, 2]; is filled in.
        bare: True for each line that says nothing alone, bool [N]; is filled in.
        follows: True for each line that says nothing without what follows, bool [N]; is filled in.
    """
    pairs = find_environments(lined)
    if not pairs.size:
        return
    text, first, ends = lined.text, lined.first, lined.ends
    around = _around(pairs, first.size)
    openings, closings = pairs.T
    order = np.arange(first.size)
    inside = (around >= 0) & (needed[:, 0] <= around)
    needed[inside] = np.stack([around[inside], needed[inside, 0]], axis=1)
    tables = [line for line in openings.tolist() if _TABLE.match(text, first[line])]
    _add_first_rows(lined, around, np.array(tables, dtype=np.int64), needed)
    needed[openings] = np.stack([closings, around[openings]], axis=1)
    needed[closings] = np.stack([openings, np.full(openings.size, -1)], axis=1)
    filled = closings - openings > 1
    bare[openings[filled]] = bare[closings[filled]] = follows[openings[filled]] = True
    for line in order[(around >= 0) & (lined.points[first] == ord("\\"))].tolist():
        if _SAYS_NOTHING.match(text, first[line], ends[line]):
            bare[line] = follows[line] = True


def _add_first_rows(lined: LinedText, around: Positions, tables: Positions, needed: Positions) -> None:
    """Each row of a table (``a & b \\\\``) needs the first."""
    signs = lined.starts.searchsorted(lined.characters.marks("&"), side="right") - 1
    rows = distinct(signs[signs >= 0])
    rows = rows[among(around[rows], tables)]
    _, first, table = np.unique(around[rows], return_index=True, return_inverse=True)
    names = rows[first][table]
    needed[rows[rows > names], 1] = names[rows > names]


def _around(pairs: Positions, size: int) -> Positions:
    """The line that begins the innermost environment around each line, -1 for none and where they are nested too deep.

    For a line that begins or ends an environment it is that of the one around.
    """
    edges = np.sort(pairs.ravel()).tolist()
    closings = set(pairs[:, 1].tolist())
    found = np.full(size, -1)
    begun = [-1]
    for line, following in zip(edges, [*edges[1:], size], strict=True):
        if line in closings:
            begun.pop()
        outer = begun[-1]
        if line not in closings:
            begun.append(line)
        if len(begun) <= _DEEPEST:
            found[line] = outer
            found[line + 1 : following] = begun[-1]
    return found
