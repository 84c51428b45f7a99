"""Stages 3 to 5 against the paper's equations in float64."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import paper
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from beaver_compat import page_encoder, query_planner
from beaver_compat.config import BeaverConfig
from beaver_compat.page_encoder import cut, mean_pool
from beaver_compat.query_planner import information_scores, mixed_scores
from beaver_compat.scores import maxsim
from beaver_compat.scores.lookup import ContextTokens, QueryTokens, Words, read_context, read_query
from beaver_compat.scores.phrases import shared_pairs
from beaver_compat.scores.pieces import Piece, _split, read_pieces

VOCABULARY, WIDTH, CAPACITY = 40, 6, 7
TABLE = np.random.default_rng(7).normal(size=(VOCABULARY, WIDTH)).astype(np.float32)
TABLE *= np.random.default_rng(8).uniform(0.2, 2, size=(VOCABULARY, 1)).astype(np.float32)
CLOSE: dict[str, Any] = {"rtol": 2e-5, "atol": 2e-6}  # float32 sums of at most some dozen terms


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int]]:
    """Context, query, page limits and another partition of the same tokens."""
    token = st.integers(0, VOCABULARY - 1)
    context = draw(st.lists(token, min_size=1, max_size=40))
    query = draw(st.lists(st.one_of(token, st.sampled_from(context)), min_size=1, max_size=9))
    lengths = draw(st.lists(st.integers(1, CAPACITY), min_size=len(context), max_size=len(context)))
    pages = [0, *(edge for edge in np.cumsum(lengths).tolist() if edge < len(context)), len(context)]
    inner = draw(st.lists(st.integers(1, len(context)), max_size=6))
    return context, query, pages, sorted({0, *inner, len(context)})


def read(
    context: list[int],
    query: list[int],
    itf: bool = True,
    dtype: torch.dtype = torch.float32,
    inside: tuple[list[bool], list[bool]] | None = None,
    sizes: list[int] | None = None,
    kinds: list[int] | None = None,
    numeric: list[bool] | None = None,
) -> tuple[ContextTokens, QueryTokens]:
    table = torch.from_numpy(TABLE).to(dtype)
    numbers = [torch.tensor(flags) for flags in inside or ([False] * len(context), [False] * len(query))]
    tokens = read_context(torch.tensor(context, dtype=torch.int32), table, numbers[0])
    words = Words.of_one_token(numbers[1])
    if sizes and kinds and numeric:
        forms = [
            (token, k) for k, asked in enumerate(query) for token in range(len(kinds)) if kinds[token] == kinds[asked]
        ]
        words = Words(numbers[1], torch.tensor(sizes), torch.tensor(numeric), *torch.tensor(forms).T)
    return tokens, read_query(torch.tensor(query, dtype=torch.int32), tokens, table, words, itf)


def scored(
    context: list[int], query: list[int], limits: list[torch.Tensor], config: BeaverConfig
) -> list[torch.Tensor]:
    tokens, asked = read(context, query, itf=config.itf != "none")
    return mixed_scores(tokens, read_pieces(tokens, limits), asked, config)


def reference(context: list[int], query: list[int], limits: list[int], config: BeaverConfig) -> np.ndarray:
    """Mixed scores by the transcription."""
    table = TABLE.astype(np.float64)
    weight = paper.itf(context, query)
    if config.itf == "none":
        weight = dict.fromkeys(weight, 1.0)
    pooling = weight if config.itf == "all" else dict.fromkeys(weight, 1.0)
    pages = paper.page_tensor(limits, max(np.diff(limits)))
    vectors = paper.pool(table, context, pages, pooling, config.pooling_weight)
    if config.late_interaction and len(query) >= config.late_interaction_tokens:
        queries, weights = table[query], [weight[token] for token in query]
    else:
        one = paper.page_tensor([0, len(query)], len(query))
        queries, weights = paper.pool(table, query, one, pooling, config.pooling_weight), [1.0]
    semantic = paper.semantic(vectors, queries, weights)
    if config.lexical_score == "overlap":
        lexical = paper.lexical(context, query, pages, weight)
    else:
        lexical = paper.maxsim(
            table, context, query, limits, weight, config.maxsim_floor, config.phrase_weight, norm=config.norm_weight
        )
    share = config.semantic_weight
    return share * paper.min_max(semantic) + (1 - share) * paper.min_max(lexical)


CONFIGS = {
    "default": BeaverConfig(),
    "paper": BeaverConfig.paper(),
    "mean only": BeaverConfig.paper(pooling_weight=1.0),
    "max only": BeaverConfig.paper(pooling_weight=0.0),
    "no late interaction": BeaverConfig.paper(late_interaction=False),
    "no itf": BeaverConfig.paper(itf="none"),
    "semantic only": BeaverConfig.paper(semantic_weight=1.0),
    "lexical only": BeaverConfig.paper(semantic_weight=0.0),
    "maxsim only": BeaverConfig(semantic_weight=0.0),
}


@pytest.mark.parametrize("name", CONFIGS)
@given(case=cases())
@example(case=([1, 1, 1, 1, 1], [1, 25, 26, 35], [0, 1, 2, 3, 4, 5], [0, 5]))  # all alike, the cosines near 0
@settings(max_examples=60, deadline=None)
def test_mixed_scores_are_the_papers(name: str, case: tuple[list[int], ...]) -> None:
    context, query, pages, other = case
    config = CONFIGS[name]
    both = scored(context, query, [torch.tensor(pages), torch.tensor(other)], config)
    for part, scores in zip((pages, other), both, strict=True):
        expected = reference(context, query, part, config)
        np.testing.assert_allclose(scores.numpy(), expected, atol=1e-3)  # min-max stretches float32's rounding
        assert scores.min() >= 0
        assert scores.max() <= 1 + 1e-6


@given(cases())
@settings(max_examples=60, deadline=None)
def test_page_vectors_are_eq_3_to_5(case: tuple[list[int], ...]) -> None:
    context, query, pages, other = case
    weight = paper.itf(context, query)
    tokens, asked = read(context, query)
    ranges = cut(torch.tensor(pages), torch.tensor(other))
    for gamma in (0.0, 0.7, 1.0):
        own = asked.weights[: tokens.counts.numel()]
        found = page_encoder.page_vectors(tokens.rows, tokens.tokens, ranges, own, gamma)
        for part, vectors in zip((pages, other), found, strict=True):
            table = paper.page_tensor(part, max(np.diff(part)))
            expected = paper.pool(TABLE.astype(np.float64), context, table, weight, gamma)
            np.testing.assert_allclose(vectors.numpy(), expected, **CLOSE)


@given(cases())
@settings(max_examples=60, deadline=None)
def test_itf_weights_are_eq_2(case: tuple[list[int], ...]) -> None:
    context, query, _, _ = case
    tokens, asked = read(context, query)
    expected = paper.itf(context, query)
    assert asked.weights.numel() == len(expected)
    places = torch.cat([tokens.tokens, asked.places])
    found = asked.weights.index_select(0, places).tolist()
    assert found == pytest.approx([expected[token] for token in [*context, *query]], abs=1e-6)


@given(cases(), st.data())
@settings(max_examples=150, deadline=None)
def test_maxsim_is_its_loop(case: tuple[list[int], ...], data: st.DataObject) -> None:
    context, query, pages, _ = case
    few = [token % 3 for token in query]  # so that numbers are often met in part
    context, query = data.draw(st.sampled_from([(context, query), ([token % 3 for token in context], few)]))
    inside = tuple([False, *(data.draw(st.booleans()) for _ in part[1:])] for part in (context, query))
    weight = paper.itf(context, query)
    norm = data.draw(st.sampled_from([0.0, 0.7, 1.0]))
    config = BeaverConfig(maxsim_floor=0.2, norm_weight=norm, phrase_weight=0.4)
    sizes, numeric = [data.draw(st.integers(1, 3)) for _ in query], [data.draw(st.booleans()) for _ in query]
    kinds = [token // data.draw(st.sampled_from([1, 2, 3])) for token in range(VOCABULARY)]
    tokens, asked = read(context, query, inside=inside, sizes=sizes, kinds=kinds, numeric=numeric)
    found = maxsim.maxsim_scores(tokens, read_pieces(tokens, [torch.tensor(pages)]), asked, config)[0]
    expected = paper.maxsim(
        TABLE.astype(np.float64), context, query, pages, weight, 0.2, 0.4, inside, sizes, kinds, numeric, norm
    )
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-5)


@given(cases())
@settings(max_examples=60, deadline=None)
def test_information_is_its_loop(case: tuple[list[int], ...]) -> None:
    context, query, pages, other = case
    tokens, _ = read(context, query)
    found = information_scores(tokens, read_pieces(tokens, [torch.tensor(pages), torch.tensor(other)]))
    for part, scores in zip((pages, other), found, strict=True):
        expected = paper.information(context, TABLE.astype(np.float64), paper.page_tensor(part, max(np.diff(part))))
        np.testing.assert_allclose(scores.numpy(), expected, **CLOSE)


@pytest.mark.parametrize("config", [BeaverConfig(), BeaverConfig.paper()], ids=["default", "paper"])
def test_scores_in_pieces_equal_scores_in_one(config: BeaverConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long contexts are read a piece at a time, and long questions a few tokens at a time."""
    generator = np.random.default_rng(3)
    context, query = generator.integers(0, VOCABULARY, 500).tolist(), generator.integers(0, VOCABULARY, 50).tolist()
    query[5:15] = context[100:110]
    limits = [torch.arange(0, 501, 10), torch.arange(0, 501, 4)]
    one = scored(context, query, limits, config)
    monkeypatch.setattr("beaver_compat.scores.pieces._VALUES_ON_CPU", 64 * WIDTH)
    monkeypatch.setattr(maxsim, "_QUERY_TOKENS_AT_ONCE", 7)
    tokens, _ = read(context, query)
    assert len(read_pieces(tokens, limits)) > 5
    for whole, pieces in zip(one, scored(context, query, limits, config), strict=True):
        torch.testing.assert_close(whole, pieces, rtol=1e-4, atol=1e-5)


@given(cases(), st.integers(1, 50))
@settings(max_examples=100, deadline=None)
def test_pieces_partition_tokens_and_ranges(case: tuple[list[int], ...], size: int) -> None:
    context, query, *limits = case
    tokens, _ = read(context, query)
    prompts = tuple(torch.arange(len(part) - 1) for part in limits)  # told apart, so that each is seen to stay
    whole = Piece(0, tokens.tokens, cut(*map(torch.tensor, limits)), prompts)
    pieces = _split(whole, size)
    assert torch.cat([piece.tokens for piece in pieces]).tolist() == tokens.tokens.tolist()
    for index, part in enumerate(limits):
        found = [piece.start + piece.cut.atoms[piece.cut.parts[index]] for piece in pieces]
        assert [0, *torch.cat([places[1:] for places in found]).tolist()] == part
        assert [places[0].item() for places in found] == [piece.start for piece in pieces]
        assert torch.cat([piece.prompts[index] for piece in pieces]).tolist() == prompts[index].tolist()
    shared = sorted(set(limits[0]).intersection(*limits))
    for piece in pieces[:-1]:  # each ends at the first common limit that is far enough
        end = piece.start + piece.tokens.numel()
        assert not [limit for limit in shared if piece.start < limit < end and limit // size > piece.start // size]


def test_a_piece_that_memory_does_not_hold_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    context, query = generator.integers(0, VOCABULARY, 500).tolist(), generator.integers(0, VOCABULARY, 9).tolist()
    limits = [torch.arange(0, 501, 10), torch.arange(0, 501, 4)]
    one = scored(context, query, limits, BeaverConfig())
    vectors, matches, sizes = query_planner._vectors, maxsim._best_matches, set()

    def refuse(piece: Piece) -> None:
        sizes.add(piece.tokens.numel())
        if piece.tokens.numel() > 100:
            raise torch.OutOfMemoryError("no room")

    def small_vectors(context: ContextTokens, piece: Piece, *rest: Any) -> Any:
        refuse(piece)
        return vectors(context, piece, *rest)

    def small_matches(*args: Any) -> Any:
        refuse(args[-1])
        return matches(*args)

    monkeypatch.setattr(query_planner, "_vectors", small_vectors)
    monkeypatch.setattr(maxsim, "_best_matches", small_matches)
    for whole, halves in zip(one, scored(context, query, limits, BeaverConfig()), strict=True):
        torch.testing.assert_close(whole, halves, rtol=1e-4, atol=1e-5)
    assert max(sizes) == 500
    assert min(sizes) <= 100


def test_a_page_that_memory_does_not_hold_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise torch.OutOfMemoryError("no room")

    monkeypatch.setattr(query_planner, "_vectors", refuse)
    with pytest.raises(torch.OutOfMemoryError, match="no room"):
        scored([1, 2, 3, 4], [1], [torch.tensor([0, 2, 4])], BeaverConfig())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_tables_accumulate_in_float32(dtype: torch.dtype) -> None:
    context = [1, 2, 3] * 2000
    tokens, _ = read(context, [4, 5], dtype=dtype)
    mean = mean_pool(tokens.rows, tokens.tokens, cut(torch.tensor([0, 6000])))[0]
    expected = torch.from_numpy(TABLE[[1, 2, 3]]).to(dtype).double().mean(0)
    torch.testing.assert_close(mean[0].double(), expected, rtol=1e-4, atol=1e-5)


def test_a_page_whose_weights_are_all_zero_gets_the_plain_mean() -> None:
    context = [1] * 8 + [2, 3, 2]  # token 1 is the most frequent: its weight is 0
    tokens, asked = read(context, [4])
    weights = asked.weights[: tokens.counts.numel()]
    mean = mean_pool(tokens.rows, tokens.tokens, cut(torch.tensor([0, 8, 11])), weights)[0]
    np.testing.assert_allclose(mean[0].numpy(), TABLE[1], rtol=1e-6)


def test_equal_scores_keep_their_order() -> None:
    scores = torch.tensor([0.5, 0.9, 0.5 + 1e-7, 0.9, 0.1])
    assert query_planner.ranked(scores).tolist() == [1, 3, 0, 2, 4]


def test_neighbors_share_within_a_context_only() -> None:
    scores, contexts = torch.tensor([1.0, 0.0, 0.0, 2.0]), torch.tensor([0, 0, 1, 1])
    torch.testing.assert_close(query_planner.with_neighbors(scores, contexts, 0.1), torch.tensor([1.0, 0.1, 0.2, 2.0]))


def test_a_sentence_takes_the_better_of_its_pages() -> None:
    own, pages = torch.tensor([0.4, 0.8]), torch.tensor([0.0, 1.0, 0.5])
    first, last = torch.tensor([0, 2]), torch.tensor([1, 2])
    found = query_planner.sentence_scores(own, pages, first, last, torch.tensor([0.25, 0.75]))
    torch.testing.assert_close(found, torch.tensor([0.25 * 0.4 + 0.75, 0.75 * 0.8 + 0.125]))


@given(st.data(), st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_a_sentence_gains_from_the_names_of_its_parts(data: st.DataObject, weight: float) -> None:
    size = data.draw(st.integers(1, 12))
    own = data.draw(st.lists(st.floats(0, 1, width=32), min_size=size, max_size=size))
    heads = [data.draw(st.integers(-1, sentence - 1)) for sentence in range(size)]
    naming = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    expected = []
    for sentence in range(size):
        total, head = (0.5 + weight * naming[sentence]) * own[sentence], heads[sentence]
        for _ in range(5):
            if head >= 0:
                total, head = total + weight * own[head], heads[head]
        expected.append(total)
    scores = torch.tensor(own)
    named = torch.tensor([size if head < 0 else head for head in [*heads, -1]])
    found = query_planner.with_headings(0.5 * scores, scores, named, torch.tensor(naming), weight)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_every_ablation_of_the_paper_is_one_field() -> None:
    letter = BeaverConfig.paper()
    rows = {
        "page_size": 32,
        "pooling_weight": 1.0,
        "late_interaction": False,
        "itf": "none",
        "semantic_weight": 1.0,
        "sentence_smoothing": False,
        "selection": ("flash",),
    }
    for field, value in rows.items():
        assert replace(letter, **{field: value}) != letter


def test_a_question_as_repetitive_as_its_context_stays_cheap() -> None:
    context, query = torch.zeros(200_000, dtype=torch.int32), torch.zeros(3_000, dtype=torch.int32)
    at, _where = shared_pairs(context, query, torch.arange(1), [0, 200_000], [0, 3_000])
    assert 199_999 <= at.size <= 2 * 200_000 + 2**16
    assert np.array_equal(np.unique(at), np.arange(199_999))  # every pair of the context is still met
    few, places = shared_pairs(context[:50], query[:20], torch.arange(1), [0, 50], [0, 20])
    assert few.size == 49 * 19
    assert np.array_equal(np.unique(places), np.arange(19))
