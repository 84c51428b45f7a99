"""What of a text is one unit though it has several lines or sentences.

That is few-shot examples, short fenced blocks, environments of LaTeX (`environments`), items of lists (`items`) and
sections of settings (`sections`), headers of code (`code_headers`), lines of code that read like sentences or are long
(`statements`), short entries of a log (`logs`), short cues of subtitles (`cues`) and lines of a transcript.
Everything here reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.code_headers import find_headers
from beaver_compat.structure.cues import subtitle_cues
from beaver_compat.structure.environments import short_environments
from beaver_compat.structure.headings import clause_titles
from beaver_compat.structure.items import short_items
from beaver_compat.structure.logs import log_entries
from beaver_compat.structure.sections import settings_sections
from beaver_compat.structure.statements import find_statements
from beaver_compat.text.ascending import among
from beaver_compat.text.boundaries import LONGEST_RECORD, Boundaries
from beaver_compat.text.characters import holds, is_any, marks_of

Positions = NDArray[np.int64]

_CUE_REACH = 24  # characters in which an example's cue ends
_SPEAKER_REACH = 72  # characters in which the speaker's name ends, a time before it
_LONGEST_FENCED = 160  # characters, about half a page: of a longer block or section of settings lines may be kept
_LONGEST_ENTRY = 320  # characters; of a longer one lines may be kept
_LONGEST_TURN = 320  # characters, about a page: of a longer one later sentences may be kept alone

FENCES = "`~"
_LONGEST_FENCE = 200  # characters of the line
_UNDERLINE_OFF = 3  # characters by which a title's underline may be longer or shorter
_FENCE = re.compile(r"(`{3,}(?!.*`)|~{3,})(.*)")
_CUE = re.compile(
    r"(?:#+ *|\*\*)?(question|query|q|input|problem|example|exercise|task|premise|sentence|review)[ #.]*\d*\**:", re.I
)
_CUE_INITIALS = "#*QIPETSRqipetsr"
_TIME = (
    r"[\[(]?(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}[T,]? ?)?"
    r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,6})?Z?(?: ?[AaPp]\.?[Mm]\.?)?[\])]?"
)
_NAME = r"[^\W_][^:\uff1a<>\[\](){}\"=/\\|\n]{0,30}"
_TURN = re.compile(
    rf"(?P<time>{_TIME} *(?:[-\u2013\u2014|] *)?)?(?:<[^<>\n]{{1,30}}>(?=\s)"
    rf"|(?:\*\*)?(?P<name>{_NAME})(?P<later>{_TIME})?(?:\*\*)?(?:\uff1a|:(?:\*\*)?(?=\s)))[ \t]{{0,2}}"
)


def with_units(
    text: str,
    points: NDArray[np.uint32],
    boundaries: Boundaries,
    context_starts: Positions,
    implicit_query: bool = False,
) -> Boundaries:
    """The boundaries with few-shot examples, short fenced blocks, environments, items of lists and sections of
    settings, headers of code, its lines that read like sentences or are long, short cues of subtitles and short
    entries of a log as one record each.

    Each line of a transcript is one sentence; the title that a clause begins with is one with the sentence behind it.

    Args:
        text: all contexts, joined.
        points: its code points, uint32 [n].
        boundaries: its boundaries.
        context_starts: where each context begins, int64 [C].
        implicit_query: True where the last block is what is asked, so that it is no example.
    """
    if boundaries.hard_lines.size < 2:
        return boundaries
    boundaries = _with_turns(text, points, boundaries)
    boundaries = _merged(boundaries, *find_headers(text, points, boundaries))
    boundaries = _with_cues(text, points, boundaries)
    boundaries = _with_entries(text, points, boundaries, context_starts)
    boundaries = _with_clauses(text, points, boundaries)
    boundaries = _with_examples(text, points, boundaries, implicit_query)
    boundaries = _with_fences(text, points, boundaries, context_starts)
    boundaries = _with_environments(text, points, boundaries, context_starts)
    boundaries = _with_items(points, boundaries, context_starts)
    boundaries = _with_settings(text, points, boundaries, context_starts)
    return replace(boundaries, records=boundaries.records | find_statements(text, points, boundaries))


def fence_pairs(text: str, points: NDArray[np.uint32], boundaries: Boundaries, contexts: Positions) -> Positions:
    """The hard lines that open and close each fenced block that is no record: int64 [k, 2].

    Args:
        text: all contexts, joined.
        points: its code points, uint32 [n].
        boundaries: its boundaries.
        contexts: index of each hard line's context, int64 [N].
    """
    first, ends = boundaries.visible
    third = np.minimum(first + 2, points.size - 1)
    likely = is_any(points[first], FENCES) & (points[first] == points[third]) & (ends - first <= _LONGEST_FENCE)
    found = np.flatnonzero(likely & ~boundaries.records)
    pairs: list[tuple[int, int]] = []
    opening, mark = -1, ""
    for line in found.tolist():
        fence = _FENCE.match(text, first[line], ends[line])
        if not fence:
            continue
        if opening < 0 or contexts[line] != contexts[opening]:
            if len(fence[1]) > len("~~~") and not fence[2].strip() and line and not boundaries.after_blank[line]:
                above = int(ends[line - 1] - first[line - 1])
                if abs(len(fence[1]) - above) <= _UNDERLINE_OFF:
                    continue  # a title's underline
            opening, mark = line, fence[1]
        elif fence[1].startswith(mark) and not fence[2].strip():
            pairs.append((opening, line))
            opening = -1
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _with_fences(
    text: str, points: NDArray[np.uint32], boundaries: Boundaries, context_starts: Positions
) -> Boundaries:
    """The boundaries with each short fenced block as one record."""
    lines = boundaries.hard_lines
    first, ends = boundaries.visible
    if not is_any(points[first], FENCES).any():
        return boundaries
    contexts = _contexts(boundaries, context_starts)
    openings, closings = fence_pairs(text, points, boundaries, contexts).T
    short = ends[closings] - lines[openings] <= _LONGEST_FENCED
    return _merged(boundaries, openings[short], closings[short] + 1)


def _with_cues(text: str, points: NDArray[np.uint32], boundaries: Boundaries) -> Boundaries:
    """The boundaries with each short cue of subtitles as one record."""
    begins, ends = subtitle_cues(text, points, boundaries)
    if not begins.size:
        return boundaries
    first, text_ends = boundaries.visible
    short = (text_ends[ends - 1] - first[begins] <= _LONGEST_ENTRY) & (ends - begins > 1)
    return _merged(boundaries, begins[short], ends[short])


def _with_entries(
    text: str, points: NDArray[np.uint32], boundaries: Boundaries, context_starts: Positions
) -> Boundaries:
    """The boundaries with each short entry of a log as one record."""
    lines, contexts = boundaries.hard_lines, _contexts(boundaries, context_starts)
    begins, ends = log_entries(text, points, boundaries, contexts)
    if not begins.size:
        return boundaries
    short = np.append(lines, len(text))[ends] - lines[begins] <= _LONGEST_ENTRY
    return _merged(boundaries, begins[short], ends[short])


def _with_environments(
    text: str, points: NDArray[np.uint32], boundaries: Boundaries, context_starts: Positions
) -> Boundaries:
    """The boundaries with each short environment of LaTeX as one record."""
    if "\\" not in text and not holds(text, "$$"):
        return boundaries
    contexts = _contexts(boundaries, context_starts)
    return _merged(boundaries, *short_environments(text, points, boundaries, contexts))


def _with_items(points: NDArray[np.uint32], boundaries: Boundaries, context_starts: Positions) -> Boundaries:
    """The boundaries with each short item of a list as one record."""
    contexts = _contexts(boundaries, context_starts)
    return _merged(boundaries, *short_items(points, boundaries, contexts))


def _with_settings(
    text: str, points: NDArray[np.uint32], boundaries: Boundaries, context_starts: Positions
) -> Boundaries:
    """The boundaries with each short section of an INI or TOML file as one record."""
    lines, contexts = boundaries.hard_lines, _contexts(boundaries, context_starts)
    sections = settings_sections(text, points, boundaries, contexts)
    if not sections:
        return boundaries
    names, limits = np.array(sections, dtype=np.int64).T
    _, ends = boundaries.visible
    short = ends[limits - 1] - lines[names] <= _LONGEST_FENCED
    return _merged(boundaries, names[short], limits[short])


def _with_turns(text: str, points: NDArray[np.uint32], boundaries: Boundaries) -> Boundaries:
    """The boundaries without sentence ends in the lines of a transcript: what is said needs who says it.

    A speaker is known by a time beside the name, by speaking again, or by a known speaker on the next line or the last.
    """
    lines = boundaries.hard_lines
    signs = "".join(sign for sign in ":>\uff1a" if sign in text)
    if not signs:
        return boundaries
    first, ends = boundaries.visible
    marks = np.append(marks_of(points, signs), len(text))
    near = marks[marks.searchsorted(first)] < np.minimum(first + _SPEAKER_REACH, ends)
    if near.sum() < 2:
        return boundaries
    speakers: dict[int, str] = {}
    labels = lines.copy()
    for line in np.flatnonzero(near).tolist():
        match = _TURN.match(text, first[line], ends[line])
        if match:
            stamped = match["time"] or match["later"] or not match["name"]
            labels[line] = match.end()
            speakers[line] = "" if stamped else match["name"].strip().lower()
    often = Counter(speakers.values())
    known = np.zeros(lines.size + 2, dtype=bool)  # a line on either side
    known[[1 + line for line, speaker in speakers.items() if often[speaker] > 1]] = True
    known = known[1:-1] | known[:-2] | known[2:]
    turns = np.where(known, labels, lines) > lines
    if not turns.any():
        return boundaries
    holders = lines.searchsorted(boundaries.sentences, side="right") - 1
    torn = (turns & (ends - lines <= _LONGEST_TURN))[holders]
    return replace(boundaries, sentences=boundaries.sentences[~torn], labels=np.where(turns, labels, lines))


def _with_clauses(text: str, points: NDArray[np.uint32], boundaries: Boundaries) -> Boundaries:
    """The boundaries without the sentence end behind the title that a numbered clause begins with."""
    lines = boundaries.hard_lines
    clauses, bodies = clause_titles(text, points, *boundaries.visible)
    if not clauses.size:
        return boundaries
    labels = boundaries.labels.copy()
    labels[clauses] = bodies
    holders = lines.searchsorted(boundaries.sentences, side="right") - 1
    torn = among(holders, clauses) & (boundaries.sentences <= labels[holders])
    return replace(boundaries, sentences=boundaries.sentences[~torn], labels=labels)


def _with_examples(
    text: str, points: NDArray[np.uint32], boundaries: Boundaries, implicit_query: bool = False
) -> Boundaries:
    """The boundaries with each few-shot example as one record.

    Examples are blocks between blank lines that begin with the same cue (``Question:``, ``Input 3:``); one alone is
    none, nor is one longer than a record may be.
    """
    lines = boundaries.hard_lines
    limits = np.append(np.flatnonzero(boundaries.after_blank), lines.size)
    edges = np.append(lines, len(text))[limits]
    begins = edges[:-1]
    if begins.size < 2:
        return boundaries
    likely = np.flatnonzero(is_any(points[begins], _CUE_INITIALS))
    reach = np.minimum(begins[likely, None] + np.arange(_CUE_REACH), points.size - 1)
    likely = likely[(points[reach] == ord(":")).any(1)]
    if likely.size < 2:
        return boundaries
    found = {block: match[1].lower() for block in likely.tolist() if (match := _CUE.match(text, begins[block]))}
    often = Counter(found.values())
    blocks = np.array([block for block, cue in found.items() if often[cue] > 1], dtype=np.int64)
    if implicit_query:
        blocks = blocks[blocks < begins.size - 1]
    size, length = limits[blocks + 1] - limits[blocks], edges[blocks + 1] - begins[blocks]
    blocks = blocks[(size > 1) & (length <= LONGEST_RECORD)]
    return _merged(boundaries, limits[blocks], limits[blocks + 1])


def _contexts(boundaries: Boundaries, context_starts: Positions) -> Positions:
    """Index of each hard line's context."""
    return context_starts.searchsorted(boundaries.hard_lines, side="right") - 1


def _merged(boundaries: Boundaries, begins: Positions, ends: Positions) -> Boundaries:
    """The boundaries with some ranges of two or more hard lines as one record each."""
    if not begins.size:
        return boundaries
    merged = np.zeros(boundaries.hard_lines.size + 1, dtype=np.int64)
    merged[begins + 1] = 1
    merged[ends] -= 1
    kept = np.cumsum(merged[:-1]) == 0
    records = boundaries.records.copy()
    records[begins] = True
    return replace(
        boundaries,
        hard_lines=boundaries.hard_lines[kept],
        labels=boundaries.labels[kept],
        records=records[kept],
        tables=boundaries.tables[kept],
        terminated=boundaries.terminated[kept],
        after_blank=boundaries.after_blank[kept],
    )
