"""The README's load tests: what the table shows of each stage, and the decision that follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Action, Decision
from fleet.observation import Observation
from situations import NOW, low_load, observation, reading, steady, workers

UP, DOWN, NONE = Action.SCALE_UP, Action.SCALE_DOWN, Action.NONE


def decided(count: int, situation: dict[str, Any], **changes: Any) -> Decision:
    return decide(Observation.from_dict(observation(workers=workers(count), **situation, **changes)))


def served(latency: float | None, errors: float | None) -> dict[str, Any]:
    return {"custom": {"latency_p95_ms": latency, "error_rate_percent": errors}}


IDLE = {"cpu_percent": 5.0, "memory_percent": 30.0}


@pytest.mark.parametrize(
    ("count", "situation", "action", "target"),
    [
        pytest.param(2, steady(120, **served(280, 0.0)), NONE, 2, id="ramp-up"),
        pytest.param(2, steady(300, **served(310, 0.1)), NONE, 2, id="sustain-is-only-watched"),
        pytest.param(2, steady(0, cpu_percent=88.0, **served(890, 0.3)), NONE, 2, id="spike-begins"),
        pytest.param(2, steady(180, cpu_percent=88.0, **served(890, 0.3)), UP, 4, id="spike-lasts:-two-urgent-workers"),
        pytest.param(4, steady(300, **served(420, 0.1)), NONE, 4, id="peak-is-stable"),
        pytest.param(4, steady(180, **IDLE, **served(180, 0.0)), NONE, 4, id="ramp-down-is-not-long-enough"),
        pytest.param(4, steady(480, **IDLE, **served(0, 0.0)), NONE, 4, id="cool-down-after-8-min"),
        pytest.param(4, steady(600, **IDLE, **served(0, 0.0)), DOWN, 3, id="cool-down-after-10-min"),
        pytest.param(
            4,
            steady(600, **IDLE, **served(None, None)),
            NONE,
            4,
            id="cool-down-departs:-the-table-has-no-latency-there-and-the-design-lets-nothing-go-on-a-value-it-lacks",
        ),
    ],
)
def test_k6_stages(count: int, situation: dict[str, Any], action: Action, target: int) -> None:
    decision = decided(count, situation)
    assert (decision.action, decision.target) == (action, target)


FLOOD = {"reading": reading(pending_pods=12, cpu_percent=95.0)}
BUSY = steady(180, cpu_percent=78.0)


def after(direction: str, seconds: int) -> dict[str, Any]:
    return {"direction": direction, "completed_at": NOW - seconds}


@pytest.mark.parametrize(
    ("count", "situation", "last_action", "action", "target"),
    [
        pytest.param(2, {}, None, NONE, 2, id="baseline"),
        pytest.param(2, FLOOD, None, UP, 4, id="flash-spike-2-to-4"),
        pytest.param(4, FLOOD, after("up", 120), NONE, 4, id="flash-spike-waits-for-its-cooldown"),
        pytest.param(4, FLOOD, after("up", 300), UP, 6, id="flash-spike-4-to-6"),
        pytest.param(6, BUSY, after("up", 300), UP, 7, id="sustained-6-to-7-is-no-longer-urgent"),
        pytest.param(7, steady(180, cpu_percent=65.0), after("up", 300), NONE, 7, id="sustained-is-stable-at-7"),
    ],
)
def test_flash_sale_stages(
    count: int, situation: dict[str, Any], last_action: dict[str, Any] | None, action: Action, target: int
) -> None:
    decision = decided(count, situation, last_action=last_action)
    assert (decision.action, decision.target) == (action, target)


@pytest.mark.parametrize(
    ("count", "seconds", "action"),
    [
        *(pytest.param(count, 600, DOWN, id=f"{count}-workers-10-min-later") for count in (7, 6, 5, 4, 3)),
        *(pytest.param(count, 540, NONE, id=f"{count}-workers-9-min-later") for count in (7, 6, 5, 4, 3)),
        pytest.param(2, 600, NONE, id="2-workers-are-left"),
    ],
)
def test_flash_sale_cool_down_takes_ten_minutes_each(count: int, seconds: int, action: Action) -> None:
    decision = decided(count, low_load(), last_action=after("down", seconds))
    assert (decision.action, decision.count) == (action, int(action is DOWN))


def test_logged_decision() -> None:
    """The README's log adds one worker here; the design's urgent line makes pending pods on a busy fleet two."""
    decision = decided(3, steady(240, cpu_percent=74.3, memory_percent=68.1, pending_pods=3))
    assert (decision.action, decision.count, decision.urgent, decision.target) == (UP, 2, True, 5)
    assert "3 pods" in decision.reason
    assert "74.3 %" in decision.reason
