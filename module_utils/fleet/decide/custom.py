"""Layer two: metrics of the application, those we name and those that a user adds."""

from __future__ import annotations

from collections.abc import Callable

from ..model import Direction, Reading
from ..policy import Policy
from .sustained import Threshold

QUEUE_DEPTH = "queue_depth"
LATENCY = "latency_p95_ms"
ERROR_RATE = "error_rate_percent"
REQUEST_RATE = "request_rate"


def scale_up_thresholds(policy: Policy) -> list[Threshold]:
    """In the order in which they are looked at; a limit that is null is off."""
    built_in = (
        (QUEUE_DEPTH, policy.queue_depth_up, policy.queue_depth_up_for_seconds, ""),
        (LATENCY, policy.latency_p95_up_ms, policy.latency_p95_up_for_seconds, " ms"),
        (ERROR_RATE, policy.error_rate_up_percent, policy.error_rate_up_for_seconds, " %"),
        (REQUEST_RATE, policy.request_rate_up, policy.request_rate_up_for_seconds, "/s"),
    )
    named = [_threshold(name, limit, True, window, unit) for name, limit, window, unit in built_in if limit is not None]
    return named + [
        _threshold(rule.name, rule.threshold, True, rule.for_seconds)
        for rule in policy.custom_rules
        if rule.direction is Direction.UP
    ]


def scale_down_thresholds(policy: Policy) -> list[Threshold]:
    """What has to be low before a worker may go."""
    named = []
    if policy.queue_depth_down is not None:
        window = policy.queue_depth_down_for_seconds
        named.append(_threshold(QUEUE_DEPTH, policy.queue_depth_down, False, window))
    return named + [
        _threshold(rule.name, rule.threshold, False, rule.for_seconds)
        for rule in policy.custom_rules
        if rule.direction is Direction.DOWN
    ]


def exists(threshold: Threshold, readings: tuple[Reading, ...]) -> bool:
    """A metric exists once any reading at hand names it, be it as null: one that vanished is missing, not absent."""
    return any(threshold.metric in reading.custom for reading in readings)


def _threshold(name: str, limit: float, is_above: bool, window: float, unit: str = "") -> Threshold:
    return Threshold(name, name, name, limit, is_above, window, _value_of(name), unit)


def _value_of(name: str) -> Callable[[Reading], float | None]:
    return lambda reading: reading.custom.get(name)
