"""Which device a `device_map` means.

Knows this machine's devices; does not know what will lie on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from beaver_compat.caller import warn_caller
from beaver_compat.errors import InputValueError, shown, wrong_type

if TYPE_CHECKING:
    import torch

_DEVICES = ("cpu", "cuda", "mps")
_SPREAD = ("auto", "balanced", "balanced_low_0", "sequential")  # device maps that let the library choose

_warned = False  # whether this process has been told that its GPU is missing


def resolve_device(device_map: Any) -> torch.device:
    """The device that a `device_map` of LLMLingua or transformers stands for.

    A table lies on one device: "auto" and its kin mean the first GPU, or the CPU without one; of a dict the
    place of the whole model counts, else the first place.  A GPU that this machine lacks is replaced by the
    CPU, with one warning per process.

    Args:
        device_map: None, a device or its name, a GPU's number, "auto", "balanced", "balanced_low_0",
            "sequential", or a dict from module names to such values.

    Raises:
        InputTypeError, InputValueError: anything else, or the number of a GPU beyond those there are.

    >>> resolve_device("cpu")
    device(type='cpu')
    """
    import torch

    if isinstance(device_map, Mapping) and device_map:
        return resolve_device(device_map.get("", next(iter(device_map.values()))))
    if device_map is None or device_map == "disk":
        return torch.device("cpu")
    if isinstance(device_map, str) and device_map in _SPREAD:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if isinstance(device_map, bool) or not isinstance(device_map, str | int | torch.device):
        raise wrong_type("device_map", device_map, "a name such as 'cpu', 'cuda' or 'cuda:1'")
    try:
        device = torch.device("cuda", device_map) if isinstance(device_map, int) else torch.device(device_map)
    except (RuntimeError, ValueError) as error:
        raise _unknown(device_map) from error
    if device.type not in _DEVICES:
        raise _unknown(device_map)
    return _available(device)


def _available(device: torch.device) -> torch.device:
    """The device, or the CPU in its place where this machine has none of its type."""
    import torch

    global _warned
    if device.type == "cpu":
        return device
    there = torch.cuda.is_available() if device.type == "cuda" else torch.backends.mps.is_available()
    if there and device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        count = torch.cuda.device_count()
        raise InputValueError(f"device_map {str(device)!r}: this machine has {count} GPUs, counted from 0.")
    if there:
        return device
    if not _warned:
        _warned = True
        message = f"device_map {str(device)!r}: this machine has no {device.type} device, using the CPU."
        warn_caller(message, UserWarning)
    return torch.device("cpu")


def _unknown(device_map: object) -> InputValueError:
    known = ", ".join((*_DEVICES, *_SPREAD))
    return InputValueError(f"device_map {shown(device_map)} isn't known: use one of {known}, or 'cuda:1'.")
