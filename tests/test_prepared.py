"""A prepared context gives exactly what the context itself gives."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from safetensors.torch import save_file

from beaver_compat import BeaverConfig, BeaverPromptCompressor, CompressionResult, InputValueError
from beaver_compat.embeddings import load_table

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


def folder_with_another_table(path: Path) -> str:
    table = load_table()
    weight = table.weight.clone()
    weight[-1, -1] += 1
    save_file({"model.embed_tokens.weight": weight}, path / "model.safetensors")
    table.tokenizer.save(str(path / "tokenizer.json"))
    return str(path)


def test_the_context_of_one_that_reads_otherwise_is_refused(tmp_path: Path) -> None:
    prepared = BeaverPromptCompressor(token_counter="table").prepare("Some text.")
    for other in (
        BeaverPromptCompressor(token_counter="table", config=BeaverConfig.paper()),
        BeaverPromptCompressor(token_counter="table", language="de"),
        BeaverPromptCompressor(folder_with_another_table(tmp_path), token_counter="table"),
    ):
        for context in (prepared, pickle.loads(pickle.dumps(prepared))):
            with pytest.raises(InputValueError, match="prepared by another compressor"):
                other.compress(context, question="What?")
            assert context.owner is not other


@pytest.mark.parametrize("config", [BeaverConfig(), BeaverConfig.paper()], ids=["default", "paper"])
def test_a_context_fits_all_that_read_as_its_owner_does(config: BeaverConfig) -> None:
    owner = BeaverPromptCompressor(config=config, token_counter=lambda text: len(text) // 3)
    users = [BeaverPromptCompressor(config=config, token_counter=counter) for counter in ("table", len)]
    for text in (LICENCE[:6000], LICENCE[:6000].split("\n\n"), [], ["", LICENCE[:500], ""]):
        prepared = owner.prepare(text)
        owner.compress(prepared, question="", target_token=60)
        loaded = pickle.loads(pickle.dumps(prepared))
        assert repr(loaded) == repr(prepared)
        for user, context in product(users, (prepared, loaded)):
            for question in QUESTIONS[-2:]:
                fresh = user.compress(text, question=question, target_token=300)
                assert user.compress(context, question=question, target_token=300) == fresh
            assert user.compress_prompts([context], rate=0.3) == [user.compress_prompt(text, rate=0.3)]
            assert user.compress_prompt_llmlingua2(context) == user.compress_prompt_llmlingua2(text)


@pytest.mark.parametrize("counter", ["table", len])
def test_pickled_alone_or_with_its_compressor(counter: str | Callable[[str], int]) -> None:
    compressor = BeaverPromptCompressor(token_counter=counter)
    prepared = compressor.prepare(LICENCE)
    fresh = compressor.compress(prepared, question=QUESTIONS[0], target_token=200)
    other, context = pickle.loads(pickle.dumps((compressor, prepared)))
    assert other.compress(context, question=QUESTIONS[0], target_token=200) == fresh
    alone = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(prepared))))
    assert alone.owner is None
    assert compressor.compress(alone, question=QUESTIONS[0], target_token=200) == fresh
    assert alone.owner is compressor


def test_pickled_it_leaves_the_table_behind() -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    assert len(pickle.dumps(compressor.prepare(LICENCE[:1000]))) < compressor.table.weight.nbytes / 50


def test_pickled_it_fits_in_another_process(tmp_path: Path) -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    (tmp_path / "prepared.pickle").write_bytes(pickle.dumps(compressor.prepare(LICENCE)))
    script = (
        "import pathlib, pickle, sys; from beaver_compat import BeaverPromptCompressor\n"
        "prepared = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "compressor = BeaverPromptCompressor(token_counter='table')\n"
        "found = compressor.compress(prepared, question=sys.argv[2], target_token=200)\n"
        "sys.stdout.buffer.write(pickle.dumps(found))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "prepared.pickle"), QUESTIONS[0]]
    found = pickle.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert found == compressor.compress(LICENCE, question=QUESTIONS[0], target_token=200)


def test_repr_says_what_it_holds() -> None:
    compressor = BeaverPromptCompressor(token_counter="table")
    assert repr(compressor.prepare(["one two", "three"])) == "PreparedContext(2 contexts, 3 tokens)"
