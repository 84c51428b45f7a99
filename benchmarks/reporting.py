"""What every benchmark says of its run, and how it writes tables.  It knows nothing of what is measured."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def environment(packages: Sequence[str]) -> dict[str, Any]:
    """Command, commit, versions of `packages` (None where not installed) and device of this run."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    installed = {found.name.lower(): found.version for found in importlib.metadata.distributions()}
    return {
        "command": " ".join(sys.argv),
        "commit": commit or None,
        "versions": {"python": platform.python_version()} | {p: installed.get(p) for p in packages},
        "device": f"{platform.machine()} CPU, {os.cpu_count()} cores, {platform.system()}",
    }


def refusal(file: Path) -> str:
    """Why a result can't be written to a file, or "" where it can: what is there is kept."""
    if file.exists():
        return f"{str(file)!r} exists; name another file"
    if not file.parent.is_dir():
        return f"{str(file)!r} has no folder to stand in; make it, or name another file"
    return ""


def markdown_row(texts: Sequence[str]) -> str:
    """A row of a Markdown table.

    >>> markdown_row(["a", "b"])
    '| a | b |'
    """
    return "| " + " | ".join(texts) + " |"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table.

    >>> print(markdown_table(["n"], [["1"]]))
    | n |
    | --- |
    | 1 |
    """
    return "\n".join(map(markdown_row, [header, ["---"] * len(header), *rows]))
