"""The hypervisor's process: news of instances come in, faults are put, and the door to Prometheus stands here."""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests

from sandbox.cluster import lifecycle
from sandbox.hypervisor.api_server import ApiServerSwitch
from sandbox.hypervisor.cloud import AwsSide, RefusedError
from sandbox.hypervisor.delays import MEAN_SECONDS, JoinDelays
from sandbox.hypervisor.faults import FaultBook
from sandbox.hypervisor.kinds import BadFaultError
from sandbox.hypervisor.machines import Machines
from sandbox.hypervisor.prometheus_front import Front
from sandbox.ports import LOOPBACK

FAULTS_FILE = "faults.json"
Reply = tuple[int, dict[str, Any]]


class Desk(ThreadingHTTPServer):
    """`/health`, `/faults`, and `/news` for the AWS server."""

    daemon_threads = True

    def __init__(self, port: int, machines: Machines, faults: FaultBook) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.machines, self.faults = machines, faults

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Desk
    protocol_version = "HTTP/1.1"

    def _reply(self) -> None:
        try:
            status, answer = self._answer()
        except (BadFaultError, RefusedError, json.JSONDecodeError) as problem:
            status, answer = 400, {"problem": str(problem)}
        except requests.RequestException as problem:
            status, answer = 502, {"problem": f"the AWS server does not answer: {problem}"}
        content = json.dumps(answer, indent=1).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = _reply  # noqa: N815 - http.server's names

    def _answer(self) -> Reply:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        room, _, rest = self.path.strip("/").partition("/")
        match self.command, room:
            case "GET", "health":
                return 200, {"ok": True}
            case "POST", "news":
                self.server.machines.wake()
                return 200, {"ok": True}
            case "GET", "faults":
                return 200, self.server.faults.listing()
            case "PUT", "faults":
                wish = json.loads(raw or b"{}")
                fault, is_new = self.server.faults.put(wish | {"id": rest} if rest and isinstance(wish, dict) else wish)
                return 201 if is_new else 200, {**fault, "changed": is_new}
            case "DELETE", "faults":
                return 200, {"removed": self.server.faults.remove(rest or None)}
        return 404, {"problem": f"{self.command} {self.path} is not known here: /health, /faults, /news"}

    def log_message(self, *_: Any) -> None:
        pass


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sandbox.hypervisor", description=__doc__)
    parser.add_argument("--dir", type=Path, required=True, help="the directory of the sandbox whose cluster it serves")
    parser.add_argument("--aws-url", required=True, help="where the sandbox's AWS answers")
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--prometheus-port", type=int, default=0, help="of the door to Prometheus; 0: a free one")
    parser.add_argument("--speed", type=float, default=1.0, help="divides every waiting time")
    parser.add_argument("--join-mean", type=float, default=MEAN_SECONDS, help="seconds from running to joined")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other delays")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    options = arguments(argv)
    cluster = lifecycle.opened(options.dir)
    aws = AwsSide(options.aws_url)
    faults = FaultBook(cluster.layout.root / FAULTS_FILE, aws, options.speed)
    switch = ApiServerSwitch(cluster.layout.root)
    faults.changed = lambda: switch.set(is_down=faults.first("api_server_down") is not None)
    faults.changed()
    delays = JoinDelays(options.join_mean, seed=options.seed)
    machines = Machines(aws, cluster.admin(), faults, delays, options.speed)
    front = Front(options.prometheus_port, cluster.url("prometheus"), faults)
    desk = Desk(options.port, machines, faults)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=desk.shutdown, daemon=True).start())
    front.start()
    threading.Thread(target=machines.run, args=(f"{desk.url}/news",), name="machines", daemon=True).start()
    place = {"url": desk.url, "prometheus_url": f"http://{LOOPBACK}:{front.server_address[1]}"}
    print(json.dumps(place), flush=True)
    try:
        desk.serve_forever(poll_interval=0.1)
    finally:
        machines.stop()
        switch.set(is_down=False)
