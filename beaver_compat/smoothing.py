"""Sentence smoothing: the ends of a kept stretch are moved outward to whole sentences, lines or at least words.

It reads characters only.  Sentence ends are the candidates of `boundaries` that pysbd confirms on a short window around
them; a candidate's verdict depends on its own window alone, so what is kept for a larger budget holds what is kept for
a smaller one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from copy import copy

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.leads import Leads
from beaver_compat.structure.openings import TAG
from beaver_compat.structure.sections import setting_starts
from beaver_compat.text.cutting import LONGEST_WORD, move_out
from beaver_compat.text.lined_text import LinedText
from beaver_compat.text.sentences import ends_between

_BEFORE, _AFTER = 200, 60  # characters of the window that pysbd reads before and after a candidate
_REACH = 480  # characters: the farthest that an end is moved to meet a sentence end
_MOST_ASKED = 6  # candidates that pysbd may refuse before an end is moved to a line's or a word's end instead
_BLANK = re.compile(r"[^\S ]")  # all white space but the space
_WRITTEN = re.compile(r"\\{1,2}[nrt]")  # the same, written out in strings


class Smoother:
    """Moves the ends of kept stretches outward.  Bound to one text; remembers pysbd's verdicts.

    Args:
        lined: the text.
        leads: the lines that others need; None where there are none.
        language: of pysbd's rules; None chooses by the script of each window.
        sentences: False moves ends to whole words only (the paper's "w/o Sentence Smooth").
        labels: whether a stretch needs what names its part.
    """

    def __init__(
        self,
        lined: LinedText,
        leads: Leads | None = None,
        language: str | None = None,
        sentences: bool = True,
        labels: bool = True,
    ) -> None:
        self._text, self._boundaries = lined.text, lined.boundaries
        self._characters = lined.characters
        self._context_starts, self._context_ends = lined.context_starts.tolist(), lined.context_ends.tolist()
        self._leads = leads
        self._language = language
        self._sentences = sentences
        self._labels = labels
        self._starts: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._verdicts = dict.fromkeys(lined.boundaries.onward.tolist(), True)

    def with_leads(self, leads: Leads) -> Smoother:
        """One that remembers the same verdicts, where other lines are needed."""
        other = copy(self)
        other._leads = leads
        return other

    def start(self, position: int) -> int:
        """The last place at or before ``position`` where a kept stretch may begin."""
        known = self._starts.get(position)
        if known is None:
            known = self._starts[position] = self._find_start(position)
        return known

    def end(self, position: int) -> int:
        """The first place at or after ``position`` where a kept stretch may end."""
        known = self._ends.get(position)
        if known is None:
            known = self._ends[position] = self._find_end(position)
        return known

    def word(self, position: int) -> int:
        """The last place at or before ``position`` that splits no word and no record."""
        if self._sentences and self._is_record(position):
            return self._line(position, self._context_start(position))
        return max(move_out(self._characters, position, -1), self._context_start(position))

    def sentences(self, start: int, end: int, divided: bool) -> list[int]:
        """Where the sentences of a stretch begin, and its ``end``; of ``divided`` JSON lines their members, too.

        Of a section of settings these begin with each setting but the first, which has the name.
        """
        if self._sentences and self._is_record(start):
            line = self._text[start:end]
            if self._labels and line[0] == "[" and "\n" in line:
                return [start, *(start + place for place in setting_starts(line)), end]
            members = _between(self._boundaries.inner, start, end) if divided else []
            if not members:
                return [start, end]
            sentences = filter(self._confirmed, _between(self._boundaries.sentences, start, end))
            return [start, *sorted({*members, *sentences}), end]
        inner = _between(self._boundaries.sentences, start, end) if self._sentences else []
        return [start, *filter(self._confirmed, inner), end]

    def leads(self, runs: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
        """What some stretches need: start and end of each lead, and the first stretch that needs it."""
        leads = self._leads
        found: list[tuple[int, int, int]] = []
        if leads is None:
            return found
        starts, ends = np.array(runs, dtype=np.int64).reshape(-1, 2).T
        if leads.needing.lines.size:
            found += zip(*(column.tolist() for column in leads.of(starts, ends)), strict=True)
        if self._labels and leads.labelled:
            found += leads.labels_of(starts, ends)
        return [(self.start(start), end, stretch) for start, end, stretch in found]

    def tells(self, position: int) -> bool:
        """Whether the line at a position says something without what it needs behind it."""
        leads = self._leads
        return leads is not None and bool(leads.told[leads.starts.searchsorted(position, side="right") - 1])

    def says(self, start: int, end: int) -> bool:
        """Whether a stretch says something: it has words besides tags, and is no later line of a statement."""
        leads = self._leads
        if leads is not None and leads.going_on[leads.starts.searchsorted(start, side="right") - 1]:
            return False
        return any(map(str.isalnum, self._text[start:end])) and not TAG.fullmatch(self._text, start, end)

    def _find_start(self, position: int) -> int:
        low = self._context_start(position)
        line = self._line(position, low)
        if position in (low, line):
            return position
        if self._sentences:
            if self._is_record(position):
                return line
            candidates = self._boundaries.sentences
            index = int(candidates.searchsorted(position, side="right"))
            for candidate in candidates[max(index - _MOST_ASKED, 0) : index][::-1].tolist():
                if candidate <= max(line, position - _REACH):
                    break
                if self._confirmed(candidate):
                    return candidate
            if position - line <= _REACH:
                return line
            mark = max(_last(places, position) for places in (candidates, self._boundaries.pauses))
            if mark > position - _REACH:
                return mark  # no sentence begins near, but some mark ends something
        return self.word(position)

    def _find_end(self, position: int) -> int:
        high = self._context_end(position)
        lines = self._boundaries.hard_lines
        index = int(lines.searchsorted(position))
        line_end = min(int(lines[index]) if index < lines.size else high, high)
        if position == line_end:
            return position
        if self._sentences:
            if self._is_record(position - 1):
                return line_end
            candidates = self._boundaries.sentences
            index = int(candidates.searchsorted(position))
            for candidate in candidates[index : index + _MOST_ASKED].tolist():
                if candidate >= min(line_end, position + _REACH):
                    break
                if self._confirmed(candidate):
                    return candidate
            if line_end - position <= _REACH:
                return line_end
            marks = [places[places.searchsorted(position) :][:1] for places in (candidates, self._boundaries.pauses)]
            mark = min(np.concatenate(marks).tolist(), default=high)
            if mark < min(high, position + _REACH):
                return mark
        return min(move_out(self._characters, position, 1), high)

    def _line(self, position: int, low: int) -> int:
        return max(_last(self._boundaries.hard_lines, position), low)

    def _is_record(self, position: int) -> bool:
        index = int(self._boundaries.hard_lines.searchsorted(position, side="right")) - 1
        return index >= 0 and bool(self._boundaries.records[index])

    def _context_start(self, position: int) -> int:
        return self._context_starts[max(bisect_right(self._context_starts, position) - 1, 0)]

    def _context_end(self, position: int) -> int:
        return self._context_ends[min(bisect_left(self._context_ends, position), len(self._context_ends) - 1)]

    def _confirmed(self, candidate: int) -> bool:
        """Whether pysbd, too, lets a sentence begin at ``candidate``."""
        verdict = self._verdicts.get(candidate)
        if verdict is None:
            verdict = self._verdicts[candidate] = self._ask(candidate)
        return verdict

    def _ask(self, candidate: int) -> bool:
        line = self._line(candidate - 1, self._context_start(candidate))
        begin = max(candidate - _BEFORE, line)
        word = self._text.rfind(" ", max(begin - LONGEST_WORD, line), begin) + 1
        left = self._text[word or begin : candidate]
        right = self._text[candidate : min(candidate + _AFTER, self._context_end(candidate))]
        if not left[-1:].isspace():
            left += " "  # sentences that were run together: pysbd wants white space between them
        # Hard wraps and all other line ends as spaces, because pysbd takes each for the end of a sentence.
        left, right = (_WRITTEN.sub(" ", text) if self._boundaries.strings.size else text for text in (left, right))
        return ends_between(_BLANK.sub(" ", left), _BLANK.sub(" ", right), self._language)


def _between(places: NDArray[np.int64], start: int, end: int) -> list[int]:
    """Those of ascending places that are inside a stretch."""
    low, high = places.searchsorted([start + 1, end]).tolist()
    inside: list[int] = places[low:high].tolist()
    return inside


def _last(places: NDArray[np.int64], position: int) -> int:
    """The last of ascending places at or before a position, -1 if there is none."""
    index = int(places.searchsorted(position, side="right")) - 1
    return int(places[index]) if index >= 0 else -1
