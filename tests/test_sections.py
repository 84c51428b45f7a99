"""Sections of settings: where they begin and end, and none is kept under the name of another."""

from __future__ import annotations

import pytest
from kept_texts import kept, lonely

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.sections import settings_sections
from beaver_compat.text.lined_text import read_lines

INI = "[database]\nhost = db1\nport = 5432\n\n[smtp]\nhost = mail\nport = 587\n\n[cache]\nhost = redis\nport = 6379\n"
TOML = """name = "mill"

# The public side.
[server.web]
host = "mill.example"
port = 8080
names = [
  "mill",
  "old mill",
]
greeting = "Welcome to the mill by the river, open on Sundays"
timeout = 30
retries = 4

[[server.mail]]
host = "post.example"
port = 587
sender = "Miller at the upper mill <miller@mill.example>"
greeting = "Dear friends of the mill, the wheel turns again"

timeout = 60
retries = 2

[log]
level = "info"
"""


def owners(text: str) -> list[tuple[str, str]]:
    """Each line that sets something, with the name of the section that it stands in."""
    section, found = "", []
    for line in text.split("\n"):
        section = line if line.startswith("[") else section
        if " = " in line:
            found.append((section, line))
    return found


@pytest.mark.parametrize("text", [INI, TOML])
@pytest.mark.parametrize(
    "question", ["Which port does smtp use?", "port of mail", "What is the timeout of the web server?", "log level"]
)
def test_no_setting_stands_under_the_name_of_another_section(
    compressor: BeaverPromptCompressor, text: str, question: str
) -> None:
    known = owners(text)
    for budget in range(5, 130, 2):
        context = kept(compressor, text, question, budget)
        for section, line in owners(context):
            assert not section or any(own == section and whole.startswith(line) for own, whole in known), (budget, line)
        if "# The public side." not in context:  # a comment comes with what it is about
            assert not lonely(text, context, lambda line: line.startswith("[")) or budget < 20, (budget, context)


def test_a_setting_that_is_kept_without_its_section_has_none_over_it(compressor: BeaverPromptCompressor) -> None:
    filler = "\n".join(f"x{index} = {index}" for index in range(40))
    name = "[the server at the upper mill that sends all letters of the parish by night and by day]"
    text = f"[a]\n{filler}\n\n{name}\nletterport = 587\n{filler.replace('x', 'y')}\n"
    alone = 0
    for budget in range(8, 40):
        context = kept(compressor, text, "letterport", budget)
        assert "letterport" in context
        alone += context.startswith("letterport")
        assert all(section in (name, "") for section, line in owners(context) if line[0] != "x"), (budget, context)
    assert alone > 5


def test_the_setting_that_is_asked_for_is_kept(compressor: BeaverPromptCompressor) -> None:
    for budget in range(18, 40, 2):
        assert "[smtp]\nhost = mail\nport = 587" in kept(compressor, INI, "Which port does smtp use?", budget)
    assert "[[server.mail]]\nhost = " in kept(compressor, TOML, "Which host is the server for mail?", 40)


SERVICES = ["smtp", "imap", "spam", "backup", "webmail", "archive"]
KEYS = {
    "listen": "0.0.0.0:{}25",
    "max_connections": "{}00",
    "idle_timeout": "{}9m",
    "; megabytes\nupload_limit": "{}1",
    "keep_weekly": "{}8",
    "languages": "en,de,p{}",
}
MAIL = "\n".join(
    "\n".join([f"[{service}]", *(f"{key} = {value.format(at + 1)}" for key, value in KEYS.items()), ""])
    for at, service in enumerate(SERVICES)
)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("budget", [44, 50, 56])
def test_of_a_section_that_does_not_fit_the_setting_that_is_asked_for_is_kept_with_the_name(
    compressor: BeaverPromptCompressor, budget: int, end: str
) -> None:
    lines = MAIL.split("\n")
    for at, service in enumerate(SERVICES):
        for key, value in [("keep_weekly", f"{at + 1}8"), ("upload_limit", f"{at + 1}1")]:
            question = f"What is the {key} of {service}?"
            text = kept(compressor, MAIL.replace("\n", end), question, budget)
            found = text.replace("\r", "").split("\n")
            assert f"{key} = {value}" in found, (service, found)
            assert f"[{service}]" in found
            assert all(line in lines for line in found), found
            assert ("; megabytes" in found) == any(line.startswith("upload_limit") for line in found)
            known = owners(MAIL)
            assert all(pair in known for pair in owners("\n".join(found)))


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        (INI, [(0, 3), (3, 6), (6, 9)]),
        ("[core]\n\tbare = false\n; old\n\tuser name = Ida\n\nThat is all.", [(0, 4)]),
        ("[a b]\n# one\n# two\nx=1\n\ny=2\n", [(0, 5)]),
        ("[a]\n[b]\nx = 1", [(1, 3)]),
        ("[a]\nx = [\n  1,\n]\n\n# of b\n[b]\ny = 2", [(0, 4), (5, 7)]),
        ("```\n[a]\nx = 1\n```\n\n[b]\ny = 2\n\n## Next\n\nIt rains.", [(1, 3), (4, 6)]),
        ("[a]\n# none", []),
        ("[x = 1]\ny = 2", []),
        ("[1, 2]\nx = 1", []),
        ("[Verse 1]\nIt rains on the mill", []),
        ("[10:31] Ann: x = 1\n[10:32] Bob: y = 2", []),
        ("[a]\n\nIt is said that x = 1.", []),
        ("[a]", []),
    ],
)
def test_sections_of_settings(text: str, sections: list[tuple[int, int]]) -> None:
    assert settings_sections(read_lines([text])) == sections
