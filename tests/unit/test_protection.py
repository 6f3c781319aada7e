"""The reasons that keep a worker, one by one, and which of several is named."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.model import Budget, Pod, Reason, Worker
from fleet.protection import Finding, budgets_of_pods, movable, protection_by_zone, protection_of_worker
from situations import pod, worker


def protection(pods: list[dict[str, Any]] | None, *budgets: Budget, **changes: Any) -> Finding | None:
    kept = Worker.from_dict(worker("w", pods=pods, **changes))
    return protection_of_worker(kept, movable(kept.pods or ()), budgets_of_pods(budgets))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({}, None, id="one-of-three-replicas-may-move"),
        pytest.param({"replicas": 2}, None, id="one-of-two-replicas-may-move"),
        pytest.param({"replicas": 1}, Reason.SINGLE_REPLICA, id="the-only-replica"),
        pytest.param({"replicas": 1, "owner": "ReplicaSet/web-1"}, Reason.SINGLE_REPLICA, id="of-a-ReplicaSet-as-well"),
        pytest.param({"replicas": None}, Reason.NOT_MEASURED, id="replicas-unknown"),
        pytest.param({"replicas": 1, "owner": "Job/report"}, None, id="a-Job-starts-its-pod-anew"),
        pytest.param({"replicas": None, "owner": "Job/report"}, None, id="a-Job-needs-no-replicas"),
        pytest.param({"owner": None}, Reason.BARE_POD, id="a-bare-pod-would-be-lost"),
        pytest.param({"owner": "StatefulSet/db"}, Reason.STATEFUL_SET, id="a-StatefulSet"),
        pytest.param({"namespace": "kube-system"}, Reason.KUBE_SYSTEM, id="kube-system"),
        pytest.param({"namespace": "kube-system-tools"}, None, id="a-namespace-that-only-begins-so"),
        pytest.param({"do_not_disrupt": True}, Reason.DO_NOT_DISRUPT, id="an-annotated-pod"),
        pytest.param({"cpu": None}, Reason.NOT_MEASURED, id="cpu-unknown"),
        pytest.param({"memory": None}, Reason.NOT_MEASURED, id="memory-unknown"),
        pytest.param({"local_data": True}, None, id="scratch-data-may-be-lost-in-a-scale-down"),
        pytest.param({"owner": "DaemonSet/d", "cpu": None, "replicas": 1}, None, id="a-DaemonSet-never-counts"),
        pytest.param({"owner": "Node/w", "namespace": "kube-system"}, None, id="a-static-pod-never-counts"),
        pytest.param({"owner": None, "finished": True}, None, id="a-finished-pod-never-counts"),
    ],
)
def test_one_pod(changes: dict[str, Any], reason: Reason | None) -> None:
    found = protection([pod("calm"), pod("p", **changes)])
    assert (found[0] if found else None) == reason


@pytest.mark.parametrize(
    ("pods", "finding"),
    [
        pytest.param(
            [pod("a", replicas=1), pod("z", namespace="kube-system")],
            (Reason.KUBE_SYSTEM, "kube-system/z"),
            id="the-strongest-reason-of-several-pods",
        ),
        pytest.param(
            [pod("db", namespace="kube-system", owner="StatefulSet/db", replicas=1)],
            (Reason.KUBE_SYSTEM, "kube-system/db"),
            id="the-strongest-reason-of-one-pod",
        ),
        pytest.param(
            [pod("b", owner="StatefulSet/x"), pod("a", owner="StatefulSet/x")],
            (Reason.STATEFUL_SET, "shop/a"),
            id="the-first-by-name-of-equals",
        ),
        pytest.param(
            [pod("x", replicas=1), pod("a", owner="StatefulSet/db")],
            (Reason.STATEFUL_SET, "shop/a"),
            id="StatefulSet-before-single-replica",
        ),
        pytest.param(
            [pod("m", cpu=None), pod("b", owner=None)], (Reason.BARE_POD, "shop/b"), id="bare-before-unmeasured"
        ),
    ],
)
def test_which_reason_is_named(pods: list[dict[str, Any]], finding: Finding) -> None:
    assert protection(pods) == finding
    assert protection(pods[::-1]) == finding


@pytest.mark.parametrize(
    ("pods", "changes", "reason"),
    [
        pytest.param([], {}, None, id="an-empty-worker-may-go"),
        pytest.param(None, {}, Reason.NOT_MEASURED, id="pods-unknown"),
        pytest.param([], {"do_not_disrupt": True}, Reason.DO_NOT_DISRUPT, id="an-annotated-node"),
        pytest.param(None, {"do_not_disrupt": True}, Reason.DO_NOT_DISRUPT, id="an-annotated-node-with-pods-unknown"),
    ],
)
def test_worker(pods: list[dict[str, Any]] | None, changes: dict[str, Any], reason: Reason | None) -> None:
    found = protection(pods, **changes)
    assert (found[0] if found else None) == reason


@pytest.mark.parametrize(
    ("budgets", "detail"),
    [
        pytest.param([Budget("shop", "web", 2, ("a", "b"))], None, id="enough-for-both"),
        pytest.param([Budget("shop", "web", 1, ("a", "b"))], "shop/web allows 1 evictions, 2", id="too-few-for-both"),
        pytest.param([Budget("shop", "web", 1, ("a", "x", "y"))], None, id="pods-elsewhere-do-not-count"),
        pytest.param([Budget("shop", "web", 0, ("b",))], "shop/web allows 0 evictions, 1", id="nothing-allowed"),
        pytest.param([Budget("shop", "web", None, ("b",))], "shop/web allows 0 evictions, 1", id="allowance-unknown"),
        pytest.param([Budget("bank", "web", 0, ("a", "b"))], None, id="another-namespace"),
        pytest.param([Budget("shop", "web", 0, ())], None, id="a-budget-of-nothing"),
        pytest.param(
            [Budget("shop", "one", 1, ("a",)), Budget("shop", "two", 1, ("b",))], None, id="each-pod-has-its-own"
        ),
        pytest.param(
            [Budget("shop", "one", 9, ("a",)), Budget("shop", "two", 9, ("a",))],
            "shop/a has 2 budgets",
            id="two-budgets-over-one-pod-cannot-be-evicted-at-all",
        ),
        pytest.param(
            [Budget("shop", "zeta", 0, ("a",)), Budget("shop", "alpha", 0, ("b",))],
            "shop/alpha allows 0",
            id="the-first-by-name-is-named",
        ),
    ],
)
def test_budgets(budgets: list[Budget], detail: str | None) -> None:
    found = protection([pod("a"), pod("b")], *budgets)
    if detail is None:
        assert found is None
    else:
        assert found is not None
        assert found[0] is Reason.BUDGET
        assert found[1].startswith(detail)


def test_a_daemon_set_uses_up_no_budget() -> None:
    assert protection([pod("a", owner="DaemonSet/d")], Budget("shop", "web", 0, ("a",))) is None


@pytest.mark.parametrize(
    ("in_zone", "is_kept"),
    [
        pytest.param({"a": 1, "b": 2}, True, id="last-while-another-zone-has-two"),
        pytest.param({"a": 1, "b": 1}, False, id="last-where-every-zone-has-one"),
        pytest.param({"a": 1}, False, id="last-of-all"),
        pytest.param({"a": 1, "b": 0}, False, id="last-of-all-beside-an-empty-zone"),
        pytest.param({"a": 2, "b": 9}, False, id="one-of-two"),
    ],
)
def test_last_in_zone(in_zone: dict[str, int], is_kept: bool) -> None:
    found = protection_by_zone(Worker.from_dict(worker("w", zone="a")), in_zone)
    assert (found is not None) == is_kept
    assert found is None or found[0] is Reason.LAST_IN_ZONE


def test_movable_leaves_out_what_a_drain_leaves_alone() -> None:
    stays = [{"owner": "DaemonSet/d"}, {"owner": "Node/w"}, {"finished": True}]
    moves: list[dict[str, Any]] = [{}, {"owner": None}, {"owner": "StatefulSet/db"}, {"do_not_disrupt": True}]
    pods = [Pod.from_dict(pod(f"p{number}", **changes)) for number, changes in enumerate([*stays, *moves])]
    assert movable(pods) == pods[3:]
