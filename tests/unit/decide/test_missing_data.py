"""What was not measured is not zero: triggers without a value are skipped, and nothing scales down on it."""

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Decision
from fleet.observation import Observation
from situations import NOW, low_load, observation, pod, reading, worker, workers


def decided(**changes: Any) -> Decision:
    return decide(Observation.from_dict(observation(**changes)))


@pytest.mark.parametrize(
    ("changes", "alert"),
    [
        pytest.param({"reading": None}, "metrics_missing", id="prometheus-is-down"),
        pytest.param({"reading": reading(NOW - 300)}, "metrics_missing", id="cached-reading-too-old"),
        pytest.param(
            {"reading": reading(cpu_percent=None, memory_percent=None, pending_pods=None)},
            "metrics_missing",
            id="prometheus-answers-nothing",
        ),
        pytest.param({"workers": None}, "fleet_unreadable", id="the-fleet-cannot-be-read"),
    ],
)
def test_no_decision_and_one_alert(changes: dict[str, Any], alert: str) -> None:
    decision = decided(**changes)
    again = decided(**changes, alerted={alert: NOW - 120})

    assert decision.action == "none"
    assert "no decision" in decision.reason
    assert [(each.name.value, each.event.value) for each in decision.alerts] == [(alert, "raised")]
    assert again.alerts == ()


def test_an_unreadable_fleet_is_not_an_empty_one() -> None:
    decision = decided(workers=None)

    assert (decision.workers, decision.target, decision.count) == (None, None, 0)


def test_a_cached_reading_may_scale_up() -> None:
    assert decided(reading=reading(NOW - 299, pending_pods=4)).action == "scale_up"


@pytest.mark.parametrize(
    ("age", "action"),
    [pytest.param(60, "scale_down", id="60s-is-fresh"), pytest.param(61, "none", id="61s-is-cached")],
)
def test_a_cached_reading_never_scales_down(age: int, action: str) -> None:
    given = low_load()
    for each in (given["reading"], *given["history"]):
        each["at"] -= age

    assert decided(**given).action == action


def test_a_reading_that_is_called_cached_never_scales_down_however_young() -> None:
    given = low_load()
    given["reading"]["cached"] = True

    assert decided(**given).action == "none"


def test_one_metric_is_enough_to_scale_up() -> None:
    nothing = {"cpu_percent": None, "memory_percent": None, "pending_pods": None}

    assert decided(reading=reading(**nothing, custom={"queue_depth": 5000})).action == "scale_up"
    assert decided(reading=reading(**nothing, custom={"queue_depth": None})).action == "none"


@pytest.mark.parametrize("metric", ["cpu_percent", "memory_percent", "pending_pods"])
@pytest.mark.parametrize("why", ["missing", "stale", "failed"])
def test_a_scale_down_with_a_missing_value_does_not_happen(metric: str, why: str) -> None:
    given = low_load()
    given["reading"] |= {metric: None, "unmeasured": {metric: why}}
    decision = decided(**given)

    assert decision.action == "none"
    assert any(f"({why})" in step.detail for step in decision.explain)


@pytest.mark.parametrize(
    ("metric", "rule"), [("cpu_percent", "cpu"), ("memory_percent", "memory"), ("pending_pods", "pending_pods")]
)
def test_a_trigger_without_a_value_is_skipped_and_says_so(metric: str, rule: str) -> None:
    decision = decided(reading=reading(**{metric: None}))

    assert {step.rule: step.verdict.value for step in decision.explain}[rule] == "skipped"
    assert [alert.name.value for alert in decision.alerts] == ["metrics_missing"]


@pytest.mark.parametrize("index", range(5))
def test_a_gap_in_the_history_keeps_the_worker(index: int) -> None:
    given = low_load()
    given["history"][index]["memory_percent"] = None

    assert decided(**given).action == "none"


@pytest.mark.parametrize("unread", ["pending", "budgets"])
def test_what_could_not_be_listed_keeps_the_worker(unread: str) -> None:
    assert decided(**low_load(), **{unread: None}).action == "none"


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"pods": None}, id="pods-could-not-be-read"),
        pytest.param({"pods": [pod("a", replicas=None)]}, id="replicas-not-known"),
        pytest.param({"pods": [pod("a", cpu=None)]}, id="request-not-known"),
    ],
)
def test_a_worker_that_is_not_fully_known_is_kept(changes: dict[str, Any]) -> None:
    fleet = [worker("known", pods=[pod("s", owner="StatefulSet/db")]), *workers(2, **changes)][:2]
    decision = decided(workers=fleet, policy={"min_workers": 1}, **low_load())

    assert decision.action == "none"
    assert {kept.reason.value for kept in decision.kept} == {"stateful_set", "not_measured"}


def test_the_alert_ends_with_the_next_full_reading() -> None:
    alerts = decided(alerted={"metrics_missing": NOW - 120}).alerts

    assert [(alert.name.value, alert.event.value) for alert in alerts] == [("metrics_missing", "cleared")]
