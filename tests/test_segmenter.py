"""Pages, repeats and partitions against slow loops."""

from __future__ import annotations

import re
import textwrap
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat import BeaverConfig, BeaverPromptCompressor, segmenter
from beaver_compat.document import prepare_document
from beaver_compat.segmenter import page_limits, partition, repeats, segment_limits


@st.composite
def segmented(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Token limits of segments, and those of the contexts, which are some of them."""
    lengths = draw(st.lists(st.integers(1, 30), max_size=30))
    limits = [0, *np.cumsum(lengths).tolist()]
    inner = draw(st.sets(st.sampled_from(limits)))
    return limits, sorted({0, limits[-1], *inner})


def greedy_pages(segments: list[int], contexts: list[int], size: int) -> list[int]:
    """Whole segments to a page while they fit; a segment that is longer than a page is cut into pieces of one."""
    pieces = [0]
    for start, end in pairwise(segments):
        pieces += [min(place + size, end) for place in range(start, end, size)]
    limits = [0]
    for start, end in pairwise(pieces):
        if start > limits[-1] and (end - limits[-1] > size or start in contexts):
            limits.append(start)
    return limits + [pieces[-1]] * (pieces[-1] > 0)


@given(segmented(), st.integers(1, 20))
def test_pages_are_filled_greedily(case: tuple[list[int], list[int]], size: int) -> None:
    segments, contexts = case
    found = page_limits(np.array(segments), np.array(contexts), size)
    assert found.tolist() == greedy_pages(segments, contexts, size)


@given(st.lists(st.integers(0, 5), max_size=30), st.sets(st.integers(0, 200), max_size=10), st.data())
def test_a_segment_begins_at_each_line_and_each_context(gaps: list[int], lines: set[int], data: st.DataObject) -> None:
    starts = np.cumsum([0, *gaps])
    contexts = sorted({0, starts.size, *data.draw(st.sets(st.integers(0, starts.size), max_size=3))})
    found = segment_limits(starts, np.array(sorted(lines), dtype=np.int64), np.array(contexts))
    first_tokens = {next((i for i, start in enumerate(starts) if start >= line), starts.size) for line in lines}
    assert found.tolist() == sorted({*first_tokens, *contexts})


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), max_size=12), st.data())
def test_repeats_are_long_ranges_that_stood_before(ranges: list[list[int]], data: st.DataObject) -> None:
    if ranges:
        ranges += data.draw(st.lists(st.sampled_from(ranges), max_size=6))
    limits = np.cumsum([0, *map(len, ranges)])
    ids = np.array([token for tokens in ranges for token in tokens], dtype=np.int32)
    expected = [len(tokens) >= 8 and tokens in ranges[:index] for index, tokens in enumerate(ranges)]
    assert repeats(ids, limits).tolist() == expected


def test_the_same_words_in_parts_of_other_names_are_no_repeats() -> None:
    words = [np.arange(at, at + 10, dtype=np.int32) for at in (0, 20, 40)]
    ids = np.concatenate([words[at] for at in (0, 2, 1, 2, 0, 2, 2)])
    heads = np.array([-1, 0, -1, 2, -1, 4, -1])
    assert repeats(ids, np.arange(0, 71, 10), heads).tolist() == [False, False, False, False, True, True, False]
    around = np.array([-1, 0, -1, 0, 2, 3, 4])  # x, x y, z, x y again ...
    assert not repeats(ids, np.arange(0, 71, 10), around)[[4, 6]].any()


def test_other_ids_and_other_orders_are_no_repeats() -> None:
    tokens = np.arange(1000, 1010, dtype=np.int32)
    ids = np.concatenate([tokens, tokens[::-1], tokens + 1, tokens, np.roll(tokens, 1)])
    assert repeats(ids, np.arange(0, 51, 10)).tolist() == [False, False, False, True, False]


@given(segmented())
def test_ranges_end_where_the_next_begins_or_their_context_ends(case: tuple[list[int], list[int]]) -> None:
    limits, contexts = case
    starts = np.array(limits[:-1]) * 3  # tokens of three characters, two blank ones between contexts
    starts += 2 * (np.searchsorted(contexts, limits[:-1], side="right") - 1)
    ends = np.array(contexts[1:]) * 3 + 2 * np.arange(len(contexts) - 1)
    found = partition(np.array(limits), starts, np.array(contexts), ends, np.zeros(starts.size, dtype=bool))
    for index, (start, end) in enumerate(zip(found.starts.tolist(), found.ends.tolist(), strict=True)):
        assert end - start == 3 * (limits[index + 1] - limits[index])


def test_a_cut_behind_a_comma_stays_there() -> None:
    text = "The cat sat on the mat and looked at all the birds, then it went to the garden, while the dog 3,000"
    starts = np.array([match.start() for match in re.finditer(r"(?:^| |,)\S+?(?= |$|,)", text)])

    def moved(mark: str) -> str:
        cut = np.flatnonzero(starts == text.index(mark))
        return text[starts[segmenter._clauses(starts, text, cut, np.array([0, starts.size]))[0]] :]

    assert moved(" while").startswith(" while")
    assert moved(" dog").startswith(" while")
    assert moved(",000").startswith(" while")


def test_pages_end_where_paragraphs_do_in_the_paper_at_any_line(compressor: BeaverPromptCompressor) -> None:
    said = "The ferry to Visby was founded by two sisters from Lund, and it sails from May to October. "
    text = "\n\n".join(textwrap.fill(2 * said, 30) for _ in range(4))
    paragraphs, lines = ([0, *(match.end() for match in re.finditer(end, text))] for end in ("\n\n", "\n(?!\n)"))
    tokenizer = compressor._tokenizer
    pages, of_paper = (
        prepare_document([text], tokenizer.encode([text]), tokenizer, config).pages.starts.tolist()
        for config in (BeaverConfig(), BeaverConfig.paper())
    )
    assert pages == paragraphs
    assert {*of_paper} <= {*lines}
    assert of_paper != paragraphs
