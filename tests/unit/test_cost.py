"""The README's own figures, and the arithmetic behind them."""

from __future__ import annotations

from math import floor

import pytest

from fleet.cost import PRICES, Cost, Price, cost_of, fixed_fleet, savings
from fleet.errors import FleetError
from fleet.model import Lifecycle

SMALL = PRICES["t3.small"]
SPOT, ON_DEMAND = ("t3.small", Lifecycle.SPOT), ("t3.small", Lifecycle.ON_DEMAND)


def test_hour_of_a_worker_at_70_percent_spot() -> None:
    """Exactly 0.01186 USD; the README cuts it off after the fourth digit."""
    hourly = SMALL.mixed(70)
    assert hourly == pytest.approx(0.01186)
    assert floor(hourly * 10_000) / 10_000 == 0.0118


def test_70_percent_spot_is_49_percent_cheaper() -> None:
    assert round(savings(Cost(SMALL.mixed(70)), Cost(SMALL.on_demand)).percent) == 49


def test_month_of_five_on_demand_workers() -> None:
    assert round(fixed_fleet(5).monthly, 2) == 83.52


def test_spot_is_70_percent_cheaper() -> None:
    assert round(savings(Cost(SMALL.spot), Cost(SMALL.on_demand)).percent) == 70


@pytest.mark.parametrize(
    ("percent", "hourly"),
    [
        pytest.param(0, 0.0232, id="no-spot"),
        pytest.param(50, 0.0151, id="half-spot"),
        pytest.param(100, 0.0070, id="only-spot"),
    ],
)
def test_mixed_price(percent: float, hourly: float) -> None:
    assert SMALL.mixed(percent) == pytest.approx(hourly)


@pytest.mark.parametrize(
    ("mix", "hourly"),
    [
        pytest.param([], 0.0, id="no-workers"),
        pytest.param([SPOT], 0.0070, id="a-spot-worker"),
        pytest.param([ON_DEMAND], 0.0232, id="an-on-demand-worker"),
        pytest.param([SPOT] * 7 + [ON_DEMAND] * 3, 0.1186, id="ten-workers-in-the-wanted-mix"),
    ],
)
def test_hour_of_a_fleet(mix: list[tuple[str, Lifecycle]], hourly: float) -> None:
    assert cost_of(mix).hourly == pytest.approx(hourly)


def test_day_and_month_follow_from_the_hour() -> None:
    cost = Cost(0.5)
    assert (cost.daily, cost.monthly) == (12.0, 360.0)


def test_prices_may_be_given() -> None:
    prices = {"m7g.large": Price(on_demand=0.2, spot=0.05)}
    assert cost_of([("m7g.large", Lifecycle.SPOT)], prices).hourly == 0.05
    assert fixed_fleet(3, "m7g.large", prices).hourly == pytest.approx(0.6)


def test_an_unknown_price_is_no_zero() -> None:
    with pytest.raises(FleetError, match=r"no price for instance type x9\.huge: known are t3\.small"):
        cost_of([SPOT, ("x9.huge", Lifecycle.SPOT)])


@pytest.mark.parametrize(
    ("actual", "fixed", "saved", "percent"),
    [
        pytest.param(1.0, 4.0, 3.0, 75.0, id="cheaper"),
        pytest.param(4.0, 4.0, 0.0, 0.0, id="equal"),
        pytest.param(5.0, 4.0, -1.0, -25.0, id="dearer-is-a-loss"),
        pytest.param(1.0, 0.0, -1.0, 0.0, id="against-nothing-there-is-no-share"),
    ],
)
def test_savings(actual: float, fixed: float, saved: float, percent: float) -> None:
    found = savings(Cost(actual), Cost(fixed))
    assert (found.cost.hourly, found.percent) == (saved, percent)
