"""What is to happen later in the cloud: states that change, rules that fire, alarms that are evaluated."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sandbox.aws.clock import CloudClock

log = logging.getLogger(__name__)
Deed = Callable[[], object]


class Agenda:
    """One thread waits for what is due next; deeds run in a pool, so that a slow one delays no other."""

    def __init__(self, clock: CloudClock) -> None:
        self.clock = clock
        self._changed = threading.Condition()
        self._entries: list[tuple[float, int, Deed]] = []
        self._numbers = itertools.count()
        self._stopped = False
        self._pool = ThreadPoolExecutor(max_workers=32, thread_name_prefix="agenda")
        self._advancing = threading.Lock()

    def start(self) -> None:
        threading.Thread(target=self._keep, name="agenda", daemon=True).start()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def after(self, seconds: float, deed: Deed) -> None:
        self.at(self.clock.now() + seconds, deed)

    def at(self, moment: float, deed: Deed) -> None:
        with self._changed:
            heapq.heappush(self._entries, (moment, next(self._numbers), deed))
            self._changed.notify_all()

    def soon(self, deed: Deed) -> None:
        """Now, but not in the caller's thread, which may hold a lock or owe an HTTP answer."""
        self._pool.submit(_carry_out, deed)

    def advance(self, seconds: float) -> None:
        """Move the clock on, stopping at each entry on the way; returns when all of them are done."""
        with self._advancing:
            target = self.clock.now() + seconds
            while (entry := self._take_due(target)) is not None:
                moment, _, deed = entry
                self.clock.move_to(moment)
                _carry_out(deed)
            self.clock.move_to(target)
            with self._changed:
                self._changed.notify_all()

    def _take_due(self, moment: float) -> tuple[float, int, Deed] | None:
        with self._changed:
            if self._entries and self._entries[0][0] <= moment:
                return heapq.heappop(self._entries)
            return None

    def _keep(self) -> None:
        while True:
            with self._changed:
                if self._stopped:
                    return
                wait = self.clock.wall_seconds_until(self._entries[0][0]) if self._entries else None
                if wait is None or wait > 0:
                    self._changed.wait(timeout=wait)
                    continue
                _, _, deed = heapq.heappop(self._entries)
            self.soon(deed)


def _carry_out(deed: Deed) -> None:
    """A deed that fails must not take the agenda with it; the server's log tells."""
    try:
        deed()
    except Exception:
        log.exception("a timed deed of the sandbox failed")
