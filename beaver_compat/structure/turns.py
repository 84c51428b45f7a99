"""Turns of a transcript or a chat: lines that begin with who says what stands behind.

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.line_labels import VALUE
from beaver_compat.text.ascending import any_between
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_SPEAKER_REACH = 72  # characters in which the speaker's name ends, a time before it
_LONGEST_TURN = 160  # characters: of a longer one later sentences may be kept alone, with the speaker
_LEAST_TURNS, _SPOKEN_SHARE = 3, 0.25  # of the paragraphs begin with a speaker
_SAID_SHARE = 0.8  # of the turns end like sentences
_SPEAKER_ENDS = ":\uff1a*>]"
_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
_TIME = (
    rf"[\[(]?(?:{_DATE}[T,]? ?)?"
    r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,6})?Z?(?: ?[AaPp]\.?[Mm]\.?)?[\])]?"
)
_DAY_OR_MONTH = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ ,.]"
_NAME = r"[^\W_][^:\uff1a<>\[\](){}\"=/\\|\n]{0,30}"
_TURN = re.compile(
    rf"(?P<time>{_TIME} *(?:[-\u2013\u2014|] *)?)?(?:<[^<>\n]{{1,30}}>(?=\s)"
    rf"|(?P<note>\[)(?!{_DAY_OR_MONTH})[^\W\d_][^\[\]\d\n]{{0,30}}(?:{_DATE}|{_TIME})[^\[\]\n]{{0,20}}\]:?(?=\s)"
    rf"|(?:\*\*)?(?P<name>{_NAME})(?P<later>{_TIME})?(?:\*\*)?(?:\uff1a|:(?:\*\*)?(?=\s)))[ \t]{{0,2}}"
)


class _Speaker(NamedTuple):
    """What a line begins with that may be who says what stands behind it.

    Attributes:
        name: in small letters, "" where a time or the like stands beside it.
        end: where it ends.
        noted: whether it stands in brackets with a date, over a note.
        valued: whether a number stands right behind it.
    """

    name: str
    end: int
    noted: bool
    valued: bool


def with_turns(lined: LinedText) -> LinedText:
    """The text without sentence ends in the lines of a transcript: what is said needs who says it.

    What stands behind a name and date in brackets is a note of several sentences, each of which has that label.
    A speaker is known by a time beside the name, by speaking again, or by a known speaker on the next line or the last.
    Of lines of several sentences that begin with other names each, the sentences have the name as their label, too.
    A name of which most lines go on with a number is a key, and no label: other text would seem to be its value.
    """
    boundaries, lines = lined.boundaries, lined.starts
    speakers = _speakers(lined)
    if not speakers:
        return lined
    often = Counter(speaker.name for speaker in speakers.values())
    valued = Counter(speaker.name for speaker in speakers.values() if speaker.name and speaker.valued)
    keys = {name for name, count in valued.items() if 2 * count > often[name]}
    labels, noted = lines.copy(), np.zeros(lines.size, dtype=bool)
    known = np.zeros(lines.size + 2, dtype=bool)  # a line on either side
    for line, speaker in speakers.items():
        labels[line], noted[line] = speaker.end, speaker.noted
        known[1 + line] = often[speaker.name] > 1 and speaker.name not in keys
    known = known[1:-1] | known[:-2] | known[2:]
    named = _named_in_turn(lined, {line: speaker.end for line, speaker in speakers.items() if speaker.name})
    named = named[~known[named]]
    known[named] = noted[named] = True
    known[[line for line, speaker in speakers.items() if speaker.name in keys]] = False
    turns = known & (labels > lines)
    if not turns.any():
        return lined
    holders = lines.searchsorted(boundaries.sentences, side="right") - 1
    torn = (turns & ~noted & (lined.ends - lines <= _LONGEST_TURN))[holders]
    sentences, labels = boundaries.sentences[~torn], np.where(turns, labels, lines)
    return lined.with_boundaries(replace(boundaries, sentences=sentences, labels=labels))


def long_turns(lined: LinedText) -> Positions:
    """The hard lines that the turns of a transcript begin with, ascending, where some go on in further paragraphs.

    Enough paragraphs begin with one, and others between them have no label.  Nearly all turns end like sentences: what
    does not is the value of a key.
    """
    boundaries, points = lined.boundaries, lined.points
    turns = (boundaries.labels > lined.starts) & (boundaries.labels < lined.ends)
    label_ends = boundaries.word_ends[boundaries.words.searchsorted(boundaries.labels) - 1]
    turns &= is_any(points[label_ends - 1], _SPEAKER_ENDS) & (points[lined.first] != ord('"'))
    said = np.maximum.accumulate(turns) & np.maximum.accumulate(turns[::-1])[::-1]
    others = said & boundaries.after_blank & ~turns & boundaries.terminated
    least = max(_LEAST_TURNS, _SPOKEN_SHARE * np.count_nonzero(boundaries.after_blank))
    known = turns.sum() >= least and others.any() and boundaries.terminated[turns].mean() >= _SAID_SHARE
    return np.flatnonzero(turns & known)


def _speakers(lined: LinedText) -> dict[int, _Speaker]:
    """What may be speakers by their lines; none where only one line has the signs of one."""
    text, first, ends = lined.text, lined.first, lined.ends
    signs = "".join(sign for sign in ":>\uff1a[" if sign in text)
    if not signs:
        return {}
    near = any_between(lined.characters.marks(signs), first, np.minimum(first + _SPEAKER_REACH, ends))
    if near.sum() < 2:
        return {}
    found: dict[int, _Speaker] = {}
    for line in np.flatnonzero(near).tolist():
        if match := _TURN.match(text, first[line], ends[line]):
            stamped = match["time"] or match["later"] or not match["name"]
            name, end = "" if stamped else match["name"].strip().lower(), match.end()
            found[line] = _Speaker(name, end, bool(match["note"]), bool(VALUE.match(text, end, ends[line])))
    return found


def _named_in_turn(lined: LinedText, labels: dict[int, int]) -> Positions:
    """The lines with a name before several sentences, three at least right below each other, ascending, int64.

    Args:
        lined: the text.
        labels: where the name ends that a line begins with, by the line.
    """
    sentences, lines = lined.boundaries.sentences, np.array(list(labels), dtype=np.int64)
    behind = np.array(list(labels.values()), dtype=np.int64)
    inner = sentences.searchsorted(lined.ends[lines]) > sentences.searchsorted(behind, side="right")
    said = np.zeros(lined.starts.size + 4, dtype=bool)  # two lines on either side
    said[2 + lines[inner & lined.boundaries.terminated[lines]]] = True
    run = said[:-2] & said[1:-1] & said[2:]
    return np.flatnonzero(run[:-2] | run[1:-1] | run[2:])
