"""The sale's numbers: load curve, replicas, and time that runs faster."""

from __future__ import annotations

import pytest

from sandbox.demo.pace import LOOK_SECONDS, Pace, clock_face
from sandbox.demo.quantities import quantity
from sandbox.demo.sale import Autoscaling, Sale

SALE = Sale(quiet=1.5, factor=5, rises_at=300, full_at=660, falls_at=1680, over_at=2040)


@pytest.mark.parametrize(
    ("second", "times"),
    [(0, 1), (300, 1), (480, 3), (660, 5), (1200, 5), (1680, 5), (1860, 3), (2040, 1), (9000, 1)],
)
def test_load_rises_fivefold_and_falls(second: float, times: float) -> None:
    assert SALE.times(second) == pytest.approx(times)
    assert SALE.demand(second) == pytest.approx(1.5 * times)


@pytest.mark.parametrize(
    ("second", "replicas"),
    [
        pytest.param(0, 8, id="quiet"),
        pytest.param(480, 23, id="rising-at-once"),
        pytest.param(660, 38, id="full"),
        pytest.param(1680 + 299, 38, id="falling-load-but-the-window-remembers"),
        pytest.param(2040, 33, id="over-but-the-window-remembers"),
        pytest.param(2040 + 301, 8, id="quiet-again"),
    ],
)
def test_replicas_follow_as_an_hpa_would(second: float, replicas: int) -> None:
    assert Autoscaling().replicas(SALE, second) == replicas


def test_replicas_stay_within_limits() -> None:
    assert Autoscaling(least=4).wanted(0.0) == 4
    assert Autoscaling(most=60).wanted(1000.0) == 60


def test_one_look_is_two_minutes_of_the_policy_at_any_speed() -> None:
    for speed in (1.0, 12.0, 60.0):
        pace = Pace(speed, began_wall=1000.0, began_epoch=1_700_000_000.0)
        first, second = (pace.wall(LOOK_SECONDS * number) for number in (1, 2))
        assert second - first == pytest.approx(LOOK_SECONDS / speed)
        assert pace.epoch(second) - pace.epoch(first) == pytest.approx(LOOK_SECONDS)


@pytest.mark.parametrize(
    ("speed", "scrape", "window"), [(1, 15, "120s"), (12, 1, "10s"), (60, 1, "4s")], ids=["real", "demo", "fastest"]
)
def test_query_window_shrinks_with_speed_but_holds_samples(speed: float, scrape: int, window: str) -> None:
    assert Pace(speed, 0, 0).query_window(scrape) == window


def test_clock_face() -> None:
    assert [clock_face(second) for second in (0, 119.6, 3600)] == ["00:00", "02:00", "60:00"]


@pytest.mark.parametrize(
    ("text", "number"), [("250m", 0.25), ("2", 2.0), (0, 0.0), ("128Mi", 128 * 2**20), ("2G", 2e9), ("1.5", 1.5)]
)
def test_quantity(text: str | int, number: float) -> None:
    assert quantity(text) == pytest.approx(number)


def test_nonsense_is_no_quantity() -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        quantity("3Kim")
