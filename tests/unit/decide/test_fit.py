"""`sizing: fit`: as many workers as the pending pods' requests need, onto those that are there or joining first."""

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Decision
from fleet.observation import Observation
from situations import NOW, observation, pod, reading, steady, worker, workers


def decided(pending: list[dict[str, Any]], fleet: list[dict[str, Any]], **policy: Any) -> Decision:
    given = observation(
        policy={"profile": "adaptive"} | policy,
        reading=reading(pending_pods=len(pending)),
        pending=pending,
        workers=fleet,
    )
    return decide(Observation.from_dict(given))


def waiting(count: int, cpu: float = 1.0, memory: float = 1e8) -> list[dict[str, Any]]:
    return [pod(f"p{number}", cpu=cpu, memory=memory) for number in range(count)]


def full(count: int) -> list[dict[str, Any]]:
    return [each | {"pods": [pod(f"big-{each['name']}", cpu=2.0)]} for each in workers(count)]


@pytest.mark.parametrize(
    ("pending", "fleet", "policy", "count"),
    [
        pytest.param(waiting(2), full(2), {}, 1, id="two-pods-share-a-new-worker"),
        pytest.param(waiting(3), full(2), {}, 2, id="three-pods-need-two"),
        pytest.param(waiting(12), full(2), {}, 6, id="twelve-pods-need-six-at-once"),
        pytest.param(waiting(12), full(2), {"max_step": 3}, 3, id="capped-by-max-step"),
        pytest.param(waiting(12), full(2), {"max_workers": 5}, 3, id="capped-by-the-maximum"),
        pytest.param(waiting(12), full(2), {"sizing": "step"}, 2, id="steps-do-not-look-at-requests"),
        pytest.param(waiting(2), workers(2), {}, 0, id="fit-on-workers-that-are-there"),
        pytest.param(waiting(2), [*full(2), worker("j", state="joining")], {}, 0, id="fit-on-a-joining-worker"),
        pytest.param(
            waiting(2), [*full(2), worker("j", state="joining", allocatable=None, pods=None)], {}, 0, id="just-launched"
        ),
        pytest.param(waiting(3), [*full(2), worker("j", state="joining")], {}, 1, id="only-the-rest-is-launched"),
        pytest.param(waiting(3, cpu=0.1, memory=1.5e9), full(2), {}, 3, id="memory-decides"),
        pytest.param(
            waiting(6, cpu=0.01),
            full(2),
            {"instance_capacity": {"t3.small": {"cpu": 2, "memory": 2e9, "pods": 2}}},
            3,
            id="places-decide",
        ),
        pytest.param(waiting(2), full(2), {"instance_types": ["x9.huge"]}, 1, id="unknown-type-falls-back-to-a-step"),
    ],
)
def test_how_many(pending: list[Any], fleet: list[Any], policy: dict[str, Any], count: int) -> None:
    decision = decided(pending, fleet, **policy)

    assert decision.count == count


def test_daemons_take_their_share_of_a_new_worker() -> None:
    fleet = full(2)
    fleet[0]["pods"].append(pod("agent", owner="DaemonSet/agent", cpu=0.5))

    assert decided(waiting(2), fleet).count == 2


def test_a_pod_that_no_worker_could_hold_alerts_and_launches_nothing() -> None:
    decision = decided(waiting(1, cpu=3.0), full(2))

    assert decision.action == "none"
    assert [(alert.name.value, alert.event.value) for alert in decision.alerts] == [("pod_too_large", "raised")]
    assert "shop/p0" in decision.alerts[0].detail


def test_a_pod_that_fits_by_its_requests_and_still_waits_alerts() -> None:
    given = observation(policy={"profile": "adaptive"}, pending=waiting(1), **steady(360, pending_pods=1))
    decision = decide(Observation.from_dict(given))
    again = decide(Observation.from_dict(given | {"alerted": {"pending_stuck": NOW - 120}}))
    over = decide(Observation.from_dict(observation(alerted={"pending_stuck": NOW - 120})))

    assert [(alert.name.value, alert.event.value) for alert in decision.alerts] == [("pending_stuck", "raised")]
    assert again.alerts == ()
    assert [(alert.name.value, alert.event.value) for alert in over.alerts] == [("pending_stuck", "cleared")]


def test_requests_that_were_not_listed_fall_back_to_steps() -> None:
    given = observation(policy={"profile": "adaptive"}, reading=reading(pending_pods=7), pending=[])

    assert decide(Observation.from_dict(given)).count == 2


FILLED = {"pods": [pod("big", cpu=2.0)]}


@pytest.mark.parametrize(
    ("fleet", "pending", "is_stuck"),
    [
        pytest.param(
            [worker("j", state="joining"), worker("r", **FILLED)], 1, False, id="they-wait-for-a-joining-worker"
        ),
        pytest.param(
            [worker("a", state="joining"), worker("r")], 1, True, id="a-ready-worker-is-asked-before-a-joining-one"
        ),
        pytest.param([worker("r"), worker("s", **FILLED)], 3, False, id="new-workers-are-on-their-way-for-the-rest"),
    ],
)
def test_only_pods_that_fit_on_ready_workers_are_stuck(fleet: list[Any], pending: int, is_stuck: bool) -> None:
    readings = steady(360, pending_pods=pending)
    given = observation(policy={"profile": "adaptive"}, workers=fleet, pending=waiting(pending), **readings)
    decision = decide(Observation.from_dict(given))

    assert [alert.name.value for alert in decision.alerts] == (["pending_stuck"] if is_stuck else [])


def test_pods_that_need_no_new_worker_do_not_fire() -> None:
    steps = {step.rule: step.verdict.value for step in decided(waiting(1), workers(2)).explain}

    assert steps["pending_pods"] == "pass"


@pytest.mark.parametrize(
    ("pending", "counted"),
    [
        pytest.param([pod("p", cpu=None, memory=None)], 1, id="requests-not-known"),
        pytest.param([pod("p", cpu=0.1)], 4, id="fewer-listed-than-counted"),
    ],
)
def test_what_is_not_fully_known_falls_back_to_steps(pending: list[Any], counted: int) -> None:
    given = observation(
        policy={"profile": "adaptive"}, reading=reading(pending_pods=counted), pending=pending, workers=full(2)
    )

    assert decide(Observation.from_dict(given)).count == 1


def test_an_unreadable_list_does_not_end_an_episode() -> None:
    given = observation(policy={"profile": "adaptive"}, reading=reading(pending_pods=1), alerted={"pod_too_large": 1})

    assert decide(Observation.from_dict(given | {"pending": None})).alerts == ()
    assert decide(Observation.from_dict(given | {"pending": []})).alerts == ()
