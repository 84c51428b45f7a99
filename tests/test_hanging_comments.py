"""Comments behind code that go on below it are one with the code."""

from __future__ import annotations

import pytest
from line_readings import unit_texts

SETTINGS = """#wal_level = replica\t\t# minimal, replica, or logical
\t\t\t\t# (change requires restart)
#fsync = on\t\t\t# flush data to disk for safety
\t\t\t\t# (turning this off can cause
\t\t\t\t# unrecoverable data corruption)
port = 5432\t\t\t# (change requires restart)
"""
STRUCT = """typedef struct
{
\tchar\t   *label;\t\t\t/* Label for the field */
\tchar\t   *mark;\t\t/* How to display this field in a
\t\t\t\t\t\t\t\t * dialog: "" as it is, "*" with the
\t\t\t\t\t\t\t\t * value hidden */
\tint\t\t\tsize;\t\t\t/* Size of the field */
} Option;
"""


def test_lines_under_the_sign_go_on() -> None:
    assert [unit.count("\n") for unit in unit_texts(SETTINGS)] == [1, 2, 0]


@pytest.mark.parametrize("sign", ["//", "--", ";", "#"])
def test_with_any_sign(sign: str) -> None:
    text = (
        f"limit = 4       {sign} of the pool,\n                {sign} not of the tree\nsize = 5        {sign} of both\n"
    )
    assert [unit.count("\n") for unit in unit_texts(text)] == [1, 0]


def test_a_block_comment_goes_on_to_its_end() -> None:
    found = unit_texts(STRUCT)
    assert [unit.count("\n") for unit in found if "*mark" in unit] == [2]
    assert any(unit.startswith("int") for unit in found)


@pytest.mark.parametrize(
    "text",
    [
        "if x:           # a\n    # of its own\n    y = 1\n",
        "limit = 4       # of the pool\n\n                # of its own\nsize = 5\n",
        "limit = 4       # of the pool\n            # of its own\nsize = 5\n",
        "int limit = 4;  /* never closed\nint size = 5;\nint age = 6;\n",
        "/* of its own\n * for all */\nint size = 5;\n",
    ],
)
def test_what_goes_on_with_nothing(text: str) -> None:
    assert len(unit_texts(text)) == sum(bool(line.strip()) for line in text.split("\n"))
