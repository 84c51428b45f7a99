"""Where a model's files come from: a local folder, or the Hugging Face Hub.

Both kinds of source answer the same three questions about a file: is it on this disk (`held`), bring it
(`path`), give some of its bytes (`read`).  The Hub's client library does the talking, so its token, endpoint,
cache, proxy and offline settings apply.  Nothing here knows what the files mean.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from beaver_compat.errors import BeaverError, ModelNotFoundError, shown, wrong_type
from beaver_compat.models.connection import connection_error, is_unconnected

PART_BYTES = 1 << 24  # bytes of a large file that are held in memory, and written, at a time
_RETRIES = 5  # breaks in a row, without a byte between them, that end a ranged read
_RETRY_PAUSE = 1.0  # seconds before a broken ranged read goes on
_LIBRARY = "beaver_compat"  # the name given to the Hub with each request
_COMMIT_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json")  # one of them tells the commit


class LocalFolder:
    """A model's folder on this disk.

    Args:
        name: what the caller passed.
        folder: the folder.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder

    def held(self, file: str) -> Path | None:
        """`file` where it is on this disk, else None."""
        path = self.folder / file
        return path if path.is_file() else None

    def path(self, file: str) -> Path | None:
        """The same: a folder has nothing to fetch."""
        return self.held(file)

    def read(self, file: str, start: int, stop: int) -> bytes | None:
        """Bytes `start` to `stop` (less at the file's end) of `file`; None where there is no such file."""
        path = self.held(file)
        return None if path is None else _read_local(path, start, stop)

    def pretrained(self) -> tuple[str, dict[str, Any]]:
        """Arguments of transformers' `from_pretrained` for this model."""
        return str(self.folder), {"local_files_only": True}


class HubModel:
    """A model on the Hugging Face Hub, at one commit.

    A branch or tag is resolved to its commit when the object is made, from the local cache where the Hub
    can't be reached, and every file comes from that commit.

    Args:
        name: the model's name on the Hub.
        model_config: `revision`, `token`, `cache_dir` and `local_files_only` are read.

    Raises:
        ModelNotFoundError: the model can't be reached, or isn't there.
    """

    def __init__(self, name: str, model_config: Mapping[str, Any]) -> None:
        self.name = name
        self._revision: str = model_config.get("revision") or "main"
        self._token: str | bool | None = model_config.get("token")
        self._cache_dir: str | None = model_config.get("cache_dir")
        self._local_only = bool(model_config.get("local_files_only", False))
        self.commit = self._resolve()

    def _resolve(self) -> str:
        from huggingface_hub import errors, hf_hub_url

        file = _COMMIT_FILES[0]
        with contextlib.suppress(errors.HFValidationError):  # raised again below
            if not self._local_only and self._cached(file, self._revision) is None:
                url = hf_hub_url(self.name, file, revision=self._revision)
                error = connection_error(url, self._token, _LIBRARY)
                if error is not None:
                    raise self._failed(error) from error
        for file in _COMMIT_FILES:
            path = self._download(file, self._revision)
            if path is not None:
                return path.parent.name  # .../snapshots/<commit>/<file>
        raise ModelNotFoundError(
            f"model {shown(self.name)} holds none of {', '.join(_COMMIT_FILES)}, so it is no transformers "
            "model: check the name, or pass a local folder."
        )

    def held(self, file: str) -> Path | None:
        """`file` where it is in the Hub's local cache, else None."""
        found = self._cached(file, self.commit)
        return Path(found) if isinstance(found, str) else None

    def path(self, file: str) -> Path | None:
        """`file` in the Hub's local cache, downloaded whole where need be; None where the model has none."""
        from huggingface_hub import _CACHED_NO_EXIST

        found = self._cached(file, self.commit)
        if found is _CACHED_NO_EXIST:
            return None
        return Path(found) if isinstance(found, str) else self._download(file, self.commit)

    def read(self, file: str, start: int, stop: int) -> bytes | None:
        """Bytes `start` to `stop` (less at the file's end) of `file`; None where there is no such file."""
        from huggingface_hub.errors import EntryNotFoundError

        path = self.held(file)
        if path is not None:
            return _read_local(path, start, stop)
        try:
            return b"".join(self.stream(file, start, stop))
        except ModelNotFoundError as error:
            if isinstance(error.__cause__, EntryNotFoundError):
                return None
            raise

    def stream(self, file: str, start: int, stop: int) -> Iterator[bytes]:
        """Bytes `start` to `stop` of `file` from the Hub, in parts of at most `PART_BYTES`.

        A connection that breaks is taken up again where it broke, a few times.

        Raises:
            ModelNotFoundError: the bytes can't be had.
        """
        if self._local_only:
            raise ModelNotFoundError(
                f"model {shown(self.name)}: {file} isn't in the local cache, and local_files_only forbids "
                "to fetch it: load the model once without local_files_only, or pass a local folder."
            )
        try:
            yield from self._ranges(file, start, stop)
        except BeaverError:
            raise
        except Exception as error:  # the client raises its HTTP library's errors, which differ by version
            raise self._failed(error) from error

    def pretrained(self) -> tuple[str, dict[str, Any]]:
        """Arguments of transformers' `from_pretrained` for this model."""
        settings = {"token": self._token, "cache_dir": self._cache_dir, "local_files_only": self._local_only}
        return self.name, {"revision": self.commit, **settings}

    def _cached(self, file: str, revision: str) -> object:
        """Path of `file` in the Hub's local cache, its mark for a file known to be missing, or None."""
        from huggingface_hub import try_to_load_from_cache

        return try_to_load_from_cache(self.name, file, cache_dir=self._cache_dir, revision=revision)

    def _download(self, file: str, revision: str) -> Path | None:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

        try:
            path = hf_hub_download(
                self.name,
                file,
                revision=revision,
                token=self._token,
                cache_dir=self._cache_dir,
                local_files_only=self._local_only,
                library_name=_LIBRARY,
            )
        except LocalEntryNotFoundError as error:  # not here, and no way to look there
            raise self._failed(error) from error
        except EntryNotFoundError:
            return None
        except Exception as error:  # as in stream
            raise self._failed(error) from error
        return Path(path)

    def _ranges(self, file: str, start: int, stop: int) -> Iterator[bytes]:
        from huggingface_hub import hf_hub_url, utils

        client: Any = utils  # its types differ by version
        url = hf_hub_url(self.name, file, revision=self.commit)
        headers = client.build_hf_headers(token=self._token, library_name=_LIBRARY)
        failures = 0
        while start < stop:
            asked = {"Range": f"bytes={start}-{stop - 1}", "Accept-Encoding": "identity"}
            broken: Exception | None = None
            with _open_stream(client, url, {**headers, **asked}) as response:
                client.hf_raise_for_status(response)
                stop = min(stop, self._total(response, file, start))
                try:
                    for part in _parts(response):
                        kept = part[: stop - start]
                        start += len(kept)
                        failures = 0
                        yield kept
                except Exception as error:  # noqa: BLE001  raised below: the stream must be closed in good order
                    broken = error
            if start < stop:
                failures += 1
                if failures > _RETRIES:
                    raise broken or ConnectionError(f"{file} ended at byte {start} of {stop}")
                time.sleep(_RETRY_PAUSE)

    def _total(self, response: Any, file: str, start: int) -> int:
        """Size of the whole file, from the answer to a request for the bytes from `start` on."""
        unit, _, rest = response.headers.get("Content-Range", "").partition(" ")
        span, _, total = rest.partition("/")
        if unit != "bytes" or not span.startswith(f"{start}-"):
            raise ModelNotFoundError(
                f"model {shown(self.name)}: the server doesn't send parts of {file} (status "
                f"{response.status_code}, Content-Range {shown(f'{unit} {rest}')}): fetch the model whole "
                f"with `hf download {self.name}` and try again, or pass a local folder."
            )
        return int(total) if total.isdigit() else int(span.rpartition("-")[2]) + 1

    def _failed(self, error: Exception) -> ModelNotFoundError:
        """The error to raise in place of the client's `error`: what went wrong, and the next step."""
        from huggingface_hub import constants, errors

        token = "set HF_TOKEN (or pass model_config={'token': ...})"
        hub, name = constants.ENDPOINT, self.name
        if isinstance(error, errors.GatedRepoError):
            what, step = "is gated", f"ask for access at {hub}/{name} and {token}"
        elif isinstance(error, errors.RepositoryNotFoundError):
            what, step = f"isn't on {hub}, or is private", f"check the name; for a private model {token}"
        elif isinstance(error, errors.RevisionNotFoundError):
            what, step = f"has no revision {shown(self._revision)}", "check model_config['revision']"
        elif isinstance(error, errors.HFValidationError):
            what, step = "is neither a folder here nor a name that the Hub allows", "check the name"
        elif isinstance(error, errors.LocalEntryNotFoundError | errors.OfflineModeIsEnabled) or is_unconnected(error):
            reason = error if is_unconnected(error) else error.__cause__
            cause = f" ({_line(reason)})" if reason else ""
            what = f"isn't in the local cache, and {hub} can't be reached or offline mode is on{cause}"
            step = f"check the name, the network and HF_HUB_OFFLINE; for a gated model {token}"
        else:
            what, step = f"can't be fetched from {hub} ({_line(error)})", "check network and disk, try again"
        message = f"model {shown(name)} {what}: {step}; or pass a local folder, or nothing for the bundled one."
        number = getattr(error, "errno", None)
        return ModelNotFoundError(number, message) if isinstance(number, int) else ModelNotFoundError(message)


def open_source(name: str | os.PathLike[str], model_config: Mapping[str, Any]) -> LocalFolder | HubModel:
    """The source that `name` stands for: a folder of that name where there is one, else a model on the Hub.

    Raises:
        InputTypeError: `name` is neither text nor a path; ModelNotFoundError: nothing stands there.
    """
    if not isinstance(name, str | os.PathLike):
        raise wrong_type("model_name", name, "a model's name or a local folder, or None for the bundled table")
    text = os.fspath(name)
    folder = Path(text).expanduser()
    return LocalFolder(text, folder) if text and folder.is_dir() else HubModel(text, model_config)


def _read_local(path: Path, start: int, stop: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(stop - start)


@contextlib.contextmanager
def _open_stream(client: Any, url: str, headers: dict[str, str]) -> Iterator[Any]:
    """An open answer to GET `url`, its body not read yet."""
    from huggingface_hub import constants

    settings = {"headers": headers, "timeout": constants.HF_HUB_DOWNLOAD_TIMEOUT}
    if hasattr(client, "http_stream_backoff"):
        with client.http_stream_backoff("GET", url, **settings) as response:
            yield response
    else:  # huggingface_hub before 1.0 speaks through requests
        with client.http_backoff("GET", url, stream=True, **settings) as response:
            yield response


def _parts(response: Any) -> Iterator[bytes]:
    read = response.iter_bytes if hasattr(response, "iter_bytes") else response.iter_content
    parts: Iterator[bytes] = read(chunk_size=PART_BYTES)
    return parts


def _line(error: BaseException) -> str:
    """Type and first line of an error's text."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"
