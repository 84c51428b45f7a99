"""Text that real prompts hold stays readable: whole lines and rows, valid records, speakers, nothing reordered."""

from __future__ import annotations

import csv
import io
import json
import random
import re

import pytest
from kept_texts import kept
from text_kinds import CODE, CSV, DIALOGUE, EXAMPLES, FEW_SHOT, JSON_LINES, MARKDOWN

from beaver_compat import BeaverPromptCompressor

QUESTION = "Question: A basket holds 9 apples and 15 oranges. How many fruits are in 4 baskets?"
KINDS = {
    "markdown": (MARKDOWN, "How do I roll back a release?"),
    "few-shot": (FEW_SHOT, QUESTION),
    "dialogue": (DIALOGUE, "How much money does the customer get back?"),
    "code": (CODE, "What happens if withdraw exceeds the balance?"),
    "json": (JSON_LINES, "Who needs a ramp?"),
    "csv": (CSV, "How much is the brass lamp?"),
}
BUDGETS = (40, 60, 100, 160, 250, 400)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_lines_stay_in_order_and_one_is_cut_at_most(compressor: BeaverPromptCompressor, kind: str, budget: int) -> None:
    text, question = KINDS[kind]
    original = iter(text.split("\n"))
    cut = 0
    for line in kept(compressor, text, question, budget).split("\n"):
        # In order, from its beginning: indentation and speaker are kept.  A paragraph gives any of its sentences.
        within = str.__contains__ if kind == "markdown" else str.startswith
        source = next((whole for whole in original if within(whole, line)), None)
        assert source is not None, line
        cut += source != line
    assert cut <= (kind not in ("code", "json", "csv"))  # lines of code and records are never cut


@pytest.mark.parametrize("budget", BUDGETS)
def test_json_lines_and_csv_rows_can_be_read(compressor: BeaverPromptCompressor, budget: int) -> None:
    records = [json.loads(line) for line in kept(compressor, *KINDS["json"], budget).split("\n")]
    assert "ramp" in " ".join(record["note"] for record in records)
    rows = list(csv.reader(io.StringIO(kept(compressor, *KINDS["csv"], budget))))
    assert "brass lamp" in [row[1] for row in rows]
    assert {len(row) for row in rows} == {5}


@pytest.mark.parametrize(
    ("kind", "question", "answer"),
    [
        ("markdown", "What is the default of CACHE_TTL?", "| `CACHE_TTL` | 300 | Seconds that answers are cached |"),
        ("markdown", "How do I roll back a release?", "kubectl rollout undo deployment/app"),
        ("dialogue", "When would the mobile router arrive?", "It would arrive tomorrow by noon."),
        ("code", "What happens if withdraw exceeds the balance?", "            raise InsufficientFunds("),
        ("code", "What does report sort by?", "    for account in sorted(accounts, key=lambda a: -a.balance):"),
    ],
)
def test_the_answer_is_kept(compressor: BeaverPromptCompressor, kind: str, question: str, answer: str) -> None:
    assert answer in kept(compressor, KINDS[kind][0], question, 100)


def test_code_parts_are_whole_lines_with_their_indentation(compressor: BeaverPromptCompressor) -> None:
    lines = set(CODE.split("\n"))
    for budget in range(20, 500, 37):
        assert set(kept(compressor, *KINDS["code"], budget).split("\n")) <= lines


@pytest.mark.parametrize("budget", [150, 200, 250, 350, 450])
def test_examples_are_kept_whole_where_one_fits(compressor: BeaverPromptCompressor, budget: int) -> None:
    text = kept(compressor, FEW_SHOT, QUESTION, budget)
    whole = [example for example in EXAMPLES if example in text]
    assert whole
    assert EXAMPLES[3] in text  # the one that is most alike
    rest = re.sub("|".join(map(re.escape, whole)), "", text).strip()
    assert len(rest.split("Question:")) - 1 <= 1  # one is torn at most


@pytest.mark.parametrize("budget", [60, 80, 100, 130, 160, 200])
@pytest.mark.parametrize(
    "question", ["How do I roll back a release?", "How do I start the server?", "What is CACHE_TTL?"]
)
def test_code_fences_are_closed_and_not_empty(compressor: BeaverPromptCompressor, question: str, budget: int) -> None:
    text = kept(compressor, MARKDOWN, question, budget)
    fences = [line for line in text.split("\n") if line.startswith("```")]
    assert fences[::2] == ["```bash"] * len(fences[::2])
    assert fences[1::2] == ["```"] * len(fences[::2])
    inside = "\n".join(re.findall(r"```bash\n(.*?)```", text, re.DOTALL))
    for line in text.split("\n"):
        if line.startswith(("export", "python manage", "kubectl")):
            assert line in inside


@pytest.mark.parametrize("budget", range(60, 250, 15))
@pytest.mark.parametrize("question", ["How do I roll back a release?", "How do I start the server?"])
def test_short_blocks_come_with_the_line_before_them(
    compressor: BeaverPromptCompressor, question: str, budget: int
) -> None:
    text = kept(compressor, MARKDOWN, question, budget)
    for lead, block in re.findall(r"(.*:)\n\n(```bash\n(?:.*\n)*?```)", MARKDOWN):
        assert (lead in text) == (block in text) == (f"{lead}\n\n{block}" in text)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("How do I roll back a release?", "go back to the one before"), ("How much memory is needed?", "4 GB")],
)
def test_headings_come_where_there_is_room_and_cost_no_answer(
    compressor: BeaverPromptCompressor, question: str, answer: str
) -> None:
    bare = re.sub(r"^#.*\n", "", MARKDOWN, flags=re.M)
    lines = headed = 0
    for budget in range(50, 250, 10):
        text = kept(compressor, MARKDOWN, question, budget)
        assert (answer in text) >= (answer in kept(compressor, bare, question, budget))
        heading = ""
        for line in filter(None, MARKDOWN.split("\n")):
            heading = line if line.startswith("#") else heading
            if line in text:
                lines, headed = lines + 1, headed + (heading in text)
    assert headed >= 0.6 * lines


@pytest.mark.parametrize("form", ["[10:{:02}] {}: {}", "10:{:02} <{}> {}", "{1} (10:{0:02}): {2}"])
def test_what_is_said_comes_with_who_says_it(compressor: BeaverPromptCompressor, form: str) -> None:
    said = [
        ("Ida", "Is the pump fixed yet? I need it for the lower field, the upper one has its own well. Please hurry."),
        ("Ole", "No. The seal is on order from Bergen and comes on Friday, or so the shop says. It costs 90 crowns."),
        (
            "Kim",
            "Ours is free. Fetch it after six, the key hangs behind the barn door. The dog bites.",
        ),
        (
            "Ida",
            "Thanks. I bring it back on Sunday with a full tank and a cake. Does your mother like plums?",
        ),
    ]
    lines = [form.format(minute, name, text) for minute, (name, text) in enumerate(said)]
    for question in ("Where is the key?", "When does the seal come?", "Does the dog bite?"):
        for budget in range(20, 160, 11):
            for line in kept(compressor, "\n".join(lines), question, budget).split("\n"):
                whole = [said for said in lines if said.startswith(line)]
                assert whole, line
                assert len(line) > len(form.format(10, "Ida", "")) + 1  # more than the name


def test_a_number_of_common_digits_is_found(compressor: BeaverPromptCompressor) -> None:
    """Each digit stands in most sentences and weighs next to nothing; their run is rare."""
    story = " ".join(f"In year {year} the fox had {year * 37 % 90 + 2} cubs." for year in range(1000, 3000))
    prepared = compressor.prepare(story)
    for year in range(1007, 3000, 199):
        result = compressor.compress(prepared, question=f"How many cubs were there in year {year}?", target_token=120)
        assert f"In year {year} " in result.compressed_context


@pytest.mark.parametrize("budget", [20, 26])
def test_of_a_short_line_the_sentence_that_answers_is_kept(compressor: BeaverPromptCompressor, budget: int) -> None:
    line = "The harbour was built in 1871. It has three stone piers. Ferries leave at 7:15 and 16:40 each day."
    assert "7:15" in kept(compressor, line, "When do ferries leave?", budget)
    line = "The observatory owns a refractor of 66 centimetres. The comet of 1910 was photographed by Ilse Varga."
    assert "Ilse Varga" in kept(compressor, line, "Who photographed the comet?", budget)


@pytest.mark.parametrize(
    "trace",
    [
        [
            "shop.RefusedException: the card of customer 88 is blocked",
            "Caused by: shop.ClosedException: bank is closed",
        ],
        ["Traceback (most recent call last):", "RefusedError: the card of customer 88 is blocked"],
    ],
)
def test_an_error_of_a_log_comes_with_its_cause(compressor: BeaverPromptCompressor, trace: list[str]) -> None:
    generator = random.Random(5)
    said = ["cache is warm", "mail is queued", "batch is settled", "session is open"]
    lines = [f"2024-05-31 {hour:02}:{hour * 7 % 60:02}:08,112 INFO {generator.choice(said)}" for hour in range(24)] * 4
    frames = [f"\tat shop.Order.step{step}(Order.java:{step * 11})" for step in range(12)]
    lines[40] = lines[40].replace("INFO", "ERROR").replace(lines[40][29:], "order 4711 was refused")
    error = lines[40]
    lines[41:41] = [trace[0], *frames[:6], trace[1], *frames[6:]]
    prepared = compressor.prepare("\n".join(lines))
    least = compressor.counter("\n".join([error, *trace]))
    for budget in range(least + 4, 500, 20):
        result = compressor.compress(
            prepared, question="Why was order 4711 refused?", target_token=budget, concate_question=False
        )
        kept = result.compressed_context.split("\n")
        assert [line for line in kept if line in (error, *trace)] == [error, *trace]
        assert set(kept) <= set(lines)
    for budget in range(2 * least, 500, 20):
        result = compressor.compress(prepared, question="Where is step9?", target_token=budget, concate_question=False)
        kept = result.compressed_context.split("\n")
        assert error in kept or not {*frames, *trace} & {*kept}
