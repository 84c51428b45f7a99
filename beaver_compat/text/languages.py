"""The language of a text in Latin script, told by its most frequent words."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.characters import Characters
from beaver_compat.text.word_tables import WordTable

_FREQUENT = {
    "en": "the of and to in is that for it was with as on are be this by not at from he she they we you his her"
    " their its but if when then there after before also all a an i or which these those so no what how"
    " why who one",
    "de": "der die und das ist nicht mit den dem von zu auf für ein eine im des sich wird am zum bei auch einer"
    " nach es er sie wir ich ihr in an aus als wenn dann danach aber dies diese dieser dieses seine sein"
    " ihre ab vor seit alle so da doch nur wer was wie wo zur kein keine man unser unsere mein meine bitte"
    " ja nein durch über unter bis hier dort jetzt heute damit dabei daher deshalb zudem außerdem jedoch"
    " dazu beide jeder jede jedes viele einige etwa zwar denn weil während obwohl sobald falls sonst"
    " schließlich anschließend später zuvor darauf",
    "nl": "de het een van en is dat niet op te zijn met voor die aan er om bij ook naar wordt heeft werd als dan",
    "fr": "le la les de des et est un une du que pour dans en qui pas sur au par avec il elle ce sont ne se a",
    "es": "el la los las de que y en un una es por con para del se no al su lo más pero como son",
    "it": "il la di che e un una per non in del con sono gli le della nel da si è i lo al dei alla ha",
    "pt": "o a os as de que e do da em um uma para com não no na por dos se mais ao foi é",
    "ro": "și de la în cu a nu pe este un o din care că pentru sunt se au fost mai",
    "sv": "och att det en som är på av för inte den med har till jag ett om de var kan från vi så",
    "pl": "i w na z nie się że do jest to o dla od po przez oraz jak za są ale już tylko był",
    "da": "og at det en er på af av til ikke som den med for har jeg der de et fra vi han hun var kan å om men"
    " så hvis når efter etter da ved i dette denne disse også alle her nu nå",
    "cs": "a v na se sa je že s z do by jako ako pro pre který která které ktorý ktorá ktoré od po ve vo jsou"
    " sú i o k u ale však to ten ta tato tá táto tento bylo bolo byl bol byla bola také již tiež už podle"
    " podľa při pri pokud když keď potom pak dne dňa za",
    "fi": "ja on ei että se oli hän ovat mutta kun myös joka tai sen ne hänen tämä niin jos sitten en voi vain",
    "hu": "a az és hogy nem is egy van meg de volt ez csak már ha mint vagy el ezt amely után majd azonban lesz",
    "tr": "ve bir bu için ile da de olarak olan daha çok ne kadar gibi o ancak ama sonra her en ya değil var şu"
    " biz ben siz eğer",
}
LANGUAGES = tuple(_FREQUENT)
"""Those that can be told; Norwegian counts as Danish, Slovak as Czech."""

_LANGUAGES_OF: dict[str, list[int]] = {}
for _number, _words in enumerate(_FREQUENT.values()):
    for _word in dict.fromkeys(_words.split()):
        _LANGUAGES_OF.setdefault(_word, []).append(_number)
_CAPITALIZED = WordTable(
    {word.capitalize(): sum(1 << number for number in numbers) for word, numbers in _LANGUAGES_OF.items()}
)
_WORD = re.compile(r"[^\W\d_]+")
_BLOCK, _AROUND = 16384, 512  # characters that are of one language, and those on either side of a place that tell it
_LEAST_WORDS = 3  # different ones of the language
_LEAST_LEAD = 1.5  # times as many words as of the next


def bits(*languages: str | None) -> int:
    """Some of `LANGUAGES` as a sum of bits, one for each; None has none.

    >>> bits("en"), bits(None), bits("en", "de") == bits("en") + bits("de")
    (1, 0, True)
    """
    return sum(1 << LANGUAGES.index(language) for language in languages if language)


def told_language(text: str) -> str | None:
    """The one of `LANGUAGES` that a text is in, None where its words don't tell.

    >>> [told_language(text) for text in ("Das Boot ist auf dem See.", "The boat is on the lake.", "Rotterdam 12.50")]
    ['de', 'en', None]
    """
    counts, kinds = [0] * len(LANGUAGES), [0] * len(LANGUAGES)
    for word, count in Counter(_WORD.findall(text.lower())).items():
        for number in _LANGUAGES_OF.get(word, ()):
            counts[number] += count
            kinds[number] += 1
    second, first = sorted(counts)[-2:]
    best = counts.index(first)
    return LANGUAGES[best] if kinds[best] >= _LEAST_WORDS and first >= _LEAST_LEAD * second else None


def languages_at(characters: Characters, places: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The bit of the language around each of some ascending places, 0 where it can't be told, uint32 [k]."""
    blocks, block_of = np.unique(places // _BLOCK, return_inverse=True)
    first = places[places.searchsorted(blocks * _BLOCK)]
    told = np.empty(blocks.size, dtype=np.uint32)
    for index, place in enumerate(first.tolist()):
        around = characters.points[max(place - _AROUND, 0) : place + _AROUND]
        told[index] = bits(told_language(around.tobytes().decode("utf-32-le", "surrogatepass")))
    return told[block_of]


def frequent(characters: Characters, places: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Of which languages a frequent word stands at each place, with a capital, as a sum of bits, uint32 [k]."""
    return _CAPITALIZED.at(characters, places)
