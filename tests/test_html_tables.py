"""Rows of HTML's tables are kept whole and with the row that names their columns."""

from __future__ import annotations

import pytest
from kept_texts import kept
from line_readings import leads_of, names, needs, units_of

from beaver_compat import BeaverPromptCompressor
from beaver_compat.text.lined_text import read_lines

FEES = {"Norway": "12.50", "Chile": "31.00", "Japan": "28.75", "Kenya": "35.20"}
STREETS = {"Norway": "Storgata 9", "Chile": "Calle Sol 77", "Japan": "Ginza 3-4", "Kenya": "Moi Avenue 8"}


def laid_out(head: str, cells: dict[str, str]) -> str:
    """A table with a line for each cell."""
    rows = [f"    <tr>\n      <td>{country}</td>\n      <td>{cell}</td>\n    </tr>" for country, cell in cells.items()]
    names = f"    <tr>\n      <th>Country</th>\n      <th>{head}</th>\n    </tr>"
    return "\n".join(["<table>", "  <thead>", names, "  </thead>", "  <tbody>", *rows, "  </tbody>", "</table>"])


def flat(head: str, cells: dict[str, str]) -> str:
    """A table with a line for each row."""
    rows = [f"<tr><td>{country}</td><td>{cell}</td></tr>" for country, cell in cells.items()]
    return "\n".join(["<table>", f"<tr><th>Country</th><th>{head}</th></tr>", *rows, "</table>"])


@pytest.mark.parametrize("table", [laid_out, flat])
@pytest.mark.parametrize("country", FEES)
def test_a_row_is_whole_and_has_its_header(compressor: BeaverPromptCompressor, table: object, country: str) -> None:
    assert callable(table)
    text = "\n".join([table("Fee", FEES), table("Street", STREETS)])
    for budget in range(110, 200, 10):
        for head, cells in (("Fee", FEES), ("Street", STREETS)):
            found = kept(compressor, text, f"What is the {head.lower()} for {country}?", budget)
            assert cells[country] in found
            assert f"<th>{head}</th>" in found[: found.index(cells[country])]
            assert found.count("<tr>") == found.count("</tr>")


def test_lines_of_tags_say_nothing_and_rows_need_the_header() -> None:
    lines, leads = leads_of(flat("Fee", FEES))
    assert leads is not None
    assert [line for line, bare in zip(lines, leads.bare, strict=True) if bare] == ["<table>", lines[1], "</table>"]
    header = "<tr><th>Country</th><th>Fee</th></tr>"
    assert needs(flat("Fee", FEES))["<tr><td>Chile</td><td>31.00</td></tr>"] == {header}
    assert names(flat("Fee", FEES))["<tr><td>Chile</td><td>31.00</td></tr>"] == {header}


def test_a_row_of_several_lines_is_one_unit() -> None:
    text = laid_out("Fee", FEES)
    lined = read_lines([text])
    starts = units_of(text).hard_lines.tolist()
    assert len(starts) == lined.starts.size - 5 * 3
    assert [text[start:].split()[0] for start in starts] == [
        "<table>", "<thead>", "<tr>", "</thead>", "<tbody>", *["<tr>"] * 4, "</tbody>", "</table>",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "<tr><td>1</td></tr>\n<tr><td>2</td></tr>",  # no header
        "<tr><th>a</th></tr>\n</table>",  # no row
        "<tr><th>a</th><td>b</td></tr>\n<tr><th>c</th><td>d</td></tr>",  # headers of rows
        "<tr>\n<td>1\n<tr>\n<td>2",  # never closed
    ],
)
def test_what_is_no_table_with_a_header(text: str) -> None:
    _, leads = leads_of(text)
    assert leads is None or (leads.needed < 0).all()


def test_a_row_that_is_never_closed_takes_normal_time(compressor: BeaverPromptCompressor) -> None:
    for text in ("<tr>\n<td>x\n" * 20_000, "<tr><th>" * 50_000, "<table>\n<tr><th>a\n" * 20_000):
        assert compressor.compress(text, question="What is x?", target_token=50).within_budget
