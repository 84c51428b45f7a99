"""tiktoken's vocabularies, read from its cache or fetched within a few seconds.

tiktoken fetches a vocabulary on first use and sets no time limit on it.  Here the fetch runs in a thread that
is waited for and then left behind, once per process and encoding.  Nothing here knows what is counted.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beaver_compat.errors import InputValueError, ModelNotFoundError, shown

if TYPE_CHECKING:
    from tiktoken import Encoding

FETCH_SECONDS = 3.0  # how long a download is waited for
CACHED_SECONDS = 60.0  # the same for a vocabulary on disk, which takes 0.2 s on an idle machine

_PUBLIC = "https://openaipublic.blob.core.windows.net/"
# The files of tiktoken's own encodings under _PUBLIC, and their SHA-256.  A plugin's encodings are not listed
# and count as not cached.
_FILES = {
    "gpt2": ("gpt-2/encodings/main/vocab.bpe", "gpt-2/encodings/main/encoder.json"),
    "r50k_base": ("encodings/r50k_base.tiktoken",),
    "p50k_base": ("encodings/p50k_base.tiktoken",),
    "p50k_edit": ("encodings/p50k_base.tiktoken",),
    "cl100k_base": ("encodings/cl100k_base.tiktoken",),
    "o200k_base": ("encodings/o200k_base.tiktoken",),
    "o200k_harmony": ("encodings/o200k_base.tiktoken",),
}
OWN_ENCODINGS = frozenset(_FILES)
_SHA256 = {
    "gpt-2/encodings/main/vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    "gpt-2/encodings/main/encoder.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    "encodings/r50k_base.tiktoken": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "encodings/p50k_base.tiktoken": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "encodings/cl100k_base.tiktoken": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "encodings/o200k_base.tiktoken": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}

_LOCK = threading.Lock()
_ATTEMPTS: dict[str, _Attempt] = {}  # encoding name -> the last try at its vocabulary


def encoding_name(name: str) -> str:
    """The tiktoken encoding of a model name, or `name` itself where it is an encoding's.

    Raises:
        InputValueError: tiktoken knows neither a model nor an encoding of that name.

    >>> encoding_name("gpt-4o"), encoding_name("cl100k_base")
    ('o200k_base', 'cl100k_base')
    """
    import tiktoken

    try:
        return tiktoken.encoding_name_for_model(name)
    except KeyError:
        # Known names first: tiktoken's list waits for a lock, which a download of its own may hold.
        if name in _FILES or name in tiktoken.list_encoding_names():
            return name
    raise InputValueError(
        f"token_counter is {shown(name)}, and tiktoken knows no model or encoding of that name: "
        'give one such as "gpt-4o" or "cl100k_base", "table", or a function.'
    )


def load_encoding(name: str) -> Encoding:
    """An encoding of tiktoken's: the one it has loaded, or from its cache, or from the network.

    A fetch is waited for until `FETCH_SECONDS` after its start and never started twice in a process, but a
    vocabulary that has meanwhile come into the cache is read.

    Raises:
        ModelNotFoundError: the vocabulary can't be had in that time; the message says how to bring it by hand.
    """
    from tiktoken import Encoding, registry

    if name in registry.ENCODINGS:
        return registry.ENCODINGS[name]
    with _LOCK:
        attempt = _ATTEMPTS.get(name)
        cached = cached_files(name) is not None
        if attempt is None or (cached and not attempt.cached):
            attempt = _ATTEMPTS[name] = _Attempt(name, cached)
    parts = attempt.wait()
    if parts is None:
        saves = [f"{_PUBLIC}{path} as {_cache_name(path)}" for path in _FILES.get(name, ())]
        files = " and ".join(saves) or "its files"
        raise ModelNotFoundError(
            f"tiktoken's vocabulary {name!r} can't be had ({attempt.failure}): save {files} in "
            'the folder that TIKTOKEN_CACHE_DIR names, or pass token_counter="table" or a function.'
        )
    return Encoding(**parts)


class _Attempt:
    """One try to read or fetch the vocabulary of an encoding; a fetch that is stuck can only be left behind.

    The thread is a daemon, so that it holds up no exit.  While it fetches it takes none of tiktoken's locks
    and runs none of its native code: a daemon thread that comes back from that at exit aborts the process.
    """

    def __init__(self, name: str, cached: bool) -> None:
        self.cached = cached
        seconds = CACHED_SECONDS if cached else FETCH_SECONDS
        self.failure = f"no answer within {seconds:g} s"
        self._parts: dict[str, Any] | None = None
        self._name = name
        self._deadline = time.monotonic() + seconds
        self._thread = threading.Thread(target=self._run, name=f"vocabulary {name}", daemon=True)
        self._thread.start()

    def wait(self) -> dict[str, Any] | None:
        """The arguments of `tiktoken.Encoding`, or None where the deadline passes without them."""
        self._thread.join(max(0.0, self._deadline - time.monotonic()))
        return self._parts

    def _run(self) -> None:
        from tiktoken import registry

        try:
            if self._name not in (registry.ENCODING_CONSTRUCTORS or {}):
                registry.list_encoding_names()  # finds the constructors
            self._parts = (registry.ENCODING_CONSTRUCTORS or {})[self._name]()
        except Exception as error:  # noqa: BLE001  network, proxy, disk: the message tells which
            self.failure = shown(error)


def cached_files(name: str) -> list[Path] | None:
    """The files of an encoding in tiktoken's cache; None unless all of them are there and whole."""
    default = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", default))
    paths = _FILES.get(name, ())
    if not folder or not paths:  # tiktoken takes an empty folder name for "no cache"
        return None
    files = [Path(folder, _cache_name(path)) for path in paths]
    whole = all(_sha256(file) == _SHA256[path] for file, path in zip(files, paths, strict=True))
    return files if whole else None


def _cache_name(path: str) -> str:
    return hashlib.sha1((_PUBLIC + path).encode(), usedforsecurity=False).hexdigest()


def _sha256(file: Path) -> str | None:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None
