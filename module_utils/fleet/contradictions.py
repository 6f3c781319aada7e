"""Fields of a policy that are each allowed, but not together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .errors import Problem, shown
from .model import Rule

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
    for problem in _custom_rule_names(policy.custom_rules):
        yield problem, {"custom_rules"}


def windows(policy: Policy) -> Iterator[tuple[str, float]]:
    """Every `…for_seconds` of the policy, with its path."""
    for each in fields(policy):
        if each.name.endswith("for_seconds"):
            yield each.name, getattr(policy, each.name)
    for index, rule in enumerate(policy.custom_rules):
        yield f"custom_rules[{index}].for_seconds", rule.for_seconds


def _custom_rule_names(rules: tuple[CustomRule, ...]) -> Iterator[Problem]:
    reserved = {rule.value for rule in Rule}
    seen = set()
    for index, rule in enumerate(rules):
        path = f"custom_rules[{index}].name"
        if rule.name in reserved:
            yield Problem(path, shown(rule.name), "a name that no built-in rule has")
        if (rule.name, rule.direction) in seen:
            yield Problem(path, shown(rule.name), f"given once for direction {rule.direction.value}")
        seen.add((rule.name, rule.direction))


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
