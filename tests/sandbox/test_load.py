"""How a demand becomes usage of pods: shared evenly, bounded by limits and by what a node has."""

from __future__ import annotations

import pytest

from sandbox.cluster.load import RunningPod, share_cpu
from sandbox.cluster.settings import Settings

CORES = {"a": 2.0, "b": 2.0}
TWO_ON_A = [RunningPod("shop", "web-1", "a"), RunningPod("shop", "web-2", "a")]
ONE_EACH = [RunningPod("shop", "web-1", "a"), RunningPod("shop", "web-2", "b")]
LIMITED = [RunningPod("shop", "web-1", "a", limit=0.2), RunningPod("shop", "web-2", "b")]


@pytest.mark.parametrize(
    ("demand", "pods", "shares"),
    [
        pytest.param(1.0, ONE_EACH, [0.5, 0.5], id="shared-evenly"),
        pytest.param(4.0, TWO_ON_A, [0.98, 0.98], id="node-is-full"),
        pytest.param(8.0, ONE_EACH, [1.96, 1.96], id="both-nodes-are-full"),
        pytest.param(1.0, LIMITED, [0.2, 0.5], id="limit-holds"),
        pytest.param(3.0, [], [], id="nobody-serves"),
    ],
)
def test_demand_is_shared(demand: float, pods: list[RunningPod], shares: list[float]) -> None:
    assert list(share_cpu(demand, pods, CORES).values()) == pytest.approx(shares)


@pytest.mark.parametrize(
    ("speed", "grace", "toleration", "scrape"),
    [(1, 40, 300, 15), (5, 8, 60, 3), (10, 4, 30, 2), (60, 4, 5, 1)],
    ids=str,
)
def test_speed_divides_waiting_times_down_to_a_floor(speed: float, grace: int, toleration: int, scrape: int) -> None:
    settings = Settings(speed=speed)
    assert settings.node_grace_seconds == grace
    assert settings.pod_toleration_seconds == toleration
    assert settings.scrape_seconds == scrape


@pytest.mark.parametrize("speed", [0, 0.5, 61, -1])
def test_impossible_speed_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="speed must be between 1 and 60"):
        Settings(speed=speed)
