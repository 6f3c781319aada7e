"""Demand of the next hour, from the same hour of earlier days."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .model import Demand

HOUR = 3600
DAY = 86_400
# One-sided 95 % of a normal distribution.
BAND = 1.645


class Forecast(NamedTuple):
    """Demand in fully busy workers: expected, a level it stays below 19 times in 20, and what stood behind it."""

    mean: float
    upper: float
    days: int
    points: int
    unmeasured: int = 0


def next_hour(demand: Iterable[Demand], now: float, days: int) -> Forecast:
    """Mean of the next hour of day over up to `days` days. Each day counts once, however many points it has."""
    start = (now // HOUR + 1) * HOUR
    by_day: dict[int, list[float]] = {}
    unmeasured = 0
    for point in demand:
        days_back, into_day = divmod(point.at - start, DAY)
        if into_day >= HOUR or not -days <= days_back <= -1:
            continue
        if point.workers is None:
            unmeasured += 1
        else:
            by_day.setdefault(int(days_back), []).append(point.workers)
    means = [sum(points) / len(points) for _, points in sorted(by_day.items())]
    if not means:
        return Forecast(0.0, 0.0, 0, 0, unmeasured)
    mean = sum(means) / len(means)
    spread = (sum((each - mean) ** 2 for each in means) / max(1, len(means) - 1)) ** 0.5
    return Forecast(mean, mean + BAND * spread, len(means), sum(map(len, by_day.values())), unmeasured)
