"""Compact JSON and HTML: many values or blocks on one line."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_texts import kept

from beaver_compat import BeaverPromptCompressor
from beaver_compat.text.lined_text import read_lines

NAMES = "Ann Frost,Bob Quill,Cy Marsh,Dee Stone,Eve Bell,Flo Grant,Gus Reed,Harriet Oldcastle,Ivo Kern,Jo Vane,Kim Hart"
CITIES = "Rome,Oslo,Lima,Bern,Perth,Cairo,Delhi,Reykjavik,Malmo,Quito,Sofia"
NEIGHBOURS = "baker,smith,tailor,vicar,miller,joiner,cook,painter,printer,saddler,weaver"
PEOPLE: list[dict[str, Any]] = [
    {"id": number, "name": name, "tags": ["a, b", "c]"], "city": city}
    for number, (name, city) in enumerate(zip(NAMES.split(","), CITIES.split(","), strict=True))
]
MARKUP = "".join(f"<li>{person['name']} lives in <b>{person['city']}</b></li>" for person in PEOPLE)
LINES = [json.dumps(PEOPLE), json.dumps({"ok": True, "people": PEOPLE}), f"<html><body><ul>{MARKUP}</ul></body></html>"]
ORDERS = [
    {
        "customer": {"name": person["name"], "city": person["city"], "mail": f"{number}@example.com"},
        "lines": [{"sku": f"SK-{100 * number + place}", "price": number + place / 7} for place in range(4)],
        "note": f"To be left with the {neighbour} next door.",
    }
    for number, (person, neighbour) in enumerate(zip(PEOPLE, NEIGHBOURS.split(","), strict=True))
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("around", ["{}", "The tool returned this.\n\n{}\n\nPlease answer from the data above only.\n"])
@pytest.mark.parametrize("budget", [45, 80, 120])
def test_the_item_that_is_asked_for_is_kept_whole(
    compressor: BeaverPromptCompressor, line: str, around: str, budget: int
) -> None:
    for person in PEOPLE:
        found = kept(compressor, around.format(line), f"In which city does {person['name']} live?", budget)
        item = json.dumps(person) if line[0] != "<" else f"<li>{person['name']} lives in <b>{person['city']}</b></li>"
        assert item in found, (budget, person["name"], found)


def written(kind: str) -> str:
    compact = json.dumps({"status": "ok", "orders": ORDERS}, separators=(",", ":"))
    return {
        "compact": compact,
        "spaced": json.dumps({"status": "ok", "orders": ORDERS}),
        "python": repr({"status": "ok", "orders": ORDERS}),
        "named": f"Thought: I look it up.\nObservation: {compact}\nThought: Now I know.",
        "cut off": compact[:-150],
        "in a list": f"[{compact}]",
        "with a comma": f"{compact},",
    }[kind]


@pytest.mark.parametrize("kind", ["compact", "spaced", "python", "named", "cut off", "in a list", "with a comma"])
def test_members_of_nested_objects_come_with_the_keys_they_stand_under(
    compressor: BeaverPromptCompressor, kind: str
) -> None:
    text = written(kind)
    for order in ORDERS[:-1]:
        name = order["customer"]["name"]
        found = kept(compressor, text, f"In which city does {name} live?", 70)
        assert order["customer"]["city"] in found, (name, found)
        assert "orders" in found
        found = kept(compressor, text, f"With whom shall the order of {name} be left?", 110)
        assert order["note"] in found, (name, found)
        assert name in found[: found.index(order["note"])]


def test_text_in_a_string_is_kept_in_sentences(compressor: BeaverPromptCompressor) -> None:
    pages = [
        {
            "url": f"https://example.com/{name}",
            "content": f"The {name} was built by {builder}. "
            + f"Many people came to see it. It rained on the day when it was opened. It cost {100 + place} crowns. "
            * 4,
        }
        for place, (name, builder) in enumerate([("mill", "Ada Brook"), ("quay", "Ivo Lane"), ("mole", "Kofi Ansah")])
    ]
    for text in (json.dumps({"results": pages}), json.dumps({"results": pages}, indent=2)):
        found = kept(compressor, text, "Who built the quay?", 60)
        assert "The quay was built by Ivo Lane." in found
        assert "Ada Brook" not in found


def test_lines_in_a_string_are_lines(compressor: BeaverPromptCompressor) -> None:
    code = "".join(f"def area_{n}(width):\n    # of house {n}\n    return width * {7 * n}\n\n" for n in range(40))
    text = json.dumps({"tool": "read_file", "path": "areas.py", "content": code})
    found = kept(compressor, text, "What does area_23 return?", 60)
    assert "def area_23(width):\\n" in found
    assert all(line in text for line in found.split("\n"))


def test_blocks_of_html_stand_under_their_headings(compressor: BeaverPromptCompressor) -> None:
    towns = [
        ("Graz", "14", "Dogs wait outside."),
        ("Brno", "9", "Dogs are welcome."),
        ("Cork", "22", "No dogs, please."),
    ]
    text = "<!DOCTYPE html><html><head><title>Museums</title></head><body>"
    for name, price, dogs in towns:
        text += f"<h2>{name}</h2><p>A house by the river. It is open in May.</p><p>A ticket costs {price} EUR.</p>"
        text += f"<table><tr><td>Mondays</td><td>closed</td></tr></table><p>{dogs}</p>"
    text += "</body></html>"
    for name, price, dogs in towns:
        found = kept(compressor, text, f"What does a ticket for {name} cost?", 60)
        assert f"<h2>{name}</h2>" in found, found
        assert f"<p>A ticket costs {price} EUR.</p>" in found, found
        assert dogs in kept(compressor, text, f"May dogs come in at {name}?", 60)


@pytest.mark.parametrize("sign", ["<br>", "<br/>", "<BR />"])
def test_lines_of_html_end_at_breaks(compressor: BeaverPromptCompressor, sign: str) -> None:
    people = list(zip(NAMES.split(","), CITIES.split(","), strict=True))
    lines = [f"{name}, {number + 2} Mill Lane, {city}" for number, (name, city) in enumerate(people)]
    text = f"<html><body><div><b>Members</b>{sign}{sign.join(lines)}</div><p>All of them pay in May.</p></body></html>"
    for (name, _), line in zip(people, lines, strict=True):
        assert line in kept(compressor, text, f"Where does {name} live?", 40)


def test_json_lines_stay_whole_and_are_divided_where_none_fits(compressor: BeaverPromptCompressor) -> None:
    rows = [json.dumps(order | {"remark": "It rains on the hill. " * 8}) for order in ORDERS]
    found = kept(compressor, "\n".join(rows), "With whom shall the order of Eve Bell be left?", 500)
    assert rows[4] in found
    assert all(line in rows for line in found.split("\n"))
    found = kept(compressor, "\n".join(rows), "With whom shall the order of Eve Bell be left?", 100)
    assert "Eve Bell" in found
    assert ORDERS[4]["note"] in found


@pytest.mark.parametrize("budget", [24, 30, 40])
def test_of_a_string_that_does_not_fit_a_sentence_is_kept(compressor: BeaverPromptCompressor, budget: int) -> None:
    said = {
        "losses": "Much water leaks away each year. The mains are of 1940. The programme is led by Marta Ilves.",
        "charges": "Customers are billed twice a year. With a meter they pay 1.84. The Blue Card halves the charge.",
        "board": "It consists of nine members. Its chair is Oluwaseun Pratt. Minutes are published within ten days.",
    }
    rows = [
        json.dumps({"text": f"{text} And so on, as all of us know by now.", "id": key}) for key, text in said.items()
    ]
    found = kept(compressor, "\n".join(rows), "Who leads the programme?", budget)
    assert "The programme is led by Marta Ilves." in found


@pytest.mark.parametrize("budget", [40, 60, 80])
def test_a_short_line_that_does_not_fit_is_divided(compressor: BeaverPromptCompressor, budget: int) -> None:
    order = {"order": "A-1182", "status": "shipped", "placed": "2025-06-01T10:22:08", "total": 182.4, "currency": "DKK"}
    order |= {"carrier": "PostNord", "tracking": "PN-99871", "delivery": "2025-06-03T12:00", "phone": "+45 5550 1234"}
    for separators in ((",", ":"), (", ", ": ")):
        text = json.dumps(order, separators=separators)
        assert "5550 1234" in kept(compressor, text, "What is the phone number?", budget)
        assert "PN-99871" in kept(compressor, text, "What is the tracking number?", budget)


def test_no_other_record_is_kept_where_the_best_does_not_fit(compressor: BeaverPromptCompressor) -> None:
    rows = [
        {"id": n, "name": name, "mail": f"{name.split()[0].lower()}@example.com"}
        for n, name in enumerate(NAMES.split(","))
    ]
    rows[7] |= {"address": "Number 12, House at the old Harbour behind the Customs"}
    for text in ("\n".join(map(json.dumps, rows)), json.dumps({"rows": rows})):
        assert "harriet@example.com" in kept(compressor, text, "What is the mail of Harriet Oldcastle?", 40)


def test_a_row_is_no_line_of_items(compressor: BeaverPromptCompressor) -> None:
    rows = [json.dumps({"id": number, "text": "It rains on the hill. " * 12, "list": [1, 2, 3]}) for number in range(9)]
    found = kept(compressor, "\n".join(rows), "What is row 4?", 150)
    assert all(line in rows for line in found.split("\n"))
    assert found


def test_no_bracket_before_the_items_stands_alone(compressor: BeaverPromptCompressor) -> None:
    text = f"The ferry leaves at nine. The mill is closed on Sundays.\n{json.dumps(PEOPLE)}"
    for budget in range(40, 90, 5):
        found = kept(compressor, text, "When does the ferry leave?", budget)
        assert found.startswith("The ferry leaves at nine.")
        assert not found.endswith("[")


def places_of(text: str) -> list[tuple[int, int]]:
    lined = read_lines([text])
    boundaries = lined.boundaries
    return list(zip(boundaries.members.tolist(), boundaries.depths.tolist(), strict=True))


def places_by_walking(text: str) -> list[tuple[int, int]]:
    """The same for one compact value of JSON, character by character."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    string = -1
    strings: list[tuple[int, int, int]] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if string >= 0:
            if sign == "\\":
                at += 1
            elif sign == '"':
                strings.append((string, at, len(opened)))
                string = -1
        elif sign == '"':
            string = at
        elif sign in "[{":
            opened.append(at)
        elif sign in "]}":
            ends[opened.pop()] = at
        at += 1
    inside = {place for start, end, _ in strings for place in range(start, end)}
    found = []
    long = [start for start, end in ends.items() if end - start > 160]
    for start in long:
        depth = sum(other < start and ends[other] > start for other in ends) + 1
        found += [(start + 1, depth), (ends[start], depth - 1)]
        row = 0
        for place in range(start, ends[start]):
            around = max(other for other in ends if other <= place < ends[other])
            if text[place] != "," or place in inside or around != start:
                continue
            rows, row = (place - start) // 80 - row, (place - start) // 80
            if text[start] == "{" or text[place + 1] == "{" or rows:
                found.append((place + 1, depth))
    for start, end, depth in strings:
        place, lines = start, []
        while place < end:
            if text[place] == "\\":
                if text[place + 1] == "n":
                    lines.append((place + 2, depth + 1))
                place += 1
            place += 1
        found += [(start + 1, depth + 1), *lines] if lines else []
    return sorted(found)


VALUES = st.recursive(
    st.one_of(st.text(alphabet='ab[]{},"\\\n', max_size=60), st.integers(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6), st.dictionaries(st.text("ab,", max_size=9), inner, max_size=4)
    ),
    max_leaves=40,
)


@given(st.lists(VALUES, min_size=4))
def test_lines_are_those_that_a_walk_over_the_characters_finds(value: list[object]) -> None:
    text = json.dumps([*value, "x" * 330], separators=(",", ":"))
    assert places_of(text) == places_by_walking(text)


@given(st.text(alphabet='<pli>/[]{},"\\na \n', min_size=300, max_size=900))
def test_any_line_can_be_looked_at(text: str) -> None:
    lined = read_lines([text])
    members = lined.boundaries.members
    assert (np.diff(members) > 0).all()
    assert np.isin(members, lined.boundaries.lines).all()
    assert (lined.ends > lined.first).all()
    assert (lined.indents >= 0).all()


SIGNS = ["{", "}", "[", "]", ",", '"', "'", "\\", "\\n", "<p>", "</p>", "<br>", "\n", "\n\n"]


@given(st.lists(st.tuples(st.integers(0, 700), st.sampled_from(SIGNS)), max_size=6))
def test_prose_with_a_few_signs_can_be_looked_at(signs: list[tuple[int, str]]) -> None:
    text = "The mill stands by the river. " * 23
    for place, sign in signs:
        text = text[:place] + sign + text[place:]
    lined = read_lines([text])
    assert (np.diff(lined.starts) > 0).all()
    assert (lined.ends > lined.first).all()


@pytest.mark.parametrize("sign", "]}")
def test_a_bracket_that_nothing_opens_ends_a_line(compressor: BeaverPromptCompressor, sign: str) -> None:
    text = "The mill was built in 1871 by two brothers from Graz, who had come over the hills in a hard winter" + sign
    assert kept(compressor, text, "Who built the mill?", 12) in text


@pytest.mark.parametrize(
    "text", ['[{"a":' * 60_000, "<p" * 200_000, '["' + '\\"' * 200_000, "[1," * 100_000 + "]" * 100_000]
)
def test_hostile_lines_come_back(compressor: BeaverPromptCompressor, text: str) -> None:
    result = compressor.compress(text, question="What is a?", target_token=100)
    assert result.compressed_tokens <= 100


def test_short_lines_and_prose_are_left_alone() -> None:
    for text in (
        "It rains. " * 60,
        json.dumps(PEOPLE[:2]),
        "[1] " + "A note on the rain, and on the sun. " * 20 + "[2]",
        "{x} and {y}, " * 40 + "{z}",
        "<b>Rain</b> " * 60,
    ):
        assert places_of(text) == [], text
