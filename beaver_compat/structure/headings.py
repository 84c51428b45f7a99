"""Lines that stand as titles over what is behind them.

Everything here reads characters only.  A title that is missed may be kept alone; a line that is taken for one costs the
sentence behind it.  So numbered items of a list, names, data and lines of a poem are none.  Only lines that qualify are
looked at one by one.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.structure.heading_formats import boxed_lines, commands, entries, level_of_format
from beaver_compat.text.ascending import among
from beaver_compat.text.characters import is_any, is_digit
from beaver_compat.text.lined_text import LinedText, once

Positions = NDArray[np.int64]

LONGEST_TITLE = 80  # characters
_LONGEST_UNDERLINED = 120
_LONGEST_TAG = 400
_LONG_WORD = 4  # letters; shorter ones are small in titles, too
_CAPITALS = 0.7  # of a title's long words begin with one
_LEAST_CAPITALS = 4  # letters of a title in capitals
_MOST_WORDS = 8  # of a title behind a number such as 2.1

_HASHES = re.compile(r"(#{1,6}) +[^\s#]")
_DEEPEST_HASHES, _COMMENT_ENDS = 3, ".;,"
_TAG = re.compile(r"<h([1-6])\b[^<>]*>.*</h\1>", re.I)
_DOCTYPE = re.compile(r"<!doctype\b[^<>]*>", re.I)
_HAN_NUMBER = "一二三四五六七八九十"
_PARTS = "Article|Section|Chapter|Part|Appendix|Annex|Schedule|Artikel|Kapitel|Abschnitt|Teil|Anhang|Chapitre|Partie"
_MARKS = {
    "number": re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}\.?[ \t]+"),
    "paragraph": re.compile(r"§{1,2} ?\d{1,4}[a-z]?\b"),
    "han": re.compile(rf"[{_HAN_NUMBER}]{{1,3}}、|第[{_HAN_NUMBER}百零〇\d]{{1,5}}[章节節条條](?=\s|$)"),
    "part": re.compile(rf"(?i:{_PARTS}) +(?:\d{{1,3}}(?:\.\d{{1,2}})*|[IVXLC]{{1,7}}|[A-Z])(?=[.:]?(?:\s|$))"),
}
_PACKED = 1 << 21  # two code points as one number
_PART_BEGINNINGS = np.unique(
    [ord(part[0]) * _PACKED + ord(part[1]) for part in f"{_PARTS}|{_PARTS.upper()}".split("|")]
)
_CAPITAL_TITLE = re.compile(r"[^\W_](?:[^\W_]|[ .,&/()'\u2019:\u2013\u2014-])*[^\W_]")
UNDERLINES = "=-~^+"
LOWEST_LEVEL = 21  # of a question that is answered below it
_LEVELS = {"capitals": 7, "part": 8, "paragraph": 9, "han": 9, "": 20, "question": LOWEST_LEVEL}
NUMBER_LEVEL = 10
_CLOSING_REACH = 16  # characters, of markup, behind a question mark
_NO_TITLE_ENDS = ".?!,;:\u3002\uff1f\uff01\uff0c\uff1b\uff1a"


@once
def find_headings(lined: LinedText) -> tuple[Positions, Positions]:
    """The hard lines that are headings, and those that are worth nothing at all alone: lines under titles, doctypes.

    Args:
        lined: the text.

    Returns:
        Both ascending, int64.
    """
    found = {*_with_hashes(lined), *commands(lined), *entries(lined)}
    tags, doctypes = _with_tags(lined)
    underlines, boxed = _underlines(lined), boxed_lines(lined)
    found.update(tags, (line - 1 for line in underlines), boxed)
    fillers = {*doctypes, *underlines, *(line - 1 for line in boxed), *(line + 1 for line in boxed)}
    found -= fillers
    _add_titles(found, lined)
    return np.array(sorted(found), dtype=np.int64), np.array(sorted(fillers), dtype=np.int64)


def level_of(title: str, underline: str = "") -> int:
    """How high a title stands, 1 for the highest; the kinds that have no sign for it are ordered as books mostly do.

    Args:
        title: its line.
        underline: a character of the line under it, if there is one.

    >>> level_of("## Fields"), level_of("Tickets", "-"), level_of("2.1 Late payment"), level_of("Late payment")
    (2, 2, 12, 20)
    """
    if underline and underline not in UNDERLINES:
        return 0
    if match := _HASHES.match(title):
        return len(match[1])
    if match := _TAG.fullmatch(title):
        return int(match[1])
    if known := level_of_format(title):
        return known
    if underline:
        return 1 + UNDERLINES.find(underline)
    kind, _ = _mark(title)
    if kind[:6] == "number":
        return NUMBER_LEVEL + int(kind[7:])
    asks = "?" in title[-_CLOSING_REACH:] or "\uff1f" in title[-_CLOSING_REACH:]
    return _LEVELS[kind or ("question" if asks else "capitals" if title.isupper() else "")]


def _with_hashes(lined: LinedText) -> list[int]:
    """Markdown's headings: between blank lines, or with several signs; one alone may be a comment in code."""
    text, first, ends = lined.text, lined.first, lined.ends
    if "#" not in text:
        return []
    blank = lined.boundaries.after_blank
    free = np.append(blank[1:], True) & ~is_any(lined.points[ends - 1], _COMMENT_ENDS)
    likely = (
        blank & is_any(lined.points[first], "#") & ~lined.boundaries.records & (first - lined.starts <= _DEEPEST_HASHES)
    )
    return [
        line
        for line in np.flatnonzero(likely).tolist()
        if (match := _HASHES.match(text, first[line], ends[line])) and (free[line] or len(match[1]) > 1)
    ]


def _with_tags(lined: LinedText) -> tuple[list[int], list[int]]:
    """HTML's headings that have a line of their own, and doctypes."""
    text, points, first, ends = lined.text, lined.points, lined.first, lined.ends
    lines = np.flatnonzero(points[first] == ord("<"))
    if not lines.size:
        return [], []
    length = (ends - first)[lines]
    lines = lines[(points[ends[lines] - 1] == ord(">")) & (length > 2) & (length <= _LONGEST_TAG)]
    lines = lines[is_any(points[first[lines] + 1], "hH!") & is_any(points[first[lines] + 2], "123456dD")].tolist()
    tags, doctypes = (
        [line for line in lines if pattern.fullmatch(text, first[line], ends[line])] for pattern in (_TAG, _DOCTYPE)
    )
    return tags, doctypes


def _underlines(lined: LinedText) -> list[int]:
    """The lines of ``===``, ``---`` or the like right under a short line that stands alone."""
    points, first, ends, regions = lined.points, lined.first, lined.ends, lined.regions
    blank, initials = lined.boundaries.after_blank, points[first]
    lines = np.flatnonzero(is_any(initials, UNDERLINES) & (initials == points[ends - 1]) & ~blank)
    if not lines.size:
        return []
    above, length = lines - 1, ends - first
    likely = blank[above] & (length[above] <= _LONGEST_UNDERLINED) & ~lined.boundaries.records[above]
    likely &= (length[lines] > 2) & (2 * length[lines] > length[above]) & (regions[lines] == regions[above])
    found = []
    for line in lines[likely].tolist():
        title, sign = lined.line(line - 1), lined.text[first[line]]
        fits = abs(int(length[line] - length[line - 1])) <= 1  # as long as the title: it is one, whatever it says
        plain = (title[0].isalnum() or fits) and title[-1] not in _NO_TITLE_ENDS and "\n" not in title
        data = sign == "-" and ((": " in title and not fits) or "  " in title)  # of settings, or a table's head
        if plain and not data and lined.line(line) == sign * int(length[line]):
            found.append(line)
    return found


def _add_titles(found: set[int], lined: LinedText) -> None:
    """Add the titles that are known by a number or by capitals.

    They stand behind a blank line, or with 2.1 right below 2, and before another heading or a line that ends like a
    sentence or with a colon, is long or has a line right behind it.  A line with a mark of the same kind right before
    or behind makes it a list's item; but where one has a number such as 2.1, all that could have one do.
    """
    first, ends, blank = lined.first, lined.ends, lined.boundaries.after_blank
    text_behind = _text_behind(lined)

    def line_at(line: int) -> str:
        return lined.text[first[line] : min(ends[line], first[line] + LONGEST_TITLE)] if line >= 0 else ""

    series: dict[str, list[int]] = {}  # what may be titles, by the depth of their numbers
    known: set[str] = set()
    likely = _likely(lined)
    nested = _nested(lined, likely)
    for line in sorted(({*likely.tolist()} | nested) - {first.size - 1}, reverse=True):
        title, above = line_at(line), line_at(line - 1)
        if line in found or "\n" in title or not (line + 1 in found or text_behind[line]):
            continue
        free, (kind, end) = blank[line + 1], _mark(title)
        if not kind:
            if free and _in_capitals(title) and not _in_capitals(above):
                found.add(line)
            continue
        behind, _ = _mark(line_at(line + 1))
        if behind == kind or not _is_title(title[end:].strip(), kind):
            continue
        series.setdefault(kind, []).append(line)
        sure = free or (text_behind[line] and (kind[0] != "n" or ends[line + 1] - first[line + 1] > LONGEST_TITLE))
        sure |= line + 1 in nested & found or (line in nested and not behind)
        if sure and _mark(above)[0] != kind:
            found.add(line)
            known.add(kind)
    for kind in series.keys() & known:
        if kind.startswith("number ") and kind != "number 1":  # such may be items of a list
            found.update(series[kind])


def _text_behind(lined: LinedText) -> NDArray[np.bool_]:
    """True for each line but the last before one that titles stand over, which is no title itself."""
    blank = lined.boundaries.after_blank
    found = lined.boundaries.terminated | (lined.ends - lined.first > LONGEST_TITLE)
    found |= is_any(lined.points[lined.ends - 1], ":\uff1a")
    found[:-1] |= ~blank[1:]
    return found[1:]


def _likely(lined: LinedText) -> Positions:
    """The short lines behind a blank one that begin with a number, a word for a part, or two capitals."""
    points, boundaries, regions = lined.points, lined.boundaries, lined.regions
    first, ends = lined.first, lined.ends
    lines = np.flatnonzero(boundaries.after_blank & (ends - first <= LONGEST_TITLE) & (ends - first > 1))
    lines = lines[~boundaries.records[lines] & (boundaries.labels[lines] == boundaries.hard_lines[lines])]
    lines = lines[regions[np.minimum(lines + 1, regions.size - 1)] == regions[lines]]
    initials = points[first[lines]]
    sign, second = initials.astype(np.int64), points[first[lines] + 1].astype(np.int64)
    digit = is_digit(initials) & (second <= ord("9"))
    capital = ((sign >= ord("A")) & (sign <= ord("Z"))) | ((sign >= 0xC0) & (sign < 0x2000))
    capital &= (second < ord("a")) | (second > ord("z"))
    part = among(sign * _PACKED + second, _PART_BEGINNINGS)
    return lines[digit | capital | part | is_any(initials, "§第" + _HAN_NUMBER)]


def _nested(lined: LinedText, lines: Positions) -> set[int]:
    """The lines below some others with a number that goes on that of the line right above, as 2.1 goes on 2."""
    text, first, ends = lined.text, lined.first, lined.ends
    near = ~lined.boundaries.after_blank & (lined.points[first] == lined.points[np.append(0, first[:-1])])
    found = set[int]()
    for line in lines[is_digit(lined.points[first[lines]])].tolist():
        number = _MARKS["number"].match(text, first[line], ends[line])
        while number and line + 1 < first.size and near[line + 1] and ends[line + 1] - first[line + 1] <= LONGEST_TITLE:
            above, line = number[0].strip(" ."), line + 1
            number = _MARKS["number"].match(text, first[line], ends[line])
            if not number or not number[0].startswith(f"{above}."):
                break
            found.add(line)
    return found


def _mark(line: str) -> tuple[str, int]:
    """The kind of the number or the like that a line begins with, "" for none, and where it ends.

    >>> _mark("2.1 Late payment"), _mark("§ 5 Pets")[0], _mark("Article 5"), _mark("Two mills")
    (('number 2', 4), 'paragraph', ('part', 9), ('', 0))
    """
    for kind, pattern in _MARKS.items():
        if match := pattern.match(line):
            number = match[0].rstrip()
            if kind == "number" and "." not in number:
                break
            depth = f" {number.rstrip('.').count('.') + 1}" if kind == "number" else ""
            return kind + depth, match.end()
    return "", 0


def _is_title(rest: str, kind: str) -> bool:
    """Whether what stands behind a mark reads as a title.

    >>> _is_title("Use with the GNU General Public License.", "number 1"), _is_title("Preheat the oven.", "number 1")
    (True, False)
    """
    if kind[0] == "n":
        return is_capitalized(rest.removesuffix(".")) or (
            kind != "number 1" and rest[:1].isupper() and rest[-1] not in _NO_TITLE_ENDS and _is_phrase(rest)
        )
    if kind == "part" and rest.strip(".: \u2013\u2014-"):
        return is_capitalized(rest.lstrip(".: \u2013\u2014-"))
    return rest in ("", ".") or (rest[-1] not in _NO_TITLE_ENDS and "\u3002" not in rest)


def _is_phrase(rest: str) -> bool:
    return len(rest.split()) <= _MOST_WORDS


def is_capitalized(title: str) -> bool:
    """Whether most of the long words of a title begin with a capital, the first one among them."""
    words = [word.lstrip("\"'(\u201c\u2018\u201e\u00ab") for word in title.split()]
    if not words or title[-1] in _NO_TITLE_ENDS or not words[0][:1].isalpha() or words[0][0].islower():
        return False
    long = [word for word in words if len(word) >= _LONG_WORD and word[0].isalpha()] or words
    return sum(not word[:1].islower() for word in long) >= _CAPITALS * len(long)


def _in_capitals(line: str) -> bool:
    """Whether a line is all in capitals, and words rather than a number or a name in code."""
    if not line.isupper() or not _CAPITAL_TITLE.fullmatch(line):
        return False
    return sum(map(str.isalpha, line)) >= max(_LEAST_CAPITALS, len(line) / 2)
