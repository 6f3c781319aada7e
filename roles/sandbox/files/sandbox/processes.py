"""Servers as processes: started by argument vector, stopped by id and start time, nothing else touched."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.errors import NotReadyError
from sandbox.layout import Layout, write_private

POLL_SECONDS = 0.05
# In the environment of every process that is started here; its value is the sandbox's directory.
MARK = "NODE_FLEET_SANDBOX"


@dataclass(frozen=True)
class Program:
    """A server to run.

    `answers` is asked over the network; `inputs` are files whose change calls for a restart; `environment` is
    on top of the little that every server gets.
    """

    name: str
    argv: tuple[str, ...]
    answers: Callable[[], bool]
    inputs: tuple[Path, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def fingerprint(self) -> str:
        variables = (f"{name}={value}" for name, value in self.environment)
        digest = hashlib.sha256("\0".join([*self.argv, *variables]).encode())
        for path in self.inputs:
            digest.update(path.read_bytes())
        return digest.hexdigest()


@dataclass(frozen=True)
class Record:
    """A started process.

    A process id alone may belong to somebody else tomorrow: start time and boot tell.
    """

    name: str
    pid: int
    started_ticks: int
    boot: str
    fingerprint: str

    @property
    def is_alive(self) -> bool:
        return self.boot == _boot() and _started_ticks(self.pid) == self.started_ticks


class Processes:
    """The processes of one sandbox directory."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def record(self, name: str) -> Record | None:
        path = self._layout.processes / f"{name}.json"
        return Record(**json.loads(path.read_text())) if path.exists() else None

    def records(self) -> list[Record]:
        found = (self.record(path.stem) for path in sorted(self._layout.processes.glob("*.json")))
        return [record for record in found if record is not None]

    def is_alive(self, name: str) -> bool:
        record = self.record(name)
        return record is not None and record.is_alive

    def log(self, name: str) -> Path:
        return self._layout.logs / f"{name}.log"

    def ensure_running(self, program: Program) -> bool:
        """Start it unless it runs with exactly these arguments and inputs; True if it was (re)started."""
        record = self.record(program.name)
        if record is not None and record.is_alive:
            if record.fingerprint == program.fingerprint:
                return False
            self.stop([program.name])
        self._start(program)
        return True

    def _start(self, program: Program) -> None:
        """In a session of its own: Ctrl-C at the terminal must not reach it, `down` stops it."""
        log = str(self.log(program.name))
        pid = os.posix_spawn(
            program.argv[0],
            list(program.argv),
            {**_environment(), **dict(program.environment), MARK: str(self._layout.root)},
            setsid=True,
            setsigmask=[],
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
        )
        self._remember(program.name, pid, program.fingerprint)

    def _remember(self, name: str, pid: int, fingerprint: str) -> None:
        record = Record(name, pid, _started_ticks(pid) or 0, _boot(), fingerprint)
        write_private(self._layout.processes / f"{name}.json", json.dumps(asdict(record)) + "\n")

    def adopt_strays(self) -> list[str]:
        """Names under which processes are remembered that an `up` started but, killed, could not write down.

        They carry this sandbox's mark and lead a session of their own; children of our servers do not.
        """
        known = {record.pid for record in self.records()}
        strays = [pid for pid in _leaders_marked(str(self._layout.root)) if pid not in known]
        for pid in strays:
            self._remember(f"stray-{pid}", pid, "")
        return [f"stray-{pid}" for pid in strays]

    def wait_until_ready(self, programs: Iterable[Program], seconds: float = 60) -> None:
        """All under one deadline; a process that ended is reported at once with the end of its log."""
        waiting = list(programs)
        deadline = time.monotonic() + seconds
        while True:
            waiting = [program for program in waiting if not program.answers()]
            if not waiting:
                return
            for program in waiting:
                if not self.is_alive(program.name):
                    raise NotReadyError(f"{program.name} ended right after its start:\n{self._tail(program.name)}")
            if time.monotonic() > deadline:
                slow = waiting[0].name
                names = ", ".join(program.name for program in waiting)
                raise NotReadyError(f"not ready after {seconds:.0f} s: {names}; log of {slow}:\n{self._tail(slow)}")
            time.sleep(POLL_SECONDS)

    def stop(self, names: Sequence[str], grace_seconds: float = 5) -> None:
        """End these together: asked first, killed after the grace. Records go once their process is gone."""
        records = [record for record in map(self.record, names) if record is not None]
        for ending in (signal.SIGTERM, signal.SIGKILL):
            for record in records:
                if record.is_alive:
                    _send(record.pid, ending)
            deadline = time.monotonic() + grace_seconds
            while any(record.is_alive for record in records) and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS)
        for record in records:
            if not record.is_alive:
                (self._layout.processes / f"{record.name}.json").unlink(missing_ok=True)

    def _tail(self, name: str, lines: int = 12) -> str:
        path = self.log(name)
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.exists() else "(no log)"


def _environment() -> dict[str, str]:
    """Little of ours: a server must not pick up the caller's KUBECONFIG, AWS keys or proxies."""
    kept = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "SSL_CERT_FILE")
    return {name: os.environ[name] for name in kept if name in os.environ}


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
        os.kill(pid, signal.SIGCONT)  # one that was stopped with SIGSTOP could not act on SIGTERM
    except ProcessLookupError:
        pass


def _started_ticks(pid: int) -> int | None:
    """Clock ticks from boot to the start of a living process; None if it is gone or a zombie."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        # The command's name may hold spaces and parentheses; fields are counted after the last one.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        threads = len(os.listdir(f"/proc/{pid}/task"))
    except (FileNotFoundError, ProcessLookupError):
        return None
    # A first thread that ended while others still hold the ports is no dead process yet.
    is_dead = fields[0] in "ZX" and threads <= 1
    return None if is_dead else int(fields[19])


def _leaders_marked(root: str) -> list[int]:
    mark = f"{MARK}={root}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        # Processes of others cannot be read, and any may end while we look.
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0") and os.getsid(pid) == pid:
                found.append(pid)
    return found


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
