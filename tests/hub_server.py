"""A small HTTP server that speaks as much of the Hugging Face Hub's protocol as its client needs.

Checkpoint files are served through a redirect to a second host ("the CDN": same server, other name), as the
Hub does; everything else is served directly.  A `Fault` makes an answer slow or broken.
"""

from __future__ import annotations

import hashlib
import re
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"
GOOD_TOKEN = "hf_good"
_SLOW = 0.4  # seconds
_LARGE = (".safetensors", ".bin")  # served through the redirect
_RESOLVE = re.compile(r"/(?P<repo>[^/]+(?:/[^/]+)?)/resolve/(?P<revision>[^/]+)/(?P<file>.+)")
_CDN = re.compile(r"/cdn/(?P<repo>[^/]+(?:/[^/]+)?)/-/(?P<file>.+)")


@dataclass
class Repo:
    """One repository: its files at one commit, known as `main` too."""

    files: dict[str, bytes]
    commit: str = COMMIT
    gated: bool = False


@dataclass
class Fault:
    """What to do to the next `times` answers that carry a body of a file whose name ends in `file`.

    kind: "none" (let the answer pass), "drop" (close after `after` bytes), "reset" (the same, with a TCP
    reset), "hang" (stop after `after` bytes until the server ends), "slow" (wait a little), "status" (answer
    `status`), "whole" (ignore the Range header), "short" (send `after` bytes of the range and say so), "long"
    (send all from the range's start on), "other" (send all but the first byte, whatever was asked for).
    """

    file: str
    kind: str
    times: int = 1
    after: int = 0
    status: int = 500


@dataclass
class Seen:
    """One request as the server saw it; `sent` counts the bytes of the body."""

    method: str
    host: str
    path: str
    range: str | None
    token: str | None
    sent: int = 0


@dataclass
class HubServer:
    """What is served, what is broken, and what was asked for."""

    repos: dict[str, Repo] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    port: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def endpoint(self) -> str:
        """For HF_ENDPOINT."""
        return f"http://127.0.0.1:{self.port}"

    def reset(self) -> None:
        """Forget everything."""
        self.repos.clear()
        self.faults.clear()
        self.seen.clear()

    def bodies(self, file: str) -> list[Seen]:
        """The requests that were sent bytes of the file."""
        return [seen for seen in self.seen if seen.path.endswith(file) and seen.sent]

    def take_fault(self, path: str) -> Fault | None:
        """The fault that is due for this path, used up by one."""
        for fault in self.faults:
            if fault.times > 0 and path.endswith(fault.file):
                fault.times -= 1
                return fault
        return None


@contextmanager
def running_hub() -> Iterator[HubServer]:
    """A server on a free port of this machine."""
    hub = HubServer()

    class Handler(_Handler):
        server_state = hub

    with _Server(("127.0.0.1", 0), Handler) as server:
        hub.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            hub.ended.set()
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news; anything else is."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    server_state: HubServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16  # head and body in one packet

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        hub = self.server_state
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None
        path = self.path.partition("?")[0]
        host = (self.headers.get("Host") or "").partition(":")[0]
        seen = Seen(self.command, host, path, self.headers.get("Range"), token)
        hub.seen.append(seen)
        if (match := _CDN.fullmatch(path)) is not None:
            self._send_body(hub.repos[match["repo"]].files[match["file"]], seen, {})
        elif (match := _RESOLVE.fullmatch(path)) is not None:
            self._resolve(hub.repos.get(match["repo"]), match, seen)
        else:
            self._refuse(404, "EntryNotFound")

    def _resolve(self, repo: Repo | None, match: re.Match[str], seen: Seen) -> None:
        if repo is None:
            return self._refuse(401, "RepoNotFound")
        if repo.gated and seen.token != GOOD_TOKEN:
            return self._refuse(401, "GatedRepo")
        if match["revision"] not in ("main", repo.commit):
            return self._refuse(404, "RevisionNotFound")
        commit = {"X-Repo-Commit": repo.commit}
        content = repo.files.get(match["file"])
        if content is None:
            return self._refuse(404, "EntryNotFound", commit)
        tag = f'"{hashlib.sha256(content).hexdigest()}"'
        if match["file"].endswith(_LARGE):
            location = f"http://localhost:{self.server_state.port}/cdn/{match['repo']}/-/{match['file']}?signed=yes"
            linked = {"X-Linked-Size": str(len(content)), "X-Linked-Etag": tag, "Location": location}
            return self._head(302, {**commit, **linked, "Content-Length": "0"})
        return self._send_body(content, seen, {**commit, "ETag": tag})

    def _send_body(self, content: bytes, seen: Seen, headers: dict[str, str]) -> None:
        fault = self.server_state.take_fault(seen.path) if self.command == "GET" else None
        if fault is not None and fault.kind == "slow":
            self.server_state.ended.wait(_SLOW)
        if fault is not None and fault.kind == "status":
            return self._refuse(fault.status, "")
        status, body = 200, content
        headers = {**headers, "Accept-Ranges": "bytes"}
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", seen.range or "")
        if span is not None and not (fault is not None and fault.kind == "whole"):
            start, stop = int(span[1]), min(int(span[2] or len(content)) + 1, len(content))
            if start >= len(content):
                return self._refuse(416, "", {"Content-Range": f"bytes */{len(content)}"})
            if fault is not None and fault.kind == "short":
                stop = start + fault.after
            if fault is not None and fault.kind == "long":
                stop = len(content)
            if fault is not None and fault.kind == "other":
                start, stop = 1, len(content)
            status, body = 206, content[start:stop]
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(content)}"
        self._head(status, {**headers, "Content-Length": str(len(body))})
        if self.command == "HEAD":
            return None
        cut = fault is not None and fault.kind in ("drop", "reset", "hang")
        seen.sent = min(fault.after, len(body)) if fault is not None and cut else len(body)
        self.wfile.write(body[: seen.sent])
        if fault is not None and cut:
            self._break_off(fault.kind)
        return None

    def _break_off(self, kind: str) -> None:
        self.wfile.flush()
        if kind == "hang":
            self.server_state.ended.wait()
        if kind == "reset":
            self.server_state.ended.wait(0.05)  # lets the bytes before it arrive
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def _refuse(self, status: int, code: str, headers: dict[str, str] | None = None) -> None:
        self._head(status, {"X-Error-Code": code, "Content-Length": "0", **(headers or {})})

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
