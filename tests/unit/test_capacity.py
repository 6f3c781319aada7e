"""What a worker will offer before it exists: as told, as seen, as commonly known, less what DaemonSets take."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.capacity import empty_worker, expected_capacity
from fleet.model import Capacity, Worker
from fleet.policy import Policy
from situations import pod, worker

TOLD, SEEN = Capacity(1.5, 1e9, 20), Capacity(1.9, 1.8e9, 110)
KNOWN = Capacity(2, 2e9, 110)


def a_worker(name: str, size: Capacity | None = None, **changes: Any) -> Worker:
    return Worker.from_dict(worker(name, allocatable=size.to_dict() if size else None, **changes))


@pytest.mark.parametrize(
    ("workers", "told", "capacity"),
    [
        pytest.param([a_worker("w", SEEN)], {"t3.small": TOLD}, TOLD, id="the-policy-knows-best"),
        pytest.param([a_worker("w", SEEN)], {"t3.large": TOLD}, SEEN, id="else-a-worker-of-the-type-shows-it"),
        pytest.param([a_worker("w", SEEN), a_worker("v", TOLD)], {}, TOLD, id="the-smallest-that-is-seen"),
        pytest.param([a_worker("v", TOLD), a_worker("w", SEEN)], {}, TOLD, id="the-smallest-in-whatever-order"),
        pytest.param([a_worker("w")], {}, KNOWN, id="a-worker-of-unknown-size-shows-nothing"),
        pytest.param([a_worker("w", TOLD, instance_type="t3.large")], {}, KNOWN, id="another-type-shows-nothing"),
        pytest.param([], {}, KNOWN, id="else-what-is-commonly-known"),
    ],
)
def test_expected(workers: list[Worker], told: dict[str, Capacity], capacity: Capacity) -> None:
    assert expected_capacity("t3.small", workers, Policy(instance_capacity=told)) == capacity


def test_a_type_that_nobody_knows() -> None:
    assert expected_capacity("x9.huge", [a_worker("w", SEEN)], Policy()) is None


def daemon(name: str, cpu: float | None, memory: float | None) -> dict[str, Any]:
    return pod(name, owner="DaemonSet/d", cpu=cpu, memory=memory)


@pytest.mark.parametrize(
    ("pods", "left"),
    [
        pytest.param([[]], Capacity(2.0, 2e9, 110), id="no-pods"),
        pytest.param([[pod("web")]], Capacity(2.0, 2e9, 110), id="other-pods-do-not-follow"),
        pytest.param([[daemon("a", 0.5, 1e8), pod("web")]], Capacity(1.5, 1.9e9, 109), id="one-daemon"),
        pytest.param(
            [[daemon("a", 0.5, 1e8), daemon("b", 0.25, 1e8)]], Capacity(1.25, 1.8e9, 108), id="daemons-add-up"
        ),
        pytest.param(
            [[daemon("a", 0.5, 1e8)], [daemon("b", 0.25, 3e8), daemon("c", 0.0, 0)]],
            Capacity(1.5, 1.7e9, 108),
            id="the-most-of-each-that-any-worker-carries",
        ),
        pytest.param([None], Capacity(2.0, 2e9, 110), id="pods-unknown"),
        pytest.param([[daemon("a", None, 0)]], None, id="a-request-that-is-not-known"),
        pytest.param([[daemon("a", 9.0, 9e9)]], Capacity(0.0, 0.0, 109), id="never-negative"),
    ],
)
def test_daemons_come_first(pods: list[list[dict[str, Any]] | None], left: Capacity | None) -> None:
    workers = [Worker.from_dict(worker(f"w{number}", pods=each)) for number, each in enumerate(pods)]
    assert empty_worker("t3.small", workers, Policy(instance_capacity={"t3.small": KNOWN})) == left
