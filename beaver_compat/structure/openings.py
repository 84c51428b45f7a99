"""What a line begins with before it says anything: marks of items and comments, brackets.

It reads characters only.  Only lines that qualify are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import any_between
from beaver_compat.text.characters import DIGIT, WIDE, WORD, is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

TAG = re.compile(r"\s*</?[\w:.-]{1,60} ?/?>\s*")
_LONGEST_TAG = 80  # characters, with white space
_CLOSING = re.compile(r"\s*(?:(?:\d{1,3}\.){1,4}|(?:fi|done|esac|end|endif|#endif|endfor|endwhile|pass)[;)]?)\s*")
_LONGEST_CLOSING = 32  # characters, with white space
_BRACKET = r"\[[^\[\]\n]{2,80}\]"
_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3}){0,3}|[^\W\d_])[.)\]](?=\s)"
_MARKS = re.compile(rf"(?:(?=({_BRACKET}|[\W_]|{_NUMBER}))\1){{0,40}}(?=[^\W_])")  # each mark is read in one way only


def text_begins(lined: LinedText, lines: Positions) -> Positions:
    """Where the first letter or digit of some hard lines stands that is none of a mark or a bracket.

    Where there is none, or only far behind such, that is where the line begins.

    Args:
        lined: the text.
        lines: ascending, int64 [k].
    """
    text, points, first, ends = lined.text, lined.points, lined.first[lines], lined.ends[lines]
    found = lined.starts[lines]
    initials, second = lined.classes[first], points[np.minimum(first + 1, points.size - 1)]
    marked = ((initials & (WORD | WIDE)) == 0) | ((initials & DIGIT) != 0) | is_any(second, ".)")
    for index in np.flatnonzero(marked).tolist():
        marks = _MARKS.match(text, first[index], ends[index])
        if marks:
            found[index] = marks.end()
    return found


def wordless(lined: LinedText, starts: Positions, ends: Positions) -> NDArray[np.bool_]:
    """True for each of some stretches that says nothing: signs without a letter or digit, a tag, an item's number or a
    word that closes a block by itself, bool [S].

    Args:
        lined: the text.
        starts, ends: characters of the stretches, int64 [S].
    """
    found = ~any_between(lined.characters.places(WORD | WIDE), starts, ends)
    likely = np.flatnonzero(~found & (ends - starts <= _LONGEST_CLOSING))
    closing = [_CLOSING.fullmatch(lined.text, starts[index], ends[index]) is not None for index in likely.tolist()]
    found[likely] = np.array(closing, dtype=bool)
    words, word_ends = lined.boundaries.words, lined.boundaries.word_ends
    if words.size and "</" in lined.text:
        first = words[np.minimum(word_ends.searchsorted(starts, side="right"), words.size - 1)]
        tags = np.flatnonzero((lined.points[first] == ord("<")) & (ends - starts <= _LONGEST_TAG))
        limits = zip(starts[tags].tolist(), ends[tags].tolist(), strict=True)
        alone = [TAG.fullmatch(lined.text, start, end) is not None for start, end in limits]
        found[tags] |= np.array(alone, dtype=bool)
    return found
