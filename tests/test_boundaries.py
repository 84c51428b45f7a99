"""Words are found piece by piece; delimiters in quoted cells are no delimiters."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from line_readings import boundaries_of

from beaver_compat.text import characters
from beaver_compat.text.characters import NEWLINE, SPACE, Characters

_NARROWEST = 24  # characters that wrapped lines have at least


@given(st.lists(st.lists(st.text('ab", ', max_size=3), min_size=1, max_size=4), min_size=1, max_size=6), st.booleans())
@settings(max_examples=300, deadline=None)
def test_delimiters_in_quoted_cells_do_not_count(cells: list[list[str]], all_quoted: bool) -> None:
    rows = [[f"x{cell}" for cell in row] for row in cells]
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
    csv.writer(file, lineterminator="\n", quoting=quoting).writerows(rows)
    assume(max(map(len, file.getvalue().split("\n"))) < _NARROWEST)  # so that no line could be a hard wrap
    bare = "\n".join(",".join("".join(sign for sign in cell if sign in "xab") for cell in row) for row in rows)
    expected = boundaries_of(bare).tables.tolist()
    assert boundaries_of(file.getvalue()).tables.tolist() == expected
    assert boundaries_of("\t\n" + file.getvalue()).tables.tolist() == expected  # a tab is a delimiter


@pytest.mark.parametrize(
    "text",
    [
        '"Yes, we, and you," she said, and left.\n"No, not, now," he said, and stayed.',
        '1,"a,b\n2,"c,d',
        'He has 1,"2,3" and more.\nShe has 4,"5,6" and less.',
    ],
)
def test_quotes_that_hold_no_cell_change_nothing(text: str) -> None:
    assert boundaries_of(text).tables.tolist() == boundaries_of(text.replace('"', "'")).tables.tolist()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("  8, 12, 3\n 44, 1, 90\n107, 5, 6", 3),
        ("  Bertram, 1, 2\n      Ann, 3, 4\n      Eve, 5, 6", 3),
        ("\tAnn, 3, 4\n\tBertram, 1, 2", 2),
        ('  File "a.py", line 8, in f\n    post(url, data, 5)\n  File "b.py", line 4, in g\nLost: a, b, c', 0),
        ("    post(url, data, 5)\nLost: a, b, c", 0),
    ],
)
def test_rows_are_flush(text: str, rows: int) -> None:
    assert boundaries_of(text).tables.sum() == rows


@given(st.text(alphabet="ab \n.\u3000漢", max_size=60), st.integers(1, 9))
def test_runs_are_found_piece_by_piece(text: str, at_once: int) -> None:
    expected = [match.span() for match in re.finditer(r"\S+", text)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(characters, "CHARACTERS_AT_ONCE", at_once)
        starts, ends = Characters(text).runs_without(SPACE | NEWLINE)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected


NAMES = ["orchard", "harbour", "lantern", "saddler", "pepper1", "walnuts", "cactus7", "turtles"]
STATEMENTS = {
    "sql": "INSERT INTO fruit (name, price, colour, origin) VALUES ('{name}', {number}, 'red', 'Spain');",
    "assert": "    assert compute_total_price('{name}', quantity={number}, discount=0.5) == 9501, 'wrong price'",
    "nginx": "location /{name} {{ proxy_pass http://backend{number}; proxy_set_header Host $host; }}",
    "prototype": "int {name}_read(struct {name} *self, const char *path, size_t length, unsigned int flags);",
    "call": "{name}_total = frobnicate({name}_items, {number}, mode='strict', parent=None, deep=True)",
    "log": "error worker-3 could not open {name} because the disk at port {number} did not answer in time",
    "label": "{name}: the price of apples there is {number} euros a crate and will be so until the spring",
    "sentence": "the {name} holds {number} crates, which are brought to the harbour before the winter comes.",
}


@pytest.mark.parametrize("kind", STATEMENTS)
@pytest.mark.parametrize("count", [2, 3, 8])
def test_statements_of_one_width_are_lines_of_their_own(kind: str, count: int) -> None:
    lines = [STATEMENTS[kind].format(name=name, number=20 + index) for index, name in enumerate(NAMES[:count])]
    assert len(set(map(len, lines))) == 1
    found = boundaries_of("\n".join(["first, a line", "", *lines, "", "last, a line"]))
    if count > 2 or kind != "call":  # two lines that end with a bracket may be prose
        assert found.hard_lines.size == count + 2


def test_wrapped_prose_goes_on_over_line_ends() -> None:
    prose = (
        "Most of the lodge stands on the old dam, which the beavers have\n"
        "repaired every autumn since the flood (the one of the year before)\n"
        "with willow, mud and stones. Where the bank is steep they dig their\n"
        "burrows into it; there the water hides the entrance, and the young\n"
        "are safe from wolves, bears and people. In winter the family eats\n"
        "what it has stored under the ice: twigs, bark and roots of lilies."
    )
    assert boundaries_of(prose).hard_lines.tolist() == [0]


@pytest.mark.parametrize(
    "text",
    [
        "The fee is approx. 45 dollars",
        "Heat it to max. 180 degrees",
        "Heat it to Max. 180 degrees",
        "It costs ca. $5",
        "Das Haus Nr. 5 ist alt",
        "Wir haben Ca. 45 Stück",
        "Cf. Smith on this",
        "Es kostet 45 Euro inkl. MwSt",
        "Small animals, z. B. Hamster",
        "It is by J. R. R. Tolkien",
    ],
)
def test_periods_that_end_no_sentence(text: str) -> None:
    assert not boundaries_of(text).sentences.size


@pytest.mark.parametrize("text", ["Set it to max. Then go", "It is a cactus. 45 came", "He saw Inca. 45 left"])
def test_periods_that_end_one(text: str) -> None:
    assert boundaries_of(text).sentences.tolist() == [text.index(". ") + 2]


GERMAN = "Die Fähre verließ den Hafen und kam nicht vor dem Abend an"
TURKISH = "Vapur limandan ayrıldı ve çok geç geldi, bu rüzgâr için bir tekne de az"
ENGLISH = "The ferry left the harbour and it was late, for the wind was not with us"


@pytest.mark.parametrize("before", [" ", "\n\n"])
@pytest.mark.parametrize(
    ("around", "text"),
    [
        (GERMAN, "Sie fährt am 16. Oktober und am 3. Werktag"),
        (GERMAN, "Er kam am 3. 10. 2024 an"),
        (GERMAN, "Vom 16.-18. April ist sie zu"),
        (GERMAN, "Er war (1. Vorsitzender) dort"),
        (GERMAN, "1. FC Köln"),
        (GERMAN, "König Friedrich II. Herzog von Baden"),
        (TURKISH, "Kanunun 5. Maddesi ve 19. Yüzyıl"),
        (TURKISH, "Sultan II. Abdülhamid"),
        ("Færgen forlod havnen og kom ikke frem til tiden, fordi der var vind", "Han bor på 2. Tværvej"),
        ("Lautta lähti ja myöhästyi, mutta se ei ollut vika, kun tuuli oli kova", "Se on 1. Luokka"),
        ("A komp délben indult el és nem ért oda, mert az erős szél volt", "A 4. Emelet"),
        (
            "Trajekt vyplul a nedorazil, protože který je ve vodě, že by se vrátil",
            "Hrála 1. Liga a Karel IV. Lucemburský",
        ),
        (ENGLISH, "Eintrag vom 3. Oktober"),
    ],
)
def test_numbers_that_are_ordinals(around: str, text: str, before: str) -> None:
    found = boundaries_of(f"{around}.{before}{text}").sentences.tolist()
    assert found == [len(around) + 1 + len(before)]


@pytest.mark.parametrize(
    ("around", "text"),
    [
        (ENGLISH, "The score was 3. Then it ended"),
        (ENGLISH, "The score was 3. Smith went home"),
        (ENGLISH, "He died in 16. The king"),
        (ENGLISH, "It was World War II. Germany lost"),
        (GERMAN, "Er kam auf Platz 3. Dann ging er"),
        (GERMAN, "Es waren 16. Die Kosten stiegen"),
        (GERMAN, "Das war 1921. Oktober"),
        (GERMAN, "Der Laden schließt um 20.00. Hunde sind verboten"),
        (GERMAN, "Der Anschluss ist 555 03 71. Fragen Sie dort"),
        (GERMAN, "Das war CD. Köln gewann"),
        (TURKISH, "Sayı 5. Bu az"),
        ("De veerboot vertrok en kwam niet op tijd aan", "De stand was 3. Ajax won"),
        ("Rotterdam", "Basel 3. Köln"),
    ],
)
def test_numbers_that_end_a_sentence(around: str, text: str) -> None:
    found = boundaries_of(f"{around}, {text}").sentences.tolist()
    assert found == [len(around) + 2 + re.search("[.] [A-ZÖİ]", text).start() + 2]


@pytest.mark.parametrize(
    "text",
    [
        "He left early.She stayed on",
        "It is over.It's late.",
        'He said "no."Then he left',
        "Ende.Ärger kam",
        "Fin.Next, more",
    ],
)
def test_sentences_that_were_run_together(text: str) -> None:
    starts = boundaries_of(text).sentences.tolist()
    assert len(starts) == 1
    assert text[starts[0] - 1] in '."'
    assert text[starts[0]].isupper()


@pytest.mark.parametrize("mark", ["。", "！", "？", "。」", "！？", "｡"])
@pytest.mark.parametrize(
    "following",
    [
        "2022年收入为4元",
        "ABC公司来了",
        "iPhone很贵",
        "“好”",
        "（见上）",
        "「はい」",
        "５月に",
        "¥300",
        "が、違う",
        "でも",
    ],
)
def test_a_full_width_mark_ends_a_sentence_whatever_follows(mark: str, following: str) -> None:
    assert boundaries_of(f"公司有员工120人{mark}{following}").sentences.tolist() == [9 + len(mark)]


@pytest.mark.parametrize(
    "text",
    [
        "モーニング娘。は人気です",
        "モーニング娘。の「LOVE」",
        "藤岡弘、と娘。を見た",
        "我来了……2022年",
        "はい！、という",
        "好。，他说",
    ],
)
def test_marks_that_a_sentence_goes_on_behind(text: str) -> None:
    assert not boundaries_of(text).sentences.size


@pytest.mark.parametrize(
    "text",
    [
        "It raised redis.exceptions.ConnectionError: refused",
        "See java.util.List for it",
        "Call settings.Load(path) first",
        "Read docs/index.Html there",
        "The class is models.BertModel here",
        "It is in lib_core.Reader, too",
        "It is at example.Com/path",
    ],
)
def test_names_of_code_are_no_two_sentences(text: str) -> None:
    assert not boundaries_of(text).sentences.size
