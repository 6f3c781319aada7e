"""Hypothesis strategies: any observation that a door could give.

Draws are dear, so whole shapes are drawn from catalogues instead of field by field.
"""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

from situations import NOW

Json = dict[str, Any]

ZONES = ["ap-southeast-1a", "ap-southeast-1b", "ap-southeast-1c"]
MOVABLE = [
    {"namespace": "shop", "owner": owner, "replicas": replicas, "cpu": cpu, "memory": memory}
    for owner, replicas in (("Deployment/web", 3), ("Job/mail", None))
    for cpu, memory in ((0, 0), (0.1, 1e8), (0.5, 1e8), (1.2, 5e8), (0.1, 1.5e9))
]
PODS: list[Json] = MOVABLE * 3 + [
    MOVABLE[1] | change
    for change in (
        {"namespace": "kube-system"},
        {"owner": "StatefulSet/db"},
        {"owner": "DaemonSet/agent", "cpu": 0.4},
        {"owner": "DaemonSet/agent", "namespace": "kube-system"},
        {"owner": "Node/w0"},
        {"owner": None},
        {"replicas": 1},
        {"replicas": None},
        {"cpu": None},
        {"memory": None},
        {"do_not_disrupt": True},
        {"finished": True},
    )
]
SMALL = {"cpu": 2.0, "memory": 2e9, "pods": 3}
LARGE = {"cpu": 2.0, "memory": 2e9, "pods": 110}
WORKERS: list[Json] = [
    {
        "zone": zone,
        "lifecycle": lifecycle,
        "state": "ready",
        "allocatable": size,
        "launched_at": NOW - age,
        "cpu_percent": cpu,
    }
    for zone, (lifecycle, size), (age, cpu) in itertools.product(
        ZONES, (("spot", LARGE), ("on_demand", LARGE), ("spot", SMALL)), ((5000, 10.0), (9000, 10.0), (100, 95.0))
    )
]
WORKERS += [
    WORKERS[index] | change
    for index in (0, 12)
    for change in (
        {"state": "joining"},
        {"state": "joining", "allocatable": None},
        {"state": "not_ready"},
        {"state": "draining"},
        {"allocatable": None},
        {"launched_at": None, "cpu_percent": None},
        {"do_not_disrupt": True},
    )
]
CALM: Json = {"cpu_percent": 12.0, "memory_percent": 31.0, "pending_pods": 0, "custom": {}}
READINGS: list[Json] = [CALM] * 12 + [
    CALM | change
    for change in (
        {"custom": {"queue_depth": 5, "error_rate_percent": 1}},
        {"custom": {"queue_depth": 500}},
        {"custom": {"queue_depth": 5000}},
        {"custom": {"error_rate_percent": 9}},
        {"custom": {"latency_p95_ms": None}},
        {"custom": {"own": 50}},
        {"custom": {"own": 500}},
        {"cpu_percent": None},
        {"memory_percent": None},
        {"pending_pods": None},
        {"cpu_percent": 30},
        {"cpu_percent": 71.5},
        {"cpu_percent": 92},
        {"memory_percent": 80},
        {"pending_pods": 2},
        {"pending_pods": 9, "cpu_percent": 71},
        {"cpu_percent": None, "memory_percent": None, "pending_pods": None},
    )
]
AGES = [[], [120], [600, 480, 360, 240, 120], [600, 480, 360, 240, 120], [600, 480, 360, 240, 120], [90, 60]]
OWN = [
    {"name": "own", "threshold": limit, "for_seconds": 120, "direction": way}
    for way, limit in (("up", 200), ("down", 100))
]
WISHES: list[Json] = [
    {},
    {},
    {"profile": "adaptive"},
    {"profile": "adaptive", "max_step": 1},
    {"removal_order": "oldest"},
    {"custom_rules": OWN},
    {"custom_rules": OWN[1:], "spot_percent": 0},
    {"spot_percent": 100, "zones": ZONES},
    {"zones": ZONES[2:], "scale_up_step": 3},
]
POOLS = [
    {"zone": zone, "instance_type": "t3.small", "lifecycle": lifecycle, "at": at}
    for zone, lifecycle, at in itertools.product(ZONES, ("spot", "on_demand"), (NOW - 601, NOW - 10))
]
REFUSED = [[], [], [], [], [], [], POOLS[:2], POOLS[4:], POOLS]
LAST = [
    None,
    None,
    *({"direction": way, "completed_at": NOW - ago} for way in ("up", "down") for ago in (0, 299, 300, 599, 600)),
]
OPERATIONS = [None] * 9 + [{"id": "op", "kind": "up", "phase": "verify", "started_at": NOW - 60}]
PAUSES = [None] * 7 + [{"directions": ["up"]}, {"directions": ["down"]}, {"until": NOW - 1}]
PENDING = [[], [], [], [], [{"namespace": "shop", "name": "p", "cpu": 1.5, "memory": 1e8}], None]


@st.composite
def policies(draw: st.DrawFn) -> Json:
    least = draw(st.integers(0, 4))
    limits = {"min_workers": least, "max_workers": draw(st.integers(max(1, least), 9))}
    return limits | {"scale_down_step": draw(st.integers(1, 3))} | draw(st.sampled_from(WISHES))


@st.composite
def fleets(draw: st.DrawFn, least: int = 0) -> list[Json]:
    """Up to seven workers with up to four pods each, w0 first."""
    shapes = draw(st.lists(st.sampled_from(WORKERS), min_size=least, max_size=7))
    fleet = []
    for number, shape in enumerate(shapes):
        pods = draw(st.lists(st.sampled_from(PODS), max_size=4))
        named = [each | {"name": f"w{number}-{place}"} for place, each in enumerate(pods)]
        name = {"name": f"w{number}", "instance_id": f"i-{number}", "instance_type": "t3.small"}
        fleet.append(shape | name | {"pods": named})
    return fleet


def budgets(fleet: list[Json]) -> list[list[Json] | None]:
    names = [pod["name"] for worker in fleet for pod in worker["pods"]]
    base = {"namespace": "shop", "name": "b", "allowed": 1, "pods": names[::2]}
    twins = [base | {"name": name, "allowed": 9, "pods": names[:2]} for name in "bc"]
    return [[], [], [base], [base | {"allowed": None, "pods": names[:1]}], twins, None]


@st.composite
def anything(draw: st.DrawFn) -> Json:
    """A whole observation in which anything may be so or otherwise."""
    fleet = draw(fleets())
    newest = NOW - draw(st.sampled_from([0, 0, 0, 0, 0, 30, 61, 301]))
    before = draw(st.sampled_from(READINGS))
    history = [before | {"at": newest - age} for age in draw(st.sampled_from(AGES))]
    if history:
        history[draw(st.integers(0, len(history) - 1))] |= draw(st.sampled_from(READINGS))
    reading = draw(st.sampled_from([before, before, *READINGS])) | {"at": newest}
    return {
        "schema": 1,
        "now": NOW,
        "policy": draw(policies()),
        "reading": draw(st.sampled_from([reading] * 9 + [None])),
        "history": history,
        "workers": draw(st.sampled_from([fleet] * 19 + [None])),
        "pending": draw(st.sampled_from(PENDING)),
        "budgets": draw(st.sampled_from(budgets(fleet))),
        "last_action": draw(st.sampled_from(LAST)),
        "operation": draw(st.sampled_from(OPERATIONS)),
        "paused": draw(st.sampled_from(PAUSES)),
        "alerted": draw(st.sampled_from([{}, {}, {"at_maximum": NOW - 60}, {"metrics_missing": 1, "no_capacity": 2}])),
        "refused_pools": draw(st.sampled_from(REFUSED)),
    }


@st.composite
def calm(draw: st.DrawFn) -> Json:
    """Low load for ten minutes on a fleet above its minimum: whether a worker goes depends on its pods alone."""
    fleet = draw(fleets(least=3))
    return {
        "schema": 1,
        "now": NOW,
        "policy": draw(policies()) | {"min_workers": 1, "max_workers": 9},
        "reading": CALM | {"at": NOW},
        "history": [CALM | {"at": NOW - age} for age in range(600, 0, -120)],
        "workers": fleet,
        "budgets": draw(st.sampled_from(budgets(fleet)[:-1])),
    }


BIG = [[], [MOVABLE[3]], [MOVABLE[3], MOVABLE[2]], [MOVABLE[1]], [MOVABLE[4]], [MOVABLE[3] | {"cpu": None}]]


@st.composite
def lossy(draw: st.DrawFn) -> Json:
    """A calm fleet that is nearly full, and that loses a worker or two just now."""
    given = draw(calm())
    shapes = [WORKERS[0], WORKERS[12], WORKERS[3]]
    lost = [shape | {"state": draw(st.sampled_from(["not_ready", "draining"]))} for shape in WORKERS[:2]]
    fleet = []
    for number, shape in enumerate([*shapes, *lost[: draw(st.integers(1, 2))]]):
        pods = [pod | {"name": f"w{number}-{place}"} for place, pod in enumerate(draw(st.sampled_from(BIG)))]
        name = {"name": f"w{number}", "instance_id": f"i-{number}", "instance_type": "t3.small"}
        fleet.append(shape | name | {"pods": pods})
    return given | {"workers": fleet, "budgets": []}


def observations() -> st.SearchStrategy[Json]:
    return st.one_of(anything(), calm(), lossy())


def at_minute(given: Json, minute: int, demand: float | None) -> Json:
    """The same observation, moved to this minute of the hour, with three days of such demand in the next hour."""
    shift = NOW // 3600 * 3600 + minute * 60 - NOW
    now = NOW + shift
    moved = given | {"now": now, "demand": [{"at": now - 84_000 - 86_400 * day, "workers": demand} for day in range(3)]}
    if given["reading"]:
        moved["reading"] = given["reading"] | {"at": given["reading"]["at"] + shift}
    moved["history"] = [each | {"at": each["at"] + shift} for each in given["history"]]
    return moved
