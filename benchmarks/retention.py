"""Answer retention: the share of reference answers that stand verbatim in the compressed context.

    python benchmarks/retention.py DATA... --budgets 500,1000,3000 [--limit N] [--methods beaver,bm25]

DATA are sample files or folders of them; `benchmarks/samples.py` says what they hold and when an answer
counts as retained.  Retention is a ceiling for any reader.  Each method compresses the context alone (the
question ranks, and is not printed) under the same counter and budget, and what it returns is counted anew.
Intervals are 95 % bootstrap intervals over samples; the mean row weighs each file the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

# Run as a script, it finds `benchmarks` and a package that isn't installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import baselines
from benchmarks.reporting import environment, markdown_row
from benchmarks.samples import Sample, file_label, read_samples, sample_files

DRAWS = 2000  # bootstrap resamples
SEED = 42
INTERVAL = (2.5, 97.5)  # percentiles of a 95 % interval
PACKAGES = (
    "beaver-compat",
    "wordllama",
    "numpy",
    "torch",
    "tokenizers",
    "fastokens",
    "tiktoken",
    "bm25s",
    "sentence-transformers",
)

Floats = npt.NDArray[np.float64]


class TableCounter:
    """Tokens of the default embedding table's tokenizer, by the tokenizers library itself."""

    def __init__(self) -> None:
        from beaver_compat.embeddings import load_table

        self._tokenizer = load_table().tokenizer
        self._tokenizer.encode_special_tokens = True  # as the ordinary text they are

    def __call__(self, text: str) -> int:
        return int(self.count_many([text])[0])

    def count_many(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The number of tokens of each text, int64 `[n]`."""
        found = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return np.array([len(encoding) for encoding in found], dtype=np.int64)


@dataclass(frozen=True)
class Setup:
    """What methods are built from."""

    counter: baselines.Counter
    counter_name: str  # as `BeaverPromptCompressor` takes it
    cache: Path | None  # of sentence embeddings


Builder = Callable[[Setup], baselines.Method]


@dataclass(frozen=True)
class Cell:
    """One method on one file under one budget."""

    retention: Floats  # [samples], in [0, 1]
    tokens: Floats  # [samples], kept
    milliseconds: Floats  # [samples]
    violations: int  # samples over the budget


Cells = Mapping[tuple[str, str, int], Cell]  # by file, method and budget


def beaver(paper: bool = False, **changes: Any) -> Builder:
    """A row of the compressor in its default configuration (or the paper's) with some fields changed."""

    def build(setup: Setup) -> baselines.Method:
        from beaver_compat import BeaverConfig, BeaverPromptCompressor

        config = replace(BeaverConfig.paper() if paper else BeaverConfig(), **changes)
        compressor = BeaverPromptCompressor(config=config, token_counter=setup.counter_name)

        def compress(sample: Sample, budget: int) -> baselines.Outcome:
            started = perf_counter()
            result = compressor.compress(
                sample.context, question=sample.question, target_token=budget, concate_question=False
            )
            return baselines.Outcome(result.compressed_prompt, baselines.MS * (perf_counter() - started))

        return lambda sample, budgets: [compress(sample, budget) for budget in budgets]

    return build


def bm25(packed: bool) -> Builder:
    """A row of BM25 over packed sentences or single ones."""
    return lambda setup: baselines.ranked(baselines.bm25, setup.counter, packed)


def minilm(packed: bool) -> Builder:
    """A row of MiniLM sentence embeddings over packed sentences or single ones."""
    return lambda setup: baselines.ranked(baselines.MiniLM(setup.cache), setup.counter, packed)


METHODS: dict[str, Builder] = {
    "beaver": beaver(),
    "paper": beaver(paper=True),
    "bm25": bm25(packed=True),
    "bm25-sentences": bm25(packed=False),
    "minilm": minilm(packed=True),
    "minilm-sentences": minilm(packed=False),
    "head": lambda setup: baselines.head(setup.counter),
}
# What --ablations adds: the default with one choice taken back, and the rows of the paper's ablation table.
ABLATIONS: dict[str, Builder] = {
    "max pooling too (gamma 0.7)": beaver(pooling_weight=0.7),
    "ITF in pooling too": beaver(itf="all"),
    "no ITF": beaver(itf="none"),
    "late interaction, Eq. 6": beaver(late_interaction=True),
    "overlap, Eq. 7": beaver(lexical_score="overlap", phrase_weight=0.0),
    "no phrases": beaver(phrase_weight=0.0),
    "lambda 0.7": beaver(semantic_weight=0.7),
    "meaning only": beaver(semantic_weight=1.0),
    "words only": beaver(semantic_weight=0.0),
    "no neighbours": beaver(neighbor_weight=0.0),
    "whole pages": beaver(sentence_weight=0.0),
    "repeats like the rest": beaver(repeats_last=False),
    "anchors and flow first": beaver(prior_share=1.0),
    "flash only": beaver(selection=("flash",)),
    "flow only": beaver(selection=("flow",), prior_share=1.0, flow_window=1_000_000),
    "anchors only": beaver(selection=("anchor",), prior_share=1.0, anchor_pages=1_000_000),
    "no smoothing": beaver(sentence_smoothing=False),
    "pages of 32 tokens": beaver(page_size=32),
    "pages of 128 tokens": beaver(page_size=128),
}


def measure(
    files: Mapping[str, Sequence[Sample]],
    methods: Mapping[str, Builder],
    budgets: Sequence[int],
    setup: Setup,
) -> Cells:
    """Every method on every sample under every budget."""
    cells = {}
    for name, build in methods.items():
        method = build(setup)
        for label, samples in files.items():
            print(f"{name}: {label}, {len(samples)} samples", file=sys.stderr, flush=True)
            outcomes = [method(sample, budgets) for sample in samples]
            for budget, kept in zip(budgets, zip(*outcomes, strict=True), strict=True):
                cells[label, name, budget] = _cell(samples, kept, budget, setup.counter)
    return cells


def _cell(
    samples: Sequence[Sample], kept: Sequence[baselines.Outcome], budget: int, counter: baselines.Counter
) -> Cell:
    tokens = counter.count_many([outcome.text for outcome in kept])
    return Cell(
        retention=np.array([s.retention(outcome.text) for s, outcome in zip(samples, kept, strict=True)]),
        tokens=tokens.astype(np.float64),
        milliseconds=np.array([outcome.milliseconds for outcome in kept]),
        violations=int((tokens > budget).sum()),
    )


def bootstrap(values: Floats) -> Floats:
    """Means of `DRAWS` resamples of `values` `[n]`, always the same ones."""
    picks = np.random.default_rng(SEED).integers(0, len(values), (DRAWS, len(values)))
    means: Floats = values[picks].mean(axis=1)
    return means


def summary(cells: Sequence[Cell]) -> dict[str, float | int]:
    """Of one file or the mean of several: retention (%) with its interval, tokens, median ms, violations."""
    low, high = np.percentile(100 * np.mean([bootstrap(cell.retention) for cell in cells], axis=0), INTERVAL)
    return {
        "retention": round(100 * float(np.mean([cell.retention.mean() for cell in cells])), 2),
        "low": round(float(low), 2),
        "high": round(float(high), 2),
        "tokens": round(float(np.mean([cell.tokens.mean() for cell in cells])), 1),
        "milliseconds": round(float(np.mean([np.median(cell.milliseconds) for cell in cells])), 2),
        "violations": sum(cell.violations for cell in cells),
        "samples": sum(len(cell.retention) for cell in cells),
    }


def markdown(cells: Cells, labels: Sequence[str], methods: Sequence[str], budgets: Sequence[int]) -> str:
    """One table per budget: files down, methods across, then the mean and what each method took."""
    lines: list[str] = []
    for budget in budgets:
        lines += [f"### Retention (%), {budget} tokens", "", markdown_row(["file", *methods])]
        lines.append(markdown_row(["---"] * (1 + len(methods))))
        for label in labels:
            lines.append(markdown_row([label, *(_interval(summary([cells[label, m, budget]])) for m in methods)]))
        means = [summary([cells[label, m, budget] for label in labels]) for m in methods]
        lines.append(markdown_row(["**mean**", *map(_interval, means)]))
        lines.append(markdown_row(["tokens kept", *(f"{mean['tokens']:.0f}" for mean in means)]))
        lines.append(markdown_row(["samples over budget", *(str(mean["violations"]) for mean in means)]))
        lines += [markdown_row(["ms a sample", *(f"{mean['milliseconds']:.1f}" for mean in means)]), ""]
    return "\n".join(lines)


def _interval(found: Mapping[str, float | int]) -> str:
    return f"{found['retention']:.1f} ({found['low']:.0f}-{found['high']:.0f})"


def make_setup(counter_name: str, cache: Path | None) -> Setup:
    """The counter by its name: "table", or a tiktoken model or encoding."""
    table = TableCounter()
    if counter_name == "table":
        return Setup(table, counter_name, cache)
    from beaver_compat.counting import make_counter

    return Setup(make_counter(counter_name, table), counter_name, cache)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description="Answer retention per file and budget.")
    made.add_argument("data", nargs="+", help="sample files (*.jsonl, *.jsonl.gz) or folders of them")
    made.add_argument("--budgets", default="500,1000,3000", help="tokens, comma-separated")
    made.add_argument("--methods", default="beaver,paper,bm25,minilm,head", help=f"of {', '.join(METHODS)}")
    made.add_argument("--ablations", action="store_true", help="add a row per configuration ablation")
    made.add_argument("--limit", type=int, help="samples per file")
    made.add_argument("--counter", default="table", help='"table", or a tiktoken model or encoding')
    made.add_argument("--cache", type=Path, help="folder that keeps sentence embeddings between runs")
    made.add_argument("--json", type=Path, help="file for the full result; must not exist")
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the tables and one JSON line, and write the full result where asked."""
    made = parser()
    options = made.parse_args(arguments)
    names = options.methods.split(",")
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        made.error(f"no method {unknown[0]!r}; there are {', '.join(METHODS)}")
    if options.json and options.json.exists():
        made.error(f"{str(options.json)!r} exists; name another file")
    methods = {name: METHODS[name] for name in names} | (ABLATIONS if options.ablations else {})
    budgets = [int(budget) for budget in options.budgets.split(",")]

    read = {file_label(path): read_samples(path, options.limit) for path in sample_files(options.data)}
    files = {label: samples for label, (samples, _) in read.items() if samples}
    if not files:
        made.error("no sample whose answer stands in its context")
    cells = measure(files, methods, budgets, make_setup(options.counter, options.cache))

    print(markdown(cells, list(files), list(methods), budgets))
    result = environment(PACKAGES) | {
        "options": vars(options),
        "left_out": {label: missing for label, (_, missing) in read.items()},
        "means": [
            {"method": method, "budget": budget, **summary([cells[label, method, budget] for label in files])}
            for method in methods
            for budget in budgets
        ],
    }
    print(json.dumps(result, default=str))
    if options.json:
        result["results"] = [
            {"file": label, "method": method, "budget": budget, **summary([cell])}
            for (label, method, budget), cell in cells.items()
        ]
        options.json.write_text(json.dumps(result, indent=1, default=str) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
