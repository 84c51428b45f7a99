"""Putting a model on a Hub of this machine, and pointing the client there."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from hub_server import COMMIT, HubServer, Repo
from huggingface_hub import constants
from model_files import model_files, table

from beaver_compat.models import sources, table_cache

MODEL = "someone/a-model"
BIG = table(rows=200)  # 3,200 bytes
PART = 256  # bytes; so small that a tiny table comes in several parts
NOBODY = "http://127.0.0.1:9"  # where nobody listens


def point_client_at(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use another Hub."""
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    template = endpoint + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


def fresh_client(endpoint: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client without token, with empty caches under `folder`, that waits for nothing."""
    point_client_at(endpoint, monkeypatch)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder / "hub"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(folder / "no-token"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("BEAVER_CACHE_DIR", str(folder / "beaver"))
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    for module in (sources, table_cache):
        monkeypatch.setattr(module, "PART_BYTES", PART)


def serve(hub: HubServer, kind: str = "safetensors", **settings: Any) -> None:
    """Put a model on the Hub; arguments as for `model_files`."""
    hub.repos[MODEL] = Repo(model_files(kind, **settings))


def kept_file(kind: str = "stored", commit: str = COMMIT) -> Path:
    """Where its table is kept."""
    return table_cache.table_path(MODEL, commit, kind)


def start(code: str, endpoint: str, folder: Path) -> subprocess.Popen[str]:
    """Run code in another process, with the same Hub and the same caches."""
    caches = {"HF_HOME": folder, "HF_HUB_CACHE": folder / "hub", "BEAVER_CACHE_DIR": folder / "beaver"}
    others = {"HF_ENDPOINT": endpoint, "PYTHONPATH": str(Path(sources.__file__).parents[1])}
    env = {**os.environ, **others, **{name: str(path) for name, path in caches.items()}}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
