"""How many threads a small amount of arithmetic gets: one.

torch divides even small operations among all cores and waits for the slowest.  Where another process has one of the
cores, that wait costs tens of times what the division saves.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_MANY_VALUES = 1 << 27  # of embedding rows; from here on the work is worth dividing


def threads_for(values: int) -> AbstractContextManager[object]:
    """A context in which this thread's operations have as many threads as ``values`` are worth.

    Args:
        values: embedding values that will be read.
    """
    if values >= _MANY_VALUES:
        return nullcontext()
    torch.get_num_threads()  # the first call in a thread sets it; it must not come later and undo the limit
    return _openmp().limit(limits=1)


@cache
def _openmp() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")
