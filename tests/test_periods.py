"""Periods of abbreviations, in any language or in one that is told by its words; and those that do end sentences."""

from __future__ import annotations

import pytest
from line_readings import boundaries_of, sentences_of

AROUND = {
    "en": "The ferry left the harbour and it was late, for the wind was not with us",
    "de": "Die Fähre verließ den Hafen und kam nicht vor dem Abend an",
    "es": "El barco salió del puerto y no llegó a tiempo por el viento",
    "fr": "Le bac a quitté le port et il est arrivé en retard dans la baie",
    "it": "Il traghetto ha lasciato il porto e non è arrivato per il vento che soffiava",
    "nl": "De veerboot vertrok uit de haven en kwam niet op tijd aan",
    "pl": "Prom wypłynął z portu i nie dotarł na czas, jak się okazało",
    "pt": "O barco saiu do porto e não chegou a tempo",
}


@pytest.mark.parametrize("language", [None, "de", "nl", "fr", "pl", "es", "it", "en"])
@pytest.mark.parametrize(
    "text",
    [
        "Then Dr. Bakker met prof. Smit there",
        "See tel. 030 555 or Tel. +49 30 or tel. (030) 5",
        "From Sept. 2025 to Nov. 2023 and Okt. 2024",
        "It costs 98,6 Mio. Euro or 3 Mrd. Kronen",
        "By the Fa. Klarweg and Hr. Berg and Fr. Adler",
        "O Sr. Silva e a Dra. Costa moram na Av. Brasil",
        "Die Fr. Adler und El Sr. Ruiz y Exmo. Sr. Gil, Dña. Ana",
        "Da dott. Rossi e avv. Neri con Dipl.-Ing. Pfaff e l'ing. Gallo",
        "Voorzitter: mw. Terpstra, dhr. Jansen, mevr. De Boer, Fam. Bos",
        "Na ul. Długiej, tj. 14 maja, tzw. Stary, św. Jan, o godz. 7.00",
        "In Goethestr. 5 and Lotzestr. 27, Abt. 3, Abb. 4, blz. 4, č. 5, env. 450",
        "Le joint (réf. BJ-604) et ref. BH-310",
        "En EE. UU. y RR. HH. hoy",
        "Ex d.lgs. 231",
        "กับ ดร. สมชาย",
    ],
)
def test_abbreviations_end_no_sentence_in_any_language(text: str, language: str | None) -> None:
    assert sentences_of(text, language) == [text]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("it", "abita al n. 5 con il sig. Bianchi e l'on. Verdi"),
        ("es", "la dra. Gil y el sr. Ruiz en la av. Goya"),
        ("pt", "a sra. Lima e o sr. Gil na av. Brasil"),
        ("nl", "de fam. Bos"),
        ("fr", "né en 50 av. J.-C. à Rome"),
        ("pl", "np. Ewa"),
    ],
)
def test_abbreviations_of_one_language_count_where_it_is_told(language: str, text: str) -> None:
    assert not boundaries_of(f"{AROUND[language]}, {text}").sentences.size
    assert boundaries_of(f"{AROUND['en']}, {text}").sentences.size


@pytest.mark.parametrize(
    "text",
    [
        "He met Martin Luther King Sr. | He was old",
        "He met Martin Luther King Sr. | Bob did not",
        "Open Mo.-Fr. | Sundays it is closed",
        "Offen bis Fr. | Am Samstag zu",
        "Das waren 212 Mio. | Der Rest fiel weg",
        "The word ends in -ing. | Verbs do",
        "Put it into a ul. | Then close it",
        "Il libro è mio. | Gianni lo legge",
        "De satte sig. | Peter gik",
        "Turn it on. | Peter left",
        "Vi ses i morgen, sa fam. | Peter gik",
        "This is the ref. | Ask him",
        "He was at the tel. | Peter left",
        "It is the max. | Peter left",
        "He fell ill. | Peter left",
        "She said no. | Peter left",
        "Он помог им. | Иван ушёл",
        "kalem, defter vb. | Bunlar ucuz",
        "They came in Sept. | Peter left",
        "He has the AA. | BB King sang",
        "It is in 5 G. | Peter left",
        "We live on Park Av. | They like it",
        "He works at 5 MW. | Peter left",
        "Nos gusta la obra. | Ana firmó",
        "It rained in Lustr. | Peter left",
    ],
)
def test_the_same_words_end_sentences_elsewhere(text: str) -> None:
    left, right = text.split(" | ")
    assert boundaries_of(f"{left} {right}").sentences.tolist() == [len(left) + 1]


def test_20000_abbreviations_are_read() -> None:
    for text in ("Dr. Max. 5 ", "Sr. Bob ", "am 3. Mai ", "el sr. Bob de la casa ", "EE. UU. ", "II. Abt. "):
        assert boundaries_of(text * 20_000).hard_lines.tolist() == [0]
