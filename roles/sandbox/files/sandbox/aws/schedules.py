"""When a rule's schedule fires next: rate(...) and cron(...) of EventBridge, in UTC. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
CRON = re.compile(r"cron\((.*)\)")
SECONDS = {"minute": 60.0, "hour": 3600.0, "day": 86400.0}
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]  # EventBridge counts from 1
LOOK_AHEAD_DAYS = 366


def next_firing(schedule: str, now: float) -> float | None:
    """Epoch seconds after `now`; None if it never fires within a year. A rate counts from when it was set."""
    if match := RATE.fullmatch(schedule.strip()):
        return now + int(match[1]) * SECONDS[match[2]]
    if match := CRON.fullmatch(schedule.strip()):
        return _next_of_cron(match[1].split(), now)
    raise ValueError(f"schedule {schedule!r} is neither rate(...) nor cron(...)")


def _next_of_cron(fields: list[str], now: float) -> float | None:
    if len(fields) != 6:
        raise ValueError(f"cron has six fields, not {len(fields)}: {' '.join(fields)}")
    minutes = sorted(_values(fields[0], 0, 59))
    hours = sorted(_values(fields[1], 0, 23))
    days, months = _values(fields[2], 1, 31), _values(fields[3], 1, 12, MONTHS)
    weekdays, years = _values(fields[4], 1, 7, DAYS), _values(fields[5], 1970, 2199)
    start = datetime.fromtimestamp(now, UTC)
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    for offset in range(LOOK_AHEAD_DAYS):
        day = midnight + timedelta(days=offset)
        weekday = day.isoweekday() % 7 + 1
        if day.year not in years or day.month not in months or day.day not in days or weekday not in weekdays:
            continue
        for hour in hours:
            for minute in minutes:
                moment = day.replace(hour=hour, minute=minute)
                if moment > start:
                    return moment.timestamp()
    return None


def _values(field: str, low: int, high: int, names: list[str] | None = None) -> set[int]:
    """`*`, `?`, numbers, names, ranges, lists and steps; L, W and # are refused rather than misread."""
    chosen: set[int] = set()
    for part in field.upper().split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if span in ("*", "?"):
            begin, end = low, high
        else:
            begin = _number(first, low, names)
            end = _number(last, low, names) if last else (high if step else begin)
        chosen.update(range(begin, end + 1, int(step) if step else 1))
    return {value for value in chosen if low <= value <= high}


def _number(text: str, low: int, names: list[str] | None) -> int:
    if names and text in names:
        return names.index(text) + low
    if not text.isdigit():
        raise ValueError(f"cron field {text!r} is not supported by the sandbox")
    return int(text)
