"""Faults on demand: what is to go wrong, for whom, and how often.

A fault that stands (no capacity, quota, price, throttling, a killed Lambda) is asked for by the part it
concerns; one that happens at once (Spot notice, rebalance advice) is carried out when it is put.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

STANDING: dict[str, dict[str, type | tuple[type, ...]]] = {
    "no_capacity": {"zone": str, "instance_type": str, "lifecycle": str},
    "quota_reached": {"lifecycle": str, "limit": int},
    "price_too_low": {"zone": str, "instance_type": str, "minimum": (int, float)},
    "throttle": {"service": str, "action": str},
    "lambda_kill": {"function": str, "after_seconds": (int, float)},
    "clock_skew": {"function": str, "seconds": (int, float)},
}
AT_ONCE: dict[str, dict[str, type | tuple[type, ...]]] = {
    "spot_notice": {"instance_id": str, "seconds": (int, float)},
    "rebalance": {"instance_id": str},
}
REQUIRED = {
    "price_too_low": {"minimum"},
    "clock_skew": {"seconds"},
    "spot_notice": {"instance_id"},
    "rebalance": {"instance_id"},
}
LIFECYCLES = ("spot", "on-demand")


class UnknownFaultError(ValueError):
    """Lists everything that is wrong with a fault that was put, so that one look is enough."""


@dataclass
class Fault:
    id: str
    kind: str
    where: dict[str, Any] = field(default_factory=dict)
    times: int | None = None
    happened: int = 0

    def concerns(self, **situation: Any) -> bool:
        """A field that the fault does not name matches everything."""
        return all(name not in self.where or self.where[name] == value for name, value in situation.items())


class Faults:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._standing: dict[str, Fault] = {}
        self._numbers = itertools.count(1)
        self._carriers: dict[str, Callable[[dict[str, Any]], None]] = {}

    def carry_out_with(self, kind: str, carrier: Callable[[dict[str, Any]], None]) -> None:
        """The part that can do it registers here; it raises UnknownFaultError for an unfit instance."""
        self._carriers[kind] = carrier

    def put(self, wish: dict[str, Any]) -> Fault:
        kind, times = wish.get("kind"), wish.get("times")
        where = {name: value for name, value in wish.items() if name not in ("kind", "times", "id")}
        _check(kind, where, times)
        fault = Fault(str(wish.get("id") or f"{kind}-{next(self._numbers)}"), str(kind), where, times)
        if kind in AT_ONCE:
            self._carriers[str(kind)](where)
            fault.happened = 1
            return fault
        with self._lock:
            self._standing[fault.id] = fault
        return fault

    def remove(self, fault_id: str | None = None) -> int:
        with self._lock:
            gone = [name for name in self._standing if fault_id in (None, name)]
            for name in gone:
                del self._standing[name]
            return len(gone)

    def standing(self) -> list[dict[str, Any]]:
        with self._lock:
            return [asdict(fault) for fault in self._standing.values()]

    def first(self, kind: str, **situation: Any) -> Fault | None:
        """The first fault of that kind that concerns the situation; does not use it up."""
        with self._lock:
            faults = [fault for fault in self._standing.values() if fault.kind == kind]
        return next((fault for fault in faults if fault.concerns(**situation)), None)

    def use(self, fault: Fault) -> None:
        """It has happened once more; the last time of `times` removes it."""
        with self._lock:
            fault.happened += 1
            if fault.times is not None and fault.happened >= fault.times:
                self._standing.pop(fault.id, None)


def _check(kind: Any, where: dict[str, Any], times: Any) -> None:
    fields = {**STANDING, **AT_ONCE}.get(kind)
    if fields is None:
        raise UnknownFaultError(f"kind: {kind!r} is none of {', '.join([*STANDING, *AT_ONCE])}")
    problems = [f"{name}: {kind} has {', '.join(fields)}" for name in where if name not in fields]
    problems += [
        f"{name}: {where[name]!r} is not a {expected}"
        for name, expected in fields.items()
        if name in where and (not isinstance(where[name], expected) or isinstance(where[name], bool))
    ]
    problems += [f"{name}: missing" for name in sorted(REQUIRED.get(kind, set()) - where.keys())]
    if where.get("lifecycle", "spot") not in LIFECYCLES:
        problems.append(f"lifecycle: {where['lifecycle']!r} is none of {', '.join(LIFECYCLES)}")
    if times is not None and (not isinstance(times, int) or isinstance(times, bool) or times < 1):
        problems.append(f"times: {times!r} is not a whole number above 0")
    if problems:
        raise UnknownFaultError("; ".join(problems))
