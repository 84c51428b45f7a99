"""Pooling and scoring on a device: how far from the floor of reading each embedding row once.

    python benchmarks/pooling.py --device cuda [--vocabulary 151936 --width 4096 --tokens 131072] [--json OUT.json]

The table is random, of Qwen3-8B's shape where nothing else is said, and so are the tokens (Zipf's law), pages and
sentences.  The floor is the bytes of the rows of all tokens over the bandwidth of a copy on the same device.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch

# Run as a script, it finds `benchmarks` and a package that isn't installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from beaver_compat.config import BeaverConfig
from beaver_compat.machine import one_thread
from beaver_compat.page_encoder import page_vectors
from beaver_compat.query_planner import mixed_scores
from beaver_compat.scores.lookup import ContextTokens, Words, read_context, read_query
from beaver_compat.scores.pieces import read_pieces
from benchmarks.reporting import environment, markdown_table

PACKAGES = ("beaver-compat", "numpy", "torch")
PAGE, SENTENCE, QUESTION = 64, 24, 20  # tokens
COPIED = 1 << 30  # bytes; a tenth of that on a CPU
ZIPF = 1.1
MS = 1000.0
SEED = 7


def milliseconds(work: Callable[[], object], device: torch.device, runs: int) -> list[float]:
    """Time of each run after one that doesn't count, the device waited for."""

    def wait() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    found = []
    for _ in range(runs + 1):
        wait()
        started = perf_counter()
        work()
        wait()
        found.append(MS * (perf_counter() - started))
    return found[1:]


def bandwidth(device: torch.device, runs: int) -> float:
    """Bytes that a copy reads in a second."""
    source = torch.ones(COPIED // (1 if device.type == "cuda" else 10), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return source.numel() * MS / float(np.median(milliseconds(lambda: target.copy_(source), device, runs)))


@torch.inference_mode()
def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Medians in milliseconds, of a whole question on the device and of its parts."""
    device = torch.device(options.device)
    generator = torch.Generator().manual_seed(SEED)
    table = torch.randn(options.vocabulary, options.width, generator=generator, dtype=torch.float32)
    table = table.to(getattr(torch, options.dtype)).to(device)
    draws = np.random.default_rng(SEED).zipf(ZIPF, options.tokens + QUESTION) % options.vocabulary
    ids = torch.from_numpy(draws.astype(np.int32))
    host, asked = ids[: options.tokens], ids[options.tokens :].to(device)
    limits = [_limits(options.tokens, step).to(device) for step in (PAGE, SENTENCE)]
    numbers = torch.zeros(options.tokens, dtype=torch.bool)
    config = BeaverConfig()

    def looked_up() -> ContextTokens:
        return read_context(host.to(device), table, numbers.to(device))

    context = looked_up()
    pieces = read_pieces(context, limits)

    def pooled() -> None:
        for piece in pieces:
            page_vectors(context.rows, piece.tokens, piece.cut, None, config.pooling_weight)

    def scored() -> None:
        found = looked_up()
        query = read_query(asked, found, table, Words.of_one_token(numbers[:QUESTION].to(device)))
        mixed_scores(found, read_pieces(found, limits), query, config)

    parts = {"look-up": looked_up, "pooling": pooled, "all": scored}
    with one_thread():
        timed = {name: float(np.median(milliseconds(part, device, options.runs))) for name, part in parts.items()}
        speed = bandwidth(device, options.runs)
    read = options.tokens * options.width * table.element_size()
    return {
        "milliseconds": timed,
        "bytes": read,
        "bandwidth": speed,
        "floor": MS * read / speed,
        "distinct": context.counts.numel(),
        "name": torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU",
    }


def _limits(tokens: int, step: int) -> torch.Tensor:
    return torch.cat([torch.arange(0, tokens, step), torch.tensor([tokens])]).unique()


def report(found: dict[str, Any]) -> str:
    """A table of the parts beside the floor."""
    floor = found["floor"]
    rows = [[name, f"{time:.2f}", f"{time / floor:.1f}"] for name, time in found["milliseconds"].items()]
    header = f"{found['name']}: {found['bytes'] / 1e6:.0f} MB at {found['bandwidth'] / 1e9:.0f} GB/s, {floor:.2f} ms"
    return f"{header}\n\n" + markdown_table(["part", "ms", "times the floor"], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    made = argparse.ArgumentParser(description="Pooling on a device beside the floor of reading each row once.")
    made.add_argument("--device", default="cpu")
    made.add_argument("--vocabulary", type=int, default=151_936)
    made.add_argument("--width", type=int, default=4096)
    made.add_argument("--dtype", choices=("bfloat16", "float16", "float32"), default="bfloat16")
    made.add_argument("--tokens", type=int, default=131_072)
    made.add_argument("--runs", type=int, default=10)
    made.add_argument("--json", type=Path, help="file for the result; must not exist")
    options = made.parse_args(arguments)
    found = measure(options)
    print(report(found))
    if options.json:
        settings = {name: str(value) if isinstance(value, Path) else value for name, value in vars(options).items()}
        with options.json.open("x", encoding="utf-8") as file:
            json.dump({**environment(PACKAGES), "options": settings, **found}, file, indent=1)


if __name__ == "__main__":
    main()
