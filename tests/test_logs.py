"""Entries of a log: what their lines need, which are units, and what is no log."""

from __future__ import annotations

import re

import pytest
from line_readings import boundaries_of, needs, units_of

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import read_lines

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


@pytest.mark.parametrize("call", ["post(url)", "post(url, data, 5)"])
@pytest.mark.parametrize("error", ["Refused: no card", "Refused: no card, no cash, no credit"])
@pytest.mark.parametrize("frames", [1, 2, 5])
def test_lines_of_a_trace_are_no_rows(call: str, error: str, frames: int) -> None:
    shown = "".join(f'  File "pay{frame}.py", line {frame}, in pay\n    {call}\n' for frame in range(frames))
    hidden = "".join(f'  File "<frozen shop{frame}>", line {frame}, in run\n' for frame in range(frames))
    start = "10:31:05 ERROR order 7 failed"
    calm = "".join(f"10:31:{second:02d} INFO fine\n" for second in range(6, 12))
    found = needs(f"{start}\nTraceback (most recent call last):\n{shown}{hidden}{error}\n{calm}")
    assert found[start] == {"Traceback (most recent call last):", error}
    assert found[error] == {start}
    assert start in found[call]


def test_tracebacks_that_led_to_each_other_are_of_one_entry() -> None:
    head = "Traceback (most recent call last):"
    trace = f"{head}\n  File 'pay.py', line 3, in pay\n    raise Refused"
    start, calm = "10:31:05 ERROR order 7 failed", "".join(f"10:31:{second} INFO fine\n" for second in range(10, 30))
    chain = (
        f"{trace}\nFirst: a\n\nDuring handling of the above exception, another exception occurred:\n\n"
        f"{trace}\nSecond: b\n\nThe above exception was the direct cause of the following exception:\n\n"
        f"{trace}\nLast: c"
    )
    found = needs(f"{start}\n{chain}\n\nThe end is near.\n{calm}")
    assert {head, "Last: c"} <= found[start]
    for line in ("First: a", "Second: b", "Last: c"):
        assert start in found[line]
    assert not found.get("The end is near.")
    apart = needs(f"{calm}{start}\nby hand", f"{trace}\nLast: c")
    assert apart[start] == {"by hand"}
    assert start not in apart["Last: c"]


def test_a_table_ends_an_entry() -> None:
    rows = "name,rye,hay\nAnn,1,2\nBo,3,4\n"
    calm = "".join(f"10:31:{second:02d} INFO fine\n" for second in range(6, 18))
    found = needs(f"10:31:05 INFO sold\nby hand\n{rows}{calm}")
    assert found["Bo,3,4"] == {"name,rye,hay"}


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
    found = with_units(read_lines([notes, log]))
    assert [found.text[line] for line in found.starts.tolist()] == ["1", "f", "g", "h", "1", "1", "1"]
    assert found.boundaries.records.nonzero()[0].tolist() == [4]


def test_an_entry_that_does_not_fit_is_told_by_its_first_line(compressor: BeaverPromptCompressor) -> None:
    entry = (
        "2024-05-31 10:32:00 ERROR [worker-3] Could not store order {}\n"
        "shop.Refused: stock is negative for item A-77\n"
        "    at shop.Stock.take(Stock.java:88)\n"
        "    at shop.Orders.store(Orders.java:41)\n"
        "    at shop.Worker.run(Worker.java:20)\n"
        "    at shop.Worker.begin(Worker.java:9)\n"
        "    at shop.Main.main(Main.java:111)\n"
        'Caused by: shop.sql.Refused: the constraint "stock is never negative" is violated\n'
    )
    retry = "2024-05-31 10:32:0{} INFO  [worker-3] Retrying in 5 s\n"
    short = "2024-05-31 10:32:06 ERROR [worker-3] Could not store order 1058\nshop.NoCustomer: customer\n"
    log = retry.format(0) + entry.format(1057) + short + "".join(retry.format(second) for second in range(7)) * 5
    first, *_, cause = entry.format(1057).strip().split("\n")
    count, question = compressor.counter, "Why could order 1057 not be stored?"
    for budget in range(count(first) + 2, count(entry)):
        result = compressor.compress(log, question=question, target_token=budget, concate_question=False)
        assert first in result.compressed_context
    assert cause in result.compressed_context
