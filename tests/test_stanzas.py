"""Records of ``Key: value`` lines with a blank line behind each: what is kept of one comes with its first line."""

from __future__ import annotations

import pytest
from kept_texts import kept
from line_readings import names

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.stanzas import find_stanzas
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import read_lines

PACKAGES = {
    "alpha": ("Suggests: zeta", "This package holds the files for users of alpha"),
    "beta": ("Recommends: gpg, agent", "This package holds several useful programs"),
    "gamma": ("Conflicts: gsutil", "This package holds the translations"),
    "gamma-l10n": ("Breaks: gamma", "This package holds the messages"),
    "delta": ("Depends: beta", "This package holds the daemon that delta starts"),
}


def stanza(name: str, extra: str, text: str) -> str:
    return (
        f"Package: {name}\nStatus: install ok installed\nInstalled-Size: {7 * len(text)}\n{extra}\n"
        f"Description: tool {name}\n A tool for secure storage of data.\n .\n {text}.\nHomepage: https://example.org/"
    )


STATUS = "\n\n".join(stanza(name, *rest) for name, rest in PACKAGES.items())


def test_each_line_of_a_stanza_has_its_first_line() -> None:
    for name, (extra, text) in PACKAGES.items():
        found = names(
            stanza(name, extra, text), *(stanza(other, *rest) for other, rest in PACKAGES.items()), units=True
        )
        assert found[f"Package: {name}"] == {f"Package: {name}"}
        assert found[extra] == {f"Package: {name}"}
        assert found[f"{text}."] == {f"Package: {name}", f"Description: tool {name}"}


@pytest.mark.parametrize("budget", [40, 60, 80, 120])
@pytest.mark.parametrize(
    ("question", "name", "answer"),
    [
        ("Which package conflicts with gsutil?", "gamma", "Conflicts: gsutil"),
        ("Which package recommends gpg?", "beta", "Recommends: gpg, agent"),
        ("Which package holds a daemon?", "delta", "This package holds the daemon that delta starts"),
    ],
)
def test_what_is_kept_is_under_the_name_of_its_own_stanza(
    compressor: BeaverPromptCompressor, question: str, name: str, answer: str, budget: int
) -> None:
    found = kept(compressor, STATUS, question, budget).split("\n")
    place = next(at for at, line in enumerate(found) if answer in line)
    assert [line for line in found[:place] if line.startswith("Package: ")][-1] == f"Package: {name}"


def test_a_long_value_names_what_goes_on_with_it_by_its_key_alone() -> None:
    record = "Start-Date: 2026-05-{0}\nCommandline: install\nInstall: {1}\n {2}-late (1.0)"
    rows = [
        record.format(day, ", ".join(f"lib{day}{at} (3.1)" for at in range(9)), f"tool{day}") for day in (11, 12, 13)
    ]
    found = names("\n\n".join(rows), units=True)
    assert found["tool12-late (1.0)"] == {"Start-Date: 2026-05-12", "Install:"}


@pytest.mark.parametrize(
    ("block", "stanzas"),
    [
        ("processor\t: {0}\nmodel name\t: old\nflags\t\t: fpu vme\n  more of them", True),
        ("Ann: It rains in {0}.\nBob: Then we stay at home.", False),
        ("Title: Rain in {0}\nContent: It rains there all day long.", False),
        ("Ort: {0}\nEs regnet dort.", False),
        ("Ort: {0}", False),
        ("12:30: {0}\n13:30: home", False),
        ("see http://{0}.example\nsee also: this", False),
    ],
)
def test_what_stanzas_are(block: str, stanzas: bool) -> None:
    text = "\n\n".join(block.format(place) for place in ("Oslo", "Turin", "Lund", "Gent"))
    heads, keys = find_stanzas(with_units(read_lines([text])))
    assert (heads >= 0).all() if stanzas else (heads < 0).all()
    assert (heads <= keys).all()


def test_two_stanzas_or_few_among_text_are_none() -> None:
    record, text = "Name: {0}\nSize: 12", "It rained all day long. Nobody went out."
    for blocks in ([record, record], [record, text, record, text, record]):
        found = "\n\n".join(block.format(at) for at, block in enumerate(blocks))
        assert (find_stanzas(with_units(read_lines([found])))[0] < 0).all()
