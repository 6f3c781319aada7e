"""The Lambda Runtime API for one worker: what `awslambdaric` asks for its next event and answers to.

One address a worker, as the runtime client cannot say who it is.
"""

from __future__ import annotations

import contextlib
import json
import queue
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

VERSION = "/2018-06-01/runtime"


@dataclass
class Invocation:
    """One event on its way through a worker. `answered` is set by a response, an error, or the end of it."""

    request_id: str
    event: bytes
    function_arn: str
    timeout: float
    deadline: float = 0.0
    response: bytes | None = None
    error: dict[str, Any] | None = None
    taken: threading.Event = field(default_factory=threading.Event)
    answered: threading.Event = field(default_factory=threading.Event)


class RuntimeApi:
    def __init__(self) -> None:
        self.next: queue.Queue[Invocation | None] = queue.Queue()
        self.ready = threading.Event()  # the function's module is imported and waits for its first event
        self.init_error: dict[str, Any] | None = None
        self.current: Invocation | None = None
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

            def do_GET(self) -> None:
                api.serve_next(self)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                api.take(self.path, body)
                _send(self, 202, b'{"status":"OK"}', {})

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        self.next.put(None)
        self._server.shutdown()
        self._server.server_close()

    def serve_next(self, handler: BaseHTTPRequestHandler) -> None:
        if not handler.path.endswith("/invocation/next"):
            return _send(handler, 404, b"", {})
        self.ready.set()
        invocation = self.next.get()
        if invocation is None:  # the worker is being stopped
            return _send(handler, 410, b"", {})
        invocation.deadline = time.time() + invocation.timeout
        self.current = invocation
        headers = {
            "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
            "Lambda-Runtime-Deadline-Ms": str(int(invocation.deadline * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": invocation.function_arn,
            "Lambda-Runtime-Trace-Id": f"Root=1-{int(time.time()):08x}-{invocation.request_id[-12:]:0>24}",
        }
        invocation.taken.set()
        _send(handler, 200, invocation.event, headers)

    def take(self, path: str, body: bytes) -> None:
        if path == f"{VERSION}/init/error":
            self.init_error = json.loads(body)
            self.ready.set()
            return
        invocation = self.current
        if invocation is None or invocation.request_id not in path:
            return  # an answer that comes after its time is up
        if path.endswith("/error"):
            invocation.error = json.loads(body)
        else:
            invocation.response = body
        invocation.answered.set()


def _send(handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str]) -> None:
    with contextlib.suppress(ConnectionError):  # the worker may have been killed while it waited
        _write(handler, status, body, headers)


def _write(handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str]) -> None:
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
