"""A door in front of Prometheus, for the engine to go through: faults happen here, Prometheus itself stays well."""

from __future__ import annotations

import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from sandbox.hypervisor.faults import FaultBook
from sandbox.ports import LOOPBACK

SLOW_SECONDS = 30.0
# Where a query's moment is told, by path; both are set back to when the fault began.
_MOMENTS = {"/api/v1/query": ("time",), "/api/v1/query_range": ("start", "end")}
_PASSED_ON = ("Authorization", "Content-Type", "Accept")


class Front(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, prometheus: str, faults: FaultBook) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.prometheus, self.faults = prometheus, faults
        self.session = requests.Session()
        self.session.trust_env = False

    def start(self) -> None:
        threading.Thread(target=self.serve_forever, name="prometheus-front", daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away while Prometheus was slow is no error of ours."""


class _Handler(BaseHTTPRequestHandler):
    server: Front
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _answer(self, body: bytes) -> None:
        fault = self.server.faults.first("prometheus")
        mode = fault["mode"] if fault else None
        if fault:
            self.server.faults.use(fault)
        if mode == "down":
            self._hang_up()
            return
        url = urlsplit(self.path)
        query = url.query
        if fault and mode == "slow":
            time.sleep(fault.get("delay_seconds", SLOW_SECONDS))
        if fault and mode == "stale":
            query = _set_back(url.path, query, fault["since"])
            body = _set_back(url.path, body.decode(), fault["since"]).encode() if body else b""
        answer = self.server.session.request(
            self.command,
            f"{self.server.prometheus}{url.path}" + (f"?{query}" if query else ""),
            data=body or None,
            headers={name: self.headers[name] for name in _PASSED_ON if self.headers.get(name)},
            timeout=60,
            allow_redirects=False,
        )
        content = _emptied(answer.content) if mode == "empty" and answer.ok else answer.content
        self.send_response(answer.status_code)
        for name in ("Content-Type", "WWW-Authenticate", "Location"):
            if name in answer.headers:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _hang_up(self) -> None:
        """No answer at all, which every client takes for a server that is gone."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: Any) -> None:
        pass


def _set_back(path: str, form: str, moment: float) -> str:
    """The same question, asked of the moment when the fault began: scraping seems to have stopped then."""
    fields = parse_qs(form)
    if path not in _MOMENTS or "query" not in fields:
        return form
    for name in _MOMENTS[path]:
        asked = fields.get(name, [str(moment)])[0]
        fields[name] = [str(min(float(asked), moment)) if _is_number(asked) else str(moment)]
    return urlencode(fields, doseq=True)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _emptied(content: bytes) -> bytes:
    """The answer of a Prometheus that has no such series: the same envelope, nothing in it."""
    answer = json.loads(content) if content.startswith(b"{") else None
    if not isinstance(answer, dict) or not isinstance(answer.get("data"), dict) or "result" not in answer["data"]:
        return content
    answer["data"]["result"] = []
    return json.dumps(answer).encode()
