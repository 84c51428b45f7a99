"""Where the implicit query stands: what ranks the text where no question is given.

The paper takes the final segment, of a fixed size.  Most prompts that come in one piece end or begin with their
question: where that can be told it is the query, and words of the text beside it are not asked for, too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beaver_compat.scores.tasks import task_at
from beaver_compat.segmenter import tokens_at
from beaver_compat.structure.roles import find_roles
from beaver_compat.text.ascending import union
from beaver_compat.text.boundaries import Boundaries
from beaver_compat.text.characters import is_any
from beaver_compat.text.lined_text import LinedText

Positions = NDArray[np.int64]

_QUERY_SHARE = 8  # the final segment is one of so many parts of a short text
_LEAST_QUERY = 4  # tokens: fewer ask nothing
_MOST_BEHIND = 32  # tokens behind a question that no blank line sets apart: ``Answer in one word.``
_LEAST_INSTRUCTION = 6  # tokens of a first line that ends with a colon
_LONGEST_NAME = 24  # characters of a last line such as ``Assistant:``
_MOST_OTHERS = 2  # lines that ask something further down, where what the text begins with is taken for its question
_LONGEST_ADDRESS = 2048  # characters
_SIGNS = "?？؟՞"
_SIGN_POINTS = {ord(sign) for sign in _SIGNS}
_COLONS = {ord(":"), ord("：")}
_MARK = re.compile(r"\?(?![\w=&/\"'”’»])|[？؟՞]")  # not one in a web address or in quotes
_CUE = re.compile(
    r"[ \t]*(?:(?:[#>*]+ *)?(?:(?:(?:the|my|user|your) )?(?:question|query)|q|frage|pregunta|domanda|pergunta|vraag"
    r"|вопрос|问题|問題|質問|问|問|질문)[ \d#.)]*\**[:：.)]|[<\[](?:user[_ -]?)?(?:question|query)[>\]])",
    re.I,
)
_CUED_LINE = re.compile(rf"^{_CUE.pattern}", re.I | re.M)
# What else than a task a last paragraph may begin with that wants to know something, and a last line without a mark.
_REQUEST = re.compile(
    r"(?:please |kindly )?(?:answer|calculate|compute|count|decide|determine|find|give|name|provide|show me|state"
    r"|(?:can|could|would|will) you|let me know|i(?:'d| would)? (?:like|need|want) to know"
    r"|i(?:'m| am) (?:asking|looking)\b"
    r"|finde|gib|ich (?:möchte|will) wissen|sag(?:e|en sie)? mir|dis-moi|dites-moi|donne[rz]?|indique[rz]?|trouve[rz]?"
    r"|dame|dime|encuentra|indica|dimmi|trova|diga|encontre|geef|noem|vind|назови|найди|скажи)\b"
    r"|告诉我|告訴我|教えて|알려",
    re.I,
)
_ASKED = re.compile(
    r"(?:(?:and|but|so|also) )?(?:what|who|whom|whose|when|where|which|why|how(?! to\b)|was|wer|wem|wen|wann|wo|warum"
    r"|welche[rsmn]?|wie|quel(?:le)?s?|quand|où|pourquoi|comment|combien|qué|quién|cuándo|dónde|cuál|cuánt[oa]s?"
    r"|chi|cosa|quando|dove|quale|quant[oaie]|quem|onde|qual|wanneer|waar|waarom|welke?|hoeveel|кто|что|когда|где"
    r"|почему|сколько)\b.*\w\W{,2}$",
    re.I,
)
_USER = re.compile(r"user|human|instruction|input|\[INST\]|<</SYS>>", re.I)  # who asks the model
_OPTION = re.compile(r"[ \t]*[(\[]?(?:[A-Ha-h]|\d\d?)[.):\]]")


class Found(NamedTuple):
    """The first token of the implicit query, the one behind its last, and whether it was known by what it says."""

    start: int
    end: int
    asks: bool


def find_query(lined: LinedText, token_starts: Positions, context_limits: Positions, page_size: int) -> Found:
    """Find the implicit query, which ends or begins the text.

    It is the first of these that there is, of the first and the last context that show anything:

    - at the end, what begins with the last line that calls itself a question, 2 M tokens at most;
    - at the beginning, what ends with the only paragraph that does so, 2 M tokens at most;
    - at the end, in a chat of a model's template (`roles`), the last message that says something, if it is the user's;
    - at the end, the last line with a question mark, or of a longer one the sentence, behind a blank line or near the
      end, with the questions right above it, or its options below it;
    - at the end, the line above a last one such as ``Assistant:``;
    - at the beginning, what ends with a line that asks something and stands apart, unless many do;
    - at the beginning, a line that stands apart and ends with a colon (``Translate the following text:``) or tells what
      to do (``Summarize the text below.``);
    - at the end, the last paragraph, if it begins with what is wanted (``Find ...``, ``I need to know ...``), or the
      last line, if it begins as a question does and has no sign at its end (``how many wheels turn``);
    - at the end, the last paragraph, if its first line is a sentence;
    - the last M tokens, of a short text an eighth, from where the nearest line or sentence begins, as in the paper.

    None but the first two, and options, are of more than M tokens, or half of the text.

    Args:
        lined: the text.
        token_starts: where each token begins in it, int64 [L].
        context_limits: token limits of the contexts, int64 [C + 1].
        page_size: M.
    """
    boundaries = lined.boundaries
    if not boundaries.words.size:
        return Found(0, token_starts.size, asks=False)
    last = int(token_starts.searchsorted(boundaries.word_ends[-1]))
    first = int(context_limits[context_limits.searchsorted(last) - 1])

    def before_end(tokens: int) -> int:
        return int(token_starts[max(last - max(tokens, 1), first)])

    def from_character(begin: int, asks: bool) -> Found:
        return Found(int(tokens_at(token_starts, np.array(begin))), token_starts.size, asks)

    most = min(page_size, last // 2)
    far, low, near, end = (before_end(size) for size in (2 * page_size, most, _MOST_BEHIND, _LEAST_QUERY))
    if begin := _cued(lined, far, end):
        return from_character(begin, asks=True)
    visible = int(token_starts.searchsorted(boundaries.words[0], side="right")) - 1
    edge = int(context_limits[context_limits.searchsorted(visible, side="right")])  # where its context ends
    high, farthest = (int(token_starts[min(size, edge, last // 2)]) for size in (page_size, 2 * page_size))
    opening = _cued_opening(lined, farthest)
    if not opening:
        begin = _message(lined, low) or _questioned(lined, (far, low, near, end)) or _turn(lined, low)
        if begin:
            return from_character(begin, asks=True)
        opening = _opening(lined, high, int(token_starts[min(_LEAST_INSTRUCTION, most)]))
    if (behind := int(token_starts.searchsorted(opening))) >= _LEAST_QUERY:
        return Found(0, behind, asks=True)
    if begin := _request(lined, low, end):
        return from_character(begin, asks=True)
    if begin := _paragraph(boundaries, low, end):
        return from_character(begin, asks=False)
    size = min(page_size, -(-last // _QUERY_SHARE))
    start = max(last - size, first)
    natural = tokens_at(token_starts, union(boundaries.hard_lines, boundaries.sentences))
    natural = natural[(natural <= start + size // 2) & (natural > max(start - page_size, first - 1))]
    start = int(natural[np.abs(natural - start).argmin()]) if natural.size else start
    return Found(start, token_starts.size, asks=False)


def _cued(lined: LinedText, low: int, end: int) -> int:
    """The last line from ``low`` to ``end`` that calls itself a question; 0 if there is none."""
    lines = lined.boundaries.lines
    lines = lines[slice(*lines.searchsorted([low, end + 1]))]
    return next((line for line in lines[::-1].tolist() if _CUE.match(lined.text, line)), 0)


def _cued_opening(lined: LinedText, high: int) -> int:
    """The character behind the first paragraph up to ``high`` that calls itself a question; 0 where others do, too."""
    text, first, ends = lined.text, lined.first, lined.ends
    for line in range(int(ends.searchsorted(high, side="right"))):
        if _CUE.match(text, first[line]):
            last = line + int(np.append(lined.boundaries.after_blank[line + 1 :], True).argmax())
            last = last if ends[last] <= high else line
            return 0 if _CUED_LINE.search(text, int(ends[last])) else int(ends[last])
    return 0


def _questioned(lined: LinedText, reach: tuple[int, int, int, int]) -> int:
    """Where the last questions begin, their line or sentence; 0 if there are none.

    Args:
        lined: the text.
        reach: the first character that one with options may begin at, that another may, that the mark of one inside a
            paragraph may stand at, and the last that any may begin at.
    """
    far, low, near, end = reach
    text, points, boundaries = lined.text, lined.points, lined.boundaries
    lines, first, ends = lined.starts, lined.first, lined.ends
    marks = [match.start() for match in _MARK.finditer(text, far) if not _in_address(text, match.start())]
    if not marks:
        return 0
    line = int(lines.searchsorted(marks[-1], side="right")) - 1
    begin = int(lines[line])
    below = first[line + 1 :].tolist()
    if far <= begin < low and below and all(_OPTION.match(text, place) for place in below):
        return begin
    if begin < low or not (boundaries.after_blank[line] or marks[-1] >= near):
        places = boundaries.sentences[: boundaries.sentences.searchsorted(marks[-1], side="right")]
        begin = int(places[-1]) if places.size and marks[-1] >= near else -1
        return begin if low <= begin <= end else 0
    while line and lines[line - 1] >= low and points[ends[line - 1] - 1] in _SIGN_POINTS:
        line -= 1
    return int(lines[line]) if lines[line] <= end else 0


def _in_address(text: str, mark: int) -> bool:
    """Whether a mark belongs to a web address."""
    before = text[max(mark - _LONGEST_ADDRESS, 0) : mark]
    return "://" in before[max(before.rfind(" "), before.rfind("\n")) + 1 :]


def _message(lined: LinedText, low: int) -> int:
    """Where the text of a chat's last message that says something begins, from ``low``; 0 if it is the model's.

    A last mark that nothing stands behind tells that the model is to answer.
    """
    messages = find_roles(lined)
    if not messages.lines.size or messages.limits[-1] < lined.starts.size:
        return 0
    texts = np.append(lined.boundaries.words, len(lined.text))
    said = texts[texts.searchsorted(messages.ends)]
    if said[-1] == len(lined.text):
        said = said[:-1]
    elif not _USER.search(lined.text, lined.first[messages.lines[-1]], messages.ends[-1]):
        return 0
    below = lined.starts[lined.starts.searchsorted(said[-1:], side="right") - 1]
    return next((begin for begin in below.tolist() if begin >= low), 0)


def _turn(lined: LinedText, low: int) -> int:
    """The line above a last one that is a name and a colon, as of who is to answer; 0 if the last one is none."""
    lines = lined.starts
    short = lines.size > 1 and lined.ends[-1] - lined.first[-1] <= _LONGEST_NAME
    named = short and lined.line(-1).rstrip("*")[-1:] in (":", "：")
    named = named or lines.size - 1 in find_roles(lined).lines[1:]
    return int(lines[-2]) if named and lines[-2] >= low else 0


def _opening(lined: LinedText, high: int, least: int) -> int:
    """The character behind the question or instruction up to ``high`` that the text begins with; 0 if there is none.

    An instruction that begins with no verb for a task ends behind ``least``.
    """
    boundaries, first, ends = lined.boundaries, lined.first, lined.ends
    signs = lined.points[ends - 1]
    apart = np.append(boundaries.after_blank[1:], True)  # a blank line stands behind it, or nothing
    apart[0] |= signs[0] in _SIGN_POINTS and boundaries.labels[0] <= boundaries.hard_lines[0]
    for line in range(int(ends.searchsorted(high, side="right"))):
        if apart[line] and _MARK.search(lined.text, first[line], ends[line]):
            asks = apart[line + 1 :] & is_any(signs[line + 1 :], _SIGNS)
            return int(ends[line]) if asks.sum() <= _MOST_OTHERS else 0
    task = task_at(lined.text, int(first[0]))
    tells = signs[0] in _COLONS or (boundaries.terminated[0] and task)
    begins = task and not lined.text.startswith(" of ", task.end())  # no title, such as a list of things
    return int(ends[0]) if apart[0] and (begins or least <= ends[0]) and ends[0] <= high and tells else 0


def _request(lined: LinedText, low: int, end: int) -> int:
    """Where the last paragraph begins, if it wants something, or the last line that asks without a mark; else 0."""
    boundaries, first = lined.boundaries, lined.first
    begins = np.flatnonzero(boundaries.after_blank & (lined.starts >= low) & (lined.starts <= end))[-1:].tolist()
    for line in begins:
        if task_at(lined.text, int(first[line])) or _REQUEST.match(lined.text, first[line]):
            return int(lined.starts[line])
    line = lined.starts.size - 1
    asks = low <= lined.starts[line] <= end and not boundaries.terminated[line] and _ASKED.match(lined.line(line))
    return int(lined.starts[line]) if asks else 0


def _paragraph(boundaries: Boundaries, low: int, end: int) -> int:
    """The last paragraph that begins from ``low`` up to ``end``, if its first line ends like a sentence, else 0."""
    lines = boundaries.hard_lines
    found = np.flatnonzero(boundaries.after_blank & (lines >= low) & (lines <= end))[-1:]
    return int(lines[found[0]]) if boundaries.terminated[found].any() else 0
