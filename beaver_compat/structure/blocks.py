"""Blocks of code by their indentation: which lines open one, and what its lines can't be read without.

It reads characters only.  Only lines that may open a block are looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.headings import find_headings
from beaver_compat.structure.items import LEAST_INDENT, item_contents, objects_in_lists
from beaver_compat.text.ascending import among, any_between
from beaver_compat.text.characters import LOWER, holds, is_any
from beaver_compat.text.line_edges import BLOCK_TAG
from beaver_compat.text.lined_text import LinedText
from beaver_compat.text.word_tables import WordTable

Positions = NDArray[np.int64]

_DEPTHS = 24  # indentations at which blocks are looked for
_LONGEST_OPENER = 160  # characters; prose that ends with a colon is longer, a signature may be
_LONGEST_KEY = 60
_LONGEST_BEGINNING = 300  # characters of a line that are matched against a pattern
_DECORATORS = 3  # lines above a signature that are looked at

_MODIFIER = (
    r"(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|final|abstract|async|override"
    r"|virtual|unsafe|sealed|partial|data)"
)
_SIGNATURE = re.compile(
    rf"(?:{_MODIFIER} +)*(?:def|class|func|fn|fun|function|interface|struct|impl|trait|enum|module|namespace)\b[ (<*]"
    rf"|(?:{_MODIFIER} +)+[^=;]*\("
)
_KEY = re.compile(r"([\"']?)[\w.-]+\1:(?: *[{\[])?$")
_ELEMENT = re.compile(r"<[A-Za-z][\w:.-]*[ \t][^<>]*?\b(?:name|id|key)=[\"'][^<>]*(?<!/)>\s*$", re.I)
_CONTINUED = re.compile(r"(?:else|elif|elsif|elseif|except|finally|catch|rescue|ensure)\b")
_CALLED = re.compile(r"(?:if|elseif|else|foreach|while|function|macro) ?\(", re.I)  # blocks of CMake
_DECORATOR = re.compile(r"@\w|#?\[\w")
_PACKED = np.array([1 << 42, 1 << 21, 1], dtype=np.int64)  # three code points as one number
_NO_SIGNATURE_ENDS = ".;?!"
_DOCSTRING_MARKS = ('"""', "'''")
_QUOTES = "\"'"
_LONGEST_DOCSTRING = 4096  # characters in which its end is looked for
_OPENERS = ":{(["
_ALONE, _LAST = 1, 2  # a word that opens a block as a line of its own, at a line's end
_OPENING_WORD = WordTable(
    {"then": _LAST, "do": _LAST} | dict.fromkeys(("else", "begin", "try"), _ALONE), backwards=True
)
_OPENING_ENDS = "noey)"
_LONGEST_ALONE = 5  # letters
_MAKEFILE = ("$(", "$@")
_CLOSERS = ")]}{"  # a line that begins with one belongs to the block above it


def _beginnings(words: str) -> Positions:
    return np.sort(np.array([[ord(sign) for sign in word] for word in words.split("|")]) @ _PACKED)


_SIGNATURE_BEGINNINGS = _beginnings(
    "abs|asy|cla|dat|def|enu|exp|fin|fn |fun|imp|int|mod|nam|ove|par|pri|pro|pub|sea|sta|str|tra|uns|vir"
)
_CONTINUED_BEGINNINGS = _beginnings("els|eli|exc|fin|cat|res|ens")


def add_blocks(
    lined: LinedText,
    comments: NDArray[np.bool_],
    needed: Positions,
    behind: Positions,
) -> tuple[Positions, Positions]:
    """Each line of a block needs the innermost line that opens one around it; that line needs the first of its block.

    The first line of an item of a list opens one, too, but says something alone.

    A line that goes on with a block (``else:``, ``} else {``, ``) -> int:``) needs the line that opened it, with the
    first of what that opened, and so does one that closes it; a signature needs the decorators above it.

    Args:
        lined: the text.
        comments: True for each line that is one, bool [N]; what goes on with a block may stand below some.
        needed: the lines that each line needs, int64 [N, 2]; is filled in.
        behind: the line behind it that each line needs, int64 [N]; is filled in.

    Returns:
        For each line the innermost line above that says what it is of: the first of the item of a list that it stands
        in, or a key (``worker:``, ``"worker": {``); and the innermost signature; -1 for none, int64 [N] each.
    """
    points, first, ends = lined.points, lined.first, lined.ends
    items, functions = np.full((2, first.size), -1)
    marked = item_contents(lined) > 0
    indents = lined.indents + marked  # an item is deeper than the line that leads to the list, even where it is not
    if not indents.any():
        return items, functions
    records = lined.boundaries.records  # an object that is one, too, is of no block above it
    closes = is_any(points[first], _CLOSERS)
    brace = (points[first] == ord("{")) & (ends - first == 1)
    opens, signatures = _openers(lined, indents, closes, brace)
    deeper = np.append(indents[1:] - indents[:-1] >= LEAST_INDENT - 1, False)
    objects = objects_in_lists(lined, indents)
    behind[:] = _first_of_block(indents, opens, ~opens & ~brace)
    opens |= objects | (marked & deeper & ((ends - first <= _LONGEST_OPENER) | records))
    if not opens.any():
        return items, functions
    goes_on = opens & closes & ~objects
    goes_on[_matching(_CONTINUED, lined, _beginning(_CONTINUED_BEGINNINGS, lined, opens))] = True
    keys = np.zeros(first.size, dtype=bool)
    likely = np.flatnonzero(opens & ~goes_on & (ends - first <= _LONGEST_KEY))
    keys[_matching(_KEY, lined, likely)] = True
    keys[_named_elements(lined, np.flatnonzero(opens & (points[first] == ord("<"))))] = True
    named = np.zeros_like(keys)
    named[signatures] = True
    order = np.arange(first.size)
    loose = _loose(lined, comments, indents)
    for depth in np.unique(indents[opens])[:_DEPTHS].tolist():
        # The last line above that is not deeper: if it opens a block, this line is of its body.
        level = (indents < depth) | ((indents == depth) & (~closes | opens | records))
        opener = opens & (indents == depth)
        above = np.maximum.accumulate(np.where(level & ~loose, order, 0))
        above[loose] = np.maximum.accumulate(np.where(level, order, 0))[loose]
        body = opener[above] & (above < order)
        needed[body, 0] = above[body]
        head = above + objects[above]
        inside = body & (marked | objects | keys)[above] & (head < order)
        items[inside] = head[inside]
        inside = body & named[above]
        functions[inside] = above[inside]
        closing = np.flatnonzero(body & closes & (indents == depth))
        needed[closing, 1] = behind[above[closing]]
        begun = np.maximum.accumulate(np.where(level & ~goes_on & ~comments, order, 0))
        later = np.flatnonzero(goes_on & opener & (opener & ~goes_on)[begun] & (begun < order))
        needed[later] = np.stack([begun[later], behind[begun[later]]], axis=1)
    _add_decorators(lined, indents, signatures, needed, behind)
    needed[objects, 1] = np.flatnonzero(objects) + 1  # the first of its keys
    return items, functions


def _loose(lined: LinedText, comments: NDArray[np.bool_], indents: Positions) -> NDArray[np.bool_]:
    """True for each comment and each line of C's preprocessor that is less indented than what stands below such lines.

    It ends no block.
    """
    first = lined.first
    second = np.minimum(first + 1, lined.points.size - 1)
    directives = (lined.points[first] == ord("#")) & (
        ((lined.classes[second] & LOWER) != 0) | (lined.points[second] == ord("#"))
    )
    found = (comments | directives) & ~among(np.arange(first.size), find_headings(lined)[0])
    if not found.any():
        return found
    below = np.minimum.accumulate(np.where(found, first.size - 1, np.arange(first.size))[::-1])[::-1]
    return found & (indents[below] > indents) & (lined.regions[below] == lined.regions)


def _openers(
    lined: LinedText,
    indents: Positions,
    closes: NDArray[np.bool_],
    brace: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], Positions]:
    """True for each line that opens a block by its last sign or word, a brace below it or as a signature, or as a rule
    of a Makefile; the signatures."""
    points, first, ends = lined.points, lined.first, lined.ends
    braced = np.append(brace[1:] & (indents[1:] == indents[:-1]), False) & ~closes
    deeper = np.append(indents[1:] > indents[:-1], False)
    opens = (deeper & is_any(points[ends - 1], _OPENERS)) | braced
    likely = np.flatnonzero(deeper & is_any(points[ends - 1], _OPENING_ENDS))
    word = _OPENING_WORD.at(lined.characters, ends[likely])
    opens[likely[(word == _LAST) | ((word == _ALONE) & (ends - first <= _LONGEST_ALONE)[likely])]] = True
    elements = np.flatnonzero(deeper & (points[first] == ord("<")) & (points[ends - 1] == ord(">")))
    opens[_named_elements(lined, elements)] = True
    likely = likely[points[ends[likely] - 1] == ord(")")]  # of a shell's case
    opens[likely[~any_between(lined.characters.marks("("), first[likely], ends[likely])]] = True
    opens[_matching(_CALLED, lined, likely)] = True
    if any(holds(lined.text, sign) for sign in _MAKEFILE):
        likely = np.flatnonzero(deeper & (points[np.append(lined.starts[1:], 0)] == ord("\t")) & (indents == 0))
        opens[likely[any_between(lined.characters.marks(":"), first[likely], ends[likely])]] = True
    opens &= ((ends - first <= _LONGEST_OPENER) | lined.boundaries.records) & ~brace
    signatures = signatures_among(lined, deeper | np.append(closes[1:], False))
    signatures = signatures[~is_any(points[ends[signatures] - 1], _NO_SIGNATURE_ENDS)]
    opens[signatures] = True
    return opens, signatures


def _named_elements(lined: LinedText, lines: Positions) -> Positions:
    """Those of some lines that open an element of XML which has a name; the blocks of HTML are none."""
    lines = lines[(lined.ends - lined.first)[lines] <= _LONGEST_OPENER]
    lines = lines[BLOCK_TAG.at(lined.characters, lined.first[lines] + 1) == 0]
    return _matching(_ELEMENT, lined, lines)


def add_docstrings(
    lined: LinedText,
    needed: Positions,
    behind: Positions,
    bare: NDArray[np.bool_],
) -> None:
    """Each line of a docstring needs the line that opens it, and that the one that closes it.

    A docstring is the first of a block (`add_blocks`), is not closed on its first line and does not leave the block.

    Args:
        lined, needed, behind: as of `add_blocks`; ``needed`` is filled in.
        bare: True for each line that says nothing alone, bool [N]; is filled in.
    """
    text, first, ends, indents = lined.text, lined.first, lined.ends, lined.indents
    likely = np.unique(behind[behind >= 0])
    for opening in likely[is_any(lined.points[first[likely]], _QUOTES)].tolist():
        begin = int(first[opening])
        mark = text[begin : begin + 3]
        if mark not in _DOCSTRING_MARKS or ends[opening] - begin > _LONGEST_OPENER:
            continue
        end = text.find(mark, begin + 3, begin + _LONGEST_DOCSTRING)
        closing = int(first.searchsorted(end, side="right")) - 1
        if closing <= opening or indents[opening + 1 : closing + 1].min() < indents[opening]:
            continue
        free = np.arange(opening + 1, closing + 1)
        needed[free[needed[free, 1] < 0], 1] = opening
        needed[opening, 1] = closing
        bare[closing] = ends[closing] - first[closing] == len(mark)


def signatures_among(lined: LinedText, likely: NDArray[np.bool_]) -> Positions:
    """Those of the likely lines that begin like a signature."""
    return _matching(_SIGNATURE, lined, _beginning(_SIGNATURE_BEGINNINGS, lined, likely))


def _beginning(beginnings: Positions, lined: LinedText, likely: NDArray[np.bool_]) -> Positions:
    """Those of the likely lines that have one of some beginnings (`_beginnings`)."""
    lines = np.flatnonzero(likely)
    points, first = lined.points, lined.first[lines]
    packed = points[np.minimum(first[:, None] + np.arange(3), points.size - 1)] @ _PACKED
    return lines[among(packed, beginnings)]


def _matching(pattern: re.Pattern[str], lined: LinedText, lines: Positions) -> Positions:
    """Those of some lines that begin with a pattern."""
    first = lined.first[lines]
    places = zip(first.tolist(), np.minimum(lined.ends[lines], first + _LONGEST_BEGINNING).tolist(), strict=True)
    return lines[np.array([bool(pattern.match(lined.text, start, end)) for start, end in places], dtype=bool)]


def _first_of_block(indents: Positions, opens: NDArray[np.bool_], plain: NDArray[np.bool_]) -> Positions:
    """For each line that opens a block the next plain line if it is deeper, else -1; -1 for all others."""
    last = indents.size
    following = np.minimum.accumulate(np.where(plain, np.arange(last), last)[::-1])[::-1]
    found = np.append(following[1:], last)
    inside = opens & (found < last) & (np.append(indents, 0)[found] > indents)
    return np.where(inside, found, -1)


def _add_decorators(
    lined: LinedText, indents: Positions, signatures: Positions, needed: Positions, behind: Positions
) -> None:
    """A signature needs the decorator above it, that the one above, and each the first line of the body."""
    marked = is_any(lined.points[lined.first], "@#[")
    body, lower = np.where(behind[signatures] >= 0, behind[signatures], signatures), signatures
    for _ in range(_DECORATORS):
        above = np.maximum(lower - 1, 0)
        likely = np.zeros(marked.size, dtype=bool)
        likely[above[marked[above] & (indents[above] == indents[lower]) & (lower > 0)]] = True
        found = among(above, _matching(_DECORATOR, lined, np.flatnonzero(likely)))
        if not found.any():
            return
        needed[lower[found], 0] = above[found]
        behind[above[found]] = body[found]
        body, lower = body[found], above[found]
