"""Free loopback ports, chosen once and remembered, so that addresses survive a restart of any component."""

from __future__ import annotations

import errno
import json
import random
import socket
from collections.abc import Callable, Iterable
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.layout import write_private

LOOPBACK = "127.0.0.1"
# Below the kernel's ephemeral range (32768 and up): there, an outgoing connection of anybody could sit on our
# port.
CANDIDATES = range(18000, 32000)


def is_free(port: int) -> bool:
    """Whether a server could listen there now.

    SO_REUSEADDR, as servers set it, looks past closing connections.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as problem:
            if problem.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True


def assign_ports(path: Path, names: Iterable[str], in_use_by_us: Callable[[str], bool]) -> dict[str, int]:
    """A port for each name. A remembered one is kept if it is free or our own process holds it."""
    remembered: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
    chosen: dict[str, int] = {}
    for name in names:
        port = remembered.get(name)
        if port is not None and (in_use_by_us(name) or is_free(port)):
            chosen[name] = port
            continue
        chosen[name] = _fresh_port(taken={*chosen.values(), *remembered.values()})
    write_private(path, json.dumps(chosen, indent=2, sort_keys=True) + "\n")
    return chosen


def _fresh_port(taken: set[int]) -> int:
    """Random rather than the lowest: two sandboxes starting together then rarely want the same."""
    for port in random.sample(CANDIDATES, 500):
        if port not in taken and is_free(port):
            return port
    raise SandboxError(f"no free port found on {LOOPBACK} between {CANDIDATES.start} and {CANDIDATES.stop}")
