"""Fields of a policy that are each allowed, but not together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .errors import Problem, shown
from .model import Direction, Rule

if TYPE_CHECKING:
    from .policy import CustomRule, Policy

Found = tuple[Problem, set[str]]


def contradictions(policy: Policy) -> Iterator[Found]:
    """Each problem, with the fields that it concerns."""
    for name, other, is_wrong, words in _PAIRS:
        first, second = getattr(policy, name), getattr(policy, other)
        if first is not None and second is not None and is_wrong(first, second):
            yield Problem(name, shown(first), f"{words} {other}, which is {shown(second)}"), {name, other}
    for path, seconds in windows(policy):
        if 0 < seconds < policy.interval_seconds:
            allowed = f"0 (at once) or at least interval_seconds, which is {shown(policy.interval_seconds)}"
            problem = Problem(path, shown(seconds), f"{allowed}: a shorter window never holds two readings")
            yield problem, {path.split("[")[0], "interval_seconds"}
    for name in ("zones", "instance_types"):
        listed = getattr(policy, name)
        if not listed or len(set(listed)) < len(listed):
            yield (
                Problem(name, ", ".join(listed) or "empty", "a list of one or more names, each once"),
                {name},
            )
    for problem in _custom_rule_problems(policy.custom_rules):
        yield problem, {"custom_rules"}


def windows(policy: Policy) -> Iterator[tuple[str, float]]:
    """Everything that must hold for a while, with its path."""
    for each in fields(policy):
        if each.name.endswith("for_seconds") or each.name == "pending_stuck_seconds":
            yield each.name, getattr(policy, each.name)
    for index, rule in enumerate(policy.custom_rules):
        yield f"custom_rules[{index}].for_seconds", rule.for_seconds


def _custom_rule_problems(rules: tuple[CustomRule, ...]) -> Iterator[Problem]:
    limits: dict[tuple[str, Direction], float] = {}
    for index, rule in enumerate(rules):
        path = f"custom_rules[{index}]"
        if rule.name in RESERVED or (rule.name, rule.direction) in BUILT_IN:
            yield Problem(f"{path}.name", shown(rule.name), "a name that no built-in rule has")
        if (rule.name, rule.direction) in limits:
            yield Problem(f"{path}.name", shown(rule.name), f"given once for direction {rule.direction}")
        limits[rule.name, rule.direction] = rule.threshold
        up = limits.get((rule.name, Direction.UP))
        if rule.direction is Direction.DOWN and up is not None and rule.threshold >= up:
            yield Problem(
                f"{path}.threshold", shown(rule.threshold), f"below that of direction up, which is {shown(up)}"
            )


RESERVED = frozenset({rule.value for rule in Rule} | {"low_load"})
# A metric of ours may be given the direction that we do not use ourselves.
BUILT_IN = frozenset(
    {(name, Direction.UP) for name in ("queue_depth", "latency_p95_ms", "error_rate_percent", "request_rate")}
    | {("queue_depth", Direction.DOWN)}
)


def _above(first: float, second: float) -> bool:
    return first > second


def _not_below(first: float, second: float) -> bool:
    return first >= second


_PAIRS: tuple[tuple[str, str, Callable[[Any, Any], bool], str], ...] = (
    ("min_workers", "max_workers", _above, "at most"),
    ("cpu_down_percent", "cpu_up_percent", _not_below, "below"),
    ("memory_down_percent", "memory_up_percent", _not_below, "below"),
    ("queue_depth_down", "queue_depth_up", _not_below, "below"),
    ("predictive_min_days", "predictive_days", _above, "at most"),
)
