"""A tiny tiktoken vocabulary, and the servers and caches that tests fetch it from.

Its fixtures go by the names `fresh`, `cached` and `server`; a test module imports the functions behind them.
"""

from __future__ import annotations

import base64
import hashlib
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken.load
from tiktoken import registry

from beaver_compat import counting
from beaver_compat.models import vocabulary

MERGES = [b"he", b"ll", b" w", b"hell", b"hello", b"or", b"  ", b"    "]
RANKS = {token: rank for rank, token in enumerate([bytes([byte]) for byte in range(256)] + MERGES)}
TINY = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in RANKS.items())
PATTERN = r"'(?i:[sdmt])|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s*[\r\n]|\s+(?!\S)|\s"
PATH = "encodings/cl100k_base.tiktoken"
HANG_GUARD = 60  # seconds


def parts() -> dict[str, Any]:
    """What a constructor of tiktoken's returns, with the vocabulary fetched tiktoken's own way."""
    address = vocabulary._PUBLIC + PATH
    ranks = tiktoken.load.load_tiktoken_bpe(address, hashlib.sha256(TINY).hexdigest())
    return {
        "name": "cl100k_base",
        "pat_str": PATTERN,
        "mergeable_ranks": ranks,
        "special_tokens": {"<|endoftext|>": 100257},
    }


@pytest.fixture(name="fresh")
def fresh_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process that has counted nothing, an empty cache, a network that refuses, the tiny vocabulary."""
    tiktoken.list_encoding_names()
    monkeypatch.setitem(registry.ENCODING_CONSTRUCTORS or {}, "cl100k_base", parts)
    monkeypatch.setattr(registry, "ENCODINGS", {})
    monkeypatch.setattr(counting, "_COUNTERS", {})
    monkeypatch.setattr(counting, "_warned", False)
    monkeypatch.setattr(vocabulary, "_ATTEMPTS", {})
    monkeypatch.setattr(vocabulary, "_PUBLIC", "http://127.0.0.1:9/")
    monkeypatch.setitem(vocabulary._SHA256, PATH, hashlib.sha256(TINY).hexdigest())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))


def cache_file() -> Path:
    return Path(os.environ["TIKTOKEN_CACHE_DIR"]) / cache_name()


@pytest.fixture(name="cached")
def filled_cache(fresh: None) -> None:
    """The tiny vocabulary in tiktoken's cache."""
    cache_file().parent.mkdir()
    cache_file().write_bytes(TINY)


class Server(http.server.ThreadingHTTPServer):
    """Sends `TINY` once `release` is set, and counts who asks."""

    block_on_close = False  # a request may still wait

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.release = threading.Event()
        self.asked = 0


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked += 1
        self.server.release.wait(HANG_GUARD)
        self.send_response(200)
        self.send_header("Content-Length", str(len(TINY)))
        self.end_headers()
        self.wfile.write(TINY)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(name="server")
def running_server(fresh: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        monkeypatch.setattr(vocabulary, "_PUBLIC", f"http://127.0.0.1:{running.server_port}/")
        yield running
        running.release.set()
        running.shutdown()


def words(text: str) -> int:
    return len(text.split())


TABLE = counting.FunctionCounter("table", words)


def cache_name() -> str:
    return hashlib.sha1((vocabulary._PUBLIC + PATH).encode()).hexdigest()
