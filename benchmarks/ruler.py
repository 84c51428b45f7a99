"""RULER's samples at any length, any seed, with nothing downloaded; `ruler_tasks.py` draws them.

Lengths count the whole prompt and the answer's allowance, as the official generator counts them.  Sample `i` of a
task is the same however many are made.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.baselines import Counter
from benchmarks.ruler_tasks import TASKS, Draft, Material, Question, Task, needle_task
from benchmarks.samples import Sample, retained

__all__ = ["TASKS", "Material", "Question", "generate", "needle_at"]


def needle_at(depth: float) -> Task:
    """One number hidden at a depth, from 0 (the beginning) to 1, of an essay."""
    return needle_task(500, "essay", depth=depth)


def generate(
    name: str, made: Task, length: int, count: int, counter: Counter, material: Material, seed: int = 42
) -> list[Sample]:
    """Samples of a task.

    Args:
        name: of the task, such as `TASKS` has; names the samples and starts their random numbers.
        made: the task.
        length: tokens of the longest prompt with its answer.
        count: how many samples.
        counter: what tokens are counted in.
        material: what haystacks are made of.
        seed: another one gives other samples.

    Raises:
        ValueError: `length` is too short for the task.
    """

    def draft(index: int, size: int) -> tuple[Draft, int]:
        found = made.make(random.Random(f"{seed} {name} {index}"), size, length, material)
        return found, counter(found.prompt) + made.max_tokens

    def fitting(index: int, size: int) -> Sample:
        while True:
            found, tokens = draft(index, size)
            if tokens <= length:
                return _sample(f"{name}-{length}-{seed}-{index:03}", made, found, tokens)
            if size <= 1:
                raise ValueError(f"{length} tokens are too few for {name}: its shortest prompt has {tokens}")
            size = max(1, size - max(1, min(made.step, size // 20)))

    size = _largest(lambda size: size <= length and draft(0, size)[1] <= length, made.step)
    return [fitting(index, size) for index in range(count)]


def _largest(fits: Callable[[int], bool], first: int) -> int:
    """The largest size that fits, by doubling and halving; 1 where none does."""
    high = first
    while fits(high):
        high *= 2
    low = high // 2 if high > first else 1
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _sample(name: str, made: Task, found: Draft, tokens: int) -> Sample:
    return Sample(
        id=name,
        context=found.context,
        question=found.question,
        references=retained(found.answers, found.context),
        match=made.match,
        answers=found.answers,
        before=found.before,
        between=found.between,
        after=found.after,
        metric="string_match_all" if made.match == "all" else "string_match_part",
        max_tokens=made.max_tokens,
        length=tokens,
    )
