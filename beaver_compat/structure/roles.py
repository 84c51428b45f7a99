"""Messages of a chat in a model's template: ``<|im_start|>user``, ``[INST] ... [/INST]``, ``### User:``.

A message begins with a mark that tells whose it is, on a line of its own or before the text.  Everything here reads
characters only.  Only marks and lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, nexts, union
from beaver_compat.text.boundaries import ends_sentence
from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_LEAST = 2  # marks
_LONGEST_LINE = 32  # characters of a line such as ``### Assistant:``
_ROLES = "system|developer|user|human|assistant|model|bot|ai|tool|function|observation"
_BAR = "[|\uff5c]"
_MARK = re.compile(
    r"(?:(?:<\|begin_of_text\|>|<s>|<bos>)[ ]?)?"
    r"(?:<\|(?:im_start|start_header_id|header_start|start)\|>\w{1,20}(?:<\|channel\|>\w{1,20})?"
    r"(?:<\|(?:end_header_id|header_end|message)\|>)?"
    rf"|<{_BAR}(?:{_ROLES}){_BAR}>|<start_of_turn>\w{{1,20}}|\[/?INST\](?:\s?<<SYS>>)?|<</SYS>>)",
    re.I,
)
_CLOSING = re.compile(
    r"<\|(?:im_end|eot_id|eom_id|eot|end|return|call|end_of_text|endoftext)\|>|<\uff5cend\u2581of\u2581sentence\uff5c>"
    r"|<end_of_turn>|</s>"
)
_LINE = re.compile(
    rf"(?:#{{1,6}} ?\**(?:{_ROLES}|instruction|input|response|output)|\**(?:{_ROLES}))(?:\**:|:\**)", re.I
)
_KEY = re.compile(rf'"(?:role|from)": ?"(?:{_ROLES}|gpt)",?[ \t]*\r?$', re.M)
_SIGNS = ("<|", "<\uff5c", "INST]", "<start_of_turn>", "<</SYS>>")


class Roles(NamedTuple):
    """The messages of a chat.

    Attributes:
        lines: the hard lines that begin with a mark, ascending, int64 [k].
        ends: the character behind each mark, int64 [k].
        limits: the line behind each message's last, int64 [k].
    """

    lines: Positions
    ends: Positions
    limits: Positions


def role_keys(lined: LinedText) -> Positions:
    """The hard lines that are but the role in a message of JSON that is laid out over lines, ascending, int64.

    Args:
        lined: the text.
    """
    if not any(key in lined.text for key in ('"role":', '"from":')):
        return np.zeros(0, dtype=np.int64)
    places = np.array([match.start() for match in _KEY.finditer(lined.text)], dtype=np.int64)
    lines = lined.first.searchsorted(places, side="right") - 1
    return lines[(lined.first[lines] == places) & (lined.ends[lines] - places <= _LONGEST_LINE)]


def with_roles(lined: LinedText) -> LinedText:
    """The text with a hard line where each message begins, and where its text does below a mark.

    A mark right before text is the label of its line.  What closes a message goes with its last sentence.

    Args:
        lined: the text.
    """
    marks = _marks(lined)
    if not marks.size:
        return lined
    boundaries, old, end = lined.boundaries, lined.starts, len(lined.text)
    begins, behind = marks.T
    closings = _closings(lined)
    words, word_ends = _split(boundaries.words, boundaries.word_ends, np.append(marks, closings))
    lines = union(boundaries.lines, begins)
    said = np.append(words, end)[words.searchsorted(behind)]  # where the text behind each mark begins
    below = np.append(lines, end)[lines.searchsorted(begins, side="right")]
    hard = union(old, union(begins, below[(below <= said) & (below < end)]))
    closes = among(words, closings[:, 0])
    texts = np.flatnonzero(~closes)

    def last_texts() -> Positions:
        return texts[texts.searchsorted(nexts(words.searchsorted(hard), words.size)) - 1]

    contexts = lined.context_starts.searchsorted(hard, side="right")
    hard = hard[(last_texts() >= words.searchsorted(hard)) | (np.append(-1, contexts[:-1]) != contexts)]
    at, first = old.searchsorted(hard, side="right") - 1, words[words.searchsorted(hard)]
    own = old[at] == hard
    records = boundaries.records.copy()
    records[at[~own]] = False
    records = records[at] & ~among(first, begins)
    labels, line = np.where(own, boundaries.labels[at], hard), first.searchsorted(begins)
    labelled = said < nexts(hard, end)[line]
    labels[line[labelled]] = said[labelled]
    return lined.with_boundaries(
        replace(
            boundaries,
            lines=lines,
            hard_lines=hard,
            labels=labels,
            sentences=boundaries.sentences[~among(boundaries.sentences, closings[:, 0])],
            words=words,
            word_ends=word_ends,
            records=records,
            tables=boundaries.tables[at] & records,
            terminated=ends_sentence(lined.classes, word_ends[last_texts()]),
            after_blank=boundaries.after_blank[at] & own,
        )
    )


@once
def find_roles(lined: LinedText) -> Roles:
    """Find the messages: each goes on to the next one, or to the line that what closes it stands in.

    Args:
        lined: the text; marks in the middle of a unit are none.
    """
    marks, first = _marks(lined), lined.first
    lines = first.searchsorted(marks[:, 0])
    lines, known = np.minimum(lines, first.size - 1), lines < first.size
    known &= (first[lines] == marks[:, 0]) & ~lined.boundaries.records[lines]
    lines, ends = lines[known], marks[known, 1]
    if not lines.size:
        return Roles(lines, ends, lines)
    limits = np.minimum(nexts(lines, first.size), lined.contexts.searchsorted(lined.contexts[lines], side="right"))
    closed = np.append(lined.starts.searchsorted(_closings(lined)[:, 0], side="right"), first.size)
    return Roles(lines, ends, np.minimum(limits, closed[closed.searchsorted(lines, side="right")]))


def without_marks(lined: LinedText, start: int, end: int) -> tuple[int, int]:
    """The characters of a message, from ``start`` to ``end``, but for the marks of its role and of those behind it."""
    marks = _marks(lined)
    if not marks.size:
        return start, end
    words = lined.boundaries.words
    first = words[words.searchsorted(start) :][:1]
    begin = max(marks[among(marks[:, 0], first), 1].tolist(), default=start)
    signs = np.concatenate([marks[:, 0], _closings(lined)[:, 0]])
    limit = min(signs[(signs > begin) & (signs < end)].tolist(), default=end)
    return (begin, limit) if lined.text[begin:limit].strip() else (start, end)


@once
def _marks(lined: LinedText) -> Positions:
    """Where each mark begins and ends, ascending, int64 [k, 2]; none inside a record or where there is but one."""
    text, first, ends = lined.text, lined.first, lined.ends
    found: dict[int, int] = {}
    if any(holds(text, sign) for sign in _SIGNS):
        found = {match.start(): match.end() for match in _MARK.finditer(text)}
    likely = (ends - first <= _LONGEST_LINE) & is_any(lined.points[ends - 1], ":*")
    for line in np.flatnonzero(likely).tolist():
        if _LINE.fullmatch(text, first[line], ends[line]):
            found[int(first[line])] = int(ends[line])
    marks = np.array(sorted(found.items()), dtype=np.int64).reshape(-1, 2)
    holders = lined.starts.searchsorted(marks[:, 0], side="right") - 1
    marks = marks[~lined.boundaries.records[holders] | among(first[holders], marks[:, 0])]
    return marks if len(marks) >= _LEAST else marks[:0]


@once
def _closings(lined: LinedText) -> Positions:
    """Where each sign that closes a message begins and ends, ascending, int64 [k, 2]."""
    return np.array([match.span() for match in _CLOSING.finditer(lined.text)], dtype=np.int64).reshape(-1, 2)


def _split(words: Positions, word_ends: Positions, places: Positions) -> tuple[Positions, Positions]:
    """Where words begin and end that some places part, too."""
    places = np.unique(places)
    holder = words.searchsorted(places) - 1
    inside = places[(holder >= 0) & (places < word_ends[holder]) & ~among(places, words)]
    return union(words, inside), union(word_ends, inside)
