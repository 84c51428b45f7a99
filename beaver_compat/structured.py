"""Text in ``<llmlingua, rate=0.4, compress=False>`` segments: tags to segments, segments to a layout."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real

import numpy as np

from beaver_compat.arguments import checked_rate, checked_text
from beaver_compat.caller import warn_caller
from beaver_compat.errors import InputAssertionError, InputTypeError, shown
from beaver_compat.selection.layout import Layout, Limit, line_end_or_space
from beaver_compat.text.lined_text import CONTEXT_SEPARATOR

_CLOSING = "</llmlingua>"
_ATTRIBUTE = r"(?:rate\s*=\s*(?:\d+(?:\.\d*)?|\.\d+)|compress\s*=\s*(?:True|False))"
_TAG = re.compile(rf"<llmlingua((?:(?:\s*,\s*|\s+){_ATTRIBUTE})*)\s*>|{_CLOSING}", re.ASCII)
_NAME_AND_VALUE = re.compile(r"(\w+)\s*=\s*([\w.]+)", re.ASCII)  # of an attribute of a tag
_LIKE_A_TAG = re.compile(r"</?llmlingua(?![\w-])[^<>]*>?", re.ASCII)
_WIDEST_EDGE = 100  # characters of white space around a segment that are printed with it
_TRIPLES = "a list of (length, rate, compress)"
_UNEQUAL = "The number of segments, rates, and compress flags should be the same."  # LLMLingua's wording


class TagWarning(UserWarning):
    """Something looks like a tag and is none, so that it stays as text; or a tag has no counterpart."""


@dataclass(frozen=True)
class Segment:
    """A stretch of a context.

    Attributes:
        text: without its tags.
        rate: share of its tokens that may stay; None where it has no rate of its own.
        compress: False keeps it to the letter.
    """

    text: str
    rate: float | None = None
    compress: bool = True


def parse_segments(text: str) -> list[Segment]:
    """The segments of a tagged text; what stands outside of tags is a segment without attributes.

    Anything that is not exactly a tag is text, a lone ``<`` or an unknown attribute too.  A tag without its counterpart
    is a tag: a segment ends at the next one or with the text.  LLMLingua adds what is missing at the text's two ends,
    and loses text elsewhere.  What looks like a tag and is none brings a TagWarning, and so does a missing counterpart.

    Raises:
        InputAssertionError: a rate above 1, in LLMLingua's words.

    >>> parse_segments("a < b<llmlingua, compress=False, rate=.5>c</llmlingua>")
    [Segment(text='a < b', rate=None, compress=True), Segment(text='c', rate=0.5, compress=False)]
    """
    tags = list(_TAG.finditer(text))
    _warn_of_typos(text)
    _warn_of_unpaired([tag[0] for tag in tags])
    segments = []
    attributes: dict[str, str] = {}
    position = 0
    for tag in [*tags, None]:
        until = tag.start() if tag else len(text)
        if until > position:
            segments.append(_segment(text[position:until], attributes))
        if tag:
            attributes = dict(_NAME_AND_VALUE.findall(tag[1] or ""))
            position = tag.end()
    return segments


def _warn_of_typos(text: str) -> None:
    for found in dict.fromkeys(_LIKE_A_TAG.findall(text)):
        if not _TAG.fullmatch(found):
            warn_caller(
                f"{shown(found)} is no tag, it stays as text; the attributes are rate (0 to 1) and compress (True or "
                "False): <llmlingua, rate=0.4, compress=False> ... </llmlingua>",
                TagWarning,
            )


def _warn_of_unpaired(tags: Sequence[str]) -> None:
    pairs = list(pairwise([_CLOSING, *tags, ""]))
    for tag in dict.fromkeys(tag for tag, following in pairs if tag != _CLOSING != following):
        warn_caller(
            f"{shown(tag)} has no {_CLOSING} before the next tag or the text's end, where its segment ends; add it",
            TagWarning,
        )
    if (_CLOSING, _CLOSING) in pairs:
        warn_caller(f"{_CLOSING!r} has no <llmlingua> before it, it is left out; add one, or take it away", TagWarning)


def given_segments(contexts: Sequence[str], segments: object, rates: object, compress: object) -> list[list[Segment]]:
    """LLMLingua's ``context_segs`` and what belongs to them, as segments.

    Args:
        contexts: each is what its segments spell.
        segments: texts for each context.
        rates: a rate for each segment; None gives no segment a rate of its own.
        compress: a flag for each segment; None compresses all.

    Raises:
        InputAssertionError: numbers that don't match, segments that don't spell their context, a rate above 1.
    """
    texts = [
        [checked_text(f"context_segs[{index}][{place}]", text) for place, text in enumerate(row)]
        for index, row in enumerate(_rows("context_segs", segments, len(contexts)))
    ]
    missing: list[list[object]] = [[None] * len(row) for row in texts]
    shares = missing if rates is None else _rows("context_segs_rate", rates, len(contexts))
    flags = missing if compress is None else _rows("context_segs_compress", compress, len(contexts))
    found = []
    for index, (context, row, row_rates, row_flags) in enumerate(zip(contexts, texts, shares, flags, strict=True)):
        if not len(row) == len(row_rates) == len(row_flags):
            given = f"{len(row)} segments, {len(row_rates)} rates and {len(row_flags)} flags"
            raise InputAssertionError(f"{_UNEQUAL} Context {index} has {given}.")
        if "".join(row) != context:
            raise InputAssertionError(
                f"context_segs[{index}] does not spell its context {shown(context)}; give the pieces that it is cut in"
            )
        own_rates = [_rate(f"context_segs_rate[{index}][{place}]", rate) for place, rate in enumerate(row_rates)]
        made = zip(row, own_rates, row_flags, strict=True)
        found.append([Segment(text, rate, flag is None or bool(flag)) for text, rate, flag in made])
    return found


def merged_segments(segment_info: Iterable[tuple[int, float, bool]]) -> list[tuple[int, float, bool]]:
    """Length, rate and flag of each segment, neighbours with the same rate and flag as one.

    Raises:
        InputTypeError: no list of such triples.

    >>> merged_segments([(3, 0.5, True), (4, 0.5, True), (1, 1.0, False)])
    [(7, 0.5, True), (1, 1.0, False)]
    """
    if not isinstance(segment_info, Iterable):
        raise InputTypeError(f"segment_info is {shown(segment_info)}; give {_TRIPLES}")
    merged: list[tuple[int, float, bool]] = []
    for index, triple in enumerate(segment_info):
        if not isinstance(triple, (list, tuple)) or len(triple) != 3 or not isinstance(triple[0], Real):
            raise InputTypeError(f"segment_info[{index}] is {shown(triple)}; give {_TRIPLES}")
        length, rate, compress = triple
        if merged and merged[-1][1:] == (rate, compress):
            length += merged.pop()[0]
        merged.append((length, rate, compress))
    return merged


def structured_layout(
    contexts: Sequence[Sequence[Segment]], frame: Callable[[str], str], count: Callable[[str], int], preserve: bool
) -> tuple[Layout, int]:
    """Segments as parts, with the white space around each printed whenever anything of it is kept.

    Args:
        contexts: the segments of each.
        frame: puts the prompt around the kept text.
        count: tokens of a text.
        preserve: whether contexts with an uncompressed segment stay whatever bounds there are on contexts.

    Returns:
        The layout, and the tokens that its tags ask for by name: what is uncompressed, and each rated segment at its
        rate.
    """
    pieces_of = [_pieces(context) for context in contexts]
    pieces = [piece for own in pieces_of for piece in own]
    firsts = np.cumsum([0, *map(len, pieces_of)]).tolist()
    parts_of = [tuple(range(low, high)) for low, high in pairwise(firsts)]

    def compose(kept: Sequence[str], order: Sequence[int]) -> str:
        texts = (
            "".join(pieces[part].gap + pieces[part].around(kept[part]) for part in parts_of[context] if kept[part])
            for context in order
        )
        return CONTEXT_SEPARATOR.join(text for text in texts if text)

    def limit(part: int, rate: float) -> Limit:
        tokens = math.floor(rate * count(pieces[part].segment.text))
        return Limit((part,), tokens, lambda kept: pieces[part].around(kept[part]))

    fixed = frozenset(part for part, piece in enumerate(pieces) if not piece.segment.compress)
    rated = {part: piece.segment.rate for part, piece in enumerate(pieces) if piece.segment.rate is not None}
    layout = Layout(
        [piece.body for piece in pieces],
        parts_of,
        compose,
        frame,
        line_end_or_space,
        fixed=fixed,
        staying=frozenset(index for index, parts in enumerate(parts_of) if preserve and not fixed.isdisjoint(parts)),
        limits=tuple(limit(part, rate) for part, rate in rated.items() if part not in fixed and rate < 1),
    )
    asked = [body if part in fixed or part in rated else "" for part, body in enumerate(layout.parts)]
    return layout, asked_tokens(layout, asked, count)


def asked_tokens(layout: Layout, asked: Sequence[str], count: Callable[[str], int]) -> int:
    """Tokens of the prompt that holds ``asked`` of each part, less what the limits on those parts take away."""
    spared = (count(limit.text(asked)) - limit.tokens for limit in layout.limits)
    return count(layout.prompt(asked, range(len(layout.contexts)))) - sum(max(tokens, 0) for tokens in spared)


def _segment(text: str, attributes: dict[str, str]) -> Segment:
    rate = float(attributes["rate"]) if "rate" in attributes else None
    return Segment(text, _rate("rate of a tag", rate), attributes.get("compress") != "False")


def _rate(name: str, rate: object) -> float | None:
    return None if rate is None else checked_rate(name, rate)


def _rows(name: str, rows: object, count: int) -> list[list[object]]:
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in rows):
        raise InputTypeError(f"{name} is {shown(rows)}; give a list for each context")
    if len(rows) != count:
        raise InputAssertionError(f"{name} has {len(rows)} lists for {count} contexts; give one for each")
    return [list(row) for row in rows]


@dataclass(frozen=True)
class _Piece:
    """A segment with the white space that is printed with it: ``gap`` from between segments, the rest its own."""

    gap: str
    before: str
    body: str
    after: str
    segment: Segment

    def around(self, kept: str) -> str:
        return self.before + kept + self.after if kept else ""


def _pieces(segments: Sequence[Segment]) -> list[_Piece]:
    """The segments of a context that have text.

    White space between segments belongs to the one behind it, at the end to the last one.
    """
    pieces: list[_Piece] = []
    gap = ""
    for segment in segments:
        text = segment.text
        if segment.compress and text.isspace():
            gap += text
            continue
        body = text.strip() if segment.compress else text
        start = text.index(body)
        edges = text[:start][-_WIDEST_EDGE:], body, text[start + len(body) :][:_WIDEST_EDGE]
        pieces.append(_Piece(gap[-_WIDEST_EDGE:], *edges, segment))
        gap = ""
    if gap and pieces:
        pieces[-1] = replace(pieces[-1], after=(pieces[-1].after + gap)[:_WIDEST_EDGE])
    return pieces
