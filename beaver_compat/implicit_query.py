"""Where the implicit query stands: what ranks the text where no question is given.

The paper takes the final segment, of a fixed size.  Most prompts that come in one piece end or begin with their
question: where that can be told it is the query, and words of the text beside it are not asked for, too.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.ascending import union
from beaver_compat.boundaries import Boundaries
from beaver_compat.characters import is_any
from beaver_compat.segmenter import tokens_at

Positions = NDArray[np.int64]

_QUERY_SHARE = 8  # the final segment is one of so many parts of a short text
_LEAST_QUERY = 4  # tokens: fewer ask nothing
_MOST_BEHIND = 16  # tokens behind a question that no blank line sets apart: ``Answer in one word.``
_MARK = re.compile(r"\?(?![\w=&/])|[？؟՞]")  # not the one in a web address
_SIGNS = "?？؟՞"
_CUE = re.compile(
    r"[ \t]*(?:[#>*]+ *)?(?:(?:(?:the|my|user|your) )?(?:question|query)|q|frage|pregunta|domanda|pergunta|vraag|вопрос"
    r"|问题|問題|質問|问|問|질문)[ \d#.)]*\**[:：.)]",
    re.I,
)


def find_query(
    text: str,
    points: NDArray[np.uint32],
    token_starts: Positions,
    boundaries: Boundaries,
    context_limits: Positions,
    page_size: int,
) -> tuple[int, int]:
    """The first token of the implicit query and the one behind its last; it ends the text or begins it.

    The query is the first of these that there is; all but the third are of the last context that shows anything:

    - what begins with the last line that calls itself a question, at most 2 M tokens;
    - with the last line that has a question mark, or the sentence, behind a blank line or near the end;
    - what the text begins with, up to a line that has a question mark and a blank line behind it, or up to the end of a
      paragraph that calls itself a question, unless lines further down ask something, too;
    - the last paragraph, if its first line is a sentence;
    - the last M tokens, of a short text an eighth, from where the nearest line or sentence begins, as in the paper.

    The second to the fourth have M tokens at most, the third 2 M if it calls itself a question, and half of the text.

    Args:
        text: all contexts, joined.
        points: its code points, uint32 [n].
        token_starts: where each token begins in it, int64 [L].
        boundaries: of the text.
        context_limits: token limits of the contexts, int64 [C + 1].
        page_size: M.
    """
    visible = boundaries.word_ends[-1:]
    last = int(token_starts.searchsorted(visible[0])) if visible.size else token_starts.size
    if not last:
        return 0, token_starts.size
    first = int(context_limits[context_limits.searchsorted(last) - 1])

    def before_end(tokens: int) -> int:
        return int(token_starts[max(last - max(tokens, 1), first)])

    end = before_end(_LEAST_QUERY)
    asked = _cued(text, boundaries, before_end(2 * page_size), end)
    if not asked:
        most = min(page_size, last // 2)
        low = before_end(most)
        asked = _questioned(text, boundaries, low, before_end(_MOST_BEHIND), end)
        if not asked and most:
            highs = (int(token_starts[min(tokens, last // 2)]) for tokens in (page_size, 2 * page_size))
            opening = _opening(text, points, boundaries, *highs)
            if (behind := int(token_starts.searchsorted(opening))) >= _LEAST_QUERY:
                return 0, behind
            asked = _paragraph(boundaries, low, end)
    if asked:
        return int(tokens_at(token_starts, np.array(asked))), token_starts.size
    size = min(page_size, -(-last // _QUERY_SHARE))
    begin = max(last - size, first)
    natural = tokens_at(token_starts, union(boundaries.hard_lines, boundaries.sentences))
    near = natural[(natural <= begin + size // 2) & (natural > max(begin - page_size, first - 1))]
    return int(near[np.abs(near - begin).argmin()]) if near.size else begin, token_starts.size


def _opening(text: str, points: NDArray[np.uint32], boundaries: Boundaries, high: int, cued_high: int) -> int:
    """The character behind the question that the text begins with; 0 where it begins with none.

    It is ``high`` at most, where it calls itself a question ``cued_high``.
    """
    first, ends = boundaries.visible
    apart = np.append(boundaries.after_blank[1:], True)  # a blank line stands behind it, or nothing
    for line in range(int(ends.searchsorted(high, side="right"))):
        last = line
        if _CUE.match(text, first[line]):
            last = line + int(apart[line:].argmax())
            last = last if ends[last] <= cued_high else line
        elif not (apart[line] and _MARK.search(text, first[line], ends[line])):
            continue
        asks = apart[last + 1 :] & is_any(points[ends[last + 1 :] - 1], _SIGNS)
        return 0 if asks.any() else int(ends[last])
    return 0


def _cued(text: str, boundaries: Boundaries, low: int, end: int) -> int | None:
    """The last line from ``low`` to ``end`` that calls itself a question; None if there is none."""
    lines = boundaries.lines[slice(*boundaries.lines.searchsorted([low, end + 1]))].tolist()
    return next((line for line in reversed(lines) if _CUE.match(text, line)), None)


def _questioned(text: str, boundaries: Boundaries, low: int, near: int, end: int) -> int | None:
    """Where the last question from ``low`` to ``end`` begins, its line or its sentence; None if there is none.

    It ends behind ``near``, or its line stands behind a blank one.
    """
    marks = [match.start() for match in _MARK.finditer(text, low)]
    if not marks:
        return None
    line = int(boundaries.hard_lines.searchsorted(marks[-1], side="right")) - 1
    begin = int(boundaries.hard_lines[line])
    if begin < low or not (boundaries.after_blank[line] or marks[-1] >= near):
        places = boundaries.sentences[: boundaries.sentences.searchsorted(marks[-1], side="right")]
        begin = int(places[-1]) if places.size and marks[-1] >= near else -1
    return begin if low <= begin <= end else None


def _paragraph(boundaries: Boundaries, low: int, end: int) -> int | None:
    """The last paragraph that begins from ``low`` up to ``end``, if its first line ends like a sentence."""
    lines = boundaries.hard_lines
    found = np.flatnonzero(boundaries.after_blank & (lines >= low) & (lines <= end))[-1:]
    return int(lines[found[0]]) if boundaries.terminated[found].any() else None
