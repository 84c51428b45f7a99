"""Where a text may be cut, against one place at a time."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat.text.characters import Characters
from beaver_compat.text.cutting import (
    AFTER_CLAUSE,
    AFTER_LINE,
    AFTER_WORD,
    BETWEEN_SIGNS,
    LONGEST_WORD,
    SPLITS_CHARACTER,
    SPLITS_WORD,
    cut_levels,
    cut_places,
    move_out,
)

BITS = [
    *"ab1.,; \n",
    "\r\n",
    "naïve",
    "e\u0301",
    "👩\u200d👧",
    "👍🏽",
    "🇩🇪",
    "🇩🇪🇫🇷",
    "❤\ufe0f",
    "漢字",
    "ไทย",
    "น้ำ",
    "한",
    "\u1112\u1161\u11ab",
    "x_y",
    "--",
    "('a')",
    "\u3000",
    "x" * 70,
    "-" * 70,
]
texts = st.lists(st.sampled_from(BITS), min_size=1, max_size=30).map("".join)


def levels_of(text: str, start: int = 0, end: int | None = None) -> list[int]:
    return cut_levels(Characters(text), start, len(text) if end is None else end).tolist()


@pytest.mark.parametrize(
    ("text", "place", "level"),
    [
        ("one two", 3, AFTER_WORD),
        ("one two", 4, AFTER_WORD),
        ("one two", 2, SPLITS_WORD),
        ("one, two", 5, AFTER_CLAUSE),
        ("one,two", 4, BETWEEN_SIGNS),
        ("one\ntwo", 4, AFTER_LINE),
        ("one\r\ntwo", 4, SPLITS_CHARACTER),
        ("one\r\ntwo", 5, AFTER_LINE),
        ("one", 0, AFTER_LINE),
        ("one", 3, AFTER_LINE),
        ("漢字", 1, BETWEEN_SIGNS),
        ("五百元", 1, SPLITS_WORD),
        ("五百元", 2, SPLITS_WORD),
        ("一定", 1, BETWEEN_SIGNS),
        ("6 km", 1, SPLITS_WORD),
        ("6 km", 2, SPLITS_WORD),
        ("6 7", 2, AFTER_WORD),
        ("up to 6", 6, SPLITS_WORD),
        ("up to 6", 3, AFTER_WORD),
        ("on foot, 6 km", 9, AFTER_CLAUSE),
        ("in 6\nkm", 5, AFTER_LINE),
        ("e\u0301a", 1, SPLITS_CHARACTER),
        ("👩\u200d👧", 2, SPLITS_CHARACTER),
        ("🇩🇪🇫🇷", 2, BETWEEN_SIGNS),
        ("🇩🇪🇫🇷", 3, SPLITS_CHARACTER),
        ("x_y", 1, BETWEEN_SIGNS),
    ],
)
def test_the_level_of_a_place(text: str, place: int, level: int) -> None:
    assert levels_of(text)[place] == level


@given(texts)
def test_no_place_inside_a_character_is_said_to_be_between_two(text: str) -> None:
    inside = {place for match in regex.finditer(r"\X", text) for place in range(match.start() + 1, match.end())}
    levels = levels_of(text)
    assert all(levels[place] == SPLITS_CHARACTER for place in inside)


@given(texts, st.data())
def test_a_places_level_does_not_depend_on_the_stretch_around_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert levels_of(text, start, end) == levels_of(text)[start : end + 1]


@given(texts, st.data(), st.sampled_from([-1, 1]))
def test_ends_move_outward_to_the_next_good_place(text: str, data: st.DataObject, step: int) -> None:
    place = data.draw(st.integers(0, len(text)))
    levels = levels_of(text)
    edge = max(place - LONGEST_WORD, 0) if step < 0 else min(place + LONGEST_WORD, len(text))
    way = range(place, edge + step, step)
    expected = place
    for least in (AFTER_WORD, BETWEEN_SIGNS, SPLITS_WORD):
        good = [at for at in way if levels[at] >= least]
        if good:
            expected = good[0]
            break
    assert move_out(Characters(text), place, step) == expected


@given(texts, st.data())
def test_cuts_split_words_only_where_there_is_nothing_better_near(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    places, found = cut_places(Characters(text), start, end)
    levels = levels_of(text, start, end)
    assert found.tolist() == [levels[place - start] for place in places.tolist()]
    assert all(start < place < end for place in places.tolist())
    better = {place for place in range(start, end + 1) if levels[place - start] >= AFTER_WORD} | {start, end}
    assert better - {start, end} <= set(places.tolist())
    for place in places.tolist():
        if levels[place - start] == SPLITS_WORD:
            near = [at for at in range(start, end + 1) if levels[at - start] >= BETWEEN_SIGNS]
            before, after = (
                max([start, *(at for at in near if at < place)]),
                min([end, *(at for at in near if at > place)]),
            )
            assert after - before >= LONGEST_WORD or not near
        assert levels[place - start] > SPLITS_CHARACTER


def test_text_without_any_good_place_may_be_cut_anywhere() -> None:
    places, _ = cut_places(Characters("x" * 1000), 0, 1000)
    assert places.tolist() == list(range(1, 1000))
