"""Real servers for tests: ours and stock moto, each a process of its own, and boto3 clients of them.

Import `our_server` and `stop` where a test needs an AWS of its own; the fixtures in conftest.py share one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import boto3
from botocore.config import Config

ROOT = Path(__file__).parents[3]
SANDBOX = ROOT / "roles" / "sandbox" / "files"
REGION = "ap-southeast-1"
Seen = TypeVar("Seen")


@dataclass
class Aws:
    """One server, and clients of it. `patience` bounds every wait: stock moto need not be waited for."""

    url: str
    is_stock: bool = False
    patience: float = 20.0
    clients: dict[str, Any] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        """boto3's own client with no retry, so that a test sees each answer of the server."""
        if service not in self.clients:
            make: Any = boto3.client  # its stubs know each service by its literal name only
            self.clients[service] = make(
                service,
                endpoint_url=self.url,
                region_name=REGION,
                aws_access_key_id="sandbox",
                aws_secret_access_key="sandbox",
                config=Config(retries={"total_max_attempts": 1}, max_pool_connections=60, read_timeout=60),
            )
        return self.clients[service]

    def control(self, method: str, room: str, **wish: Any) -> Any:
        body = json.dumps(wish).encode() if wish else None
        request = urllib.request.Request(f"{self.url}/_sandbox/{room}", data=body, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def advance(self, seconds: float) -> None:
        """Move the cloud's clock on. Stock moto has none: there nothing happens, which is its gap."""
        if not self.is_stock:
            self.control("PUT", "clock", advance=seconds)

    def until(self, look: Callable[[], Seen | None]) -> Seen:
        """Look again until there is something to see; fails when patience ends."""
        end = time.monotonic() + self.patience
        while True:
            seen = look()
            if seen:
                return seen
            assert time.monotonic() < end, f"not seen within {self.patience} s"
            time.sleep(0.02)


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(SANDBOX),
        "MOTO_IAM_LOAD_MANAGED_POLICIES": "true",
        "MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION": "true",
        "DOCKER_HOST": "tcp://127.0.0.1:1",  # stock moto must behave alike on machines with Docker
    }


def started(command: list[str], log: Path) -> tuple[subprocess.Popen[str], str]:
    """The process and its first line; a server that ends instead fails with its log."""
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment())
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, log.read_text()
    return process, line


def stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


# Threads that change places often show a race in seconds that else shows in minutes; for both servers.
RESTLESS = "import sys; sys.setswitchinterval(1e-4)"
STOCK_SERVER = f"""{RESTLESS}
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print("http://%s:%s" % server.get_host_and_port(), flush=True)
server._thread.join()
"""


def stock_server(log: Path) -> tuple[subprocess.Popen[str], Aws]:
    process, url = started([sys.executable, "-c", STOCK_SERVER], log)
    return process, Aws(url.strip(), is_stock=True, patience=1.5)


def our_server(directory: Path, *options: str) -> tuple[subprocess.Popen[str], Aws]:
    start = f"{RESTLESS}; from sandbox.aws.server import main; main()"
    command = [sys.executable, "-c", start, "--dir", str(directory), "--stay-with-parent", *options]
    process, line = started(command, directory.parent / f"{directory.name}.log")
    return process, Aws(json.loads(line)["url"])
