"""Rows that are kept can be read and are those that are asked for; prose with commas is no table."""

from __future__ import annotations

import csv
import io
import random

import pytest
from kept_texts import kept
from text_kinds import CSV, MARKDOWN

from beaver_compat import BeaverPromptCompressor


@pytest.mark.parametrize("budget", [50, 60, 80, 120])
def test_rows_come_with_the_header_line(compressor: BeaverPromptCompressor, budget: int) -> None:
    for product in ("brass lamp", "glass vase", "iron hook"):
        text = kept(compressor, CSV, f"How much is the {product}?", budget)
        assert text.split("\n")[0] == "sku,product,warehouse,stock,price"
        assert product in text
    table = kept(compressor, MARKDOWN, "How large may a request be, in bytes?", budget)
    assert "| `MAX_BODY` |" in table
    assert "| Variable | Default | Meaning |\n| --- | --- | --- |" in table


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("name", ["buyer", "buyer, first name last"])
def test_rows_with_quoted_delimiters_come_with_the_header(
    compressor: BeaverPromptCompressor, name: str, end: str
) -> None:
    buyers = ["Kato KK", 'Zeta, "the" Inc.', "Roth & Sons", "Alder, Ash, and Elm"]
    parts, states = ["rotor", "rotor", "gasket, blue"], ["open", "returned"]
    rows = [[700 + at, buyers[at * at % 4], parts[at % 3], at * 7 % 31, states[at % 2]] for at in range(40)]
    file = io.StringIO()
    csv.writer(file, lineterminator=end).writerows([["order", name, "part", "count", "status"], *rows])
    whole = file.getvalue()
    for budget in range(60, 400, 20):
        text = kept(compressor, whole, "Which rotors of Kato KK were returned?", budget)
        found = list(csv.reader(io.StringIO(text)))
        assert found[0][1] == name
        assert [[int(row[0]), *row[1:3], int(row[3]), row[4]] in rows for row in found[1:]] == [True] * len(found[1:])


def test_a_number_is_not_found_in_a_longer_one(compressor: BeaverPromptCompressor) -> None:
    """2 begins 20 to 29 and 122, and stands behind the same word there."""
    lines = {number: f"Room {number}: {3 * number + 1000} sacks." for number in range(2, 130)}
    rooms = compressor.prepare("\n\n".join(lines.values()))
    for number, line in lines.items():
        assert line in kept(compressor, rooms, f"How many sacks are in room {number}?", 40)
    keys = "Room 1: key at the porter\nRoom 2: key at Dr. Falk\nRoom 20: key at Mr. Oduya\nRoom 23: key at Mr. Klee"
    assert kept(compressor, keys, "Who has the key of room 2?", 12) == "Room 2: key at Dr. Falk"


def test_a_row_is_found_by_its_number_among_numbers_like_it(compressor: BeaverPromptCompressor) -> None:
    """1057 shares its first three digits with nine other rows, and a page with two or three of them."""
    generator = random.Random(11)
    names, cities, states = ["Wei Li", "Ada Berg", "Tom Hart", "Zoe Katz"], ["Oslo", "Graz", "Ghent"], ["paid", "open"]
    rows = [
        f"{number},{generator.choice(names)},{generator.choice(cities)},{generator.randint(900, 99999) / 100},"
        f"{generator.choice(states)}"
        for number in range(1000, 1100)
    ]
    prepared = compressor.prepare("\n".join(["order_id,customer,city,amount,status", *rows]))
    for row in rows:
        question = f"What is the amount of order {row[:4]}?"
        assert row in compressor.compress(prepared, question=question, target_token=110).compressed_context


COMMAS = [
    "The mill, the dam and the pond belong to the town, which bought them in 1911. It paid 300 crowns.",
    "Of the fish, pike, perch and eels are left. Nets are forbidden. Rods are allowed from May on.",
    "The miller and his sons, all of them deaf from the noise of the great wheel, lived in the rooms above the "
    "stones for forty years. The youngest moved to Graz.",
]
CHINESE_COMMAS = [
    "石桥建于明朝,桥长四十六米,共有五个桥孔。洪水冲毁了其中两个桥孔。修复工程三年后才完成。",
    "镇上有博物馆,由商人捐建,馆内收藏茶具。周一闭馆。门票二十元。",
    "镇长说,未来五年,将修一条公路。小学是全县第一所新式学校。",
]


@pytest.mark.parametrize(
    ("paragraphs", "separator", "question", "answer"),
    [
        (COMMAS, "\n", "Where did the youngest son move?", "The youngest moved to Graz."),
        (COMMAS, "\n\n", "Where did the youngest son move?", "The youngest moved to Graz."),
        (CHINESE_COMMAS, "\n\n", "门票多少钱?", "门票二十元。"),
    ],
)
def test_prose_with_as_many_commas_in_each_paragraph_is_no_table(
    compressor: BeaverPromptCompressor, paragraphs: list[str], separator: str, question: str, answer: str
) -> None:
    budget = compressor.counter(f"{answer}\n\n{question}") + 8  # less than the paragraph has
    kept = compressor.compress(separator.join(paragraphs), question=question, target_token=budget).compressed_context
    assert len({paragraph.count(",") for paragraph in paragraphs}) == 1
    assert answer in kept
    assert not any(paragraph in kept for paragraph in paragraphs)


def test_the_statement_asked_for_is_kept_among_others_of_its_width(compressor: BeaverPromptCompressor) -> None:
    names = [
        "harbour",
        "orchard",
        "comet",
        "ferry",
        "cider",
        "lantern",
        "meadow",
        "saddle",
        "pepper",
        "quartz",
        "violet",
        "walnut",
        "copper",
        "marble",
    ]
    rows = [f"INSERT INTO fruit (name, price, colour, origin) VALUES ('{name}', 47, 'red', 'Spain');" for name in names]
    text = "\n".join(["CREATE TABLE fruit (", "  name TEXT,", "  price INTEGER", ");", "", "BEGIN;", *rows, "COMMIT;"])
    for name, row in zip(names, rows, strict=True):
        for budget in (60, 120, 250):
            lines = kept(compressor, text, f"What is the price of {name}?", budget).split("\n")
            assert row in lines
            assert set(lines) <= {*text.split("\n")}


@pytest.mark.parametrize("delimiter", ["|", ",", "\t"])
def test_of_tables_with_the_same_rows_the_one_that_has_the_column_is_kept(
    compressor: BeaverPromptCompressor, delimiter: str
) -> None:
    names = [f"{name} {number}" for number, name in enumerate(["Gati", "Moru", "Nuni", "Pele", "Tuso", "Lalu"], 210)]
    columns = {
        "Price": [f"${80 + 7 * place}" for place in range(6)],
        "Weight": [f"{3 + place / 10} kg" for place in range(6)],
        "Warranty": [f"{10 + place} months" for place in range(6)],
    }

    def row(*cells: str) -> str:
        return f"| {' | '.join(cells)} |" if delimiter == "|" else delimiter.join(cells)

    def table(column: str) -> str:
        dashes = ["|---|---|---|"] * (delimiter == "|")
        rows = [
            row(name, cell, f"{place} left")
            for place, (name, cell) in enumerate(zip(names, columns[column], strict=True))
        ]
        return "\n".join([row("Model", column, "Stock"), *dashes, *rows])

    text = "\n\n".join(table(column) for column in columns)
    for column, cells in columns.items():
        for name, cell in zip(names, cells, strict=True):
            lines = kept(compressor, text, f"What is the {column.lower()} of the {name}?", 70).split("\n")
            assert any(name in line and cell in line for line in lines), (column, name)
            assert row("Model", column, "Stock") in lines


@pytest.mark.parametrize("form", ["| {} | {} |", "{}: {} euros", "{},{},new", '{{"model": "{}", "price": {}}}'])
def test_the_row_of_a_name_goes_before_those_of_longer_names(compressor: BeaverPromptCompressor, form: str) -> None:
    models = [f"AX-{number}{suffix}" for number in (10, 20, 30, 40, 50) for suffix in ("", "P", "-S")]
    rows = [form.format(model, 100 + 7 * place) for place, model in enumerate(models)]
    heads = (
        ["| Model | Price |", "|---|---|"] if form.startswith("|") else ["model,price,state"] if "new" in form else []
    )
    for model, row in zip(models, rows, strict=True):
        text = kept(compressor, "\n".join([*heads, *rows]), f"What is the price of the {model}?", 45)
        assert row in text.split("\n"), model


@pytest.mark.parametrize("asked", ["2.1", "2.1.1", "2.10", "13.1"])
def test_the_row_of_a_version_goes_before_those_of_others(compressor: BeaverPromptCompressor, asked: str) -> None:
    versions = ["1.2", "2.1", "2.1.1", "2.1.4", "2.10", "3.1", "12.1", "13.1"]
    months = ["May", "June", "July", "August", "April", "March", "October", "January"]
    rows = [f"| {version} | {month} 2020 |" for version, month in zip(versions, months, strict=True)]
    text = kept(
        compressor, "\n".join(["| Version | Released |", "|---|---|", *rows]), f"When was version {asked} released?", 35
    )
    assert rows[versions.index(asked)] in text.split("\n")


def test_the_row_of_a_number_is_kept_before_rows_that_say_what_is_asked(compressor: BeaverPromptCompressor) -> None:
    names, goods = ["Anna Khan", "Ben Meyer", "Carla Rossi"], ["oak shelf, 80 cm", "kettle, 1.7 l", "desk lamp"]
    notes = ["left at the door", "please ring twice", "shipped in two parcels", "call when delivered"]
    states, carriers = ["delivered", "shipped", "returned", "open"], ["Parcelfly", "Quickpost", "Landbote"]
    rows = [
        f'{58_200 + at * 7},2025-0{1 + at % 9}-{10 + at % 19},{names[at % 3]},"{goods[at % 3]}",{states[at % 4]},'
        f'2025-0{1 + at % 9}-{12 + at % 17},{carriers[at % 3]},"{notes[at * 7 % 4]}"'
        for at in range(75)
    ]
    context = compressor.prepare("\n".join(["order,ordered,customer,item,status,shipped,carrier,note", *rows]))
    for question in ("When was order {} shipped?", "Which carrier delivered order {}?"):
        found = [row in kept(compressor, context, question.format(row[:5]), 120) for row in rows]
        assert sum(found) >= 0.9 * len(rows), question
