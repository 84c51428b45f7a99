"""Embedding tables kept on this disk, one safetensors file each, memory-mapped when read.

A file is written beside its place and moved there when it is whole, under a lock, so that no reader ever
sees a half table and two processes write it once.  A write that was cut off goes on where it stopped.
Nothing here knows where the bytes come from.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from beaver_compat.errors import BeaverError, ModelNotFoundError, TableError
from beaver_compat.models.checkpoints import FORMAT_DTYPES
from beaver_compat.models.sources import PART_BYTES

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

_KEY = "weight"  # the tensor's name in a kept file
_ALIGNMENT = 8  # bytes; the data of a safetensors file starts at a multiple of it
_LOCK_NOTICE = 5.0  # seconds of waiting for another process before the log says so


def cache_folder() -> Path:
    """The folder of kept tables: `BEAVER_CACHE_DIR`, else the user's cache directory of this system."""
    import platformdirs

    folder = os.environ.get("BEAVER_CACHE_DIR") or platformdirs.user_cache_dir("beaver_compat")
    return Path(folder).expanduser()


def table_path(model: str, commit: str, kind: str) -> Path:
    """Where the table of `model` at `commit` is kept; `kind` is a dtype's name, or "stored" for its own."""
    return cache_folder() / "tables" / model.replace("/", "--") / commit / f"{kind}.safetensors"


def open_table(path: Path) -> torch.Tensor | None:
    """The kept table `[V, d]`, memory-mapped; None where there is none, or a broken one.

    Raises:
        ModelNotFoundError: the file can't be read.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            table: torch.Tensor = file.get_tensor(_KEY)
            return table
    except FileNotFoundError:
        return None
    except SafetensorError as error:
        logger.warning("the kept table %s is broken (%s) and will be written anew", path, error)
        return None
    except OSError as error:
        raise _disk_error(path, error) from error


def table_header(dtype: str, shape: Sequence[int], size: int, origin: dict[str, str]) -> bytes:
    """The start of a safetensors file that holds one table.

    Args:
        dtype: the format's name of it, such as "BF16".
        shape: rows and columns.
        size: bytes of the table.
        origin: where the table comes from; a cut-off write is only continued where this is the same.
    """
    entry = {"dtype": dtype, "shape": list(shape), "data_offsets": [0, size]}
    text = json.dumps({"__metadata__": origin, _KEY: entry}).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    return len(text).to_bytes(8, "little") + text


def keep_table(path: Path, header: bytes, size: int, parts: Callable[[int], Iterable[bytes]]) -> torch.Tensor:
    """The table kept at `path`, written first where it isn't there whole.

    Args:
        path: its place.
        header: what `table_header` made for it.
        size: bytes of the table.
        parts: gives the table's bytes from an offset on, in pieces of at most `PART_BYTES`; the offset is a
            multiple of 8.

    Raises:
        ModelNotFoundError: the disk is full or refuses; whatever `parts` raises of this package.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.with_suffix(".lock")):
            table = open_table(path)
            if table is None:
                _write(path, header, size, parts)
                table = open_table(path)
    except OSError as error:
        if isinstance(error, BeaverError):
            raise
        raise _disk_error(path, error) from error
    if table is None:
        raise TableError(f"the table just written can't be read back: delete {path} and start again.")
    return table


def keep_tensor(path: Path, tensor: torch.Tensor, dtype: torch.dtype, origin: dict[str, str]) -> torch.Tensor:
    """The table kept at `path`, written from `tensor` in `dtype` where it isn't there whole.

    Parameters and errors as for `table_header` and `keep_table`.
    """
    import torch

    flat = tensor.reshape(-1)

    def parts(done: int) -> Iterator[bytes]:
        step = PART_BYTES // dtype.itemsize
        for start in range(done // dtype.itemsize, flat.numel(), step):
            yield flat[start : start + step].to(dtype).view(torch.uint8).numpy().tobytes()

    name = FORMAT_DTYPES[str(dtype).removeprefix("torch.")]
    size = tensor.numel() * dtype.itemsize
    return keep_table(path, table_header(name, tensor.shape, size, origin), size, parts)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(timeout=_LOCK_NOTICE)
    except Timeout:
        logger.warning("waiting for another process that writes the same table (it holds %s)", path)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _write(path: Path, header: bytes, size: int, parts: Callable[[int], Iterable[bytes]]) -> None:
    from huggingface_hub import utils

    progress_bar: Any = utils.tqdm  # type: ignore[attr-defined]  # obeys HF_HUB_DISABLE_PROGRESS_BARS
    unfinished = path.with_suffix(".part")
    unfinished.touch()
    with unfinished.open("r+b") as file:
        done = _written(file, header, size)
        file.seek(0)
        file.write(header)
        file.seek(len(header) + done)
        file.truncate()
        settings = {"unit": "B", "unit_scale": True, "disable": None}  # None: off where stderr is no terminal
        with progress_bar(desc="embedding table", total=size, initial=done, **settings) as bar:
            for part in parts(done):
                file.write(part)
                file.flush()
                os.fsync(file.fileno())
                bar.update(len(part))
        if file.tell() != len(header) + size:
            came = file.tell() - len(header)
            raise TableError(f"{came} bytes came for the {size} of the table at {path}: the checkpoint is cut short.")
    os.replace(unfinished, path)


def _written(file: BinaryIO, header: bytes, size: int) -> int:
    """Bytes of the table that an earlier, cut-off write left and that are safe to keep.

    The last piece may not have reached the disk before a power cut, so it is written again.
    """
    if file.read(len(header)) != header:
        return 0
    done = min(file.seek(0, os.SEEK_END) - len(header), size) - PART_BYTES
    return max(done, 0) // _ALIGNMENT * _ALIGNMENT


def _disk_error(path: Path, error: OSError) -> ModelNotFoundError:
    step = "make it writable"
    if error.errno == errno.ENOSPC:
        step = "free some space and start again (it goes on where it stopped)"
    return ModelNotFoundError(
        error.errno,
        f"the embedding table can't be kept at {path} ({error.strerror or error}): {step}, or delete "
        f"{path.parent}, or set BEAVER_CACHE_DIR to another folder.",
    )
