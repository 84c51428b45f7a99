"""A text with all that its characters tell: code points, boundaries, contexts, and its hard lines as stretches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among
from beaver_compat.text.boundaries import Boundaries, find_boundaries
from beaver_compat.text.characters import Characters

Positions = NDArray[np.int64]

CONTEXT_SEPARATOR = "\n\n"
_INDENT = 2  # a level of compact data
_TAB = 8  # columns

Found = TypeVar("Found")


@dataclass(frozen=True)
class LinedText:
    """Contexts as one text, in hard lines.

    Attributes:
        text: the contexts, joined by blank lines.
        characters: of the text.
        boundaries: of the text; its hard lines are those of everything here.
        context_starts, context_ends: characters of each context, int64 [C].
    """

    text: str
    characters: Characters
    boundaries: Boundaries
    context_starts: Positions
    context_ends: Positions

    @property
    def points(self) -> NDArray[np.uint32]:
        """The code points, uint32 [n]."""
        return self.characters.points

    @property
    def classes(self) -> NDArray[np.uint16]:
        """Their class bits, uint16 [n]."""
        return self.characters.classes

    @property
    def starts(self) -> Positions:
        """Where each line begins, with its indentation, int64 [N]."""
        return self.boundaries.hard_lines

    @property
    def first(self) -> Positions:
        """The first character of each line that is not blank, int64 [N]."""
        return self.boundaries.visible[0]

    @property
    def ends(self) -> Positions:
        """The character behind the last of each line that is not blank, int64 [N]."""
        return self.boundaries.visible[1]

    @cached_property
    def indents(self) -> Positions:
        """Columns that each line is indented by, or would be if compact data were printed, int64 [N].

        A line in a string is indented by those of the line with the string, too.
        """
        indents, boundaries = self.first - self.starts, self.boundaries
        tabs = self.characters.marks("\t")
        if tabs.size:
            indents += (_TAB - 1) * (tabs.searchsorted(self.first) - tabs.searchsorted(self.starts))
        if boundaries.members.size:
            indents[among(self.starts, boundaries.members)] += (
                _INDENT * boundaries.depths[among(boundaries.members, self.starts)]
            )
        inside = np.flatnonzero(self._string_edges % 2)
        if inside.size:
            strings = boundaries.strings[self._string_edges[inside] - 1]
            indents[inside] += indents[self.starts.searchsorted(strings, side="right") - 1]
        return indents

    @cached_property
    def contexts(self) -> Positions:
        """Index of each line's context, int64 [N]."""
        return self.context_starts.searchsorted(self.starts, side="right") - 1

    @cached_property
    def regions(self) -> Positions:
        """Number of each line's context, or of the string that it stands in, int64 [N]."""
        edge = self._string_edges
        return np.where(edge % 2, self.context_starts.size + edge, self.contexts)

    @cached_property
    def limits(self) -> Positions:
        """The line behind the last of each line's region, int64 [N]."""
        edge, ends = self._string_edges, np.append(self.boundaries.strings, len(self.text))
        behind = self.contexts.searchsorted(self.contexts, side="right")
        return np.where(edge % 2, self.starts.searchsorted(ends[edge]), behind)

    @cached_property
    def _string_edges(self) -> Positions:
        """How many edges of strings stand before each line, which is inside one where that is odd, int64 [N]."""
        return self.boundaries.strings.searchsorted(self.starts, side="right")

    @cached_property
    def edges(self) -> Positions:
        """Where each line begins and where the text ends, int64 [N + 1]."""
        return np.append(self.starts, len(self.text))

    @cached_property
    def extents(self) -> list[tuple[int, int]]:
        """Start and end of each context."""
        return list(zip(self.context_starts.tolist(), self.context_ends.tolist(), strict=True))

    def line(self, index: int) -> str:
        """What is visible of a line."""
        return self.text[self.first[index] : self.ends[index]]

    def with_boundaries(self, boundaries: Boundaries) -> LinedText:
        """The same text in other lines."""
        return self if boundaries is self.boundaries else replace(self, boundaries=boundaries)


def once(find: Callable[[LinedText], Found]) -> Callable[[LinedText], Found]:
    """What a function finds in a text, found once in the same text in the same lines; it must not be changed."""
    name = f"{find.__module__}.{find.__qualname__}"

    @wraps(find)
    def found(lined: LinedText) -> Found:
        known: dict[str, Any] = vars(lined)  # where a cached property keeps its value
        if name not in known:
            known[name] = find(lined)
        result: Found = known[name]
        return result

    return found


def read_lines(contexts: Sequence[str]) -> LinedText:
    """Contexts as one text, as its characters alone divide it.

    Args:
        contexts: at least one.

    >>> lined = read_lines(["Mill:\\n  closed", "Ferry"])
    >>> [lined.line(index) for index in range(3)], lined.contexts.tolist(), lined.extents
    (['Mill:', 'closed', 'Ferry'], [0, 0, 1], [(0, 14), (16, 21)])
    """
    text = CONTEXT_SEPARATOR.join(contexts)
    lengths = np.array([len(context) for context in contexts])
    starts = np.concatenate([[0], np.cumsum(lengths[:-1] + len(CONTEXT_SEPARATOR))])
    characters = Characters(text)
    return LinedText(text, characters, find_boundaries(characters, text), starts, starts + lengths)
