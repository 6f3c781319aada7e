"""How long an instance takes from running to a joined node: skewed as on EC2, and the same for the same id."""

from __future__ import annotations

import hashlib
import math
import random
from dataclasses import dataclass

MEAN_SECONDS = 105.0
SIGMA = 0.25


@dataclass(frozen=True)
class JoinDelays:
    """Lognormal with this mean, in cloud seconds. By id, so that a restarted hypervisor comes to the same."""

    mean: float = MEAN_SECONDS
    sigma: float = SIGMA
    seed: int = 0

    def of(self, instance_id: str) -> float:
        digest = hashlib.sha256(f"{self.seed}/{instance_id}".encode()).digest()
        # The mean of a lognormal lies above the exponent's mean by half the variance.
        middle = math.log(self.mean) - self.sigma**2 / 2
        return random.Random(digest).lognormvariate(middle, self.sigma)
