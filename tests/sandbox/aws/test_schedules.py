"""When a schedule fires next."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sandbox.aws.schedules import next_firing  # after the path to it

NOW = datetime(2026, 11, 18, 15, 7, 30, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("rate(2 minutes)", "2026-11-18 15:09:30"),
        ("rate(1 hour)", "2026-11-18 16:07:30"),
        ("cron(* * * * ? *)", "2026-11-18 15:08:00"),
        ("cron(0/2 * * * ? *)", "2026-11-18 15:08:00"),
        ("cron(0 9 * * ? *)", "2026-11-19 09:00:00"),
        ("cron(0 9 ? * MON-FRI *)", "2026-11-19 09:00:00"),
        ("cron(30 8 ? * SUN *)", "2026-11-22 08:30:00"),
        ("cron(0 0 1 JAN ? 2027)", "2027-01-01 00:00:00"),
    ],
)
def test_next_firing(schedule: str, expected: str) -> None:
    moment = next_firing(schedule, NOW.timestamp())
    assert moment is not None
    assert datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S") == expected


def test_a_year_that_is_over_never_fires() -> None:
    assert next_firing("cron(0 0 1 1 ? 2020)", NOW.timestamp()) is None


@pytest.mark.parametrize("schedule", ["every minute", "cron(* * *)", "cron(0 0 L * ? *)"])
def test_what_is_not_understood_is_refused(schedule: str) -> None:
    with pytest.raises(ValueError, match=r"schedule|cron"):
        next_firing(schedule, NOW.timestamp())
