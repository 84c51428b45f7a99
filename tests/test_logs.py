"""Entries of a log: what their lines need, which are units, and what is no log."""

from __future__ import annotations

import re

import numpy as np
import pytest
from line_readings import boundaries_of, needs, units_of

from beaver_compat.characters import code_points
from beaver_compat.units import with_units

TRACE = """2024-05-31 10:31:04 INFO start
2024-05-31 10:31:05 ERROR order 7 failed
shop.Refused: no card
\tat shop.Order.pay(Order:12)
\tat shop.Order.run(Order:3)
Caused by: shop.Closed: bank is closed
\tat shop.Bank.call(Bank:88)
2024-05-31 10:31:06 WARN order 8 failed
Traceback (most recent call last):
  File "order.py", line 3, in run
    pay()
ValueError: no money
2024-05-31 10:31:07 INFO stop
  by hand
2024-05-31 10:31:08 INFO start
2024-05-31 10:31:09 INFO start
2024-05-31 10:31:10 INFO start
2024-05-31 10:31:11 INFO start"""


@pytest.mark.parametrize("form", ["{}", "Read this:\n\n```\n{}\n```\n"])
@pytest.mark.parametrize("bracket", ["", "["])
def test_lines_of_an_entry_need_its_first(form: str, bracket: str) -> None:
    found = needs(form.format(TRACE.replace("2024-", bracket + "2024-")))
    fences = {"Read this:", "```"} if "```" in form else set()
    error, cause = f"{bracket}2024-05-31 10:31:05 ERROR order 7 failed", "Caused by: shop.Closed: bank is closed"
    refused = "shop.Refused: no card"
    assert found[bracket + "2024-05-31 10:31:04 INFO start"] == fences
    assert found[refused] - {cause} == {error, *fences}
    assert found["at shop.Order.run(Order:3)"] - {cause} == {error, refused, *fences}
    assert found[cause] - {refused} == {error, *fences}
    assert found["at shop.Bank.call(Bank:88)"] - {refused} == {error, cause, *fences}
    assert found[error] == {refused, *fences, *([] if fences else [cause])}
    assert {"Traceback (most recent call last):", f"{bracket}2024-05-31 10:31:06 WARN order 8 failed"} <= found["pay()"]
    assert found["by hand"] == {f"{bracket}2024-05-31 10:31:07 INFO stop", *fences}


def test_short_entries_are_units() -> None:
    long = "2024-05-31 10:31:08 ERROR no\n" + "\tat shop.Order.run(Order:3)\n" * 12
    text = f"2024-05-31 10:31:04 INFO start\n{TRACE}\n\nNo entry.\n{long}10:31:09 INFO stop"
    found = units_of(text)
    ends = [*found.hard_lines.tolist()[1:], len(text)]
    units = [text[start:end].strip() for start, end in zip(found.hard_lines.tolist(), ends, strict=True)]
    stamped = [entry.strip() for entry in re.split(r"\n(?=2024)", TRACE)]
    rows = long.strip().replace("\t", "").split("\n")
    assert units == ["2024-05-31 10:31:04 INFO start", *stamped, "No entry.", *rows, "10:31:09 INFO stop"]
    assert [unit for unit, record in zip(units, found.records, strict=True) if record] == [
        entry for entry in stamped if "\n" in entry
    ]


@pytest.mark.parametrize(
    "text",
    [
        "date,count,sum\n2024-05-01,3,4\n2024-05-02,3,5\n2024-05-03,1,2\nall,7,11",
        "10:31:05 Ida: Is it dry?\nI need it.\n10:31:09 Ole: No.\n10:31:22 Ida: Pity.\nI wait.",
        "1\n00:00:01,000 --> 00:00:04,000\nHello.\n\n2\n00:00:05,000 --> 00:00:06,000\nWho?\n\n"
        "3\n00:00:07,000 --> 00:00:08,000\nMe.",
        "2024-05-01 rye\n- oats\n2024-05-02 rye\n- oats\n- hay",
        "1. rye\nin May\n2. oats\nin June\n3. hay\nin July",
        "2024-05-01 rye\n\n2024-05-02 oats\n\n2024-05-03 hay\n\nAll is in.",
        "2024-05-01\n2024-05-02\n2024-05-03",
    ],
)
def test_what_is_no_log(text: str) -> None:
    before, found = boundaries_of(text), units_of(text)
    assert found.hard_lines.tolist() == before.hard_lines.tolist()
    assert found.records.tolist() == before.records.tolist()


def test_a_log_is_known_for_each_context() -> None:
    log = "10:31:05 a\n\tb\n10:31:06 c\n10:31:07 d"
    notes = "10:31:05 e\nf\ng\nh"
    text = f"{notes}\n\n{log}"
    found = with_units(text, code_points(text), boundaries_of(text), np.array([0, len(notes) + 2]))
    assert [text[line] for line in found.hard_lines.tolist()] == ["1", "f", "g", "h", "1", "1", "1"]
    assert found.records.nonzero()[0].tolist() == [4]
