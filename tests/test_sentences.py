"""Sentence ends: pysbd's on prose of every language, well-formed and in bounded time on any text."""

from __future__ import annotations

import importlib
import logging
import os
import random
import subprocess
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentence_samples import BOMBS, PIECES, PROSE

from beaver_compat.errors import InputValueError
from beaver_compat.text import sentences
from beaver_compat.text.sentences import LANGUAGES, language_code, script_language, sentence_ends

CODES = sorted(LANGUAGES)
WINDOW = 1000  # characters, some more than are looked at
RUN_BOMBS = f"""
import sys
from beaver_compat.text.sentences import LANGUAGES, sentence_ends
from sentence_samples import BOMBS
for code in sorted(LANGUAGES):
    for bomb in BOMBS:
        assert sentence_ends(bomb[:{WINDOW}], code)[-1] == len(bomb[:{WINDOW}])
"""


def pysbd_ends(text: str, code: str) -> list[int]:
    """The ends that the unmodified library gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        segmenter: Any = importlib.import_module("pysbd").Segmenter(language=code, clean=False, char_span=True)
        return [span.end for span in segmenter.segment(text)]


def assert_well_formed(window: str, ends: list[int]) -> None:
    assert all(start < end for start, end in zip([0, *ends], ends, strict=False))
    assert (ends[-1] if ends else 0) == len(window)


def windows_of(prose: str) -> Iterator[str]:
    """The whole, and windows that start and end anywhere."""
    yield prose
    random_state = random.Random(len(prose))
    for _ in range(12):
        start = random_state.randrange(len(prose))
        yield prose[start : start + random_state.randrange(20, 300)]


@pytest.fixture
def fresh_rules() -> Iterator[None]:
    for cached in (sentences._rules, sentences._tables):
        cached.cache_clear()
    yield
    for cached in (sentences._rules, sentences._tables):
        cached.cache_clear()


def test_languages_are_those_of_pysbd() -> None:
    languages = importlib.import_module("pysbd.languages").LANGUAGE_CODES
    assert set(languages) == LANGUAGES == set(PROSE)


@pytest.mark.parametrize("code", CODES)
def test_prose_ends_where_pysbd_ends_it(code: str) -> None:
    assert len(sentence_ends(PROSE[code], code)) >= 4
    for window in windows_of(PROSE[code]):
        if code != "ar" or window[0] not in "امه":  # of which pysbd makes every word that ends so an abbreviation
            assert sentence_ends(window, code) == pysbd_ends(window, code), window


@pytest.mark.parametrize("first", ["ا", "المدير", "محمد", "هذا", "كان"])
def test_arabic_sentences_end_however_their_line_begins(first: str) -> None:
    sentences = [f"{first} صدر فعلا. ", "ثم جاء الوزير متأخرا. ", "وبلغت الميزانية 95 دينارا في اليوم. ", "وحضر الحفل."]
    ends = [len("".join(sentences[: count + 1])) for count in range(len(sentences))]
    assert sentence_ends("".join(sentences)) == ends


def test_ends_stand_behind_white_space() -> None:
    text = "Mr. Hall paid $3.50.  He left at 5 p.m. on Monday.\n\nWhy? "
    assert [text[:end] for end in sentence_ends(text)][:1] == ["Mr. Hall paid $3.50.  "]
    assert sentence_ends(text) == [22, 52, 57]


def test_rules_leave_the_library_as_it_was() -> None:
    languages = importlib.import_module("pysbd.languages").LANGUAGE_CODES
    for code in CODES:
        sentence_ends(PROSE[code], code)
    assert sentences._tables_digest(languages) == sentences._EXPECTED_TABLES


def test_windows_without_a_sentence_end() -> None:
    assert sentence_ends("") == []
    assert sentence_ends("   ") == [3]
    assert sentence_ends("no end at all") == [13]
    assert sentence_ends("x" * WINDOW) == [WINDOW]


def test_placeholders_of_pysbd_in_the_text_do_no_harm() -> None:
    for sign in "∯♬♭☉☇☈☄♟♝☏∮♨☝⎋✂⌬ȸȹƪ":
        text = f"The sign {sign} is here. Then &{sign}& there! A{sign}b ends it."
        assert [text[:end].count(" ") for end in sentence_ends(text, "en")] == [5, 8, 10]
    assert sentence_ends("Take &ᓰ& first. Then &ᓴ& now.", "en") == [16, 29]


def test_clusters_stay_whole() -> None:
    text = "It ends.\u0301 Next one!\u200d Last one? \ud83d.\ude00 Done."
    assert sentence_ends(text, "en") == [10, 21, 31, 35, len(text)]


@given(
    st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.sampled_from([None, *CODES]),
)
def test_ends_are_well_formed_on_any_text(window: str, code: str | None) -> None:
    ends = sentence_ends(window, code)
    assert_well_formed(window, ends)
    for follower in (window[end] for end in ends[:-1]):
        assert not follower.isspace()
        assert not unicodedata.category(follower).startswith("M")
        assert not "\udc00" <= follower <= "\udfff"


def test_hostile_windows_come_back(tmp_path: Path) -> None:
    tests = Path(__file__).parent
    # Each warning is an error and nothing is compiled yet: pysbd's warnings at import must not come through.
    command = [sys.executable, "-W", "error", "-X", f"pycache_prefix={tmp_path}", "-c", RUN_BOMBS]
    paths = os.pathsep.join([str(tests.parent), str(tests)])
    subprocess.run(command, check=True, timeout=120, env={**os.environ, "PYTHONPATH": paths})


def test_threads_get_what_one_thread_gets(fresh_rules: None) -> None:
    random_state = random.Random(0)
    jobs = [("".join(random_state.choices(PIECES, k=40)), random_state.choice(CODES)) for _ in range(400)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda job: sentence_ends(*job), jobs))
    assert together == [sentence_ends(*job) for job in jobs]


@pytest.mark.parametrize("reason", ["other tables", "not installed"])
def test_without_the_expected_pysbd_a_plain_rule_does_it(
    reason: str, fresh_rules: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if reason == "other tables":
        monkeypatch.setattr(sentences, "_EXPECTED_TABLES", "another digest")
    else:
        monkeypatch.setitem(sys.modules, "pysbd.languages", None)
    with caplog.at_level(logging.WARNING, logger="beaver_compat.text.sentences"):
        assert sentence_ends("He came (late). Left!  Why?\nNobody knows v1.2 yet", "en") == [16, 23, 28, 49]
        assert sentence_ends("他来了。「真的吗？」她问。好", "zh") == [4, 10, 13, 14]
        for bomb in BOMBS:
            assert_well_formed(bomb[:WINDOW], sentence_ends(bomb[:WINDOW], "de"))
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_language_without_rules_is_named() -> None:
    with pytest.raises(InputValueError, match=r"'tlh'.*am, ar, bg.*zh"):
        language_code("tlh")


@pytest.mark.parametrize("code", ["am", "ar", "el", "en", "hi", "hy", "ja", "my", "ru", "ur", "zh"])
def test_the_script_tells_the_language(code: str) -> None:
    assert script_language(PROSE[code]) == code
    assert sentence_ends(PROSE[code]) == sentence_ends(PROSE[code], code)


def test_most_letters_decide_the_script() -> None:
    assert script_language("") == script_language("“Quotes” – and dashes…") == "en"
    assert script_language("The word слово is Russian.") == "en"
    assert script_language("Слово word по-русски, и ещё слова.") == "ru"
    assert script_language("한국어 문장입니다.") == "en"


# Ends that are plain to see

PLAIN_BITS = [
    "He went home. ", "They saw Dr. ", "Smith and co. ", "and he asked (twice). ", '"Is it so?" she said. ',
    "It's 3.5 percent. ", "the U.S. ", "Senate voted. ", "no. ", "No. ", "5 of them stood there -- as before. ",
    "a well-known fact. ", "Why? ", "What!? ", "Stop! ", "I saw it ", "in vivid colours. ", "'Tis so. ", "[1] ",
    "(see p. ", "ii. ", "mix. ", "‘Never,’ he said. ", "“Go. ", "Now.” ", "Yahoo! ", "Zum Beispiel. ", "--that is. ",
    "e.g. ", "The end... ", "they said. ", "The file was big. jpg ", "café. ", "at 5 p.m. ", "On Monday he left. ",
    "line\\one. ", "1. bread 2. salt 3. oil. ", "a. one b. two c. three. ", "et al. ", "The (long. ", "road). ",
]  # fmt: skip


@given(st.lists(st.sampled_from(PLAIN_BITS), min_size=1, max_size=8), st.lists(st.sampled_from(PLAIN_BITS), min_size=1))
def test_what_is_plain_to_see_is_what_the_rules_say(left: list[str], right: list[str]) -> None:
    before, behind = "".join(left), "".join(right)[:60]
    assert sentences.ends_between(before, behind) == (len(before) in sentence_ends(before + behind))


def test_plain_ends_are_seen_without_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked the rules")

    monkeypatch.setattr(sentences, "sentence_ends", refuse)
    assert sentences.ends_between("The beaver builds a dam. ", "The river rises.")
    assert sentences.ends_between('She said "no" (twice), and left for London?  ', "He stayed [there].")
    with pytest.raises(AssertionError, match="asked the rules"):
        sentences.ends_between("They saw Dr. ", "Who went.")
