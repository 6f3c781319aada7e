"""The cloud's clock: it runs `speed` times as fast as the wall, and can be moved on by hand.

Delays of the cloud (boot, schedules, Spot notices, alarm periods) are counted on this clock, so that a
test or a demo does not wait. What a Lambda function does is real work and is counted in wall time.
"""

from __future__ import annotations

import threading
import time


class CloudClock:
    """Epoch seconds. `speed` 0 is a clock that stands still until `move_to` moves it: tests use that."""

    def __init__(self, speed: float = 1.0) -> None:
        if speed < 0:
            raise ValueError(f"speed {speed}: must be 0 (stands still) or more")
        self.speed = speed
        self._lock = threading.Lock()
        self._cloud = time.time()
        self._wall = time.monotonic()

    def now(self) -> float:
        with self._lock:
            return self._cloud + (time.monotonic() - self._wall) * self.speed

    def move_to(self, moment: float) -> None:
        """Never backwards: a moment that has passed changes nothing."""
        with self._lock:
            wall = time.monotonic()
            self._cloud = max(moment, self._cloud + (wall - self._wall) * self.speed)
            self._wall = wall

    def wall_seconds_until(self, moment: float) -> float | None:
        """None: by itself this clock never gets there."""
        ahead = moment - self.now()
        if ahead <= 0:
            return 0.0
        return ahead / self.speed if self.speed else None

    def cloud_time_of(self, wall_epoch: float) -> float:
        """Where on the cloud's clock a wall time stamp lies, e.g. that of a metric sent by a client."""
        return self.now() - (time.time() - wall_epoch) * self.speed
