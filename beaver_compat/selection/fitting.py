"""How much fits a budget, found out in few exact counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from beaver_compat.selection.runs import Runs

Positions = NDArray[np.int64]

_GUESSES = 6  # interpolated counts before the search halves the interval instead


def largest_fitting(cost: Callable[[int], int], least: int, estimates: Positions, budget: int) -> int:
    """The largest k in 0..n with ``cost(k) <= budget``, in few calls.

    Args:
        cost: exact cost of the first k, rising but for joints.
        least: ``cost(0)``, which is within the budget.
        estimates: roughly proportional to the rise of ``cost``, [n], ascending.
        budget: the bound.

    >>> largest_fitting(lambda k: 10 * k, 0, np.array([1, 2, 3, 4]), 35)
    3
    """
    estimate = np.concatenate([[0], estimates])
    low, high = 0, estimate.size
    low_cost, rate = least, 1.0
    guesses = 0
    while high - low > 1:
        reach = estimate[low] + (budget - low_cost) / rate
        guess = int(estimate.searchsorted(reach, side="right")) - 1
        if guesses >= _GUESSES:
            guess = (low + high) // 2
        guess = min(max(guess, low + 1), high - 1)
        guess_cost = cost(guess)
        guesses += 1
        rise = estimate[guess] - estimate[low]
        if guess_cost > low_cost and rise > 0:
            rate = (guess_cost - low_cost) / rise
        if guess_cost <= budget:
            low, low_cost = guess, guess_cost
        else:
            high = guess
    return low


def remembered(cost: Callable[[Runs], int]) -> Callable[[Runs], int]:
    """The cost of runs, each counted once."""
    known: dict[tuple[tuple[int, int], ...], int] = {}

    def cost_of(runs: Runs) -> int:
        key = tuple(runs)
        if key not in known:
            known[key] = cost(runs)
        return known[key]

    return cost_of
