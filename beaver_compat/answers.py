"""Whether an answer stands in a text: the one rule of the benchmarks and of side-by-side comparisons."""

from __future__ import annotations

import re


def normalised(text: str) -> str:
    """``text`` case-folded, each run of white space as one space."""
    return " ".join(text.split()).casefold()


def stands_in(answer: str, text: str) -> bool:
    """Whether ``answer`` stands in ``text``, whatever the case and the white space, and not inside a longer word.

    Args:
        answer: an empty one stands nowhere.
        text: where it is looked for.

    >>> stands_in("new  york", "In New\\nYork."), stands_in("no", "now"), stands_in("東京", "在東京都")
    (True, False, True)
    """
    needle, haystack = normalised(answer), normalised(text)
    if not needle or needle not in haystack:
        return False
    # Only ASCII letters and digits close a word: scripts without spaces have no such edge.
    left = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", needle[0]) else ""
    right = r"(?![a-z0-9])" if re.match(r"[a-z0-9]", needle[-1]) else ""
    return re.search(left + re.escape(needle) + right, haystack) is not None
