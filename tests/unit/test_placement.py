"""Pools that had no capacity are left out for a while: another type, then another zone, then On-Demand."""

from __future__ import annotations

import pytest

from fleet.model import Launch, Lifecycle, RefusedPool, Worker
from fleet.placement import plan_launches, recently_refused, spot_to_launch, workers_by_zone
from fleet.policy import Policy
from situations import NOW, ZONES, worker

A, B = ZONES
SPOT, ON_DEMAND = Lifecycle.SPOT, Lifecycle.ON_DEMAND
SMALL, OTHER = "t3.small", "t3a.small"
TYPES = Policy(instance_types=(SMALL, OTHER), spot_percent=100)


def refused(*pools: tuple[str, str, Lifecycle], ago: float = 1) -> list[RefusedPool]:
    return [RefusedPool(zone, kind, lifecycle, NOW - ago) for zone, kind, lifecycle in pools]


ALL_SPOT = [(zone, kind, SPOT) for zone in ZONES for kind in (SMALL, OTHER)]
ALL_ON_DEMAND = [(zone, kind, ON_DEMAND) for zone in ZONES for kind in (SMALL, OTHER)]


@pytest.mark.parametrize(
    ("closed", "launch"),
    [
        pytest.param([], Launch(A, SPOT, (SMALL, OTHER)), id="every-pool-open:-types-in-their-order"),
        pytest.param([(A, SMALL, SPOT)], Launch(A, SPOT, (OTHER,)), id="first-the-next-type-of-the-zone"),
        pytest.param([(A, OTHER, SPOT)], Launch(A, SPOT, (SMALL,)), id="a-later-type-is-left-out-too"),
        pytest.param(ALL_SPOT[:2], Launch(B, SPOT, (SMALL, OTHER)), id="then-the-next-zone"),
        pytest.param(ALL_SPOT[:3], Launch(B, SPOT, (OTHER,)), id="then-the-next-type-of-that-zone"),
        pytest.param(ALL_SPOT, Launch(A, ON_DEMAND, (SMALL, OTHER)), id="then-on-demand-in-the-emptiest-zone"),
        pytest.param(
            [*ALL_SPOT, (A, SMALL, ON_DEMAND), (A, OTHER, ON_DEMAND)],
            Launch(B, ON_DEMAND, (SMALL, OTHER)),
            id="then-on-demand-elsewhere",
        ),
        pytest.param(ALL_ON_DEMAND, Launch(A, SPOT, (SMALL, OTHER)), id="a-refused-on-demand-pool-closes-no-spot-pool"),
    ],
)
def test_next_open_pool(closed: list[tuple[str, str, Lifecycle]], launch: Launch) -> None:
    assert plan_launches(1, (), TYPES, refused(*closed), NOW) == (launch,)


def test_nothing_is_launched_where_every_pool_was_refused() -> None:
    assert plan_launches(3, (), TYPES, refused(*ALL_SPOT, *ALL_ON_DEMAND), NOW) == ()


def test_a_worker_is_worth_more_than_the_mix() -> None:
    """The third is wanted On-Demand; where no such pool is open, Spot is better than nothing."""
    policy = Policy(spot_percent=70)
    closed = refused((A, SMALL, ON_DEMAND), (B, SMALL, ON_DEMAND))
    assert [launch.lifecycle for launch in plan_launches(3, (), policy, closed, NOW)] == [SPOT, SPOT, SPOT]


def test_a_detour_counts_in_the_zone_it_leads_to() -> None:
    """With one zone closed to Spot the other fills up, and On-Demand evens it out."""
    closed = refused((A, SMALL, SPOT))
    launches = plan_launches(4, (), Policy(spot_percent=50), closed, NOW)
    assert [(launch.zone, launch.lifecycle) for launch in launches] == [
        (B, SPOT),
        (B, SPOT),
        (A, ON_DEMAND),
        (A, ON_DEMAND),
    ]


@pytest.mark.parametrize(
    ("ago", "zone"),
    [
        pytest.param(0, B, id="just-now"),
        pytest.param(599, B, id="599-s-ago"),
        pytest.param(600, A, id="600-s-ago-it-is-asked-again"),
    ],
)
def test_a_refusal_is_forgotten(ago: float, zone: str) -> None:
    closed = refused((A, SMALL, SPOT), ago=ago)
    assert plan_launches(1, (), Policy(spot_percent=100), closed, NOW)[0].zone == zone


def test_how_long_a_refusal_counts_is_the_policys() -> None:
    pools = refused((A, SMALL, SPOT), ago=100)
    assert recently_refused(pools, Policy(refused_pool_seconds=101), NOW) == {(A, SMALL, SPOT)}
    assert recently_refused(pools, Policy(refused_pool_seconds=100), NOW) == set()


@pytest.mark.parametrize(
    ("count", "desired", "existing", "percent", "spot"),
    [
        pytest.param(2, 4, 1, 70, 1, id="what-is-missing"),
        pytest.param(2, 9, 1, 70, 2, id="never-more-than-are-launched"),
        pytest.param(2, 4, 4, 70, 0, id="never-negative"),
        pytest.param(1, 10, 6, 70, 1, id="a-whole-share-is-not-rounded-away"),
        pytest.param(29, 29, 0, 57, 16, id="16.53-is-16"),
        pytest.param(100, 100, 0, 29, 29, id="29-percent-of-100-is-29-where-floats-would-say-28.99"),
    ],
)
def test_spot_deficit(count: int, desired: int, existing: int, percent: int, spot: int) -> None:
    assert spot_to_launch(count, desired, existing, percent) == spot


def test_workers_by_zone_lists_every_zone_of_the_policy_and_no_other() -> None:
    elsewhere = Worker.from_dict(worker("far", zone="eu-west-1a"))
    here = Worker.from_dict(worker("near", zone=B))
    assert workers_by_zone([here, elsewhere], Policy()) == {A: 0, B: 1}
