"""The datasets of the tables by name; any other name is a sample file, or a folder of them.

What a set needs comes from the Hugging Face Hub, or from `--data FOLDER` with the same files.  A set, or a task of it,
that can't be had is named with the reason, and the others go on.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter as Counted
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import ruler
from benchmarks.baselines import Counter
from benchmarks.errors import UnavailableError
from benchmarks.samples import Sample, file_label, read_samples, references, sample_files

HERE = Path(__file__).resolve().parent
TEXT_SUFFIXES = (".txt", ".md")
ESSAYS = "sgoel9/paul_graham_essays"
LEVAL = "L4NLP/LEval"
SCROLLS = "tau/zero_scrolls"
HUB_SECONDS = 10.0  # until it counts as out of reach
RULER_SAMPLES = 100  # of a task, as in the paper
NEEDLE_LENGTHS = tuple(1024 * k for k in (4, 8, 16, 32, 64))
NEEDLE_DEPTHS = tuple(step / 10 for step in range(11))
LONGBENCH = "Xnhyacinth/LongBench"  # parquet mirror of THUDM/LongBench

Rows = Iterator[dict[str, Any]]


@dataclass(frozen=True)
class Wanted:
    """What is asked of a dataset.

    Attributes:
        folder: files in the place of the hub's.
        essays: folder of texts that RULER's essay haystacks are made of; "hub" fetches Paul Graham's, "" has none.
        limit: samples of each task.
        fraction: of each task, evenly spaced.
        readable: whether a reader can be scored on samples whose answer stands nowhere in the context.
    """

    counter: Counter
    folder: Path | None = None
    essays: str = ""
    limit: int | None = None
    fraction: float = 1.0
    length: int = 16_384
    seed: int = 42
    readable: bool = False

    def taken(self, samples: Sequence[Sample]) -> list[Sample]:
        """The share and number of `samples` that is asked for."""
        count = -(-len(samples) * self.fraction // 1)
        step = len(samples) / count if count else 1
        return [samples[int(index * step)] for index in range(int(count))][: self.limit]


@dataclass
class Data:
    """Samples by task, how many were left out, and why a task is missing."""

    files: dict[str, list[Sample]] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def add(self, label: str, samples: Sequence[Sample], wanted: Wanted) -> None:
        """A task's samples, those left out that can't be scored."""
        usable = [sample for sample in samples if sample.references or (wanted.readable and sample.answers)]
        self.left_out[label] = len(samples) - len(usable)
        seen: Counted[str] = Counted()
        for place, sample in enumerate(usable):
            seen[sample.id] += 1
            if seen[sample.id] > 1:  # lines are known by their sample's name
                usable[place] = replace(sample, id=f"{sample.id}#{seen[sample.id]}")
        if usable:
            self.files[label] = wanted.taken(usable)
        else:
            self.missing[label] = "no sample whose answer stands in its context"


Loader = Callable[[Wanted, Data], None]


def load(names: Sequence[str], wanted: Wanted) -> Data:
    """The datasets and files of these names.

    Raises
    ------
    FileNotFoundError: a name that is neither a dataset nor a file or folder.
    """
    data = Data()
    for name in names:
        if name in DATASETS:
            DATASETS[name](wanted, data)
            continue
        for path in sample_files([name]):
            limit = wanted.limit if wanted.fraction == 1 else None
            samples, left_out = read_samples(path, limit, wanted.readable)
            data.add(file_label(path), samples, wanted)
            data.left_out[file_label(path)] = left_out
    return data


def _each(wanted: Wanted, data: Data, tasks: Sequence[str], read: Callable[[str], list[Sample]], prefix: str) -> None:
    """Every task of a set; where the hub can't be reached the others need not try."""
    for place, task in enumerate(tasks):
        reason = _added(wanted, data, f"{prefix}{task}", partial(read, task))
        if reason and not wanted.folder:
            data.missing |= {f"{prefix}{name}": reason for name in tasks[place:]}
            return


def _added(wanted: Wanted, data: Data, label: str, read: Callable[[], list[Sample]]) -> str:
    """Add a task; why it is missing, if it is."""
    try:
        data.add(label, read(), wanted)
    except UnavailableError as error:
        data.missing[label] = str(error)
        return str(error)
    return ""


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200] if lines else ''}"


@contextmanager
def _hub(repo: str) -> Iterator[None]:
    """Turns what goes wrong on the hub into one line; asks first, as the hub's own retries take minutes."""
    try:
        from huggingface_hub import HfApi, constants
        from huggingface_hub.utils import logging

        logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        if not constants.HF_HUB_OFFLINE:
            HfApi().dataset_info(repo, timeout=HUB_SECONDS)
        yield
    except Exception as error:  # the hub's libraries raise errors of four families
        raise UnavailableError(f"{repo} can't be had from the hub ({_reason(error)}); give --data FOLDER") from error


def _hub_rows(repo: str, config: str | None, split: str) -> Rows:
    """Rows of a dataset on the hub."""
    with _hub(repo):
        from datasets import load_dataset  # type: ignore[import-untyped]

        return iter(load_dataset(repo, config, split=split))


def _hub_file(repo: str, name: str) -> Path:
    """A file of a dataset on the hub, kept in the hub's cache."""
    with _hub(repo):
        from huggingface_hub import hf_hub_download

        return Path(hf_hub_download(repo, name, repo_type="dataset"))


def _file_rows(path: Path) -> Rows:
    """Rows of a JSON-lines, zipped JSON-lines or parquet file."""
    if path.suffix == ".parquet":
        import pyarrow.parquet  # type: ignore[import-untyped]

        yield from pyarrow.parquet.read_table(path).to_pylist()
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path) as packed:
            for name in (one for one in packed.namelist() if one.endswith("validation.jsonl")):
                with packed.open(name) as lines:
                    yield from map(json.loads, io.TextIOWrapper(lines, encoding="utf-8"))
    else:
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def _local(folder: Path, names: Sequence[str]) -> Path:
    """The first of these files that is anywhere under `folder`."""
    for name in names:
        for found in sorted(folder.rglob(name)):
            return found
    raise UnavailableError(f"{folder} has no {' nor '.join(names)}")


# RULER


def _ruler(wanted: Wanted, data: Data) -> None:
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


def _needle(wanted: Wanted, data: Data) -> None:
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
        return [word for row in _hub_rows(ESSAYS, None, "train") for word in row["text"].split()]
    texts = sorted(path for path in Path(wanted.essays).rglob("*") if path.suffix in TEXT_SUFFIXES)
    if not texts:
        raise FileNotFoundError(f"no *.txt or *.md in {wanted.essays!r} for the essay haystack")
    return [word for path in texts for word in path.read_text(encoding="utf-8").split()]


def _passages(wanted: Wanted, task: str) -> tuple[list[str], list[ruler.Question]]:
    """Documents and questions of SQuAD or HotpotQA, from the hub or the files that RULER's own script fetches."""
    if task == "qa_1":
        rows = _squad_file(_local(wanted.folder, ["squad.json"])) if wanted.folder else None
        return _squad(rows or _hub_rows("rajpurkar/squad_v2", None, "validation"))
    if wanted.folder:
        with _local(wanted.folder, ["hotpotqa.json"]).open(encoding="utf-8") as file:
            return _hotpot(iter(json.load(file)))
    return _hotpot(_hub_rows("hotpotqa/hotpot_qa", "distractor", "validation"))


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


# LongBench


def _longbench(wanted: Wanted, data: Data, chinese: bool) -> None:
    tasks: dict[str, dict[str, Any]] = json.loads((HERE / "longbench.json").read_text(encoding="utf-8"))

    def read(task: str) -> list[Sample]:
        if wanted.folder:
            rows = _file_rows(_local(wanted.folder, [f"{task}.jsonl", f"{task}.parquet", f"{task}/test-*.parquet"]))
        else:
            rows = _hub_rows(LONGBENCH, task, "test")
        return [_longbench_sample(task, tasks[task], row, place) for place, row in enumerate(rows)]

    _each(wanted, data, [t for t, about in tasks.items() if chinese or not about.get("zh")], read, "longbench_")


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


# ZeroSCROLLS

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


def _zeroscrolls(wanted: Wanted, data: Data) -> None:
    def read(task: str) -> list[Sample]:
        names = [f"{task}.zip", f"{task}/validation.jsonl", f"{task}.jsonl"]
        path = _local(wanted.folder, names) if wanted.folder else _hub_file(SCROLLS, f"{task}.zip")
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in _file_rows(path):
            rows.setdefault(str(row["id"]), []).append(row)  # a row for each reference
        return [_scrolls_sample(task, name, found) for name, found in rows.items()]

    _each(wanted, data, list(SCROLLS_TASKS), read, "zeroscrolls_")


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


# L-Eval

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


def _leval(wanted: Wanted, data: Data) -> None:
    def read(task: str) -> list[Sample]:
        where = f"LEval/{LEVAL_TASKS[task][0]}/{task}.jsonl"
        path = _local(wanted.folder, [f"{task}.jsonl"]) if wanted.folder else _hub_file(LEVAL, where)
        return [
            _leval_sample(task, f"{document}-{place}", row["input"], *asked)
            for document, row in enumerate(_file_rows(path))
            for place, asked in enumerate(zip(row["instructions"], row["outputs"], strict=True))
        ]

    _each(wanted, data, list(LEVAL_TASKS), read, "leval_")


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


DATASETS: dict[str, Loader] = {
    "ruler": _ruler,
    "needle": _needle,
    "longbench": partial(_longbench, chinese=False),
    "longbench21": partial(_longbench, chinese=True),
    "zeroscrolls": _zeroscrolls,
    "leval": _leval,
}
