"""What a call asks of the machine beside its arithmetic: its threads, and memory that is kept.

torch divides even small operations among all cores and waits for the slowest.  Where another process has one of the
cores, that wait costs tens of times what the division saves.  So each operation has one thread here, and long contexts
are shared out by the piece, where nobody waits for anybody before the end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch

if TYPE_CHECKING:
    from threadpoolctl import LibController

Item = TypeVar("Item")
Result = TypeVar("Result")

_HIGHEST_THRESHOLD = 1 << 25  # bytes: glibc's DEFAULT_MMAP_THRESHOLD_MAX
_HEADER = 1 << 13  # bytes that an array of just that size has beside it, at most


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which each of this thread's torch operations has one thread; what was set before comes back."""
    before = _set_threads([1] * len(_openmp()))
    try:
        yield
    finally:
        _set_threads(before)


def _set_threads(threads: Sequence[int]) -> list[int]:
    """Set this thread's number of threads in each OpenMP library; returns what it was."""
    torch.get_num_threads()  # the first call in a thread sets it; it must not come later and undo the limit
    before = [library.get_num_threads() for library in _openmp()]
    for library, number in zip(_openmp(), threads, strict=True):
        library.set_num_threads(number)
    return before


def side_by_side(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """A function's result for each item; the items are shared out among threads of one core each."""
    if len(items) < 2:
        return [function(item) for item in items]
    return list(_pool().map(function, items))


@cache
def _pool() -> ThreadPoolExecutor:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ThreadPoolExecutor(cores, "beaver_compat", initializer=lambda: _set_threads([1] * len(_openmp())))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads


@cache
def _openmp() -> list[LibController]:
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="openmp").lib_controllers)


@cache
def keep_freed_memory() -> None:
    """Let the C library keep what a call frees, for the next call.

    glibc gives arrays above a threshold back to the system, and each page of the next call costs a fault: a tenth to a
    fifth of a call on 128k tokens.  The threshold rises, to 32 MiB at most, when a larger array is freed; elsewhere
    this does nothing.  The process keeps 64 MiB more at most.
    """
    np.empty(_HIGHEST_THRESHOLD - _HEADER, dtype=np.uint8)
