"""A list of contexts made ready for any question: tokens, boundaries, pages and sentences.

Nothing here depends on the question or the budget, and nothing here reads a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beaver_compat.config import BeaverConfig
from beaver_compat.implicit_query import find_query
from beaver_compat.query import Query, make_query
from beaver_compat.scores.amounts import NumberWords, have_numbers
from beaver_compat.scores.definitions import definitions
from beaver_compat.scores.word_forms import formed_ids, odd_words
from beaver_compat.segmenter import (
    Limits,
    Partition,
    page_limits,
    page_partition,
    repeats,
    segment_limits,
    sentence_partition,
    whole_lines,
)
from beaver_compat.smoothing import Smoother
from beaver_compat.structure.lead_finder import find_leads
from beaver_compat.structure.leads import Leads
from beaver_compat.structure.openings import text_begins, wordless
from beaver_compat.structure.roles import find_roles, without_marks
from beaver_compat.structure.units import with_units
from beaver_compat.text.ascending import among, distinct
from beaver_compat.text.characters import CLAUSE_END, inside_number
from beaver_compat.text.cutting import AFTER_CLAUSE, AFTER_LINE, AFTER_WORD, cut_places
from beaver_compat.text.lined_text import LinedText, read_lines
from beaver_compat.text.speech import said_before
from beaver_compat.tokenization import Tokenized, Tokenizer

SPAN_SEPARATOR = "\n"


@dataclass(frozen=True)
class Document:
    """Contexts as one text and one run of tokens.

    Attributes:
        lined: the contexts as one text.
        ids: token ids of all contexts, int32 [L]; words may have those of another form (`word_forms`).
        token_starts, token_ends: characters of each token, int64 [L].
        inside: True for each token that begins inside a number, bool [L].
        context_limits: token limits of the contexts, int64 [C + 1].
        pages, sentences: partitions of the tokens beside ``query``.
        repeats: True for each sentence that stands word for word before, in a part of the same name, bool [S].
        bare: True for each sentence that says nothing alone, such as a fence or a table's header, bool [S].
        heads: index of the sentence that names the part that each sentence stands in, -1 for none, int64 [S]; None
            where there are no parts.
        naming: True for each sentence that begins with the name of its part and says more, bool [S].
        onward: index of the sentence that each goes on with though no sentence ends there, -1 for none, int64 [S]; None
            where none does.
        query: the first token of the implicit query and the one behind its last; both L if the question is given.
        asks: whether the implicit query was known by what it says, not by where it stands alone.
        whole_lines: True for each hard line that is worth nothing in pieces, bool [N].
        leads: the lines that others need; None where there are none.
        smoother: of the text.
    """

    lined: LinedText
    ids: NDArray[np.int32]
    token_starts: Limits
    token_ends: Limits
    inside: NDArray[np.bool_]
    context_limits: Limits
    pages: Partition
    sentences: Partition
    repeats: NDArray[np.bool_]
    bare: NDArray[np.bool_]
    heads: Limits | None
    naming: NDArray[np.bool_]
    onward: Limits | None
    query: tuple[int, int]
    asks: bool
    whole_lines: NDArray[np.bool_]
    leads: Leads | None
    smoother: Smoother

    def cut_places(self, start: int, end: int, torn: bool) -> tuple[Limits, NDArray[np.int8]]:
        """Where the stretch from ``start`` to ``end`` may be cut, and how good each place is.

        Places inside lines that are worth nothing in pieces, and in speakers' names, are among them only if ``torn``;
        those between a heading and what it stands over never are, nor those before which a line says nothing yet.
        """
        places, levels = cut_places(self.lined.characters, start, end)
        wrapped = (levels == AFTER_LINE) & ~among(places, self.lined.starts)
        clauses = self.lined.characters.classes[np.maximum(places[wrapped] - 2, 0)] & CLAUSE_END
        levels[wrapped] = np.where(clauses, AFTER_CLAUSE, AFTER_WORD)
        if self.leads is not None:
            said = self.leads.bodies[self.lined.starts.searchsorted(places) - 1] < 0
            places, levels = places[said], levels[said]
        lines = self.lined.starts
        line = np.maximum(lines.searchsorted(places, side="right") - 1, 0)  # blank lines may stand before the first
        held = distinct(line)
        begins = text_begins(self.lined, held)[held.searchsorted(line)]
        free = (places > begins) | (places <= lines[line])
        places, levels, line = places[free], levels[free], line[free]
        if torn:
            return places, levels
        labels = self.lined.boundaries.labels if self.leads is None else self.leads.label_ends
        words = np.append(self.lined.boundaries.words, end)
        said = words[words.searchsorted(np.minimum(labels[line], end))]  # where what is behind the label begins
        free = (~self.whole_lines[line] & (places > said)) | (places <= lines[line])
        return places[free], levels[free]

    def said(self, ends: Limits) -> Limits:
        """Where some stretches end, those that end with a heading or the like with the first sentence behind it."""
        if self.leads is None or not (ends.size and self.sentences.ends.size):
            return ends
        body = self.leads.bodies[self.lined.starts.searchsorted(ends) - 1]
        found = np.flatnonzero(body >= 0)
        sentence = self.sentences.starts.searchsorted(self.leads.starts[body[found]], side="right") - 1
        found, sentence = found[sentence >= 0], sentence[sentence >= 0]  # a query at the beginning has none
        sentence = np.minimum(sentence + self.bare[sentence], self.bare.size - 1)  # not the label that it begins with
        moved = ends.copy()
        moved[found] = np.maximum(self.sentences.ends[sentence], ends[found])
        return moved

    def end_with_labels(self, starts: Limits, ends: Limits) -> NDArray[np.bool_]:
        """Whether each of some pieces but the last ends with a label of the line or part that the next one begins in.

        Not a label that has a line of its own.

        Args:
            starts, ends: characters of the pieces, ascending, int64 [m].
        """
        if self.leads is None or not self.leads.labelled:
            return np.zeros(max(starts.size - 1, 0), dtype=np.bool_)
        labels, texts = self.leads.label_ends, self.leads.text_ends
        line = self.leads.starts.searchsorted(ends[:-1]) - 1
        following = self.leads.starts.searchsorted(starts[1:], side="right") - 1
        found = (line == following) | (line == self.leads.parts[following]) | (line == self.leads.around[following])
        found &= (ends[:-1] <= labels[line]) & (labels[line] < texts[line])
        for piece in np.flatnonzero(found).tolist():
            found[piece] = not self.lined.text[ends[piece] : labels[line[piece]]].strip(" \t")
        return found

    def implicit_query(self, tokenizer: Tokenizer, config: BeaverConfig) -> Query:
        """What stands at ``query``, or would where a question is given.

        Args:
            tokenizer: of the embedding table.
            config: the settings.
        """
        start, end, asks = *self.query, self.asks
        if start == self.ids.size:
            start, end, asks = find_query(self.lined, self.token_starts, self.context_limits, config.page_size)
        text, characters = self.lined.text, self.lined.characters
        low, high = without_marks(self.lined, *_characters(self.token_starts, len(text), (start, end)))
        start, end = (
            max(start, int(self.token_ends.searchsorted(low, side="right"))),
            int(self.token_starts.searchsorted(high)),
        )
        own = slice(start, end)
        asked = text[slice(*_characters(self.token_starts, len(text), (start, end)))]
        starts, ends = self.token_starts[own], self.token_ends[own]
        return make_query(self.ids[own], self.inside[own], characters, starts, ends, asked, tokenizer, config, asks)

    def ranked(self, config: BeaverConfig) -> Partition:
        """The stretches that flash ranks: sentences, or whole pages as in the paper."""
        return self.sentences if config.sentence_weight > 0 else self.pages

    def contexts_of(self, characters: Limits) -> Limits:
        """Index of the context that holds each character."""
        return self.lined.context_starts.searchsorted(characters, side="right") - 1

    def with_numbers(self, starts: Limits, ends: Limits, limits: Limits, words: NumberWords) -> NDArray[np.bool_]:
        """True for each of some stretches that has a number, in digits or in words, bool [S].

        Args:
            starts, ends: their characters, int64 [S].
            limits: their token limits, int64 [S + 1].
            words: the words for a number (`number_words`).
        """
        inside = slice(limits[0], limits[-1])
        spelt = words.among(self.ids[inside], self.token_ends[inside], self.lined.characters) + limits[0]
        return have_numbers(self.lined.characters, starts, ends) | (np.diff(spelt.searchsorted(limits)) > 0)

    def defining(self, names: tuple[str, ...]) -> NDArray[np.float32] | None:
        """For each sentence with the definition of one of some names 1, shared by those of the same name; else 0.

        None where none has one.
        """
        found = definitions(self.lined, names)
        if not found:
            return None
        gains = np.zeros(self.sentences.starts.size, dtype=np.float32)
        for places in found:
            sentence = self.sentences.starts.searchsorted(places, side="right") - 1
            sentence = distinct(sentence[self.sentences.ends[sentence] > places])
            gains[sentence] = np.maximum(gains[sentence], 1 / max(sentence.size, 1))
        return gains

    @property
    def text_tokens(self) -> tuple[int, int]:
        """The first token beside ``query`` and the one behind the last such."""
        return _beside(self.query, self.ids.size)

    @property
    def query_characters(self) -> tuple[int, int]:
        """The first character of ``query`` and the one behind its last, in the context of its last token."""
        extents = self.lined.extents
        start, end = _characters(self.token_starts, extents[-1][1], self.query)
        context = int(self.context_limits.searchsorted(self.query[1])) - 1
        return start, min(end, extents[context][1])


def prepare_document(
    contexts: Sequence[str],
    tokens: Tokenized,
    tokenizer: Tokenizer,
    config: BeaverConfig,
    language: str | None = None,
    implicit_query: bool = False,
) -> Document:
    """Cut the contexts into pages and sentences.

    Args:
        contexts: at least one.
        tokens: of the contexts.
        tokenizer: that they are of.
        config: the settings.
        language: of the sentence rules; None chooses by script.
        implicit_query: True where no question is given: the query is then a part of the text (`implicit_query`), and
            where that is the end, pages are made of what stands before it.
    """
    lined = with_units(read_lines(contexts), implicit_query)
    starts, ends, length = lined.context_starts, lined.context_ends, len(lined.text)
    origins = np.repeat(starts, np.diff(tokens.limits)) if starts.size > 1 else starts
    token_starts, token_ends = tokens.offsets[:, 0] + origins, tokens.offsets[:, 1] + origins
    leads = find_leads(lined)
    size = config.page_size
    query, asks = (token_starts.size, token_starts.size), False
    if implicit_query:
        found = find_query(lined, token_starts, tokens.limits, size)
        query, asks = (found.start, found.end), found.asks
        if asks and leads is not None:  # what is asked is no part of what it stands below
            leads = leads.apart(*_characters(token_starts, length, query), find_roles(lined).lines)
    text_start, text_end = _beside(query, token_starts.size)
    context_limits = tokens.limits.clip(text_start, text_end)
    _, end_character = _characters(token_starts, length, (text_start, text_end))
    before, before_ends = token_starts[:text_end], np.minimum(ends, end_character)
    lines = lined.starts if config.join_lines else lined.boundaries.lines
    pages = page_limits(segment_limits(before, lines, context_limits), context_limits, size)
    whole = whole_lines(token_starts, lined.boundaries, size)
    smoother = Smoother(lined, leads, language, config.sentence_smoothing, config.part_labels)
    sentences = sentence_partition(before, lined, whole, context_limits, before_ends, pages, size)
    heads = leads.heads_of(sentences.starts) if leads is not None and leads.named else None
    repeated = repeats(tokens.ids[:text_end], sentences.limits, heads)
    naming, bare = np.zeros((2, repeated.size), dtype=np.bool_)
    if leads is not None:
        naming = leads.naming(sentences.starts, sentences.ends)
        repeated &= ~leads.in_items(sentences.starts[: repeated.size])
        bare = among(sentences.starts, leads.starts[leads.bare]) | leads.in_labels(sentences.ends)
    ids = tokens.ids
    if config.fold_words:
        words = odd_words(lined.characters)
        ids = formed_ids(ids, token_starts, token_ends, lined.text, words, tokenizer.encode)
    repeated |= wordless(lined, sentences.starts, sentences.ends)
    return Document(
        lined=lined,
        ids=ids,
        token_starts=token_starts,
        token_ends=token_ends,
        inside=inside_number(lined.characters, token_starts),
        context_limits=tokens.limits,
        pages=page_partition(before, pages, context_limits, before_ends),
        sentences=sentences,
        repeats=repeated,
        bare=bare,
        heads=heads,
        naming=naming,
        onward=said_before(lined, sentences.starts, bare),
        query=query,
        asks=asks,
        whole_lines=whole,
        leads=leads,
        smoother=smoother,
    )


def _beside(query: tuple[int, int], tokens: int) -> tuple[int, int]:
    """The tokens before a query that ends the text, or behind one that begins it."""
    return (0, query[0]) if query[1] == tokens else (query[1], tokens)


def _characters(token_starts: Limits, end: int, tokens: tuple[int, int]) -> tuple[int, int]:
    """Where two tokens begin; the one behind the last at the text's end."""
    first, behind = (int(token_starts[token]) if token < token_starts.size else end for token in tokens)
    return first, behind
