"""Latency: string in to string out of `BeaverPromptCompressor().compress`, by length of the text.

    python benchmarks/latency.py --lengths 1k,16k,128k [--rivals llmlingua2-small,llmlingua2] [--plot OUT.png]

Every run gets a text and a question that it has not seen (`benchmarks/prompts.py`); lengths are in the tokens that
the budget counts, k is 1024.  Whole calls are timed with nothing wrapped; where the time goes is measured in
other calls (`stages.py`), memory in a process of its own (`peak_memory.py`).  Rivals run on the same texts, each
in a process of its own (`rival_worker.py`), with random weights: their speed is that of the published models, what
they keep means nothing.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

# Run as a script, it finds `benchmarks` and a package that isn't installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import latency_report
from benchmarks.prompts import Prompts, parse_length
from benchmarks.reporting import environment, refusal
from benchmarks.rival_worker import SHAPES
from benchmarks.rivals import RUNS, WARM_UPS, measure_rival, portable_tokenizer
from benchmarks.stages import StageClock, profiled

PERCENTILES = (20, 50, 80)
PROFILED_RUNS = 3
BATCH, BATCH_TOKENS = 32, 128 << 10  # prompts of one call, and the tokens of their texts, at most
LEAST_RATIO = 2  # a text shorter than twice the target is compressed to half of it
RIVALS_ENCODING = "cl100k_base"  # what they count in; only what we count in is sure to be on disk
MS = 1000.0
HERE = Path(__file__).resolve().parent
PACKAGES = ("beaver-compat", "wordllama", "numpy", "torch", "tokenizers", "fastokens", "tiktoken", "llmlingua")

Row = dict[str, Any]


class Bench:
    """A compressor, and the prompts and settings that it is timed with."""

    def __init__(self, options: argparse.Namespace) -> None:
        import torch

        from beaver_compat import BeaverPromptCompressor

        self.options = options
        self.compressor = BeaverPromptCompressor(options.model, options.device, token_counter=options.counter)
        self.prompts = Prompts(self.compressor.counter, options.text or ())
        self.synchronize: Callable[[], None] = lambda: None
        if self.compressor.table.device.type == "cuda":
            self.synchronize = torch.cuda.synchronize

    def device(self) -> Row:
        """The GPU's name, if there is one in use, and the threads that torch uses on the CPU."""
        import torch

        found = self.compressor.table.device
        named = {"device": torch.cuda.get_device_name(found)} if found.type == "cuda" else {}
        return {**named, "threads": torch.get_num_threads()}

    def prompt(self, length: int, number: int) -> tuple[str, str]:
        """A text of `length` tokens and a question; another one for every number."""
        text = self.prompts.text(length, number)
        return text, self.prompts.question(text, number)

    def target(self, length: int) -> int:
        """Tokens to keep of so long a text."""
        most: int = self.options.target
        return min(most, length // LEAST_RATIO)

    def measure(self, length: int) -> Row:
        """Everything that is known of one length."""
        print(f"{length:,} tokens", file=sys.stderr, flush=True)
        row = {"length": length, "target": self.target(length), **self.whole_calls(length)}
        row |= {"stages": self.stages(length), **self.second_questions(length), "batch": self.batch(length)}
        return row | self.peak_memory(length)

    def whole_calls(self, length: int) -> Row:
        """Milliseconds of each run after the warm-ups, their percentiles, and the tokens that were kept."""
        timed = []
        for number in range(self.options.warmup + self.options.runs):
            text, question = self.prompt(length, number)
            seconds, kept = self._timed(text, question, length)
            timed.append((MS * seconds, kept))
        milliseconds, kept_tokens = zip(*timed[self.options.warmup :], strict=True)
        return {**_percentiles(milliseconds), "compressed_tokens": int(np.median(kept_tokens))}

    def stages(self, length: int) -> dict[str, float]:
        """Milliseconds of each stage, the median of some profiled calls."""
        clocks = [StageClock(self.synchronize) for _ in range(PROFILED_RUNS)]
        for number, clock in enumerate(clocks, start=self.options.warmup + self.options.runs):
            text, question = self.prompt(length, number)
            with profiled(clock):
                self.compressor.compress(text, question=question, target_token=self.target(length))
        return {
            stage: round(MS * float(np.median([clock.seconds[stage] for clock in clocks])), 3)
            for stage in clocks[0].seconds
        }

    def second_questions(self, length: int) -> Row:
        """Median milliseconds to prepare a context, and of the questions after the first one."""
        text, question = self.prompt(length, 0)
        self.synchronize()
        started = perf_counter()
        prepared = self.compressor.prepare(text)
        self.synchronize()
        seconds = perf_counter() - started
        self._timed(prepared, question, length)
        later = [self.prompts.question(text, number) for number in range(1, 1 + self.options.runs)]
        median = float(np.median([self._timed(prepared, asked, length)[0] for asked in later]))
        return {"prepare": round(MS * seconds, 3), "second_question": round(MS * median, 3)}

    def batch(self, length: int) -> Row | None:
        """Prompts of one call of `compress_prompts`, and the median milliseconds for each; None of too long ones."""
        size = min(BATCH, BATCH_TOKENS // length)
        if size < 2:
            return None
        timed = []
        for run in range(self.options.warmup + self.options.runs):
            pairs = [self.prompt(length, number) for number in range(run * size, (run + 1) * size)]
            prompts = [{"context": text, "question": question} for text, question in pairs]
            self.synchronize()
            started = perf_counter()
            self.compressor.compress_prompts(prompts, target_token=self.target(length))
            self.synchronize()
            timed.append(MS * (perf_counter() - started) / size)
        return {"size": size, "each": round(float(np.median(timed[self.options.warmup :])), 3)}

    def peak_memory(self, length: int) -> Row:
        """Bytes that a call needs at its peak, on top of the loaded compressor and the text."""
        text, question = self.prompt(length, 0)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "text")
            file.write_text(text, encoding="utf-8", newline="")
            job = {"text": str(file), "question": question, "target": self.target(length)}
            job |= {"model": self.options.model, "device": self.options.device, "counter": self.options.counter}
            command = [sys.executable, str(HERE / "peak_memory.py")]
            done = subprocess.run(command, input=json.dumps(job), stdout=subprocess.PIPE, text=True, check=False)
        # Where it fails, its own message stands on stderr.
        measured: Row = {"memory": None, "gpu_memory": None} if done.returncode else json.loads(done.stdout)
        return measured

    def rival(self, name: str, lengths: Sequence[int]) -> Row:
        """A rival on the texts of our own first runs."""
        print(name, file=sys.stderr, flush=True)
        prompts = {length: [self.prompt(length, n) for n in range(WARM_UPS + RUNS)] for length in lengths}
        stand_in = self.compressor.counter.name != RIVALS_ENCODING
        with tempfile.TemporaryDirectory() as folder:
            sample, tokenizer = Path(folder, "sample"), Path(folder, "tokenizer.json")
            sample.write_text(self.prompts.sample, encoding="utf-8")
            tokenizer.write_text(portable_tokenizer(), encoding="utf-8")
            command = [self.options.rival_python or sys.executable, str(HERE / "rival_worker.py"), name]
            command += ["--device", self.options.device, "--sample", str(sample), "--tokenizer", str(tokenizer)]
            command += ["--stand-in"] if stand_in else []
            found = measure_rival(command, prompts, {length: self.target(length) for length in lengths})
        return {"rival": name, "stand_in": stand_in, **found}

    def _timed(self, context: Any, question: str, length: int) -> tuple[float, int]:
        """Seconds of one call, and the tokens that it kept."""
        target = self.target(length)
        self.synchronize()
        started = perf_counter()
        result = self.compressor.compress(context, question=question, target_token=target)
        self.synchronize()
        return perf_counter() - started, result.compressed_tokens


def _percentiles(milliseconds: Sequence[float]) -> Row:
    found = np.percentile(milliseconds, PERCENTILES).tolist()
    named = {f"p{share}": round(value, 3) for share, value in zip(PERCENTILES, found, strict=True)}
    return {**named, "milliseconds": [round(value, 3) for value in milliseconds]}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description="Latency by length, with memory, stages and rivals.")
    made.add_argument("--lengths", default="1k,16k,32k,64k,128k", help="tokens, comma-separated; up to 10M")
    made.add_argument("--target", type=int, default=3000, help="tokens to keep; half of shorter texts")
    made.add_argument("--runs", type=int, default=10)
    made.add_argument("--warmup", type=int, default=2, help="runs before them that don't count")
    made.add_argument("--text", type=Path, nargs="+", metavar="FILE", help="texts to take passages of")
    made.add_argument("--model", help="of the embedding table; the bundled one where not given")
    made.add_argument("--counter", help='"table", or a tiktoken model or encoding; the compressor\'s own default')
    made.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    made.add_argument("--rivals", default="", help=f"of {', '.join(SHAPES)}, comma-separated")
    made.add_argument("--rival-lengths", default="1k,2k,4k,16k")
    made.add_argument("--rival-python", help="interpreter that has llmlingua; this one where not given")
    made.add_argument("--json", type=Path, help="file for the result; must not exist")
    made.add_argument("--plot", type=Path, help="file for a picture; must not exist")
    return made


def checked(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options; exits where one can't be used."""
    made = parser()
    options = made.parse_args(arguments)
    options.rivals = [name for name in options.rivals.split(",") if name]
    for name in options.rivals:
        if name not in SHAPES:
            made.error(f"no rival {name!r}; there are {', '.join(SHAPES)}")
    try:
        options.rival_lengths = [parse_length(text) for text in options.rival_lengths.split(",")]
        options.lengths = [parse_length(text) for text in options.lengths.split(",")]
    except ValueError as error:
        made.error(str(error))
    for file in (options.json, options.plot):
        if file and (told := refusal(file)):
            made.error(told)
    if min(options.runs, options.target) < 1 or options.warmup < 0:
        made.error("--runs and --target are at least 1, --warmup 0")
    if options.device == "cuda":
        import torch

        if not torch.cuda.is_available():
            made.error("torch sees no CUDA device; leave --device out")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the tables and one JSON line, and write files where asked."""
    options = checked(arguments)
    lengths = sorted({*options.lengths, *(options.rival_lengths if options.rivals else ())})
    try:
        bench = Bench(options)
        bench.prompt(lengths[-1], 0)  # given files may be too short for it
    except (ValueError, OSError) as error:
        parser().error(str(error))
    result = {
        **environment(PACKAGES),
        **bench.device(),
        "options": vars(options),
        "counter": bench.compressor.counter.name,
        "table": bench.compressor.table.name,
        "config": dataclasses.asdict(bench.compressor.config),
        "lengths": [bench.measure(length) for length in lengths],
        "rivals": [bench.rival(name, sorted(options.rival_lengths)) for name in options.rivals],
    }
    print(latency_report.tables(result))
    line = json.dumps(result, default=str)
    print(line)
    if options.json:
        options.json.write_text(json.dumps(json.loads(line), indent=1) + "\n", encoding="utf-8")
    if options.plot:
        latency_report.plot(result, options.plot)


if __name__ == "__main__":
    main()
