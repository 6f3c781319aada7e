"""What people read: golden texts of whole decisions, and what would change them."""

from pathlib import Path
from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.decide.explain import duration, number
from fleet.observation import Observation
from situations import NOW, low_load, observation, pod, reading, steady, worker, workers

GOLDEN = Path(__file__).parent / "golden"

MIXED = [
    worker("a1", zone="ap-southeast-1a", pods=[pod("api-0", owner="Deployment/api", replicas=1)]),
    worker("a2", zone="ap-southeast-1a", cpu_percent=5.0, pods=[pod("web-1"), pod("web-2")]),
    worker("a3", zone="ap-southeast-1a", pods=[pod("db-0", owner="StatefulSet/db")]),
    worker("b1", zone="ap-southeast-1b"),
    worker("b2", zone="ap-southeast-1b", state="joining"),
]

SITUATIONS: dict[str, dict[str, Any]] = {
    "stable": observation(),
    "pending_pods": observation(reading=reading(cpu_percent=74.3, pending_pods=3)),
    "spike_not_sustained": observation(reading=reading(cpu_percent=82.0)),
    "cooldown": observation(
        **steady(240, cpu_percent=90.0), last_action={"direction": "up", "completed_at": NOW - 120}
    ),
    "at_maximum": observation(workers=workers(10), **steady(240, memory_percent=88.0)),
    "below_minimum": observation(workers=workers(1)),
    "scale_down": observation(workers=MIXED, **low_load(custom={"queue_depth": 3})),
    "scale_down_soon": observation(**steady(360, cpu_percent=20.0, memory_percent=34.0)),
    "scale_down_not_possible": observation(workers=[*MIXED[::2], worker("c", do_not_disrupt=True)], **low_load()),
    "nothing_measured": observation(reading=None),
    "no_cpu": observation(reading=reading(cpu_percent=None, unmeasured={"cpu_percent": "failed"})),
}


def text_of(given: dict[str, Any]) -> str:
    decision = decide(Observation.from_dict(given))
    lines = [f"{decision.action} {decision.workers} -> {decision.target}: {decision.reason}"]
    lines += [f"  {step.rule:<20} {step.verdict:<8} {step.detail}" for step in decision.explain]
    lines += [f"  launch {launch.lifecycle} in {launch.zone}" for launch in decision.launch]
    lines += [f"  remove {removed.name}" for removed in decision.remove]
    lines += [f"  keep   {kept.name}: {kept.reason} ({kept.detail})" for kept in decision.kept]
    lines += [f"  alert  {alert.name} {alert.event}: {alert.detail}" for alert in decision.alerts]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", SITUATIONS)
def test_golden(name: str) -> None:
    """To accept a new text, look at it and write it into the file."""
    assert text_of(SITUATIONS[name]) == (GOLDEN / f"{name}.txt").read_text()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (90, "1 min 30 s"), (180, "3 min"), (301, "5 min 1 s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(("value", "text"), [(70, "70"), (74.30, "74.3"), (0.125, "0.12"), (100.0, "100"), (0, "0")])
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text
