"""Everything that is known of a fleet at one moment: the input of every decision, the same from every door."""

from __future__ import annotations

from dataclasses import dataclass, field

from .codec import Value
from .errors import InputError, Problem, refusal, shown
from .model import (
    Budget,
    Demand,
    Epoch,
    LastAction,
    Operation,
    Pause,
    Pod,
    Reading,
    RefusedPool,
    SchemaVersion,
    Worker,
    WorkerState,
)
from .policy import Policy


@dataclass(frozen=True, slots=True)
class Observation(Value):
    """`null` for reading, workers, pending or budgets means that they could not be read, never that there are none."""

    schema: SchemaVersion
    now: Epoch
    reading: Reading | None
    workers: tuple[Worker, ...] | None
    policy: Policy = field(default_factory=Policy)
    history: tuple[Reading, ...] = ()
    demand: tuple[Demand, ...] = ()
    pending: tuple[Pod, ...] | None = ()
    budgets: tuple[Budget, ...] | None = ()
    last_action: LastAction | None = None
    operation: Operation | None = None
    paused: Pause | None = None
    alerted: dict[str, Epoch] = field(default_factory=dict)
    refused_pools: tuple[RefusedPool, ...] = ()

    def check(self) -> None:
        _refuse_backward_time(self)
        _refuse_twins(self)
        _refuse_twins_among("budgets", [f"{budget.namespace}/{budget.name}" for budget in self.budgets or ()])
        _refuse_twins_among("pending", [pod.path for pod in self.pending or ()])

    def counted(self) -> tuple[Worker, ...]:
        """The workers that count as current: Ready, or still joining."""
        return tuple(worker for worker in self.workers or () if worker.state in CURRENT_STATES)


CURRENT_STATES = frozenset({WorkerState.READY, WorkerState.JOINING})


def _refuse_backward_time(observation: Observation) -> None:
    earlier: float = 0
    for index, reading in enumerate(observation.history):
        if reading.at < earlier:
            allowed = f"not before the reading in front of it, which is at {shown(earlier)}"
            raise refusal(reading.at, allowed, f"history[{index}].at")
        earlier = reading.at
    if observation.reading is not None and observation.reading.at < earlier:
        allowed = f"not before the newest of history, which is at {shown(earlier)}"
        raise refusal(observation.reading.at, allowed, "reading.at")
    newest = observation.reading.at if observation.reading is not None else earlier
    if newest > observation.now:
        path = "reading.at" if observation.reading is not None else f"history[{len(observation.history) - 1}].at"
        raise refusal(newest, f"not after now, which is {shown(observation.now)}", path)


def _refuse_twins(observation: Observation) -> None:
    """A worker or pod that stands twice would be counted twice."""
    names: set[str] = set()
    instances: set[str] = set()
    pods: set[tuple[str, str]] = set()
    for index, worker in enumerate(observation.workers or ()):
        if worker.name in names:
            raise _twin(f"workers[{index}].name", worker.name)
        if worker.instance_id in instances:
            raise _twin(f"workers[{index}].instance_id", worker.instance_id)
        names.add(worker.name)
        instances.add(worker.instance_id)
        for place, pod in enumerate(worker.pods or ()):
            if (pod.namespace, pod.name) in pods:
                raise _twin(f"workers[{index}].pods[{place}].name", pod.path)
            pods.add((pod.namespace, pod.name))


def _refuse_twins_among(kind: str, paths: list[str]) -> None:
    seen: set[str] = set()
    for index, path in enumerate(paths):
        if path in seen:
            raise _twin(f"{kind}[{index}].name", path)
        seen.add(path)


def _twin(path: str, name: str) -> InputError:
    return InputError(Problem(path, shown(name), "given once; it stands here for the second time"))
