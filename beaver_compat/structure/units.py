"""What of a text is one unit though it has several lines or sentences.

That is few-shot examples (`examples`), questions with their options (`choices`), short fenced blocks (`fences`),
environments of LaTeX (`environments`), items of lists (`items`) and sections of settings (`sections`), headers of code
(`code_headers`), code with comments that go on below it (`hanging_comments`), statements and entries of several lines
(`continued`), lines of code that read like sentences or
are long (`statements`), rows in columns (`columns`), terms in HTML (`terms`), short entries of a log (`logs`), short
cues of subtitles (`cues`) and lines of a transcript (`turns`).
Everything here reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.choices import short_choices
from beaver_compat.structure.clauses import clause_titles
from beaver_compat.structure.code_headers import find_headers
from beaver_compat.structure.columns import aligned_rows
from beaver_compat.structure.continued import continued_lines, gettext_entries
from beaver_compat.structure.cues import cue_texts, subtitle_cues, time_lines
from beaver_compat.structure.diffs import with_diff_lines
from beaver_compat.structure.environments import short_environments
from beaver_compat.structure.examples import short_examples
from beaver_compat.structure.fences import short_fences
from beaver_compat.structure.hanging_comments import hanging_comments
from beaver_compat.structure.items import short_items
from beaver_compat.structure.line_labels import ruled_lines, stamped_lines
from beaver_compat.structure.logs import log_entries
from beaver_compat.structure.roles import with_roles
from beaver_compat.structure.sections import settings_sections
from beaver_compat.structure.statements import find_statements
from beaver_compat.structure.tables import html_rows
from beaver_compat.structure.terms import html_terms
from beaver_compat.structure.turns import with_turns
from beaver_compat.text.ascending import among
from beaver_compat.text.characters import holds
from beaver_compat.text.lined_text import LinedText
from beaver_compat.text.speech import with_speech

Positions = NDArray[np.int64]

_LONGEST_FENCED = 160  # characters, about half a page: of a longer block or section of settings lines may be kept
_KEY = re.compile(r'"(?:[^"\\]|\\.){1,60}":\s+(?=")')
_LONGEST_ENTRY = 320  # characters; of a longer one lines may be kept


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
    lined = with_roles(with_turns(lined))
    if lined.starts.size < 2:
        return with_speech(lined)
    lined = _with_keys(_with_line_labels(lined))
    lined = _merged(lined, *hanging_comments(lined))
    lined = _merged(lined, *continued_lines(lined))
    lined = _merged(lined, *gettext_entries(lined))
    lined = _merged(lined, *find_headers(lined))
    lined = _with_cues(lined)
    lined = _with_entries(lined)
    lined = _with_clauses(lined)
    lined = _merged(lined, *short_examples(lined, implicit_query))
    lined = _merged(lined, *short_choices(lined, implicit_query))
    lined = _merged(lined, *short_fences(lined, _LONGEST_FENCED))
    lined = _merged(lined, *html_rows(lined))
    lined = _merged(lined, *html_terms(lined))
    if "\\" in lined.text or holds(lined.text, "$$"):
        lined = _merged(lined, *short_environments(lined))
    lined = _merged(lined, *short_items(lined))
    lined = _with_settings(lined)
    records = find_statements(lined) | aligned_rows(lined)
    if records.any():
        boundaries = lined.boundaries
        lined = lined.with_boundaries(replace(boundaries, records=boundaries.records | records))
    return with_speech(with_diff_lines(lined))


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


def _with_keys(lined: LinedText) -> LinedText:
    """The text with the keys of JSON before long strings as their labels."""
    boundaries, first, ends = lined.boundaries, lined.first, lined.ends
    likely = (lined.points[first] == ord('"')) & ~boundaries.records & (ends - first > _LONGEST_FENCED)
    found = {
        line: match.end()
        for line in np.flatnonzero(likely).tolist()
        if (match := _KEY.match(lined.text, first[line], ends[line]))
    }
    if not found:
        return lined
    labels = boundaries.labels.copy()
    labels[list(found)] = list(found.values())
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
