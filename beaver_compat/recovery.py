"""Quotes from a compressed prompt, back to what the original prompt says there.  It knows words and signs only."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

_WORD = re.compile(r"\w+|[^\w\s]")  # a sign by itself: the full stop behind a word may be left out
_LINE_END = "\n"
_WORD_OR_LINE_END = re.compile(rf"{_WORD.pattern}|{_LINE_END}")
_WIDEST_GAP = 10  # words and signs left out between two neighbours of a quote, as in LLMLingua
_FOLLOWED = 64  # places of the compressed prompt that a quote is followed in at a time
_TRIED = 256  # places of the original that are tried for a quote

Places = dict[str, list[int]]


def recovered(original: str, compressed: str, response: str) -> str:
    """The response with its quotes of the compressed prompt as the original has them.

    A quote is a run of two words or more on one line that stands in the compressed prompt, without signs at its ends.
    What stands in the original just so is left alone; else the shortest stretch of the original that holds its words
    and signs in this order takes its place, and where there is none the quote stays.

    >>> recovered("the quick brown fox jumps", "quick fox jumps", "It says: quick fox jumps!")
    'It says: quick brown fox jumps!'
    """
    spans = [match.span() for match in _WORD_OR_LINE_END.finditer(response)]
    words = [response[start:end] for start, end in spans]
    shortened = _WORD_OR_LINE_END.findall(compressed)
    source_spans = [match.span() for match in _WORD.finditer(original)]
    source = [original[start:end] for start, end in source_spans]
    in_shortened, in_source = _places(shortened), _places(source)
    pieces: list[str] = []
    done = index = 0
    while index < len(words):
        length = _run_length(words, index, shortened, in_shortened)
        start, end = spans[index][0], spans[index + max(length, 1) - 1][1]
        quoted = len(response[start:end].split()) > 1
        window = _window(words[index : index + length], source, in_source) if quoted else None
        if window:
            pieces += [response[done:start], original[source_spans[window[0]][0] : source_spans[window[1]][1]]]
            done = end
        index += max(length, 1)
    return "".join([*pieces, response[done:]])


def _places(words: Sequence[str]) -> Places:
    places: Places = defaultdict(list)
    for place, word in enumerate(words):
        places[word].append(place)
    return places


def _run_length(words: Sequence[str], index: int, text: Sequence[str], places: Places) -> int:
    """How many words from ``index`` on stand in the text one after the other, from a word to a word on one line."""
    if not _is_word(words[index]):
        return 0
    live = places.get(words[index], [])[:_FOLLOWED]
    length = 0
    while live:
        length += 1
        if index + length == len(words) or words[index + length] == _LINE_END:
            break
        word = words[index + length]
        live = [place for place in live if place + length < len(text) and text[place + length] == word]
    while length and not _is_word(words[index + length - 1]):
        length -= 1
    return length


def _is_word(word: str) -> bool:
    return word[0].isalnum() or word[0] == "_"


def _window(quote: Sequence[str], source: Sequence[str], places: Places) -> tuple[int, int] | None:
    """First and last word of the shortest stretch that holds the quote; None if it stands there as it is, or not."""
    rarest = min(range(len(quote)), key=lambda index: len(places.get(quote[index], ())))
    for place in places.get(quote[rarest], ()):
        first = place - rarest
        if first >= 0 and source[first : first + len(quote)] == quote:
            return None
    found = (_stretch(quote, first, places) for first in places.get(quote[0], [])[:_TRIED])
    return min((stretch for stretch in found if stretch), key=lambda stretch: stretch[1] - stretch[0], default=None)


def _stretch(quote: Sequence[str], first: int, places: Places) -> tuple[int, int] | None:
    last = first
    for word in quote[1:]:
        following = places.get(word, [])
        index = bisect_right(following, last)
        if index == len(following) or following[index] - last > _WIDEST_GAP + 1:
            return None
        last = following[index]
    return first, last
