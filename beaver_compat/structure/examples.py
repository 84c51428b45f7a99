"""Few-shot examples and records: lines that begin with the same cues in the same order, block after block.

A cue is a word or a few before a colon (``Tweet:``, ``Input 3:``, ``**Sentiment:**``).  Which words they are tells
little; that they come again in the same order does.  Everything here reads characters only.  Only lines that qualify
are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, any_between, outermost, union
from beaver_compat.text.boundaries import LONGEST_RECORD
from beaver_compat.text.characters import DIGIT, WORD, is_any
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

_REACH = 24  # characters in which a cue ends
_LEAST_BLOCKS = 3  # that begin with cues of any words
_MOST_CUES = 16  # of blocks that no blank lines part
_LONGEST, _MOST_LINES = 320, 3  # characters, about a page: of longer blocks with cues of any words lines may be kept
_LONGEST_NAME = 120  # characters of a first line that names what is below it, and of a frequent question
_KNOWN = re.compile(
    r"(?:#+ *|\*\*)?(question|query|q|input|problem|example|exercise|task|premise|sentence|review)[ #.]*\d*\**:", re.I
)
_KNOWN_INITIALS = "#*QIPETSRqipetsr"
_CODE = r"(?:case|class|def|elif|except|for|if|while|with) "  # begins what is no cue
_CUE = re.compile(
    rf"(?:#{{1,6}} +|\*\*)?(?!{_CODE})([^\W\d_](?:[^\W_]|[ '/.#()-]){{0,22}})(?:\*\*)?(?:\uff1a|:(?:\*\*)?(?=\s|$))"
)
_ASKING = re.compile(r"[^.!?\u3002\uff01\uff1f]{1,160}[?\uff1f]\W{0,8}")
_SENTENCE = re.compile(r"(?:[.!?]\s|[\u3002\uff01\uff1f\n])\s{0,8}(\w.{5})")  # how one begins behind another
_STEPS = {"action", "observation"}  # cues of an agent's steps, which are no examples
_OPEN = ":\uff1a*"  # a cue that nothing stands behind ends with one
_NUMBER = " #.0123456789"


def short_examples(lined: LinedText, implicit_query: bool) -> tuple[Positions, Positions]:
    """The examples that are one unit: the first hard line of each and the line behind its last, int64 [k].

    Blocks that begin with one of the usual cues are examples up to the length of a record.  Frequent questions are
    none, unless the text ends with one that is asked: a sentence of an answer may be all that is wanted.

    Args:
        lined: the text.
        implicit_query: True where the last block is what is asked, so that it is no example.
    """
    begins, limits = (
        np.concatenate(columns)
        for columns in zip(_with_known_cues(lined), _short(lined, *cued_blocks(lined)), strict=True)
    )
    inner = limits < lined.starts.size
    if implicit_query:
        begins, limits = begins[inner], limits[inner]
    if (not implicit_query or inner.all()) and _frequent_questions(lined, begins, limits):
        return begins[:0], limits[:0]
    return outermost(begins, limits)


@once
def cued_blocks(lined: LinedText) -> tuple[Positions, Positions]:
    """Blocks of two lines or more with the same cues: the first hard line of each and the line behind its last.

    What is one unit by now is counted, but not found again.

    Args:
        lined: the text.

    Returns:
        Both int64 [k], not in order.
    """
    none = np.zeros(0, dtype=np.int64)
    lines, cues = _cues(lined)
    if lines.size < 2 * _LEAST_BLOCKS or _STEPS.issubset(cues):
        return none, none
    found = [*_parted(lined, lines, cues), *_running(lined, lines, cues)]
    begins, ends = np.array(found, dtype=np.int64).reshape(-1, 2).T
    limits = lined.starts.searchsorted(ends)
    first = lined.starts.searchsorted(begins)
    several = among(begins, lined.starts) & (limits > first + 1)
    return first[several], limits[several]


def add_examples(lined: LinedText, needed: Positions, items: Positions) -> None:
    """Each line of a long example needs the first, and is an item of it where that is short.

    Args:
        lined: the text.
        needed: the lines that each line needs, int64 [N, 2]; is filled in.
        items: as in `Leads`; is filled in.
    """
    begins, limits = cued_blocks(lined)
    later = limits - begins - 1
    lines = np.concatenate(
        [np.arange(begin + 1, limit) for begin, limit in zip(begins, limits, strict=True)] or [begins]
    )
    heads = begins.repeat(later)
    free = needed[lines, 0] < heads
    needed[lines[free], 0] = heads[free]
    named = (lined.ends - lined.first)[heads] <= _LONGEST_NAME
    items[lines[named]] = np.maximum(items[lines], heads)[named]


def _short(lined: LinedText, begins: Positions, limits: Positions) -> tuple[Positions, Positions]:
    """The short blocks of two or three lines; all short ones where the text ends with a cue that waits for an answer.

    Else those of more lines are records of which single lines are asked for, and where most end with several sentences,
    as passages below their titles do, single sentences are.
    """
    open_ended = is_any(lined.points[lined.ends[-1:] - 1], _OPEN).any()
    short = lined.ends[limits - 1] - lined.starts[begins] <= _LONGEST
    short &= (limits - begins <= _MOST_LINES) | open_ended
    said = any_between(lined.boundaries.sentences, lined.first[limits - 1] + 1, lined.ends[limits - 1])
    short &= open_ended | (2 * np.count_nonzero(said) <= said.size)
    return begins[short], limits[short]


def _frequent_questions(lined: LinedText, begins: Positions, limits: Positions) -> bool:
    """Whether most blocks are a line of one short question and an answer of several sentences.

    Answers whose last sentences mostly begin alike (``So the answer is``) show how to think.
    """
    endings: Counter[str] = Counter()
    for line, limit in zip(begins.tolist(), limits.tolist(), strict=True):
        end = int(lined.ends[line])
        if end - lined.first[line] > _LONGEST_NAME or not _ASKING.fullmatch(lined.text, lined.first[line], end):
            continue
        _, *more = _SENTENCE.findall(lined.text, end, lined.ends[limit - 1]) or [""]
        if more:
            endings[more[-1].lower()] += 1
    alike = max(endings.values(), default=0)
    return 2 * endings.total() > begins.size > 2 * alike


def _with_known_cues(lined: LinedText) -> tuple[Positions, Positions]:
    """Blocks between blank lines that begin with the same of the usual cues, two at least."""
    text, points = lined.text, lined.points
    limits = np.append(np.flatnonzero(lined.boundaries.after_blank), lined.starts.size)
    edges = lined.edges[limits]
    begins = edges[:-1]
    likely = np.flatnonzero(is_any(points[begins], _KNOWN_INITIALS))
    reach = np.minimum(begins[likely, None] + np.arange(_REACH), points.size - 1)
    likely = likely[(points[reach] == ord(":")).any(1)]
    found = {block: match[1].lower() for block in likely.tolist() if (match := _KNOWN.match(text, begins[block]))}
    often = Counter(found.values())
    blocks = np.array([block for block, cue in found.items() if often[cue] > 1], dtype=np.int64)
    size, length = limits[blocks + 1] - limits[blocks], edges[blocks + 1] - begins[blocks]
    blocks = blocks[(size > 1) & (length <= LONGEST_RECORD)]
    return limits[blocks], limits[blocks + 1]


def _cues(lined: LinedText) -> tuple[Positions, list[str]]:
    """Where the lines that begin with a cue begin, those inside units, too, and their cues in small letters."""
    text, points, boundaries = lined.text, lined.points, lined.boundaries
    none = np.zeros(0, dtype=np.int64)
    signs = "".join(sign for sign in ":\uff1a" if sign in text)
    if not signs:
        return none, []
    first = boundaries.words[boundaries.words.searchsorted(boundaries.lines)]
    likely = any_between(lined.characters.marks(signs), first, first + _REACH)
    likely &= ((lined.classes[first] & (WORD | DIGIT)) == WORD) | is_any(points[first], "#*")
    lines, cues = [], []
    for line in np.flatnonzero(likely).tolist():
        if match := _CUE.match(text, first[line]):
            lines.append(line)
            cues.append(match[1].rstrip(_NUMBER).lower())
    return boundaries.lines[lines] if lines else none, cues


def _parted(lined: LinedText, lines: Positions, cues: list[str]) -> list[tuple[int, int]]:
    """Blocks between blank lines that begin with the same cues as others and the one before or behind.

    Where lines with the last cue stand elsewhere, too, blocks may have blank lines, and none is told from another.
    """
    edges = np.append(lined.starts[lined.boundaries.after_blank], len(lined.text))
    low, high = lines.searchsorted(edges[:-1]), lines.searchsorted(edges[1:])
    likely = np.flatnonzero((high - low > 1) & among(edges[:-1], lines) & (np.diff(edges) <= LONGEST_RECORD))
    said = {block: tuple(cues[low[block] : high[block]]) for block in likely.tolist()}
    said = {block: names for block, names in said.items() if len(set(names)) == len(names)}
    often, lasts, all_lasts = Counter(said.values()), Counter(names[-1] for names in said.values()), Counter(cues)
    return [
        (int(edges[block]), int(edges[block + 1]))
        for block, names in said.items()
        if often[names] >= _LEAST_BLOCKS
        and names in (said.get(block - 1), said.get(block + 1))
        and lasts[names[-1]] == all_lasts[names[-1]]
    ]


def _running(lined: LinedText, lines: Positions, cues: list[str]) -> list[tuple[int, int]]:
    """Blocks that no blank lines part, of nothing but lines with cues, each up to where its first cue comes again.

    Two speakers take turns like two cues; so what stands behind the second must be one of a few words, as labels are.
    """
    places: dict[str, list[int]] = {}
    for place, cue in enumerate(cues):
        places.setdefault(cue, []).append(place)
    others = lined.starts[~among(lined.starts, lines)]
    apart = among(lines, lined.starts[lined.boundaries.after_blank])
    breaks = np.append(union(others, lined.context_starts), len(lined.text))
    found: list[tuple[int, int]] = []
    claimed = set[str]()
    for cue, heads in places.items():
        if cue in claimed or len(heads) < _LEAST_BLOCKS or heads[1] - heads[0] not in range(2, _MOST_CUES + 1):
            continue
        names = cues[heads[0] : heads[1]]
        size = len(names)
        if any(after - head != size or cues[head:after] != names for head, after in pairwise(heads)):
            continue
        if cues[heads[-1] : heads[-1] + size] != names:
            heads = heads[:-1]
        begins, lasts = lines[heads], lines[np.array(heads) + size - 1]
        inner, following = (breaks.searchsorted(edges, side="right") for edges in (begins, lasts))
        ends = np.minimum(breaks[following], np.append(begins[1:], len(lined.text)))
        run_on = (inner == following).all() and (ends[:-1] == begins[1:]).all()
        within = np.add.outer(heads, np.arange(1, size))
        run_on &= apart[heads[1:]].all() or not apart[within].any()  # else blank lines part others than these
        if run_on and (size > 2 or _few(lined, lasts, ends)):
            claimed.update(names)
            found += zip(begins.tolist(), ends.tolist(), strict=True)
    return found


def _few(lined: LinedText, begins: Positions, ends: Positions) -> bool:
    """Whether some lines, but the last if it says nothing, have half as many texts as they are at most."""
    said = [lined.text[begin:end].strip().lower() for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    said = said[: -1 if said[-1][-1] in _OPEN else None]
    return 2 * len(set(said)) <= len(said)
