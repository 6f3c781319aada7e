"""Layer three: from minute 50 on, once an hour, the next hour of day over 7 days; it only ever adds."""

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Decision
from fleet.observation import Observation
from situations import NOW, low_load, observation, reading, workers

HOUR, DAY = 3600, 86_400
HOUR_START = NOW // HOUR * HOUR


def days_of(demand: float, days: int = 3) -> list[dict[str, float]]:
    """The next hour, on each of the last days, needed so many busy workers."""
    return [{"at": HOUR_START + HOUR + 600 - day * DAY, "workers": demand} for day in range(1, days + 1)]


def decided(demand: list[dict[str, float]], minute: int = 50, **changes: Any) -> Decision:
    now = HOUR_START + minute * 60
    given = observation(now=now, reading=reading(now), workers=workers(2), demand=demand, **changes)
    return decide(Observation.from_dict(given))


@pytest.mark.parametrize(
    ("demand", "minute", "action"),
    [
        pytest.param(days_of(1.5), 50, "scale_up", id="three-days-at-75-percent"),
        pytest.param(days_of(1.5), 49, "none", id="minute-49-is-too-early"),
        pytest.param(days_of(1.5), 59, "scale_up", id="minute-59"),
        pytest.param(days_of(9.0, days=2), 50, "none", id="two-days-are-too-few"),
        pytest.param([], 50, "none", id="no-history"),
        pytest.param(days_of(1.0) + days_of(3.0)[2:], 50, "none", id="two-points-of-a-day-count-as-one-day"),
    ],
)
def test_the_next_hour(demand: list[dict[str, float]], minute: int, action: str) -> None:
    decision = decided(demand, minute)

    assert decision.action == action
    assert decision.count == (1 if action == "scale_up" else 0)


@pytest.mark.parametrize(
    ("completed_after_hour_start", "action"),
    [
        pytest.param(50 * 60, "none", id="already-acted-in-this-look-ahead"),
        pytest.param(50 * 60 - 1, "scale_up", id="an-action-before-the-look-ahead"),
    ],
)
def test_once_an_hour(completed_after_hour_start: int, action: str) -> None:
    last = {"direction": "up", "completed_at": HOUR_START + completed_after_hour_start}

    assert decided(days_of(1.9), minute=56, last_action=last).action == action


@pytest.mark.parametrize(
    ("limit", "action"), [(75, "none"), (74.9, "scale_up")], ids=["at-the-limit", "above-the-limit"]
)
def test_demand_must_be_above_the_limit(limit: float, action: str) -> None:
    assert decided(days_of(1.5), policy={"predictive_percent": limit}).action == action


def test_a_scale_down_does_not_use_up_the_look_ahead() -> None:
    last = {"direction": "down", "completed_at": HOUR_START + 51 * 60}

    assert decided(days_of(1.9), minute=56, last_action=last).action == "scale_up"


@pytest.mark.parametrize(("minute", "action"), [(50, "none"), (49, "scale_down")], ids=["looking-ahead", "not-yet"])
def test_a_gap_in_the_demand_of_the_next_hour_keeps_the_worker(minute: int, action: str) -> None:
    now = HOUR_START + minute * 60
    gap = [each | {"workers": None} for each in days_of(9.0)]
    given = observation(now=now, workers=workers(3), demand=gap, **low_load(now=now))

    assert decide(Observation.from_dict(given)).action == action


def test_it_can_be_switched_off() -> None:
    assert decided(days_of(1.9), policy={"enable_predictive": False}).action == "none"


def test_a_quiet_next_hour_removes_nothing() -> None:
    assert decided(days_of(0.0, days=7)).action == "none"


def test_it_adds_one_worker_even_where_a_trigger_would_be_urgent() -> None:
    now = HOUR_START + 50 * 60
    given = observation(now=now, reading=reading(now, cpu_percent=95.0), workers=workers(2), demand=days_of(1.9))
    decision = decide(Observation.from_dict(given))

    assert (decision.trigger, decision.count, decision.urgent) == ("predictive", 1, False)
