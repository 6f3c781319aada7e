"""A Spot worker is called back while the fleet is at its minimum of four; the next cycle makes up for it."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Action, Decision, Lifecycle, Rule
from fleet.observation import Observation
from situations import NOW, ZONES, observation, worker

SPOT, ON_DEMAND = Lifecycle.SPOT, Lifecycle.ON_DEMAND


def fleet(*states: str) -> list[dict[str, Any]]:
    """Three Spot workers and, last, one On-Demand worker, in these states; a fifth is a replacement."""
    lifecycles = ("spot", "spot", "spot", "on_demand", "on_demand")
    return [
        worker(f"w{number}", state=state, lifecycle=lifecycles[number], zone=ZONES[number % 2])
        for number, state in enumerate(states)
    ]


def decided(workers: list[dict[str, Any]], **changes: Any) -> Decision:
    return decide(Observation.from_dict(observation(policy={"min_workers": 4}, workers=workers, **changes)))


LAUNCHING = {"id": "up-1", "kind": "up", "phase": "joining", "started_at": NOW - 120, "requested": 1}
JOINED = {"direction": "up", "completed_at": NOW}


@pytest.mark.parametrize(
    ("workers", "changes", "seen", "action", "launched"),
    [
        pytest.param(fleet(*["ready"] * 4), {}, 4, Action.NONE, [], id="10:00-four-workers"),
        pytest.param(
            fleet("draining", "ready", "ready", "ready"),
            {},
            3,
            Action.SCALE_UP,
            [ON_DEMAND],
            id="10:04-the-one-being-drained-no-longer-counts-and-an-on-demand-worker-replaces-it",
        ),
        pytest.param(
            fleet("draining", "ready", "ready", "ready", "joining"),
            {"operation": LAUNCHING},
            4,
            Action.NONE,
            [],
            id="10:06-the-replacement-joins-and-counts",
        ),
        pytest.param(
            fleet("not_ready", "ready", "ready", "ready", "ready"),
            {"last_action": JOINED},
            4,
            Action.NONE,
            [],
            id="10:07-restored",
        ),
    ],
)
def test_timeline(
    workers: list[dict[str, Any]], changes: dict[str, Any], seen: int, action: Action, launched: list[Lifecycle]
) -> None:
    decision = decided(workers, **changes)
    assert (decision.workers, decision.action) == (seen, action)
    assert [launch.lifecycle for launch in decision.launch] == launched


@pytest.mark.parametrize(
    ("states", "launched"),
    [
        pytest.param(["draining", "ready", "ready", "ready"], [ON_DEMAND], id="two-spot-left-are-all-that-four-allow"),
        pytest.param(["ready", "ready", "ready", "draining"], [ON_DEMAND], id="the-on-demand-one-is-replaced-in-kind"),
        pytest.param(["draining", "draining", "ready", "ready"], [SPOT, ON_DEMAND], id="one-spot-left-leaves-one-due"),
        pytest.param(["draining", "draining", "draining", "ready"], [SPOT, SPOT, ON_DEMAND], id="all-spot-are-lost"),
    ],
)
def test_all_missing_workers_come_back_at_once_in_the_wanted_mix(states: list[str], launched: list[Lifecycle]) -> None:
    """The documents draw lots for each launch; the design's mix line is deterministic: two Spot of four."""
    decision = decided(fleet(*states))
    assert [launch.lifecycle for launch in decision.launch] == launched
    assert (decision.trigger, decision.target) == (Rule.BELOW_MINIMUM, 4)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"last_action": {"direction": "up", "completed_at": NOW - 1}}, id="within-the-scale-up-cooldown"),
        pytest.param({"last_action": {"direction": "down", "completed_at": NOW - 1}}, id="just-after-a-scale-down"),
        pytest.param({"reading": None}, id="without-any-metrics"),
    ],
)
def test_nothing_delays_the_replacement(changes: dict[str, Any]) -> None:
    decision = decided(fleet("draining", "ready", "ready", "ready"), **changes)
    assert (decision.action, decision.count, decision.bypass_cooldown) == (Action.SCALE_UP, 1, True)
