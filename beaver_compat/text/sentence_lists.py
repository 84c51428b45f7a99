"""List items in running text, by pysbd's rules: "a. ... b.", "(i) ... (ii)", "1. ... 2.", "1) ... 2)".

pysbd (0.3.4) walks the whole text once per item; here each kind of list is one pass with the same outcome.
An item counts where its neighbour in the list holds the next or the previous letter, numeral or number. The
module knows nothing of sentences: it breaks the line before an item and hides the period behind its number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_LETTER_ITEMS = (  # a quick look whether there is one at all; its bracket and its letter
    (re.compile(r"\.(?<=[a-z]\.)(?<!\S[a-z]\.)"), re.compile(r"()(?<!\S)([a-z])\.")),
    (
        re.compile(r"\)(?:(?<=[\s(][a-z]\))|(?<=^[a-z]\))|(?<=[ivx]{2}\)))"),
        re.compile(r"(\(|(?<!\S))([a-z]|[ivx]{2,5})(?=\))"),
    ),
)
_DIGIT_PERIOD, _DIGIT_PAREN = re.compile(r"\.(?<=\d\.)[\s)]"), re.compile(r"\)(?<=\d\))\s")
# In pysbd what counts as a number and what is marked as one differ after hyphens, so they do here.
_NUMBER_PERIOD = re.compile(
    r"(?:(?<!\S)|(?<=⁃)(?<!\S⁃)|(?<=^-))\d{1,2}(?=\.[\s)])|(?<=\s-)\d{1,2}(?=\.\s)|(?<=s-)\d{1,2}(?=\.\))"
)
_NUMBER_PERIOD_MARKED = re.compile(r"(?:(?<!\S)|(?<=[-⁃])(?<!\S[-⁃]))(\d{1,2})\.(?=[\s)])")
_NUMBER_PAREN = re.compile(r"(\d{1,2})(?=\)\s)")
_FOR_NUMBER = re.compile(r"for\s\d{1,2}♨\s[a-z]")
_SPACE_BEFORE_BULLET = re.compile(r"(?<=\S\S)\s(?=\S\s*\d+♨)")
_SPACE_BEFORE_NUMBER = re.compile(r"(?<=\S\S)\s(?=\d{1,2}[♨☝])")


def break_before_items(text: str, alphabets: Sequence[Mapping[str, int]]) -> str:
    r"""A line break before each list item.

    Args:
        text: lines end with "\r".
        alphabets: letters or numerals that may lead an item, each with its place.

    >>> break_before_items("Two points: 1. speed 2. size", [])
    'Two points:\r1∯ speed\r2∯ size'
    """
    letter_items = [item for quick_look, item in _LETTER_ITEMS if quick_look.search(text)]
    for places in alphabets:
        for item in letter_items:
            text = _break_before_letters(text, item, places)
    if _DIGIT_PERIOD.search(text):
        text = _mark_numbers(text, _NUMBER_PERIOD, _NUMBER_PERIOD_MARKED, "♨")
        if not (_spans_lines(text, "♨") or _FOR_NUMBER.search(text)):
            text = _SPACE_BEFORE_NUMBER.sub("\r", _SPACE_BEFORE_BULLET.sub("\r", text))
        text = text.replace("♨", "∯")
    if _DIGIT_PAREN.search(text):
        for _ in range(2):  # pysbd looks again at what its first pass left
            text = _mark_numbers(text, _NUMBER_PAREN, _NUMBER_PAREN, "☝")
        if not _spans_lines(text, "☝"):
            text = _SPACE_BEFORE_NUMBER.sub("\r", text)
        text = text.replace("☝", "")
    return text


def _break_before_letters(text: str, item: re.Pattern[str], places: Mapping[str, int]) -> str:
    """A line break before each item whose letter or numeral has a neighbour in the list."""
    found = [letter for _, letter in item.findall(text) if letter in places]
    at = [places[letter] for letter in found]
    items = {
        letter
        for index, letter in enumerate(found)
        if abs(at[index] - at[index - 1]) == 1 or (index + 1 < len(at) and at[index + 1] - at[index] == 1)
    }

    def broken(match: re.Match[str]) -> str:
        bracket, letter = match.groups()
        if letter not in items:
            return match[0]
        return f"\r{'&✂&' if bracket else ''}{letter}{'∯' if match[0].endswith('.') else ''}"

    return item.sub(broken, text) if items else text


def _mark_numbers(text: str, number: re.Pattern[str], marked: re.Pattern[str], mark: str) -> str:
    """A mark behind each number that has a neighbour in the list."""
    numbers = [int(digits) for digits in number.findall(text)]
    items = {
        str(this)
        for this, before, after in zip(numbers, [None, *numbers], [*numbers[1:], None], strict=False)
        if this + 1 == after or this - 1 == before or {this, before} == {0, 9}
    }
    return marked.sub(lambda match: match[1] + mark if match[1] in items else match[0], text) if items else text


def _spans_lines(text: str, mark: str) -> bool:
    """Whether a line break lies between two marks, with something else on either side of it."""
    return mark in text and "\r" in text[text.index(mark) + 2 : max(0, text.rindex(mark) - 1)]
