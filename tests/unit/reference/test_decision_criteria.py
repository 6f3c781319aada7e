"""The criteria of the user's flowchart and priority table, line by line."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Action, AlertName, Decision
from fleet.observation import Observation
from situations import NOW, low_load, observation, pod, reading, steady, workers

UP, DOWN, NONE = Action.SCALE_UP, Action.SCALE_DOWN, Action.NONE


def decided(**changes: Any) -> Decision:
    return decide(Observation.from_dict(observation(**changes)))


def held(metric: str, value: float, seconds: int) -> dict[str, Any]:
    """One metric at a value for so long, everything else calm."""
    if metric in ("cpu_percent", "memory_percent", "pending_pods"):
        return steady(seconds, **{metric: value})
    return steady(seconds, custom={metric: value})


@pytest.mark.parametrize(
    ("metric", "value", "seconds", "trigger"),
    [
        pytest.param("cpu_percent", 70.1, 180, "cpu", id="CPU-above-70-for-three-minutes"),
        pytest.param("cpu_percent", 70, 180, None, id="CPU-at-70"),
        pytest.param("cpu_percent", 70.1, 0, None, id="CPU-spike-of-one-reading"),
        pytest.param("cpu_percent", 99, 0, None, id="CPU-spike-however-high"),
        pytest.param("memory_percent", 75.1, 180, "memory", id="memory-above-75-for-three-minutes"),
        pytest.param("memory_percent", 75, 180, None, id="memory-at-75"),
        pytest.param("memory_percent", 99, 0, None, id="memory-spike-departs:-the-design-gives-memory-a-window"),
        pytest.param("pending_pods", 1, 0, "pending_pods", id="pending-pod-departs:-at-once-in-the-design"),
        pytest.param("latency_p95_ms", 2001, 0, "latency_p95_ms", id="latency-above-two-seconds"),
        pytest.param("latency_p95_ms", 2000, 0, None, id="latency-at-two-seconds-the-500-ms-example-is-not-adopted"),
        pytest.param("queue_depth", 1001, 0, "queue_depth", id="queue-above-1000"),
        pytest.param("queue_depth", 1000, 0, None, id="queue-at-1000-departs:-the-design-takes-1000-not-100"),
        pytest.param("error_rate_percent", 5.1, 120, "error_rate_percent", id="errors-above-5-for-two-minutes"),
        pytest.param("error_rate_percent", 5, 120, None, id="errors-at-5"),
        pytest.param("error_rate_percent", 50, 0, None, id="error-spike-of-one-reading"),
        pytest.param("request_rate", 5000, 0, None, id="request-rate-departs:-off-in-the-design-until-set"),
    ],
)
def test_any_one_trigger_is_enough(metric: str, value: float, seconds: int, trigger: str | None) -> None:
    decision = decided(**held(metric, value, seconds))
    assert (decision.action, decision.trigger) == ((UP, trigger) if trigger else (NONE, None))


@pytest.mark.parametrize(
    ("rate", "action"),
    [pytest.param(1001, UP, id="above-1000"), pytest.param(1000, NONE, id="at-1000")],
)
def test_request_rate_counts_once_it_is_set(rate: float, action: Action) -> None:
    assert decided(policy={"request_rate_up": 1000}, **held("request_rate", rate, 0)).action is action


@pytest.mark.parametrize(
    ("pending", "cpu", "count"),
    [
        pytest.param(0, 85.1, 2, id="CPU-above-85"),
        pytest.param(0, 85, 1, id="CPU-at-85"),
        pytest.param(1, 45, 1, id="one-pending"),
        pytest.param(5, 45, 1, id="five-pending"),
        pytest.param(6, 45, 2, id="six-pending-departs:-urgent-above-5-in-the-design-not-above-10"),
        pytest.param(11, 45, 2, id="eleven-pending"),
        pytest.param(1, 70.1, 2, id="one-pending-on-a-busy-fleet"),
        pytest.param(1, 70, 1, id="one-pending-with-CPU-at-70"),
    ],
)
def test_urgency(pending: int, cpu: float, count: int) -> None:
    decision = decided(**steady(180, pending_pods=pending, cpu_percent=cpu))
    assert (decision.action, decision.count, decision.urgent) == (UP, count, count == 2)


@pytest.mark.parametrize(
    ("pending", "count"),
    [pytest.param(1, 2, id="one-pending"), pytest.param(0, 0, id="none-pending")],
)
def test_one_busy_reading_makes_pending_pods_urgent(pending: int, count: int) -> None:
    """The design speaks of the CPU reading, not of the sustained CPU trigger."""
    assert decided(reading=reading(pending_pods=pending, cpu_percent=70.1)).count == count


def test_everything_low_lets_one_worker_go() -> None:
    decision = decided(**low_load())
    assert (decision.action, decision.count, decision.target) == (DOWN, 1, 2)


def one_reading_off(**changes: Any) -> dict[str, Any]:
    """Low load, but for one reading in the middle of the window."""
    situation = low_load(custom={"queue_depth": 50})
    situation["history"][2] |= changes
    return situation


@pytest.mark.parametrize(
    ("changes", "action"),
    [
        pytest.param(low_load(cpu_percent=29.9, memory_percent=49.9), DOWN, id="CPU-and-memory-just-below"),
        pytest.param(low_load(cpu_percent=30.0), NONE, id="CPU-at-30"),
        pytest.param(one_reading_off(cpu_percent=30.0), NONE, id="CPU-was-not-low-throughout"),
        pytest.param(low_load(memory_percent=50.0), NONE, id="memory-at-50"),
        pytest.param(
            one_reading_off(memory_percent=50.0),
            NONE,
            id="memory-was-not-low-throughout-departs:-the-design-wants-600-s-of-memory-too",
        ),
        pytest.param(low_load() | {"pending": [pod("waiting")]}, NONE, id="a-pod-is-known-to-wait"),
        pytest.param(low_load(pending_pods=1), UP, id="a-pod-is-pending"),
        pytest.param(one_reading_off(), DOWN, id="every-reading-low"),
        pytest.param(low_load(custom={"queue_depth": 99}), DOWN, id="queue-below-100"),
        pytest.param(low_load(custom={"queue_depth": 100}), NONE, id="queue-at-100"),
        pytest.param(one_reading_off(custom={"queue_depth": 100}), NONE, id="queue-was-not-short-throughout"),
        pytest.param(steady(480, cpu_percent=12.0, memory_percent=31.0), NONE, id="low-for-eight-minutes-only"),
    ],
)
def test_scale_down_needs_every_condition(changes: dict[str, Any], action: Action) -> None:
    assert decided(**changes).action is action


@pytest.mark.parametrize(
    ("wish", "direction", "ago", "action"),
    [
        pytest.param("up", "up", 299, NONE, id="scale-up-299-s-after-scale-up"),
        pytest.param("up", "up", 300, UP, id="scale-up-300-s-after-scale-up"),
        pytest.param("up", "down", 1, UP, id="departs:-in-the-design-no-scale-down-holds-a-scale-up-back"),
        pytest.param("down", "down", 599, NONE, id="scale-down-599-s-after-scale-down"),
        pytest.param("down", "down", 600, DOWN, id="scale-down-600-s-after-scale-down"),
        pytest.param("down", "up", 599, NONE, id="departs:-in-the-design-a-scale-up-holds-a-scale-down-back-for-600-s"),
        pytest.param("down", "up", 600, DOWN, id="scale-down-600-s-after-scale-up"),
    ],
)
def test_cooldown_for_each_direction(wish: str, direction: str, ago: int, action: Action) -> None:
    situation = {"reading": reading(pending_pods=1)} if wish == "up" else low_load()
    last_action = {"direction": direction, "completed_at": NOW - ago}
    assert decided(last_action=last_action, **situation).action is action


BUSY = {"cpu_percent": 80.0, "memory_percent": 80.0, "custom": {"queue_depth": 5000, "latency_p95_ms": 9000}}


@pytest.mark.parametrize(
    ("changes", "trigger"),
    [
        pytest.param({"pending_pods": 1}, "pending_pods", id="pending-pods-before-CPU"),
        pytest.param({}, "cpu", id="CPU-before-memory"),
        pytest.param({"cpu_percent": 12.0}, "memory", id="memory-before-the-application's-metrics"),
        pytest.param({"cpu_percent": 12.0, "memory_percent": 12.0}, "queue_depth", id="high-queue-beats-low-CPU"),
    ],
)
def test_priority(changes: dict[str, Any], trigger: str) -> None:
    assert decided(**steady(600, **BUSY | changes)).trigger == trigger


def test_between_the_thresholds_nothing_happens() -> None:
    decision = decided(**steady(600, cpu_percent=50.0))
    assert (decision.action, decision.count, decision.trigger) == (NONE, 0, None)


@pytest.mark.parametrize(
    ("count", "situation", "action", "added"),
    [
        pytest.param(10, {"reading": reading(pending_pods=9)}, NONE, 0, id="ten-workers-are-the-most"),
        pytest.param(9, {"reading": reading(pending_pods=9)}, UP, 1, id="urgent-at-nine-workers-adds-only-one"),
        pytest.param(8, {"reading": reading(pending_pods=9)}, UP, 2, id="urgent-at-eight-workers-adds-two"),
        pytest.param(2, low_load(), NONE, 0, id="two-workers-are-the-fewest"),
        pytest.param(3, low_load(), DOWN, 1, id="three-workers-may-become-two"),
        pytest.param(1, {}, UP, 1, id="one-worker-is-below-the-minimum"),
        pytest.param(0, {}, UP, 2, id="no-worker-brings-both"),
    ],
)
def test_limits(count: int, situation: dict[str, Any], action: Action, added: int) -> None:
    decision = decided(workers=workers(count), **situation)
    assert (decision.action, decision.count) == (action, added)


@pytest.mark.parametrize(
    ("alerted", "names"),
    [
        pytest.param({}, [AlertName.AT_MAXIMUM], id="first-cycle"),
        pytest.param({"at_maximum": NOW - 120}, [], id="later-cycle-departs:-the-design-alerts-once"),
    ],
)
def test_alert_at_maximum(alerted: dict[str, float], names: list[AlertName]) -> None:
    decision = decided(workers=workers(10), reading=reading(pending_pods=9), alerted=alerted)
    assert [alert.name for alert in decision.alerts] == names


@pytest.mark.parametrize(
    ("age", "pending", "action"),
    [
        pytest.param(299, 1, UP, id="younger-than-five-minutes-still-adds"),
        pytest.param(300, 1, NONE, id="five-minutes-old-decides-nothing"),
        pytest.param(61, 0, NONE, id="departs:-the-design-never-scales-down-on-a-cached-reading"),
        pytest.param(60, 0, DOWN, id="this-cycle's-reading-lets-a-worker-go"),
    ],
)
def test_reading_of_the_past(age: int, pending: int, action: Action) -> None:
    low = steady(600, now=NOW - age, cpu_percent=12.0, memory_percent=31.0, pending_pods=pending)
    assert decided(**low).action is action
