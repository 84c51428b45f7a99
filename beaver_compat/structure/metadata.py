"""Lines that tell where passages are from: ``Source: leave.md`` below each, ``file_name: leave.pdf`` over each.

Such lines are known by their key, which stands at the same place of three passages or more.  It reads characters only.
Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.headings import LONGEST_TITLE
from beaver_compat.structure.part_labels import LONGEST_LABEL
from beaver_compat.structure.parts import Parts
from beaver_compat.text.ascending import any_between
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LONGEST = 160  # characters of a line that tells the source
_KEY_REACH = 34  # characters in which the colon stands
_MOST_LINES = 8  # over one passage
_LEAST = 3  # passages
_MOST_KEYS = 16  # the commonest
_SHARE = 0.8  # of the lines with that key stand over or below a passage
_BLOCK_SHARE = 0.25  # of the paragraphs from the first to the last end with such a line, where they do
_KEY = re.compile(r"(?:\*\*|[-*] )?([^\W\d][\w -]{0,30})(?:\*\*)?:(?:\*\*)?[ \t]+\S")


def add_sources(lined: LinedText, needed: Positions, bare: NDArray[np.bool_]) -> None:
    """Each line of a passage needs the line below it that tells its source; that needs the last line of the passage.

    Args:
        lined: the text.
        needed, bare: as in `Leads`; changed.
    """
    blank = lined.boundaries.after_blank
    last = np.append(blank[1:], True)
    blocks, running = np.flatnonzero(blank), np.cumsum(np.append(0, _running(lined)))
    for lines in _by_key(lined, _likely(lined) & last & ~blank):
        block = blocks.searchsorted(lines, side="right") - 1
        begins = blocks[block]
        told = running[lines] > running[begins]
        if told.sum() < max(_LEAST, _SHARE * lines.size, _BLOCK_SHARE * (block[-1] + 1 - block[0])):
            continue
        lines, begins = lines[told], begins[told]
        near = lined.contexts[lines[1:]] == lined.contexts[lines[:-1]]
        begins[1:] = np.where(near, lines[:-1] + 1, begins[1:])  # a passage may have blank lines
        for begin, line in zip(begins.tolist(), lines.tolist(), strict=True):
            needed[begin:line, 1] = needed[begin:line, 0]
            needed[begin:line, 0] = line
            needed[line] = line - 1, -1
            bare[line] = True


def add_headers(lined: LinedText, parts: Parts) -> None:
    """The lines over a passage that tell where it is from name it.

    Args:
        lined: the text.
        parts: of the text; changed.
    """
    starts, contexts, running = lined.starts, lined.contexts, _running(lined)
    likely = _likely(lined)
    for lines in _by_key(lined, likely & lined.boundaries.after_blank):
        bodies = _bodies(lined, likely, lines)
        inside = np.minimum(bodies, starts.size - 1)
        over = (bodies < starts.size) & running[inside] & (contexts[inside] == contexts[lines])
        if over.sum() < max(_LEAST, _SHARE * lines.size):
            continue
        lines, bodies = lines[over], bodies[over]
        ends = contexts.searchsorted(contexts[lines], side="right")
        ends[:-1] = np.minimum(ends[:-1], lines[1:])
        longest = int((lined.edges[ends] - starts[lines])[:-1].max())  # the last passage is no longer
        ends[-1] = max(min(ends[-1], starts.searchsorted(starts[lines[-1]] + longest)), bodies[-1] + 1)
        labels = starts.searchsorted(np.minimum(starts[lines] + LONGEST_LABEL, starts[bodies]), side="right") - 1
        labels = np.maximum(labels, lines + 1)
        for line, body, label, end in zip(lines.tolist(), bodies.tolist(), labels.tolist(), ends.tolist(), strict=True):
            parts.label_ends[line] = starts[label]
            parts.alone[line:body] = True
            for owners in (parts.owners, parts.around):
                owners[line] = owners[lines[0]] if contexts[line] == contexts[lines[0]] else -1
                owners[line + 1 : body] = line
                owners[body:end] = np.maximum(owners[body:end], line)
        for owners in (parts.owners, parts.around):
            rest = owners[ends[-1] :]
            rest[rest == lines[-1]] = owners[lines[-1]]


@once
def _running(lined: LinedText) -> NDArray[np.bool_]:
    """True for each hard line of running text, bool [N]."""
    return lined.boundaries.terminated | (lined.ends - lined.first > LONGEST_TITLE)


@once
def _likely(lined: LinedText) -> NDArray[np.bool_]:
    """True for each hard line that may tell where a passage is from, bool [N]."""
    first, ends, boundaries = lined.first, lined.ends, lined.boundaries
    near = any_between(lined.characters.marks(":"), first, np.minimum(first + _KEY_REACH, ends))
    return near & ~boundaries.terminated & ~boundaries.records & (ends - first <= _LONGEST)


def _by_key(lined: LinedText, likely: NDArray[np.bool_]) -> Iterator[Positions]:
    """Those of some likely lines that begin with a key that enough of them have, key by key."""
    found: dict[str, list[int]] = defaultdict(list)
    if likely.sum() < _LEAST:
        return
    for line in np.flatnonzero(likely).tolist():
        if match := _KEY.match(lined.text, lined.first[line], lined.ends[line]):
            found[match[1].lower()].append(line)
    for lines in sorted(found.values(), key=len, reverse=True)[:_MOST_KEYS]:
        if len(lines) >= _LEAST:
            yield np.array(lines)


def _bodies(lined: LinedText, likely: NDArray[np.bool_], lines: Positions) -> Positions:
    """The first line behind each of some lines and the others with keys below it; it has none behind a blank line."""
    text, first, ends, blank = lined.text, lined.first, lined.ends, lined.boundaries.after_blank
    found = []
    for line in lines.tolist():
        body = line + 1
        while body < min(first.size, line + _MOST_LINES) and likely[body] and not blank[body]:
            body += 1
        keyed = body < first.size and blank[body] and _KEY.match(text, first[body], ends[body])
        found.append(first.size if keyed else body)
    return np.array(found)
