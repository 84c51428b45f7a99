"""Questions that a number answers (how many, how long, when), and the stretches of text that have one."""

from __future__ import annotations

import re
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import any_between
from beaver_compat.text.characters import DIGIT, WORD, Characters
from beaver_compat.tokenization import Tokenizer

Positions = NDArray[np.int64]

_LONGEST_QUESTION = 1024  # characters of it that are looked at, the last
_MEASURES = (
    "age|amount|cost|count|date|deadline|distance|duration|height|length|number|percentage|percent|population|price"
    "|proportion|quantity|salary|size|speed|temperature|weight|width|year"
)
_ASKED = [
    "how (?:big|deep|expensive|far|fast|frequent(?:ly)?|heavy|high|large|late|long|low|many|much|often|old|short|small"
    "|soon|tall|thick|wide|young)(?!-)",
    # Not the conjunction, as in "What happens when the cable breaks?", nor conditions, as in "When should I call?".
    "when(?:'s| (?:are|did|do|does|had|has|have|is|was|were|will))",
    r"(?:what|which)(?:'s| is| was| are| were)?(?: (?:an?|the|its|his|her|their|our|your|my))?"
    rf"(?: (?!an?\b|the\b)\w+){{0,2}}? (?:{_MEASURES})s?"
    r"(?= (?:are|can|did|do|does|has|have|had|in|is|must|of|on|was|were|will|would)\b|\W*$)",
    rf"the (?:{_MEASURES})s? of|(?:at )?what (?:hour|time)",
    "wie ?(?:viele?|viel|alt|breit|gro(?:ß|ss)|häufig|hoch|lange?|oft|schnell|schwer|teuer|tief|weit)"
    "|wann (?:ist|sind|war|waren|wurden?|wird|hat|hatte|begann|beginnt|endete?)|um wie ?viel uhr",
    "welche[mnrs]? (?:alter|anteil|anzahl|betrag|datum|größe|höhe|jahr|länge|preis|tag|zahl)",
    "combien|quel(?:le)?s? (?:est |était )?(?:l[ae] |l['’])?"
    "(?:année|âge|date|durée|heure|jour|montant|nombre|prix|taille|taux)|quand (?:a|est|ont|sont|fut|était)",
    "cu[aá]nt[oa]s?|cuándo|qué (?:año|cantidad|día|edad|fecha|hora|número|porcentaje|precio|tamaño)",
    "quant[aeio]s?|(?:em )?que (?:ano|data|idade)|(?:in )?(?:che|quale) (?:anno|data|età|prezzo)",
    "hoe (?:groot|hoog|lang|oud|vaak|veel|ver|zwaar)|hoeveel|wanneer (?:is|was|werd|heeft|begon)",
    "сколько|(?:в )?како[ейм]м? (?:год[уа]?|дат[аы]|размер|цен[аы])",
    "كم|متى",
]
_ASKED_WITHOUT_SPACES = (
    "多少|[几幾](?=[个個天年月人次岁歲点點号號名位])|多久|多[长長大高远遠]|[何哪]一?[时時年日天月]|什么时候|什麼時候"
    "|いくつ|いくら|何[人回個本枚台円歳分]|いつ|どのくらい|몇|얼마|언제"
)
_NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty"
    " ninety hundred hundreds thousand thousands million millions billion billions dozen dozens once twice half percent"
    " year years month months week weeks day days hour hours minute minutes daily weekly monthly yearly annually"
    " January February April June July August September October November December"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
    " zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend Millionen Prozent"
    " Jahr Jahre Jahren Monat Monate Monaten Woche Wochen Tage Tagen Stunden Minuten"
    " deux trois quatre cinq huit neuf vingt cent mille années mois semaines jours heures minutes"
    " dos tres cuatro cinco seis siete ocho nueve diez veinte cien años meses semanas días horas minutos"
)
_words: WeakKeyDictionary[Tokenizer, NDArray[np.bool_]] = WeakKeyDictionary()
_AMOUNT = re.compile(rf"\b(?:{'|'.join(_ASKED)})\b|{_ASKED_WITHOUT_SPACES}", re.I)


def asks_for_number(question: str) -> bool:
    """Whether a number seems to answer: an amount, a size, a date.

    >>> asks_for_number("How many days do I have?"), asks_for_number("Who was told when the cable broke?")
    (True, False)
    """
    return _AMOUNT.search(question[-_LONGEST_QUESTION:]) is not None


def number_words(tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """True at the id of each token that is a word for a number, a span of time or a date.

    The last is False and stands for all larger ids, too.
    """
    known = _words.get(tokenizer)
    if known is not None:
        return known
    forms = [f" {form}" for word in _NUMBER_WORDS.split() for form in dict.fromkeys([word, word.capitalize()])]
    ids, offsets, limits = tokenizer.encode(forms)
    first, last = limits[:-1], limits[1:] - 1
    whole = (offsets[last, 0] <= 1) & (last - first <= 1)  # but for a token of the space
    words = np.zeros(int(ids.max(initial=0)) + 2, dtype=np.bool_)
    words[ids[last[whole]]] = True
    _words[tokenizer] = words
    return words


def have_numbers(characters: Characters, starts: Positions, ends: Positions) -> NDArray[np.bool_]:
    """True for each of some stretches that has a number, digits that are not the end of a word (as in ``BERT2``).

    Args:
        characters: of the text.
        starts, ends: places of the stretches, int64 [S].

    Returns:
        bool [S].
    """
    digits = characters.places(DIGIT)
    begins = digits[(characters.classes[digits - 1] & WORD == 0) | (digits == 0)]
    return any_between(begins, starts, ends)
