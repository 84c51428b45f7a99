"""A number right behind a name and a colon is its value: no other text of the line is kept behind that name."""

from __future__ import annotations

import pytest
from heading_samples import BODY, OTHER
from kept_texts import kept
from line_readings import labels_at, names, units_of

from beaver_compat import BeaverPromptCompressor

PRICES = """Shipping: Parcels leave the house on the day of the order if it comes in before noon. Big ones go by rail.

Payment: We take cards, invoices and bank transfers from all countries of the union. Checks are sent back.

{}

Returns: Send things back within thirty days in the box that they came in, please. The postage is ours.
"""
ITEMS = {
    "Oak chair, white": "289.00",
    "Armchair, green wool": "649.00",
    "Footstool in the same wool": "117.90",
    "Felt glides, set of eight": "17.90",
    "Spare screws, bag of twelve": "4.50",
    "Leather wax, one jar": "12.00",
    "Castors for the armchair, set of four": "38.00",
}
PASSAGES = "\n\n".join(f"page_label: {n}\nfile_name: chairs.pdf\n\n{BODY}" for n in range(2, 7))


@pytest.mark.parametrize("mark", ["{}:", "**{}**", "**{}:**", "{}: EUR", "{}: $"])
@pytest.mark.parametrize("text", [PRICES, PASSAGES + "\n\npage_label: 1\nfile_name: prices.pdf\n\n{}\n"])
def test_no_name_is_followed_by_a_value_that_is_not_its_own(
    compressor: BeaverPromptCompressor, text: str, mark: str
) -> None:
    separators = (". ", ", ") if text == PRICES else (". ",)
    for separator in separators:
        line = separator.join(f"{mark.format(item)} {price}" for item, price in ITEMS.items())
        prices = text.format(line)
        assert labels_at(prices, prices.index("17.90"))[:1] in ([], ["page_label: 1\nfile_name: prices.pdf"])
        for item in ITEMS:
            for budget in range(25, 120, 12):
                answer = kept(compressor, prices, f"What does the {item} cost?", budget)
                for name, price in ITEMS.items():
                    _, found, rest = answer.partition(mark.format(name))
                    value = rest.partition("\n")[0].strip()
                    assert not found or price.startswith(value[: len(price)]), (item, budget)


def test_a_line_of_values_ends_the_part_before_it_and_a_list_under_a_name_does_not() -> None:
    found = names(PRICES.format("Oak chair, white: 289.00, Leather wax: 12.00"))
    assert found["Oak chair, white: 289.00, Leather wax: 12.00"] == set()
    plan = PRICES.format("Delivery: 1. We call you on the day before. 2. The driver rings at the door.")
    assert labels_at(plan, plan.index("2. The driver")) == ["Delivery:"]


@pytest.mark.parametrize("key", ["Oak chair, white", "Price", "HX20"])
def test_a_key_of_numbers_is_no_speaker(key: str) -> None:
    line = f"{key}: 289.00 for one. Four of them cost less, as all of the chairs do: 999.00 for the set. {BODY}"
    text = f"Bob: Hello.\n{line}\nBob: How much is it for four of them?\n{line}\nBob: Well. {BODY} {OTHER}"

    def speakers(text: str) -> list[str]:
        found = units_of(text)
        return [text[start:end] for start, end in zip(found.hard_lines, found.labels, strict=True)]

    assert speakers(text) == ["Bob: ", "", "Bob: ", "", "Bob: "]
    said = text.replace(line, f"Ann: 12 of them are here. {BODY} {OTHER}\nAnn: Nobody is sure. {OTHER}")
    assert speakers(said) == ["Bob: ", "Ann: ", "Ann: ", "Bob: ", "Ann: ", "Ann: ", "Bob: "]
