"""The elements that one long line of data holds: those of a JSON array, blocks of minified HTML.

Where the whole line does not fit, whole elements may be kept.  It reads characters only.
"""

from __future__ import annotations

import re

_LEAST_ELEMENTS = 3
_DEPTHS = 4  # arrays deeper inside are not divided
_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')
_BLOCK = re.compile(r"(?<=>)\s*(?=<(?:li|tr|p|div|h[1-6]|section|article|dt|dd|option|entry|item|row|record)\b)", re.I)


def element_starts(text: str) -> list[int]:
    """Where the elements of a line of data begin, behind its first character; none where it does not hold enough.

    >>> text = '{"people": [{"id": 1}, {"id": 2}, {"id": 3}]}'
    >>> [text[start:][:8] for start in element_starts(text)]
    ['{"id": 1', '{"id": 2', '{"id": 3']
    >>> element_starts('{"id": 1, "name": "Ann", "city": "Rome"}')
    []
    """
    if text.startswith("<"):
        found = [match.end() for match in _BLOCK.finditer(text, 1)]
        return found if len(found) >= _LEAST_ELEMENTS - 1 else []
    elements: list[list[int]] = [[] for _ in range(_DEPTHS)]  # of the arrays of objects or arrays at each depth
    opened: list[str] = []
    for match in _SIGN.finditer(text):
        sign = match[0]
        if sign in "[{":
            if opened and opened[-1] == "[" and len(opened) <= _DEPTHS:
                elements[len(opened) - 1].append(match.start())
            opened.append(sign)
        elif sign in "]}" and opened:
            opened.pop()
    return next((starts for starts in elements if len(starts) >= _LEAST_ELEMENTS), [])
