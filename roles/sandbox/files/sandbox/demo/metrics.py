"""Readings from Prometheus over HTTP with basic auth: what is not there is None, never zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import requests

from fleet.model import Reading, Unmeasured
from sandbox.whole import Sandbox

IDLE = 'rate(node_cpu_seconds_total{{mode="idle", role="worker"}}[{window}])'
CPU = f"100 * (1 - avg({IDLE}))"
CPU_OF_NODES = f"100 * (1 - avg by (node) ({IDLE}))"
MEMORY = (
    '100 * (1 - sum(node_memory_MemAvailable_bytes{role="worker"}) / sum(node_memory_MemTotal_bytes{role="worker"}))'
)
# kube-state-metrics shows a series per unschedulable pod: none is zero only while it is scraped at all.
PENDING = 'sum(kube_pod_status_unschedulable) or 0 * max(up{job="kube-state-metrics"} == 1)'


@dataclass(frozen=True)
class Metrics:
    """Instant queries, each for the moment it is asked."""

    url: str
    login: tuple[str, str]
    window: str

    @classmethod
    def of(cls, sandbox: Sandbox, window: str) -> Metrics:
        """Through the door at which faults of Prometheus happen, as the engine will ask."""
        return cls(sandbox.prometheus_url, sandbox.cluster.prometheus_login, window)

    def reading(self, at: float) -> Reading | None:
        """All core metrics at once; None where Prometheus does not answer."""
        try:
            cpu = self._number(CPU.format(window=self.window))
            memory = self._number(MEMORY)
            pending = self._number(PENDING)
        except requests.RequestException:
            return None
        values = {"cpu_percent": cpu, "memory_percent": memory, "pending_pods": pending}
        return Reading(
            at=at,
            cpu_percent=cpu,
            memory_percent=memory,
            pending_pods=None if pending is None else round(pending),
            unmeasured={name: Unmeasured.MISSING for name, value in values.items() if value is None},
        )

    def cpu_of_nodes(self) -> dict[str, float]:
        """CPU percent by node; empty where it could not be asked for."""
        try:
            series = self._ask(CPU_OF_NODES.format(window=self.window))
        except requests.RequestException:
            return {}
        return {each["metric"]["node"]: _percent(each["value"][1]) for each in series}

    def _number(self, query: str) -> float | None:
        series = self._ask(query)
        return _percent(series[0]["value"][1]) if series else None

    def _ask(self, query: str) -> list[dict[str, Any]]:
        address = f"{self.url}/api/v1/query"
        with requests.Session() as session:
            session.trust_env = False
            answer = session.get(address, params={"query": query}, auth=self.login, timeout=5)
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["data"]["result"]
        return found


def _percent(text: str) -> float:
    """Extrapolation of a rate may go a hair below zero."""
    return round(max(0.0, float(text)), 2)
