"""Demand of the next hour of day, from the same hour of the days before."""

from __future__ import annotations

import pytest

from fleet.forecast import Forecast, next_hour
from fleet.model import Demand

DAY, HOUR, MINUTE = 86_400, 3600, 60
# 20:55 of some day; the hour that is asked for begins at 21:00.
NINE = 20_000 * DAY + 21 * HOUR
NOW = NINE - 5 * MINUTE


def at(days_ago: int, minute: float, workers: float | None) -> Demand:
    """Demand so many minutes after 21:00."""
    return Demand(NINE - days_ago * DAY + minute * MINUTE, workers)


NOTHING = Forecast(0.0, 0.0, 0, 0)


@pytest.mark.parametrize(
    ("demand", "mean", "days", "points"),
    [
        pytest.param([at(1, 10, 2.0)], 2.0, 1, 1, id="yesterday"),
        pytest.param([at(1, 10, 2.0), at(2, 10, 4.0)], 3.0, 2, 2, id="two-days"),
        pytest.param(
            [at(1, 0, 1.0), at(1, 20, 1.0), at(1, 40, 1.0), at(2, 30, 3.0)],
            2.0,
            2,
            4,
            id="each-day-counts-once-however-many-points-it-has",
        ),
        pytest.param([at(1, 0, 1.0), at(1, 30, 3.0)], 2.0, 1, 2, id="a-day-is-the-mean-of-its-points"),
        pytest.param([at(day, 5, float(day)) for day in range(1, 8)], 4.0, 7, 7, id="seven-days"),
        pytest.param([at(day, 5, float(day)) for day in range(1, 15)], 4.0, 7, 7, id="the-eighth-day-is-too-long-ago"),
        pytest.param([at(7, 0, 5.0)], 5.0, 1, 1, id="to-the-second-seven-days-ago"),
        pytest.param([at(1, 0, 5.0)], 5.0, 1, 1, id="the-hour's-first-second"),
        pytest.param([at(1, 59.99, 5.0)], 5.0, 1, 1, id="the-hour's-last-second"),
        pytest.param([at(1, 60, 5.0)], 0.0, 0, 0, id="an-hour-later"),
        pytest.param([at(1, -1, 5.0)], 0.0, 0, 0, id="an-hour-earlier"),
        pytest.param([at(0, -10, 5.0)], 0.0, 0, 0, id="the-present-hour"),
        pytest.param([at(0, 10, 5.0)], 0.0, 0, 0, id="the-future"),
        pytest.param([], 0.0, 0, 0, id="nothing-known"),
    ],
)
def test_next_hour(demand: list[Demand], mean: float, days: int, points: int) -> None:
    forecast = next_hour(demand, NOW, 7)
    assert (forecast.mean, forecast.days, forecast.points) == (pytest.approx(mean), days, points)


@pytest.mark.parametrize(
    ("now", "mean"),
    [
        pytest.param(NINE - 1, 9.0, id="20:59:59-asks-for-21:00"),
        pytest.param(NINE - HOUR, 9.0, id="20:00:00-asks-for-21:00"),
        pytest.param(NINE, 3.0, id="21:00:00-asks-for-22:00"),
    ],
)
def test_which_hour_is_next(now: float, mean: float) -> None:
    assert next_hour([at(1, 30, 9.0), at(1, 90, 3.0)], now, 7).mean == mean


def test_midnight_belongs_to_the_next_day() -> None:
    midnight = 20_001 * DAY
    demand = [Demand(midnight - DAY + 60, 6.0), Demand(midnight - DAY - 60, 1.0)]
    assert next_hour(demand, midnight - 300, 7).mean == 6.0


@pytest.mark.parametrize(
    ("values", "upper"),
    [
        pytest.param([2.0], 2.0, id="one-day-has-no-spread"),
        pytest.param([2.0, 2.0, 2.0], 2.0, id="equal-days-have-no-spread"),
        # mean 2, deviation of the sample 1
        pytest.param([1.0, 2.0, 3.0], 3.645, id="1.645-deviations-above-the-mean"),
        # mean 3, deviation of the sample sqrt 2
        pytest.param([2.0, 4.0], 5.326, id="two-days"),
    ],
)
def test_upper_band(values: list[float], upper: float) -> None:
    forecast = next_hour([at(day, 0, value) for day, value in enumerate(values, 1)], NOW, 7)
    assert forecast.upper == pytest.approx(upper, abs=0.001)


def test_no_data_is_no_demand() -> None:
    assert next_hour([], NOW, 7) == NOTHING


@pytest.mark.parametrize(
    ("demand", "forecast"),
    [
        pytest.param([at(1, 0, None)], Forecast(0.0, 0.0, 0, 0, 1), id="alone-it-is-no-data"),
        pytest.param([at(1, 0, 4.0), at(1, 20, None)], Forecast(4.0, 4.0, 1, 1, 1), id="it-does-not-lower-its-day"),
        pytest.param([at(1, 0, 4.0), at(2, 0, None)], Forecast(4.0, 4.0, 1, 1, 1), id="its-day-does-not-count"),
        pytest.param(
            [at(1, 60, None), at(9, 0, None)], Forecast(0.0, 0.0, 0, 0, 0), id="of-other-hours-it-is-no-matter"
        ),
    ],
)
def test_an_unmeasured_point_is_no_zero(demand: list[Demand], forecast: Forecast) -> None:
    assert next_hour(demand, NOW, 7) == forecast


def test_order_of_the_points_does_not_matter() -> None:
    demand = [at(day, minute, day * 0.1 + minute) for day in (1, 2, 3) for minute in (0, 20, 40)]
    forward, backward = next_hour(demand, NOW, 7), next_hour(demand[::-1], NOW, 7)
    assert forward.mean == pytest.approx(backward.mean)
    assert (forward.days, forward.points) == (backward.days, backward.points) == (3, 9)
