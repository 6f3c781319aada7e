"""Is a metric beyond its threshold, and has it been so for long enough? By time, never by a number of invocations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..model import Reading
from .explain import duration, number


class Threshold(NamedTuple):
    """One condition of a rule: `label` is what people read, `metric` the name of the value in a reading."""

    rule: str
    label: str
    metric: str
    limit: float
    is_above: bool
    for_seconds: float
    value_of: Callable[[Reading], float | None]
    unit: str = ""

    def is_met_by(self, value: float | None) -> bool:
        if value is None:
            return False
        return value > self.limit if self.is_above else value < self.limit

    @property
    def condition(self) -> str:
        """`> 70 %`."""
        return f"{'>' if self.is_above else '<'} {number(self.limit)}{self.unit}"


class Judgement(NamedTuple):
    """`is_measured` is false where the newest reading has no value: then nothing may be concluded from it."""

    is_met: bool
    is_measured: bool
    detail: str


def judge(threshold: Threshold, readings: Sequence[Reading], interval: float) -> Judgement:
    """`readings` in order of time, the newest last; the window ends with the newest."""
    newest = readings[-1]
    value = threshold.value_of(newest)
    if value is None:
        return Judgement(
            False, False, f"{threshold.label} was not measured ({newest.why_unmeasured(threshold.metric)})"
        )
    seen = f"{threshold.label} {number(value)}{threshold.unit}"
    if not threshold.is_met_by(value):
        return Judgement(False, True, f"{seen}, needs {threshold.condition}")
    if threshold.for_seconds == 0:
        return Judgement(True, True, f"{seen} {threshold.condition}")
    window = [reading for reading in readings if reading.at >= newest.at - threshold.for_seconds]
    lasted = newest.at - window[0].at
    needed = threshold.for_seconds - interval / 2
    is_unbroken = all(threshold.is_met_by(threshold.value_of(reading)) for reading in window)
    # a policy's window is no shorter than its interval, so such a span takes at least two readings
    if is_unbroken and lasted >= needed:
        return Judgement(True, True, f"{seen} {threshold.condition} for {duration(threshold.for_seconds)}")
    remaining = max(0.0, needed - _unbroken_seconds(threshold, window))
    outlook = _outlook(remaining, interval)
    needs = f"needs it for {duration(threshold.for_seconds)}: {outlook}"
    return Judgement(False, True, f"{seen} {threshold.condition}, {needs}")


def _unbroken_seconds(threshold: Threshold, window: Sequence[Reading]) -> float:
    """How long the condition has held up to the newest reading."""
    newest = since = window[-1].at
    for reading in reversed(window):
        if not threshold.is_met_by(threshold.value_of(reading)):
            break
        since = reading.at
    return newest - since


def _outlook(remaining: float, interval: float) -> str:
    """When it would hold if nothing changes: with a coming reading, so in whole intervals."""
    cycles = max(1, -int(-remaining // interval))
    return f"possible in {duration(cycles * interval)} if it stays so"
