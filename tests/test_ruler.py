"""RULER's tasks as the official settings and templates have them."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from counters import Words

from benchmarks import ruler
from benchmarks.ruler import TASKS, Material, generate
from benchmarks.ruler_tasks import NOISE
from benchmarks.samples import Sample

LENGTH = 2000
ESSAY = "It was a quiet day in the valley. Nobody came by. The old mill stood still! Who would have thought so? " * 20
DOCUMENTS = [f"Title {number}\nThe {number}th mill stood in valley {number}." for number in range(900)]
MATERIAL = Material(
    ESSAY.split(),
    {"qa_1": DOCUMENTS, "qa_2": DOCUMENTS},
    {
        "qa_1": [ruler.Question("Which mill?", ("7th mill",), (7,), (8, 9))],
        "qa_2": [ruler.Question("Which mills?", ("7th mill",), (7, 30))],
    },
)


def made(task: str, count: int = 3, length: int = LENGTH, seed: int = 42) -> list[Sample]:
    return generate(task, TASKS[task], length, count, Words(), MATERIAL, seed)


def test_the_thirteen_tasks() -> None:
    needles = [f"niah_single_{n}" for n in (1, 2, 3)] + [f"niah_multikey_{n}" for n in (1, 2, 3)]
    others = ["vt", "cwe", "fwe", "qa_1", "qa_2"]
    assert sorted(TASKS) == sorted([*needles, "niah_multivalue", "niah_multiquery", *others])


@pytest.mark.parametrize("task", TASKS)
def test_every_task_fits_fills_and_answers_itself(task: str) -> None:
    samples = made(task)
    assert len({sample.id for sample in samples}) == 3
    assert len({sample.context for sample in samples}) == 3 or task.startswith("qa")
    for sample in samples:
        whole = Words()(sample.prompt(sample.context)) + sample.max_tokens
        assert sample.length == whole <= LENGTH
        assert whole > 0.9 * LENGTH or task == "fwe"  # whose counts move in steps
        assert sample.references == sample.answers
        assert sample.retention(sample.context) == 1.0


@pytest.mark.parametrize("task", TASKS)
def test_a_sample_depends_on_seed_and_place_alone(task: str) -> None:
    assert made(task, 1) == made(task, 2)[:1]
    assert made(task, 1) != made(task, 1, seed=43)


@pytest.mark.parametrize("task", TASKS)
def test_lengths(task: str) -> None:
    shorter, longer = (made(task, 1, length)[0].length for length in (1500, 6000))
    assert shorter <= 1500 < longer <= 6000


@pytest.mark.parametrize(
    ("task", "asked", "answers", "needles", "form"),
    [
        ("niah_single_1", 1, 1, 1, r"\d{7}"),
        ("niah_single_2", 1, 1, 1, r"\d{7}"),
        ("niah_single_3", 1, 1, 1, r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"),
        ("niah_multikey_1", 1, 1, 4, r"\d{7}"),
        ("niah_multivalue", 1, 4, 4, r"\d{7}"),
        ("niah_multiquery", 4, 4, 4, r"\d{7}"),
    ],
)
def test_needles(task: str, asked: int, answers: int, needles: int, form: str) -> None:
    for sample in made(task):
        hidden = re.findall(r"One of the special magic \w+ for (\S+) is: (\S+)\.(?=\s|$)", sample.context)
        assert len(hidden) == needles
        assert len(sample.answers) == answers
        assert all(re.fullmatch(form, answer) for answer in sample.answers)
        keys = {key for key, value in hidden if value in sample.answers}
        assert len(keys) == asked
        assert all(key in sample.question for key in keys)


def test_needles_among_needles() -> None:
    sample = made("niah_multikey_3", 1)[0]
    lines = sample.context.split("\n")
    assert all(re.fullmatch(r"One of the special magic uuids for [0-9a-f-]{36} is: [0-9a-f-]{36}\.", x) for x in lines)
    assert sum(sample.answers[0] in line for line in lines) == 1


def test_templates_of_one_and_of_several_needles() -> None:
    one, several = made("niah_single_1", 1)[0], made("niah_multiquery", 1)[0]
    key = re.search(r"for (\S+) mentioned", one.question)
    assert key
    assert one.prompt("CONTEXT") == (
        "A special magic number is hidden within the following text. Make sure to memorize it. I will quiz you about "
        f"the number afterwards.\nCONTEXT\nWhat is the special magic number for {key[1]} mentioned in the provided "
        f"text? The special magic number for {key[1]} mentioned in the provided text is"
    )
    assert several.before.startswith("Some special magic numbers are hidden within the following text.")
    assert re.match(r"What are all the special magic numbers for \S+, \S+, \S+, and \S+ mentioned", several.question)
    assert several.after.endswith("mentioned in the provided text are")


def test_noise_stands_in_for_an_essay() -> None:
    [sample] = generate("x", TASKS["niah_single_2"], LENGTH, 1, Words(), Material())
    lines = sample.context.split("\n")
    assert Counter(lines)[NOISE] == len(lines) - 1


@pytest.mark.parametrize("depth", [0.0, 0.3, 1.0])
def test_a_needle_at_a_depth(depth: float) -> None:
    for material in (MATERIAL, Material()):
        [sample] = generate("x", ruler.needle_at(depth), LENGTH, 1, Words(), material)
        place = sample.context.index(sample.answers[0]) / len(sample.context)
        assert place == pytest.approx(depth, abs=0.04)


def test_variables_form_one_chain_in_order() -> None:
    sample = made("vt", 1)[0]
    chain = re.findall(r"VAR (\w+) = (?:VAR )?(\w+)", sample.context)
    assert [name for name, _ in chain] == list(sample.answers)
    assert [value for _, value in chain[1:]] == list(sample.answers[:-1])
    assert chain[0][1] in sample.question
    assert all(len(name) == 5 for name in sample.answers)
    example = re.findall(r"VAR (\w{3}) = ", sample.before)
    assert sample.before.endswith("in the following text.\n\n")
    assert f"they are:  {' '.join(example)}\n\nMemorize" in sample.before


@pytest.mark.parametrize(("length", "common", "others"), [(2000, 6, 1), (5000, 30, 3)])
def test_common_words(length: int, common: int, others: int) -> None:
    sample = made("cwe", 1, length)[0]
    counts = Counter(word for _, word in re.findall(r"(\d+)\. (\S+(?: [^\d\s]\S*)*)", sample.context))
    assert {word for word, count in counts.items() if count == common} == set(sample.answers)
    assert set(counts.values()) == {common, others}
    example, answer = sample.before.split("\nQuestion: ")
    assert example.startswith("Below is a numbered list of words.")
    assert re.search(r"list are: 1\. .* 10\. \S+\nBelow is", answer)


def test_frequent_words_fall_with_the_square_of_the_rank() -> None:
    sample = made("fwe", 1, 20_000)[0]
    counts = Counter(sample.context.split())
    dots = counts.pop("...")
    [first, second, third, fourth] = [count for _, count in counts.most_common(4)]
    assert [word for word, _ in counts.most_common(3)] == list(sample.answers)
    for rank, count in ((2, first), (3, second), (4, third), (5, fourth)):
        assert count == pytest.approx(dots / rank**2, abs=1.5)


def test_questions_hold_their_documents() -> None:
    for task, gold in (("qa_1", [7]), ("qa_2", [7, 30])):
        sample = made(task, 1, 450)[0]
        shown = re.findall(r"Document (\d+):\n(Title \d+\n[^\n]+)", sample.context)
        assert [int(number) for number, _ in shown] == list(range(1, len(shown) + 1))
        assert {DOCUMENTS[index] for index in gold} <= {text for _, text in shown}
        assert len({text for _, text in shown}) == len(shown)
        assert sample.match == "any"


def test_too_short_a_length_is_refused() -> None:
    with pytest.raises(ValueError, match="40 tokens are too few for vt: its shortest prompt has"):
        made("vt", 1, 40)
