"""What state an alarm is in, given its samples: statistics, M of N, missing data. Pure."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

COMPARE: dict[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}


@dataclass(frozen=True)
class Sample:
    """One value, or a set of `count` values known by their sum and extremes. `at` is cloud time."""

    at: float
    total: float
    count: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class Rule:
    comparison: str
    threshold: float
    statistic: str
    period: float
    periods: int
    needed: int
    missing: str  # breaching | notBreaching | ignore | missing


def state_of(rule: Rule, samples: Sequence[Sample], now: float, current: str) -> tuple[str, str]:
    """The state and a reason in CloudWatch's words. Periods end at `now`, not at full minutes."""
    breaches = COMPARE[rule.comparison]
    points: list[float | None] = []
    for index in range(rule.periods):
        end = now - index * rule.period
        inside = [sample for sample in samples if end - rule.period < sample.at <= end]
        points.append(_statistic(rule.statistic, inside) if inside else None)
    known = [point for point in points if point is not None]
    if not known and rule.missing in ("missing", "ignore"):
        if rule.missing == "ignore":
            return current, "no data"
        return "INSUFFICIENT_DATA", f"Insufficient Data: {rule.periods} datapoints were unknown."
    breaching = sum(breaches(point, rule.threshold) for point in known)
    if rule.missing == "breaching":
        breaching += len(points) - len(known)
    shown = ", ".join(str(point) for point in known) or "missing"
    direction = rule.comparison.removesuffix("Threshold")
    if breaching >= rule.needed:
        text = f"{breaching} out of the last {rule.periods} datapoints [{shown}] was {direction} the threshold"
        return "ALARM", f"Threshold Crossed: {text} ({rule.threshold})."
    text = f"{breaching} out of the last {rule.periods} datapoints [{shown}] was {direction} the threshold"
    return "OK", f"Threshold Crossed: only {text} ({rule.threshold}), {rule.needed} needed."


def _statistic(name: str, samples: Sequence[Sample]) -> float:
    total, count = sum(s.total for s in samples), sum(s.count for s in samples)
    match name:
        case "Sum":
            return total
        case "SampleCount":
            return count
        case "Minimum":
            return min(s.lowest for s in samples)
        case "Maximum":
            return max(s.highest for s in samples)
        case "Average":
            return total / count if count else 0.0
    if name.startswith("p"):
        ordered = sorted(s.total / s.count for s in samples if s.count)
        return ordered[max(0, math.ceil(float(name[1:]) / 100 * len(ordered)) - 1)]
    raise ValueError(f"statistic {name!r} is not evaluated by the sandbox")
