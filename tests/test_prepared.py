"""A prepared context gives exactly what the context itself gives."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from beaver_compat import BeaverConfig, BeaverPromptCompressor, CompressionResult, InputValueError

LICENCE = (Path(__file__).resolve().parent.parent / "docs/demo/gpl-3.0.txt").read_text(encoding="utf-8")
QUESTIONS = [
    "How many days do I have to cure a violation?",
    "What is a covered work?",
    "zxqv unknown words that stand nowhere 12345",
    "patents",
    "",
]


@pytest.mark.parametrize("config", [BeaverConfig(), BeaverConfig.paper()], ids=["default", "paper"])
def test_results_equal_those_of_the_context(config: BeaverConfig) -> None:
    compressor = BeaverPromptCompressor(config=config, token_counter="table")
    for context in (LICENCE, LICENCE.split("\n\n"), "", [], ["", LICENCE[:500], ""]):
        prepared = compressor.prepare(context)
        for question in QUESTIONS:
            for budget in (60, 400):
                fresh = compressor.compress(context, question=question, target_token=budget)
                assert compressor.compress(prepared, question=question, target_token=budget) == fresh
        assert compressor.compress_prompt(prepared, question="What?", rate=0.3) == compressor.compress_prompt(
            context, question="What?", rate=0.3
        )


def test_threads_share_a_prepared_context() -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    prepared = compressor.prepare(LICENCE)
    serial = [compressor.compress(prepared, question=question, target_token=200) for question in QUESTIONS]
    found: dict[int, CompressionResult] = {}

    def ask(index: int) -> None:
        question = QUESTIONS[index % len(QUESTIONS)]
        found[index] = compressor.compress(prepared, question=question, target_token=200)

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(2 * len(QUESTIONS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[index] for index in range(len(threads))] == serial * 2


def test_another_compressors_context_is_refused() -> None:
    one, other = BeaverPromptCompressor(token_counter="table"), BeaverPromptCompressor(token_counter="table")
    with pytest.raises(InputValueError, match="prepared by another compressor"):
        other.compress(one.prepare("Some text."), question="What?")


@pytest.mark.parametrize("counter", ["table", len])
def test_pickled_alone_or_with_its_compressor(counter: str | Callable[[str], int]) -> None:
    compressor = BeaverPromptCompressor(token_counter=counter)
    prepared = compressor.prepare(LICENCE)
    fresh = compressor.compress(prepared, question=QUESTIONS[0], target_token=200)
    other, context = pickle.loads(pickle.dumps((compressor, prepared)))
    assert other.compress(context, question=QUESTIONS[0], target_token=200) == fresh
    alone = pickle.loads(pickle.dumps(prepared))
    assert alone.owner.compress(alone, question=QUESTIONS[0], target_token=200) == fresh
    with pytest.raises(InputValueError, match="use its `owner`"):
        compressor.compress(alone, question="What?")


def test_repr_says_what_it_holds() -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    assert repr(compressor.prepare(["one two", "three"])) == "PreparedContext(2 contexts, 3 tokens)"
