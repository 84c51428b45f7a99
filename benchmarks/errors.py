"""The errors of the benchmarks."""

from __future__ import annotations


class UnavailableError(Exception):
    """Something that a row or a table needs can't be had; the message is one line that says what and why."""


class ReaderError(UnavailableError):
    """The reader stopped answering; every row needs it, so the run ends and can be taken up again."""
