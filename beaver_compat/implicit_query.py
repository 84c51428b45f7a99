"""Where the implicit query begins: what ranks the text where no question is given, its final segment.

Most prompts that come in one piece end with their question.  So the segment begins where that does, if it can be told:
the paper's final segment is of a fixed size, and words of the text before the question would be asked for, too.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.ascending import union
from beaver_compat.boundaries import Boundaries
from beaver_compat.segmenter import tokens_at

Positions = NDArray[np.int64]

_QUERY_SHARE = 8  # the final segment is one of so many parts of a short text
_LEAST_QUERY = 4  # tokens: fewer ask nothing
_MOST_BEHIND = 16  # tokens behind a question that no blank line sets apart: ``Answer in one word.``
_MARK = re.compile(r"\?(?![\w=&/])|[？؟՞]")  # not the one in a web address
_CUE = re.compile(
    r"[ \t]*(?:[#>*]+ *)?(?:(?:(?:the|my|user|your) )?(?:question|query)|q|frage|pregunta|domanda|pergunta|vraag|вопрос"
    r"|问题|問題|質問|问|問|질문)[ \d#.)]*\**[:：.)]",
    re.I,
)


def find_query(
    text: str, token_starts: Positions, boundaries: Boundaries, context_limits: Positions, page_size: int
) -> int:
    """The first token of the implicit query, always of the last context that shows any.

    The query is the first of these that there is:

    - the last line that calls itself a question, at most 2 M tokens before the end;
    - the last line with a question mark, or of a longer one the sentence, behind a blank line or near the end;
    - the last paragraph, if its first line is a sentence; neither has more than M tokens, or half of the text;
    - the last M tokens, of a short text an eighth, from where the nearest line or sentence begins, as in the paper.

    Args:
        text: all contexts, joined.
        token_starts: where each token begins in it, int64 [L].
        boundaries: of the text.
        context_limits: token limits of the contexts, int64 [C + 1].
        page_size: M.
    """
    visible = boundaries.word_ends[-1:]
    last = int(token_starts.searchsorted(visible[0])) if visible.size else token_starts.size
    if not last:
        return 0
    first = int(context_limits[context_limits.searchsorted(last) - 1])

    def before_end(tokens: int) -> int:
        return int(token_starts[max(last - max(tokens, 1), first)])

    end = before_end(_LEAST_QUERY)
    asked = _cued(text, boundaries, before_end(2 * page_size), end)
    if asked is None:
        low = before_end(min(page_size, last // 2))
        asked = _questioned(text, boundaries, low, before_end(_MOST_BEHIND), end)
        if asked is None:
            asked = _paragraph(boundaries, low, end)
    if asked:
        return int(tokens_at(token_starts, np.array(asked)))
    size = min(page_size, -(-last // _QUERY_SHARE))
    begin = max(last - size, first)
    natural = tokens_at(token_starts, union(boundaries.hard_lines, boundaries.sentences))
    near = natural[(natural <= begin + size // 2) & (natural > max(begin - page_size, first - 1))]
    return int(near[np.abs(near - begin).argmin()]) if near.size else begin


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
