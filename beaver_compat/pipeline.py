"""From a document's scores to what may be kept, best first, and from what is kept to spans.

It holds no arithmetic of the method; it does not know of LLMLingua's arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beaver_compat.config import BeaverConfig
from beaver_compat.document import Document
from beaver_compat.result import ROLES, KeptSpan
from beaver_compat.scoring import Scored
from beaver_compat.segmenter import Partition, token_range
from beaver_compat.selection.planning import Candidates, Plan, Positions
from beaver_compat.selection.runs import Runs
from beaver_compat.text.ascending import any_between, distinct, nexts, rises, union

_FORCED, _QUERY, _ANCHOR, _FLOW, _FLASH = range(len(ROLES))


def candidates(
    document: Document,
    scored: Scored,
    forced: Sequence[tuple[int, int]],
    config: BeaverConfig,
    query_first: bool = True,
) -> Candidates:
    """Everything that may be kept, best first: the implicit query, what is forced, then flash with the priors.

    What is forced goes before the query unless ``query_first``.

    The j-th anchor and the j-th flow page enter where the budget has grown to ``j * M / prior_share`` tokens, so each
    kind takes at most ``prior_share`` of any budget, and what a smaller budget keeps a larger one keeps too.

    Differs from the paper: there anchors and flow stand first whatever the budget is (``prior_share=1``).
    """
    pages = document.pages
    flash = document.ranked(config)
    order = scored.order if "flash" in config.selection else scored.order[:0]
    if flash is document.sentences:
        order = order[~document.bare[order]]
        if config.repeats_last:
            order = order[np.argsort(document.repeats[order], kind="stable")]
    prior = _prior_pages(pages.starts.size, config)
    prior = _without_times(document, prior)
    index, roles = np.array(prior, dtype=np.int64).reshape(-1, 2).T
    head = _forced(document, forced, query_first)
    ranked = _ranges(flash, order, np.full(order.size, _FLASH), scored.flash)
    placed = _ranges(pages, index, roles, scored.pages)
    positions = _prior_positions(ranked.tokens, placed.tokens, prior, config)
    columns = [np.concatenate(column) for column in zip(head, ranked, placed, strict=True)]
    first, middle = head.starts.size, head.starts.size + order.size
    sequence = np.concatenate(
        [np.arange(first), np.insert(np.arange(first, middle), positions, np.arange(middle, middle + index.size))]
    )
    sequence = sequence[(columns[0] < columns[1])[sequence]]  # a page inside a character has no text
    found = Candidates(*(column[sequence] for column in columns))
    ends = document.said(found.ends)
    longer = np.flatnonzero(ends > found.ends)
    if not longer.size:
        return found
    tokens, whole = found.tokens.copy(), found.whole.copy()
    before, behind = document.token_starts.searchsorted([found.ends[longer], ends[longer]])
    tokens[longer] += behind - before
    whole[longer] = False
    return found._replace(ends=ends, tokens=tokens, whole=whole)


def _without_times(document: Document, prior: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The prior pages but those that hold times of cues, which would stand over what else is kept."""
    lines, times, pages = document.lined.starts, document.lined.boundaries.times, document.pages
    if not times.size:
        return prior
    timed = any_between(times, lines[lines.searchsorted(pages.starts, side="right") - 1], pages.ends)
    return [(page, role) for page, role in prior if not timed[page]]


def _ranges(part: Partition, index: Positions, roles: Positions, scores: NDArray[np.float64]) -> Candidates:
    tokens = part.limits[index + 1] - part.limits[index]
    return Candidates(part.starts[index], part.ends[index], tokens, part.whole[index], roles, scores[index])


def _prior_pages(count: int, config: BeaverConfig) -> list[tuple[int, int]]:
    """Pages kept for where they stand, the first anchor, the last page, the second anchor ..., with their roles."""
    anchors = range(min(config.anchor_pages, count)) if "anchor" in config.selection else range(0)
    flow = range(count - 1, max(count - 1 - config.flow_window, -1), -1) if "flow" in config.selection else range(0)
    pages: list[tuple[int, int]] = []
    for turn in range(max(len(anchors), len(flow))):
        pages += [(page, _ANCHOR) for page in anchors[turn : turn + 1]]
        pages += [(page, _FLOW) for page in flow[turn : turn + 1]]
    return pages


def _prior_positions(
    flash_tokens: Positions, tokens: Positions, prior: list[tuple[int, int]], config: BeaverConfig
) -> Positions:
    """How many flash candidates stand before each prior page."""
    if config.prior_share == 1 or not flash_tokens.size:
        return np.zeros(len(prior), dtype=np.int64)
    seen = {_ANCHOR: 0, _FLOW: 0}
    budgets = []
    for _, role in prior:
        seen[role] += 1
        budgets.append(seen[role] * config.page_size / max(config.prior_share, 1e-9))
    room = np.array(budgets) - np.cumsum(tokens)
    return np.maximum.accumulate(np.searchsorted(np.cumsum(flash_tokens), room, side="right"))


def _forced(document: Document, forced: Sequence[tuple[int, int]], query_first: bool) -> Candidates:
    """The implicit query, its last sentence first, then what is forced; or the other way round."""
    query = _query_sentences(document)
    starts, ends = np.array([*query, *forced], dtype=np.int64).reshape(-1, 2).T
    tokens = document.token_starts.searchsorted(ends) - document.token_starts.searchsorted(starts)
    roles = np.array([_QUERY] * len(query) + [_FORCED] * len(forced), dtype=np.int64)
    found = Candidates(starts, ends, tokens, np.zeros(starts.size, dtype=bool), roles, np.full(starts.size, np.nan))
    return found if query_first else found.at(np.roll(np.arange(starts.size), -len(query)))


def _query_sentences(document: Document) -> list[tuple[int, int]]:
    """The lines and sentences of the implicit query, the last one first: where not all fit, what is asked stays."""
    boundaries, (begin, end) = document.lined.boundaries, document.query_characters
    if begin == end:
        return []
    word = int(np.append(boundaries.words, end)[boundaries.word_ends.searchsorted(begin, side="right")])
    start = max(word, begin)  # not the white space before the first word
    edges = union(boundaries.hard_lines, boundaries.sentences)
    inner = edges[(edges > start) & (edges < end)].tolist()
    return list(pairwise([start, *inner, end]))[::-1]


def trimmed(document: Document, runs: Runs) -> tuple[Positions, Positions]:
    """Starts and ends of the runs, without blank lines before them and white space behind them; blank ones are gone."""
    starts, ends = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    boundaries = document.lined.boundaries
    first = boundaries.word_ends.searchsorted(starts, side="right")
    last = boundaries.words.searchsorted(ends) - 1
    visible = first <= last
    first, last = first[visible], last[visible]
    lines = boundaries.lines[boundaries.lines.searchsorted(boundaries.words[first], side="right") - 1]
    return np.maximum(starts[visible], lines), np.minimum(ends[visible], boundaries.word_ends[last])


def whole_spans(contexts: Sequence[str], limits: Positions) -> tuple[KeptSpan, ...]:
    """Every context whole, for a text that fits as it is.

    Args:
        contexts: the texts.
        limits: their token limits, int64 [C + 1].
    """
    return tuple(
        KeptSpan(index, 0, len(context), 0, tokens, ROLES[_FORCED], None)
        for index, (context, tokens) in enumerate(zip(contexts, np.diff(limits).tolist(), strict=True))
        if context
    )


def kept_spans(document: Document, ranking: Candidates, chosen: Plan) -> tuple[KeptSpan, ...]:
    """The runs, cut where the reason for keeping them changes; a place belongs to its best-ranked candidate.

    What smoothing added belongs to the candidate before it, at the beginning of a run to the one behind it.
    """
    run_starts, run_ends = np.array(chosen.runs, dtype=np.int64).reshape(-1, 2).T
    starts, ends = trimmed(document, chosen.runs)
    kept = np.array(chosen.kept, dtype=np.int64)
    own_starts, own_ends, places = ranking.starts[kept], ranking.ends[kept], np.arange(kept.size)
    own = list(zip(own_starts.tolist(), own_ends.tolist(), strict=True))
    leads = document.smoother.leads(own)
    if leads:  # what a candidate needs is its own, too
        columns = zip((own_starts, own_ends, places), np.array(leads, dtype=np.int64).T, strict=True)
        own_starts, own_ends, places = (np.concatenate(column) for column in columns)
        order = np.argsort(places, kind="stable")
        own_starts, own_ends, places = own_starts[order], own_ends[order], places[order]
    edges = distinct(np.sort(np.concatenate([own_starts, own_ends, run_starts, run_ends, starts, ends])))
    owner = np.full(edges.size, -1)  # of the stretch from each edge to the next
    limits = edges.searchsorted(own_starts), edges.searchsorted(own_ends)
    for candidate, low, high in zip(kept[places][::-1], *(limit[::-1].tolist() for limit in limits), strict=True):
        owner[low:high] = candidate
    run = run_starts.searchsorted(edges, side="right") - 1
    inside = np.flatnonzero((run >= 0) & (edges < np.append(run_ends, 0)[run]))
    run, owner = run[inside], _spread(owner[inside], run[inside])
    part = starts.searchsorted(edges[inside], side="right") - 1
    shown = (part >= 0) & (edges[inside] < np.append(ends, 0)[part])
    run, owner, inside = run[shown], owner[shown], inside[shown]
    roles = ranking.roles[owner]
    first = np.flatnonzero((rises(roles, -1) != 0) | (rises(run, -1) != 0))
    last = nexts(first, inside.size) - 1
    scores = np.maximum.reduceat(ranking.scores[owner], first) if first.size else np.zeros(0)
    return _spans(document, edges[inside[first]], edges[inside[last] + 1], roles[first], scores)


def _spread(owner: Positions, run: Positions) -> Positions:
    """``owner`` with each -1 replaced by the last owner before it in its run, else the next behind it."""
    place = np.arange(owner.size)
    before = np.maximum.accumulate(np.where(owner >= 0, place, 0))
    behind = np.minimum.accumulate(np.where(owner >= 0, place, owner.size - 1)[::-1])[::-1]
    return owner[np.where((owner[before] >= 0) & (run[before] == run), before, behind)]


def _spans(
    document: Document, starts: Positions, ends: Positions, roles: Positions, scores: NDArray[np.float64]
) -> tuple[KeptSpan, ...]:
    contexts = document.contexts_of(starts)
    origins = document.lined.context_starts[contexts]
    tokens = document.context_limits[contexts]
    first, last = token_range(document.token_starts, document.token_ends, starts, ends)
    columns = (contexts, starts - origins, ends - origins, first - tokens, last - tokens, roles, scores)
    return tuple(
        KeptSpan(context, start, end, token, token_end, ROLES[role], None if role <= _QUERY else round(score, 6))
        for context, start, end, token, token_end, role, score in zip(
            *(column.tolist() for column in columns), strict=True
        )
    )
