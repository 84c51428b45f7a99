"""Branches of conditionals in C, Makefiles and the shell, and rules of a Makefile: what stands under one needs it."""

from __future__ import annotations

import pytest
from kept_texts import kept
from line_readings import PIECES, needs

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.lead_finder import find_leads
from beaver_compat.text.lined_text import read_lines

MAKE = """ifeq ($(enable_tests),yes)
prove_check = cd $(srcdir) && $(PROVE) t/*.pl
log_dir = $(top_builddir)/logs
else
prove_check = @echo "Tests not enabled, run configure again"
endif
"""
C = """#ifdef USE_POOL
static int limit = 64;
#if POOL_SIZE > 8
static int batch = 16;
#endif
#elif defined(USE_TREE)
static int limit = 32;
#else
static int limit = 4;
#endif
"""
SHELL = """fetch_two() {
  if type git; then
    git clone "$name"
  else
    echo "error: please install git" >&2
  fi
  for name in a b; do
    rm "$name"
  done
  case "$(uname -s)" in
  "Darwin" )
    echo "macos" ;;
  Linux)
    echo "linux" ;;
  esac
}
"""


def test_a_branch_needs_what_opens_it_and_that_the_condition() -> None:
    found = needs(MAKE)
    condition = "ifeq ($(enable_tests),yes)"
    assert found["log_dir = $(top_builddir)/logs"] == {condition}
    assert found['prove_check = @echo "Tests not enabled, run configure again"'] == {"else", condition}
    found = needs(C)
    assert found["static int limit = 64;"] == {"#ifdef USE_POOL"}
    assert found["static int batch = 16;"] == {"#if POOL_SIZE > 8", "#ifdef USE_POOL"}
    assert found["static int limit = 32;"] == {"#elif defined(USE_TREE)", "#ifdef USE_POOL"}
    assert found["static int limit = 4;"] == {"#else", "#ifdef USE_POOL"}


def test_a_long_branch_is_a_files_guard() -> None:
    text = "#ifndef POOL_H\n" + "".join(f"int limit_{at};\n" for at in range(60)) + "#endif\n"
    leads = find_leads(read_lines([text]))
    assert leads is None or (leads.needed[1:-1] < 0).all()


def test_words_open_blocks_of_the_shell() -> None:
    found = needs(SHELL)
    assert found['git clone "$name"'] == {"if type git; then", "fetch_two() {"}
    assert {"else", "if type git; then"} <= found['echo "error: please install git" >&2']
    assert found['rm "$name"'] == {"for name in a b; do", "fetch_two() {"}
    assert '"Darwin" )' in found['echo "macos" ;;']
    assert "Linux)" in found['echo "linux" ;;']


def test_a_rule_names_its_recipe() -> None:
    text = "lib: | headers\n\t$(MAKE) -C src all\n\t$(MAKE) -C port all\n\ndocs: | headers\n\t$(MAKE) -C doc html\n"
    found = needs(text)
    assert found["$(MAKE) -C port all"] == {"lib: | headers"}
    assert found["$(MAKE) -C doc html"] == {"docs: | headers"}


@pytest.mark.parametrize("text", [f"# Tests\n{MAKE}\n# Building\nall: lib", f"{C}\nint size = 3;\nint age = 5;"])
@pytest.mark.parametrize("budget", range(20, 90, 10))
def test_no_other_branch_is_taken_for_the_first(compressor: BeaverPromptCompressor, text: str, budget: int) -> None:
    found = kept(
        compressor, text, "Which message says that tests are not enabled? What is the limit without a pool?", budget
    )
    lines = [line for line in found.split("\n") if line]
    for line, opener in (("prove_check = @echo", "else"), ("static int limit = 4", "#else")):
        at = next((at for at, own in enumerate(lines) if own.startswith(line)), None)
        condition = any(own.startswith(("ifeq", "#ifdef")) for own in lines[: at or 0])
        assert at is None or not condition or opener in lines[:at]


def test_conditionals_in_any_order_do_no_harm() -> None:
    words = ["#if A", "#else", "#endif", "ifeq (a,b)", "else", "endif", "endif", "#elif B", *PIECES]
    for step in range(1, len(words)):
        text = "\n".join(words[at * step % len(words)] for at in range(3 * len(words)))
        leads = find_leads(read_lines([text]))
        assert leads is None or (leads.needed < leads.starts.size).all()
