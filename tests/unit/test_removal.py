"""Workers that go together: the proof is added up anew here, from the requests, without the engine's packing."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.model import Budget, Pod, Reason, Worker
from fleet.removal import RemovalPlan, plan_removals
from situations import ZONES, pod, worker

A, B = ZONES
SMALL = {"cpu": 1.0, "memory": 1e9, "pods": 4}


def fleet(*given_workers: dict[str, Any]) -> list[Worker]:
    return [Worker.from_dict(each) for each in given_workers]


def names_of(plan: RemovalPlan) -> list[str]:
    return [removal.worker.name for removal in plan.removals]


def reasons_of(plan: RemovalPlan) -> dict[str, Reason]:
    return {kept.name: kept.reason for kept in plan.kept}


def has_to_move(each: Pod) -> bool:
    return not each.finished and not (each.owner or "").startswith(("DaemonSet/", "Node/"))


def assert_proven(plan: RemovalPlan, workers: list[Worker]) -> None:
    """Every pod that has to move has a home, no home goes itself, and no home is overfull afterwards."""
    by_name = {each.name: each for each in workers}
    arriving: dict[str, list[Pod]] = defaultdict(list)
    for removal in plan.removals:
        moving = {each.path: each for each in by_name[removal.worker.name].pods or () if has_to_move(each)}
        assert set(removal.homes) == set(moving)
        for path, home in removal.homes.items():
            arriving[home].append(moving[path])
    assert not arriving.keys() & set(names_of(plan))
    for home, arrived in arriving.items():
        host = by_name[home]
        assert host.state == "ready"
        assert host.allocatable is not None
        running = [each for each in (*(host.pods or ()), *arrived) if not each.finished]
        assert sum(each.cpu or 0 for each in running) <= host.allocatable.cpu + 1e-6
        assert sum(each.memory or 0 for each in running) <= host.allocatable.memory
        assert len(running) <= host.allocatable.pods


def pods_of(owner: str, *cpus: float, **changes: Any) -> list[dict[str, Any]]:
    return [pod(f"{owner}-{number}", cpu=cpu, **changes) for number, cpu in enumerate(cpus)]


@pytest.mark.parametrize(
    ("leaving", "staying", "fits"),
    [
        pytest.param([pod("p", cpu=0.4)], [pod("q", cpu=0.6)], True, id="cpu-to-the-last-millicore"),
        pytest.param([pod("p", cpu=0.3)], pods_of("q", *[0.1] * 3, 0.4), False, id="one-pod-place-too-few"),
        pytest.param([pod("p", cpu=0.3)], pods_of("q", 0.1, 0.2, 0.4), True, id="last-pod-place,-sums-not-exact"),
        pytest.param([pod("p", cpu=0.401)], [pod("q", cpu=0.6)], False, id="one-millicore-too-many"),
        pytest.param([pod("p", memory=5e8)], [pod("q", memory=5e8)], True, id="memory-to-the-last-byte"),
        pytest.param([pod("p", memory=5e8 + 1)], [pod("q", memory=5e8)], False, id="one-byte-too-many"),
        pytest.param([pod("p", cpu=0.9)], [pod("q", cpu=0.6, finished=True)], True, id="a-finished-pod-takes-no-room"),
        pytest.param(
            [pod("p", cpu=0.9)],
            [pod("q", cpu=0.6, owner="DaemonSet/d")],
            False,
            id="a-DaemonSet-pod-takes-room-where-it-stays",
        ),
        pytest.param([pod("p", cpu=9, owner="DaemonSet/d")], [], True, id="a-DaemonSet-pod-needs-no-room-elsewhere"),
        pytest.param([pod("p", cpu=9, finished=True)], [], True, id="a-finished-pod-needs-no-room-elsewhere"),
    ],
)
def test_proof(leaving: list[dict[str, Any]], staying: list[dict[str, Any]], fits: bool) -> None:
    busy = worker("stays", cpu_percent=90.0, allocatable=SMALL, pods=staying, do_not_disrupt=True)
    workers = fleet(worker("goes", cpu_percent=1.0, allocatable=SMALL, pods=leaving), busy)
    plan = plan_removals(workers, (), 1)
    assert names_of(plan) == (["goes"] if fits else [])
    assert reasons_of(plan).get("goes") == (None if fits else Reason.FITS_NOWHERE)
    assert_proven(plan, workers)


@pytest.mark.parametrize(
    "useless",
    [
        pytest.param({"state": "joining"}, id="joining"),
        pytest.param({"state": "not_ready"}, id="not-ready"),
        pytest.param({"state": "draining"}, id="draining"),
        pytest.param({"allocatable": None}, id="size-unknown"),
        pytest.param({"pods": None}, id="pods-unknown"),
        pytest.param({"pods": [pod("odd", cpu=None)]}, id="a-pod-with-unmeasured-cpu"),
        pytest.param({"pods": [pod("odd", memory=None)]}, id="a-pod-with-unmeasured-memory"),
        pytest.param({"pods": [pod("odd", cpu=None, owner="DaemonSet/d")]}, id="an-unmeasured-DaemonSet-pod"),
    ],
)
def test_a_worker_that_cannot_receive(useless: dict[str, Any]) -> None:
    leaving = worker("goes", cpu_percent=1.0, pods=[pod("p")])
    held = {"do_not_disrupt": True, "cpu_percent": 90.0}
    plan = plan_removals(fleet(leaving, worker("other", **held | useless)), (), 1)
    assert reasons_of(plan)["goes"] is Reason.FITS_NOWHERE
    workers = fleet(leaving, worker("other", **held))
    assert names_of(plan_removals(workers, (), 1)) == ["goes"]


def test_what_cannot_move_is_named_with_its_requests() -> None:
    huge = worker("w1", pods=[pod("small"), pod("huge", cpu=1.5, memory=5e8)])
    plan = plan_removals(fleet(huge, worker("w2", pods=pods_of("q", 1.0))), (), 1)
    details = {kept.name: kept.detail for kept in plan.kept}
    assert names_of(plan) == []
    assert details["w1"].startswith("shop/huge needs 1.5 CPU and 500 MB")
    assert details["w2"].startswith("shop/q-0 needs 1 CPU and 100 MB")


def test_a_failed_attempt_gives_its_room_back() -> None:
    """The first candidate places one pod before its second finds no room; the next candidate needs that very room."""
    first = worker("first", cpu_percent=1.0, allocatable=SMALL, pods=pods_of("f", 0.8, 0.7))
    second = worker("second", cpu_percent=2.0, allocatable=SMALL, pods=pods_of("s", 0.9))
    host = worker("host", cpu_percent=3.0, allocatable=SMALL, do_not_disrupt=True)
    workers = fleet(first, second, host)
    plan = plan_removals(workers, (), 1)
    assert names_of(plan) == ["second"]
    assert reasons_of(plan)["first"] is Reason.FITS_NOWHERE
    assert_proven(plan, workers)


@pytest.mark.parametrize(
    ("allowed", "names"),
    [
        pytest.param(1, ["w0"], id="one-eviction-is-used-up-by-the-first"),
        pytest.param(2, ["w0", "w1"], id="two-evictions-are-used-up-by-two"),
        pytest.param(3, ["w0", "w1", "w2"], id="three-evictions-let-three-go"),
    ],
)
def test_budgets_are_used_up_across_removals(allowed: int, names: list[str]) -> None:
    leaving = [worker(f"w{number}", cpu_percent=float(number), pods=[pod(f"p{number}")]) for number in range(3)]
    workers = fleet(*leaving, worker("host", cpu_percent=90.0, do_not_disrupt=True))
    plan = plan_removals(workers, [Budget("shop", "web", allowed, ("p0", "p1", "p2"))], 3)
    assert names_of(plan) == names
    assert [reasons_of(plan)[name] for name in ("w0", "w1", "w2") if name not in names] == [Reason.BUDGET] * (
        3 - len(names)
    )
    assert_proven(plan, workers)


def test_room_is_used_up_across_removals() -> None:
    leaving = [worker(f"w{number}", cpu_percent=float(number), pods=pods_of(f"p{number}", 0.6)) for number in range(3)]
    host = worker("host", cpu_percent=90.0, allocatable=SMALL | {"cpu": 1.2}, do_not_disrupt=True)
    workers = fleet(*(each | {"allocatable": SMALL | {"cpu": 0.6}} for each in leaving), host)
    plan = plan_removals(workers, (), 3)
    assert names_of(plan) == ["w0", "w1"]
    assert reasons_of(plan)["w2"] is Reason.FITS_NOWHERE
    assert_proven(plan, workers)


def test_a_worker_that_receives_pods_stays() -> None:
    first = worker("first", cpu_percent=1.0, pods=[pod("p")])
    receiver = worker("receiver", cpu_percent=2.0)
    workers = fleet(first, receiver)
    plan = plan_removals(workers, (), 2)
    assert names_of(plan) == ["first"]
    assert reasons_of(plan) == {"receiver": Reason.RECEIVES_PODS}
    assert_proven(plan, workers)


def test_a_worker_that_goes_receives_nothing() -> None:
    """`a` goes first and empty; the pods of `b` may not be proven onto it, however much room it has."""
    workers = fleet(
        worker("a", cpu_percent=1.0),
        worker("b", cpu_percent=2.0, pods=[pod("p")]),
        worker("c", cpu_percent=3.0, pods=[pod("db", owner="StatefulSet/db")]),
    )
    plan = plan_removals(workers, (), 2)
    assert [(removal.worker.name, removal.homes) for removal in plan.removals] == [("a", {}), ("b", {"shop/p": "c"})]


@pytest.mark.parametrize(
    ("zones", "count", "names"),
    [
        pytest.param([A, A, B], 1, ["w0"], id="one-of-the-two"),
        pytest.param([A, B, B], 1, ["w1"], id="the-idlest-is-the-last-of-its-zone"),
        pytest.param([A, A, B], 3, ["w0", "w1", "w2"], id="once-all-zones-are-down-to-one-none-is-favoured"),
        pytest.param([A, A, A, B, B], 2, ["w0", "w1"], id="fullest-zone-first,-then-by-idleness-again"),
        pytest.param([B, A, A, A, B], 3, ["w1", "w0", "w2"], id="zones-shrink-in-turn"),
    ],
)
def test_zones_shrink_evenly(zones: list[str], count: int, names: list[str]) -> None:
    workers = fleet(*(worker(f"w{number}", zone=zone, cpu_percent=number) for number, zone in enumerate(zones)))
    assert names_of(plan_removals(workers, (), count)) == names


def test_the_last_in_its_zone_stays_while_another_zone_has_more() -> None:
    held = [worker(name, zone=B, do_not_disrupt=True) for name in ("b1", "b2")]
    plan = plan_removals(fleet(worker("a1", zone=A), *held), (), 1)
    assert reasons_of(plan) == {"a1": Reason.LAST_IN_ZONE, "b1": Reason.DO_NOT_DISRUPT, "b2": Reason.DO_NOT_DISRUPT}
    assert plan.removals == ()


@pytest.mark.parametrize(
    ("state", "name"),
    [
        pytest.param("joining", "a1", id="joining-counts"),
        pytest.param("draining", "b1", id="draining-does-not-count"),
        pytest.param("not_ready", "b1", id="not-ready-does-not-count"),
    ],
)
def test_which_workers_make_a_zone_full(state: str, name: str) -> None:
    """Zone a has one Ready worker and a second in some state; zone b has two that are busier."""
    in_b = [worker(each, zone=B, cpu_percent=90.0) for each in ("b1", "b2")]
    workers = fleet(worker("a1", cpu_percent=1.0), worker("a2", state=state), *in_b)
    assert names_of(plan_removals(workers, (), 1)) == [name]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        pytest.param("joining", Reason.JOINING, id="joining"),
        pytest.param("not_ready", Reason.NOT_READY, id="not-ready"),
        pytest.param("draining", Reason.DRAINING, id="draining"),
    ],
)
def test_only_ready_workers_go(state: str, reason: Reason) -> None:
    plan = plan_removals(fleet(worker("idle", state=state, cpu_percent=0.0), worker("w1"), worker("w2")), (), 1)
    assert names_of(plan) == ["w1"]
    assert reasons_of(plan) == {"idle": reason, "w2": Reason.OTHERS_FIRST}


owners = ["Deployment/web"] * 4 + ["Job/j", "DaemonSet/d", "StatefulSet/db", "finished"]
shapes = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7]), st.sampled_from(owners)), max_size=4)
hosts = st.tuples(st.sampled_from(ZONES), st.sampled_from(["ready"] * 6 + ["joining", "draining"]), shapes)
# A pod is covered by the budget where its worker's or its own number is in the set.
covers = st.frozensets(st.integers(0, 5), max_size=3)


def drawn_worker(number: int, zone: str, state: str, pods: list[tuple[float, str]]) -> dict[str, Any]:
    listed = [
        pod(f"p{number}-{place}", cpu=cpu, owner=owner, finished=owner == "finished")
        for place, (cpu, owner) in enumerate(pods)
    ]
    return worker(f"w{number}", zone=zone, state=state, allocatable=SMALL, pods=listed)


def situation(drawn: list[Any], covered: frozenset[int], allowed: int) -> tuple[list[Worker], list[Budget]]:
    workers = fleet(*(drawn_worker(number, *host) for number, host in enumerate(drawn)))
    names = [
        f"p{number}-{place}"
        for number, host in enumerate(drawn)
        for place in range(len(host[2]))
        if covered & {number, place}
    ]
    return workers, [Budget("shop", "some", allowed, tuple(names))]


situations = st.builds(situation, st.lists(hosts, min_size=2, max_size=6), covers, st.integers(0, 3))


@given(situations, st.integers(1, 4))
def test_every_plan_is_proven_and_explained(drawn: tuple[list[Worker], list[Budget]], count: int) -> None:
    workers, budgets = drawn
    plan = plan_removals(workers, budgets, count)
    assert_proven(plan, workers)
    assert len(plan.removals) <= count
    assert sorted([*names_of(plan), *reasons_of(plan)]) == sorted(each.name for each in workers)
    evicted = {path for removal in plan.removals for path in removal.homes}
    for budget in budgets:
        assert sum(f"shop/{name}" in evicted for name in budget.pods) <= (budget.allowed or 0)


@given(situations, st.integers(1, 3), st.integers(0, 5))
def test_input_order_does_not_matter(drawn: tuple[list[Worker], list[Budget]], count: int, turn: int) -> None:
    workers, budgets = drawn
    turned = [replace(each, pods=(each.pods or ())[::-1]) for each in workers[turn:] + workers[:turn]]
    for other in (turned, turned[::-1]):
        found, expected = plan_removals(other, budgets, count), plan_removals(workers, budgets, count)
        assert found.kept == expected.kept
        assert [(each.worker.name, each.homes) for each in found.removals] == [
            (each.worker.name, each.homes) for each in expected.removals
        ]
