"""Statements and entries of several lines are one unit; a docstring's titles end with it."""

from __future__ import annotations

import pytest
from heading_samples import headings
from kept_texts import kept
from line_readings import names, unit_texts

from beaver_compat import BeaverPromptCompressor


def test_lines_that_end_with_a_backslash_go_on() -> None:
    text = "git subtree split --prefix=a \\\n    0a8f4f0^.. --onto=1130ef3 --rejoin \\\n    -b a\nls -l\n"
    assert [unit.count("\n") for unit in unit_texts(text)] == [2, 0]
    long = "run \\\n" * 200 + "end\n"
    assert len(unit_texts(long)) == 201


def test_the_selectors_of_a_rule_are_one_line() -> None:
    text = ".menu,\n.arrow-small,\n.menu a {\n    color: red;\n}\n.arrow-small {\n    size: 2em;\n}\n"
    assert [unit.count("\n") for unit in unit_texts(text) if "{" in unit] == [2, 0]
    assert len(unit_texts("[\n  first,\n  second,\n  third\n]\nif (a,\nb) {\n}\n")) == 8


PO = """#: src/main.c:12
msgid "Open the file"
msgstr "Datei oeffnen"

msgid "Delete the file"
msgstr "Zeile entfernen"

#, fuzzy
msgid "Close the file"
msgstr ""
"Datei "
"schliessen"
"""


@pytest.mark.parametrize("budget", range(16, 60, 4))
def test_a_message_comes_with_its_translation(compressor: BeaverPromptCompressor, budget: int) -> None:
    assert len(unit_texts(PO)) == 3
    found = kept(compressor, PO, "What is the translation of Open the file?", budget)
    assert ('"Open the file"' in found) == ("oeffnen" in found)


def test_titles_in_a_docstring_end_with_it() -> None:
    module = (
        '"""Tools\\n\\nMain API\\n========\\nrun(...): Runs a command and waits.\\n\\nOlder API\\n=========\\n'
        'call(...): Runs a command.\\n"""\\n\\nimport os\\n\\nclass TimeoutExpired(Exception):\\n'
        '    """This exception is raised when the timeout expires."""\\n'
    ).replace("\\n", "\n")
    assert headings(module)[0] == ["Main API", "Older API"]
    found = names(module)
    assert "Older API\n=========" in found["call(...): Runs a command."]
    assert found["class TimeoutExpired(Exception):"].isdisjoint({"Older API\n=========", "Main API\n========"})


@pytest.mark.parametrize(
    "title",
    ["-L option of ssh nonfree", "OPTIONS FOR 'add' AND 'merge' (ALSO: 'pull', and others that are not named here)"],
)
def test_a_line_with_an_equal_rule_under_it_is_a_title(title: str) -> None:
    text = "\n\n".join(f"{line}\n{'-' * len(line)}\n\nIt rains here. So it does." for line in ("First of all", title))
    assert headings(text)[0] == ["First of all", title]
    assert headings("key: value\n---\na: 1\n")[0] == []
    assert headings("Name    Size\n------------\nx       12\n")[0] == []
