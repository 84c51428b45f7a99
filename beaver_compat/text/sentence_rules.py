"""pysbd's sentence rules, run in bounded time.

pysbd (0.3.4, MIT licence) hides the periods that end no sentence behind placeholders, one rule after the
other, then cuts the text at the marks that are left. Some of its patterns backtrack without bound, and most
are compiled anew on each call. `SentenceRules` takes pysbd's tables (abbreviations, marks, patterns) and
applies them in pysbd's order: compiled once per language, every rule one pass, the patterns in need of it
rewritten to match the same without the backtracking. The library itself is left as it is.

The sentences are pysbd's, but for three differences that `sentence_abbreviations` names.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from beaver_compat.text.sentence_abbreviations import Abbreviations, one_pass
from beaver_compat.text.sentence_lists import break_before_items

PLACEHOLDER_LETTERS = "ȸȹƪᓰᓱᓳᓴᓷᓸ"
PLACEHOLDER_SYMBOLS = "∯♬♭☉☇☈☄♟♝☏∮♨☝⎋✂⌬"

# Marks inside quotes and brackets end no sentence.
_HIDDEN = {".": "∯", "。": "&ᓰ&", "．": "&ᓱ&", "！": "&ᓳ&", "!": "&ᓴ&", "?": "&ᓷ&", "？": "&ᓸ&"}
_HIDE_MARKS = str.maketrans(_HIDDEN)
_HIDE_MARKS_AND_QUOTES = str.maketrans({**_HIDDEN, "'": "&⎋&"})
_DOUBLE_MARKS = (("?!", "☉"), ("!?", "☈"), ("??", "☇"), ("!!", "☄"))
_DOUBLE_MARK_FIRST = re.compile(r"[?!]{2}")
_QUESTION_IN_QUOTES = re.compile(r"\?(?=['\"])")
_MARK_WITHIN_SENTENCE = re.compile(r"!(?=['\"]|,?\s[a-z])")
_LEADING_APOSTROPHE, _QUOTE_SPACE = re.compile(r"(?<=\s)'(?:[^']|'[a-zA-Z])*'\S"), re.compile(r"'\s")

# Rules of single languages.
_DASHED_MARK_KK = re.compile(r"[?!](?=\s*[-—])")
_ORDINAL_SK, _ROMAN_SK = r"(?<=\d)\.(?=\s*[a-z])", re.compile(r"(?<!\S)([VXI]+)\.(?=\s)")
_ROMANS_SK = 2  # pysbd hides the first two of a text only
_MONTHS = {
    "de": "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember",
    "sk": "Január|Február|Marec|Marca|Apríl|Máj|Jún|Júl|August|September|Október|November|December",
}
# Patterns that backtrack in pysbd. A run of marks starts at its first mark that has something before it.
_MARKS_RUN = re.compile(r"(?:(?<=[^\s!?])|(?<=(?<!\S)[!?]))[!?]{3,}(?=\s|\Z)")
_REFERENCE = re.compile(
    r"[.∯](?<=[^\d\s].)((?:\[(?:\d+(?:,(?:\s?-\s?|\s{0,2})|\s?-\s?|\s{1,2})(?=\d))*\d{1,3}\])+|(?:\d{1,3}\s?)?\d{1,3})"
    r"(\s)(?=[A-Z])"
)
_QUOTED_PAREN_START, _QUOTED_PAREN_END = re.compile(r'["”]\s\('), re.compile(r'\)\s["“]')
_PAREN_SPACE = re.compile(r"\s(?=\()|(?<=\))\s")
_BOUNDARY = re.compile(
    r"（[^）]*）(?=\s?[A-Z])|「[^」]*」(?=\s[A-Z])|\([^)]{2,}\)(?=\s[A-Z])|"
    r"'(?:[^']*''|[^']+'(?<!,'))(?=\s[A-Z])|\"(?:[^\"]*\"\"|[^\"]+\"(?<!,\"))(?=\s[A-Z])|"
    r"“(?:[^”]*””|[^”]+”(?<!,”))(?=\s[A-Z])|"
    r"[。．.！!?？ ]{2,}|\S[^。．.！!?？ȸȹ☉☈☇☄]*[。．.！!?？ȸȹ☉☈☇☄]|[。．.！!?？]"
)
_TWO_PERIODS = re.compile(r"\.\s?\.")
# A plain English sentence end: a word, one mark, spaces, a capital; and what may not be near.
_PLAIN_LEFT = re.compile(r"(?:\A|[ ,;/(\"'“‘’-])([A-Za-z]{2,})[.?] +\Z")
_PLAIN_RIGHT = re.compile(r"[A-Z][a-z' ]")
_NOT_PLAIN = re.compile(r"[^ -~\xa1-\u017f\u2010-\u2026]|\\|[.?!] ?[.?!]")
_OPENING_APOSTROPHE = re.compile(r"(?<![A-Za-z])'")
_AROUND = (('"', '"'), ("(", ")"), ("[", "]"), ("“", "”"), ("„", "“"), ("‘", "’"), ("«", "»"), ("--", "--"))
_ROMAN = re.compile(r"[ivxlcdmIVXLCDM]+")
_LONGEST_PLAIN_WORD = 32  # characters


class _Enclosure(NamedTuple):
    """Quotes or brackets: what is hidden in the matches of `pattern` that have a group 1."""

    opener: str
    closer: str
    pattern: re.Pattern[str]
    hide: dict[int, str] = _HIDE_MARKS_AND_QUOTES


class SentenceRules:
    """pysbd's rules for one language, compiled. Holds nothing of a text, so threads may share it.

    Args:
        code: the language's code.
        tables: pysbd's class of that language.
    """

    def __init__(self, code: str, tables: Any) -> None:
        lists = importlib.import_module("pysbd.lists_item_replacer").ListItemReplacer
        exclamations = importlib.import_module("pysbd.exclamation_words").ExclamationWords
        alphabets = [lists.ROMAN_NUMERALS] if code == "sk" else [lists.LATIN_NUMERALS, lists.ROMAN_NUMERALS]
        own_boundary = "SENTENCE_BOUNDARY_REGEX" in vars(tables)
        names = ("ReplaceColonBetweenNumbersRule", "ReplaceNonSentenceBoundaryCommaRule")
        restored = (*tables.SubSymbolsRules.All, *tables.ReinsertEllipsisRules.All)
        self._code = code
        self._alphabets = [{letter: alphabet.index(letter) for letter in alphabet} for alphabet in alphabets]
        self._punctuations = "".join(tables.Punctuations)
        self._mark = re.compile(f"[{re.escape(self._punctuations)}]")
        self._boundary = re.compile(tables.SENTENCE_BOUNDARY_REGEX) if own_boundary else _BOUNDARY
        self._abbreviations = Abbreviations(code, tables)
        self._numbers = one_pass(_number_rules(code, tables))
        self._inner_period = re.compile(tables.Abbreviation.WithMultiplePeriodsAndEmailRule.pattern)
        self._exclamations = re.compile(exclamations.EXCLAMATION_REGEX)
        self._roman_in_parens = re.compile(lists.ROMAN_NUMERALS_IN_PARENTHESES)
        self._ellipses = _compiled(tables.EllipsisRules.All)
        self._own_rules = _compiled(getattr(tables, name) for name in names if hasattr(tables, name))
        self._enclosures = _enclosures(code)
        self._originals = {rule.pattern: rule.replacement for rule in restored}
        self._placeholder = re.compile("|".join(self._originals))
        self._after_quote = re.compile(tables.SPLIT_SPACE_QUOTATION_AT_END_OF_SENTENCE_REGEX)

    def sentences(self, text: str) -> Iterator[str]:
        """The sentences of a text without pysbd's placeholders, less the white space around them."""
        text = break_before_items(text.replace("\n", "\r"), self._alphabets)
        text = self._numbers.sub("∯", self._abbreviations.hide(text))
        if self._code == "sk":
            text = _ROMAN_SK.sub(r"\1∯", text, count=_ROMANS_SK)
        text = _MARKS_RUN.sub(_translate_marks, text)
        text = _REFERENCE.sub(r"∯\1\r\2", text)
        text = self._inner_period.sub(r"\1∮\3", text)
        for line in _break_at_quoted_parens(text).split("\r"):
            for piece in self._cut(line):
                restored = self._placeholder.sub(lambda match: self._originals[match[0]], piece)
                for sentence in self._after_quote.split(restored):
                    if stripped := sentence.replace("&⎋&", "'").strip():
                        yield stripped

    def plainly_ends(self, left: str, right: str) -> bool:
        """Whether a sentence ends between two texts for reasons that need no more than a look.

        True only where `sentences` of both together ends one there, too; False says nothing.
        """
        word = _PLAIN_LEFT.search(left, max(len(left) - _LONGEST_PLAIN_WORD, 0))
        if self._code != "en" or not word or not _PLAIN_RIGHT.match(right):
            return False
        if word[1].lower() in self._abbreviations.last_words or _ROMAN.fullmatch(word[1]):
            return False
        if _NOT_PLAIN.search(left) or _NOT_PLAIN.search(right):
            return False
        if "'" in right and _OPENING_APOSTROPHE.search(left):
            return False
        return not any(closer in right and opener in left for opener, closer in _AROUND)

    def _cut(self, line: str) -> list[str]:
        """A line cut behind the marks that end its sentences."""
        if _TWO_PERIODS.search(line):
            for pattern, replacement in self._ellipses:
                line = pattern.sub(replacement, line)
        if not self._mark.search(line):
            return [line]
        if line[-1] not in self._punctuations:
            line += "ȸ"
        line = self._hide_enclosed(line)
        if "?" in line or "!" in line:
            if not _DOUBLE_MARK_FIRST.match(line):
                for marks, placeholder in _DOUBLE_MARKS:
                    line = line.replace(marks, placeholder)
            line = _MARK_WITHIN_SENTENCE.sub("&ᓴ&", _QUESTION_IN_QUOTES.sub("&ᓷ&", line))
        if "(" in line:
            line = self._roman_in_parens.sub(r"&✂&\1&⌬&", line)
        for pattern, replacement in self._own_rules:
            line = pattern.sub(replacement, line)
        if line.endswith("&ᓴ&"):
            line = line.removesuffix("&ᓴ&") + "!"
        return self._boundary.findall(line)

    def _hide_enclosed(self, line: str) -> str:
        """The marks in exclaiming names, quotes and brackets hidden."""
        if "!" in line:
            line = self._exclamations.sub(_translate_marks, line)
        for opener, closer, pattern, hide in self._enclosures:
            end = line.rfind(closer) + len(closer)  # every match lies before it
            if opener not in line[:end] or (opener == ",," and "„" in line):
                continue
            # An apostrophe that leads a word, and none that closes one: no single quotes.
            if opener == "'" and _LEADING_APOSTROPHE.search(line) and not _QUOTE_SPACE.search(line):
                continue
            line = pattern.sub(functools.partial(_translate_group, table=hide), line[:end]) + line[end:]
        return _DASHED_MARK_KK.sub(_translate_marks, line) if self._code == "kk" else line


def _translate_marks(match: re.Match[str]) -> str:
    return match[0].translate(_HIDE_MARKS)


def _translate_group(match: re.Match[str], table: dict[int, str]) -> str:
    return match[0].translate(table) if match[1] else match[0]


def _compiled(rules: Iterable[Any]) -> list[tuple[re.Pattern[str], str]]:
    """pysbd's rules, compiled: pattern, replacement."""
    return [(re.compile(rule.pattern), rule.replacement) for rule in rules]


def _number_rules(code: str, tables: Any) -> list[str]:
    """Periods in and behind numbers, coordinates and file names."""
    months = [rf"(?<=\d)\.(?=\s*(?:{_MONTHS[code]}))"] if code in _MONTHS else []
    ordinal = [_ORDINAL_SK] if code == "sk" else []
    numbers = [rule.pattern for rule in tables.Numbers.All]
    return [*numbers, *months, *ordinal, tables.GeoLocationRule.pattern, tables.FileFormatRule.pattern]


def _enclosures(code: str) -> list[_Enclosure]:
    """The quotes and brackets of a language, in pysbd's order."""
    if code == "zh":
        return [_between_signs("《", "》"), _between_signs("「", "」")]
    if code == "ja":
        return [_between_signs("（", "）", r"[^（）]"), _between_signs("「", "」", r"[^「」]")]
    double = [("„", "“"), (",,", "“")] if code == "de" else [('"', '"')]
    return [
        _Enclosure("'", "'", re.compile(r"(?<=\s)('(?:[^']|'[a-zA-Z])*')"), _HIDE_MARKS),
        _Enclosure("‘", "’", re.compile(r"(?<=\s)(‘(?:[^’]|’[a-zA-Z])*’)")),
        *(_between_signs(opener, closer) for opener, closer in double),
        _between_signs("[", "]"),
        _between_signs("(", ")", r"[^()\\]"),
        _between_signs("«", "»"),
        _Enclosure("--", "--", re.compile(r"(--[^-]*--)")),
        _between_signs("“", "”"),
        *([_between_signs("„", "“")] if code == "sk" else []),
    ]


def _between_signs(opener: str, closer: str, inner: str = "") -> _Enclosure:
    """Inner characters, or one behind a backslash, between two signs.

    Where no closer follows the inner characters, they are matched outside of group 1, but for an opener at
    their end, so that no opener among them is tried again.
    """
    opened, closed = re.escape(opener), re.escape(closer)
    inner = inner or rf"[^{closed}\\]"
    pattern = rf"{opened}(?:({inner}+{closed}|\\.{closed})|{inner}*(?={inner}{{{len(opener)}}}))"
    return _Enclosure(opener, closer, re.compile(pattern))


def _break_at_quoted_parens(text: str) -> str:
    """A line break around brackets that stand between double quotes."""
    start = _QUOTED_PAREN_START.search(text) if "(" in text else None
    ends = [match.end() for match in _QUOTED_PAREN_END.finditer(text, start.end())] if start else []
    if not start or not ends:
        return text
    inside = _PAREN_SPACE.sub("\r", text[start.start() : ends[-1]])
    return text[: start.start()] + inside + text[ends[-1] :]
