"""Where new workers go: zones, the Spot mix and instance types, with refused pools left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .model import Launch, Lifecycle, RefusedPool, Worker
from .policy import Policy

Pool = tuple[str, str, Lifecycle]


def plan_launches(
    count: int, workers: Iterable[Worker], policy: Policy, refused: Iterable[RefusedPool], now: float
) -> tuple[Launch, ...]:
    """Up to `count` launches beside the current workers; fewer only where every pool was refused lately."""
    current = tuple(workers)
    closed = recently_refused(refused, policy, now)
    in_zone = workers_by_zone(current, policy)
    existing_spot = sum(worker.lifecycle is Lifecycle.SPOT for worker in current)
    spot = spot_to_launch(count, len(current) + count, existing_spot, policy.spot_percent)
    launches = []
    for number in range(count):
        wanted = Lifecycle.SPOT if number < spot else Lifecycle.ON_DEMAND
        launch = _first_open_pool(wanted, in_zone, policy.instance_types, closed)
        if launch is None:
            break
        in_zone[launch.zone] += 1
        launches.append(launch)
    return tuple(launches)


def spot_to_launch(count: int, desired: int, existing_spot: int, spot_percent: int) -> int:
    """How many of `count` new workers are Spot: what is missing from floor(desired x percent), and never negative."""
    return max(0, min(count, desired * spot_percent // 100 - existing_spot))


def workers_by_zone(workers: Iterable[Worker], policy: Policy) -> dict[str, int]:
    """Workers in each zone that may be launched into; a worker elsewhere does not open its zone."""
    in_zone = dict.fromkeys(policy.zones, 0)
    for worker in workers:
        if worker.zone in in_zone:
            in_zone[worker.zone] += 1
    return in_zone


def recently_refused(refused: Iterable[RefusedPool], policy: Policy, now: float) -> set[Pool]:
    """Pools that are left out for now."""
    return {
        (pool.zone, pool.instance_type, pool.lifecycle)
        for pool in refused
        if now < pool.at + policy.refused_pool_seconds
    }


def _first_open_pool(
    wanted: Lifecycle, in_zone: Mapping[str, int], types: tuple[str, ...], closed: set[Pool]
) -> Launch | None:
    """Another type first, then another zone, then the other lifecycle: a worker is worth more than the mix."""
    other = Lifecycle.ON_DEMAND if wanted is Lifecycle.SPOT else Lifecycle.SPOT
    for lifecycle in (wanted, other):
        for zone in sorted(in_zone, key=lambda name: (in_zone[name], name)):
            open_types = tuple(kind for kind in types if (zone, kind, lifecycle) not in closed)
            if open_types:
                return Launch(zone, lifecycle, open_types)
    return None
