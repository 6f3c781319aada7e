"""The loop: customers come and go in small steps; at every look the engine is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import requests

from sandbox.cluster.api import ApiError
from sandbox.demo.look import Look
from sandbox.demo.observer import Observer
from sandbox.demo.pace import LOOK_SECONDS, Pace
from sandbox.demo.sale import Sale
from sandbox.demo.shop import Shop

# The load moves this often between two looks.
STEPS = 5


@dataclass
class Story:
    """`tell` hears about each small step: story second, times the quiet load, replicas, pods that run."""

    sale: Sale
    shop: Shop
    observer: Observer
    pace: Pace
    tell: Callable[[float, float, int, int | None], None] = lambda *_: None
    looks: list[Look] = field(default_factory=list)

    def play(self) -> Iterator[Look]:
        """A look every LOOK_SECONDS of the story until the sale ends."""
        step = 0
        while step * LOOK_SECONDS / STEPS <= self.sale.ends_at:
            time.sleep(max(0.0, self.pace.wall(step * LOOK_SECONDS / STEPS) - time.monotonic()))
            second = self.pace.story_seconds(time.monotonic())
            self._serve(second)
            if step % STEPS == 0 and step:
                yield self._look()
            # A machine that cannot keep up leaves steps out instead of telling an old story.
            behind = int(self.pace.story_seconds(time.monotonic()) * STEPS / LOOK_SECONDS)
            step = max(step + 1, min(behind, (step // STEPS + 1) * STEPS))

    def _serve(self, second: float) -> None:
        """While the API server is away (somebody tries `kill -9`), the customers wait for the next step."""
        replicas = self.shop.scaling.replicas(self.sale, second)
        try:
            self.shop.serve(self.sale.demand(second), replicas)
            running: int | None = self.shop.running()
        except (ApiError, requests.RequestException):
            running = None
        self.tell(second, self.sale.times(second), replicas, running)

    def _look(self) -> Look:
        wall = time.monotonic()
        observation, decision = self.observer.look(self.pace.epoch(wall))
        second = self.pace.story_seconds(wall)
        look = Look(second, self.sale.times(second), observation, decision)
        self.looks.append(look)
        return look
