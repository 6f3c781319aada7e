"""The hypervisor's own kinds of fault, their fields, and what is allowed in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NUMBER: tuple[type, ...] = (int, float)
PROMETHEUS_MODES = ("down", "slow", "empty", "stale")
COMMON = ("kind", "id", "times", "for_seconds")


@dataclass(frozen=True)
class Kind:
    fields: Mapping[str, type | tuple[type, ...]]
    required: tuple[str, ...] = ()
    has_times: bool = True


OWN: Mapping[str, Kind] = {
    "join_never": Kind({"zone": str, "instance_type": str, "instance_id": str}),
    "slow_boot": Kind({"zone": str, "instance_type": str, "factor": NUMBER, "seconds": NUMBER}),
    "prometheus": Kind({"mode": str, "delay_seconds": NUMBER}, required=("mode",)),
    "api_server_down": Kind({}, has_times=False),
}


class BadFaultError(ValueError):
    """One sentence: the field, the value it had, and what is allowed."""


def check_own(wish: Mapping[str, Any]) -> None:
    name = str(wish["kind"])
    kind = OWN[name]
    for field, value in wish.items():
        if field not in COMMON:
            _check_field(name, field, value)
    for field in kind.required:
        if field not in wish:
            raise BadFaultError(f"{field}: missing, and {name} needs it")
    if name == "slow_boot" and not {"factor", "seconds"} & wish.keys():
        raise BadFaultError("factor: missing, and slow_boot needs a factor or seconds")
    if name == "prometheus" and wish["mode"] not in PROMETHEUS_MODES:
        raise BadFaultError(f"mode: {wish['mode']!r} is none of {', '.join(PROMETHEUS_MODES)}")
    if not kind.has_times and "times" in wish:
        raise BadFaultError(f"times: {wish['times']!r} is not for {name}, which ends by for_seconds or by DELETE")


def _check_field(name: str, field: str, value: Any) -> None:
    kind = OWN[name]
    if field not in kind.fields:
        allowed = ", ".join([*kind.fields, *COMMON[2 if kind.has_times else 3 :]])
        raise BadFaultError(f"{field}: {value!r} is not for {name}, which has {allowed}")
    expected = kind.fields[field]
    if not isinstance(value, expected) or isinstance(value, bool):
        raise BadFaultError(f"{field}: {value!r} is not a {'number' if expected is NUMBER else 'text'}")
    if isinstance(value, (int, float)) and not value >= 0:
        raise BadFaultError(f"{field}: {value!r} is not a number of 0 or more")


def check_limits(wish: Mapping[str, Any]) -> None:
    times, seconds = wish.get("times", 1), wish.get("for_seconds", 1)
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        raise BadFaultError(f"times: {times!r} is not a whole number above 0")
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool) or not seconds > 0:
        raise BadFaultError(f"for_seconds: {seconds!r} is not a number above 0")
