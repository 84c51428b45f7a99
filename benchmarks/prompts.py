"""Long prompts for timing: about as many tokens as asked, another text and another question for every number.

Generated texts are sentences of the GPL in random order.  One word in eight is an invented name or a number, so
that hardly a sentence comes twice and the vocabulary grows with the text, as it does in real ones.  Nothing here
knows who reads the texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.baselines import sentences
from benchmarks.reporting import ROOT

GPL = ROOT / "docs" / "demo" / "gpl-3.0.txt"
SEED = 42
SAMPLE_CHARACTERS = 500_000
MARGIN = 1.1  # a text is made so much longer than estimated, counted and cut
INVENTED_SHARE = 1 / 8  # of the words
NUMBER_SHARE = 1 / 5  # of the invented words
REPETITIONS = 4  # of an invented word, on average
MOST_INVENTED = 50_000
PARAGRAPH_SHARE = 1 / 6  # of the sentences end a paragraph
QUOTED_CHARACTERS = 80  # of the text in a question

_SYLLABLES = [
    first + vowel + last for first in "bcdfgklmnprstvz" for vowel in "aeiou" for last in ("", "n", "r", "s", "l")
]
_UNITS = {"": 1, "k": 1024, "M": 1024**2}

Words = npt.NDArray[np.object_]


def parse_length(text: str) -> int:
    """A number of tokens: "800", "16k" (16,384) or "10M".

    >>> parse_length("16k")
    16384
    """
    match = re.fullmatch(r"(\d+)([kM]?)", text)
    if not match or int(match[1]) == 0:
        raise ValueError(f"length {text!r} isn't a number of tokens such as 800, 16k or 10M")
    return int(match[1]) * _UNITS[match[2]]


def length_label(length: int) -> str:
    """The short form of a number of tokens.

    >>> length_label(16_384), length_label(800)
    ('16k', '800')
    """
    unit = max((unit for unit, size in _UNITS.items() if length % size == 0), key=_UNITS.__getitem__)
    return f"{length // _UNITS[unit]}{unit}"


class Prompts:
    """Texts of about any number of tokens, each with a question; the same number always gives the same text.

    Args:
        count: tokens of a text.
        files: texts to take passages of, one behind the other, instead of generated ones.

    `sample` is a text of its own, `SAMPLE_CHARACTERS` long at most.

    Raises:
        ValueError: there is no text in the files.
    """

    def __init__(self, count: Callable[[str], int], files: Sequence[Path] = ()) -> None:
        self._given = "\n\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)
        if files and not self._given:
            raise ValueError(f"no text in {', '.join(map(str, files))}")
        flowing = re.sub(r"(?<!\n)\n(?!\n)", " ", GPL.read_text(encoding="utf-8"))
        lines = [[word + " " for word in sentence.split()] for sentence in sentences(flowing)]
        self._words = np.array([word for line in lines for word in line], dtype=object)
        self._limits = np.cumsum([0, *map(len, lines)])
        self._sentence_characters = sum(map(len, self._words.tolist())) / len(lines)
        self._count = count
        self.sample = self._passage(SAMPLE_CHARACTERS, np.random.default_rng(SEED))
        self._token_characters = len(self.sample) / max(count(self.sample), 1)

    def text(self, tokens: int, number: int) -> str:
        """A text of about `tokens` tokens.

        Raises:
            ValueError: the given files are shorter than that.
        """
        rng = np.random.default_rng([SEED, tokens, number])
        longer = self._passage(round(MARGIN * tokens * self._token_characters), rng)
        end = round(tokens * len(longer) / max(self._count(longer), 1))
        if self._given and end > len(longer):
            raise ValueError(f"the given files have fewer than {tokens:,} tokens: give more of them")
        return longer[:end]

    def question(self, text: str, number: int) -> str:
        """A question about some passage of `text`."""
        start = int(np.random.default_rng([SEED, number]).integers(max(len(text) - QUOTED_CHARACTERS, 1)))
        quoted = " ".join(text[start : start + QUOTED_CHARACTERS].split())
        return f"What does the text say about this: {quoted}?"

    def _passage(self, characters: int, rng: np.random.Generator) -> str:
        if not self._given:
            return self._generated(characters, rng)
        start = int(rng.integers(len(self._given)))
        return (self._given[start:] + self._given[:start])[:characters]

    def _generated(self, characters: int, rng: np.random.Generator) -> str:
        count = 2 + round(MARGIN * characters / self._sentence_characters)
        order = rng.integers(self._limits.size - 1, size=count)
        lengths = np.diff(self._limits)[order]
        ends = np.cumsum(lengths)
        words = self._words[np.arange(ends[-1]) + np.repeat(self._limits[order] - ends + lengths, lengths)]
        replaced = rng.random(words.size) < INVENTED_SHARE
        replaced[ends - 1] = False  # they end in a period
        places = np.flatnonzero(replaced)
        words[places] = _invented(places.size, rng)
        last = ends[:-1][rng.random(count - 1) < PARAGRAPH_SHARE] - 1
        words[last] = [word.rstrip() + "\n\n" for word in words[last].tolist()]
        return "".join(words.tolist())[:characters]


def _invented(count: int, rng: np.random.Generator) -> Words:
    """Names and numbers, `[count]`; the first of them come most often."""
    distinct = 1 + min(count // REPETITIONS, MOST_INVENTED)
    syllables = rng.integers(len(_SYLLABLES), size=(distinct, 3)).tolist()
    numbers = rng.integers(10_000, size=distinct).tolist()
    is_number = (rng.random(distinct) < NUMBER_SHARE).tolist()
    words = [
        f"{number} " if flag else "".join(_SYLLABLES[i] for i in row).capitalize() + " "
        for row, number, flag in zip(syllables, numbers, is_number, strict=True)
    ]
    return np.array(words, dtype=object)[(rng.random(count) ** 2 * distinct).astype(np.int64)]
