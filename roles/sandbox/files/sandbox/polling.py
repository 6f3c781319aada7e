"""Waiting with a bound: asks again and again until there is an answer, never sleeps blindly."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from sandbox.errors import NotReadyError

Answer = TypeVar("Answer")


def until(question: Callable[[], Answer | None], seconds: float, what: str, every: float = 0.05) -> Answer:
    """The first answer that is true-ish; NotReady, naming `what` was waited for, if none came in time."""
    deadline = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise NotReadyError(f"waited {seconds:.0f} s in vain until {what}")
        time.sleep(every)
