"""Lines that tell where passages are from: ``Source: leave.md`` below each, ``file_name: leave.pdf`` over each.

Mails with lines such as ``From: Ada Roth`` over them are passages, too.
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
from beaver_compat.structure.stanzas import find_stanzas
from beaver_compat.text.ascending import any_between
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LONGEST = 160  # characters of a line that tells the source
_KEY_REACH = 34  # characters in which the colon stands
_MOST_LINES = 8  # over one passage
_GREETING = 2  # lines between these and the passage, of a mail
_LEAST = 3  # passages
_LEAST_MAILS, _MAIL_LINES = 2, 3  # two are enough where so many lines stand over each
_MOST_KEYS = 16  # the commonest
_SHARE = 0.8  # of the lines with that key stand over or below a passage
_BLOCK_SHARE = 0.25  # of the paragraphs from the first to the last end with such a line, where they do
_RULES = "-=_"
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
    for lines in _by_key(lined, _likely(lined) & last & ~blank, _LEAST):
        block = blocks.searchsorted(lines, side="right") - 1
        begins = blocks[block]
        told = running[lines] > running[begins]
        if told.sum() < max(_LEAST, _SHARE * lines.size, _BLOCK_SHARE * (block[-1] + 1 - block[0])):
            continue
        lines, begins = lines[told], begins[told]
        near = lined.regions[lines[1:]] == lined.regions[lines[:-1]]
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
    starts, regions = lined.starts, lined.regions
    likely = _likely(lined)
    initials, second = lined.points[lined.first], lined.points[np.minimum(lined.first + 1, lined.points.size - 1)]
    ruled = np.append(False, (is_any(initials, _RULES) & (initials == second))[:-1])  # the line above is a rule
    for lines in _by_key(lined, likely & (lined.boundaries.after_blank | ruled), _LEAST_MAILS):
        headers, bodies = _bodies(lined, likely, lines)
        inside = np.minimum(bodies, starts.size - 1)
        over = (bodies < starts.size) & (regions[inside] == regions[lines])
        if (parts.owners[lines] == lines - 1).sum() > 1:
            continue  # titles stand right over them, and name what is below
        least = _LEAST_MAILS if ((headers - lines)[over] >= _MAIL_LINES).all() else _LEAST
        if over.sum() < max(least, _SHARE * lines.size):
            continue
        lines, headers, bodies = lines[over], headers[over], bodies[over]
        ends = lined.limits[lines]
        ends[:-1] = np.minimum(ends[:-1], lines[1:])
        if lines.size >= _LEAST:
            most = int((lined.edges[ends] - starts[lines])[:-1].max())  # the last passage is no longer
            ends[-1] = max(min(ends[-1], starts.searchsorted(starts[lines[-1]] + most)), bodies[-1] + 1)
        longest = LONGEST_TITLE if (bodies > headers).any() else LONGEST_LABEL  # of a mail's who wrote it is enough
        labels = starts.searchsorted(np.minimum(starts[lines] + longest, starts[headers]), side="right") - 1
        labels = np.maximum(labels, lines + 1)
        columns = (column.tolist() for column in (lines, headers, bodies, labels, ends))
        for line, header, body, label, end in zip(*columns, strict=True):
            parts.label_ends[line] = starts[label]
            parts.alone[line:body] = True
            for owners in (parts.owners, parts.around):
                owners[line] = owners[lines[0]] if regions[line] == regions[lines[0]] else -1
                owners[line + 1 : header] = line
                owners[header:end] = np.maximum(owners[header:end], line)
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
    near &= find_stanzas(lined)[0] < 0
    return near & ~boundaries.terminated & ~boundaries.records & (ends - first <= _LONGEST)


def _by_key(lined: LinedText, likely: NDArray[np.bool_], least: int) -> Iterator[Positions]:
    """Those of some likely lines that begin with a key that enough of them have, key by key."""
    found: dict[str, list[int]] = defaultdict(list)
    if likely.sum() < least:
        return
    for line in np.flatnonzero(likely).tolist():
        if match := _KEY.match(lined.text, lined.first[line], lined.ends[line]):
            found[match[1].lower()].append(line)
    for lines in sorted(found.values(), key=len, reverse=True)[:_MOST_KEYS]:
        if len(lines) >= least:
            yield np.array(lines)


def _bodies(lined: LinedText, likely: NDArray[np.bool_], lines: Positions) -> tuple[Positions, Positions]:
    """The line behind each of some lines and the others with keys below it, and the first running text there.

    Behind several such lines and a blank one a short line or two may stand before that text, as in a mail; behind one
    line a blank one and another key make a record or a chat.  Where there is no such text it is the number of lines.
    """
    text, first, ends, blank = lined.text, lined.first, lined.ends, lined.boundaries.after_blank
    running, last = _running(lined), first.size
    headers, bodies = [], []
    for line in lines.tolist():
        header = line + 1
        while header < min(last, line + _MOST_LINES) and likely[header] and not blank[header]:
            header += 1
        several, body = header > line + 1, header
        most = min(last - 1, header + _GREETING * (several and header < last and bool(blank[header])))
        while body < most and not running[body] and not _KEY.match(text, first[body], ends[body]):
            body += 1
        said = body < last and running[body]
        if said and blank[body] and not several:
            said = not _KEY.match(text, first[body], ends[body])
        headers.append(header)
        bodies.append(body if said else last)
    return np.array(headers), np.array(bodies)
