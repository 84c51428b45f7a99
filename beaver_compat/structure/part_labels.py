"""Labels that number or name the parts of a text: ``Document [3](Title: Oslo)``, ``Step 3.``, ``[3]``, ``Allergies:``.

Everything here reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.headings import LONGEST_TITLE
from beaver_compat.structure.line_labels import VALUE, ruled_lines, stamped_lines
from beaver_compat.structure.roles import find_roles
from beaver_compat.structure.turns import long_turns
from beaver_compat.text.ascending import among, any_between
from beaver_compat.text.characters import DIGIT, is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

LONGEST_LABEL = 240  # characters
_NUMBER_REACH = 48  # characters in which the number begins
_MOST_KINDS = 256  # the commonest
_LONGEST_NAME = 34  # characters in which the colon stands, or the stars begin
_LEAST_NAMES, _NAMED_SHARE = 3, 0.25  # of the paragraphs begin with a name
_TITLED_SHARE = 0.8  # of the labels of a kind have a title below them, or none has

_WORD = r"[^\W\d_]{1,20}(?: [^\W\d_]{1,20})?"
_NAME = re.compile(
    r"\*\*(?P<bold>[^*\n]{1,60})\*\*(?: ?[:\uff1a\u2013\u2014-])?"
    r"|[^\W\d_a-z][^:*.?!;\n()\[\]{}<>|=]{0,32}[:\uff1a](?=\s|$)"
)
_NO_NAME = re.compile(r"[\d,\uff0c_]")  # in what stands before a colon: a line of data, or a sentence
_BOLD, _PLAIN, _VALUED = "**", ":", "0"  # kinds of names; no name, but a key with its value
_STAMPED, _RULED, _ROLE = "@", "--", "<|"  # and of lines that are labels by their shape
_SHAPED = (_STAMPED, _RULED, _ROLE)
_SPOKEN = ">>"  # and of turns, of which some go on in further paragraphs
_NAMES = (_BOLD, _PLAIN, _SPOKEN, *_SHAPED)
_RULE = r"[-=*]{2,8}"
_NOTE = r"\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
_MARK = r"(?:[:.](?=[\s*]|$)|\uff1a| [-\u2013\u2014](?= ))"
_COUNTED = "\u7ae0\u8282\u7bc0\u6761\u689d\u6bb5\u7bc7\u56de\u9875\u9801\u90e8"  # chapters and the like
_LABEL = re.compile(
    rf"(?:{_RULE} *)?(?P<outer>[\[\u3010])?(?P<word>{_WORD})? ?(?P<open>[\[(#]|No\. ?|\u2116 ?)?(?P<number>\d{{1,4}})"
    rf"(?P<close>[\])\u3011]?)"
    rf"(?P<end>[{_COUNTED}]?(?: ?{_NOTE})?{_MARK}?(?: *{_RULE}$)?\**)"
)
_TAG = re.compile(
    r"<(?P<word>[A-Za-z]\w{0,20}) [^<>\n]{0,80}?\b(?:index|id|number|no|n)=[\"']?(?P<number>\d{1,4})\b[^<>\n]*>"
)
_BRACKETS = ("", "[]", "()", ")", "#", "No.", "\u2116")
_SQUARE = str.maketrans("\u3010\u3011", "[]")
_CAPTION = re.compile(
    "algorithm|box|chart|corollary|definition|diagram|eq|equation|exhibit|fig|figure|footnote|image|lemma|listing|note|photo"
    "|plate|proposition|remark|tab|table|theorem|abb|abbildung|tabelle|tabla|tableau|figura"
)  # lines behind one of these are not about it


class Part(NamedTuple):
    """Hard lines under one label.

    Attributes:
        line: that begins with the label.
        limit: the line behind the last.
        guessed: whether no other label tells where the part ends.
        low: whether the label is a name before text or a colon, so that any title ends the part.
    """

    line: int
    limit: int
    guessed: bool = False
    low: bool = False


class PartLabels(NamedTuple):
    """The labels that hard lines begin with.

    Attributes:
        ends: where each line's label ends; where it has the line for itself, the next line, or the one behind a title
            there; where the line begins if it has none, int64 [N].
        alone: True for each line that is nothing but a label or its title, bool [N].
        parts: those of several lines.
        shaped: the lines that are labels by their shape; what is below them is not of a guessed title above them.
        turns: those of them that tell who wrote the message below.
    """

    ends: Positions
    alone: NDArray[np.bool_]
    parts: list[Part]
    shaped: set[int]
    turns: set[int]


class _Label(NamedTuple):
    line: int
    number: int
    end: int


def find_part_labels(lined: LinedText) -> PartLabels:
    """Find the labels.  Those of one kind have the same word and brackets, and number two parts at least.

    Labels that are no more than a number count up.  A part goes on to the next label of its kind where a blank line
    stands before its label or nothing else on the label's line; the last is no longer than the longest other.

    Args:
        lined: the text.
    """
    found = PartLabels(lined.starts.copy(), np.zeros(lined.starts.size, dtype=bool), [], set(), set())
    roles = find_roles(lined)
    kinds = _labels(lined, dict(zip(roles.lines.tolist(), roles.ends.tolist(), strict=True)))
    asked = _asked(kinds)
    valued = np.array([label.line for label in kinds.pop((_VALUED, _VALUED), [])] + [lined.starts.size])
    paragraphs = np.append(np.flatnonzero(lined.boundaries.after_blank), lined.starts.size)
    for word, brackets in sorted(kinds, key=lambda kind: -len(kinds[kind]))[:_MOST_KINDS]:
        labels = kinds[word, brackets]
        if len({label.number for label in labels}) < 2 or not (word or brackets == "[]" or _counts_up(labels)):
            continue
        lines = np.array([label.line for label in labels])
        found.ends[lines] = [label.end for label in labels]
        if _CAPTION.fullmatch(word) or not (word or brackets == "[]"):
            continue
        limits, guessed = _limits(lined, lines)
        if word in (_BOLD, _PLAIN):
            limits = np.minimum(limits, valued[valued.searchsorted(lines)])
        if word in _SHAPED:
            found.shaped.update(lines.tolist())
            found.turns.update(lines.tolist() if word != _RULED else [])
            least = paragraphs[paragraphs.searchsorted(lines, side="right")]
            limits = np.where(guessed, np.maximum(limits, least), limits)
        if word == _ROLE:
            limits, guessed = roles.limits, np.zeros(lines.size, dtype=bool)
        own = _alone(found, lines, limits, lined, among(lines, asked), word)
        if word == _ROLE:
            own[:] = True
        elif word == _SPOKEN:
            own = limits > lines + 1
        elif word:
            own |= lined.boundaries.after_blank[lines]
        low = (word in (_PLAIN, _SPOKEN)) | ((word == _BOLD) & ~found.alone[lines])
        columns = (column[own].tolist() for column in (lines, limits, guessed, low))
        found.parts.extend(map(Part._make, zip(*columns, strict=True)))
    return found


def _labels(lined: LinedText, roles: dict[int, int]) -> dict[tuple[str, str], list[_Label]]:
    """What may be labels, by their word in small letters and their brackets.

    Args:
        lined: the text.
        roles: the lines with the role of a chat's message, and where that ends.
    """
    found = _with_numbers(lined)
    numbered = {label.line for labels in found.values() for label in labels}
    stamped = stamped_lines(lined)
    for kind, labels in {**_names(lined), (_SPOKEN, _SPOKEN): _turns(lined)}.items():
        found[kind] = [label for label in labels if label.line not in stamped and label.line not in roles]
    ruled = {line: end for line, end in sorted(ruled_lines(lined).items()) if line not in numbered}
    for sign, label_ends in ((_STAMPED, stamped), (_RULED, ruled), (_ROLE, roles)):
        found[sign, sign] = [_Label(line, number, end) for number, (line, end) in enumerate(label_ends.items())]
    return found


def _with_numbers(lined: LinedText) -> dict[tuple[str, str], list[_Label]]:
    """What may be labels for its number, as `_labels`."""
    text, first, ends = lined.text, lined.first, lined.ends
    near = any_between(lined.characters.places(DIGIT), first, np.minimum(first + _NUMBER_REACH, ends))
    found: dict[tuple[str, str], list[_Label]] = defaultdict(list)
    for line in np.flatnonzero(near & (~lined.boundaries.records | is_any(lined.points[first], "<[\u3010"))).tolist():
        end = min(int(ends[line]), int(first[line]) + LONGEST_LABEL)
        if tag := _TAG.match(text, first[line], end):
            found[tag["word"].lower(), "<>"].append(_Label(line, int(tag["number"]), tag.end()))
        elif (match := _LABEL.match(text, first[line], end)) and (match["close"] or match["end"] or match.end() == end):
            brackets = ((match["outer"] or "") + (match["open"] or "").strip() + match["close"]).translate(_SQUARE)
            if brackets in _BRACKETS and (match["word"] or brackets or match["end"]):
                label = _Label(line, int(match["number"]), match.end())
                found[(match["word"] or "").lower(), brackets].append(label)
    return found


def _asked(kinds: dict[tuple[str, str], list[_Label]]) -> Positions:
    """The lines right above one with another word and the same number, as a question stands above its answer."""
    numbers = {
        label.line: (word, label.number)
        for (word, _), labels in kinds.items()
        if word and word not in _NAMES
        for label in labels
    }
    found = [
        line
        for line, (word, number) in numbers.items()
        if line + 1 in numbers and numbers[line + 1][0] != word and numbers[line + 1][1] == number
    ]
    return np.array(sorted(found), dtype=np.int64)


def _names(lined: LinedText) -> dict[tuple[str, str], list[_Label]]:
    """Names that paragraphs begin with, in bold letters or before a colon, where enough paragraphs have one.

    Before a colon, enough must have text behind it; then a line that is but such a name is one, too.  A number right
    behind it is its value: other text of the line would seem to be that, so it names nothing, but ends a part.
    """
    text, boundaries, first, ends = lined.text, lined.boundaries, lined.first, lined.ends
    likely = boundaries.after_blank & ~boundaries.records & (boundaries.labels <= boundaries.hard_lines)
    paragraphs = np.flatnonzero(likely)
    begins = first[paragraphs]
    near = any_between(lined.characters.marks(":*"), begins, np.minimum(begins + _LONGEST_NAME, ends[paragraphs]))
    found: dict[tuple[str, str], list[_Label]] = defaultdict(list)
    for line in paragraphs[near].tolist():
        if match := _NAME.match(text, first[line], min(int(ends[line]), int(first[line]) + LONGEST_TITLE)):
            kind = _VALUED if VALUE.match(text, match.end(), ends[line]) else _BOLD if match["bold"] else _PLAIN
            if kind == _PLAIN and _NO_NAME.search(text, first[line], match.end()):
                continue
            found[kind, kind].append(_Label(line, len(found[kind, kind]), match.end()))
    least = max(_LEAST_NAMES, _NAMED_SHARE * paragraphs.size)

    def enough(kind: str, labels: list[_Label]) -> bool:
        with_text = sum(label.end < ends[label.line] for label in labels) if kind == _PLAIN else len(labels)
        return kind == _VALUED or with_text >= least

    return {kind: labels for kind, labels in found.items() if enough(kind[0], labels)}


def _turns(lined: LinedText) -> list[_Label]:
    lines = long_turns(lined)
    ends = lined.boundaries.labels[lines].tolist()
    return [_Label(line, number, end) for number, (line, end) in enumerate(zip(lines.tolist(), ends, strict=True))]


def _counts_up(labels: list[_Label]) -> bool:
    """Whether most numbers of some labels are one more than the last.

    >>> _counts_up([_Label(0, 1, 3), _Label(1, 2, 9)]), _counts_up([_Label(0, 12, 3), _Label(1, 30, 9)])
    (True, False)
    """
    return 2 * sum(after.number == before.number + 1 for before, after in pairwise(labels)) >= len(labels)


def _limits(lined: LinedText, lines: Positions) -> tuple[Positions, NDArray[np.bool_]]:
    """The line behind each label's part, and True where that is a guess.

    Args:
        lined: the text.
        lines: of the labels of one kind.
    """
    own, edges = lined.regions[lines], lined.edges
    last = np.append(own[1:] != own[:-1], True)
    limits = np.append(lines[1:], 0)
    limits[last] = lined.limits[lines[last]]
    group = np.cumsum(last) - last  # of each region
    longest = np.zeros(group[-1] + 1, dtype=np.int64)  # part of each region but its last
    np.maximum.at(longest, group[~last], edges[limits[~last]] - edges[lines[~last]])
    guessed = last & (longest[group] > 0)
    most = edges.searchsorted(edges[lines] + longest[group], side="right") - 1
    limits[guessed] = np.minimum(limits, np.maximum(most, lines + 1))[guessed]
    return limits, guessed


def _alone(
    found: PartLabels, lines: Positions, limits: Positions, lined: LinedText, asked: NDArray[np.bool_], word: str
) -> NDArray[np.bool_]:
    """True for each label that has a line of its own; those lines and the titles below them are put down as such.

    So are lines of which most ask what the next lines answer.

    Args:
        found: where the labels end, and which are alone, which is added to.
        lines: of the labels of one kind.
        limits: the line behind each label's part.
        lined: the text.
        asked: True for each of the lines that asks.
        word: of the labels; below a name stands no title, nor is what stands behind a role or a time one.
    """
    boundaries, first, ends = lined.boundaries, lined.first, lined.ends
    rest = ends[lines] - found.ends[lines]
    short = (ends[lines] - first[lines] <= LONGEST_TITLE) & ~boundaries.terminated[lines]
    if asked.sum() >= _TITLED_SHARE * lines.size:
        short |= asked & (ends[lines] - first[lines] <= LONGEST_LABEL)
    short &= word not in (_SPOKEN, *_SHAPED)
    alone = ((rest <= 0) | short) & (limits > lines + 1)
    found.ends[lines[alone]] = boundaries.hard_lines[lines[alone] + 1]
    found.alone[lines[alone]] = True
    if word in _NAMES:
        return alone
    bare = lines[alone & (rest <= 0) & (limits > lines + 2)]
    title = bare + 1
    titled = ends[title] - first[title] <= np.minimum(LONGEST_TITLE, ends[bare + 2] - first[bare + 2])
    titled &= ~(boundaries.terminated[title] | boundaries.records[title] | boundaries.after_blank[title])
    if titled.sum() >= max(_TITLED_SHARE * bare.size, 2):
        found.ends[bare[titled]] = boundaries.hard_lines[title[titled] + 1]
        found.alone[title[titled]] = True
    return alone
