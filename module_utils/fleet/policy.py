"""Every threshold, window, limit and name of a fleet, with its default, its limits and its environment variable.

A policy is checked as a whole: whoever gives a wrong one is told of every problem at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Annotated, Any, Self, get_type_hints

from .codec import Between, Value, decoder_for, unknown_fields
from .contradictions import contradictions, windows
from .environment import read_text
from .errors import InputError, Problem, refusal
from .model import Amount, Capacity, Direction, Name

Workers = Annotated[int, Between(0, 10_000)]
Step = Annotated[int, Between(1, 100)]
Percent = Annotated[float, Between(0, 100)]
Seconds = Annotated[float, Between(0, 604_800)]
Positive = Annotated[float, Between(1, 86_400)]
Price = Annotated[float, Between(0, 1_000)]
Tries = Annotated[int, Between(0, 10)]
Days = Annotated[int, Between(1, 60)]
Minute = Annotated[int, Between(0, 59)]
WholePercent = Annotated[int, Between(0, 100)]


class Profile(StrEnum):
    CLASSIC = "classic"
    ADAPTIVE = "adaptive"


class Sizing(StrEnum):
    STEP = "step"
    FIT = "fit"


class RemovalOrder(StrEnum):
    BALANCED = "balanced"
    OLDEST = "oldest"


class OnJoinFailure(StrEnum):
    TERMINATE = "terminate"
    QUARANTINE = "quarantine"


class DrainMethod(StrEnum):
    EVICTION = "eviction"
    SSM = "ssm"


class JoinSource(StrEnum):
    SECRETS_MANAGER = "secrets_manager"
    SSM = "ssm"


class QuerySet(StrEnum):
    NODE_EXPORTER = "node_exporter"
    CADVISOR = "cadvisor"


class PendingQuery(StrEnum):
    UNSCHEDULABLE = "unschedulable"
    PHASE = "phase"


@dataclass(frozen=True, slots=True)
class CustomRule(Value):
    """A metric of the user's own. Up: above the threshold for that long adds a worker. Down: a worker may only go
    while the metric is below the threshold for that long."""

    name: Name
    threshold: float
    for_seconds: Seconds = 0
    direction: Direction = Direction.UP
    query: str = ""


def _of(default: Any, meaning: str, env: str = "") -> Any:
    """A field of the policy; `env` only where the variable is not simply the field's name in capitals."""
    return field(default=default, metadata={"meaning": meaning, "env": env})


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy(Value):
    """Values of profile `classic` are the defaults; a field that is given wins over its profile."""

    profile: Profile = _of(Profile.CLASSIC, "starting values: classic, or adaptive (sizing: fit)")

    min_workers: Workers = _of(2, "fewest workers, the master not counted", "MIN_NODES")
    max_workers: Workers = _of(10, "most workers", "MAX_NODES")
    initial_workers: Workers = _of(
        2, "workers at the first start, in different zones; held within min and max", "INITIAL_NODES"
    )
    sizing: Sizing = _of(Sizing.STEP, "step: fixed steps; fit: as many workers as the pending pods' requests need")
    scale_up_step: Step = _of(1, "workers added at a time")
    urgent_step: Step = _of(2, "workers added at a time when it is urgent; never fewer than scale_up_step")
    max_step: Step = _of(8, "most workers added at a time under sizing fit")
    scale_down_step: Step = _of(1, "workers removed at a time")

    interval_seconds: Positive = _of(120, "how often the fleet is looked at")
    cpu_up_percent: Percent = _of(70, "CPU above this adds a worker", "SCALE_UP_THRESHOLD_CPU")
    cpu_up_for_seconds: Seconds = _of(180, "for so long")
    cpu_down_percent: Percent = _of(30, "CPU below this lets a worker go", "SCALE_DOWN_THRESHOLD_CPU")
    cpu_down_for_seconds: Seconds = _of(600, "for so long")
    memory_up_percent: Percent = _of(75, "memory above this adds a worker", "SCALE_UP_THRESHOLD_MEMORY")
    memory_up_for_seconds: Seconds = _of(180, "for so long")
    memory_down_percent: Percent = _of(50, "memory below this lets a worker go", "SCALE_DOWN_THRESHOLD_MEMORY")
    memory_down_for_seconds: Seconds = _of(600, "for so long")
    pending_for_seconds: Seconds = _of(0, "unschedulable pods add a worker after so long; 0 is at once")
    pending_stuck_seconds: Seconds = _of(300, "pods that fit by their requests and still wait so long raise an alert")
    urgent_pending_pods: Workers = _of(5, "more pending pods than this are urgent")
    urgent_cpu_percent: Percent = _of(85, "CPU above this is urgent")

    queue_depth_up: Amount | None = _of(1000, "queue depth above this adds a worker; null is off")
    queue_depth_up_for_seconds: Seconds = _of(0, "for so long")
    queue_depth_down: Amount | None = _of(100, "a worker may go only while the queue is below this; null is off")
    queue_depth_down_for_seconds: Seconds = _of(600, "for so long")
    latency_p95_up_ms: Amount | None = _of(2000, "95th percentile latency above this adds a worker; null is off")
    latency_p95_up_for_seconds: Seconds = _of(0, "for so long")
    error_rate_up_percent: Percent | None = _of(5, "share of failed requests above this adds a worker; null is off")
    error_rate_up_for_seconds: Seconds = _of(120, "for so long")
    request_rate_up: Amount | None = _of(
        None, "requests a second above this add a worker; off until set (1000 is usual)"
    )
    request_rate_up_for_seconds: Seconds = _of(0, "for so long")
    custom_rules: tuple[CustomRule, ...] = _of(
        (), "rules on metrics of your own: name, query, threshold, for_seconds, direction"
    )

    enable_predictive: bool = _of(
        True, "add a worker before an hour that was busy on earlier days", "ENABLE_PREDICTIVE_SCALING"
    )
    predictive_from_minute: Minute = _of(50, "minute of the hour from which the next hour is looked at")
    predictive_percent: Percent = _of(70, "forecast demand above this share of today's workers adds one")
    predictive_days: Days = _of(7, "days of history looked at")
    predictive_min_days: Days = _of(3, "days of history needed")

    cooldown_up_seconds: Seconds = _of(300, "no scale-up so soon after a completed scale-up", "COOLDOWN_SCALE_UP")
    cooldown_down_seconds: Seconds = _of(600, "no scale-down so soon after any completed action", "COOLDOWN_SCALE_DOWN")
    removal_order: RemovalOrder = _of(
        RemovalOrder.BALANCED, "balanced: fullest zone, idlest, fewest pods, oldest; or oldest"
    )

    spot_percent: WholePercent = _of(70, "share of Spot workers wanted, rounded down", "SPOT_PERCENTAGE")
    max_price: Price = _of(0.02, "highest Spot price in USD an hour")
    refused_pool_seconds: Seconds = _of(600, "how long a pool without capacity is left out")
    instance_types: tuple[Name, ...] = _of(("t3.small",), "instance types in the order in which they are tried")
    instance_capacity: dict[str, Capacity] = field(
        default_factory=dict,
        metadata={
            "meaning": "what a new worker of a type offers to pods; without it, what workers of that type show",
            "env": "",
        },
    )
    zones: tuple[Name, ...] = _of(("ap-southeast-1a", "ap-southeast-1b"), "zones that workers are spread over")

    join_timeout_seconds: Seconds = _of(300, "a new worker must be Ready after so long")
    on_join_failure: OnJoinFailure = _of(OnJoinFailure.TERMINATE, "terminate, or quarantine: tag it and keep it")
    join_source: JoinSource = _of(JoinSource.SECRETS_MANAGER, "where workers find the join token")
    drain_timeout_seconds: Seconds = _of(300, "a drain must be over after so long")
    drain_method: DrainMethod = _of(DrainMethod.EVICTION, "eviction through the API, or kubectl on the master by ssm")
    lock_seconds: Positive = _of(360, "how long the lock is held at most")
    stuck_after_seconds: Positive = _of(900, "an operation older than this has failed")
    prometheus_timeout_seconds: Positive = _of(10, "wait for Prometheus")
    prometheus_retries: Tries = _of(2, "tries after the first one")
    reading_max_age_seconds: Seconds = _of(300, "readings this old are not used at all")
    query_set: QuerySet = _of(QuerySet.NODE_EXPORTER, "which PromQL measures CPU and memory")
    pending_query: PendingQuery = _of(PendingQuery.UNSCHEDULABLE, "which PromQL counts pending pods")

    cluster_id: Name = _of("node-fleet-prod", "name of the fleet")
    project: Name = _of("node-fleet", "value of the tag Project")
    region: Name = _of("ap-southeast-1", "AWS region", "AWS_REGION")
    state_table: Name = _of(
        "k3s-autoscaler-state", "DynamoDB table of lock, state and open operation", "DYNAMODB_TABLE"
    )
    history_table: Name = _of("k3s-metrics-history", "DynamoDB table of demand", "METRICS_HISTORY_TABLE")
    log_table: Name = _of("k3s-autoscaler-logs", "DynamoDB table of decisions and events", "LOGS_TABLE")
    join_token_secret: Name = _of("node-fleet/k3s-token", "Secrets Manager path of the join token")
    schedule_rule: Name = _of("node-fleet-autoscaler-trigger", "EventBridge rule that invokes the autoscaler")
    function_name: Name = _of("node-fleet-cluster-autoscaler", "the autoscaler's Lambda function")

    @classmethod
    def from_dict(cls, given: Any) -> Self:
        """A policy from the fields that are given; the others come from its profile."""
        if not isinstance(given, dict):
            raise refusal(given, "an object")
        return cls._checked(given, [])

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """A policy from environment variables; an empty one counts as not given. Problems name the variable."""
        given: dict[str, Any] = {}
        problems: list[Problem] = []
        for name, variable in environment_names().items():
            text = environment.get(variable, "").strip()
            if text:
                try:
                    given[name] = read_text(text, field_hints()[name])
                except InputError as error:
                    problems.extend(error.under(name).problems)
        try:
            return cls._checked(given, problems)
        except InputError as error:
            raise InputError(*(_named_as_variable(problem) for problem in error.problems)) from None

    @classmethod
    def _checked(cls, given: dict[str, Any], problems: list[Problem]) -> Self:
        """`problems` are those found before; whatever they concern is not reported a second time."""
        hints = field_hints()
        if not hints.keys() >= given.keys():
            problems.extend(unknown_fields(given, frozenset(hints)))
        decoded = {}
        for name in given.keys() & hints.keys():
            try:
                decoded[name] = decoder_for(hints[name])(given[name])
            except InputError as error:
                problems.extend(error.under(name).problems)
        policy = cls(**{**PROFILES[decoded.get("profile", Profile.CLASSIC)], **decoded})
        refused = {first_field(problem.path) for problem in problems}
        problems.extend(found for found, names in contradictions(policy) if not names & refused)
        if problems:
            raise InputError(*sorted(problems, key=lambda problem: problem.path))
        return policy

    def readings_to_keep(self) -> int:
        """How many readings the longest window needs, and never fewer than ten."""
        longest = max(window for _, window in windows(self))
        return max(10, int(longest // self.interval_seconds) + 2)


PROFILES: dict[Profile, dict[str, Any]] = {
    Profile.CLASSIC: {},
    Profile.ADAPTIVE: {"profile": Profile.ADAPTIVE, "sizing": Sizing.FIT},
}

_hints: dict[str, Any] = {}


def field_hints() -> dict[str, Any]:
    """Type hints of the policy's fields, resolved once."""
    if not _hints:
        _hints.update(
            {name: hint for name, hint in get_type_hints(Policy, include_extras=True).items() if name[0] != "_"}
        )
    return _hints


def environment_names() -> dict[str, str]:
    """Field to environment variable."""
    return {each.name: each.metadata["env"] or each.name.upper() for each in fields(Policy)}


def first_field(path: str) -> str:
    """The policy's own field at the start of a path: `custom_rules` of `custom_rules[0].name`."""
    return path.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0]


def _named_as_variable(problem: Problem) -> Problem:
    variables = environment_names()
    name = first_field(problem.path)
    allowed = problem.allowed
    for other, variable in variables.items():
        allowed = allowed.replace(f" {other}, which", f" {variable}, which")
    return Problem(problem.path.replace(name, variables.get(name, name), 1), problem.value, allowed)
