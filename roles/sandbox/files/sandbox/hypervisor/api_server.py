"""The fault `api_server_down`: the API server's process is stopped, so that it takes calls and answers none."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from sandbox.layout import Layout
from sandbox.processes import Processes

NAME = "kube-apiserver"


class ApiServerSwitch:
    """SIGSTOP and SIGCONT by the recorded process: every client sees it, KWOK and Prometheus, too."""

    def __init__(self, root: Path) -> None:
        self._processes = Processes(Layout(root))
        self._lock = threading.Lock()

    def set(self, *, is_down: bool) -> None:
        with self._lock:
            record = self._processes.record(NAME)
            if record is not None and record.is_alive and _is_stopped(record.pid) != is_down:
                os.kill(record.pid, signal.SIGSTOP if is_down else signal.SIGCONT)


def _is_stopped(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "T"
