"""Abbreviations: for each one of each language the same hidden periods as pysbd's own replacer."""

from __future__ import annotations

import importlib
import re
import warnings
from typing import Any

import pytest

from beaver_compat.text.sentence_abbreviations import Abbreviations, one_pass
from beaver_compat.text.sentences import ends_between

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    TABLES: dict[str, Any] = importlib.import_module("pysbd.languages").LANGUAGE_CODES

MOST = 120  # abbreviations of one language that are tried
FRAMES = [
    "a {}. b",
    "a {}. B",
    "a {}. 5 b",
    "a {}. (b)",
    "a {}.: b",
    "a {}.",
    "{}. b",
    "a\r{}.\rb",
    "a({}. b",
]


def pysbd_hides(code: str, text: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(TABLES[code].AbbreviationReplacer(text, TABLES[code]).replace())


@pytest.mark.parametrize("code", sorted(TABLES))
def test_each_abbreviation_is_hidden_where_pysbd_hides_it(code: str) -> None:
    abbreviations = Abbreviations(code, TABLES[code])
    names = sorted({name.strip() for name in TABLES[code].Abbreviation.ABBREVIATIONS})
    for name in names[:: len(names) // MOST + 1]:
        # With a capital, names with periods inside are where pysbd's wildcards make a difference.
        forms = [name] if "." in name else [name, name.capitalize()]
        for text in (frame.format(form) for frame in FRAMES for form in forms):
            assert abbreviations.hide(text) == pysbd_hides(code, text), text


@pytest.mark.parametrize(("code", "name"), [("de", "art"), ("fa", "dr"), ("ar", "ا"), ("sk", "hod"), ("en", "dr")])
def test_how_a_line_begins_makes_no_abbreviation_of_a_part_of_a_word(code: str, name: str) -> None:
    for text in (f"{name}ab x{name}. b", f"a\r{name}ab x{name}. b", f"a{name}. b"):
        assert Abbreviations(code, TABLES[code]).hide(text) == text
    whole = f"{name}. b x{name}. b"
    assert Abbreviations(code, TABLES[code]).hide(whole) == whole.replace(".", "∯", 1)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Dr. Hall met Mr. Lane. Then", "Dr∯ Hall met Mr∯ Lane. Then"),
        ("See no. 5 or no. Five.", "See no∯ 5 or no. Five."),
        ("J. Hall of Co. KG", "J∯ Hall of Co∯ KG"),
        ("in the U.S. and at 5 p.m. or", "in the U.S∯ and at 5 p∯m∯ or"),
        ("he had an I.V. The nurse", "he had an I∯V. The nurse"),
        ("in the U.S. The law; at 5 p.m. Then", "in the U∯S. The law; at 5 p∯m. Then"),
    ],
)
def test_english_by_example(text: str, hidden: str) -> None:
    assert Abbreviations("en", TABLES["en"]).hide(text) == hidden


# fmt: off
NUMBERED = [
    "Apt.", "No.", "Nos.", "Fig.", "Figs.", "Sec.", "Art.", "Ch.", "Vol.", "pp.", "p.", "Ste.", "Bldg.", "Rm.", "Ext.",
    "Eq.", "Chap.", "Tel.", "Para.",
]
# fmt: on


@pytest.mark.parametrize("name", NUMBERED)
@pytest.mark.parametrize("number", ["3", "3B", "B3", "#3", "IV", "(3)"])
def test_a_number_behind_an_abbreviation_ends_no_sentence(name: str, number: str) -> None:
    for left in (f"He lives in {name} ", f"{name} "):
        assert not ends_between(left, f"{number} of it today. Yes.")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("He said no. ", "Five left."),
        ("The price is apt. ", "He paid."),
        ("I closed the app. ", "20 minutes later it rang."),
        ("He has a large vol. ", "It is red."),
        ("He lives in apt. 3B. ", "It is small."),
        ("See the art. ", "I like it."),
    ],
)
def test_a_sentence_ends_behind_the_same_words_elsewhere(left: str, right: str) -> None:
    assert ends_between(left, right)


def test_one_pass_hides_what_the_rules_hide_one_by_one() -> None:
    rules = [r"(?<=\s[A-Z])\.(?=,?\s)", r"(?<=\d)\.(?=\S)", r"\.(?=\d)"]
    text = " A. b 1.x B., .5 c. 2. "
    expected = text
    for rule in rules:
        expected = re.sub(rule, "∯", expected)
    assert one_pass(rules).sub("∯", text) == expected == " A∯ b 1∯x B∯, ∯5 c. 2. "
