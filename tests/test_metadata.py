"""Passages with lines that tell where they are from: none is kept with the source of another."""

from __future__ import annotations

import pytest
from kept_texts import kept
from line_readings import names, needs

from beaver_compat import BeaverPromptCompressor

PASSAGES = {
    "leave/paid.md": "Millers have 25 days of paid leave a year. Of these 10 may be carried over until March; what "
    "remains then is lost.",
    "leave/parents.md": "Parental leave is granted to all millers. The mill pays all of the wage for 16 weeks.\n\n"
    "It pays four fifths of the wage for ten weeks more.",
    "leave/sick.md": "Sick leave of more than three days requires a note. In Norway one may be sick for eight days.",
    "trips/rules.md": "Trips are booked by the office. Flights under six hours are economy. Hotels cost 160 at most.",
    "trips/meals.md": "Meals are paid at the rates of the country. Receipts are handed in within 14 days after a trip.",
}
FORMS = {
    "below": "Content: {text}\nSource: {source}\n",
    "alone": "{text}\nsource: {source}\n",
    "bold": "{text}\n**Source:** {source}\n",
    "over": "page_label: {page}\nfile_path: {source}\n\n{text}\n",
    "right over": "file: {source}\n{text}\n",
    "long": "page_label: {page}\nfile_path: {source}\ncreated: 2025-04-0{page}\nsize: 1{page}07\n\n{text}\n",
}
QUESTIONS = {
    "For how many days may one be sick in Norway?": "leave/sick.md",
    "How many days of paid leave do millers have?": "leave/paid.md",
    "Which flights are economy?": "trips/rules.md",
    "When are receipts handed in?": "trips/meals.md",
    "Which source tells about parental leave?": "leave/parents.md",
}


def document(form: str, end: str = "\n") -> str:
    passages = enumerate(PASSAGES.items(), 1)
    blocks = (FORMS[form].format(text=text, source=source, page=page) for page, (source, text) in passages)
    return "\n".join(blocks).replace("\n", end)


def sources_of(text: str, above: bool) -> list[tuple[str, str]]:
    """Each line of a passage with the source that stands next to it."""
    found, source = [], ""
    lines = [line for line in text.split("\n") if line.strip()]
    for line in lines if above else lines[::-1]:
        told = next((source for source in PASSAGES if source in line), "")
        source = told or source
        if not told and ": " not in line.removeprefix("Content: "):
            found.append((line.removeprefix("Content: "), source))
    return found


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_no_sentence_stands_next_to_the_source_of_another_passage(
    compressor: BeaverPromptCompressor, form: str, question: str
) -> None:
    answered = 0
    for budget in range(60, 230, 10):
        text = kept(compressor, document(form), question, budget)
        for line, source in sources_of(text, "{source}\n" in FORMS[form].split("{text}")[0]):
            assert source, (budget, line)
            assert line in PASSAGES[source], (budget, line, source)
        answered += QUESTIONS[question] in text
    assert answered > 12


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_need_the_source_below_them_and_it_needs_them(end: str) -> None:
    found = needs(document("alone", end))
    for source, text in PASSAGES.items():
        lines = text.split("\n\n")
        for line in lines:
            assert f"source: {source}" in found[line]
            assert not any(other in need for need in found[line] for other in PASSAGES if other != source)
        assert lines[-1] in found[f"source: {source}"]


def test_the_lines_over_a_passage_name_it() -> None:
    found = names("# Leave\n\nAll of it.\n\n# Rules\n\n" + document("over"))
    for page, (source, text) in enumerate(PASSAGES.items(), 1):
        for line in text.split("\n\n"):
            assert found[line] == {f"page_label: {page}\nfile_path: {source}", "# Rules"}


def test_documents_in_tags_are_told_apart() -> None:
    blocks = "\n".join(
        f'<document index="{page}">\n<source>{source}</source>\n<document_content>\n{text}\n</document_content>\n'
        "</document>"
        for page, (source, text) in enumerate(PASSAGES.items(), 1)
    )
    found = names(f"<documents>\n{blocks}\n</documents>")
    for page, (source, text) in enumerate(PASSAGES.items(), 1):
        for line in [*text.split("\n\n"), f"<source>{source}</source>"]:
            assert {name.split("\n")[0] for name in found[line]} == {f'<document index="{page}">'}


@pytest.mark.parametrize(
    "text",
    [
        # two passages, records, a dialogue, steps
        "Rye is sown in May.\nSource: a.md\n\nOats are sown in June.\nSource: b.md\n",
        "Name: Ida\nAge: 31\nCity: Oban\n\nName: Bo\nAge: 44\nCity: Graz\n\nName: Cy\nAge: 9\nCity: Ghent\n",
        "Ida: I think so\n\nBo: The miller says no.\n\nIda: he did\n\nBo: He never does.\n\nIda: well\n\nBo: No.",
        "Note: It rains.\nThe mill is shut.\n\nNote: It snows.\nThe dam is shut.\n\nNote: It hails.\nAll is shut.",
    ],
)
def test_other_lines_with_colons_are_no_sources(text: str) -> None:
    text = f"def f():\n    x\n\n{text}"
    assert not any(need.startswith(("Source", "City")) for line in needs(text).values() for need in line)
    assert not any("\n" in name for line in names(f"# A\n\n# B\n\n{text}").values() for name in line)


def test_a_key_that_a_few_paragraphs_of_many_end_with_tells_no_source() -> None:
    paragraphs = [f"In year {year} the mill ground {year * 7} sacks of rye." for year in range(1900, 1960)]
    for at in (5, 25, 45):
        paragraphs[at] += "\nTip: grind slowly"
    found = needs("def f():\n    x\n\n" + "\n\n".join(paragraphs))
    assert not any("Tip: grind slowly" in need for need in found.values())


def test_the_last_passage_is_no_longer_than_the_others() -> None:
    text = f"{document('over')}\n" + "\n\n".join(f"Of all {at} mills none is left in the valley." for at in range(30))
    found = names(f"# Leave\n\n# Rules\n\n{text}")
    assert found["Of all 29 mills none is left in the valley."] == {"# Rules"}


def test_many_keys_do_no_harm(compressor: BeaverPromptCompressor) -> None:
    keys = "".join(f"key{chr(97 + at % 26)}{at // 3}: b\n\nIt rains.\nend{at // 3}: b\n\n" for at in range(20_000))
    assert "24 crowns" in kept(compressor, f"{keys}The fee is 24 crowns.\n", "How high is the fee in crowns?", 60)


@pytest.mark.parametrize("block", ["a: b\n\n", "Text.\na: b\n\n", "a: b\nText.\n\n", "a: b\n", "a: b\n\nText.\n\n"])
def test_many_lines_with_keys_do_no_harm(compressor: BeaverPromptCompressor, block: str) -> None:
    text = block * 20_000 + "The fee is 24 crowns.\n"
    assert "24 crowns" in kept(compressor, text, "How high is the fee in crowns?", 60)
