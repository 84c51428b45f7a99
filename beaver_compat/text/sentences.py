"""Sentence ends of short windows of text: pysbd's, in bounded time, as positions.

The sentences come from `SentenceRules`, which runs pysbd's rules from pysbd's own tables. Where the installed
pysbd isn't the one whose tables are expected, or is missing, a plain rule (a mark, then white space) does the
work and one log message says so.

The module knows neither pages nor tokens nor hard-wrapped lines: every newline ends a sentence.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
import re
import threading
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from beaver_compat.errors import InputValueError, shown
from beaver_compat.text.sentence_rules import PLACEHOLDER_LETTERS, PLACEHOLDER_SYMBOLS, SentenceRules

# fmt: off
LANGUAGES = frozenset({
    "am", "ar", "bg", "da", "de", "el", "en", "es", "fa", "fr", "hi", "hy",
    "it", "ja", "kk", "mr", "my", "nl", "pl", "ru", "sk", "ur", "zh",
})
# fmt: on
_REMEMBERED = 4096  # windows, a few hundred characters each: text that repeats is looked at once

_EXPECTED_TABLES = "0.3.4 574493591a893705"  # what _tables_digest gives
_TAG = re.compile("([a-z]{2})([-_][a-z]{4})?([-_]([a-z]{2}|[0-9]{3}))?", re.I | re.A)
_LOCK = threading.Lock()
_LOG = logging.getLogger(__name__)

# pysbd's placeholders in the user's own text become harmless: a letter for a letter, a symbol for a symbol.
_PLACEHOLDER = re.compile(f"[{PLACEHOLDER_LETTERS}{PLACEHOLDER_SYMBOLS}]")
_NEUTRAL = str.maketrans(dict.fromkeys(PLACEHOLDER_LETTERS, "x") | dict.fromkeys(PLACEHOLDER_SYMBOLS, "□"))
_PLAIN_END = re.compile(r"[.!?…؟۔։।።။][\"'”’»)\]]*(?=\s)|[。．！？]+[\"'”’」』）]*|[\r\n]")

_SCRIPTS = {
    "am": "\u1200-\u139f",
    "ar": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "hi": "\u0900-\u097f",
    "hy": "\u0531-\u058f",
    "my": "\u1000-\u109f",
    "ru": "\u0400-\u052f",
    "zh": "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f",
}
_OTHER_SCRIPTS = re.compile(f"[{''.join(_SCRIPTS.values())}]+")
_SCRIPT = {code: re.compile(f"[{letters}]+") for code, letters in _SCRIPTS.items()}
_KANA = re.compile("[\u3041-\u30fa]")
_URDU_FULL_STOP = "\u06d4"


def sentence_ends(window: str, language: str | None = None) -> list[int]:
    """Where the sentences of a window end.

    Args:
        window: some hundred characters; each newline ends a sentence.
        language: one of `LANGUAGES`; None chooses by `script_language`.

    Returns:
        Positions (characters of `window`) right after each sentence and the white space behind it, strictly
        ascending; the last is ``len(window)``. Empty for an empty window.

    >>> sentence_ends("Dr. Who left at 5 p.m. on Tuesday. Why? ")
    [35, 40]
    """
    rules = _rules(language or script_language(window))
    if rules is None:
        return _positions(window, (match.end() for match in _PLAIN_END.finditer(window)))
    text = window.translate(_NEUTRAL) if _PLACEHOLDER.search(window) else window
    return _positions(text, _found_ends(text, rules.sentences(text)))


@functools.lru_cache(_REMEMBERED)
def ends_between(left: str, right: str, language: str | None = None) -> bool:
    """Whether a sentence ends between two texts, by `sentence_ends`, in less time where that is plain to see.

    Args:
        left, right: together as in `sentence_ends`.
        language: as in `sentence_ends`.

    >>> ends_between("They saw Dr. ", "Who went."), ends_between("They saw him. ", "Who went?")
    (False, True)
    """
    if language in (None, "en"):
        rules = _rules("en")
        if rules is not None and rules.plainly_ends(left, right):
            return True
    return len(left) in sentence_ends(left + right, language)


def language_code(tag: str) -> str:
    """The one of `LANGUAGES` that a tag names, in any case, with a script and a region or without.

    Raises:
        InputValueError: no such tag, or a language without rules.

    >>> [language_code(tag) for tag in ("de", "DE", "de-AT", "de_at", "zh-Hant-TW", "es-419")]
    ['de', 'de', 'de', 'de', 'zh', 'es']
    """
    found = _TAG.fullmatch(tag)
    code = found[1].lower() if found else ""
    if code not in LANGUAGES:
        codes = ", ".join(sorted(LANGUAGES))
        raise InputValueError(f"language {shown(tag)} has no sentence rules: pass one of {codes}, or None")
    return code


def script_language(window: str) -> str:
    """The language whose rules fit the script of most letters of a window.

    ``zh`` for Han without kana, ``ja`` with kana, ``ru`` for Cyrillic, ``ar`` for Arabic script (``ur`` with
    Urdu's own full stop), ``am``, ``el``, ``hi``, ``hy``, ``my`` for theirs, ``en`` for everything else.
    Languages that share a script can't be told apart here.

    >>> [script_language(text) for text in ("他来了。", "彼は来た。", "Он пришёл.", "Él vino.")]
    ['zh', 'ja', 'ru', 'en']
    """
    if window.isascii():
        return "en"
    letters = "".join(_OTHER_SCRIPTS.findall(window))
    if not letters or 2 * len(letters) < sum(map(str.isalpha, window)):
        return "en"
    code = max(_SCRIPT, key=lambda code: sum(map(len, _SCRIPT[code].findall(letters))))
    if code == "zh" and _KANA.search(letters):
        return "ja"
    return "ur" if code == "ar" and _URDU_FULL_STOP in letters else code


def _found_ends(text: str, sentences: Iterable[str]) -> Iterator[int]:
    """The end of each sentence; one that isn't in the text verbatim joins the next."""
    end = 0
    for sentence in sentences:
        start = text.find(sentence, end)
        if start >= 0:
            end = start + len(sentence)
            yield end


def _positions(text: str, ends: Iterable[int]) -> list[int]:
    """Ends moved behind what belongs to the sentence, strictly ascending, the end of the text the last."""
    positions = [0]
    for end in ends:
        moved = max(end, positions[-1])
        while moved < len(text) and _belongs_to_last(text[moved]):
            moved += 1
        if moved > positions[-1]:
            positions.append(moved)
    if positions[-1] < len(text):
        positions.append(len(text))
    return positions[1:]


def _belongs_to_last(character: str) -> bool:
    """White space, marks, joiners and low surrogates go with what stands before them.

    >>> [_belongs_to_last(c) for c in (" ", chr(0x301), chr(0x200D), chr(0xDC00), "a")]
    [True, True, True, True, False]
    """
    if character.isspace() or character == "\u200d" or "\udc00" <= character <= "\udfff":
        return True
    return unicodedata.category(character).startswith("M")


@functools.cache
def _rules(code: str) -> SentenceRules | None:
    """The rules of one language; None where pysbd's tables aren't the expected ones."""
    with _LOCK:
        tables = _tables()
    return None if tables is None else SentenceRules(code, tables[code])


@functools.cache
def _tables() -> dict[str, Any] | None:
    """pysbd's classes by language; None, with one log message, where they aren't the expected ones."""
    try:
        with warnings.catch_warnings():
            # Its patterns hold escapes that Python warns about: as deprecated up to 3.11, then as syntax.
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", SyntaxWarning)
            languages = importlib.import_module("pysbd.languages").LANGUAGE_CODES
        found = _tables_digest(languages)
    except (ImportError, AttributeError) as error:
        found = repr(error)
    if found != _EXPECTED_TABLES:
        _LOG.warning("pysbd 0.3.4 is expected, not this one (%s): sentences end by a plain rule", found)
        return None
    return dict(languages)


def _tables_digest(languages: dict[str, type]) -> str:
    """pysbd's version and a digest of every string, list and rule in its classes."""
    digest = hashlib.sha256()
    seen: set[type] = set()

    def add(cls: type) -> None:
        if cls in seen or not cls.__module__.startswith("pysbd."):
            return
        seen.add(cls)
        for base in cls.__bases__:
            add(base)
        for name, value in sorted(vars(cls).items()):
            if isinstance(value, type):
                add(value)
            elif not name.startswith("__") and (isinstance(value, (str, list)) or hasattr(value, "pattern")):
                digest.update(f"{cls.__qualname__}.{name}={value!r}".encode())

    for code in sorted(languages):
        add(languages[code])
    add(importlib.import_module("pysbd.exclamation_words").ExclamationWords)
    add(importlib.import_module("pysbd.lists_item_replacer").ListItemReplacer)
    version = importlib.import_module("pysbd.about").__version__
    return f"{version} {digest.hexdigest()[:16]}"
