"""The flash sale of the user's documents, invocation by invocation, each inheriting what the one before left behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.model import Action, Decision, Rule, Verdict
from fleet.observation import Observation
from situations import NOW, observation, reading, worker, workers

EIGHT_PM = NOW + 7 * 3600 + 50 * 60
UP, DOWN, NONE = Action.SCALE_UP, Action.SCALE_DOWN, Action.NONE


@dataclass
class Replay:
    """What the state table carries from one invocation to the next. A new worker is Ready after `join_seconds`."""

    join_seconds: int
    workers: list[dict[str, Any]] = field(default_factory=lambda: workers(2))
    readings: list[dict[str, Any]] = field(default_factory=list)
    last_action: dict[str, Any] | None = None
    operation: dict[str, Any] | None = None

    def invoke(self, minute: int, cpu: float, pending: int) -> Decision:
        now = EIGHT_PM + 60 * minute
        self._finish_operation(now)
        newest = reading(now, cpu_percent=cpu, memory_percent=45.0, pending_pods=pending)
        seen = observation(
            now=now,
            reading=newest,
            history=self.readings[-10:],
            workers=self.workers,
            last_action=self.last_action,
            operation=self.operation,
        )
        decision = decide(Observation.from_dict(seen))
        self.readings.append(newest)
        self._begin_operation(decision, now)
        return decision

    def _begin_operation(self, decision: Decision, now: float) -> None:
        if decision.action is NONE:
            return
        kind = "up" if decision.action is UP else "down"
        self.operation = {"id": f"{kind}-{now}", "kind": kind, "phase": "running", "started_at": now}
        for number, launch in enumerate(decision.launch):
            joining = worker(f"new-{now}-{number}", state="joining", launched_at=now, cpu_percent=None, pods=None)
            self.workers.append(joining | {"zone": launch.zone, "lifecycle": launch.lifecycle.value})
        leaving = {removed.name for removed in decision.remove}
        self.workers = [each | {"state": "draining"} if each["name"] in leaving else each for each in self.workers]

    def _finish_operation(self, now: float) -> None:
        if self.operation is None:
            return
        joining = [each for each in self.workers if each["state"] == "joining"]
        if any(now < each["launched_at"] + self.join_seconds for each in joining):
            return
        for each in joining:
            each.update(state="ready", cpu_percent=50.0, pods=[])
        self.workers = [each for each in self.workers if each["state"] != "draining"]
        self.last_action = {"direction": self.operation["kind"], "completed_at": now}
        self.operation = None


def blocking_rule(decision: Decision) -> str | None:
    return next((step.rule for step in decision.explain if step.verdict is Verdict.BLOCKED), None)


# minute after 20:00, CPU, pending pods, action, count, workers seen, what the row shows
TIMELINE: list[tuple[int, float, int, Action, int, int, str]] = [
    (0, 35, 0, NONE, 0, 2, "20:00-within-limits"),
    (2, 65, 0, NONE, 0, 2, "20:02-below-the-CPU-threshold"),
    (4, 82, 3, UP, 2, 2, "20:04-pending-pods-on-a-busy-fleet-are-urgent"),
    (6, 85, 8, NONE, 0, 4, "20:06-held-back-two-minutes-after"),
    (8, 78, 2, NONE, 0, 4, "20:08-held-back-four-minutes-after"),
    (10, 68, 0, NONE, 0, 4, "20:10-new-workers-carry-the-load"),
    *((12 + 2 * step, 66 - 3 * step, 0, NONE, 0, 4, f"20:{12 + 2 * step}-load-falls") for step in range(9)),
    (30, 40, 0, NONE, 0, 4, "20:30-not-yet-low"),
    *((minute, 29, 0, NONE, 0, 4, f"20:{minute}-low-but-not-for-long") for minute in (32, 34, 36, 38)),
    (40, 28, 0, NONE, 0, 4, "20:40-departs:-sustained-in-the-design-spans-the-whole-window-and-20:30-is-still-in-it"),
    (42, 28, 0, DOWN, 1, 4, "20:42-low-for-ten-minutes"),
    (44, 28, 0, NONE, 0, 3, "20:44-cooldown-after-the-removal"),
]


def replayed(join_seconds: int, until: int, each_minute: bool = False) -> Decision:
    """The decision of that minute, after all invocations before it."""
    replay = Replay(join_seconds)
    for minute, cpu, pending, *_ in TIMELINE:
        decision = replay.invoke(minute, cpu, pending)
        if minute == until:
            return decision
        if each_minute:
            replay.invoke(minute + 1, cpu, pending)
    raise AssertionError(f"minute {until} is not in the timeline")


def rows() -> list[Any]:
    return [pytest.param(*row[:1], *row[3:6], id=row[6]) for row in TIMELINE]


@pytest.mark.parametrize("join_seconds", [90, 200], ids=["joins-within-a-cycle", "joins-within-two-cycles"])
@pytest.mark.parametrize(("minute", "action", "count", "seen"), rows())
def test_row(join_seconds: int, minute: int, action: Action, count: int, seen: int) -> None:
    decision = replayed(join_seconds, minute)
    assert (decision.action, decision.count, decision.workers) == (action, count, seen)


@pytest.mark.parametrize(("minute", "action", "count", "seen"), rows())
def test_an_extra_invocation_each_minute_changes_nothing(minute: int, action: Action, count: int, seen: int) -> None:
    """The design measures windows by time, where the documents count readings."""
    decision = replayed(90, minute, each_minute=True)
    assert (decision.action, decision.count) == (action, count)


def test_the_scale_up_is_urgent_because_of_pending_pods() -> None:
    decision = replayed(90, 4)
    assert (decision.trigger, decision.urgent, decision.target) == (Rule.PENDING_PODS, True, 4)


@pytest.mark.parametrize(
    ("join_seconds", "minute", "rule"),
    [
        pytest.param(90, 6, Rule.COOLDOWN, id="20:06-cooldown-where-the-workers-have-joined"),
        pytest.param(90, 8, Rule.COOLDOWN, id="20:08-cooldown-goes-on"),
        pytest.param(200, 6, Rule.OPEN_OPERATION, id="20:06-departs:-the-design-finishes-an-open-operation-first"),
        pytest.param(200, 8, Rule.COOLDOWN, id="20:08-cooldown-where-the-workers-have-joined"),
        pytest.param(90, 10, None, id="20:10-nothing-to-hold-back"),
        pytest.param(90, 44, Rule.COOLDOWN, id="20:44-cooldown-of-the-scale-down"),
    ],
)
def test_what_holds_back(join_seconds: int, minute: int, rule: Rule | None) -> None:
    assert blocking_rule(replayed(join_seconds, minute)) == rule


@pytest.mark.parametrize(
    ("minute", "action"),
    [
        pytest.param(10, NONE, id="six-minutes-after-the-decision-but-four-after-the-workers-joined"),
        pytest.param(12, UP, id="six-minutes-after-the-workers-joined"),
    ],
)
def test_cooldown_counts_from_completion(minute: int, action: Action) -> None:
    """The documents count from the decision; the design's cooldown line lets only a completed action count."""
    replay = Replay(join_seconds=90)
    for earlier, cpu, pending, *_ in TIMELINE:
        if earlier < minute:
            replay.invoke(earlier, cpu, pending)
    assert replay.invoke(minute, 68, 2).action is action
