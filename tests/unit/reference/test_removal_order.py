"""Which worker goes first, and which the user's documents never let go."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.model import Budget, Reason, Worker
from fleet.policy import RemovalOrder
from fleet.removal import RemovalPlan, plan_removals
from situations import NOW, ZONES, pod, worker

A, B = ZONES


def planned(given: list[dict[str, Any]], order: RemovalOrder = RemovalOrder.BALANCED, *budgets: Budget) -> RemovalPlan:
    return plan_removals([Worker.from_dict(each) for each in given], budgets, 1, order)


def gone(plan: RemovalPlan) -> list[str]:
    return [removal.worker.name for removal in plan.removals]


def some_pods(owner: str, count: int) -> list[dict[str, Any]]:
    return [pod(f"{owner}-{number}") for number in range(count)]


DAEMONS = [pod(f"exporter-{number}", owner="DaemonSet/exporter") for number in range(5)]


@pytest.mark.parametrize(
    ("given", "first"),
    [
        pytest.param(
            [worker("idle", zone=B, cpu_percent=1.0), worker("b2", zone=B, cpu_percent=2.0)]
            + [worker(name, cpu_percent=60.0, pods=some_pods(name, 3)) for name in ("a1", "a2", "a3")],
            "a1",
            id="fullest-zone-departs:-the-design-puts-the-zone-first-though-others-are-idler-and-emptier",
        ),
        pytest.param(
            [worker("busy", cpu_percent=9.0), worker("idle", cpu_percent=8.0, pods=some_pods("idle", 4))],
            "idle",
            id="highest-idle-CPU-before-fewest-pods",
        ),
        pytest.param(
            [worker("two", pods=some_pods("two", 2)), worker("one", pods=some_pods("one", 1), launched_at=NOW)],
            "one",
            id="fewest-pods-before-age",
        ),
        pytest.param(
            [worker("one", pods=some_pods("one", 1)), worker("daemons", pods=DAEMONS, launched_at=NOW)],
            "daemons",
            id="pods-of-a-DaemonSet-do-not-count",
        ),
        pytest.param(
            [worker("newer", launched_at=NOW - 10), worker("older", launched_at=NOW - 20)],
            "older",
            id="oldest-of-equals",
        ),
        pytest.param([worker("w2"), worker("w1")], "w1", id="name-of-twins"),
        pytest.param(
            [worker("unknown", cpu_percent=None), worker("busy", cpu_percent=99.0)],
            "busy",
            id="unmeasured-CPU-counts-as-busy",
        ),
        pytest.param(
            [worker("unknown", launched_at=None), worker("young", launched_at=NOW)],
            "young",
            id="unknown-age-counts-as-young",
        ),
    ],
)
def test_selection(given: list[dict[str, Any]], first: str) -> None:
    assert gone(planned(given)) == [first]


def test_oldest_first_is_the_alternative() -> None:
    """One document removes the oldest without a look at anything else; the design keeps that as a setting."""
    old = worker("old", cpu_percent=90.0, zone=A, launched_at=NOW - 999_999, pods=some_pods("old", 4))
    others = [worker("idle", cpu_percent=0.0, zone=A), worker("b1", zone=B), worker("b2", zone=B), worker("b3", zone=B)]
    assert gone(planned([old, *others], RemovalOrder.OLDEST)) == ["old"]
    assert gone(planned([old, *others])) == ["b1"]


@pytest.mark.parametrize(
    ("held", "reason"),
    [
        pytest.param({"namespace": "kube-system"}, Reason.KUBE_SYSTEM, id="kube-system-pod"),
        pytest.param({"owner": "StatefulSet/db"}, Reason.STATEFUL_SET, id="StatefulSet-pod"),
        pytest.param({"replicas": 1}, Reason.SINGLE_REPLICA, id="single-replica-Deployment"),
    ],
)
def test_never_removed(held: dict[str, Any], reason: Reason) -> None:
    """The candidate is the best by every measure but for this one pod."""
    plan = planned([worker("held", cpu_percent=0.0, pods=[pod("p", **held)]), worker("other", cpu_percent=90.0)])
    assert gone(plan) == ["other"]
    assert [(kept.name, kept.reason, kept.detail.split("/")[-1]) for kept in plan.kept] == [("held", reason, "p")]


@pytest.mark.parametrize(
    "ignored",
    [
        pytest.param({"namespace": "kube-system", "owner": "DaemonSet/proxy"}, id="kube-system-DaemonSet"),
        pytest.param({"namespace": "kube-system", "owner": "Node/w"}, id="static-pod"),
        pytest.param({"owner": "StatefulSet/db", "finished": True}, id="finished-pod"),
        pytest.param({"replicas": 2}, id="two-replicas"),
    ],
)
def test_no_obstacle(ignored: dict[str, Any]) -> None:
    free = worker("free", cpu_percent=0.0, pods=[pod("p", **ignored)])
    assert gone(planned([free, worker("other", cpu_percent=90.0)])) == ["free"]


@pytest.mark.parametrize(
    ("allowed", "first"),
    [
        pytest.param(2, "first", id="as-many-evictions-as-pods"),
        pytest.param(1, "other", id="one-eviction-for-two-pods"),
        pytest.param(0, "other", id="no-eviction"),
        pytest.param(None, "other", id="allowance-unknown"),
    ],
)
def test_disruption_budget(allowed: int | None, first: str) -> None:
    given = [worker("first", cpu_percent=0.0, pods=some_pods("first", 2)), worker("other", cpu_percent=90.0)]
    budget = Budget("shop", "web", allowed, ("first-0", "first-1", "elsewhere"))
    assert gone(planned(given, RemovalOrder.BALANCED, budget)) == [first]


def test_a_budget_of_another_namespace_says_nothing() -> None:
    given = [worker("first", cpu_percent=0.0, pods=some_pods("first", 2)), worker("other", cpu_percent=90.0)]
    assert gone(planned(given, RemovalOrder.BALANCED, Budget("bank", "web", 0, ("first-0",)))) == ["first"]


def test_the_next_in_order_goes_where_the_first_is_held() -> None:
    db = pod("db", owner="StatefulSet/db")
    given = [worker("w1", cpu_percent=1.0, pods=[db]), worker("w2", cpu_percent=3.0), worker("w3", cpu_percent=2.0)]
    assert gone(planned(given)) == ["w3"]
