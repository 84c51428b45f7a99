"""LongBench, ZeroSCROLLS and L-Eval, from the hub or from files as their owners publish them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.samples import Sample, references
from benchmarks.sets import Data, Wanted, each, file_rows, hub_file, hub_rows, local

HERE = Path(__file__).resolve().parent
LONGBENCH = "Xnhyacinth/LongBench"  # parquet mirror of THUDM/LongBench
SCROLLS = "tau/zero_scrolls"
LEVAL = "L4NLP/LEval"


def load_longbench(wanted: Wanted, data: Data, chinese: bool) -> None:
    """The 16 sets in English and code, or all 21."""
    tasks: dict[str, dict[str, Any]] = json.loads((HERE / "longbench.json").read_text(encoding="utf-8"))

    def read(task: str) -> list[Sample]:
        if wanted.folder:
            rows = file_rows(local(wanted.folder, [f"{task}.jsonl", f"{task}.parquet", f"{task}/test-*.parquet"]))
        else:
            rows = hub_rows(LONGBENCH, task, "test")
        return [_longbench_sample(task, tasks[task], row, place) for place, row in enumerate(rows)]

    each(wanted, data, [t for t, about in tasks.items() if chinese or not about.get("zh")], read, "longbench_")


def _longbench_sample(task: str, about: dict[str, Any], row: dict[str, Any], place: int) -> Sample:
    """A row of LongBench, or of the mirror, which has the prompt's parts around context and question."""
    before, rest = about["prompt"].split("{context}")
    between, _, after = rest.partition("{input}") if "{input}" in rest else (rest, "", "")
    context, question = row["context"], row.get("input", row.get("question", ""))
    if "input" not in row:
        context = _inner(context, before, between)
        question = _inner(question, between.rpartition("\n")[2], after)
    if "{input}" not in rest:  # what the template itself asks ranks the text
        question = rest.strip()
        between, _, after = rest.partition(question)
    answers = tuple(row["answers"])
    found = references({"context": context, "answers": answers})
    made = partial(Sample, str(row.get("_id", place)), context, question, found, "any", answers)
    return made(before, between, after, about["metric"], about["max_tokens"], tuple(row.get("all_classes") or ()))


def _inner(text: str, before: str, after: str) -> str:
    """`text` without what the template puts around it, which may be worded a little differently there."""
    head, tail = before[-8:], after.strip()[:12]
    start = text.find(head, 0, len(before) + 64) if head else -1
    text = text[start + len(head) :] if start >= 0 else text
    end = text.rfind(tail) if tail else -1
    return text[:end].rstrip() if end >= 0 else text.rstrip()


SCROLLS_TASKS: dict[str, tuple[int, str]] = {  # tokens of an answer, metric
    "gov_report": (1024, "rouge_geometric"),
    "summ_screen_fd": (512, "rouge_geometric"),
    "qmsum": (512, "rouge_geometric"),
    "squality": (512, "rouge_geometric"),
    "quality": (10, "choice"),
    "narrative_qa": (64, "qa_f1"),
    "qasper": (128, "qa_f1"),
    "musique": (32, "qa_f1"),
    "space_digest": (36, "exponential_similarity"),
    "book_sum_sort": (256, "concordance"),
}


def load_zeroscrolls(wanted: Wanted, data: Data) -> None:
    """The validation split of all ten tasks."""

    def read(task: str) -> list[Sample]:
        names = [f"{task}.zip", f"{task}/validation.jsonl", f"{task}.jsonl"]
        path = local(wanted.folder, names) if wanted.folder else hub_file(SCROLLS, f"{task}.zip")
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in file_rows(path):
            rows.setdefault(str(row["id"]), []).append(row)  # a row for each reference
        return [_scrolls_sample(task, name, found) for name, found in rows.items()]

    each(wanted, data, list(SCROLLS_TASKS), read, "zeroscrolls_")


def _scrolls_sample(task: str, name: str, rows: Sequence[dict[str, Any]]) -> Sample:
    row, text = rows[0], rows[0]["input"]
    start, end = row["document_start_index"], row["document_end_index"]
    asked, asked_end = row["query_start_index"], row["query_end_index"]
    if asked < end:  # summaries: the instruction before the document is all that is asked
        asked = asked_end = end
    tokens, metric = SCROLLS_TASKS[task]
    answers = tuple(dict.fromkeys(one["output"] for one in rows if one.get("output")))
    context, question = text[start:end], text[asked:asked_end]
    return Sample(
        name,
        context,
        question or text[:start].strip(),
        references({"context": context, "answers": answers}),
        "any",
        answers,
        text[:start],
        text[end:asked],
        text[asked_end:],
        metric,
        tokens,
    )


_ONE = (
    "Now you are given a very long document. Please follow the instruction based on this document. For multi-choice "
    "questions, there is only a sinlge correct option. Please only provide the letter corresponding to the answer "
    "(like A or B) when answering. For other questions, please directly give the concise and accurate answer. "
)
_SOME = (
    "Now you are given a very long document. Please follow the instruction based on this document. For multi-choice "
    "questions, there could be a sinlge correct option or multiple correct options. Please only provide the letter "
    "corresponding to the answer (like A or AB) when answering. "
)
_FICTION = (
    "Now you are given a scientific fiction. I will ask you some questions and the answer should be "
    '"True" or "False". Notice that you should answer the question based on the evidence in the document instead of '
    "your background knowledge."
)
_OPEN = (
    "Now you are given a very long document. Please follow the instruction after this document. These instructions may "
    "include summarizing a document, answering questions based on the document, or writing a required paragraph. "
)
LEVAL_TASKS: dict[str, tuple[str, str, str]] = {  # folder, metric, instruction
    "coursera": ("Closed-ended-tasks", "options", _SOME),
    "quality": ("Closed-ended-tasks", "choice", _ONE),
    "sci_fi": ("Closed-ended-tasks", "judgement", _FICTION),
    "tpo": ("Closed-ended-tasks", "choice", _ONE),
    "financial_qa": ("Open-ended-tasks", "qa_f1", _OPEN),
    "legal_contract_qa": ("Open-ended-tasks", "qa_f1", _OPEN),
}
LEVAL_TOKENS = 512


def load_leval(wanted: Wanted, data: Data) -> None:
    """The six sets of the paper, a sample for each question of a document."""

    def read(task: str) -> list[Sample]:
        where = f"LEval/{LEVAL_TASKS[task][0]}/{task}.jsonl"
        path = local(wanted.folder, [f"{task}.jsonl"]) if wanted.folder else hub_file(LEVAL, where)
        return [
            _leval_sample(task, f"{document}-{place}", row["input"], *asked)
            for document, row in enumerate(file_rows(path))
            for place, asked in enumerate(zip(row["instructions"], row["outputs"], strict=True))
        ]

    each(wanted, data, list(LEVAL_TASKS), read, "leval_")


def _leval_sample(task: str, name: str, context: str, question: str, answer: str) -> Sample:
    kind, metric, instruction = LEVAL_TASKS[task]
    after = " \nPlease directly give answer without any additional output or explanation\n Answer: "
    if kind.startswith("Open"):
        after = f" The suggested output length is around {len(answer.split())} words. Output: "
    return Sample(
        name,
        context,
        question,
        references({"context": context, "answers": [answer]}) if metric == "qa_f1" else (),
        "any",
        (answer,),
        f"{instruction}\n\nDocument is as follows. ",
        " Instruction: " if kind.startswith("Open") else " Question: ",
        after,
        metric,
        LEVAL_TOKENS,
    )
