"""The language of a text in Latin script is told where its words tell it, and of each part of a text."""

from __future__ import annotations

import numpy as np
import pytest

from beaver_compat.text.characters import Characters
from beaver_compat.text.languages import LANGUAGES, bits, languages_at, told_language

TEXTS = {
    "en": "The ferry left the harbour at noon, and it was late. They said that the wind is to blame for this.",
    "de": "Die Fähre verließ den Hafen am Mittag und kam nicht vor dem Abend an, weil der Wind zu stark war.",
    "nl": "De veerboot vertrok om twaalf uur uit de haven en kwam niet op tijd aan, want het waaide te hard.",
    "fr": "Le bac a quitté le port à midi et il est arrivé en retard, car le vent soufflait dans la baie.",
    "es": "El barco salió del puerto al mediodía y no llegó a tiempo, porque el viento era más fuerte que nunca.",
    "it": "Il traghetto ha lasciato il porto a mezzogiorno e non è arrivato in tempo per il vento che soffiava.",
    "pt": "O barco saiu do porto ao meio-dia e não chegou a tempo, porque o vento era mais forte na baía.",
    "ro": "Vaporul a plecat din port la prânz și nu a ajuns la timp, pentru că vântul a fost mai puternic pe mare.",
    "sv": "Färjan lämnade hamnen vid tolv och kom inte fram i tid, för att det var för mycket vind på sjön.",
    "pl": "Prom wypłynął z portu w południe i nie dotarł na czas, bo wiatr na zatoce był za silny, jak się okazało.",
    "da": "Færgen forlod havnen klokken tolv og kom ikke frem til tiden, fordi der var for meget vind på søen.",
    "cs": "Trajekt vyplul z přístavu v poledne a nedorazil včas, protože vítr na zálivu byl tak silný, že se vrátil.",
    "fi": "Lautta lähti satamasta kello kaksitoista ja myöhästyi, mutta se ei ollut vika, kun tuuli oli kova.",
    "hu": "A komp délben indult el a kikötőből és nem ért oda, mert az erős szél volt, hogy meg kellett állni.",
    "tr": "Vapur öğlen limandan ayrıldı ve çok geç geldi, çünkü bu rüzgâr için bir tekne ne kadar büyük olsa da az.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_told_by_its_words(language: str) -> None:
    assert told_language(TEXTS[language]) == language
    assert told_language(TEXTS[language].upper()) == language


@pytest.mark.parametrize(
    "text",
    ["", "12.50 7 x", "Rotterdam, Antwerpen, Basel", "die hard", "Он пришёл.", "def f(a, b): return a", "\udc80."],
)
def test_what_does_not_tell_a_language(text: str) -> None:
    assert told_language(text) is None


def test_each_part_of_a_long_text_has_its_own_language() -> None:
    text = TEXTS["de"] * 400 + TEXTS["en"] * 400
    places = np.arange(0, len(text), 700)
    found = languages_at(Characters(text), places)
    edge = len(TEXTS["de"]) * 400
    far = 20_000
    assert set(found[places < edge - far].tolist()) == {bits("de")}
    assert set(found[places > edge + far].tolist()) == {bits("en")}
