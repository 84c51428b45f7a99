"""BEAVER prompt compression as a drop-in for LLMLingua.

Names load on first use, so that importing the package needs neither torch nor transformers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beaver_compat.comparison import Comparison, compare
    from beaver_compat.compressor import BeaverPromptCompressor
    from beaver_compat.compressor import BeaverPromptCompressor as PromptCompressor
    from beaver_compat.config import BeaverConfig
    from beaver_compat.counting import TokenCounterWarning
    from beaver_compat.errors import (
        BeaverError,
        InputAssertionError,
        InputKeyError,
        InputTypeError,
        InputValueError,
        ModelNotFoundError,
        TableError,
        TokenizerError,
    )
    from beaver_compat.result import CompressionResult, KeptSpan
    from beaver_compat.structured import TagWarning

__version__ = "0.1.0"

_HOMES = {
    "BeaverConfig": "config",
    "BeaverError": "errors",
    "BeaverPromptCompressor": "compressor",
    "Comparison": "comparison",
    "CompressionResult": "result",
    "InputAssertionError": "errors",
    "InputKeyError": "errors",
    "InputTypeError": "errors",
    "InputValueError": "errors",
    "KeptSpan": "result",
    "ModelNotFoundError": "errors",
    "PromptCompressor": "compressor",
    "TableError": "errors",
    "TagWarning": "structured",
    "TokenCounterWarning": "counting",
    "TokenizerError": "errors",
    "compare": "comparison",
}

__all__ = [
    "BeaverConfig",
    "BeaverError",
    "BeaverPromptCompressor",
    "Comparison",
    "CompressionResult",
    "InputAssertionError",
    "InputKeyError",
    "InputTypeError",
    "InputValueError",
    "KeptSpan",
    "ModelNotFoundError",
    "PromptCompressor",
    "TableError",
    "TagWarning",
    "TokenCounterWarning",
    "TokenizerError",
    "compare",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
