"""Minimum, maximum, open operations and pauses: what comes before and above the metrics."""

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Decision
from fleet.observation import Observation
from situations import NOW, low_load, observation, reading, steady, worker, workers


def decided(**changes: Any) -> Decision:
    return decide(Observation.from_dict(observation(**changes)))


def alerts_of(decision: Decision) -> list[tuple[str, str]]:
    return [(alert.name.value, alert.event.value) for alert in decision.alerts]


@pytest.mark.parametrize(
    ("fleet", "count"),
    [
        pytest.param([], 2, id="no-worker-at-all"),
        pytest.param(workers(1), 1, id="one-of-two"),
        pytest.param([worker("a"), worker("b", state="joining")], 0, id="joining-counts"),
        pytest.param([worker("a"), worker("b", state="not_ready")], 1, id="not-ready-does-not-count"),
        pytest.param([worker("a"), worker("b", state="draining")], 1, id="draining-does-not-count"),
    ],
)
def test_the_minimum_brings_all_missing_workers(fleet: list[dict[str, Any]], count: int) -> None:
    decision = decided(workers=fleet)

    assert decision.count == count
    assert decision.bypass_cooldown is (count > 0)


def test_the_minimum_needs_no_metrics() -> None:
    assert decided(workers=workers(1), reading=None).count == 1


@pytest.mark.parametrize(
    ("have", "action", "count"),
    [
        pytest.param(8, "scale_up", 2, id="eight-of-ten"),
        pytest.param(9, "scale_up", 1, id="nine-of-ten"),
        pytest.param(10, "none", 0, id="ten-of-ten"),
        pytest.param(12, "none", 0, id="above-the-maximum"),
    ],
)
def test_the_maximum_caps(have: int, action: str, count: int) -> None:
    decision = decided(workers=workers(have), reading=reading(pending_pods=9))

    assert (decision.action, decision.count) == (action, count)


@pytest.mark.parametrize(
    ("have", "pending", "alerted", "alerts"),
    [
        pytest.param(10, 9, {}, [("at_maximum", "raised")], id="first-cycle-at-maximum"),
        pytest.param(10, 9, {"at_maximum": NOW - 120}, [], id="later-cycles-say-nothing"),
        pytest.param(10, 0, {"at_maximum": NOW - 120}, [], id="a-lull-does-not-end-the-episode"),
        pytest.param(9, 0, {"at_maximum": NOW - 120}, [("at_maximum", "cleared")], id="the-episode-is-over"),
        pytest.param(9, 9, {}, [], id="below-the-maximum"),
        pytest.param(10, 0, {}, [], id="nobody-asks-for-more"),
    ],
)
def test_at_maximum_alerts_once(have: int, pending: int, alerted: dict[str, int], alerts: list[Any]) -> None:
    decision = decided(workers=workers(have), reading=reading(pending_pods=pending), alerted=alerted)

    assert alerts_of(decision) == alerts


def test_the_maximum_alerts_even_inside_a_cooldown() -> None:
    last = {"direction": "up", "completed_at": NOW - 10}
    decision = decided(workers=workers(10), reading=reading(pending_pods=9), last_action=last)

    assert alerts_of(decision) == [("at_maximum", "raised")]


def operation(seconds: int) -> dict[str, Any]:
    return {"id": "op-1", "kind": "up", "phase": "verify", "started_at": NOW - seconds}


@pytest.mark.parametrize(
    ("age", "alerted", "alerts"),
    [
        pytest.param(900, {}, [], id="900s-old"),
        pytest.param(901, {}, [("operation_stuck", "raised")], id="901s-old"),
        pytest.param(999, {"operation_stuck": NOW - 60}, [], id="already-reported"),
    ],
)
def test_an_open_operation_comes_first(age: int, alerted: dict[str, int], alerts: list[Any]) -> None:
    decision = decided(operation=operation(age), workers=[], alerted=alerted, reading=reading(pending_pods=9))

    assert (decision.action, decision.trigger) == ("none", "open_operation")
    assert [step.rule for step in decision.explain] == ["open_operation"]
    assert alerts_of(decision) == alerts


UP, DOWN, BOTH = ["up"], ["down"], ["up", "down"]


@pytest.mark.parametrize(
    ("paused", "up", "down"),
    [
        pytest.param(None, "scale_up", "scale_down", id="not-paused"),
        pytest.param({"until": NOW + 60, "directions": BOTH}, "none", "none", id="both-directions"),
        pytest.param({"until": NOW + 60}, "none", "none", id="both-by-default"),
        pytest.param({"until": NOW + 60, "directions": UP}, "none", "scale_down", id="only-up"),
        pytest.param({"until": NOW + 60, "directions": DOWN}, "scale_up", "none", id="only-down"),
        pytest.param({"until": NOW, "directions": BOTH}, "scale_up", "scale_down", id="run-out"),
        pytest.param({"directions": BOTH, "why": "sale", "by": "rima"}, "none", "none", id="until-resumed"),
    ],
)
def test_a_pause_holds_its_directions(paused: dict[str, Any] | None, up: str, down: str) -> None:
    assert decided(paused=paused, reading=reading(pending_pods=3)).action == up
    assert decided(paused=paused, **low_load()).action == down


def test_a_pause_says_who_and_why() -> None:
    decision = decided(paused={"until": NOW + 600, "by": "rima", "why": "flash sale"}, **low_load())

    assert decision.reason.endswith("but scale-down is paused by rima for another 10 min: flash sale")


def test_below_minimum_while_paused_alerts_once() -> None:
    paused = {"until": NOW + 60}

    assert alerts_of(decided(workers=workers(1), paused=paused)) == [("below_minimum", "raised")]
    assert alerts_of(decided(workers=workers(1), paused=paused, alerted={"below_minimum": 1})) == []
    assert alerts_of(decided(workers=workers(2), alerted={"below_minimum": 1})) == [("below_minimum", "cleared")]


@pytest.mark.parametrize(
    ("ready", "joining", "count"),
    [
        pytest.param(2, 0, 0, id="at-minimum"),
        pytest.param(3, 0, 1, id="one-above"),
        pytest.param(2, 1, 0, id="a-joining-worker-does-not-free-a-ready-one"),
        pytest.param(6, 0, 1, id="one-at-a-time"),
    ],
)
def test_scale_down_stops_at_the_minimum_of_ready_workers(ready: int, joining: int, count: int) -> None:
    fleet = workers(ready) + [worker(f"j{number}", state="joining") for number in range(joining)]
    decision = decided(workers=fleet, **low_load())

    assert decision.count == count


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"cpu_percent": 30.0}, id="cpu-at-30"),
        pytest.param({"memory_percent": 50.0}, id="memory-at-50"),
        pytest.param({"pending_pods": 1}, id="a-pod-is-pending"),
    ],
)
def test_scale_down_needs_every_condition(changes: dict[str, Any]) -> None:
    assert decided(**low_load()).action == "scale_down"
    assert decided(**low_load(**changes)).action != "scale_down"


def test_low_load_for_less_than_ten_minutes_is_not_enough() -> None:
    assert decided(**steady(480, cpu_percent=12.0, memory_percent=31.0)).action == "none"


def test_no_pool_is_open() -> None:
    refused = [
        {"zone": zone, "instance_type": "t3.small", "lifecycle": lifecycle, "at": NOW - 60}
        for zone in ("ap-southeast-1a", "ap-southeast-1b")
        for lifecycle in ("spot", "on_demand")
    ]
    decision = decided(reading=reading(pending_pods=3), refused_pools=refused)
    later = decided(now=NOW + 601, reading=reading(NOW + 601), refused_pools=refused, alerted={"no_capacity": NOW})

    assert (decision.action, alerts_of(decision)) == ("none", [("no_capacity", "raised")])
    assert alerts_of(later) == [("no_capacity", "cleared")]


def test_a_launch_that_finds_room_ends_the_want_of_capacity() -> None:
    refused = [{"zone": "ap-southeast-1a", "instance_type": "t3.small", "lifecycle": "spot", "at": NOW - 60}]
    decision = decided(reading=reading(pending_pods=3), refused_pools=refused, alerted={"no_capacity": NOW - 60})

    assert (decision.count, alerts_of(decision)) == (1, [("no_capacity", "cleared")])
