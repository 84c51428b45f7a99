"""Settings that can't be used are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from beaver_compat import BeaverConfig, BeaverPromptCompressor, InputTypeError, InputValueError

INTEGERS = ("page_size", "late_interaction_tokens", "anchor_pages", "flow_window")
LARGEST = 2**31 - 1


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_have_bounds(name: str) -> None:
    for wrong in (-1, LARGEST + 1, 10**30, 10**5000):
        with pytest.raises(InputValueError, match=rf"^{name} is .*; give an integer "):
            BeaverConfig(**{name: wrong})
    for wrong in (1.5, "4", True, None, np.array([1, 2])):
        with pytest.raises(InputTypeError, match=rf"^{name} is .*; give an integer$"):
            BeaverConfig(**{name: wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", INTEGERS)
def test_the_largest_integers_compress(name: str) -> None:
    made = BeaverPromptCompressor(token_counter="table", config=BeaverConfig(**{name: LARGEST}))
    result = made.compress(["One two. Three four. " * 50, "Five six."], question="Three?", target_token=60)
    assert 0 < result.compressed_tokens <= 60


@pytest.mark.parametrize("name", ["semantic_weight", "prior_share"])
def test_shares_have_bounds(name: str) -> None:
    for wrong in (-0.1, 1.1, 10**400):
        with pytest.raises(InputValueError, match=rf"^{name} is .*; give a share from 0 to 1$"):
            BeaverConfig(**{name: wrong})  # type: ignore[arg-type]
    for nothing, error in ((float("nan"), InputValueError), ("0.5", InputTypeError), (True, InputTypeError)):
        with pytest.raises(error, match=rf"^{name} is .*; give a number$"):
            BeaverConfig(**{name: nothing})  # type: ignore[arg-type]


def test_numpys_numbers_are_numbers() -> None:
    made = BeaverConfig(page_size=np.int64(32), anchor_pages=np.uint8(2), sentence_weight=np.float32(0.5))  # type: ignore[arg-type]
    assert made == BeaverConfig(page_size=32, anchor_pages=2, sentence_weight=0.5)
    assert repr(made) == "BeaverConfig(page_size=32, sentence_weight=0.5, anchor_pages=2)"


@pytest.mark.parametrize("selection", [5, None, "flash", (), []])
def test_a_selection_that_is_no_tuple_of_roles(selection: Any) -> None:
    with pytest.raises(InputTypeError, match=r"^selection is .*; give a tuple of roles such as \('flash',\)$"):
        BeaverConfig(selection=selection)


def test_roles() -> None:
    with pytest.raises(InputValueError, match=r"^selection is 'best'; give one of 'anchor', 'flow', 'flash'$"):
        BeaverConfig(selection=("flash", "best"))  # type: ignore[arg-type]
    for roles in (["flash", "flow"], iter(["flash", "flow"])):
        assert BeaverConfig(selection=roles).selection == ("flash", "flow")  # type: ignore[arg-type]
