"""Observations as tests and benchmarks need them: a calm fleet of Ready workers, with only what matters changed."""

from __future__ import annotations

from typing import Any

# 2024-01-25 12:10:00 UTC: minute 10, so that the look-ahead stays out of it unless a test asks for it.
NOW = 1706184600
ZONES = ("ap-southeast-1a", "ap-southeast-1b")


def pod(name: str, **changes: Any) -> dict[str, Any]:
    """A pod that may be moved: one of three replicas, with small requests."""
    given = {"namespace": "shop", "name": name, "owner": "Deployment/web", "replicas": 3, "cpu": 0.1, "memory": 1e8}
    return given | changes


def worker(name: str, **changes: Any) -> dict[str, Any]:
    """A Ready Spot worker with nothing on it."""
    given: dict[str, Any] = {
        "name": name,
        "instance_id": f"i-{name}",
        "zone": ZONES[0],
        "lifecycle": "spot",
        "instance_type": "t3.small",
        "launched_at": NOW - 86_400,
        "state": "ready",
        "cpu_percent": 40.0,
        "allocatable": {"cpu": 2.0, "memory": 2_000_000_000, "pods": 110},
        "pods": [],
    }
    return given | changes


def workers(count: int, **changes: Any) -> list[dict[str, Any]]:
    """So many workers, w0 first, spread over both zones in turn."""
    return [worker(f"w{number}", **{"zone": ZONES[number % 2]} | changes) for number in range(count)]


def reading(at: float = NOW, **changes: Any) -> dict[str, Any]:
    """A reading that asks for nothing."""
    return {"at": at, "cpu_percent": 45.0, "memory_percent": 60.0, "pending_pods": 0, "custom": {}} | changes


def steady(seconds: int, interval: int = 120, now: float = NOW, **changes: Any) -> dict[str, Any]:
    """`reading` and `history` of values that have been the same for so long."""
    ages = range(seconds, 0, -interval)
    return {"reading": reading(now, **changes), "history": [reading(now - age, **changes) for age in ages]}


def low_load(**changes: Any) -> dict[str, Any]:
    """`reading` and `history` that let a worker go."""
    return steady(600, **{"cpu_percent": 12.0, "memory_percent": 31.0} | changes)


def observation(**changes: Any) -> dict[str, Any]:
    """Three workers and a calm reading."""
    given = {"schema": 1, "now": NOW, "policy": {}, "reading": reading(), "history": [], "workers": workers(3)}
    return given | changes
