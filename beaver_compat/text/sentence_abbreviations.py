"""The periods of abbreviations, by pysbd's rules and tables, in one walk over the periods of a text.

pysbd (0.3.4) searches a text at least once for each abbreviation of the language (2,225 in Italian), with
patterns made on the spot. Here each period is looked at once: does an abbreviation stand before it, and what
stands behind. The outcome is pysbd's, with three differences. Abbreviations are looked up literally, all at
once; pysbd looks them up one by one, each period a wildcard: "u.s" makes "ups." one in the same text. In Arabic,
German, Persian and Slovak pysbd takes a line that begins with the letters of one, as "Artikel" does with those of
"Art.", for a sign that any word which ends with them is one. And a few more English ones count before a number:
"Apt. 3B", "Vol. IV".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

# What follows the period of an abbreviation that ends no sentence.
_ANYTHING, _SPACE = re.compile(""), re.compile(r"\s")
_AFTER_TITLE = re.compile(r"\s|:\d")
_AFTER_NUMBER_SIGN = re.compile(r"\s\d|\s+\(")
_AFTER_OTHERS = re.compile(r"[.:\-?,]|\s(?:[a-z]|I\s|I'm|I'll|\d|\()")
_AFTER_NUMBERED = re.compile(r"\s(?:#?\d|[A-Z]-?\d|[IVXLC]{2,}\b)|\s\(\d")
_AFTER_ALL = {"ar": _ANYTHING, "bg": _ANYTHING, "de": _SPACE, "fa": _ANYTHING, "ru": _ANYTHING}
# English ones before a number; those that are also words, such as "app.", would join sentences.
# fmt: off
_NUMBERED = (
    "apt", "art", "bldg", "ch", "chap", "cl", "eq", "eqs", "ext", "figs", "fl", "hwy", "no", "nos", "p", "para", "pl",
    "pp", "pt", "pts", "rm", "rte", "sec", "secs", "sect", "sects", "ste", "tel", "ver", "vol", "vols",
)
# fmt: on
_ENDING_ABBREVIATIONS = r"U∯S|U\.S|U∯K|E∯U|E\.U|U∯S∯A|U\.S\.A|I|i.v|I.V"
_ENDING_ABBREVIATIONS_DA = r"U∯S|U\.S|U∯K|E∯U|E\.U|U∯S∯A|U\.S\.A|I|i.v|s.u|s.U"
_LETTERS_DE = (r"(?<=\s[a-z])\.(?=\s)", r"(?<=^[a-z])\.(?=\s)")
_LETTERS_KK = (r"(?<=^[А-ЯЁ])\.(?=\s)", r"(?<=\s[А-ЯЁ])\.(?=\s)")
_PERIOD = re.compile(r"\.")
_LOOKBEHIND_MARK = re.compile(r"\(\?<=((?:[^()\\]|\\.)*)\)(\\\.|∯)")


class Abbreviations:
    """pysbd's abbreviations of one language, compiled.

    Args:
        code: the language's code.
        tables: pysbd's class of that language.

    Attributes:
        last_words: the last word of each abbreviation, in lower case.
    """

    def __init__(self, code: str, tables: Any) -> None:
        endings = _ENDING_ABBREVIATIONS_DA if code == "da" else _ENDING_ABBREVIATIONS
        starters = "|".join(rf"(?=\s{word}\s)" for word in tables.AbbreviationReplacer.SENTENCE_STARTERS)
        self._code = code
        self._letters = one_pass(_letter_rules(code, tables))
        self._am_pm = one_pass(rule.pattern for rule in tables.AmPmRules.All)
        self._multi_period = re.compile(tables.MULTI_PERIOD_ABBREVIATION_REGEX, re.IGNORECASE)
        self._ending_abbreviation = re.compile(f"({endings})∯({starters})")
        self._followers = _followers(code, tables.Abbreviation)
        self._rank = {name: rank for rank, name in enumerate(self._followers)}
        self._longest = max(map(len, self._followers))
        self._spaced = tuple(name for name in self._followers if " " in name)
        self.last_words = frozenset(name.rsplit(None, 1)[-1] for name in self._followers)

    def hide(self, text: str) -> str:
        """The periods of abbreviations hidden, but where a sentence starts behind one."""
        if "." not in text and "∯" not in text:
            return text
        text = self._letters.sub("∯", text)
        if self._code == "de":
            text = self._hide_known(text)
        elif self._code != "kk":
            text = "".join(map(self._hide_known, text.splitlines(keepends=True)))
        text = self._multi_period.sub(lambda match: match[0].replace(".", "∯"), text)
        if self._code == "kk" or "∯" not in text:
            return text
        return self._ending_abbreviation.sub(r"\1.", self._am_pm.sub(".", text))

    def _hide_known(self, line: str) -> str:
        """The periods behind the language's abbreviations hidden; in Slovak those inside them too."""
        if "." not in line:
            return line
        characters = list(line)
        for place in (match.start() for match in _PERIOD.finditer(line)):
            before = line[max(0, place - self._longest - 1) : place].lower()
            names = [name for name in self._names_at_end(before) if self._followers[name].match(line, place + 1)]
            if names:  # pysbd takes the one that comes first in the language's list
                name = min(names, key=self._rank.__getitem__)
                for index in range(place - len(name), place + 1) if self._code == "sk" else (place,):
                    if line[index] == ".":
                        characters[index] = "∯"
        return "".join(characters)

    def _names_at_end(self, before: str) -> Iterator[str]:
        """The abbreviations, whole words each, that a lower-case text ends with."""
        word = "" if not before or before[-1].isspace() else before.rsplit(None, 1)[-1]
        if word in self._followers:
            yield word
        if self._spaced and before.endswith(self._spaced):
            for name in self._spaced:
                if before.endswith(name) and not before[: -len(name)][-1:].strip():
                    yield name


def one_pass(rules: Iterable[str]) -> re.Pattern[str]:
    """One pattern for rules that replace one mark each, rewritten to begin with it: quick to search for."""
    return re.compile(_LOOKBEHIND_MARK.sub(r"\2(?<=\1\2)", "|".join(rules)))


def _letter_rules(code: str, tables: Any) -> list[str]:
    """Single letters before a period, and two rules that go with them."""
    if code == "kk":
        return list(_LETTERS_KK)
    single = [rule.pattern for rule in tables.SingleLetterAbbreviationRules.All]
    if code == "de":
        return [tables.PossessiveAbbreviationRule.pattern, *single, *_LETTERS_DE]
    return [tables.PossessiveAbbreviationRule.pattern, tables.KommanditgesellschaftRule.pattern, *single]


def _followers(code: str, abbreviations: Any) -> dict[str, re.Pattern[str]]:
    """For each abbreviation what has to follow its period."""
    names = [name.strip() for name in abbreviations.ABBREVIATIONS]
    if code in _AFTER_ALL:
        return dict.fromkeys(names, _AFTER_ALL[code])
    followers = dict.fromkeys(names, _ANYTHING if code == "sk" else _AFTER_OTHERS)
    followers |= {name: _AFTER_NUMBER_SIGN for name in abbreviations.NUMBER_ABBREVIATIONS if name in followers}
    if code == "en":
        for name in _NUMBERED:
            known = f"|{followers[name].pattern}" if name in followers else ""
            followers[name] = re.compile(_AFTER_NUMBERED.pattern + known)
    return followers | {name: _AFTER_TITLE for name in abbreviations.PREPOSITIVE_ABBREVIATIONS if name in followers}
