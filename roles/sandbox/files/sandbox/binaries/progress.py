"""What happens while binaries are fetched: a line per step, and on a terminal one that keeps moving."""

from __future__ import annotations

import sys
import threading
import time
from typing import TextIO

HEARTBEAT_SECONDS = 15.0


class Progress:
    """Several steps at once, shown together.

    Without a terminal, a line now and then shows that it is alive.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self._total = total
        self._stream = stream if stream is not None else sys.stderr
        self._terminal = self._stream.isatty()
        self._lock = threading.Lock()
        self._running: dict[str, tuple[float, str]] = {}
        self._done = 0
        self._ended = threading.Event()
        self._shower = threading.Thread(target=self._keep_showing, daemon=True)

    def __enter__(self) -> Progress:
        self._shower.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._shower.join()

    def step(self, name: str, what: str) -> None:
        """What is being done to get a release; its clock runs from its first step."""
        with self._lock:
            begun = self._running.get(name, (time.monotonic(), ""))[0]
            is_new_step = self._running.get(name, (0.0, ""))[1].split(" ")[0] != what.split(" ", maxsplit=1)[0]
            self._running[name] = (begun, what)
            if is_new_step and not self._terminal:
                self._line(f"{name}: {what}")

    def note(self, name: str, what: str) -> None:
        with self._lock:
            self._line(f"{name}: {what}")

    def finish(self, name: str, outcome: str) -> None:
        with self._lock:
            begun = self._running.pop(name, (time.monotonic(), ""))[0]
            self._done += 1
            self._line(f"[{self._done}/{self._total}] {name}: {outcome} ({time.monotonic() - begun:.0f} s)")

    def _line(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}\n" if self._terminal else f"{text}\n")
        self._stream.flush()

    def _keep_showing(self) -> None:
        while not self._ended.wait(0.5 if self._terminal else HEARTBEAT_SECONDS):
            with self._lock:
                now = time.monotonic()
                parts = [f"{name}: {what}, {now - begun:.0f} s" for name, (begun, what) in self._running.items()]
                if not parts:
                    continue
                text = f"[{self._done}/{self._total}] " + " | ".join(parts)
                self._stream.write(f"\r\x1b[K{text}" if self._terminal else f"{text}\n")
                self._stream.flush()
