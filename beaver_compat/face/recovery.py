"""Quotes from a compressed prompt, back to what the original prompt says there.  It knows words and signs only."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

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
    in_shortened, source = _places(shortened), Original(original)
    pieces: list[str] = []
    done = index = 0
    while index < len(words):
        length = _run_length(words, index, shortened, in_shortened)
        start, end = spans[index][0], spans[index + max(length, 1) - 1][1]
        quoted = len(response[start:end].split()) > 1
        window = source.window(tuple(words[index : index + length])) if quoted else None
        if window:
            pieces += [response[done:start], original[slice(*window)]]
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


class Original:
    """A text in which quotes are looked up; the same quote is looked up once.

    Args:
        text: the original.
    """

    def __init__(self, text: str) -> None:
        self._spans = [match.span() for match in _WORD.finditer(text)]
        self._words = [text[start:end] for start, end in self._spans]
        self._places = _places(self._words)
        self._windows: dict[tuple[str, ...], tuple[int, int] | None] = {}

    def window(self, quote: tuple[str, ...]) -> tuple[int, int] | None:
        """Characters of the shortest stretch that holds a quote; None if it stands there as it is, or not at all."""
        if quote not in self._windows:
            found = None if self._stands(quote) else self._shortest(quote)
            self._windows[quote] = found and (self._spans[found[0]][0], self._spans[found[1]][1])
        return self._windows[quote]

    @cached_property
    def _joined(self) -> str:
        return _joined(self._words)

    def _stands(self, quote: tuple[str, ...]) -> bool:
        places, rarest = min(((self._places.get(word, []), index) for index, word in enumerate(quote)), key=_count)
        if len(places) * len(quote) > len(self._words):  # one linear search costs less
            return _joined(quote) in self._joined
        firsts = (place - rarest for place in places if place >= rarest)
        return any(tuple(self._words[first : first + len(quote)]) == quote for first in firsts)

    def _shortest(self, quote: tuple[str, ...]) -> tuple[int, int] | None:
        """First and last word of the first among the shortest stretches."""
        best, width = None, sys.maxsize
        for first in self._places.get(quote[0], [])[:_TRIED]:
            last = self._last(quote, first, width)
            if last is not None:
                best, width = (first, last), last - first
                if width == len(quote):  # one word more than the quote has: without it, the quote would stand
                    break
        return best

    def _last(self, quote: tuple[str, ...], first: int, width: int) -> int | None:
        """The last word of the stretch from a word on; None where there is none of less than a width."""
        last, limit = first, first + width - len(quote)
        for index, word in enumerate(quote[1:], 1):
            following = self._places.get(word, [])
            next_one = bisect_right(following, last)
            if next_one == len(following) or following[next_one] - last > _WIDEST_GAP + 1:
                return None
            last = following[next_one]
            if last > limit + index:
                return None
        return last


def _joined(words: Sequence[str]) -> str:
    """Words and signs between spaces, which none of them holds: what is part of it is a run of whole ones."""
    return f" {' '.join(words)} "


def _count(places: tuple[list[int], int]) -> int:
    return len(places[0])
