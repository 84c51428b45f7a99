"""From a document's scores to what may be kept, best first, and from what is kept to spans.

It holds no arithmetic of the method; it does not know of LLMLingua's arguments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from beaver_compat.config import BeaverConfig
from beaver_compat.document import Document
from beaver_compat.planning import Candidates, Plan, Positions, Runs
from beaver_compat.result import ROLES, KeptSpan
from beaver_compat.scoring import Scored
from beaver_compat.segmenter import token_range

_FORCED, _QUERY, _ANCHOR, _FLOW, _FLASH = range(len(ROLES))


def candidates(
    document: Document, scored: Scored, forced: Sequence[tuple[int, int]], config: BeaverConfig
) -> Candidates:
    """Everything that may be kept, best first: the implicit query, what is forced, then flash with the priors.

    The j-th anchor and the j-th flow page enter where the budget has grown to ``j * M / prior_share`` tokens, so each
    kind takes at most ``prior_share`` of any budget, and what a smaller budget keeps a larger one keeps too.

    Differs from the paper: there anchors and flow stand first whatever the budget is (``prior_share=1``).
    """
    pages = document.pages
    flash = document.sentences if config.sentence_weight > 0 else pages
    order = scored.order if "flash" in config.selection else scored.order[:0]
    if config.repeats_last and flash is document.sentences:
        order = order[np.argsort(document.repeats[order], kind="stable")]
    parts = [
        (
            flash.starts[order],
            flash.ends[order],
            np.diff(flash.limits)[order],
            flash.whole[order],
            _FLASH,
            scored.flash[order],
        )
    ]
    prior = _prior_pages(pages.starts.size, config)
    positions = np.zeros(0, dtype=np.int64)
    if prior:
        index = np.array([page for page, _ in prior])
        tokens = np.diff(pages.limits)[index]
        for (page, role), size in zip(prior, tokens, strict=True):
            one = slice(page, page + 1)
            parts.append(
                (pages.starts[one], pages.ends[one], np.array([size]), pages.whole[one], role, scored.pages[one])
            )
        positions = _prior_positions(parts[0][2], tokens, prior, config)
    head = _forced_parts(document, forced)
    columns = [np.concatenate(column) for column in zip(*(_with_role(part) for part in [*head, *parts]), strict=True)]
    first, middle = len(head), len(head) + order.size
    sequence = np.concatenate(
        [np.arange(first), np.insert(np.arange(first, middle), positions, np.arange(middle, middle + len(prior)))]
    )
    sequence = sequence[(columns[0] < columns[1])[sequence]]  # a page inside a character has no text
    found = Candidates(*(column[sequence] for column in columns))
    ends = document.said(found.ends)
    longer = np.flatnonzero(ends > found.ends)
    if not longer.size:
        return found
    tokens, whole = found.tokens.copy(), found.whole.copy()
    tokens[longer] += np.diff(document.token_starts.searchsorted([found.ends[longer], ends[longer]]), axis=0)[0]
    whole[longer] = False
    return found._replace(ends=ends, tokens=tokens, whole=whole)


Part = tuple[Positions, Positions, Positions, NDArray[np.bool_], int, NDArray[np.float64]]


def _with_role(part: Part) -> tuple[NDArray[np.generic], ...]:
    starts, ends, tokens, whole, role, scores = part
    return starts, ends, tokens, whole, np.full(starts.size, role), scores


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


def _forced_parts(document: Document, forced: Sequence[tuple[int, int]]) -> list[Part]:
    """The implicit query, then what is forced."""
    parts: list[Part] = []
    none = np.full(1, np.nan)
    for start, end in forced:
        tokens = np.diff(document.token_starts.searchsorted([start, end]))
        parts.append((np.array([start]), np.array([end]), tokens, np.array([False]), _FORCED, none))
    if document.query_start < document.ids.size:
        start = int(document.token_starts[document.query_start])
        tokens = np.array([document.ids.size - document.query_start])
        parts.insert(
            0, (np.array([start]), np.array([document.context_ends[-1]]), tokens, np.array([False]), _QUERY, none)
        )
    return parts


def trimmed(document: Document, runs: Runs) -> tuple[Positions, Positions]:
    """Starts and ends of the runs, without blank lines before them and white space behind them; blank ones are gone."""
    starts, ends = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    boundaries = document.boundaries
    first = boundaries.word_ends.searchsorted(starts, side="right")
    last = boundaries.words.searchsorted(ends) - 1
    visible = first <= last
    first, last = first[visible], last[visible]
    lines = boundaries.lines[boundaries.lines.searchsorted(boundaries.words[first], side="right") - 1]
    return np.maximum(starts[visible], lines), np.minimum(ends[visible], boundaries.word_ends[last])


def whole_spans(document: Document) -> tuple[KeptSpan, ...]:
    """Every context whole, for a text that fits as it is."""
    starts, ends = np.array(document.context_starts), np.array(document.context_ends)
    filled = starts < ends
    count = int(filled.sum())
    return _spans(document, starts[filled], ends[filled], np.full(count, _FORCED), np.zeros(count))


def kept_spans(document: Document, ranking: Candidates, chosen: Plan) -> tuple[KeptSpan, ...]:
    """The runs, cut where the reason for keeping them changes; a place belongs to its best-ranked candidate.

    What smoothing added belongs to the candidate before it, at the beginning of a run to the one behind it.
    """
    run_starts, run_ends = np.array(chosen.runs, dtype=np.int64).reshape(-1, 2).T
    starts, ends = trimmed(document, chosen.runs)
    kept = np.array(chosen.kept, dtype=np.int64)
    own_starts, own_ends, places = ranking.starts[kept], ranking.ends[kept], np.arange(kept.size)
    own = list(zip(own_starts.tolist(), own_ends.tolist(), strict=True))
    leads = [*document.smoother.leads(own), *document.smoother.headings(own)]
    if leads:  # what a candidate needs is its own, too
        columns = zip((own_starts, own_ends, places), np.array(leads, dtype=np.int64).T, strict=True)
        own_starts, own_ends, places = (np.concatenate(column) for column in columns)
        order = np.argsort(places, kind="stable")
        own_starts, own_ends, places = own_starts[order], own_ends[order], places[order]
    edges = np.unique(np.concatenate([own_starts, own_ends, run_starts, run_ends, starts, ends]))
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
    first = np.flatnonzero((np.diff(roles, prepend=-1) != 0) | (np.diff(run, prepend=-1) != 0))
    last = np.append(first[1:], inside.size)[: first.size] - 1
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
    origins = np.array(document.context_starts)[contexts]
    tokens = document.context_limits[contexts]
    first, last = token_range(document.token_starts, document.token_ends, starts, ends)
    columns = (contexts, starts - origins, ends - origins, first - tokens, last - tokens, roles, scores)
    return tuple(
        KeptSpan(context, start, end, token, token_end, ROLES[role], None if role <= _QUERY else round(score, 6))
        for context, start, end, token, token_end, role, score in zip(
            *(column.tolist() for column in columns), strict=True
        )
    )
