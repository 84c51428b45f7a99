"""What lines begin and end with that tells whether a paragraph goes on: tags of HTML, words that end no sentence.

Everything here reads characters only, for all lines of a text at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import Characters
from beaver_compat.text.word_tables import WordTable

Positions = NDArray[np.int64]
Flags = NDArray[np.bool_]

_BLOCK_TAGS = (
    "address article aside blockquote body br caption center dd details div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 head header hr html img input label legend li link main meta nav ol option p pre script"
    " section select style summary table tbody td tfoot th thead title tr ul"
)
_OPEN_ENDS = (  # articles, prepositions and conjunctions
    "a an the of to in on at by for from with into as and or nor but than that which who whose is are was were be its"
    " their his her our your my der die das dem den des ein eine einen einem einer und oder von zu zum zur im am mit"
    " für auf bei aus nach dass het een van en le la les un une du et ou dans par pour avec sur au aux el los las del y"
    " una con por il lo gli di e della nel dos da do em na no och att ett av på som"
)
BLOCK_TAG = WordTable(dict.fromkeys(_BLOCK_TAGS.split(), 1))
_OPEN_END = WordTable(dict.fromkeys(_OPEN_ENDS.split(), 1), backwards=True)


def breaks_off(characters: Characters, ends: Positions) -> Flags:
    """True for each line that ends with a word behind which a sentence goes on.

    Args:
        characters: of the text.
        ends: of the lines, int64 [k].
    """
    return _OPEN_END.at(characters, ends) > 0


def parted_by_tags(characters: Characters, begins: Positions, ends: Positions) -> Flags:
    """True for each line that begins with the tag of a block of HTML or is but a tag, and for each behind one that ends
    with a tag of a block or is but a tag.

    Args:
        characters: of the text.
        begins, ends: of the lines, int64 [N].
    """
    points = characters.points
    found = np.zeros(begins.size, dtype=bool)
    closed = np.flatnonzero(points[ends - 1] == ord(">"))
    opened = np.flatnonzero(points[begins] == ord("<"))
    if not (closed.size or opened.size):
        return found
    signs = characters.marks("<")

    def of_blocks(places: Positions) -> Flags:
        names = places + 1
        names += points.take(names, mode="clip") == ord("/")
        return BLOCK_TAG.at(characters, names) > 0

    found[opened[of_blocks(begins[opened])]] = True
    closed = closed[closed < found.size - 1]
    if not signs.size:
        return found
    last = signs[signs.searchsorted(ends[closed]) - 1]
    alone = last == begins[closed]
    found[closed[alone]] = True
    found[1 + closed[alone | of_blocks(last)]] = True
    return found
