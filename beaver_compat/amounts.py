"""Questions that a number answers (how many, how long, when), and the stretches of text that have one.

It reads characters only.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from beaver_compat.characters import DIGIT, WORD, places_of

Positions = NDArray[np.int64]

_LONGEST_QUESTION = 4096  # characters of it that are looked at, the last
_MEASURES = (
    "age|amount|century|cost|count|date|day|decade|deadline|dimension|distance|duration|fee|fraction|frequency|height"
    "|length|month|number|percentage|percent|population|price|proportion|quantity|rate|salary|score|share|size|speed"
    "|sum|temperature|time|total|value|version|weight|width|year"
)
_ASKED = [
    "how (?:big|deep|expensive|far|fast|frequent(?:ly)?|heavy|high|large|late|long|low|many|much|often|old|short|small"
    "|soon|tall|thick|wide|young)",
    # Not the conjunction, as in "What happens when the cable breaks?".
    "when(?:'s| (?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|shall|should|was|were|will|would))",
    r"(?:what|which)(?:'s| is| was| are| were)?(?: (?:an?|the|its|his|her|their|our|your|my))?"
    rf"(?: (?!an?\b|the\b)\w+){{0,2}}? (?:{_MEASURES})s?",
    "wie ?(?:viele?|viel|alt|breit|gro(?:ß|ss)|häufig|hoch|lange?|oft|schnell|schwer|teuer|tief|weit)|wann",
    "welche[mnrs]? (?:alter|anteil|anzahl|betrag|datum|größe|höhe|jahr|länge|preis|tag|zahl)",
    "combien|quel(?:le)?s? (?:est |était )?(?:l[ae] |l['’])?"
    "(?:année|âge|date|durée|jour|montant|nombre|prix|taille|taux)",
    "cu[aá]nt[oa]s?|cuándo|qué (?:año|cantidad|día|edad|fecha|número|porcentaje|precio|tamaño)",
    "quant[aeio]s?|(?:em )?que (?:ano|data|idade)|(?:in )?(?:che|quale) (?:anno|data|età|prezzo)",
    "hoe (?:groot|hoog|lang|oud|vaak|veel|ver|zwaar)|hoeveel|wanneer",
    "сколько|(?:в )?како[ейм]м? (?:год[уа]?|дат[аы]|размер|цен[аы])",
]
_ASKED_WITHOUT_SPACES = (
    "多少|[几幾](?!乎)|多久|多[长長大高远遠]|[何哪]一?[时時年日天月]|什么时候|什麼時候"
    "|いくつ|いくら|何[人回個本枚台円歳分]|いつ|どのくらい|몇|얼마|언제"
)
_AMOUNT = re.compile(rf"\b(?:{'|'.join(_ASKED)})\b|{_ASKED_WITHOUT_SPACES}", re.I)


def asks_for_number(question: str) -> bool:
    """Whether a number seems to answer: an amount, a size, a date.

    >>> asks_for_number("How many days do I have?"), asks_for_number("Who was told when the cable broke?")
    (True, False)
    """
    return _AMOUNT.search(question[-_LONGEST_QUESTION:]) is not None


def have_numbers(classes: NDArray[np.uint16], starts: Positions, ends: Positions) -> NDArray[np.bool_]:
    """True for each of some stretches that has a number, digits that are not the end of a word (as in ``BERT2``).

    Args:
        classes: class bits of the text, uint16 [n].
        starts, ends: characters of the stretches, int64 [S].

    Returns:
        bool [S].
    """
    digits = places_of(classes, DIGIT)
    begins = digits[(classes[digits - 1] & WORD == 0) | (digits == 0)]
    return begins.searchsorted(ends) > begins.searchsorted(starts)
