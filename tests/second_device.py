"""A device that is none: tensors on the CPU that are held apart from the others as a GPU's are.

Where no GPU is at hand it shows what one would refuse: operations on tensors of two devices, and numpy's hands on a
tensor that isn't the CPU's.  It shows nothing of a GPU's kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

CPU, APART = torch.device("cpu"), torch.device("cuda")
_MARK = "_stands_apart"
_WAITING = {"item", "tolist", "__bool__", "__int__", "__float__", "__index__", "nonzero", "unique", "bincount"}
_NUMPYS = {"numpy", "__array__"}
_INDEXED = {"__getitem__", "__setitem__", "index_put_"}


class SecondDevice(TorchFunctionMode):
    """While it is open, ``device="cuda"`` makes tensors that stand apart.

    Attributes:
        waits: how often the host waited for a value.
    """

    def __init__(self) -> None:
        super().__init__()
        self.waits = 0

    def put(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy of a tensor on the second device."""
        return self._marked(tensor.clone(), True)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "__get__" and func.__self__ is torch.Tensor.device:  # type: ignore[attr-defined]
            return APART if _apart(args[0]) else CPU
        if name in ("cpu", "to", "cuda"):
            return self._moved(name, args, kwargs)
        wanted = kwargs.pop("device", None)
        tensors = list(_tensors((args, kwargs)))
        apart = [_apart(tensor) for tensor in tensors]
        if name in _NUMPYS and any(apart):
            raise TypeError(f"{name}: can't convert a tensor of the second device to numpy; use .cpu() first")
        self.waits += any(apart) and name in _WAITING
        free = [
            tensor.dim() == 0 or (name in _INDEXED and at > 0 and not _apart(tensor))
            for at, tensor in enumerate(tensors)
        ]
        placed = {own for own, may in zip(apart, free, strict=True) if not may}
        if len(placed) > 1:
            raise RuntimeError(f"{name}: expected all tensors to be on the same device")
        on_it = any(apart) if wanted is None else torch.device(wanted).type == "cuda"
        return self._marked(func(*args, **kwargs), on_it)

    def _moved(self, name: str, args: Any, kwargs: dict[str, Any]) -> torch.Tensor:
        tensor, *rest = args
        target = CPU if name == "cpu" else APART if name == "cuda" else None
        dtype = kwargs.get("dtype")
        for value in [*rest, *kwargs.values()]:
            if isinstance(value, torch.dtype):
                dtype = value
            elif isinstance(value, (str, torch.device)):
                target = torch.device(value)
        on_it = _apart(tensor) if target is None else target.type == "cuda"
        moved = tensor.clone() if on_it != _apart(tensor) else tensor
        self.waits += _apart(tensor) and not on_it
        return self._marked(moved if dtype is None else moved.type(dtype), on_it)

    def _marked(self, result: Any, apart: bool) -> Any:
        for tensor in _tensors((result,)):
            setattr(tensor, _MARK, apart)
        return result


def _apart(tensor: torch.Tensor) -> bool:
    return getattr(tensor, _MARK, False)


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list, dict)):
            yield from _tensors(value)
