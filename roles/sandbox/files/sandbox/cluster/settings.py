"""What can be chosen about a sandbox. Remembered in its directory, so that a second `up` needs no options."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

# K3s' and Prometheus' own values at real speed.
_NODE_GRACE_SECONDS = 40.0
_NODE_MONITOR_SECONDS = 5.0
_POD_TOLERATION_SECONDS = 300.0
_SCRAPE_SECONDS = 15.0


@dataclass(frozen=True)
class Settings:
    """`speed` divides every waiting time that a real cluster has: a demo of an hour then takes minutes."""

    speed: float = 1.0

    def __post_init__(self) -> None:
        if not 1 <= self.speed <= 60:
            raise ValueError(f"speed must be between 1 and 60, not {self.speed}")

    @property
    def node_grace_seconds(self) -> int:
        """Silence of a kubelet after which its node counts as NotReady.

        Below 4 s a busy machine would tell lies.
        """
        return max(4, round(_NODE_GRACE_SECONDS / self.speed))

    @property
    def node_monitor_seconds(self) -> int:
        return max(1, round(_NODE_MONITOR_SECONDS / self.speed))

    @property
    def pod_toleration_seconds(self) -> int:
        """How long pods stay bound to a NotReady node before they are evicted from it."""
        return max(5, round(_POD_TOLERATION_SECONDS / self.speed))

    @property
    def scrape_seconds(self) -> int:
        """Prometheus' scrape and rule interval; KWOK nodes answer any interval."""
        return max(1, round(_SCRAPE_SECONDS / self.speed))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
