"""One look at the fleet as the table shows it: what was seen, and what the engine made of it."""

from __future__ import annotations

from dataclasses import dataclass

from fleet.model import Action, Decision
from fleet.observation import Observation


@dataclass(frozen=True)
class Look:
    """`times` is how many times the quiet load; `second` counts from the beginning of the story."""

    second: float
    times: float
    observation: Observation
    decision: Decision

    @property
    def cpu_percent(self) -> float | None:
        return self.observation.reading.cpu_percent if self.observation.reading else None

    @property
    def pending_pods(self) -> int | None:
        return self.observation.reading.pending_pods if self.observation.reading else None

    @property
    def wish(self) -> str:
        """The decision in a few characters."""
        decision = self.decision
        if decision.action is Action.SCALE_UP:
            return f"+{decision.count}" + (" urgent" if decision.urgent else "")
        return f"-{decision.count}" if decision.action is Action.SCALE_DOWN else "none"
