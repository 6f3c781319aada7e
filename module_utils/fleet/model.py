"""The words of the field as frozen values: what was seen of the fleet, and what was decided about it.

`None` always means "not measured" where a measurement stands, never zero. Times are epoch seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from .codec import AtLeast, Between, NonEmpty, Value
from .errors import refusal

Name = Annotated[str, NonEmpty()]
Amount = Annotated[float, AtLeast(0)]
Count = Annotated[int, AtLeast(0)]
# The upper limit refuses milliseconds, the usual mistake, in every year up to 5138.
Epoch = Annotated[float, Between(0, 1e11)]
SchemaVersion = Annotated[int, Between(1, 1)]


class Direction(StrEnum):
    UP = "up"
    DOWN = "down"


class Lifecycle(StrEnum):
    SPOT = "spot"
    ON_DEMAND = "on_demand"


class WorkerState(StrEnum):
    JOINING = "joining"
    READY = "ready"
    NOT_READY = "not_ready"
    DRAINING = "draining"


class Unmeasured(StrEnum):
    """Why a reading has no value."""

    MISSING = "missing"
    STALE = "stale"
    FAILED = "failed"


class Action(StrEnum):
    SCALE_UP = "scale_up"
    SCALE_DOWN = "scale_down"
    NONE = "none"


class Verdict(StrEnum):
    PASS = "pass"
    FIRES = "fires"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


class Rule(StrEnum):
    """The rules in their order; a custom metric's rule is called by the metric's own name."""

    OPEN_OPERATION = "open_operation"
    BELOW_MINIMUM = "below_minimum"
    METRICS = "metrics"
    PENDING_PODS = "pending_pods"
    CPU = "cpu"
    MEMORY = "memory"
    PREDICTIVE = "predictive"
    PAUSED = "paused"
    AT_MAXIMUM = "at_maximum"
    COOLDOWN = "cooldown"
    CAPACITY = "capacity"
    SCALE_DOWN = "scale_down"
    REMOVAL = "removal"


class Reason(StrEnum):
    """Why a worker is kept, or a pod is not evicted. The same word in decisions, logs, metrics and events."""

    JOINING = "joining"
    NOT_READY = "not_ready"
    DRAINING = "draining"
    LAST_IN_ZONE = "last_in_zone"
    DO_NOT_DISRUPT = "do_not_disrupt"
    NOT_MEASURED = "not_measured"
    KUBE_SYSTEM = "kube_system"
    STATEFUL_SET = "stateful_set"
    SINGLE_REPLICA = "single_replica"
    BARE_POD = "bare_pod"
    LOCAL_DATA = "local_data"
    BUDGET = "budget"
    FITS_NOWHERE = "fits_nowhere"
    RECEIVES_PODS = "receives_pods"
    OTHERS_FIRST = "others_first"
    DAEMON_SET = "daemon_set"
    MIRROR_POD = "mirror_pod"
    FINISHED = "finished"


class AlertName(StrEnum):
    AT_MAXIMUM = "at_maximum"
    BELOW_MINIMUM = "below_minimum"
    FLEET_UNREADABLE = "fleet_unreadable"
    METRICS_MISSING = "metrics_missing"
    NO_CAPACITY = "no_capacity"
    OPERATION_STUCK = "operation_stuck"
    POD_TOO_LARGE = "pod_too_large"
    PENDING_STUCK = "pending_stuck"


class AlertEvent(StrEnum):
    RAISED = "raised"
    CLEARED = "cleared"


@dataclass(frozen=True, slots=True)
class Reading(Value):
    """One round of metrics; `unmeasured` says why a value is null, where that is known.

    `cached` is for a reading of an earlier look that stands in for one that failed: nothing scales down on it.
    """

    at: Epoch
    cpu_percent: Amount | None = None
    memory_percent: Amount | None = None
    pending_pods: Count | None = None
    custom: dict[str, float | None] = field(default_factory=dict)
    unmeasured: dict[str, Unmeasured] = field(default_factory=dict)
    cached: bool = False

    def check(self) -> None:
        for name in self.unmeasured:
            is_core = name in ("cpu_percent", "memory_percent", "pending_pods")
            if (getattr(self, name) if is_core else self.custom.get(name, name)) is not None:
                raise refusal(name, "the name of a metric of this reading that is null", "unmeasured")

    def why_unmeasured(self, metric: str) -> str:
        return self.unmeasured.get(metric, Unmeasured.MISSING).value


@dataclass(frozen=True, slots=True)
class Demand(Value):
    """Load at a time, in fully busy workers (CPU % x workers / 100), so that it does not depend on the fleet's size."""

    at: Epoch
    workers: Amount | None


@dataclass(frozen=True, slots=True)
class Capacity(Value):
    """What a worker offers to pods: cores, bytes, number of pods."""

    cpu: Amount
    memory: Amount
    pods: Count


@dataclass(frozen=True, slots=True)
class Pod(Value):
    """Requests are cores and bytes. `replicas` is how many its owner has. `owner` is Kind/name, null for a bare pod."""

    namespace: Name
    name: Name
    owner: Name | None = None
    replicas: Count | None = None
    cpu: Amount | None = 0.0
    memory: Amount | None = 0.0
    local_data: bool = False
    do_not_disrupt: bool = False
    finished: bool = False

    @property
    def path(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Worker(Value):
    """A worker as EC2 and Kubernetes see it together; `pods` is null where they could not be read."""

    name: Name
    instance_id: Name
    zone: Name
    lifecycle: Lifecycle
    instance_type: Name
    state: WorkerState
    launched_at: Epoch | None = None
    cpu_percent: Amount | None = None
    allocatable: Capacity | None = None
    pods: tuple[Pod, ...] | None = None
    do_not_disrupt: bool = False


@dataclass(frozen=True, slots=True)
class Budget(Value):
    """A PodDisruptionBudget: how many of its pods may be evicted now. `pods` are names in its namespace."""

    namespace: Name
    name: Name
    allowed: Count | None
    pods: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class LastAction(Value):
    """The newest scaling action that was completed; cooldowns count from it."""

    direction: Direction
    completed_at: Epoch


@dataclass(frozen=True, slots=True)
class Operation(Value):
    """A scaling action that was begun and is not yet completed."""

    id: Name
    kind: Direction
    phase: Name
    started_at: Epoch
    requested: Count = 0
    client_token: str | None = None
    instances: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    drains: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pause(Value):
    """An operator's wish that nothing be scaled in these directions; without `until` it holds until resumed."""

    until: Epoch | None = None
    directions: tuple[Direction, ...] = (Direction.UP, Direction.DOWN)
    why: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class RefusedPool(Value):
    """A pool that had no capacity when it was last asked, at `at`."""

    zone: Name
    instance_type: Name
    lifecycle: Lifecycle
    at: Epoch


@dataclass(frozen=True, slots=True)
class Launch(Value):
    """One worker to launch; the types are to be tried in their order."""

    zone: str
    lifecycle: Lifecycle
    instance_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Removed(Value):
    name: str
    instance_id: str


@dataclass(frozen=True, slots=True)
class Kept(Value):
    name: str
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Alert(Value):
    """A change to report: an episode that begins (`raised`) or is over (`cleared`). One that goes on says nothing."""

    name: AlertName
    event: AlertEvent
    detail: str


@dataclass(frozen=True, slots=True)
class Step(Value):
    """One rule that was looked at: what it saw, and what would change its verdict."""

    rule: str
    verdict: Verdict
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Value):
    """What to do now. `workers` and `target` are null only where the fleet could not be read."""

    schema: SchemaVersion = 1
    action: Action
    count: Count
    workers: Count | None
    target: Count | None
    urgent: bool = False
    trigger: str | None = None
    bypass_cooldown: bool = False
    reason: str
    launch: tuple[Launch, ...] = ()
    remove: tuple[Removed, ...] = ()
    kept: tuple[Kept, ...] = ()
    alerts: tuple[Alert, ...] = ()
    explain: tuple[Step, ...] = ()
