"""Lines that ask something and are answered below: by the next paragraph, the next speaker or the next message.

Everything here reads characters only.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.comments import find_comments
from beaver_compat.structure.headings import find_headings
from beaver_compat.text.ascending import among, any_between, nexts
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_ASKING = "?\uff1f"
_QUOTES = "\"'\u201c\u2018\u201e\u00ab\u2013\u2014"  # somebody speaks
_LONGEST_QUESTION = 160  # characters
_CLOSING_REACH = 16  # characters behind the sign
_CLOSING = re.compile(r"[*_\"')\]\u201d\u2019\u00bb ]*(?:</\w{1,8}>)*")
_NEAR_END = 3  # characters in which a message's question mark stands, a quote or bracket behind it
_NUMBER = re.compile(r"\d+")


def find_questions(lined: LinedText) -> tuple[Positions, Positions]:
    """Short lines that ask something, each before a line that does not, as in a list of frequent questions.

    Args:
        lined: the text.

    Returns:
        Those that begin with no label, and the others, ascending, int64.
    """
    text, regions, first, ends = lined.text, lined.regions, lined.first, lined.ends
    signs = "".join(sign for sign in _ASKING if sign in text)
    if not signs or first.size < 2:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    marks = lined.characters.marks(signs)
    last = np.append(marks, -1)[marks.searchsorted(ends) - 1]
    short = (ends - first <= _LONGEST_QUESTION) & (last >= np.maximum(first, ends - 1 - _CLOSING_REACH))
    asks = np.zeros(first.size, dtype=bool)
    for line in np.flatnonzero(short).tolist():
        asks[line] = bool(_CLOSING.fullmatch(text, last[line] + 1, ends[line])) and text[first[line]] not in _QUOTES
    asks &= ~find_comments(lined)[0] | among(np.arange(first.size), find_headings(lined)[0])
    answered = asks[:-1] & ~asks[1:] & (regions[1:] == regions[:-1])
    lines = np.flatnonzero(answered)
    labelled = lined.boundaries.labels[lines] > lined.starts[lines]
    return lines[~labelled], lines[labelled]


def asked_in_chat(lined: LinedText, questions: Positions) -> Positions:
    """The questions that another speaker's turn on the next line answers, which does not just introduce what follows.

    Args:
        lined: the text.
        questions: short lines that ask something behind a label, ascending, int64.
    """

    def speaker(line: int) -> list[str]:
        return [sign for sign in lined.text[lined.starts[line] : lined.boundaries.labels[line]] if sign.isalpha()]

    found = [line for line in questions.tolist() if [] != speaker(line + 1) != speaker(line) != []]
    answered = np.array(found, dtype=np.int64)
    return answered[~is_any(lined.points[lined.ends[answered + 1] - 1], ":\uff1a")]


def asked_in_turn(lined: LinedText, questions: Positions, titles: Positions) -> list[int]:
    """The questions that are all that stands under one title and right above another, both repeated: speakers' names.

    Args:
        lined: the text.
        questions: short lines that ask something, ascending, int64.
        titles: and those that may be titles.
    """
    said = {line: lined.line(line) for line in titles.tolist()}
    often = Counter(said.values())
    turns = ((line, said.get(line - 1, ""), said.get(line + 1, "")) for line in questions.tolist())
    return [line for line, asking, other in turns if asking != other and min(often[asking], often[other]) > 1]


def asked_in_messages(lined: LinedText, heads: Positions) -> Positions:
    """The short last lines of messages that end with a question which the next message answers, of somebody else.

    Args:
        lined: the text.
        heads: the lines with the names of those who write the messages, ascending, int64.
    """
    text, first, ends = lined.text, lined.first, lined.ends
    signs = "".join(sign for sign in _ASKING if sign in text)
    if heads.size < 2 or not signs:
        return heads[:0]
    marks = lined.characters.marks(signs)
    last = nexts(heads, first.size) - 1  # line of each message
    asks = any_between(marks, np.maximum(first[last], ends[last] - _NEAR_END), ends[last])
    asks &= ends[last] - first[last] <= _LONGEST_QUESTION
    asks[:-1] &= ~asks[1:] & (lined.regions[heads[:-1]] == lined.regions[heads[1:]])

    def writer(line: int) -> str:
        end = lined.boundaries.labels[line]  # of one whose message seems to go on with the line
        return _NUMBER.sub("", text[first[line] : end if end > lined.starts[line] else ends[line]]).strip()

    found = np.flatnonzero(asks[:-1])
    return last[[at for at in found.tolist() if writer(heads[at]) != writer(heads[at + 1])]]
