"""Sentence rules: pysbd's sentences on odd text of every language, one case for each rewritten pattern."""

from __future__ import annotations

import importlib
import random
import re
import warnings
from typing import Any

import pytest
from sentence_samples import PIECES

from beaver_compat.text.sentence_rules import PLACEHOLDER_LETTERS, PLACEHOLDER_SYMBOLS, SentenceRules

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    TABLES: dict[str, Any] = importlib.import_module("pysbd.languages").LANGUAGE_CODES

SAFE_PIECES = [piece for piece in PIECES if not set(piece) & set(PLACEHOLDER_LETTERS + PLACEHOLDER_SYMBOLS)]


def pysbd_sentences(code: str, text: str) -> list[str]:
    """The sentences of the unmodified library, less the white space around them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        segmenter = importlib.import_module("pysbd").Segmenter(language=code)
        found = segmenter.processor(text).process()
    return [sentence.strip() for sentence in found if sentence.strip()]


@pytest.mark.parametrize("code", sorted(TABLES))
def test_odd_text_has_the_sentences_of_pysbd(code: str) -> None:
    rules = SentenceRules(code, TABLES[code])
    random_state = random.Random(code)
    for _ in range(40):
        text = "".join(random_state.choices(SAFE_PIECES, k=random_state.randrange(1, 40)))
        assert list(rules.sentences(text)) == pysbd_sentences(code, text), text


@pytest.mark.parametrize(
    "text",
    [
        "A claim.[1] Another.[1, 2] A third.[12-14][3] More.[1 2] But.[1234] And.12 Then.1 23 End.[1,,2] No",
        "What!!! Really??? No!!!x And !!!! or !!!!! So?!? Yes",
        'He said "so it is. (He means it.) " (he (or she) said.) "And. Then" went.',
        "She's 'so. Very. so' odd 'n. 'Tis. 'Twas.' Or ' not. ' So 'it's so.' Yes.",
        "‘One. Two.’ three. ‘It’s so. Yes.’ He left. ‘Open. Quote",
        r"“a\. b.” c. “a. b” c. “.\“. c” [a. b] [a.\] b.] (a. (b.) c.) «a. b» --a. b-- -- c. d",
        "\"Quote one.\" He said 'two.' And “three.” Then 'four,' She ''five.'' Or \"\"six.\"\" (seven.) B",
        "（一。二）A 「三。四」 B 《五。六》 七。",
        "Wait... He left. Wait.... He left. Wait . . . he left. so. . . . End . . . . .",
        "Yahoo! is a firm. The !Kung live there! Yum! is one! he said! , so! She left!",
        "(ii) A rule. (iv) B rule. (xl) C rule. (abc) D rule.",
        "He spoke. 'No. Yes,' She left. “No. Yes”” Then \"No. Yes,\" Or ‘No. Yes’ Who? End",
        r"He wrote “\.” and [\.] or (\.) there. End",
        "55° 12.5 N.° .5 x°. 12 report .pdf and .docx now. a@b.com x.y 1.2.3 v1.2. End.",
    ],
)
@pytest.mark.parametrize("code", ["en", "de", "sk", "zh", "ja", "kk", "ar", "hi"])
def test_rewritten_patterns_match_what_they_matched(code: str, text: str) -> None:
    rules = SentenceRules(code, TABLES[code])
    for cut in (
        text,
        text[:-1],
        re.sub("[.]", "?", text),
        re.sub("[.]", "!", text),
        text.replace(" ", "\n", 3),
    ):
        assert list(rules.sentences(cut)) == pysbd_sentences(code, cut)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("da", "Svar udbedes s.u. Det er godt. Den 5. Juni kom han, -5. Grad. Ja."),
        ("de", "„Eins. Zwei“ und ,,Drei. Vier“ dann. ,,Fünf. Sechs“ nun. Ende (3. Januar) hier."),
        ("de", "Er sagt ,,Fünf. Sechs“ nun. Ende (3. Januar) hier. Punkt 123. Mai kam."),
        ("kk", "Қайда? — деп сұрады. Кел! - деді ол. Жоқ! Кім?"),
        (
            "sk",
            "Karol IV. Veľký. Ján XI. Malý. Pius VI. Starý. Bolo (5. Január) tu. Číslo 7. Máj.",
        ),
    ],
)
def test_rules_of_single_languages(code: str, text: str) -> None:
    assert list(SentenceRules(code, TABLES[code]).sentences(text)) == pysbd_sentences(code, text)
