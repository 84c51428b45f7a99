"""What the lines of a text are found to be: its boundaries and units, and what each line needs."""

from __future__ import annotations

import numpy as np

from beaver_compat.structure.lead_finder import find_leads
from beaver_compat.structure.leads import Leads
from beaver_compat.structure.units import with_units
from beaver_compat.text.boundaries import Boundaries, find_boundaries
from beaver_compat.text.characters import character_classes, code_points


def boundaries_of(text: str) -> Boundaries:
    points = code_points(text)
    return find_boundaries(points, character_classes(points))


def units_of(text: str, implicit_query: bool = False) -> Boundaries:
    return with_units(text, code_points(text), boundaries_of(text), np.zeros(1, dtype=np.int64), implicit_query)


def leads_of(*contexts: str) -> tuple[list[str], Leads | None]:
    text = "\n\n".join(contexts)
    lengths = np.array([len(context) for context in contexts])
    starts = np.concatenate([[0], np.cumsum(lengths[:-1] + 2)])
    boundaries = boundaries_of(text)
    lines = boundaries.hard_lines.tolist()
    cut = [text[start:end].rstrip() for start, end in zip(lines, [*lines, len(text)][1:], strict=True)]
    points = code_points(text)
    return cut, find_leads(text, points, character_classes(points), boundaries, starts, starts + lengths)


def needs(*contexts: str) -> dict[str, set[str]]:
    """The other lines that each line needs, those that lines need in turn among them."""
    lines, leads = leads_of(*contexts)
    assert leads is not None
    found = {}
    for at, line in enumerate(lines):
        last = max(int(leads.bodies[at]), at)
        starts, _, _ = leads.of(leads.starts[[at]], leads.text_ends[[last]])
        places = {*np.searchsorted(leads.starts, starts).tolist(), *range(at, last + 1)}
        found[line.strip()] = {lines[index].strip() for index in places} - {line.strip()}
    return found


def names(*contexts: str) -> dict[str, set[str]]:
    """The labels that each line needs, by their texts."""
    lines, leads = leads_of(*contexts)
    assert leads is not None
    text = "\n\n".join(contexts)
    found: dict[str, set[str]] = {}
    for index, line in enumerate(lines):
        labels = leads.labels_of(leads.starts[[index]], leads.ends[[index]])
        found[line.strip()] = {text[start:end].strip() for start, end, _ in labels}
    return found


# Lines that random texts are put together from.
PIECES = [
    "def f():",
    "class A:",
    "    def g(self):",
    "    x = 1",
    "    if x:",
    "    else:",
    "    @static",
    "        y = 2",
    "        for x in y:",
    "            z = 3",
    "```",
    "",
    "a,b,c",
    "1,2,3",
    "| - | - |",
]
