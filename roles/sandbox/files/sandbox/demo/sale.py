"""The flash sale as numbers: how much the customers want at each moment, and how many pods an HPA would run."""

from __future__ import annotations

import math
from dataclasses import dataclass

MINUTE = 60.0


@dataclass(frozen=True)
class Sale:
    """Seconds are the story's. Demand is in cores, as all customers together would use if every pod could give it."""

    quiet: float = 1.5
    factor: float = 5.0
    rises_at: float = 5 * MINUTE
    full_at: float = 11 * MINUTE
    falls_at: float = 28 * MINUTE
    over_at: float = 34 * MINUTE
    ends_at: float = 56 * MINUTE

    def times(self, second: float) -> float:
        """How many times the quiet load: a straight rise, a plateau, a straight fall."""
        if second < self.full_at:
            share = (second - self.rises_at) / (self.full_at - self.rises_at)
        else:
            share = (self.over_at - second) / (self.over_at - self.falls_at)
        return 1 + (self.factor - 1) * min(1.0, max(0.0, share))

    def demand(self, second: float) -> float:
        return self.quiet * self.times(second)


@dataclass(frozen=True)
class Autoscaling:
    """Replicas as a HorizontalPodAutoscaler sets them: up at once, down only after its stabilisation window."""

    request_cores: float = 0.25
    target_utilisation: float = 0.8
    least: int = 4
    most: int = 60
    stabilisation: float = 5 * MINUTE

    def wanted(self, demand: float) -> int:
        # Rounded first: 0.1 + 0.2 must not become one pod more.
        pods = math.ceil(round(demand / (self.request_cores * self.target_utilisation), 6))
        return min(self.most, max(self.least, pods))

    def replicas(self, sale: Sale, second: float) -> int:
        """The most that was wanted during the window; demand has no peaks between whole looks at its corners."""
        window = (second - self.stabilisation, sale.full_at, sale.falls_at, second)
        moments = [moment for moment in window if second - self.stabilisation <= moment <= second]
        return max(self.wanted(sale.demand(moment)) for moment in moments)
