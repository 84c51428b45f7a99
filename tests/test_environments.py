r"""Environments of LaTeX: what is one unit, and what the lines of a longer one need."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_texts import kept
from line_readings import leads_of, needs, units_of

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.environments import find_environments
from beaver_compat.text.lined_text import read_lines

PAPER = r"""We study how heat goes through thin rods. Earlier work assumed that all of them are alike.
The model is given by
\begin{equation}
  \frac{\partial u}{\partial t} = \frac{\partial}{\partial x}\left( k(x) \frac{\partial u}{\partial x} \right),
  \label{eq:heat}
\end{equation}
where $k(x) > 0$. The ends are kept cold.

\begin{table}
\centering
\caption{Rods that were measured in the year in which the work on this paper was begun.}
\begin{tabular}{lrr}
\hline
Material & $k$ & Error \\
\hline
Copper & 401 & 2 \\
Iron & 80 & 1 \\
Oak & 0.17 & 0.02 \\
\end{tabular}
\end{table}

\[
  E = k
\]
$$
  F = 2 k
$$
\begin{itemize}
  \item Copper is warm.
\end{itemize}
"""


def test_short_environments_are_records() -> None:
    found = units_of(PAPER)
    edges = [*found.hard_lines.tolist(), len(PAPER)]
    lines = [PAPER[start:end].strip() for start, end in itertools.pairwise(edges)]
    records = [line for line, record in zip(lines, found.records, strict=True) if record]
    assert [record.split("\n")[0] for record in records] == [r"\begin{equation}", r"\[", "$$", r"\begin{itemize}"]
    assert all(record.count("\n") > 1 for record in records)


def test_lines_of_a_longer_one_need_its_first_and_last() -> None:
    found = needs(PAPER)
    edges = {r"\begin{table}", r"\end{table}"}
    assert found[r"\caption{Rods that were measured in the year in which the work on this paper was begun.}"] == edges
    row = {r"\begin{tabular}{lrr}", r"\end{tabular}", r"Material & $k$ & Error \\", *edges}
    assert found[r"Oak & 0.17 & 0.02 \\"] == row
    assert found["where $k(x) > 0$. The ends are kept cold."] == set()
    lines, leads = leads_of(PAPER)
    assert leads is not None
    bare = [line for line, says_nothing in zip(lines, leads.bare, strict=True) if says_nothing]
    assert {r"\begin{table}", r"\end{tabular}", r"\hline", r"\centering", r"\label{eq:heat}"} < {*map(str.strip, bare)}
    assert leads.bodies[lines.index(r"\begin{table}")] == lines.index(r"\begin{table}") + 2


@pytest.mark.parametrize(
    "question", ["What is the heat equation?", "How warm is oak?", "Which rods were measured?", ""]
)
def test_no_environment_is_kept_in_part_or_empty(compressor: BeaverPromptCompressor, question: str) -> None:
    formula = PAPER[PAPER.index(r"\begin{eq") : PAPER.index("where")].strip()
    for budget in range(90, 260, 10):
        text = kept(compressor, PAPER, question or "Who?", budget)
        assert (r"\begin{equation}" in text) == (formula in text) == (r"\end{equation}" in text)
        for name in ("table", "tabular"):
            assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}")
        assert r"\begin{tabular}{lrr}" in text or "Oak" not in text
        assert r"\begin{table}" + "\n" + r"\end{table}" not in text


def slowly(lines: list[str]) -> list[tuple[int, int]]:
    """Which lines begin and end an environment: each end takes the last beginning of its name that is not taken, and
    what was begun between them and not ended is none."""
    found: list[tuple[int, int]] = []
    live: list[int] = []
    for at, line in enumerate(lines):
        if line.startswith(r"\begin"):
            live.append(at)
        else:
            same = [other for other in live if lines[other][7:] == line[5:]]
            if same:
                found.append((same[-1], at))
                live = [other for other in live if other < same[-1]]
    return sorted(found)


@given(st.lists(st.sampled_from([rf"\{edge}{{{name}}}" for edge in ("begin", "end") for name in "abc"]), min_size=1))
@settings(max_examples=200, deadline=None)
def test_environments_are_those_that_a_slow_reading_finds(lines: list[str]) -> None:
    pairs = find_environments(read_lines(["\n".join(lines)]))
    assert [tuple(pair) for pair in pairs.tolist()] == slowly(lines)


def test_what_is_no_environment() -> None:
    text = "\\begin{document}\nWe see \\begin{a}.\n\\begin{b} x \\end{b}\n\\end{c}\n$$ x $$\n\\end{document}"
    assert not find_environments(read_lines([text])).size
    assert find_environments(read_lines(["\\begin{a}\nx\n\\end{a}"])).size
    assert not find_environments(read_lines(["\\begin{a}\nx", "\\end{a}"])).size


def test_deep_nesting_needs_little() -> None:
    begins, ends = ([rf"\{edge}{{n{depth}}}" for depth in range(40)] for edge in ("begin", "end"))
    found = needs("\n".join([*begins[:10], "y", *begins[10:], "x", *reversed(ends)]))
    assert found["y"] == {*begins[:10], *ends[:10]}
    assert found["x"] == set()
