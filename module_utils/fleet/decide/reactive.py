"""Layer one: pending pods, CPU and memory of the fleet."""

from __future__ import annotations

from ..model import Reading, Rule
from ..policy import Policy
from .sustained import Threshold


def pending_above_zero(for_seconds: float) -> Threshold:
    return Threshold(Rule.PENDING_PODS, "pending pods", "pending_pods", 0, True, for_seconds, _pending)


def cpu_above(policy: Policy) -> Threshold:
    return _cpu(policy.cpu_up_percent, True, policy.cpu_up_for_seconds)


def cpu_below(policy: Policy) -> Threshold:
    return _cpu(policy.cpu_down_percent, False, policy.cpu_down_for_seconds)


def memory_above(policy: Policy) -> Threshold:
    return _memory(policy.memory_up_percent, True, policy.memory_up_for_seconds)


def memory_below(policy: Policy) -> Threshold:
    return _memory(policy.memory_down_percent, False, policy.memory_down_for_seconds)


def _cpu(limit: float, is_above: bool, for_seconds: float) -> Threshold:
    value_of = _cpu_percent
    return Threshold(Rule.CPU, "CPU", "cpu_percent", limit, is_above, for_seconds, value_of, " %")


def _memory(limit: float, is_above: bool, for_seconds: float) -> Threshold:
    value_of = _memory_percent
    return Threshold(Rule.MEMORY, "memory", "memory_percent", limit, is_above, for_seconds, value_of, " %")


def _pending(reading: Reading) -> float | None:
    return reading.pending_pods


def _cpu_percent(reading: Reading) -> float | None:
    return reading.cpu_percent


def _memory_percent(reading: Reading) -> float | None:
    return reading.memory_percent
