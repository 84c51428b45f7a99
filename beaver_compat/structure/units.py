"""What of a text is one unit though it has several lines or sentences.

That is few-shot examples (`examples`), questions with their options (`choices`), short fenced blocks, environments of
LaTeX (`environments`), items of lists (`items`) and sections of settings (`sections`), headers of code
(`code_headers`), lines of code that read like sentences or are long (`statements`), rows in columns (`columns`), short
entries of a log (`logs`), short cues of subtitles (`cues`) and lines of a transcript.
Everything here reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.choices import short_choices
from beaver_compat.structure.clauses import clause_titles
from beaver_compat.structure.code_headers import find_headers
from beaver_compat.structure.columns import aligned_rows
from beaver_compat.structure.cues import cue_texts, subtitle_cues, time_lines
from beaver_compat.structure.diffs import with_diff_lines
from beaver_compat.structure.environments import short_environments
from beaver_compat.structure.examples import short_examples
from beaver_compat.structure.items import short_items
from beaver_compat.structure.line_labels import VALUE, ruled_lines, stamped_lines
from beaver_compat.structure.logs import log_entries
from beaver_compat.structure.roles import with_roles
from beaver_compat.structure.sections import settings_sections
from beaver_compat.structure.statements import find_statements
from beaver_compat.structure.tables import html_rows
from beaver_compat.text.ascending import among, any_between
from beaver_compat.text.characters import holds, is_any
from beaver_compat.text.lined_text import LinedText, once
from beaver_compat.text.speech import with_speech

Positions = NDArray[np.int64]

_SPEAKER_REACH = 72  # characters in which the speaker's name ends, a time before it
_LONGEST_FENCED = 160  # characters, about half a page: of a longer block or section of settings lines may be kept
_LONGEST_ENTRY = 320  # characters; of a longer one lines may be kept
_LONGEST_TURN = 160  # characters: of a longer one later sentences may be kept alone, with the speaker

FENCES = "`~"
_LONGEST_FENCE = 200  # characters of the line
_UNDERLINE_OFF = 3  # characters by which a title's underline may be longer or shorter
_FENCE = re.compile(r"(`{3,}(?!.*`)|~{3,})(.*)")
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


def with_units(lined: LinedText, implicit_query: bool = False) -> LinedText:
    """The text with few-shot examples, short fenced blocks, environments, items of lists and sections of
    settings, headers of code, its lines that read like sentences or are long, short cues of subtitles and short
    entries of a log as one record each.

    Each line of a transcript is one sentence; the title that a clause begins with is one with the sentence behind it.
    The lines of a diff are for themselves.

    Args:
        lined: the text.
        implicit_query: True where the last block is what is asked, so that it is no example.
    """
    if not lined.starts.size:
        return lined
    lined = with_roles(_with_turns(lined))
    if lined.starts.size < 2:
        return with_speech(lined)
    lined = _with_line_labels(lined)
    lined = _merged(lined, *find_headers(lined))
    lined = _with_cues(lined)
    lined = _with_entries(lined)
    lined = _with_clauses(lined)
    lined = _merged(lined, *short_examples(lined, implicit_query))
    lined = _merged(lined, *short_choices(lined, implicit_query))
    lined = _with_fences(lined)
    lined = _merged(lined, *html_rows(lined))
    if "\\" in lined.text or holds(lined.text, "$$"):
        lined = _merged(lined, *short_environments(lined))
    lined = _merged(lined, *short_items(lined))
    lined = _with_settings(lined)
    records = find_statements(lined) | aligned_rows(lined)
    if records.any():
        boundaries = lined.boundaries
        lined = lined.with_boundaries(replace(boundaries, records=boundaries.records | records))
    return with_speech(with_diff_lines(lined))


@once
def fence_pairs(lined: LinedText) -> Positions:
    """The hard lines that open and close each fenced block that is no record: int64 [k, 2].

    Args:
        lined: the text.
    """
    text, points, boundaries, contexts = lined.text, lined.points, lined.boundaries, lined.contexts
    first, ends = lined.first, lined.ends
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


def _with_fences(lined: LinedText) -> LinedText:
    """The text with each short fenced block as one record."""
    if not is_any(lined.points[lined.first], FENCES).any():
        return lined
    openings, closings = fence_pairs(lined).T
    short = lined.ends[closings] - lined.starts[openings] <= _LONGEST_FENCED
    return _merged(lined, openings[short], closings[short] + 1)


def _with_cues(lined: LinedText) -> LinedText:
    """The text with the number and times of each cue of subtitles as one line, and what is said as another.

    That has the speaker as its label.  Where several speak, it is a record unless it is long.  Lines of nothing but
    a time are known as the times of cues are.
    """
    begins, said, ends = subtitle_cues(lined)
    if not begins.size:
        alone = time_lines(lined)
        return lined.with_boundaries(replace(lined.boundaries, times=lined.starts[alone])) if alone.size else lined
    texts = cue_texts(lined, begins, ends)
    short = lined.ends[ends - 1] - lined.first[begins] <= _LONGEST_ENTRY
    one = (said < ends) & ((texts >= 0) | short)
    times, spoken, labels = lined.starts[begins], lined.starts[said[one]], texts[one]
    edges = np.concatenate([begins, said[one]]), np.concatenate([said, ends[one]])
    order = edges[0].argsort()
    lined = _merged(lined, edges[0][order], edges[1][order])
    boundaries, lines = lined.boundaries, lined.starts.searchsorted(spoken)
    found, records, terminated = boundaries.labels.copy(), boundaries.records.copy(), boundaries.terminated.copy()
    found[lines] = np.maximum(found[lines], labels)
    records[lines] = labels < 0
    terminated[lines] = True
    return lined.with_boundaries(replace(boundaries, labels=found, records=records, terminated=terminated, times=times))


def _with_entries(lined: LinedText) -> LinedText:
    """The text with each short entry of a log as one record."""
    begins, ends = log_entries(lined)
    short = lined.edges[ends] - lined.starts[begins] <= _LONGEST_ENTRY
    return _merged(lined, begins[short], ends[short])


def _with_settings(lined: LinedText) -> LinedText:
    """The text with each short section of an INI or TOML file as one record."""
    names, limits = np.array(settings_sections(lined), dtype=np.int64).reshape(-1, 2).T
    short = lined.ends[limits - 1] - lined.starts[names] <= _LONGEST_FENCED
    return _merged(lined, names[short], limits[short])


def _with_turns(lined: LinedText) -> LinedText:
    """The text without sentence ends in the lines of a transcript: what is said needs who says it.

    What stands behind a name and date in brackets is a note of several sentences, each of which has that label.
    A speaker is known by a time beside the name, by speaking again, or by a known speaker on the next line or the last.
    Of lines of several sentences that begin with other names each, the sentences have the name as their label, too.
    A name of which most lines go on with a number is a key, and no label: other text would seem to be its value.
    """
    text, boundaries, lines = lined.text, lined.boundaries, lined.starts
    signs = "".join(sign for sign in ":>\uff1a[" if sign in text)
    if not signs:
        return lined
    first, ends = lined.first, lined.ends
    near = any_between(lined.characters.marks(signs), first, np.minimum(first + _SPEAKER_REACH, ends))
    if near.sum() < 2:
        return lined
    speakers: dict[int, str] = {}
    valued: Counter[str] = Counter()
    labels, noted = lines.copy(), np.zeros(lines.size, dtype=bool)
    for line in np.flatnonzero(near).tolist():
        match = _TURN.match(text, first[line], ends[line])
        if match:
            stamped = match["time"] or match["later"] or not match["name"]
            labels[line], noted[line] = match.end(), bool(match["note"])
            speakers[line] = "" if stamped else match["name"].strip().lower()
            valued[speakers[line]] += bool(speakers[line] and VALUE.match(text, match.end(), ends[line]))
    often = Counter(speakers.values())
    keys = {speaker for speaker, count in valued.items() if 2 * count > often[speaker]}
    known = np.zeros(lines.size + 2, dtype=bool)  # a line on either side
    known[[1 + line for line, speaker in speakers.items() if often[speaker] > 1 and speaker not in keys]] = True
    known = known[1:-1] | known[:-2] | known[2:]
    named = _named_in_turn(lined, {line: int(labels[line]) for line, speaker in speakers.items() if speaker})
    named = named[~known[named]]
    known[named] = noted[named] = True
    known[[line for line, speaker in speakers.items() if speaker in keys]] = False
    turns = np.where(known, labels, lines) > lines
    if not turns.any():
        return lined
    holders = lines.searchsorted(boundaries.sentences, side="right") - 1
    torn = (turns & ~noted & (ends - lines <= _LONGEST_TURN))[holders]
    sentences, labels = boundaries.sentences[~torn], np.where(turns, labels, lines)
    return lined.with_boundaries(replace(boundaries, sentences=sentences, labels=labels))


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


def _with_line_labels(lined: LinedText) -> LinedText:
    """The text with the lines that name what is below them as labels where a short text below seems their rest."""
    boundaries = lined.boundaries
    found = {
        line: end for line, end in (stamped_lines(lined) | ruled_lines(lined)).items() if end < int(lined.ends[line])
    }
    if not found:
        return lined
    labels = boundaries.labels.copy()
    labels[list(found)] = boundaries.words[boundaries.words.searchsorted(list(found.values()))]
    return lined.with_boundaries(replace(boundaries, labels=labels))


def _with_clauses(lined: LinedText) -> LinedText:
    """The text without the sentence end behind the title that a numbered clause begins with."""
    clauses, bodies = clause_titles(lined)
    if not clauses.size:
        return lined
    boundaries = lined.boundaries
    labels = boundaries.labels.copy()
    labels[clauses] = bodies
    holders = lined.starts.searchsorted(boundaries.sentences, side="right") - 1
    torn = among(holders, clauses) & (boundaries.sentences <= labels[holders])
    return lined.with_boundaries(replace(boundaries, sentences=boundaries.sentences[~torn], labels=labels))


def _merged(lined: LinedText, begins: Positions, ends: Positions) -> LinedText:
    """The text with some ranges of two or more hard lines as one record each."""
    if not begins.size:
        return lined
    boundaries = lined.boundaries
    merged = np.zeros(boundaries.hard_lines.size + 1, dtype=np.int64)
    merged[begins + 1] = 1
    merged[ends] -= 1
    kept = np.cumsum(merged[:-1]) == 0
    records = boundaries.records.copy()
    records[begins] = True
    lines = replace(
        boundaries,
        hard_lines=boundaries.hard_lines[kept],
        labels=boundaries.labels[kept],
        records=records[kept],
        tables=boundaries.tables[kept],
        terminated=boundaries.terminated[kept],
        after_blank=boundaries.after_blank[kept],
    )
    return lined.with_boundaries(lines)
