"""Room that is promised twice, or forgotten after a failed attempt, would move pods to where they do not fit."""

from typing import Any

import pytest

from fleet.model import Budget, Worker
from fleet.removal import plan_removals
from situations import pod, worker


def sized(name: str, cpu: float, *pods: float, **changes: Any) -> dict[str, Any]:
    """A worker of so many cores with pods of so many each; the idler, the earlier its name."""
    given = [pod(f"{name}-{number}", cpu=each) for number, each in enumerate(pods)]
    capacity = {"cpu": cpu, "memory": 2e9, "pods": 9}
    return worker(name, pods=given, allocatable=capacity, cpu_percent=float(ord(name[0]))) | changes


def goes(*given: dict[str, Any]) -> list[str]:
    plan = plan_removals([Worker.from_dict(each) for each in given], (), 1)
    return [removal.worker.name for removal in plan.removals]


KEEP = {"do_not_disrupt": True}


@pytest.mark.parametrize(
    ("state", "gone"),
    [
        pytest.param("draining", [], id="a-draining-workers-pod-comes-first"),
        pytest.param("not_ready", [], id="a-lost-workers-pod-comes-first"),
        pytest.param("joining", ["a"], id="a-joining-worker-loses-nothing"),
    ],
)
def test_room_that_others_will_need(state: str, gone: list[str]) -> None:
    assert goes(sized("a", 1, 0.9), sized("b", 1, **KEEP), sized("x", 1, 0.9, state=state)) == gone


def test_a_pod_that_fitted_nowhere_else_may_fit_on_the_worker_that_was_tried_first() -> None:
    """`a` has the only room, so its own pod cannot move, but an equal one of `b` can move to it."""
    assert goes(sized("a", 2, 0.9), sized("b", 1, 0.9)) == ["b"]


def test_two_pods_that_did_not_fit_together_say_nothing_of_one() -> None:
    assert goes(sized("a", 1, 0.5, 0.5), sized("b", 1, 0.5), sized("c", 0.5, 0.5)) == ["c"]


def test_a_pod_named_twice_by_its_budget_has_one_budget() -> None:
    budget = Budget("shop", "web", 1, ("a-0", "a-0"))
    plan = plan_removals([Worker.from_dict(each) for each in (sized("a", 1, 0.5), sized("b", 1))], [budget], 1)

    assert [removal.worker.name for removal in plan.removals] == ["a"]


def test_a_finished_pod_of_unknown_size_takes_no_room() -> None:
    host = sized("b", 1, **KEEP)
    host["pods"] = [pod("done", cpu=None, finished=True)]

    assert goes(sized("a", 1, 0.9), host) == ["a"]


def fits(*given: dict[str, Any]) -> set[str]:
    plan = plan_removals([Worker.from_dict(each) for each in given], (), 1)
    return {kept.reason.value for kept in plan.kept}


@pytest.mark.parametrize(
    "unknown",
    [pytest.param({"pods": None}, id="its-pods"), pytest.param({"pods": [pod("z", cpu=None)]}, id="a-request")],
)
def test_nobody_goes_while_what_is_lost_is_not_known(unknown: dict[str, Any]) -> None:
    lost = sized("z", 2, state="not_ready") | unknown

    assert goes(sized("a", 2, 0.5), sized("b", 2, 0.5), lost) == []
    assert fits(sized("a", 2, 0.5), sized("b", 2, 0.5), lost) == {"not_measured", "not_ready"}


def test_nobody_goes_while_a_lost_pod_has_no_place_itself() -> None:
    assert goes(sized("a", 2, 0.5), sized("b", 2, 0.5), sized("z", 4, 3.0, state="not_ready")) == []


def test_room_that_is_kept_on_the_worker_that_goes_must_be_found_elsewhere() -> None:
    """Each of a, b and c has 2.0 to spare. With two lost pods `a` can go, for `c` takes what was to come to it."""
    fleet = [sized(name, 2.5, 0.5) for name in "abc"]

    assert goes(*fleet, sized("z", 4, 1.5, 1.5, state="draining")) == ["a"]
    assert goes(*fleet, sized("z", 4, 1.5, 1.5, 1.5, state="draining")) == []
