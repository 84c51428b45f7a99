"""The lines that other lines can't be read without, once they are known (`lead_finder` finds them).

It knows lines by their place only, not what they say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, distinct

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
        behind: the line that each line needs if it is kept for itself up to its end, -1 for none, int64 [n].
        bodies: for each line that says nothing without what follows (headings, a table's header, the fence that opens
            a block) the line where that begins, -1 for none, int64 [n].
        told: True for each line that says something without the line behind it that it needs, bool [n].
        going_on: True for each line that goes on with the statement of the line that it needs, bool [n].
        bare: True for each line that says nothing alone: fences, a table's header and the row under it, bool [n].
        label_ends: where the label ends that each line begins with (a speaker's name, ``Document 3:``), the line's
            beginning if it has none, int64 [n].
        parts: the line with the label of the part that each line stands in, or the signature of the function or class,
            -1 for none, int64 [n].
        around: the same, but past titles over a title that stands nowhere else, which is enough, int64 [n].
        items: for each line below the first of an item of a list, a key, a table's header or the like the innermost
            such, -1 for none, int64 [n].
        signatures: True for each line that names the code below it, bool [n].
        times: the line that tells when each is said, -1 for none, int64 [n].  It is needed only `with_times`.
    """

    starts: Positions
    ends: Positions
    lead_starts: Positions
    text_ends: Positions
    needed: Positions
    behind: Positions
    bodies: Positions
    told: NDArray[np.bool_]
    going_on: NDArray[np.bool_]
    bare: NDArray[np.bool_]
    label_ends: Positions
    parts: Positions
    around: Positions
    items: Positions
    signatures: NDArray[np.bool_]
    times: Positions

    def of(self, starts: Positions, ends: Positions) -> tuple[Positions, Positions, Positions]:
        """What some stretches need, and what that needs in turn.

        Args:
            starts, ends: characters of the stretches, int64 [m].

        Returns:
            Starts and ends of what is needed, and the index of the first stretch that needs each, int64 [k].
        """
        needing, line_starts, text_ends = self.needing
        low = text_ends.searchsorted(starts, side="right")
        counts = np.maximum(line_starts.searchsorted(ends) - low, 0)
        holders = np.arange(starts.size).repeat(counts)  # the stretch that holds a part of each line
        within = np.arange(holders.size) - (counts.cumsum() - counts)[holders]
        lines = needing[low[holders] + within]
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

    def labels_of(self, starts: Positions, ends: Positions) -> list[tuple[int, int, int]]:
        """The labels of the lines that some stretches begin in, and of the parts that those stand in.

        What else of a part a stretch holds has its label in the stretch, or the label that its first line has.

        Args:
            starts, ends: characters of the stretches, int64 [m].

        Returns:
            Start and end of each label, and the index of the first stretch that needs it.
        """
        needs: dict[int, int] = {}
        lines = self.text_ends.searchsorted(starts, side="right").clip(max=self.starts.size - 1)
        said = ends > self.starts[lines]  # others are blank
        for stretch, line in zip(np.flatnonzero(said).tolist(), lines[said].tolist(), strict=True):
            if self.label_ends[line] > self.starts[line]:
                needs.setdefault(line, stretch)
            around = int(self.around[line])
            while around >= 0 and around not in needs:
                needs[around] = stretch
                around = int(self.around[around])
        return [(int(self.starts[line]), int(self.label_ends[line]), stretch) for line, stretch in needs.items()]

    def heads_of(self, starts: Positions) -> Positions:
        """The sentence that names the part that each sentence stands in, -1 for none, int64 [S].

        Args:
            starts: of the sentences of the text, ascending, int64 [S].
        """
        line = self.starts.searchsorted(starts, side="right") - 1
        own = (starts >= self.label_ends[line]) & (self.label_ends[line] > self.starts[line])
        named = np.where(own, line, self.parts[line])
        label = starts.searchsorted(np.maximum(self.label_ends[named] - 1, self.starts[named]), side="right") - 1
        order = np.arange(starts.size)
        label = np.where(label < order, label, starts.searchsorted(self.starts[named], side="right") - 1)
        return np.where((named >= 0) & (label < order), label, -1)

    def naming(self, starts: Positions, ends: Positions) -> NDArray[np.bool_]:
        """True for each of some sentences that begins with the name of its part and says more, bool [S].

        Args:
            starts, ends: characters of the sentences, int64 [S].
        """
        line = self.starts.searchsorted(starts, side="right") - 1
        says_more = self.label_ends[line] < np.minimum(ends, self.text_ends[line])
        return self.signatures[line] | ((starts < self.label_ends[line]) & says_more)

    def in_labels(self, places: Positions) -> NDArray[np.bool_]:
        """True for each character up to which a line is but its label, and says more behind it, bool [k]."""
        line = self.starts.searchsorted(places) - 1
        labels = self.label_ends[line]
        return (self.starts[line] < labels) & (labels < self.text_ends[line]) & (places <= labels + 1)

    def unsaid(self, places: Positions) -> NDArray[np.bool_]:
        """True for each character with nothing but a heading or a label before it in its line, bool [k]."""
        return self.in_labels(places) | (self.bodies[self.starts.searchsorted(places) - 1] >= 0)

    def in_items(self, starts: Positions) -> NDArray[np.bool_]:
        """True for each of some characters below what heads an item: the same words mean something else."""
        return self.items[self.starts.searchsorted(starts, side="right") - 1] >= 0

    def apart(self, start: int, end: int, roles: Positions) -> Leads:
        """The same, but no line between two characters needs one outside, or the other way round.

        But for the lines ``roles``, ascending, which name all below them.
        """
        inside = np.append((self.starts >= start) & (self.starts < end), False)

        def cut(lines: Positions) -> Positions:
            own = inside[:-1].reshape(-1, *(1 for _ in lines.shape[1:]))
            return np.where((inside[lines] == own) | among(lines, roles), lines, -1)

        return replace(
            self,
            needed=cut(self.needed),
            behind=cut(self.behind),
            bodies=cut(self.bodies),
            parts=cut(self.parts),
            around=cut(self.around),
            items=cut(self.items),
        )

    def with_times(self) -> Leads:
        """The same, but each line needs that which tells when it is said."""
        timed = self.times[:, None] >= 0
        needed = np.where(timed, np.stack([self.times, self.needed[:, 0]], axis=1), self.needed)
        return replace(self, needed=needed)

    @cached_property
    def needing(self) -> Chosen:
        """The lines that need others."""
        lines = np.flatnonzero((self.needed[:, 0] >= 0) | (self.behind >= 0))
        return Chosen(lines, self.starts[lines], self.text_ends[lines])

    @cached_property
    def named(self) -> bool:
        """Whether any line stands in a part that has a name."""
        return self.labelled or bool((self.parts >= 0).any())

    @cached_property
    def labelled(self) -> bool:
        """Whether any line has a label."""
        return bool((self.label_ends > self.starts).any())
