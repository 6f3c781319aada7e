"""Two workers instead of one: pending > 5, CPU > 85 %, or pending pods on a busy fleet."""

from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.observation import Observation
from situations import observation, steady, workers


@pytest.mark.parametrize(
    ("values", "count", "urgent", "trigger"),
    [
        pytest.param({"pending_pods": 1}, 1, False, "pending_pods", id="one-pod-pending"),
        pytest.param({"pending_pods": 5}, 1, False, "pending_pods", id="five-pending-are-not-urgent"),
        pytest.param({"pending_pods": 6}, 2, True, "pending_pods", id="six-pending-are"),
        pytest.param({"pending_pods": 1, "cpu_percent": 70.0}, 1, False, "pending_pods", id="pending-at-70-percent"),
        pytest.param({"pending_pods": 1, "cpu_percent": 70.1}, 2, True, "pending_pods", id="pending-above-70-percent"),
        pytest.param({"pending_pods": 1, "cpu_percent": None}, 1, False, "pending_pods", id="pending-without-cpu"),
        pytest.param({"cpu_percent": 85.0}, 1, False, "cpu", id="cpu-at-85-percent"),
        pytest.param({"cpu_percent": 85.1}, 2, True, "cpu", id="cpu-above-85-percent"),
        pytest.param({"memory_percent": 80.0}, 1, False, "memory", id="memory-alone-is-never-urgent"),
        pytest.param(
            {"pending_pods": None, "cpu_percent": 86.0}, 2, True, "cpu", id="cpu-without-a-count-of-pending-pods"
        ),
    ],
)
def test_how_many_workers_are_added(values: dict[str, Any], count: int, urgent: bool, trigger: str) -> None:
    decision = decide(Observation.from_dict(observation(**steady(240, **values))))

    assert (decision.count, decision.urgent, decision.trigger) == (count, urgent, trigger)
    assert decision.target == 3 + count


@pytest.mark.parametrize(
    ("policy", "count"),
    [
        pytest.param({"urgent_step": 4}, 4, id="urgent-step-given"),
        pytest.param({"scale_up_step": 3}, 3, id="urgent-is-never-less-than-the-step"),
        pytest.param({"max_workers": 4}, 1, id="capped-by-the-maximum"),
    ],
)
def test_steps_are_policy(policy: dict[str, int], count: int) -> None:
    given = observation(policy=policy, workers=workers(3), **steady(240, cpu_percent=90.0))

    assert decide(Observation.from_dict(given)).count == count
