"""Small work gets one thread, and what the caller set comes back."""

from __future__ import annotations

import threading

import pytest
import torch

from beaver_compat import BeaverPromptCompressor, pipeline
from beaver_compat.threads import threads_for

LARGE = 1 << 40


def threads_seen() -> int:
    return torch.get_num_threads()


@pytest.mark.parametrize("values", [0, 1 << 20])
def test_little_work_has_one_thread(values: int) -> None:
    before = threads_seen()
    with threads_for(values):
        assert threads_seen() == 1
    assert threads_seen() == before


def test_much_work_has_what_the_caller_set() -> None:
    before = threads_seen()
    with threads_for(LARGE):
        assert threads_seen() == before


def test_the_limit_is_gone_after_an_error() -> None:
    before = threads_seen()
    with pytest.raises(KeyError), threads_for(1):
        raise KeyError
    assert threads_seen() == before


def test_other_threads_are_not_limited() -> None:
    found: list[int] = []
    before = threads_seen()
    with threads_for(1):
        other = threading.Thread(target=lambda: found.append(threads_seen()))
        other.start()
        other.join()
    assert found == [before]


def test_a_call_limits_its_own_scoring(compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    score = pipeline._score

    def watched(*args: object) -> object:
        seen.append(threads_seen())
        return score(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "_score", watched)
    before = threads_seen()
    compressor.compress("A beaver builds. It rains.\n" * 20, question="What?", target_token=20)
    assert seen == [1]
    assert threads_seen() == before
