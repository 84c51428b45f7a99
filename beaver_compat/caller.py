"""Warnings that point at the caller's line, however deep in this package they come up."""

from __future__ import annotations

import os
import sys
import warnings

_PACKAGE = os.path.dirname(__file__) + os.sep


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn as from the line outside of this package that called into it.

    Args:
        message: the warning.
        category: its class.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)  # from Python 3.12 on, skip_file_prefixes does it
