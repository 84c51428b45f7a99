"""Whether any connection to the Hub comes about, found out within a second or two.

The Hub's client tries a file that isn't in its cache six times within 23 s, and tells of each.  Here only a
connection that fails (no such host, nobody there) counts; what a server answers, and its silence, are the client's.
"""

from __future__ import annotations

import time

_PAUSE = 1.0  # seconds before the second and last try
_SILENCE = 3.0  # seconds that a try may take; a server that takes longer is slow, but there


def connection_error(url: str, token: str | bool | None, library: str) -> Exception | None:
    """Why no connection to the server of `url` comes about in two tries; None where one does, or may."""
    error = _one_try(url, token, library)
    if error is None:
        return None
    time.sleep(_PAUSE)
    return _one_try(url, token, library)


def _one_try(url: str, token: str | bool | None, library: str) -> Exception | None:
    from huggingface_hub import get_hf_file_metadata

    try:
        get_hf_file_metadata(url, token=token, timeout=_SILENCE, library_name=library)
    except Exception as error:  # noqa: BLE001  the client raises its HTTP library's errors, which differ by version
        return error if is_unconnected(error) else None
    return None


def is_unconnected(error: BaseException) -> bool:
    """Whether an error of the client says that no connection came about; by name, as its HTTP library changes."""
    return any(kind.__name__ == "ConnectError" for kind in type(error).__mro__)
