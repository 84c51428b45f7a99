"""Names that a question has, and the lines of code and settings that define them."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import holds
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_LONGEST_QUESTION = 1024  # characters of it that are looked at, the last
_MOST_NAMES = 32
_MOST_LINES = 64  # with a name before a sign of equality: one of more is not defined, but used
_FARTHEST = 60  # characters before the name in its line
_NAME = re.compile(r"[^\W\d]\w{2,79}")
_VALUE = r"(?!\w)[ \t]{0,40}(?::[^=\n]{0,60})?=(?![=~>])"
_HEAD = re.compile(r"[-+*]?[ \t]{0,8}(?:[#@&*]?\w+(?:<[\w, ]*>|\[\])?[*&]?[ \t]+){0,4}[$@*&]?")
_ARGUMENT_ENDS = (",", ")")


def asked_names(question: str) -> tuple[str, ...]:
    """The words of a question that are spelt like names, with capitals, digits or ``_`` inside, the last ones.

    >>> asked_names("Which value has MAX_TRIES or maxTries?")
    ('MAX_TRIES', 'maxTries')
    """
    words = dict.fromkeys(_NAME.findall(question[-_LONGEST_QUESTION:]))
    return tuple(word for word in words if not word.isalpha() or word[1:] != word[1:].lower())[-_MOST_NAMES:]


def definitions(lined: LinedText, names: tuple[str, ...]) -> list[list[int]]:
    """Where each of some names is given its value, as by ``NAME = 3``, ``const int NAME = 3;`` or ``#define NAME 3``.

    Names without such a place have none.  An argument of a call of several lines is none (``NAME=3,``).

    Args:
        lined: the text.
        names: as they are spelt in the text.
    """
    text = lined.text
    found = []
    for name in names if "=" in text or holds(text, "#define") else ():
        if name not in text:
            continue
        places = _assigned(lined, name)
        if holds(text, "#define"):
            places += [at.start() for at in re.finditer(rf"#define[ \t]{{1,40}}{re.escape(name)}(?!\w)", text)]
        if 0 < len(places) <= _MOST_LINES:
            found.append(places)
    return found


def _assigned(lined: LinedText, name: str) -> list[int]:
    """Where the lines begin that give a name its value by a sign of equality."""
    text = lined.text
    places = np.array([at.start() for at in re.finditer(re.escape(name) + _VALUE, text)], dtype=np.int64)
    line, first = np.unique(lined.starts.searchsorted(places, side="right") - 1, return_index=True)
    places = places[first]
    near = places - lined.first[line] <= _FARTHEST
    line, places = line[near], places[near]
    if line.size > _MOST_LINES:
        return []
    found = []
    columns = (lined.first[line], lined.ends[line], places)
    for begin, end, place in zip(*(column.tolist() for column in columns), strict=True):
        argument = text[place + len(name)] == "=" and text.endswith(_ARGUMENT_ENDS, place, end)
        if _HEAD.fullmatch(text, begin, place) and not argument:
            found.append(begin)
    return found
