"""Wrapped lines: what continues a paragraph, an item of a list or a comment, and what stands for itself."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_readings import PIECES, boundaries_of

from beaver_compat import BeaverPromptCompressor
from beaver_compat.text.characters import code_points
from beaver_compat.text.markers import item_markers

PROSE = (
    "Most of the lodge stands on the old dam, which the beavers have repaired every autumn since the flood with "
    "willow, mud and stones. Where the bank is steep they dig their burrows into it; there the water hides the "
    "entrance, and the young are safe from wolves, bears and people. In winter the family eats what it has stored "
    "under the ice: twigs, bark and roots of lilies. The keeper counts them in March, when the first tracks show."
)
RULES = """Rules of the pool
1. Children under ten may only swim when a grown-up is in the water with them,
   not on the bench.
2. The diving board is open from two to four in the afternoon, and on Sundays
   until six.
3. Glass bottles are forbidden everywhere, also on the lawn, because of an
   accident in 2016 that cost a boy two toes.
4. Lost property is kept in the office for three months and then given to the
   church."""
DEPOSIT = """- The deposit is two months' rent and has to be paid before the keys are
  handed over; it is returned six weeks after the tenant has left, without
  interest.
- Pets need the written consent of the landlord, which is given for cats
  and refused for snakes.
- Bicycles belong in the cellar, where every flat has a rack with its number
  on it."""
CHANGES = """* Added a way to read the settings from
  the file that the variable POND_SETTINGS names, and to write them all back
  with what has been changed.
* Fixed the reader, which took the last line of a file without a line end for
  (part of) the line before it.
    * Files of one line are read as well, and those
      of none give nothing at all."""
PARAMETERS = """:param path: the file that the store is kept in; it is created where it is not
    there yet.
:param readers: how many readers may be open at the same time, all those of
    other processes among them.
:returns: the store."""

TASKS = """- [ ] Write to the landlord about the water that comes through the roof in
      the north room.
- [x] Pay the gardener, who has been waiting since the day of the flood for
  his money."""


def hard(text: str) -> list[str]:
    """The first line of each hard line."""
    return [text[start:].split("\n", 1)[0] for start in boundaries_of(text).hard_lines.tolist()]


@pytest.mark.parametrize("text", [RULES, DEPOSIT, CHANGES, PARAMETERS, TASKS])
@pytest.mark.parametrize("apart", [False, True])
def test_an_item_goes_on_under_its_text(text: str, apart: bool) -> None:
    marks = tuple("1234-*:")
    items = [line for line in text.split("\n") if line.strip().startswith(marks)]
    if apart:
        for item in items[1:]:
            text = text.replace(item, "\n" + item)
        if text.startswith("* Added"):
            return  # alone in its block the first line has no neighbour that shows how wide lines are
    assert [line for line in hard(text) if line.strip().startswith(marks)] == items
    assert set(hard(text)) - set(items) <= {"Rules of the pool"}


def test_an_item_ends_where_the_text_moves_back() -> None:
    text = DEPOSIT.replace(
        "\n- Pets", "\nHouse rules hang in the hall, where everyone who lives here can read them,\n- Pets"
    )
    assert "House rules hang in the hall, where everyone who lives here can read them," in hard(text)


COMMENTS = {
    "slashes": "  // {}",
    "documentation": "/// {}",
    "hash": "    # {}",
    "lisp": ";; {}",
    "sql": "-- {}",
    "latex": "% {}",
    "mail": "> {}",
    "star": " * {}",
}


@pytest.mark.parametrize("kind", COMMENTS)
@pytest.mark.parametrize("width", [30, 44, 70])
def test_a_comment_is_a_paragraph(kind: str, width: int) -> None:
    lines = [COMMENTS[kind].format(line) for line in textwrap.wrap(PROSE, width)]
    around = ("/**", " */") if kind == "star" else ("def f():", "    return g(7)")
    expected = [around[0], lines[0], around[1]]
    assert hard("\n".join([around[0], *lines, around[1]])) == expected
    sign = COMMENTS[kind].format("").rstrip()
    two = "\n".join([around[0], *lines, sign, *lines, around[1]])
    assert hard(two) == [around[0], lines[0], sign, lines[0], around[1]]


def test_the_line_that_opens_a_comment_may_begin_its_text() -> None:
    lines = textwrap.wrap(PROSE, 70)
    text = "\n".join([f"/** {lines[0]}", *(f" * {line}" for line in lines[1:]), " * @param path the file", " */"])
    assert hard(text) == [f"/** {lines[0]}", " * @param path the file", " */"]


def test_mail_within_mail_is_a_paragraph_of_its_own() -> None:
    text = """> Could you bring the keys back before Friday? The caretaker needs them to
> open the cellar for the plumbers, who come at eight.
> > I thought that you had them all the time, since I gave them to you when we
> > met at the station, and that the caretaker has some of his own.
> Yes.
> > >"""
    lines = text.split("\n")
    assert hard(text) == [lines[0], lines[2], lines[4], lines[5]]


def test_an_address_on_a_line_of_its_own_does_not_part_an_item() -> None:
    text = """- The number of rooms that the lodge and the burrow in the bank have is not
  the same in every year, nor is what the beavers use them for. See also
  https://lodge.example/rooms/of-the-burrow"""
    lines = text.split("\n")
    assert hard(text) == [lines[0], lines[2]]


def test_stars_are_bullets_elsewhere() -> None:
    stars = [f" * the {name} is kept in the shed behind the house, where it is dry all the year" for name in "abcdef"]
    assert hard("\n".join(["Tools:", *stars])) == ["Tools:", *stars]


@pytest.mark.parametrize("width", [24, 28, 32, 36, 40, 60, 90])
def test_prose_of_any_width_is_one_line(width: int) -> None:
    assert boundaries_of(textwrap.fill(PROSE, width)).hard_lines.tolist() == [0]


def test_a_line_may_begin_with_a_number_a_quote_or_a_name() -> None:
    text = """The oldest book on the case was written by the judge who had decided Roe
v. Wade, and the clerk says that it is the one that was bought in the year
2016, when the lawn was new; the gate that everyone here still calls the
"Old One" was painted in the same week, according to the larger diary of
J. Hall, whom nobody else remembers, though he was the mayor for about ten
years and is said to have planted all the trees that one sees from the
station."""
    assert hard(text) == [text.split("\n")[0]]


SIGNED = [
    "@samp{pump.conf}",
    "\\code{pump.conf}",
    "``pump.conf``",
    "**pump.conf**",
    "‘--pump’",
    "‘.pumprc’",
    "/etc/pump.conf",
    "--pump-file",
    "-p",
    "<pump-file>",
    "<code>pump</code>",
    "$HOME/pump",
    ":file:`pump`",
    "#pump",
    ".pumprc",
    "(/etc/pump)",
    "(*note",
    '".pump"',
    "|pump|",
    "~/pump",
    "%pump%",
    "…and",
    "§",
    "&pump",
    "+pump",
    "[/etc/pump]",
    "C<pump>",
    "https://example.org/pump",
]


@pytest.mark.parametrize("word", SIGNED)
def test_a_wrapped_line_may_begin_with_a_sign(word: str) -> None:
    text = (
        f"The pump reads the number of attempts from a file that is kept under\n{word} on every machine, and it uses"
        " five attempts in case that\nthe entry is missing or is not a number at all, as in older releases."
    )
    assert len(hard(text)) == 1


def test_a_tag_of_html_begins_a_line() -> None:
    item = (
        "The pump reads the number of attempts from a file that everybody may\n"
        "{0} with the tool of their own choice, and it\nuses five."
    )
    assert len(hard(item.format("<b>edit</b>"))) == 1
    assert len(hard(item.format("<li>edit"))) == 2  # the last line goes on with it


@pytest.mark.parametrize("name", ["Rotterdam", "C<Rotterdam>", '"Rotterdam"'])
def test_a_name_goes_on_behind_a_word_that_ends_no_line(name: str) -> None:
    assert len(hard(f"The appliance was shipped on Monday to the big warehouse in the town of\n{name}.")) == 1
    assert len(hard("The old mill on the river\nThe new mill on the river\nThe last mill on the river")) == 3


def test_one_line_may_stand_out_of_its_paragraph() -> None:
    text = """ * The clean-up of temporary files created via the helper was
   racy and attempted to remove the leading directory when signals
   are involved, which has been corrected.
   (merge babe2e0559 rs/tempfile-cleanup-race-fix-in-the-helper later to maint)."""
    assert len(hard(text)) == 2
    text = """The full list of the known problems and of the ways around them is
kept on the pages of the project, where everybody may add to it:
https://www.example.org/projects/pump/wiki/KnownProblems/index.html?lang=en
Please look there before you write to us about a problem that
you have met, since most of them have been seen before."""
    assert len(hard(text)) == 2


LISTS = {
    "yaml": """- name: the first of the two services that answer to the outside world
  memory: 512
  image: registry.example/pond/web-frontend-with-a-long-name:latest
- name: the second of the two services, which is only called by the first
  memory: 1024
  command: serve --port 8080 --workers four --everything-else default""",
    "outline": "- fruit\n  apple\n  pear\n- roots\n  carrot\n  beet",
    "code in an item": """1. Install the packages that the build needs on a machine without any of
       apt install gcc make
       apt install cmake
2. Build.""",
    "address": "Hall & Daughters\n12 Mill Lane, third floor\nWest Harbour\nPO 4711 Pondshire",
    "address in small letters": "hall & daughters, bakers\n12 mill lane, third floor\nwest harbour\nnear the quay",
    "menu": "soup of the day with bread 4.50\nsalad with goat cheese 8\nfried trout from the lake 14.20\ncake 3\ntea",
    "columns": """soup of the day        4.50
salad of leaves        8.00
trout from the pond   14.20
apple pie and tea      5.10""",
    "wide columns": """apples of the old kind      12.50    three crates     Spain
pears in small boxes         2.50    five crates      Italy
plums for cooking only       1.75    nine crates      Wales
quinces, if there are        4.25    two crates       Italy""",
    "poem": """the river takes its time, it says,
and I, who have none, sit
beside the willow all the day
until the lamps are lit
across the water, one by one,
and no one calls me in.""",
    "names": """    read_int as read_int_bare,
    read_str as read_str_bare,
    write_int as write_int_bare,
    write_str as write_str_bare,""",
    "settings": """disallow_untyped_calls = true
disallow_untyped_defs = true
disallow_any_generics = true
check_untyped_defs = true""",
    "commands": "cd /srv/pond\nmake clean all install\nsystemctl restart pond\ntail -f /var/log/pond.log",
    "code under a comment": "    # Smooth what the plot shows.\n    plt.matshow(values, number=figure.number)",
    "condition": "    if isinstance(kind, Literal) and kind.is_enum():\n        kind = kind.fallback",
    "comments": """# the first value is the one that the user gave, whatever it may be
# the second value is the one that the file gave, if there was any
# the third value is the one that nobody gave, which is the default""",
    "code in comments": "// total = count(items)\n// rest = total - sold(items)\n// print(rest, total, items)",
    "headings": "# the river and all that lives in it from the spring to the sea\n## the bank",
    "items in small letters": "a. willows grow on the bank of the river from the hills\nb. alders do so, too",
    "tags": """<property name="the first of all the properties that this element has" />
<property name="the second of all the properties that it has got" />
<property name="the third one, which is the last of all of them" />""",
    "signs": """→ the first of all the steps that are to be taken before the water comes
→ the second of the steps, which everybody who lives here must have taken
→ the third step is one that only the keeper of the gates can ever take""",
    "options": """--first-of-all-options takes the name of the file that is read before the
--second-of-the-options takes the name of the file that is written behind
--third-of-all-options takes nothing at all and is there for the older""",
    "diff": "- total = items.count\n- rest = total\n+ total = len(items)\n  return total, rest, other_things_as_well",
}


@pytest.mark.parametrize("kind", LISTS)
def test_what_stands_for_itself(kind: str) -> None:
    assert hard(LISTS[kind]) == LISTS[kind].split("\n")


WORDS = st.lists(st.sampled_from(["a", "the", "beaver", "Tree.", "stone,", "(mud)", "12", "well-known"]), max_size=60)


@given(WORDS, st.integers(45, 90), st.sampled_from(["// ", "# ", "> "]))
def test_a_comment_sign_before_each_line_changes_nothing(words: list[str], width: int, sign: str) -> None:
    lines = textwrap.wrap(" ".join(words), width)
    text = "\n".join(lines)
    signed = "\n".join(sign + line for line in lines)
    narrow = max(map(len, lines), default=0) < 40  # where few words make the difference
    assert narrow or [sign + line for line in hard(text)] == hard(signed)


@given(st.lists(st.sampled_from([*PIECES, "- item", "  goes on", "1. one", "/**", " * a", " *", "# b", "> c d"])))
def test_lines_behind_blank_ones_continue_nothing(lines: list[str]) -> None:
    found = boundaries_of("\n".join(lines))
    behind = {line for line, blank in zip(found.hard_lines.tolist(), found.after_blank.tolist(), strict=True) if blank}
    starts = 0
    for index, line in enumerate(lines):
        if line and (not index or not lines[index - 1]):
            assert starts in behind
        starts += len(line) + 1


ASKED = [
    (RULES, "Why are glass bottles forbidden?", 50, "because of an\n   accident in 2016 that cost a boy two toes."),
    (RULES, "What happens to lost property?", 80, "given to the\n   church."),
    (DEPOSIT, "Where do bicycles belong?", 60, "with its number\n  on it."),
]


@pytest.mark.parametrize(("text", "question", "budget", "expected"), ASKED)
def test_items_are_kept_with_their_ends(
    compressor: BeaverPromptCompressor, text: str, question: str, budget: int, expected: str
) -> None:
    kept = compressor.compress(text, question=question, target_token=budget, concate_question=False)
    assert expected in kept.compressed_context


MARKS = ["-", "*", "•", "1.", "12)", "(3)", "[4]", "2.1.", "1.2.3)", "(a)", "b)", "(iv)", "iv.", "@param", ":type"]
NO_MARKS = ["a", "J.", "v.", "the", "2016", "it)", "(it)", "...", "()", ".)", ":)", "2.1", "end.", "12345678.", "x=1)"]


@pytest.mark.parametrize("word", sorted({*MARKS, *NO_MARKS}))
def test_marks_of_items(word: str) -> None:
    text = "\n".join(["the river is wide, and nobody knows who it was that", f"{word} said it", "to all of us"])
    points = code_points(text)
    starts = np.array([0, text.index("\n") + 1, text.rindex("\n") + 1])
    ends = starts + np.array([3, len(word), 2])
    assert item_markers(points, points[starts], starts, ends).tolist() == [False, word in MARKS, False]


def test_letters_are_marks_in_their_order() -> None:
    words = ["J.", "a.", "b.", "S.", "A.", "B.", "c."]
    text = "\n".join(words)
    points, starts = code_points(text), 3 * np.arange(len(words))
    marks = item_markers(points, points[starts], starts, starts + 2)
    assert [word for word, mark in zip(words, marks, strict=True) if mark] == ["a.", "b.", "A.", "B."]


def test_a_line_that_breaks_off_a_sentence_is_a_wrap_though_a_small_word_had_room() -> None:
    text = (
        "You may convey a covered work in object code form under the terms\n"
        "of sections 4 and 5, provided that you also convey the\n"
        "machine-readable source under the terms of this document,\n"
        "in one of these ways:\n\n    a) Convey the code in a product."
    )
    assert boundaries_of(text).hard_lines.tolist() == [0, text.index("    a)")]
    verse = "\n".join(["when the water fell into the wheel of the mill", "it turned, slowly", "we heard it"])
    assert boundaries_of(verse).hard_lines.size == 3


@pytest.mark.parametrize("title", ["4. Discussion", "Discussion", "## Discussion"])
def test_a_title_right_over_a_paragraph_is_no_line_of_it(title: str) -> None:
    text = (
        f"{title}\n"
        "The sand cap works less by feeding the plants than by\n"
        "keeping mud in its place. It is not cheap: at 2015 prices\n"
        "the treatment cost 47,000 a hectare there, as against 29,000\n"
        "for transplants. But if the cost is divided by the area that\n"
        "was still covered after six years nourishment is cheaper\n"
        "by a third. We don't recommend it where currents exceed\n"
        "two knots, since the cap would be winnowed away, nor in\n"
        "beds with rare bivalves, which it smothers. The harbour\n"
        "authority has meanwhile adopted a rule that dredging in\n"
        "the Sound stops whenever turbidity at the Skarven buoy\n"
        "is above 15 for more than two hours."
    )
    assert boundaries_of(text).hard_lines.tolist() == [0, len(title) + 1]
