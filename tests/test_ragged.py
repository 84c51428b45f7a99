"""A batch of prompts scored together gives each what it gets alone, to the bit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver_compat import BeaverConfig, BeaverPromptCompressor, scoring
from beaver_compat.query import read_question
from beaver_compat.query_planner import mixed_scores
from beaver_compat.scores import phrases
from beaver_compat.scores.lookup import Words, itf_weights, min_max, read_context, read_query
from beaver_compat.scores.pieces import read_pieces
from beaver_compat.scoring import Asked, score

VOCABULARY = 50
TABLES = {
    width: torch.from_numpy(np.random.default_rng(width).normal(size=(VOCABULARY, width)).astype(np.float32))
    for width in (3, 8, 100, 256)
}
CONFIGS = {
    "default": BeaverConfig(),
    "paper": BeaverConfig.paper(),
    "no itf": BeaverConfig(itf="none"),
    "semantic only": BeaverConfig.paper(semantic_weight=1.0),
    "lexical only": BeaverConfig(semantic_weight=0.0),
}


class Prompt(NamedTuple):
    context: list[int]
    query: list[int]
    inside: list[bool]
    asked_inside: list[bool]
    sizes: list[int]
    together: int
    pages: list[int]
    sentences: list[int]


@st.composite
def prompts(draw: st.DrawFn) -> Prompt:
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    length, asked = draw(st.integers(1, 300)), draw(st.sampled_from([1, 2, 3, 4, 5, 17, 70]))
    few = draw(st.sampled_from([2, 10, VOCABULARY]))  # tokens: with two, runs are long
    context = random.integers(0, few, length)
    query = random.integers(0, VOCABULARY if draw(st.booleans()) else few, asked)
    inside, asked_inside = random.random(length) < 0.3, random.random(asked) < 0.3
    inside[0] = asked_inside[0] = False
    limits = [
        [0, *sorted(set(random.integers(1, length + 1, length // step).tolist()) - {length}), length]
        for step in (40, 12)
    ]
    sizes, together = random.integers(1, 4, asked), draw(st.sampled_from([1, 2]))
    return Prompt(
        context.tolist(), query.tolist(), inside.tolist(), asked_inside.tolist(), sizes.tolist(), together, *limits
    )


def scored(batch: Sequence[Prompt], width: int, config: BeaverConfig) -> list[list[torch.Tensor]]:
    """Page and sentence scores of each prompt, scored in one batch."""
    table = TABLES[width]

    def joined(parts: Sequence[list[int]] | Sequence[list[bool]], dtype: torch.dtype) -> torch.Tensor:
        return torch.tensor([value for part in parts for value in part], dtype=dtype)

    def forms(prompt: Prompt) -> list[tuple[int, int]]:
        """So many ids in a row are of one kind."""
        return [
            (first + other, place)
            for place, token in enumerate(prompt.query)
            for first in [token - token % prompt.together]
            for other in range(prompt.together)
        ]

    edges = [0, *accumulate(len(prompt.context) for prompt in batch)]
    asked = [0, *accumulate(len(prompt.query) for prompt in batch)]
    context = read_context(
        joined([prompt.context for prompt in batch], torch.int32),
        table,
        joined([prompt.inside for prompt in batch], torch.bool),
        edges,
    )
    query = read_query(
        joined([prompt.query for prompt in batch], torch.int32),
        context,
        table,
        Words(
            joined([prompt.asked_inside for prompt in batch], torch.bool),
            joined([prompt.sizes for prompt in batch], torch.int64),
            joined([[size > 2 for size in prompt.sizes] for prompt in batch], torch.bool),
            joined([[token for token, _ in forms(prompt)] for prompt in batch], torch.int64),
            joined(
                [[place + edge for _, place in forms(one)] for one, edge in zip(batch, asked, strict=False)],
                torch.int64,
            ),
        ),
        config.itf != "none",
        asked,
    )
    partitions = [[prompt.pages for prompt in batch], [prompt.sentences for prompt in batch]]
    limits = [
        torch.tensor([0, *(edge + limit for edge, own in zip(edges, part, strict=False) for limit in own[1:])])
        for part in partitions
    ]
    found = mixed_scores(context, read_pieces(context, limits), query, config)
    split = [scores.split([len(own) - 1 for own in part]) for scores, part in zip(found, partitions, strict=True)]
    return [list(both) for both in zip(*split, strict=True)]


@pytest.mark.parametrize("name", CONFIGS)
@given(
    batch=st.lists(prompts(), min_size=2, max_size=6),
    width=st.sampled_from(list(TABLES)),
    piece=st.sampled_from([None, 200]),
)
@settings(max_examples=40, deadline=None)
def test_each_prompts_scores_are_those_it_has_alone(
    name: str, batch: list[Prompt], width: int, piece: int | None
) -> None:
    config = CONFIGS[name]
    alone = [scored([prompt], width, config)[0] for prompt in batch]
    with pytest.MonkeyPatch.context() as patch:
        if piece:
            patch.setattr("beaver_compat.scores.pieces._VALUES_ON_CPU", piece * width)
        together = scored(batch, width, config)
    for one, other in zip(alone, together, strict=True):
        for own, found in zip(one, other, strict=True):
            assert torch.equal(own, found)


def test_a_prompts_repetitions_leave_the_others_phrases_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrases, "_PAIRS", 10)
    again = Prompt([1, 2] * 60, [1, 2] * 30, [False] * 120, [False] * 60, [1] * 60, 1, [0, 60, 120], [0, 60, 120])
    plain = Prompt([3, 4, 5, 3, 4], [3, 4], [False] * 5, [False] * 2, [1] * 2, 1, [0, 2, 5], [0, 2, 5])
    alone = [scored([prompt], 8, BeaverConfig())[0] for prompt in (plain, again)]
    for own, found in zip(alone, scored([plain, again], 8, BeaverConfig()), strict=True):
        assert all(map(torch.equal, own, found))


def test_weights_and_scales_are_each_prompts_own() -> None:
    counts, owners = torch.tensor([1, 3, 1, 5, 5, 2]), torch.tensor([0, 0, 1, 1, 2, 0])
    weights = itf_weights(counts, owners, torch.tensor([6, 6, 5]))
    for prompt, length in enumerate((6, 6, 5)):
        own = owners == prompt
        assert torch.equal(weights[own], itf_weights(counts[own], owners[own] * 0, torch.tensor([length])))
    values = torch.tensor([1.0, 5.0, 3.0, 7.0, 7.0, 2.0])
    assert min_max(values, owners, 3).tolist() == [0.0, 1.0, 0.0, 1.0, 0.0, 0.25]


def test_documents_of_a_batch_are_scored_in_one_pass(
    compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[int] = []
    one_pass = scoring._score

    def watched(asked: Sequence[Asked], *rest: object) -> object:
        passes.append(len(asked))
        return one_pass(asked, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(scoring, "_score", watched)
    texts = [f"Dam {index} holds. The lodge of dam {index} stands dry. " * 20 for index in range(5)]
    questions = [f"Which lodge is dry, that of dam {index}?" for index in range(5)]
    prompts = [dict(zip(("context", "question"), pair, strict=True)) for pair in zip(texts, questions, strict=True)]
    prompts.insert(2, {"context": "It fits.", "question": "Does it?"})
    together = compressor.compress_prompts(prompts, target_token=60)
    assert passes == [5]
    assert together == [compressor.compress_prompt(**prompt, target_token=60) for prompt in prompts]
    prepared = {"context": compressor.prepare(texts[0]), "question": questions[0]}
    passes.clear()
    assert compressor.compress_prompts([prompts[1], prepared, prompts[0]], target_token=60)[1] == together[0]
    assert passes == [1, 1, 1]


def test_a_batch_has_no_more_tokens_than_it_may(
    compressor: BeaverPromptCompressor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "_VALUES_ON_CPU", 300 * compressor.table.weight.shape[1])
    texts = [f"Dam {index} holds. " * count for index, count in enumerate((10, 10, 200, 10, 20))]
    queries = [
        read_question(compressor._tokenizer, "Which dam holds?" * (200 if index == 3 else 1), compressor.config)
        for index in range(len(texts))
    ]
    documents = [compressor._source(text).read(False)[0] for text in texts]
    asked = [Asked(document, query) for document, query in zip(documents, queries, strict=True)]
    sizes = [document.ids.size for document in documents]
    batches = scoring._batches(asked, 300)
    assert all(len(batch) == 1 or sum(sizes[index] for index in batch) <= 300 for batch in batches)
    assert batches == [[0, 1], [2], [3], [4]]
    together = score(asked, compressor.table.weight, compressor.config)
    for one, found in zip(asked, together, strict=True):
        alone = score([one], compressor.table.weight, compressor.config)[0]
        assert all(map(np.array_equal, alone, found))
