"""Small work gets one thread, and what the caller set comes back; freed memory is kept for the next call."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import threading

import pytest
import torch

from beaver_compat import BeaverPromptCompressor, scoring
from beaver_compat.machine import one_thread, side_by_side


def threads_seen() -> int:
    return torch.get_num_threads()


def test_operations_have_one_thread() -> None:
    before = threads_seen()
    with one_thread():
        assert threads_seen() == 1
    assert threads_seen() == before


def test_the_limit_is_gone_after_an_error() -> None:
    before = threads_seen()
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert threads_seen() == before


def test_other_threads_are_not_limited() -> None:
    found: list[int] = []
    before = threads_seen()
    with one_thread():
        other = threading.Thread(target=lambda: found.append(threads_seen()))
        other.start()
        other.join()
    assert found == [before]


def test_a_call_limits_its_own_scoring(compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    score = scoring._score

    def watched(*args: object) -> object:
        seen.append(threads_seen())
        return score(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(scoring, "_score", watched)
    before = threads_seen()
    compressor.compress("A beaver builds. It rains.\n" * 20, question="What?", target_token=20)
    assert seen == [1]
    assert threads_seen() == before


def test_items_are_shared_out_among_single_threads() -> None:
    def seen(item: int) -> tuple[int, int, str]:
        return item, threads_seen(), threading.current_thread().name

    found = side_by_side(seen, range(50))
    assert [item for item, _, _ in found] == list(range(50))
    assert {count for _, count, _ in found} == {1}
    assert threading.current_thread().name not in {name for _, _, name in found}


def test_one_item_needs_no_other_thread() -> None:
    assert side_by_side(lambda _: threading.current_thread(), [1]) == [threading.current_thread()]
    assert side_by_side(lambda _: 1, []) == []


def test_an_items_error_comes_back() -> None:
    with pytest.raises(KeyError):
        side_by_side({1: 2}.__getitem__, [1, 5])


FORK = """
import os, sys, warnings
from beaver_compat.machine import side_by_side
warnings.simplefilter("ignore")  # newer Pythons warn of a fork with threads
assert side_by_side(abs, [1, -2]) == [1, 2]
child = os.fork()
if not child:
    os._exit(0 if side_by_side(abs, [1, -2]) == [1, 2] else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_threads_of_its_own() -> None:
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=120)


FAULTS = """
import resource, sys
import numpy as np
from beaver_compat.machine import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

if sys.argv[1] == "kept":
    keep_freed_memory()
np.ones(12 << 20, dtype=np.uint8), np.ones(12 << 20, dtype=np.uint8)  # 3,072 pages each
before = faults()
np.ones(12 << 20, dtype=np.uint8), np.ones(12 << 20, dtype=np.uint8)
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have thresholds of their own")
def test_freed_memory_is_used_again() -> None:
    found = [
        int(subprocess.run([sys.executable, "-c", FAULTS, way], capture_output=True, check=True, timeout=120).stdout)
        for way in ("kept", "plain")
    ]
    assert found[0] < 100 < found[1]
