"""What a device_map means on machines with and without GPUs."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch

from beaver_compat import BeaverPromptCompressor, devices
from beaver_compat.devices import resolve_device
from beaver_compat.errors import InputTypeError, InputValueError


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(devices, "_warned", False)


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)


QUIET_ON_CPU = ["cpu", "auto", "balanced", "balanced_low_0", "sequential", None, "disk", {"": "cpu"}]


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("device_map", [*QUIET_ON_CPU, torch.device("cpu"), {"model.embed_tokens": "cpu", "x": 1}])
def test_maps_that_mean_the_cpu_without_a_gpu(device_map: Any) -> None:
    assert resolve_device(device_map) == torch.device("cpu")


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("device_map", ["cuda", "cuda:1", 0, {"": 0}, "mps", torch.device("cuda")])
def test_a_missing_gpu_warns_once(device_map: Any) -> None:
    with pytest.warns(UserWarning, match="this machine has no (cuda|mps) device, using the CPU"):
        assert resolve_device(device_map) == torch.device("cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert resolve_device(device_map) == torch.device("cpu")


@pytest.mark.usefixtures("no_gpu")
def test_the_warning_points_at_the_callers_line() -> None:
    with pytest.warns(UserWarning, match="no cuda device") as seen:
        BeaverPromptCompressor(device_map="cuda", token_counter="table")
    assert seen[0].filename == __file__


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize(
    ("device_map", "device"),
    [
        ("cuda", "cuda"),
        ("auto", "cuda"),
        ("cuda:1", "cuda:1"),
        (1, "cuda:1"),
        ({"": 1}, "cuda:1"),
        ("cpu", "cpu"),
    ],
)
def test_maps_with_gpus(device_map: Any, device: str) -> None:
    assert resolve_device(device_map) == torch.device(device)


@pytest.mark.usefixtures("two_gpus")
def test_a_gpu_beyond_those_there_are() -> None:
    with pytest.raises(InputValueError, match="'cuda:2': this machine has 2 GPUs"):
        resolve_device("cuda:2")


@pytest.mark.parametrize("device_map", ["gpu", "cuda:x", "", "meta", -1])
def test_an_unknown_device_is_named(device_map: Any) -> None:
    with pytest.raises(InputValueError, match=r"device_map .* isn't known: use one of cpu"):
        resolve_device(device_map)


@pytest.mark.parametrize("device_map", [True, 1.5, {}, ["cuda"]])
def test_a_device_map_of_the_wrong_type_is_named(device_map: Any) -> None:
    with pytest.raises(
        InputTypeError, match=rf"^device_map is of type {type(device_map).__name__}: .*; give .* 'cuda'"
    ):
        resolve_device(device_map)
