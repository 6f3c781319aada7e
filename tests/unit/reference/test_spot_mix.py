"""Share of Spot workers, worked out by hand. The design's mix line is deterministic where a document draws lots."""

from __future__ import annotations

import pytest

from fleet.model import Lifecycle, Worker
from fleet.placement import plan_launches, spot_to_launch
from fleet.policy import Policy
from situations import NOW, ZONES, worker


def fleet(spot: int, on_demand: int) -> list[Worker]:
    lifecycles = ["spot"] * spot + ["on_demand"] * on_demand
    return [
        Worker.from_dict(worker(f"w{number}", lifecycle=lifecycle, zone=ZONES[number % 2]))
        for number, lifecycle in enumerate(lifecycles)
    ]


# existing Spot, existing On-Demand, workers to add, share -> Spot to launch, On-Demand to launch
CASES = [
    pytest.param(0, 0, 2, 70, 1, 1, id="first-two:-1.4-is-one-spot"),
    pytest.param(0, 0, 10, 70, 7, 3, id="ten-from-nothing"),
    pytest.param(1, 1, 1, 70, 1, 0, id="third:-2.1-is-two-spot-and-one-is-there"),
    pytest.param(1, 1, 2, 70, 1, 1, id="two-beside-two:-2.8-is-two-spot"),
    pytest.param(2, 1, 1, 70, 0, 1, id="fourth:-2.8-is-two-spot-and-both-are-there"),
    pytest.param(2, 1, 2, 70, 1, 1, id="two-beside-three:-3.5-is-three-spot"),
    pytest.param(2, 2, 1, 70, 1, 0, id="fifth:-3.5-is-three-spot"),
    pytest.param(3, 1, 1, 70, 0, 1, id="fifth-where-three-spot-are-there-already"),
    pytest.param(4, 0, 2, 70, 0, 2, id="too-many-spot-of-six:-4.2-is-four"),
    pytest.param(5, 0, 1, 70, 0, 1, id="over-provisioned-spot-is-no-negative-launch"),
    pytest.param(0, 5, 2, 70, 2, 0, id="a-large-deficit-is-capped-by-what-is-added"),
    pytest.param(6, 3, 1, 70, 1, 0, id="tenth:-exactly-seven-spot"),
    pytest.param(7, 3, 0, 70, 0, 0, id="nothing-to-add"),
    pytest.param(0, 2, 3, 0, 0, 3, id="no-spot-wanted"),
    pytest.param(0, 2, 3, 100, 3, 0, id="only-spot-wanted"),
    pytest.param(1, 1, 2, 50, 1, 1, id="half"),
]


@pytest.mark.parametrize(("spot", "on_demand", "added", "percent", "spot_due", "on_demand_due"), CASES)
def test_mix(spot: int, on_demand: int, added: int, percent: int, spot_due: int, on_demand_due: int) -> None:
    assert spot_to_launch(added, spot + on_demand + added, spot, percent) == spot_due
    policy = Policy(spot_percent=percent)
    launches = [launch.lifecycle for launch in plan_launches(added, fleet(spot, on_demand), policy, (), NOW)]
    assert launches == [Lifecycle.SPOT] * spot_due + [Lifecycle.ON_DEMAND] * on_demand_due


def test_the_share_is_kept_while_a_fleet_grows_one_by_one() -> None:
    grown: list[str] = []
    for _ in range(10):
        here = fleet(grown.count("spot"), grown.count("on_demand"))
        grown += [launch.lifecycle.value for launch in plan_launches(1, here, Policy(), (), NOW)]
    assert [grown[: size + 1].count("spot") for size in range(10)] == [0, 1, 2, 2, 3, 4, 4, 5, 6, 7]


def test_no_chance_is_involved() -> None:
    plans = {plan_launches(3, fleet(1, 1), Policy(), (), NOW) for _ in range(50)}
    assert len(plans) == 1
