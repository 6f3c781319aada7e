"""What a fleet costs an hour, a day and a month, and what it saves against a fixed fleet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .errors import FleetError
from .model import Lifecycle

HOURS_A_DAY = 24
# AWS bills by the second; 30 days are what our users' budgets are made in.
HOURS_A_MONTH = 720


@dataclass(frozen=True, slots=True)
class Price:
    """USD an hour of one instance type."""

    on_demand: float
    spot: float

    def of(self, lifecycle: Lifecycle) -> float:
        return self.spot if lifecycle is Lifecycle.SPOT else self.on_demand

    def mixed(self, spot_percent: float) -> float:
        """Average of a worker where this share of the fleet is Spot."""
        return (self.spot * spot_percent + self.on_demand * (100 - spot_percent)) / 100


# As the fleet's owner reckons with them; a region's own prices are given by the caller.
PRICES = {"t3.small": Price(on_demand=0.0232, spot=0.0070)}


@dataclass(frozen=True, slots=True)
class Cost:
    """USD; negative where it is a loss."""

    hourly: float

    @property
    def daily(self) -> float:
        return self.hourly * HOURS_A_DAY

    @property
    def monthly(self) -> float:
        return self.hourly * HOURS_A_MONTH


@dataclass(frozen=True, slots=True)
class Savings:
    """`percent` is of what the fixed fleet costs; zero where that costs nothing."""

    cost: Cost
    percent: float


def cost_of(mix: Iterable[tuple[str, Lifecycle]], prices: dict[str, Price] = PRICES) -> Cost:
    """Cost of workers given as type and lifecycle, one entry a worker."""
    hourly = 0.0
    for instance_type, lifecycle in mix:
        if instance_type not in prices:
            raise FleetError(f"no price for instance type {instance_type}: known are {', '.join(sorted(prices))}")
        hourly += prices[instance_type].of(lifecycle)
    return Cost(hourly)


def fixed_fleet(workers: int, instance_type: str = "t3.small", prices: dict[str, Price] = PRICES) -> Cost:
    """Cost of so many On-Demand workers day and night: what our users pay before."""
    return cost_of([(instance_type, Lifecycle.ON_DEMAND)] * workers, prices)


def savings(actual: Cost, fixed: Cost) -> Savings:
    saved = fixed.hourly - actual.hourly
    return Savings(Cost(saved), 100 * saved / fixed.hourly if fixed.hourly else 0.0)
