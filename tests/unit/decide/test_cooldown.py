"""Up waits 300 s after a completed scale-up; down waits 600 s after a completed action of either direction."""

import pytest

from fleet.decide.engine import decide
from fleet.observation import Observation
from situations import NOW, low_load, observation, reading, workers


def after(direction: str, seconds: int) -> dict[str, object]:
    return {"last_action": {"direction": direction, "completed_at": NOW - seconds}}


@pytest.mark.parametrize(
    ("last", "action"),
    [
        pytest.param(after("up", 0), "none", id="at-once-after-scale-up"),
        pytest.param(after("up", 299), "none", id="299s-after-scale-up"),
        pytest.param(after("up", 300), "scale_up", id="300s-after-scale-up"),
        pytest.param(after("down", 0), "scale_up", id="at-once-after-scale-down"),
        pytest.param({"last_action": None}, "scale_up", id="no-action-yet"),
        pytest.param(after("up", -50), "none", id="completed-in-the-future-by-a-skewed-clock"),
    ],
)
def test_scale_up_waits(last: dict[str, object], action: str) -> None:
    given = observation(reading=reading(pending_pods=3), **last)

    assert decide(Observation.from_dict(given)).action == action


@pytest.mark.parametrize(
    ("last", "action"),
    [
        pytest.param(after("up", 599), "none", id="599s-after-scale-up"),
        pytest.param(after("up", 600), "scale_down", id="600s-after-scale-up"),
        pytest.param(after("down", 599), "none", id="599s-after-scale-down"),
        pytest.param(after("down", 600), "scale_down", id="600s-after-scale-down"),
        pytest.param({"last_action": None}, "scale_down", id="no-action-yet"),
    ],
)
def test_scale_down_waits(last: dict[str, object], action: str) -> None:
    given = observation(**low_load(), **last)

    assert decide(Observation.from_dict(given)).action == action


def test_the_minimum_is_restored_inside_a_cooldown() -> None:
    decision = decide(Observation.from_dict(observation(workers=workers(1), **after("up", 1))))

    assert (decision.action, decision.count, decision.bypass_cooldown) == ("scale_up", 1, True)


def test_a_wish_held_back_by_the_cooldown_never_becomes_a_scale_down() -> None:
    given = observation(**low_load(custom={"queue_depth": 5000}), **after("up", 100))
    given["policy"] = {"queue_depth_down": None}

    decision = decide(Observation.from_dict(given))

    assert (decision.action, decision.trigger) == ("none", "queue_depth")
    assert "possible in 3 min 20 s" in decision.reason
