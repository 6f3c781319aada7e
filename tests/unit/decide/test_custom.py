"""Layer two: what the application says."""

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Decision
from fleet.observation import Observation
from situations import NOW, low_load, observation, reading


def decided(now: dict[str, Any], before: dict[str, Any] | None = None, **policy: Any) -> Decision:
    history = [] if before is None else [reading(NOW - 120, custom=before)]
    return decide(Observation.from_dict(observation(policy=policy, reading=reading(custom=now), history=history)))


@pytest.mark.parametrize(
    ("now", "before", "trigger"),
    [
        pytest.param({"queue_depth": 1001}, None, "queue_depth", id="queue-at-once"),
        pytest.param({"queue_depth": 1000}, None, None, id="queue-at-its-limit"),
        pytest.param({"latency_p95_ms": 2000.5}, None, "latency_p95_ms", id="latency-at-once"),
        pytest.param({"latency_p95_ms": 2000}, None, None, id="latency-at-its-limit"),
        pytest.param({"error_rate_percent": 9}, None, None, id="error-rate-once"),
        pytest.param({"error_rate_percent": 9}, {"error_rate_percent": 5}, None, id="error-rate-was-at-its-limit"),
        pytest.param(
            {"error_rate_percent": 9}, {"error_rate_percent": 6}, "error_rate_percent", id="error-rate-for-120s"
        ),
        pytest.param({"request_rate": 9999}, {"request_rate": 9999}, None, id="request-rate-is-off-until-set"),
        pytest.param({"queue_depth": None}, None, None, id="queue-not-measured"),
        pytest.param(
            {"queue_depth": 5000, "latency_p95_ms": 9000}, None, "queue_depth", id="the-first-in-order-is-named"
        ),
    ],
)
def test_built_in_rules(now: dict[str, Any], before: dict[str, Any] | None, trigger: str | None) -> None:
    decision = decided(now, before)

    assert decision.trigger == trigger
    assert decision.action == ("scale_up" if trigger else "none")


def test_request_rate_counts_once_it_is_set() -> None:
    assert decided({"request_rate": 1001}, request_rate_up=1000).trigger == "request_rate"


def test_a_rule_of_the_users_own_adds_a_worker() -> None:
    carts = {"name": "open_carts", "query": "sum(carts)", "threshold": 500, "for_seconds": 120}

    assert decided({"open_carts": 501}, {"open_carts": 501}, custom_rules=[carts]).trigger == "open_carts"
    assert decided({"open_carts": 501}, {"open_carts": 500}, custom_rules=[carts]).action == "none"


@pytest.mark.parametrize(
    ("custom", "action"),
    [
        pytest.param({}, "scale_down", id="no-such-metric"),
        pytest.param({"queue_depth": 99}, "scale_down", id="queue-is-short"),
        pytest.param({"queue_depth": 100}, "none", id="queue-is-not-below-100"),
        pytest.param({"queue_depth": None}, "none", id="queue-not-measured"),
        pytest.param({"latency_p95_ms": None}, "none", id="latency-not-measured"),
        pytest.param({"request_rate": None}, "scale_down", id="a-rule-that-is-off-needs-no-value"),
        pytest.param({"error_rate_percent": 4}, "scale_down", id="few-errors"),
    ],
)
def test_what_the_application_must_show_before_a_worker_goes(custom: dict[str, Any], action: str) -> None:
    assert decide(Observation.from_dict(observation(**low_load(custom=custom)))).action == action


def test_a_queue_that_became_short_only_lately_keeps_the_worker() -> None:
    given = observation(**low_load(custom={"queue_depth": 50}))
    given["history"][2]["custom"] = {"queue_depth": 300}

    assert decide(Observation.from_dict(given)).action == "none"


def test_a_metric_that_vanished_is_missing_not_absent() -> None:
    given = observation(**low_load(custom={"queue_depth": 50}))
    given["reading"]["custom"] = {}

    assert decide(Observation.from_dict(given)).action == "none"


def test_errors_that_are_high_but_not_yet_for_long_keep_the_worker() -> None:
    given = observation(**low_load(custom={"error_rate_percent": 1}))
    given["reading"]["custom"] = {"error_rate_percent": 50}

    assert decide(Observation.from_dict(given)).action == "none"


def test_a_downward_rule_of_the_users_own_holds_back_a_scale_down() -> None:
    jobs = {"name": "running_jobs", "threshold": 1, "direction": "down"}
    busy = observation(policy={"custom_rules": [jobs]}, **low_load(custom={"running_jobs": 2}))
    idle = observation(policy={"custom_rules": [jobs]}, **low_load(custom={"running_jobs": 0}))

    assert decide(Observation.from_dict(busy)).action == "none"
    assert decide(Observation.from_dict(idle)).action == "scale_down"
