"""The lines that other lines can't be read without, once they are known (`structure` finds them).

It knows lines by their place only, not what they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.ascending import distinct

Positions = NDArray[np.int64]


class Chosen(NamedTuple):
    """Some hard lines: their index, where they begin, and the character after what is visible of them, int64 [k]."""

    lines: Positions
    starts: Positions
    text_ends: Positions


@dataclass(frozen=True)
class Leads:
    """The lines that other lines need.

    Attributes:
        starts, ends: characters of each hard line with the blank lines behind it, int64 [n].
        lead_starts: where what others need of it begins: with its last sentence, if it is a long one, int64 [n].
        text_ends: the character after what is visible of it, int64 [n].
        needed: the lines that each line needs, -1 for none, int64 [n, 2].
        headings: the heading of the short section that each line stands in, -1 for none, int64 [n].
        behind: the line that each line needs if it is kept for itself up to its end, -1 for none, int64 [n].
        bodies: for each line that says nothing without what follows (headings, a table's header, the fence that opens
            a block) the line where that begins, -1 for none, int64 [n].
        bare: True for each line that says nothing alone: fences, a table's header and the row under it, bool [n].
    """

    starts: Positions
    ends: Positions
    lead_starts: Positions
    text_ends: Positions
    needed: Positions
    headings: Positions
    behind: Positions
    bodies: Positions
    bare: NDArray[np.bool_]

    def of(self, starts: Positions, ends: Positions) -> tuple[Positions, Positions, Positions]:
        """What some stretches need, and what that needs in turn.

        Args:
            starts, ends: characters of the stretches, int64 [m].

        Returns:
            Starts and ends of what is needed, and the index of the first stretch that needs each, int64 [k].
        """
        lines, holders = self._held(self.needing, starts, ends)
        if not lines.size:
            return lines, lines, lines
        first = np.full(self.starts.size, starts.size)  # the first stretch that holds each line
        needs = first.copy()  # and that needs it
        np.minimum.at(first, lines, holders)
        following = self.behind[lines]
        opening = (following >= 0) & (self.text_ends[lines] <= ends[holders])
        if opening.any():
            following, holders = following[opening], holders[opening]
            np.minimum.at(needs, following, holders)
            np.minimum.at(first, following, holders)
            lines = np.concatenate([lines, following])
        while lines.size:
            lead, stretch = self.needed[lines].ravel(), first[lines].repeat(2)
            held = lead >= 0
            lead, stretch = lead[held], stretch[held]
            before = needs[lead]
            np.minimum.at(needs, lead, stretch)
            lines = lead[needs[lead] < before]
            lines.sort()
            lines = distinct(lines)
            first[lines] = np.minimum(first[lines], needs[lines])
        found = np.flatnonzero(needs < starts.size)
        return self.lead_starts[found], self.ends[found], needs[found]

    def headings_of(self, starts: Positions, ends: Positions) -> tuple[Positions, Positions, Positions]:
        """The headings of the short sections that some stretches stand in; as `of`."""
        lines, holders = self._held(self.headed, starts, ends)
        if not lines.size:
            return lines, lines, lines
        first = np.full(self.starts.size, starts.size)
        np.minimum.at(first, self.headings[lines], holders)
        found = np.flatnonzero(first < starts.size)
        return self.lead_starts[found], self.ends[found], first[found]

    @cached_property
    def needing(self) -> Chosen:
        """The lines that need others."""
        return self._chosen((self.needed[:, 0] >= 0) | (self.behind >= 0))

    @cached_property
    def headed(self) -> Chosen:
        """The lines that have a heading."""
        return self._chosen(self.headings >= 0)

    def _chosen(self, asked: NDArray[np.bool_]) -> Chosen:
        lines = np.flatnonzero(asked)
        return Chosen(lines, self.starts[lines], self.text_ends[lines])

    @staticmethod
    def _held(chosen: Chosen, starts: Positions, ends: Positions) -> tuple[Positions, Positions]:
        """Those of some lines that some stretches hold a part of, and the index of the stretch."""
        low = chosen.text_ends.searchsorted(starts, side="right")
        counts = np.maximum(chosen.starts.searchsorted(ends) - low, 0)
        holders = np.arange(starts.size).repeat(counts)
        within = np.arange(holders.size) - (counts.cumsum() - counts)[holders]
        return chosen.lines[low[holders] + within], holders
