"""Terms over what is said of them: the options in a manual, a glossary, parameters, ``<dt>`` in HTML.

It reads characters only.  Lines are looked at all at once, but those with such tags.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.headings import LONGEST_TITLE
from beaver_compat.structure.items import LEAST_INDENT, item_contents
from beaver_compat.text.ascending import rises
from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LEAST = 3  # terms of one indentation
_TERM = re.compile(r"<dt\b[^<>]*>(?:(?!</?d[tld]\b).){0,240}</dt>", re.I | re.S)
_DIRECTIVE = re.compile(
    r"\.\. (?:\w+:)?(?:attribute|class|cmdoption|command|confval|data|decorator|envvar|exception|function|macro|member"
    r"|method|module|option|program|property|setting|staticmethod|type|var|variable)::[ \t]+\S"
)
_EDGE = re.compile(r"<dt\b|(?:</\w+>\s*)*</dl>", re.I)
_NO_TERM_ENDS = ".?!,;:\u3002\uff1f\uff01\uff0c\uff1b\uff1a{(["  # sentences, and what opens a block of code


def find_directives(lined: LinedText) -> Positions:
    """The hard lines of reStructuredText that name a function, a class or the like, over deeper text, ascending."""
    points, first, ends = lined.points, lined.first, lined.ends
    lines = np.flatnonzero((points[first] == ord(".")) & (ends - first <= LONGEST_TITLE))
    lines = lines[lines < first.size - 1]
    lines = lines[lined.indents[lines + 1] > lined.indents[lines]]
    found = [line for line in lines.tolist() if _DIRECTIVE.match(lined.text, first[line], ends[line])]
    return np.array(found, dtype=np.int64)


def html_terms(lined: LinedText) -> tuple[Positions, Positions]:
    """The first hard line of each ``<dt>`` over several lines, and the line behind its last, ascending, int64 [k].

    Args:
        lined: the text.
    """
    spans = [match.span() for match in _TERM.finditer(lined.text)] if _has_terms(lined) else []
    begins, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    lines, last = (lined.first.searchsorted(places, side="right") - 1 for places in (begins, ends - 1))
    whole = (last > lines) & (lined.first[lines] == begins) & (lined.ends[last] == ends)
    return lines[whole], last[whole] + 1


def add_definitions(lined: LinedText, items: Positions) -> None:
    """What stands below each ``<dt>`` up to the next or the end of the list is of that term.

    Args:
        lined: the text.
        items: as in `Leads`; is filled in.
    """
    if not _has_terms(lined):
        return
    text, first, ends = lined.text, lined.first, lined.ends
    likely = np.flatnonzero(lined.points[first] == ord("<")).tolist()
    edges = [line for line in likely if _EDGE.match(text, first[line], ends[line])]
    for line, limit in pairwise([*edges, first.size]):
        if _TERM.fullmatch(text, first[line], ends[line]):
            limit = min(limit, int(lined.limits[line]))
            items[line + 1 : limit] = np.maximum(items[line + 1 : limit], line)


def _has_terms(lined: LinedText) -> bool:
    return holds(lined.text, "</dt>") or holds(lined.text, "</DT>")


def find_terms(lined: LinedText) -> tuple[Positions, Positions]:
    """Short lines right over deeper text that reads like sentences: options in a manual, terms with their definitions.

    There are some of one indentation, and most lines of it that stand so are terms: else it may be code.  Another term
    for the same may stand right over each.

    Args:
        lined: the text.

    Returns:
        The hard lines, ascending; those of them with another such line over them.
    """
    boundaries, indents, first, ends = lined.boundaries, lined.indents, lined.first, lined.ends
    blank = boundaries.after_blank
    over = np.append((rises(indents, 0)[1:] >= LEAST_INDENT) & ~blank[1:], False)
    short = (ends - first <= LONGEST_TITLE) & ~boundaries.terminated & ~boundaries.records
    stacked = short & ~blank & (rises(indents, 0) == 0) & np.append(False, blank[:-1] & short[:-1])
    over &= short
    over[1:] &= blank[1:] | over[:-1] | stacked[1:]
    lines = np.flatnonzero(over)
    if lines.size < _LEAST:
        return lines[:0], lines[:0]
    told = (boundaries.terminated & ~boundaries.records)[lines + 1]
    told &= ~is_any(lined.points[ends[lines] - 1], _NO_TERM_ENDS) & (item_contents(lined)[lines] == 0)
    _, kind = np.unique(indents[lines], return_inverse=True)
    terms = np.bincount(kind, told)
    likely = (terms >= _LEAST) & (2 * terms >= np.bincount(kind))
    lines = lines[told & likely[kind]]
    return lines, lines[stacked[lines]]
