"""The plan's parts against slow loops, and the plan over a text of numbered sentences."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beaver_compat.planning import Runs, largest_fitting, merged, union

stretches = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)).map(lambda p: (p[0], p[0] + p[1])), max_size=12)


def characters(runs: Runs) -> set[int]:
    return {place for start, end in runs for place in range(start, end)}


def is_tidy(runs: Runs) -> bool:
    return all(runs[i][1] < runs[i + 1][0] for i in range(len(runs) - 1)) and all(start < end for start, end in runs)


@given(stretches)
def test_merged_stretches_cover_the_same_characters(found: Runs) -> None:
    starts, ends = np.array(found, dtype=np.int64).reshape(-1, 2).T
    runs = merged(starts, ends)
    assert characters(runs) == characters(found)
    assert is_tidy(runs)


@given(stretches, stretches)
def test_a_union_covers_both(one: Runs, other: Runs) -> None:
    runs = union(one, other)
    assert characters(runs) == characters(one) | characters(other)
    assert is_tidy(runs)


@given(
    st.lists(st.integers(0, 20), max_size=60), st.lists(st.integers(1, 20), max_size=60), st.integers(0, 5), st.data()
)
def test_the_largest_that_fits_is_found_whatever_the_estimates(
    rises: list[int], guesses: list[int], least: int, data: st.DataObject
) -> None:
    size = min(len(rises), len(guesses))
    costs = [least, *(least + np.cumsum(rises[:size], dtype=np.int64)).tolist()]
    budget = data.draw(st.integers(least, costs[-1] + 3))
    calls: list[int] = []

    def cost(count: int) -> int:
        calls.append(count)
        return costs[count]

    found = largest_fitting(cost, least, np.cumsum(guesses[:size], dtype=np.int64), budget)
    assert found == max(count for count in range(size + 1) if costs[count] <= budget)
    assert len(calls) <= 6 + np.ceil(np.log2(size + 1)) + 1
    assert len(calls) == len(set(calls))


def test_good_estimates_need_few_calls() -> None:
    rises = np.random.default_rng(1).integers(10, 40, 5000)
    costs = np.cumsum(rises)
    calls: list[int] = []

    def cost(count: int) -> int:
        calls.append(count)
        return int(costs[count - 1])

    assert largest_fitting(cost, 0, np.cumsum(rises + 1), 30_000) == int(np.searchsorted(costs, 30_000, side="right"))
    assert len(calls) <= 6
