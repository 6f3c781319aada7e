"""Gathers an Observation and remembers, between looks, what the state table will remember in production."""

from __future__ import annotations

from dataclasses import dataclass, field

import requests

from fleet.decide.engine import decide
from fleet.model import AlertEvent, Budget, Decision, Pod, Reading, Worker
from fleet.observation import Observation
from fleet.policy import Policy
from sandbox.cluster.api import ApiError, ClusterApi
from sandbox.demo import fleet_view
from sandbox.demo.metrics import Metrics


@dataclass
class Observer:
    """Looks with the autoscaler's own token and Prometheus' login, and asks the engine.

    Nothing acts on the answers yet, so no action is ever completed: `last_action` stays empty and no cooldown holds.
    """

    api: ClusterApi
    metrics: Metrics
    policy: Policy = field(default_factory=Policy)
    history: list[Reading] = field(default_factory=list)
    alerted: dict[str, float] = field(default_factory=dict)

    def look(self, now: float) -> tuple[Observation, Decision]:
        workers, pending, budgets = self._cluster()
        reading = self.metrics.reading(now)
        observation = Observation(
            schema=1,
            now=now,
            reading=reading,
            workers=workers,
            policy=self.policy,
            history=tuple(self.history),
            pending=pending,
            budgets=budgets,
            last_action=None,
            alerted=dict(self.alerted),
        )
        observation.check()
        decision = decide(observation)
        self._remember(reading, decision, now)
        return observation, decision

    def _cluster(self) -> tuple[tuple[Worker, ...] | None, tuple[Pod, ...] | None, tuple[Budget, ...] | None]:
        """None for all of it where the API server does not answer: half a fleet would be a wrong one."""
        try:
            nodes = self.api.items("/api/v1/nodes")
            pods = self.api.items("/api/v1/pods")
            sets = self.api.items("/apis/apps/v1/replicasets")
            deployments = self.api.items("/apis/apps/v1/deployments")
            disruption = self.api.items("/apis/policy/v1/poddisruptionbudgets")
        except (ApiError, requests.RequestException):
            return None, None, None
        owners = fleet_view.owners_of(sets, deployments)
        bound = fleet_view.pods_by_node(pods, owners)
        return (
            fleet_view.workers(nodes, bound, self.metrics.cpu_of_nodes()),
            fleet_view.unschedulable(pods, owners),
            fleet_view.budgets(disruption, pods),
        )

    def _remember(self, reading: Reading | None, decision: Decision, now: float) -> None:
        if reading is not None:
            self.history = [*self.history, reading][-self.policy.readings_to_keep() :]
        for alert in decision.alerts:
            if alert.event is AlertEvent.RAISED:
                self.alerted[alert.name.value] = now
            else:
                self.alerted.pop(alert.name.value, None)
