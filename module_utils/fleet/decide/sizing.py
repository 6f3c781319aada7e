"""How many workers a scale-up adds: fixed steps, or as many as the pending pods' requests need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..capacity import empty_worker
from ..model import Capacity, Pod, Reading, Worker, WorkerState
from ..observation import Observation
from ..packing import Room, free_of, largest_first
from ..policy import Policy, Sizing


class Fit(NamedTuple):
    """New workers needed, pods that no new worker could hold, and pods that fit where workers are Ready already."""

    workers: int
    too_large: tuple[Pod, ...]
    fit_now: int


def is_urgent(reading: Reading, policy: Policy) -> bool:
    """Many pending pods, or a very busy fleet, or pending pods on a busy fleet."""
    pending, cpu = reading.pending_pods or 0, reading.cpu_percent or 0
    return (
        pending > policy.urgent_pending_pods
        or cpu > policy.urgent_cpu_percent
        or (pending > 0 and cpu > policy.cpu_up_percent)
    )


def step_size(policy: Policy, urgent: bool) -> int:
    return max(policy.scale_up_step, policy.urgent_step) if urgent else policy.scale_up_step


def fit(observation: Observation, reading: Reading, current: Sequence[Worker]) -> Fit | None:
    """What the pending pods need of the first instance type.

    None where sizing is by steps, where fewer pods are listed than were counted, or where their requests or the size
    of a worker are not known.
    """
    policy, pending = observation.policy, observation.pending
    if policy.sizing is not Sizing.FIT or not pending or len(pending) < (reading.pending_pods or 0):
        return None
    if any(pod.cpu is None or pod.memory is None for pod in pending):
        return None
    empty = empty_worker(policy.instance_types[0], current, policy)
    if empty is None:
        return None
    homeless, fit_now = _left_over(pending, current, policy)
    too_large = tuple(pod for pod in homeless if not _fits(pod, empty))
    waiting = [pod for pod in homeless if _fits(pod, empty)]
    new = Room([(empty.cpu, empty.memory, empty.pods)] * min(policy.max_step, len(waiting)))
    used = [place for pod in waiting if (place := new.place(pod)) is not None]
    return Fit(max(used, default=-1) + 1, too_large, fit_now)


def _left_over(pods: Sequence[Pod], current: Sequence[Worker], policy: Policy) -> tuple[list[Pod], int]:
    """The pods that find no room on workers that are there or on their way, and how many do on Ready ones."""
    hosts = sorted(current, key=lambda worker: (worker.state is not WorkerState.READY, worker.name))
    room = Room([_free(worker, current, policy) for worker in hosts])
    homeless, fit_now = [], 0
    for pod in largest_first(pods):
        place = room.place(pod)
        if place is None:
            homeless.append(pod)
        elif hosts[place].state is WorkerState.READY:
            fit_now += 1
    return homeless, fit_now


def _free(worker: Worker, current: Sequence[Worker], policy: Policy) -> tuple[float, float, int]:
    if worker.state is WorkerState.READY or worker.allocatable is not None:
        return free_of(worker.allocatable, worker.pods)
    return free_of(empty_worker(worker.instance_type, current, policy), ())


def _fits(pod: Pod, empty: Capacity) -> bool:
    return Room([(empty.cpu, empty.memory, empty.pods)]).place(pod) is not None
