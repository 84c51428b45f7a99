"""What the lines of a text are found to be: its boundaries and units, and what each line needs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from beaver_compat.smoothing import Smoother
from beaver_compat.structure.lead_finder import find_leads
from beaver_compat.structure.leads import Leads
from beaver_compat.structure.units import with_units
from beaver_compat.text.boundaries import Boundaries
from beaver_compat.text.lined_text import read_lines


def boundaries_of(text: str) -> Boundaries:
    return read_lines([text]).boundaries


def sentences_of(text: str, language: str | None = None) -> list[str]:
    """The sentences of a text in one line."""
    edges = Smoother(read_lines([text]), language=language).sentences(0, len(text), divided=False)
    return [text[start:end].strip() for start, end in pairwise(edges)]


def units_of(text: str, implicit_query: bool = False) -> Boundaries:
    return with_units(read_lines([text]), implicit_query).boundaries


def unit_texts(text: str) -> list[str]:
    """The lines of a text that are one unit each, with their ends left out."""
    edges = [*units_of(text).hard_lines.tolist(), len(text)]
    return [text[start:end].strip() for start, end in pairwise(edges)]


def leads_of(*contexts: str, units: bool = False) -> tuple[list[str], Leads | None]:
    lined = with_units(read_lines(contexts)) if units else read_lines(contexts)
    cut = [lined.text[start:end].rstrip() for start, end in pairwise(lined.edges.tolist())]
    return cut, find_leads(lined)


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


def names(*contexts: str, units: bool = False) -> dict[str, set[str]]:
    """The labels that each line needs, by their texts; with ``units`` as where those of the text are known."""
    lines, leads = leads_of(*contexts, units=units)
    assert leads is not None
    text = "\n\n".join(contexts)
    found: dict[str, set[str]] = {}
    for index, line in enumerate(lines):
        labels = leads.labels_of(leads.starts[[index]], leads.ends[[index]])
        found[line.strip()] = {text[start:end].strip() for start, end, _ in labels}
    return found


def labels_at(text: str, place: int) -> list[str]:
    """The labels that a stretch which begins there needs."""
    _, leads = leads_of(text)
    assert leads is not None
    found = leads.labels_of(np.array([place]), np.array([len(text)]))
    assert all(stretch == 0 for _, _, stretch in found)
    return [text[start:end].strip() for start, end, _ in found]


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
