"""What loaders of datasets share: what is asked of them, what they found, files at hand and on the hub."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter as Counted
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.baselines import Counter
from benchmarks.errors import UnavailableError
from benchmarks.samples import Sample

HUB_SECONDS = 10.0  # until it counts as out of reach

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

    def taken(self, samples: Iterable[Sample]) -> list[Sample]:
        """The share and number of `samples` that is asked for; of a share, all are read."""
        if self.fraction < 1:
            every = list(samples)
            count = int(-(-len(every) * self.fraction // 1))
            samples = [every[int(index * len(every) / count)] for index in range(count)]
        return list(islice(samples, self.limit))


@dataclass
class Data:
    """Samples by task, how many were left out, and why a task is missing."""

    files: dict[str, list[Sample]] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def add(self, label: str, samples: Iterable[Sample], wanted: Wanted) -> None:
        """As many of a task's samples as are asked for; those on the way that can't be scored are left out."""
        self.left_out[label] = 0
        seen: Counted[str] = Counted()

        def usable() -> Iterator[Sample]:
            for sample in samples:
                if not sample.references and not (wanted.readable and sample.answers):
                    self.left_out[label] += 1
                    continue
                seen[sample.id] += 1
                times = seen[sample.id]  # lines are known by their sample's name
                yield sample if times == 1 else replace(sample, id=f"{sample.id}#{times}")

        taken = wanted.taken(usable())
        if taken:
            self.files[label] = taken
        else:
            self.missing[label] = "no sample whose answer stands in its context"


def each(wanted: Wanted, data: Data, tasks: Sequence[str], read: Callable[[str], list[Sample]], prefix: str) -> None:
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


def hub_rows(repo: str, config: str | None, split: str) -> Rows:
    """Rows of a dataset on the hub."""
    with _hub(repo):
        from datasets import load_dataset  # type: ignore[import-untyped]

        return iter(load_dataset(repo, config, split=split))


def hub_file(repo: str, name: str) -> Path:
    """A file of a dataset on the hub, kept in the hub's cache."""
    with _hub(repo):
        from huggingface_hub import hf_hub_download

        return Path(hf_hub_download(repo, name, repo_type="dataset"))


def file_rows(path: Path) -> Rows:
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


def local(folder: Path, names: Sequence[str]) -> Path:
    """The first of these files that is anywhere under `folder`."""
    for name in names:
        for found in sorted(folder.rglob(name)):
            return found
    raise UnavailableError(f"{folder} has no {' nor '.join(names)}")
