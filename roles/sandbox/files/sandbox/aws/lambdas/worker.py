"""One execution environment: a child process with `awslambdaric`, its Runtime API, its limits."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.aws.lambdas.output import Line, Output
from sandbox.aws.lambdas.runtime_api import Invocation, RuntimeApi

INIT_SECONDS = 10.0  # AWS's limit for importing the function; what is over counts against its timeout
LOOK_EVERY = 0.01
SKEWED = Path(__file__).with_name("skewed_clock.py")


@dataclass(frozen=True)
class Shape:
    """All that makes two environments of a function differ: a change of any means a cold start."""

    name: str
    version: str
    arn: str
    handler: str
    digest: str
    memory: int
    timeout: int
    environment: tuple[tuple[str, str], ...]
    clock_skew: float = 0.0

    @property
    def command(self) -> list[str]:
        # -S leaves the sandbox's own packages out: the path is the zip, then what the runtime carries.
        start = [str(SKEWED), str(self.clock_skew)] if self.clock_skew else ["-m", "awslambdaric"]
        return [sys.executable, "-S", *start, self.handler]


@dataclass
class Outcome:
    """What came of one invocation. `error_type` is set if it failed; the payload then says how."""

    payload: bytes
    milliseconds: float
    memory_used: int
    init_milliseconds: float | None = None
    error_type: str | None = None
    is_timeout: bool = False
    lines: list[Line] = field(default_factory=list)


class Worker:
    def __init__(self, shape: Shape, task: Path, runtime: Path, environment: dict[str, str]) -> None:
        self.shape = shape
        self.runs = 0
        self.log_stream = f"{time.strftime('%Y/%m/%d', time.gmtime())}/[{shape.version}]{uuid.uuid4().hex}"
        self.api = RuntimeApi()
        self._started = time.monotonic()
        self._init_milliseconds: float | None = None
        self._process = subprocess.Popen(
            shape.command,
            cwd=task,
            env={
                **environment,
                "AWS_LAMBDA_RUNTIME_API": self.api.address,
                "AWS_LAMBDA_LOG_STREAM_NAME": self.log_stream,
                "LAMBDA_TASK_ROOT": str(task),
                "PYTHONPATH": f"{task}{os.pathsep}{runtime}",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self.output = Output(self._process.stdout)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """The whole session, so that what the function started goes with it."""
        if self.is_alive:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.api.stop()

    def run(self, request_id: str, event: bytes, kill_after: float | None) -> Outcome:
        """Blocks until answered, out of time, out of memory, or dead. A worker that failed so is stopped."""
        self.runs += 1
        cold = self._init_milliseconds is None
        if cold and (failure := self._initialise(request_id)):
            return failure
        invocation = Invocation(request_id, event, self.shape.arn, self.shape.timeout)
        began = time.monotonic()
        self.api.next.put(invocation)
        end = began + self.shape.timeout
        broken: tuple[str, str] | None = None
        while broken is None and not invocation.answered.wait(LOOK_EVERY):
            now = time.monotonic()
            if (kill_after is not None and now - began >= kill_after) or self._memory_megabytes() > self.shape.memory:
                broken = ("Runtime.ExitError", "Runtime exited with error: signal: killed")
            elif now >= end:
                broken = ("Sandbox.Timedout", f"Task timed out after {self.shape.timeout:.2f} seconds")
            elif not self.is_alive and not invocation.answered.wait(0.1):
                broken = ("Runtime.ExitError", f"Runtime exited {self._how_it_exited()}")
        used = self._memory_megabytes()
        if broken is None and used > self.shape.memory:
            broken = ("Runtime.ExitError", "Runtime exited with error: signal: killed")
        spent = (time.monotonic() - began) * 1000
        outcome = self._outcome(invocation, broken, spent, used)
        outcome.init_milliseconds = self._init_milliseconds if cold else None
        return outcome

    def _initialise(self, request_id: str) -> Outcome | None:
        limit = self._started + INIT_SECONDS + self.shape.timeout
        while not self.api.ready.wait(LOOK_EVERY) and self.is_alive and time.monotonic() < limit:
            pass
        self._init_milliseconds = (time.monotonic() - self._started) * 1000
        if self.api.ready.is_set() and self.api.init_error is None:
            return None
        error = self.api.init_error
        if error is None and self.is_alive:
            broken = ("Sandbox.Timedout", f"Task timed out after {self.shape.timeout:.2f} seconds")
        elif error is None:
            broken = ("Runtime.ExitError", f"Runtime exited {self._how_it_exited()}")
        else:
            broken = None
        invocation = Invocation(request_id, b"", self.shape.arn, self.shape.timeout, error=error)
        outcome = self._outcome(invocation, broken, self._init_milliseconds, self._memory_megabytes())
        self.stop()
        return outcome

    def _outcome(self, invocation: Invocation, broken: tuple[str, str] | None, spent: float, used: int) -> Outcome:
        error: dict[str, Any] | None = invocation.error
        if broken:
            self.stop()
            kind, text = broken
            error = {"errorType": kind, "errorMessage": f"RequestId: {invocation.request_id} Error: {text}"}
        payload = json.dumps(error).encode() if error is not None else invocation.response or b"null"
        return Outcome(
            payload=payload,
            milliseconds=spent,
            memory_used=min(used, self.shape.memory) if broken else used,
            error_type=str(error.get("errorType")) if error is not None else None,
            is_timeout=bool(broken and broken[0] == "Sandbox.Timedout"),
            lines=self.output.take(),
        )

    def _memory_megabytes(self) -> int:
        """The most it ever held (VmHWM); 0 once the process is gone."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return 0
        peak = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0 kB")
        return math.ceil(int(peak.split()[1]) / 1024)

    def _how_it_exited(self) -> str:
        code = self._process.poll() or 0
        if code < 0:
            return f"with error: signal: {signal.Signals(-code).name.removeprefix('SIG').lower()}"
        return f"with error: exit status {code}" if code else "without providing a reason"
