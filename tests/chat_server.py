"""An OpenAI-compatible server on 127.0.0.1 that answers as a script says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = Callable[["Chat", dict[str, Any]], None]  # handler, request


class Chat(BaseHTTPRequestHandler):
    """Takes the next step of the script for each request, then echoes the prompt's last word."""

    protocol_version = "HTTP/1.1"
    script: list[Step]
    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(request)
        step = self.script.pop(0) if self.script else answer
        step(self, request)

    def send(self, status: int, body: dict[str, Any], **headers: str) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""


def answer(chat: Chat, request: dict[str, Any]) -> None:
    word = request["messages"][-1]["content"].split()[-1]
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": word}}
    chat.send(200, {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})


def failing(status: int, **headers: str) -> Step:
    return lambda chat, request: chat.send(status, {"error": {"message": f"status {status}"}}, **headers)


def slow(seconds: float) -> Step:
    def wait(chat: Chat, request: dict[str, Any]) -> None:
        time.sleep(seconds)
        answer(chat, request)

    return wait


def hang_up(chat: Chat, request: dict[str, Any]) -> None:
    chat.close_connection = True


@contextmanager
def serving(*script: Step) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The server's address, and the requests that it gets."""
    asked: list[dict[str, Any]] = []
    handler = type("Scripted", (Chat,), {"script": list(script), "asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
