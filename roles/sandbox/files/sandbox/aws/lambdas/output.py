"""What a function prints, line by line with the time it came, complete at the end of each invocation."""

from __future__ import annotations

import os
import select
import threading
import time
from typing import IO

Line = tuple[int, str]


class Output:
    """Reads a pipe in the background, so that a talkative function never blocks on a full one."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._fd = pipe.fileno()
        self._pipe = pipe
        os.set_blocking(self._fd, False)
        self._lock = threading.Lock()
        self._lines: list[Line] = []
        self._rest = b""
        self._ended = False
        threading.Thread(target=self._follow, daemon=True).start()

    def take(self) -> list[Line]:
        """All lines so far. What was printed before an answer was sent is already in the pipe."""
        with self._lock:
            self._read()
            lines, self._lines = self._lines, []
            return lines

    def _follow(self) -> None:
        while not self._ended:
            try:
                if select.select([self._fd], [], [], 0.5)[0]:
                    with self._lock:
                        self._read()
            except (OSError, ValueError):  # closed under us: the worker is gone
                return

    def _read(self) -> None:
        while not self._ended:
            try:
                chunk = os.read(self._fd, 65536)
            except BlockingIOError:
                return
            except OSError:
                self._ended = True
                return
            if not chunk:
                self._ended = True
                self._pipe.close()
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            if not chunk and self._rest:
                whole, self._rest = [self._rest], b""
            now = int(time.time() * 1000)
            # The runtime client writes a traceback as one line with \r in it, for one event in the log.
            self._lines += [(now, line.decode("utf-8", "replace").replace("\r", "\n")) for line in whole]
