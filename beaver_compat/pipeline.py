"""A document through the stages: score its pages and sentences, rank what may be kept, fill the budget, cut the text.

It joins the stages and holds no arithmetic of its own; it does not know of LLMLingua's arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from beaver_compat.config import BeaverConfig
from beaver_compat.document import CONTEXT_SEPARATOR, SPAN_SEPARATOR, Document
from beaver_compat.page_encoder import ContextTokens, min_max, read_context, read_query
from beaver_compat.planning import Candidates, Plan, Positions, Runs, plan
from beaver_compat.query_planner import Piece, mixed_scores, ranked, read_pieces, sentence_scores, with_neighbors
from beaver_compat.result import ROLES, KeptSpan

_FORCED, _QUERY, _ANCHOR, _FLOW, _FLASH = range(len(ROLES))


class Scored(NamedTuple):
    """Mixed scores of a document's pages and of the stretches that flash ranks, float64, and the flash ranking."""

    pages: NDArray[np.float64]
    flash: NDArray[np.float64]
    order: Positions


class Encoded(NamedTuple):
    """A document as the scores read it: all that doesn't depend on the question."""

    context: ContextTokens
    limits: list[Tensor]
    pieces: Iterable[Piece]


def encode(document: Document, table: Tensor, config: BeaverConfig) -> Encoded:
    """Look the document's tokens up and pool its ranges, on the table's device.

    Args:
        document: its pages are encoded, and its sentences where the configuration scores them.
        table: embedding table, [V, d].
        config: the settings.
    """
    parts = (document.pages, document.sentences) if config.sentence_weight > 0 else (document.pages,)
    limits = [torch.from_numpy(part.limits).to(table.device) for part in parts]
    context = read_context(torch.from_numpy(document.ids[: document.query_start]).to(table.device), table)
    return Encoded(context, limits, read_pieces(context, limits, config))


def score(
    document: Document, encoded: Encoded, query_ids: NDArray[np.int32], table: Tensor, config: BeaverConfig
) -> Scored:
    """Stages 3 to 5 for one question.

    Args:
        document: what is asked.
        encoded: the same document.
        query_ids: token ids of the question, int32 [K]; for the implicit query, those of the document's end.
        table: embedding table, [V, d].
        config: the settings.
    """
    if not document.pages.starts.size:
        none = np.zeros(0)
        return Scored(none, none, np.zeros(0, dtype=np.int64))
    ids = torch.from_numpy(query_ids).to(table.device)
    query = read_query(ids, encoded.context, table, itf=config.itf != "none")
    page_scores, *own = mixed_scores(encoded.context, encoded.pieces, query, config)
    pages = document.pages.limits[:-1]
    contexts = torch.from_numpy(np.searchsorted(document.context_limits, pages, side="right")).to(table.device)
    flash = page_scores = min_max(with_neighbors(page_scores, contexts, config.neighbor_weight))
    if own:
        page_limits, limits = encoded.limits
        first = torch.searchsorted(page_limits, limits[:-1], right=True) - 1
        last = torch.searchsorted(page_limits, limits[1:] - 1, right=True) - 1
        flash = sentence_scores(min_max(own[0]), page_scores, first, last, config.sentence_weight)
    return Scored(page_scores.double().cpu().numpy(), flash.double().cpu().numpy(), ranked(flash).cpu().numpy())


def candidates(document: Document, scored: Scored, forced: Sequence[int], config: BeaverConfig) -> Candidates:
    """Everything that may be kept, best first: forced contexts, the implicit query, then flash with the priors.

    The j-th anchor and the j-th flow page enter where the budget has grown to ``j * M / prior_share`` tokens, so each
    kind takes at most ``prior_share`` of any budget, and what a smaller budget keeps a larger one keeps too.

    Differs from the paper: there anchors and flow stand first whatever the budget is (``prior_share=1``).
    """
    pages = document.pages
    flash = document.sentences if config.sentence_weight > 0 else pages
    order = scored.order if "flash" in config.selection else scored.order[:0]
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
    return Candidates(*(column[sequence] for column in columns))


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


def _forced_parts(document: Document, forced: Sequence[int]) -> list[Part]:
    """Forced contexts whole, then the implicit query."""
    parts: list[Part] = []
    none = np.full(1, np.nan)
    for index in forced:
        start, end = document.context_starts[index], document.context_ends[index]
        tokens = np.diff(document.context_limits[index : index + 2])
        parts.append((np.array([start]), np.array([end]), tokens, np.array([False]), _FORCED, none))
    if document.query_start < document.ids.size:
        start = int(document.token_starts[document.query_start])
        tokens = np.array([document.ids.size - document.query_start])
        parts.insert(
            0, (np.array([start]), np.array([document.context_ends[-1]]), tokens, np.array([False]), _QUERY, none)
        )
    return parts


def render(document: Document, runs: Runs) -> str:
    """The kept text: runs of one context joined by a line end, contexts by a blank line."""
    contexts: list[str] = []
    pieces: list[str] = []
    current = -1
    for start, end in runs:
        context = document.context_of(start)
        if context != current and pieces:
            contexts.append(SPAN_SEPARATOR.join(pieces))
            pieces = []
        current = context
        pieces.append(document.text[slice(*trimmed(document, start, end))])
    if pieces:
        contexts.append(SPAN_SEPARATOR.join(pieces))
    return CONTEXT_SEPARATOR.join(contexts)


def trimmed(document: Document, start: int, end: int) -> tuple[int, int]:
    """A run without blank lines before it and white space behind it; a context that is kept whole stays as it is."""
    context = document.context_of(start)
    if (start, end) == (document.context_starts[context], document.context_ends[context]):
        return start, end
    boundaries = document.boundaries
    last = int(np.searchsorted(boundaries.words, end)) - 1
    if last < 0 or boundaries.word_ends[last] <= start:
        return start, start
    first = int(np.searchsorted(boundaries.word_ends, start, side="right"))
    line = int(boundaries.lines[np.searchsorted(boundaries.lines, boundaries.words[first], side="right") - 1])
    return max(start, line), min(end, int(boundaries.word_ends[last]))


def fill(
    document: Document, ranking: Candidates, cost: Callable[[str], int], budget: int
) -> tuple[str, tuple[KeptSpan, ...]]:
    """Stages 6 to 8: keep the best that fits, and say what it is.

    Args:
        document: what is cut.
        ranking: best first.
        cost: tokens of the whole prompt that holds this context text.
        budget: tokens.
    """
    chosen = plan(ranking, document.smoother, document.cut_places, lambda runs: cost(render(document, runs)), budget)
    return render(document, chosen.runs), kept_spans(document, ranking, chosen)


def whole_spans(document: Document) -> tuple[KeptSpan, ...]:
    """Every context whole, for a text that fits as it is."""
    limits = zip(document.context_starts, document.context_ends, strict=True)
    return tuple(_span(document, start, end, _FORCED, np.zeros(0)) for start, end in limits if start < end)


def kept_spans(document: Document, ranking: Candidates, chosen: Plan) -> tuple[KeptSpan, ...]:
    """The runs, cut where the reason for keeping them changes; a place belongs to its best-ranked candidate."""
    spans = []
    kept = np.array(chosen.kept, dtype=np.int64)
    starts, ends = ranking.starts[kept], ranking.ends[kept]
    for run_start, run_end in chosen.runs:
        run_start, run_end = trimmed(document, run_start, run_end)
        inside = np.flatnonzero((starts < run_end) & (ends > run_start))
        spans += _owned(document, ranking, kept[inside], run_start, run_end)
    return tuple(spans)


def _owned(document: Document, ranking: Candidates, kept: Positions, run_start: int, run_end: int) -> list[KeptSpan]:
    edges = np.unique(
        np.clip(np.concatenate([ranking.starts[kept], ranking.ends[kept], [run_start, run_end]]), run_start, run_end)
    )
    owner = np.full(edges.size - 1, -1)
    for candidate in kept[::-1]:
        low, high = np.searchsorted(edges, [ranking.starts[candidate], ranking.ends[candidate]])
        owner[low:high] = candidate
    covered = np.flatnonzero(owner >= 0)
    if not covered.size:
        return []
    nearest = (
        covered[np.abs(covered[None, :] - np.arange(owner.size)[:, None]).argmin(1)] if (owner < 0).any() else None
    )
    owner = owner if nearest is None else owner[nearest]
    roles = ranking.roles[owner]
    first = np.flatnonzero(np.concatenate([[True], roles[1:] != roles[:-1]]))
    spans = []
    for low, high in zip(first, np.append(first[1:], owner.size), strict=True):
        spans.append(
            _span(document, int(edges[low]), int(edges[high]), int(roles[low]), ranking.scores[owner[low:high]])
        )
    return spans


def _span(document: Document, start: int, end: int, role: int, scores: NDArray[np.float64]) -> KeptSpan:
    context = document.context_of(start)
    first, last = np.searchsorted(document.token_starts, [start, end])
    origin, tokens = document.context_starts[context], int(document.context_limits[context])
    return KeptSpan(
        context_index=context,
        start=start - origin,
        end=end - origin,
        token_start=int(first) - tokens,
        token_end=int(last) - tokens,
        role=ROLES[role],
        score=None if role <= _QUERY else round(float(scores.max()), 6),
    )
