"""Frameworks that tests drive where they are installed."""

from __future__ import annotations

import warnings
from types import ModuleType

import pytest


def framework(name: str) -> ModuleType:
    """A framework's module; the test is skipped where it isn't installed.

    What frameworks warn of while they are imported (their own deprecations) is not ours.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(
            name,
            reason=f"{name} is not installed: pip install 'beaver-compat[clients]'",
            exc_type=ModuleNotFoundError,
        )
