"""Sustained is a matter of time: every reading of the window, at least two, spanning it less half an interval."""

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.observation import Observation
from situations import NOW, observation, reading

HIGH, LOW = 80.0, 45.0


def action_of(history: list[tuple[int, float | None]], **policy: Any) -> str:
    given = observation(
        policy=policy,
        reading=reading(cpu_percent=HIGH),
        history=[reading(NOW - age, cpu_percent=cpu) for age, cpu in history],
    )
    return decide(Observation.from_dict(given)).action.value


@pytest.mark.parametrize(
    ("history", "action"),
    [
        pytest.param([], "none", id="one-reading-is-a-spike"),
        pytest.param([(120, HIGH)], "scale_up", id="two-readings-120s-apart"),
        pytest.param([(119, HIGH)], "none", id="two-readings-119s-apart-span-too-little"),
        pytest.param([(180, HIGH)], "scale_up", id="reading-at-the-edge-of-the-window"),
        pytest.param([(181, HIGH)], "none", id="reading-just-outside-the-window"),
        pytest.param([(120, LOW)], "none", id="previous-reading-was-low"),
        pytest.param([(120, 70.0)], "none", id="exactly-at-the-threshold-is-not-above-it"),
        pytest.param([(120, None)], "none", id="a-gap-breaks-the-window"),
        pytest.param([(120, HIGH), (60, LOW)], "none", id="dip-within-the-window"),
        pytest.param([(60, HIGH)], "none", id="an-extra-invocation-changes-nothing"),
        pytest.param([(120, HIGH), (60, HIGH), (1, HIGH)], "scale_up", id="extra-invocations-do-no-harm"),
        pytest.param([(240, LOW), (120, HIGH)], "scale_up", id="what-was-before-the-window-does-not-count"),
        pytest.param([(0, HIGH), (0, HIGH)], "none", id="the-same-moment-read-three-times-is-one-reading"),
    ],
)
def test_cpu_must_be_high_for_three_minutes(history: list[tuple[int, float | None]], action: str) -> None:
    assert action_of(history) == action


@pytest.mark.parametrize(
    ("interval", "history", "action"),
    [
        pytest.param(60, [(120, HIGH), (60, HIGH)], "none", id="every-minute-needs-150s"),
        pytest.param(60, [(150, HIGH), (60, HIGH)], "scale_up", id="every-minute-has-150s"),
        pytest.param(180, [(90, HIGH)], "scale_up", id="every-three-minutes-needs-90s"),
    ],
)
def test_the_span_follows_the_interval(interval: int, history: list[tuple[int, float | None]], action: str) -> None:
    assert action_of(history, interval_seconds=interval, error_rate_up_for_seconds=180) == action


def test_a_window_of_zero_needs_no_second_reading() -> None:
    assert action_of([], cpu_up_for_seconds=0) == "scale_up"


def test_a_reading_of_the_state_table_is_judged_at_its_own_time() -> None:
    given = observation(reading=reading(NOW - 200, cpu_percent=HIGH), history=[reading(NOW - 320, cpu_percent=HIGH)])

    assert decide(Observation.from_dict(given)).action == "scale_up"
