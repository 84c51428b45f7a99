"""Datasets from local files of the shapes that their owners publish, and what is said where the hub is out of reach."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from counters import Words
from test_samples import row, write

from benchmarks import generated_sets, public_sets
from benchmarks.data import load
from benchmarks.sets import Data, Wanted

STORY = "Ann lived in Oslo. She had a cat. Bob lived in Rome."


def wanted(**changes: Any) -> Wanted:
    return Wanted(**{"counter": Words(), "readable": True, **changes})


def longbench_row(**changes: Any) -> dict[str, Any]:
    shared = {"context": STORY, "input": "Where did Ann live?", "answers": ["Oslo"], "all_classes": None, "_id": "a"}
    return shared | changes


def official(task: str) -> str:
    tasks: dict[str, dict[str, str]] = json.loads((public_sets.HERE / "longbench.json").read_text(encoding="utf-8"))
    return tasks[task]["prompt"]


def test_longbench_prompts_are_the_official_ones(tmp_path: Path) -> None:
    for task in json.loads((public_sets.HERE / "longbench.json").read_text(encoding="utf-8")):
        write(tmp_path / f"{task}.jsonl", [longbench_row()])
    found = load(["longbench21"], wanted(folder=tmp_path))
    assert not found.missing
    assert len(found.files) == 21
    for label, [sample] in found.files.items():
        prompt = official(label.removeprefix("longbench_"))
        assert sample.prompt(STORY) == prompt.replace("{context}", STORY).replace("{input}", "Where did Ann live?")
    assert len(load(["longbench"], wanted(folder=tmp_path)).files) == 16
    [sample] = found.files["longbench_hotpotqa"]
    assert (sample.id, sample.references, sample.metric, sample.max_tokens) == ("a", ("Oslo",), "qa_f1", 32)
    [sample] = found.files["longbench_gov_report"]
    assert sample.question == "Now, write a one-page summary of the report.\n\nSummary:"


@pytest.mark.parametrize("task", ["narrativeqa", "hotpotqa", "passage_retrieval_en", "dureader"])
def test_longbench_mirror_loses_its_wrapping(task: str, tmp_path: Path) -> None:
    before, rest = official(task).split("{context}")
    between, after = rest.split("{input}")
    asked, _, lead = between.rpartition("\n")[0], None, between.rpartition("\n")[2]
    reworded = before.replace("as concisely", "asconcisely")  # as the mirror has it
    rows = [
        {
            "context": f"{reworded}{STORY}{asked}\n",
            "question": f"{lead}Where did Ann live?{after.rpartition(chr(10))[0]}\n",
            "answer_prefix": after.rpartition("\n")[2],
            "answers": ["Oslo"],
            "all_classes": [],
            "max_new_tokens": 999,
        }
    ]
    write(tmp_path / f"{task}.jsonl", rows)
    [sample] = load(["longbench21"], wanted(folder=tmp_path)).files[f"longbench_{task}"]
    assert (sample.context, sample.question) == (STORY, "Where did Ann live?")
    assert sample.max_tokens < 999


def test_longbench_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "trec"
    folder.mkdir()
    table = pyarrow.Table.from_pylist([longbench_row(answers=["Place"], all_classes=["Place", "Date"])])
    parquet.write_table(table, folder / "test-00000-of-00001.parquet")
    found = load(["longbench"], wanted(folder=tmp_path))
    [sample] = found.files["longbench_trec"]
    assert sample.classes == ("Place", "Date")
    assert found.missing["longbench_lcc"].startswith(f"{tmp_path} has no lcc.jsonl nor lcc.parquet")


def test_zeroscrolls_rows_of_one_sample_are_its_references(tmp_path: Path) -> None:
    head, tail = "You are given a story.\n\nStory:\n", "\n\nQuestion:\nWhere did Ann live?\n\nAnswer:\n"
    text = head + STORY + tail
    asked = text.index("Question:\n")
    shared = {
        "id": "q",
        "input": text,
        "document_start_index": len(head),
        "document_end_index": len(head) + len(STORY),
        "query_start_index": asked,
        "query_end_index": text.index("\n\nAnswer"),
    }
    lines = "".join(json.dumps({**shared, "output": output}) + "\n" for output in ("Oslo", "in Oslo", "Oslo"))
    with zipfile.ZipFile(tmp_path / "qasper.zip", "w") as packed:
        packed.writestr("qasper/validation.jsonl", lines)
        packed.writestr("qasper/test.jsonl", '{"id": "hidden"}\n')
    found = load(["zeroscrolls"], wanted(folder=tmp_path))
    [sample] = found.files["zeroscrolls_qasper"]
    assert (sample.context, sample.answers) == (STORY, ("Oslo", "in Oslo"))
    assert sample.question == "Question:\nWhere did Ann live?"
    assert sample.prompt(STORY) == text
    assert len(found.missing) == 9


def test_zeroscrolls_summaries_are_ranked_by_their_instruction(tmp_path: Path) -> None:
    head = "You are given a report. Write a summary.\n\nReport:\n"
    text = f"{head}{STORY}\n\nSummary:\n"
    places = {"document_start_index": len(head), "document_end_index": len(head) + len(STORY)}
    line = {"id": 1, "input": text, "output": "Two people.", **places, "query_start_index": 0, "query_end_index": 9}
    write(tmp_path / "gov_report.jsonl", [line])
    [sample] = load(["zeroscrolls"], wanted(folder=tmp_path)).files["zeroscrolls_gov_report"]
    assert sample.question == head.strip()
    assert sample.context == STORY


def test_leval_is_flattened(tmp_path: Path) -> None:
    pairs = {"instructions": ["Where?\nA. Oslo\nB. Rome", "Who?\nA. Ann\nB. Bob"], "outputs": ["A", "AB"]}
    write(tmp_path / "coursera.jsonl", [{"input": STORY, **pairs, "source": "s", "evaluation": "exam"}])
    asked = {"instructions": ["Where did Ann live?"], "outputs": ["Ann lived in Oslo."]}
    write(tmp_path / "financial_qa.jsonl", [{"input": STORY, **asked, "source": "s", "evaluation": "f1"}])
    found = load(["leval"], wanted(folder=tmp_path))
    first, second = found.files["leval_coursera"]
    assert (first.id, second.id, second.answers, first.metric) == ("0-0", "0-1", ("AB",), "options")
    assert first.prompt("...").endswith(
        "Document is as follows. ... Question: Where?\nA. Oslo\nB. Rome \nPlease directly give answer without any "
        "additional output or explanation\n Answer: "
    )
    [sample] = found.files["leval_financial_qa"]
    assert sample.after == " The suggested output length is around 4 words. Output: "
    assert sample.references == ("Ann lived in Oslo.",)
    assert not load(["leval"], wanted(folder=tmp_path, readable=False)).files.get("leval_coursera")


SQUAD = {
    "data": [
        {
            "title": title,
            "paragraphs": [
                {
                    "context": f"{title} paragraph {n} says {n}.",
                    "qas": [
                        {"question": f"What says {title} {n}?", "answers": [{"text": f"{n}"}]},
                        {"question": "Nothing?", "answers": []},
                    ],
                }
                for n in range(3)
            ],
        }
        for title in ("Oslo", "Rome")
    ]
}
HOTPOT = [
    {"question": f"Who {n}?", "answer": f"name {n}", "context": [[f"T{n}", [f"name {n}. ", "Yes."]], ["U", ["No."]]]}
    for n in range(30)
]


def test_ruler_with_questions_and_essays(tmp_path: Path) -> None:
    (tmp_path / "squad.json").write_text(json.dumps(SQUAD))
    (tmp_path / "hotpotqa.json").write_text(json.dumps(HOTPOT))
    (tmp_path / "one.md").write_text("An essay stands here. " * 30)
    found = load(["ruler"], wanted(folder=tmp_path, essays=str(tmp_path), length=600, limit=2))
    assert not found.missing
    assert len(found.files) == 13
    assert {len(samples) for samples in found.files.values()} == {2}
    assert "An essay stands here." in found.files["ruler_niah_single_2"][0].context
    assert found.files["ruler_qa_1"][0].context.startswith("Document 1:\n")
    assert found.files["ruler_qa_2"][0].context.count("\nU\nNo.") == 1


def test_ruler_says_what_it_needs(tmp_path: Path) -> None:
    found = load(["ruler"], wanted(folder=tmp_path, length=600, limit=1))
    assert found.missing == {
        "ruler_qa_1": f"{tmp_path} has no squad.json",
        "ruler_qa_2": f"{tmp_path} has no hotpotqa.json",
    }
    with pytest.raises(FileNotFoundError, match=r"no \*.txt or \*.md in"):
        load(["ruler"], wanted(essays=str(tmp_path)))


def test_needles_at_every_depth_and_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated_sets, "NEEDLE_LENGTHS", (1024, 2048))
    found = load(["needle"], wanted())
    assert list(found.files)[:2] == ["needle 1k 0%", "needle 1k 10%"]
    assert len(found.files) == 22


@pytest.mark.parametrize("name", ["longbench", "zeroscrolls", "leval"])
def test_a_hub_out_of_reach_is_one_line_for_all_tasks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    asked = []

    def unreachable(self: object, repo: str, **options: Any) -> None:
        asked.append(repo)
        raise ConnectionError("Name or service not known\nand much more")

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", unreachable)
    found = load([name], wanted())
    assert not found.files
    assert len(asked) == 1
    [reason] = set(found.missing.values())
    assert reason == (
        f"{asked[0]} can't be had from the hub (ConnectionError: Name or service not known); give --data FOLDER"
    )


def test_the_hub_offline_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda *a, **k: pytest.fail("asked"))
    assert "can't be had from the hub" in load(["zeroscrolls"], wanted()).missing["zeroscrolls_qasper"]


def test_fractions_are_spread_and_limits_come_after(tmp_path: Path) -> None:
    write(tmp_path / "some.jsonl", [row(id=n) for n in range(10)])
    for changes, ids in (
        ({"fraction": 0.5}, "02468"),
        ({"fraction": 0.25}, "036"),
        ({"fraction": 0.5, "limit": 2}, "02"),
        ({"limit": 3}, "012"),
        ({}, "0123456789"),
    ):
        found = load([str(tmp_path)], wanted(**changes)).files["some"]
        assert "".join(sample.id for sample in found) == ids


def test_what_can_not_be_scored_is_left_out_and_counted_on_the_way(tmp_path: Path) -> None:
    rows = [row(answers=["hens"]), row(id=1), row(answers=[]), row(id=2), row(answers=["hens"]), row(id=3)]
    file = write(tmp_path / "some.jsonl", rows)
    for changes, ids, left_out in (
        ({"readable": False}, "123", 3),
        ({"readable": False, "limit": 2}, "12", 2),
        ({"readable": False, "limit": 2, "fraction": 0.5}, "12", 3),
        ({"limit": 2}, "71", 0),
    ):
        found = load([str(file)], wanted(**changes))
        assert "".join(sample.id for sample in found.files["some"]) == ids
        assert found.left_out == {"some": left_out}
    file.write_text(f"{file.read_text()}no sample\n")
    assert load([str(file)], wanted(limit=3)).files


def test_samples_of_one_name_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path / "some.jsonl", [row(), row(question="Other?"), row(id=8), row()])
    found = load([str(tmp_path / "some.jsonl")], wanted()).files["some"]
    assert [sample.id for sample in found] == ["7", "7#2", "8", "7#3"]


def test_a_task_without_a_usable_sample_is_named() -> None:
    found = Data()
    found.add("empty", [], wanted())
    assert found.missing == {"empty": "no sample whose answer stands in its context"}
