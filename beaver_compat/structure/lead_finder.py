"""The lines of a text that others can't be read without.

A table's row needs its header, a line of settings the name of its section, a line of a code block the fences around it,
a line of code the lines that open the blocks around it (`blocks`), a line of a log's entry the first (`logs`), and all
lines of a part of the text what names the part (`parts`).  Everything here reads characters only; it does not know of
tokens, pages or scores.
Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.blocks import add_blocks, add_docstrings
from beaver_compat.structure.choices import add_choices
from beaver_compat.structure.code_headers import statements_of_lines
from beaver_compat.structure.comments import add_comments, find_comments
from beaver_compat.structure.conditionals import add_conditionals
from beaver_compat.structure.diffs import add_diffs
from beaver_compat.structure.documents import add_documents
from beaver_compat.structure.environments import add_environments
from beaver_compat.structure.examples import add_examples
from beaver_compat.structure.fences import add_fences
from beaver_compat.structure.headings import find_headings
from beaver_compat.structure.leads import Leads
from beaver_compat.structure.line_labels import add_groups
from beaver_compat.structure.logs import add_entries, log_entries
from beaver_compat.structure.metadata import add_headers, add_sources
from beaver_compat.structure.parts import Parts, find_parts
from beaver_compat.structure.roles import find_roles, role_keys
from beaver_compat.structure.sections import section_names, settings_sections
from beaver_compat.structure.stanzas import add_stanzas
from beaver_compat.structure.tables import add_tables
from beaver_compat.structure.terms import add_definitions
from beaver_compat.structure.traces import add_frames, add_trees
from beaver_compat.text.ascending import among
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LONGEST_LEAD = 512  # characters: a longer header or signature is not worth its tokens
_SHORT_LEAD = 160  # characters: of a longer paragraph that leads to a block only the last sentence is needed


def find_leads(lined: LinedText) -> Leads | None:
    """Find the lines that others need; None where there are none.  No line needs one of another context.

    Args:
        lined: the text.
    """
    starts, first, text_ends = lined.starts, lined.first, lined.ends
    if starts.size < 2:
        return None
    contexts = lined.contexts
    needed = np.full((starts.size, 2), -1)
    bare, told, follows = np.zeros((3, starts.size), dtype=bool)
    behind = np.full(starts.size, -1)
    comments = find_comments(lined)
    items, functions = add_blocks(lined, comments[0], needed, behind)
    bare[(behind >= 0) & (text_ends - first == 1)] = True  # a bracket
    begun = statements_of_lines(lined)
    going_on = begun > needed[:, 0]  # others stand in a block that one of these opens
    needed[going_on, 0], needed[going_on, 1] = begun[going_on], -1
    add_docstrings(lined, needed, behind, bare)
    add_conditionals(lined, needed, bare)
    add_comments(lined, comments, needed, behind, bare, told)
    entries, entry_ends = log_entries(lined)
    add_entries(lined.indents, entries, entry_ends, needed, behind)
    add_frames(lined, needed, items)
    add_trees(lined, needed, items)
    add_tables(lined, needed, bare, follows, items)
    add_examples(lined, needed, items)
    add_choices(lined, needed)
    _add_settings(settings_sections(lined), needed, follows)
    add_fences(lined, needed, behind, bare, follows)
    add_environments(lined, needed, bare, follows)
    add_sources(lined, needed, bare)
    in_diffs = add_diffs(lined, needed, behind, bare, follows, items)
    titles, fillers = (lines[~in_diffs[lines]] for lines in find_headings(lined))
    follows[fillers] = bare[fillers] = True
    underlines = fillers[among(fillers, titles + 1) & (lined.points[first[fillers]] != ord("<"))]
    needed[underlines, 0] = underlines - 1
    parts = find_parts(lined, titles, underlines)
    add_headers(lined, parts)
    roles = find_roles(lined).lines
    bare[roles[parts.label_ends[roles] >= text_ends[roles]]] = bare[role_keys(lined)] = True
    add_documents(lined, parts)
    named, ends = section_names(lined)
    parts.label_ends[named] = ends
    if in_diffs.any():
        _part(in_diffs, parts, functions, starts)
    for heads in (items, functions):
        heads[contexts[heads] != contexts] = -1
    add_groups(lined, parts.alone, items, follows)
    add_definitions(lined, items)
    _add_items(items, parts, starts)
    add_stanzas(lined, parts, needed, items)
    np.maximum(parts.owners, functions, out=parts.owners)
    signatures = np.zeros(starts.size, dtype=bool)
    signatures[functions[functions >= 0]] = True
    follows[titles] = True
    follows |= parts.alone
    times = _times(lined, bare)
    bodies = _bodies(follows, starts, lined.regions)
    bodies[:-1][among(starts[1:], lined.boundaries.times)] = -1  # the times of the next cue would stand between
    leads = [lead for lead in (needed, behind) if lead.max() >= 0]
    labelled = bool((parts.label_ends > starts).any())
    if not (leads or labelled) and max(bodies.max(), times.max()) < 0:
        return None
    lead_starts = _last_sentences(lined)
    lead_starts[entries] = starts[entries]
    told[entries] = True
    for lead in leads:
        own = contexts[:, None] if lead is needed else contexts
        lead[(contexts[lead] != own) | (text_ends[lead] - lead_starts[lead] > _LONGEST_LEAD)] = -1
    needed = np.where(needed[:, :1] < 0, needed[:, ::-1], needed)
    if not labelled and max(lead.max() for lead in (*leads, bodies, times)) < 0:
        return None
    own_ends = lined.context_ends[contexts]
    ends = np.minimum(lined.edges[1:], own_ends)
    ends[underlines - 1] = ends[underlines]
    return Leads(
        starts=starts,
        ends=ends,
        lead_starts=lead_starts,
        text_ends=text_ends,
        needed=needed,
        behind=behind,
        bodies=bodies,
        told=told,
        going_on=going_on,
        bare=bare,
        label_ends=np.minimum(parts.label_ends, own_ends),
        parts=parts.owners,
        around=parts.around,
        items=items,
        signatures=signatures,
        times=times,
    )


def _times(lined: LinedText, bare: NDArray[np.bool_]) -> Positions:
    """For each line the line of times that it stands under, -1 for none, int64 [N]; those say nothing alone."""
    order, times = np.arange(lined.starts.size), among(lined.starts, lined.boundaries.times)
    if not times.any():
        return np.full(order.size, -1)
    bare[times] = True
    last = np.maximum.accumulate(np.where(times, order, -1))
    return np.where(times | (lined.contexts[last] != lined.contexts), -1, last)


def _last_sentences(lined: LinedText) -> Positions:
    """Where each hard line begins, or its last sentence where it is longer than a short lead and no record."""
    boundaries, starts, ends = lined.boundaries, lined.starts, lined.ends
    long = np.flatnonzero((ends - starts > _SHORT_LEAD) & ~boundaries.records)
    before = np.append(boundaries.sentences, -1)[boundaries.sentences.searchsorted(ends[long]) - 1]
    found = starts.copy()
    found[long] = np.maximum(before, starts[long])
    return found


def _add_settings(sections: list[tuple[int, int]], needed: Positions, follows: NDArray[np.bool_]) -> None:
    """Each line of a section of settings needs the section's name, which needs the first key."""
    for name, end in sections:
        follows[name] = True
        needed[name + 1 : end, 1] = needed[name + 1 : end, 0]
        needed[name + 1 : end, 0] = name


def _add_items(items: Positions, parts: Parts, starts: Positions) -> None:
    """An item's first line, or a key, names the part that the lines below it are."""
    for owners in (parts.owners, parts.around):
        np.maximum(owners, items, out=owners)
    heads = np.unique(items[items >= 0])
    parts.label_ends[heads] = starts[heads + 1]


def _part(inside: NDArray[np.bool_], parts: Parts, functions: Positions, starts: Positions) -> None:
    """Some lines name no part and stand in none."""
    for owners in (parts.owners, parts.around, functions):
        owners[inside | inside[owners]] = -1
    parts.label_ends[inside] = starts[inside]
    parts.alone[inside] = False


def _bodies(follows: NDArray[np.bool_], starts: Positions, regions: Positions) -> Positions:
    """For each line that says nothing without what follows, the next line that does; -1 where that is far, and else."""
    order = np.arange(starts.size)
    later = np.minimum.accumulate(np.where(follows, starts.size - 1, order)[::-1])[::-1]
    near = follows & ~follows[later] & (regions[later] == regions) & (starts[later] - starts <= _LONGEST_LEAD)
    return np.where(near, later, -1)
