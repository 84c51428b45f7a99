"""Documents and questions through stages 3 to 5, many at once: tokens looked up, ranges pooled, scored and ranked.

It joins the stages and holds no arithmetic of its own.  The documents of a batch stand side by side as one ragged run;
one prompt is a batch of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from beaver_compat.config import BeaverConfig
from beaver_compat.document import Document
from beaver_compat.machine import one_thread
from beaver_compat.query import Query
from beaver_compat.query_planner import (
    information_scores,
    mixed_scores,
    ranked,
    sentence_scores,
    with_headings,
    with_neighbors,
    with_speech,
    with_vectors,
)
from beaver_compat.scores.lookup import ContextTokens, QueryTokens, Words, min_max, of_prompt, read_context, read_query
from beaver_compat.scores.pieces import Piece, prompts_of_ranges, read_pieces

_VALUES_AT_ONCE = 1 << 28  # of embedding rows that a batch of several documents may have
_VALUES_ON_CPU = 1 << 23
_DEFINING = 2  # times the share of a heading's score: lines that use what is asked gain by a signature that does, too
_SPOKEN = 0.6  # share of the score that each neighbour gets in speech without sentence ends
_LONGEST_QUERY = 256  # tokens: a longer one is scored by itself, since each step takes as long as its longest query's


class Encoded(NamedTuple):
    """Documents as the scores read them: all that doesn't depend on the questions.

    Attributes:
        context: their tokens.
        pieces: their ranges: pages, and sentences where the configuration scores them.
        contexts: index of each page's context, int64 [N].
        first_page, last_page: index of the pages of each sentence's first and last token, int64 [S].
        own_weights: weight of each sentence's own score against that of its pages, float32 [S].
        heads: index of the sentence that names each one's part, S for none, int64 [S + 1]; None where none is named.
        naming: True for each sentence that begins with the name of its part and says more, bool [S].
        onward: index of the sentence that each goes on with, S for none, int64 [S]; None where none does.
    """

    context: ContextTokens
    pieces: list[Piece]
    contexts: Tensor
    first_page: Tensor
    last_page: Tensor
    own_weights: Tensor
    heads: Tensor | None
    naming: Tensor
    onward: Tensor | None


class Asked(NamedTuple):
    """A document and a question to it.

    Attributes:
        document: what is asked.
        query: the question, or the implicit query, which is a part of the document.
        encoded: the document by itself, where it was read for many questions.
    """

    document: Document
    query: Query
    encoded: Encoded | None = None


class Scored(NamedTuple):
    """Mixed scores of a document's pages and of the stretches that flash ranks, float64, and the flash ranking."""

    pages: NDArray[np.float64]
    flash: NDArray[np.float64]
    order: NDArray[np.int64]


@torch.inference_mode()
def encode(documents: Sequence[Document], table: Tensor, config: BeaverConfig, keep_vectors: bool = False) -> Encoded:
    """Look the documents' tokens up and divide them into ranges, on the table's device.

    Args:
        documents: their pages are scored, and their sentences where the configuration has them.
        table: embedding table, [V, d].
        config: the settings.
        keep_vectors: whether the ranges' vectors are made now and kept for many questions.
    """
    device = table.device
    scored = [slice(*document.text_tokens) for document in documents]
    edges = [0, *accumulate(own.stop - own.start for own in scored)]
    ids = _joined([document.ids[own] for document, own in zip(documents, scored, strict=True)]).to(device)
    inside = _joined([document.inside[own] for document, own in zip(documents, scored, strict=True)]).to(device)
    pages = _limits([document.pages.limits for document in documents], edges)
    sentences = _limits([document.sentences.limits for document in documents], edges)
    context_limits = [
        document.context_limits.clip(own.start, own.stop) for document, own in zip(documents, scored, strict=True)
    ]
    contexts = _limits(context_limits, edges).searchsorted(pages[:-1], "right")
    sentence_pages = (pages.searchsorted(places, "right") - 1 for places in (sentences[:-1], sentences[1:] - 1))
    limits = [torch.from_numpy(part).to(device) for part in (pages, sentences)[: 1 + (config.sentence_weight > 0)]]
    with one_thread():
        context = read_context(ids, table, inside, edges)
        pieces = read_pieces(context, limits)
        if keep_vectors:
            pieces = with_vectors(context, pieces, config)
        columns = [torch.from_numpy(own).to(device) for own in (contexts, *sentence_pages)]
        heads = _others([document.heads for document in documents], documents, device)
        heads = heads if config.heading_weight > 0 else None
        onward = _others([document.onward for document in documents], documents, device)
        naming, records = (
            _joined(flags).to(device)
            for flags in zip(*((document.naming, document.sentences.whole) for document in documents), strict=True)
        )
        own_weights = torch.where(records, config.record_weight, config.sentence_weight)
        return Encoded(context, pieces, columns[0], columns[1], columns[2], own_weights, heads, naming, onward)


def look_up(encoded: Encoded, queries: Sequence[Query], table: Tensor, config: BeaverConfig) -> QueryTokens:
    """The tokens of a query to each of the documents as the scores read them, on the table's device."""
    edges = [0, *accumulate(query.ids.size for query in queries)]
    columns = [
        _joined(column).to(table.device)
        for column in (
            [query.ids for query in queries],
            [query.inside for query in queries],
            [query.word_sizes for query in queries],
            [query.numeric for query in queries],
            [query.forms[0] for query in queries],
            [query.forms[1] + first for query, first in zip(queries, edges, strict=False)],
        )
    ]
    words = Words(*columns[1:])
    return read_query(columns[0], encoded.context, table, words, config.itf != "none", edges)


@torch.inference_mode()
def score(asked: Sequence[Asked], table: Tensor, config: BeaverConfig) -> list[Scored]:
    """Stages 3 to 5: the scores of each document for its question, the same in any company.

    Args:
        asked: documents that are not encoded are encoded and scored together, as many as a batch may have.
        table: embedding table, [V, d].
        config: the settings.
    """
    none = np.zeros(0)
    found = [Scored(none, none, np.zeros(0, dtype=np.int64))] * len(asked)
    values = _VALUES_ON_CPU if table.device.type == "cpu" else _VALUES_AT_ONCE
    with one_thread():
        for batch in _batches(asked, values // table.shape[1]):
            for index, scored in zip(batch, _score([asked[index] for index in batch], table, config), strict=True):
                found[index] = scored
    return found


def _batches(asked: Sequence[Asked], most: int) -> list[list[int]]:
    """Those with pages, in batches of at most so many tokens; encoded and long ones are batches of their own."""
    batches: list[list[int]] = []
    room = 0
    for index, (document, query, encoded) in enumerate(asked):
        tokens = most if encoded or query.ids.size > _LONGEST_QUERY else document.ids.size
        if not document.pages.starts.size:
            continue
        if not batches or tokens > room:
            batches.append([])
            room = most
        batches[-1].append(index)
        room -= tokens
    return batches


def _score(asked: Sequence[Asked], table: Tensor, config: BeaverConfig) -> list[Scored]:
    documents, queries = [one.document for one in asked], [one.query for one in asked]
    encoded = asked[0].encoded or encode(documents, table, config)
    tokens = look_up(encoded, queries, table, config)
    page_scores, *own = mixed_scores(encoded.context, encoded.pieces, tokens, config)
    prompts, count = prompts_of_ranges(encoded.pieces), len(asked)
    page_scores = with_neighbors(page_scores, encoded.contexts, config.neighbor_weight)
    page_scores, *own = (min_max(part, of, count) for part, of in zip((page_scores, *own), prompts, strict=True))
    flash = _asked_for(asked, encoded, page_scores, own[0], config) if own else page_scores
    if config.information_weight > 0 and any(query.vague for query in queries):
        shares = config.information_weight * torch.tensor([query.vague for query in queries], device=flash.device)
        flash = flash.lerp(_information(encoded, prompts, count), of_prompt(shares, prompts[-1]))
    order = ranked(flash, prompts[-1] if count > 1 else None).cpu().numpy()
    pages, scores = page_scores.double().cpu().numpy(), flash.double().cpu().numpy()
    page_edges = [0, *accumulate(document.pages.starts.size for document in documents)]
    edges = [0, *accumulate(document.sentences.starts.size for document in documents)] if own else page_edges
    return [
        Scored(pages[page_low:page_high], scores[low:high], order[low:high] - low)
        for (page_low, page_high), (low, high) in zip(pairwise(page_edges), pairwise(edges), strict=True)
    ]


def _asked_for(
    asked: Sequence[Asked], encoded: Encoded, page_scores: Tensor, own_scores: Tensor, config: BeaverConfig
) -> Tensor:
    """How much each sentence of all documents is what its question looks for, float32 [S].

    Args:
        asked: the documents.
        encoded: of these.
        page_scores, own_scores: of their pages and of their sentences by themselves, float32 [N] and [S].
        config: the settings.
    """
    if encoded.onward is not None:
        own_scores = with_speech(own_scores, encoded.onward, _SPOKEN)
    found = sentence_scores(own_scores, page_scores, encoded.first_page, encoded.last_page, encoded.own_weights)
    if any(query.numbers is not None for _, query, _ in asked):
        found = found + config.number_weight * _wanted_numbers(asked).to(found.device)
    defined = [document.defining(query.names) for document, query, _ in asked]
    if any(gains is not None for gains in defined):
        found = found + _DEFINING * config.heading_weight * _joined_gains(asked, defined).to(found.device)
    if encoded.heads is not None:
        found = with_headings(found, own_scores, encoded.heads, encoded.naming, config.heading_weight)
    return found


def _information(encoded: Encoded, prompts: Sequence[Tensor], count: int) -> Tensor:
    """What each of the ranges that flash ranks says by itself, from 0 to 1 in its prompt, float32 [S].

    Args:
        encoded: the documents.
        prompts: index of the prompt of each range, for each partition.
        count: the number of prompts.
    """
    scores = information_scores(encoded.context, encoded.pieces)
    pages, *own = (min_max(part, of, count) for part, of in zip(scores, prompts, strict=True))
    if not own:
        return pages
    return sentence_scores(own[0], pages, encoded.first_page, encoded.last_page, encoded.own_weights)


def _others(
    columns: Sequence[NDArray[np.int64] | None], documents: Sequence[Document], device: torch.device
) -> Tensor | None:
    """For each sentence another, counted through all documents, at the end one for none; None where there is none.

    Args:
        columns: for each document its sentences' others, -1 for none, int64 [S]; None where none has one.
        documents: those.
        device: of the result.
    """
    if all(column is None for column in columns):
        return None
    edges = [0, *accumulate(document.sentences.starts.size for document in documents)]
    found = np.full(edges[-1] + 1, edges[-1])
    for column, low, high in zip(columns, edges, edges[1:], strict=False):
        if column is not None:
            found[low:high] = np.where(column < 0, edges[-1], column + low)
    return torch.from_numpy(found).to(device)


def _wanted_numbers(asked: Sequence[Asked]) -> Tensor:
    """True for each sentence of all documents with a number, where the question asks for one, bool [S]."""
    columns = [
        np.zeros(document.sentences.starts.size, dtype=np.bool_)
        if query.numbers is None
        else document.with_numbers(
            document.sentences.starts, document.sentences.ends, document.sentences.limits, query.numbers
        )
        for document, query, _ in asked
    ]
    return torch.from_numpy(np.concatenate(columns))


def _joined_gains(asked: Sequence[Asked], gains: Sequence[NDArray[np.float32] | None]) -> Tensor:
    """What each sentence of all documents gains, none where a document has none that does, float32 [S]."""
    columns = [
        np.zeros(document.sentences.starts.size, dtype=np.float32) if own is None else own
        for (document, *_), own in zip(asked, gains, strict=True)
    ]
    return torch.from_numpy(np.concatenate(columns))


def _limits(limits: Sequence[NDArray[np.int64]], edges: Sequence[int]) -> NDArray[np.int64]:
    """Token limits of each document's ranges as those of the ranges of all."""
    first = np.zeros(1, dtype=np.int64)
    return np.concatenate([first, *(own[1:] - own[0] + edge for own, edge in zip(limits, edges, strict=False))])


def _joined(columns: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(columns[0] if len(columns) == 1 else np.concatenate(columns))
