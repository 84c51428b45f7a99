"""Diffs: no changed line is kept under the name of another file; nothing else is taken for a diff."""

from __future__ import annotations

import pytest
from kept_texts import kept
from line_readings import needs

from beaver_compat import BeaverPromptCompressor
from beaver_compat.structure.diffs import find_diffs
from beaver_compat.structure.units import with_units
from beaver_compat.text.lined_text import LinedText, read_lines

CHANGES = {
    "conf/ferry.yml": """@@ -3,5 +3,5 @@ ferry:
   harbour: Oban
-  departures: 10
+  departures: 6
-  crew:
-    - mate
-    - cook
+  crew: [mate]
   pier: 4
""",
    "src/fares.py": """@@ -1,4 +1,4 @@
-from decimal import ROUND_UP, Decimal
+from decimal import ROUND_DOWN, Decimal

 CAR_RATE = Decimal("0.0139")
-DOG_FEE = Decimal("19.00")
+DOG_FEE = Decimal("24.00")
@@ -18,4 +18,4 @@ def fare(metres: Decimal) -> Decimal:
     if metres <= 0:
         raise ValueError("metres must be positive")
-    return (metres * CAR_RATE).quantize(Decimal("0.01"), ROUND_UP)
+    return (metres * CAR_RATE).quantize(Decimal("0.01"), ROUND_DOWN)
""",
    "README.md": """@@ -1,9 +1,9 @@
 ## Fares

-Dogs pay a fee of nineteen crowns, which the deckhand collects when the
-ferry has left the pier. Cats are free.
+Dogs pay a fee of 24 crowns, which the deckhand collects when the ferry
+has left the pier. Cats are free, too.

 - bicycles are carried for nothing
   if there is room
 ## Departures

 There are six departures a day, which the harbour master of Oban announces
 on the board in the morning; in storms there are none of them, of course.
""",
    "tests/test_fares.py": """@@ -9,2 +9,6 @@ from src.fares import fare
 def test_fare_of_a_van() -> None:
-    assert fare(Decimal("9.90")) == Decimal("0.13")
+    assert fare(Decimal("9.90")) == Decimal("0.14")
+
+
+def test_a_fare_of_nothing_is_refused() -> None:
+    with pytest.raises(ValueError):
+        fare(Decimal(0))
""",
}
HEADS = {
    "git": "diff --git a/{0} b/{0}\nindex 5b2f1aa..c90e7d2 100644\n--- a/{0}\n+++ b/{0}\n",
    "plain": "--- old/{0}\t2025-04-01 10:00:00\n+++ new/{0}\t2025-04-02 11:30:00\n",
    "recursive": "diff -ru old/{0} new/{0}\n--- old/{0}\n+++ new/{0}\n",
    "svn": "Index: {0}\n" + 67 * "=" + "\n--- {0}\t(revision 41)\n+++ {0}\t(working copy)\n",
}
FORMS = {form: "".join(head.format(file) + change for file, change in CHANGES.items()) for form, head in HEADS.items()}
FORMS["fenced"] = f"This is what I changed:\n\n```diff\n{FORMS['git']}```\n\nIs that right?\n"
FORMS["headed"] = f"# Ferry\n\nIt goes.\n\n## Changes\n\n{FORMS['git']}\n## Thanks\n\nTo Ida and to the crew.\n"
FORMS["log"] = "".join(
    f"commit 7c1e0b94d2\nAuthor: Ida Berg <ida@ferry.example>\n\n    Change {file}:\n\n    - the crew wants it\n\n"
    f"{HEADS['git'].format(file)}{change}\n"
    for file, change in CHANGES.items()
)
QUESTIONS = [
    "What was the dog fee before?",
    "How many departures are there?",
    "How is the fare rounded?",
    "Is a fare of nothing refused?",
    "Which mate is on the crew?",
    "Which files were changed?",
]


def diffs_of(text: str) -> list[tuple[str, int]]:
    lined = with_units(read_lines([text]))
    return [(lined.line(diff.name), diff.end - diff.begin) for diff in find_diffs(lined, lined.starts)]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_no_line_stands_under_the_name_of_another_file(
    compressor: BeaverPromptCompressor, form: str, question: str
) -> None:
    found = 0
    for budget in range(50, 400, 14):
        file = ""
        for line in kept(compressor, FORMS[form], question, budget).split("\n"):
            file = next((file for file in CHANGES if file in line and line[0] not in "-("), file)
            if file and any(line in change.split("\n") for change in CHANGES.values()):
                assert line in CHANGES[file].split("\n"), (budget, file, line)
                found += 1
    assert found > 100


@pytest.mark.parametrize("form", FORMS)
def test_the_change_that_is_asked_for_is_kept(compressor: BeaverPromptCompressor, form: str) -> None:
    assert '-DOG_FEE = Decimal("19.00")\n' in kept(compressor, FORMS[form], "What was DOG_FEE before?", 130)


@pytest.mark.parametrize("form", FORMS)
def test_files_of_a_diff(form: str) -> None:
    found = diffs_of(FORMS[form])
    assert [next(file for file in CHANGES if file in name) for name, _ in found] == list(CHANGES)
    headers = 2 if form == "plain" else 3 if form == "recursive" else 4
    assert [size - headers for _, size in found] == [
        sum(bool(line.strip()) for line in change.split("\n")) for change in CHANGES.values()
    ]


def test_lines_of_a_diff_need_the_name_of_the_file_and_the_fences() -> None:
    found = needs(FORMS["fenced"])
    name = "diff --git a/src/fares.py b/src/fares.py"
    fences = {"```diff", "```", "This is what I changed:"}
    assert found['-DOG_FEE = Decimal("19.00")'] == {name, *fences}
    assert found[name] == fences


def test_a_deleted_file_is_named() -> None:
    text = "--- a/old.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x = 1\n-y = 2\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-z\n+w\n"
    assert [name for name, _ in diffs_of(text)] == ["--- a/old.py", "+++ b/b.py"]


def test_a_file_that_was_only_renamed_ends_the_one_before() -> None:
    renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"
    assert diffs_of(FORMS["git"] + renamed)[-1] == ("diff --git a/x b/y", 4)
    assert needs(FORMS["git"] + renamed)["rename from x"] == {"diff --git a/x b/y"}


def test_a_short_fenced_diff_stays_one_unit() -> None:
    text = "Try this:\n\n```diff\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n```\n\nThen start it."
    assert with_units(read_lines([text])).starts.size == 3


@pytest.mark.parametrize(
    "text",
    [
        "diff --git is a command.\nindex cards are not.\n\n@@ -1 +1 @@ is a hunk.",
        "Ida\n--- a line\n+++ another\n- tea\n- milk\n\n@@ -1,2",
        "email me @@ -2 or\n@@ -3 +4 @@\n- one\n- two",
        "--- a\n\n+++ b\n+ c\n@@ -x +y @@\n",
    ],
)
def test_other_texts_are_no_diffs(text: str) -> None:
    lined = read_lines([text])
    assert diffs_of(text) == []
    assert isinstance(with_units(lined), LinedText)


@pytest.mark.parametrize(
    "line", ["@@ -1 +1 @@", "diff --git a b", "--- a\n+++ b", "--- a\n+++ b\n@@ -1 +1 @@", "index 1"]
)
def test_many_marks_of_diffs_do_no_harm(compressor: BeaverPromptCompressor, line: str) -> None:
    text = f"{line}\n" * 20_000 + "@@ -1 +1 @@\n+The fee is 24 crowns.\n"
    assert "24 crowns" in kept(compressor, text, "How high is the fee in crowns?", 80)


def test_a_diff_ends_with_its_context() -> None:
    change = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"
    lined = read_lines([change, "- tea\n- milk"])
    assert [diff.end for diff in find_diffs(lined, lined.starts)] == [5]
