"""RULER and the needle by depth and length, with essays and passages from a folder or the hub."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import ruler
from benchmarks.errors import UnavailableError
from benchmarks.sets import Data, Rows, Wanted, hub_rows, local

TEXT_SUFFIXES = (".txt", ".md")
ESSAYS = "sgoel9/paul_graham_essays"
RULER_SAMPLES = 100  # of a task, as in the paper
NEEDLE_LENGTHS = tuple(1024 * k for k in (4, 8, 16, 32, 64))
NEEDLE_DEPTHS = tuple(step / 10 for step in range(11))


def load_ruler(wanted: Wanted, data: Data) -> None:
    """RULER's tasks, those that need passages where they can be had."""
    material = ruler.Material(essay=_essay(wanted))
    count = max(1, round((RULER_SAMPLES if wanted.limit is None else wanted.limit) * wanted.fraction))
    for task, made in ruler.TASKS.items():
        label = f"ruler_{task}"
        try:
            if made.needs:
                documents, questions = _passages(wanted, task)
                material.passages[task], material.questions[task] = documents, questions
            data.files[label] = ruler.generate(task, made, wanted.length, count, wanted.counter, material, wanted.seed)
        except (UnavailableError, ValueError) as error:
            data.missing[label] = str(error)


def load_needle(wanted: Wanted, data: Data) -> None:
    """One needle at eleven depths of five lengths; `limit` samples of each."""
    material = ruler.Material(essay=_essay(wanted))
    for length in NEEDLE_LENGTHS:
        for depth in NEEDLE_DEPTHS:
            label = f"needle {length // 1024}k {depth:.0%}"
            made = ruler.needle_at(depth)
            data.files[label] = ruler.generate(
                label, made, length, wanted.limit or 1, wanted.counter, material, wanted.seed
            )


def _essay(wanted: Wanted) -> list[str]:
    """Words of the essay haystack; none where there is no essay."""
    if not wanted.essays:
        return []
    if wanted.essays == "hub":
        return [word for row in hub_rows(ESSAYS, None, "train") for word in row["text"].split()]
    texts = sorted(path for path in Path(wanted.essays).rglob("*") if path.suffix in TEXT_SUFFIXES)
    if not texts:
        raise FileNotFoundError(f"no *.txt or *.md in {wanted.essays!r} for the essay haystack")
    return [word for path in texts for word in path.read_text(encoding="utf-8").split()]


def _passages(wanted: Wanted, task: str) -> tuple[list[str], list[ruler.Question]]:
    """Documents and questions of SQuAD or HotpotQA, from the hub or the files that RULER's own script fetches."""
    if task == "qa_1":
        rows = _squad_file(local(wanted.folder, ["squad.json"])) if wanted.folder else None
        return _squad(rows or hub_rows("rajpurkar/squad_v2", None, "validation"))
    if wanted.folder:
        with local(wanted.folder, ["hotpotqa.json"]).open(encoding="utf-8") as file:
            return _hotpot(iter(json.load(file)))
    return _hotpot(hub_rows("hotpotqa/hotpot_qa", "distractor", "validation"))


def _squad_file(path: Path) -> Rows:
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                answers = {"text": [answer["text"] for answer in asked["answers"]]}
                yield {"title": article["title"], "context": paragraph["context"], "answers": answers} | {
                    "question": asked["question"]
                }


def _squad(rows: Rows) -> tuple[list[str], list[ruler.Question]]:
    found = list(rows)
    documents = sorted({row["context"] for row in found})
    place = {text: index for index, text in enumerate(documents)}
    titles: dict[str, set[int]] = {}
    for row in found:
        titles.setdefault(row["title"], set()).add(place[row["context"]])
    return documents, [
        ruler.Question(
            row["question"], tuple(row["answers"]["text"]), (own,), tuple(sorted(titles[row["title"]] - {own}))
        )
        for row in found
        if row["answers"]["text"]
        for own in [place[row["context"]]]
    ]


def _hotpot(rows: Rows) -> tuple[list[str], list[ruler.Question]]:
    asked = []
    for row in rows:
        shown = row["context"]
        pairs = zip(shown["title"], shown["sentences"], strict=True) if isinstance(shown, dict) else shown
        asked.append((row["question"], row["answer"], [f"{title}\n{''.join(lines)}" for title, lines in pairs]))
    documents = sorted({text for _, _, texts in asked for text in texts})
    place = {text: index for index, text in enumerate(documents)}
    return documents, [
        ruler.Question(question, (answer,), tuple(place[text] for text in texts)) for question, answer, texts in asked
    ]
