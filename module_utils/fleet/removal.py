"""Which worker goes: candidates in order, the proof that its pods fit elsewhere, a reason for every one that stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from .model import Budget, Kept, Pod, Reason, Worker, WorkerState
from .packing import Room, free_of, largest_first
from .policy import RemovalOrder
from .protection import (
    BY_STATE,
    Finding,
    budgets_of_pods,
    movable,
    protection_by_zone,
    protection_of_worker,
)


class Removal(NamedTuple):
    """A worker that may go, and the proof: for each of its pods, the worker that has room for it."""

    worker: Worker
    homes: dict[str, str]


class RemovalPlan(NamedTuple):
    removals: tuple[Removal, ...]
    kept: tuple[Kept, ...]


def plan_removals(
    workers: Iterable[Worker],
    budgets: Iterable[Budget],
    count: int,
    order: RemovalOrder = RemovalOrder.BALANCED,
) -> RemovalPlan:
    """Up to `count` (at least one) workers that may go together, one after the other. Input order does not matter."""
    return _Search(sorted(workers, key=lambda worker: worker.name), tuple(budgets), order).plan(count)


class _Search:
    """Room and zones shrink with every worker that is taken out; the search remembers them."""

    def __init__(self, workers: list[Worker], budgets: tuple[Budget, ...], order: RemovalOrder) -> None:
        self.workers = workers
        self.order = order
        self.budgets = budgets
        self.moving = {worker.name: movable(worker.pods or ()) for worker in workers}
        self.hosts = [worker for worker in workers if worker.state is WorkerState.READY]
        self.place_of = {worker.name: place for place, worker in enumerate(self.hosts)}
        self.room = Room([free_of(host.allocatable, host.pods) for host in self.hosts])
        self.reserved: dict[str, list[Pod]] = {}
        self.nobody_may_go = self._make_room_for_the_lost()
        self.in_zone = Counter(
            worker.zone for worker in workers if worker.state in (WorkerState.READY, WorkerState.JOINING)
        )
        self.receivers: set[str] = set()
        self.homeless: dict[tuple[float | None, float | None], str] = {}
        self.kept: dict[str, Finding] = {}

    def _make_room_for_the_lost(self) -> Finding | None:
        """Pods of workers that are going anyway come first. If they find no room, or are not known, nobody may go."""
        lost = [worker for worker in self.workers if worker.state in (WorkerState.DRAINING, WorkerState.NOT_READY)]
        for worker in lost:
            if worker.pods is None or any(pod.cpu is None or pod.memory is None for pod in self.moving[worker.name]):
                return Reason.NOT_MEASURED, f"the pods of {worker.name} ({worker.state}) need room, but are not known"
        for pod in largest_first(pod for worker in lost for pod in self.moving[worker.name]):
            host = self.room.place(pod)
            if host is None:
                return Reason.FITS_NOWHERE, f"{pod.path} loses its worker and has no place to go itself"
            self.reserved.setdefault(self.hosts[host].name, []).append(pod)
        return None

    def plan(self, count: int) -> RemovalPlan:
        removals: list[Removal] = []
        while len(removals) < count:
            found = self._next_removal({removal.worker.name for removal in removals})
            if found is None:
                break
            removals.append(found)
            self._take_out(found)
        gone = {removal.worker.name for removal in removals}
        return RemovalPlan(tuple(removals), tuple(self._kept(gone)))

    def _next_removal(self, gone: set[str]) -> Removal | None:
        """The first candidate in order whose pods all fit elsewhere; every other one gets its reason on the way."""
        covering = budgets_of_pods(self.budgets)
        candidates = []
        for worker in self.workers:
            if worker.name in gone:
                continue
            finding = self._protection(worker, covering)
            if finding is None:
                candidates.append(worker)
                finding = (Reason.OTHERS_FIRST, "could go, but others go first")
            self.kept[worker.name] = finding
        for worker in sorted(candidates, key=self._rank):
            homes = self._homes(worker)
            if homes is not None:
                for pod in self.reserved.pop(worker.name, []):
                    self.reserved.setdefault(homes.pop(pod.path), []).append(pod)
                return Removal(worker, homes)
        return None

    def _protection(self, worker: Worker, covering: dict[tuple[str, str], list[Budget]]) -> Finding | None:
        if worker.state in BY_STATE:
            return BY_STATE[worker.state]
        if worker.name in self.receivers:
            return Reason.RECEIVES_PODS, "takes the pods of a worker that goes"
        return (
            protection_by_zone(worker, self.in_zone)
            or protection_of_worker(worker, self.moving[worker.name], covering)
            or self.nobody_may_go
        )

    def _rank(self, worker: Worker) -> tuple[float, float, int, float, str]:
        """Smallest goes first. What was not measured counts as busy and young."""
        launched = worker.launched_at if worker.launched_at is not None else float("inf")
        if self.order is RemovalOrder.OLDEST:
            return 0, 0, 0, launched, worker.name
        busy = worker.cpu_percent if worker.cpu_percent is not None else float("inf")
        return -self.in_zone[worker.zone], busy, len(self.moving[worker.name]), launched, worker.name

    def _homes(self, worker: Worker) -> dict[str, str] | None:
        """A place on another Ready worker for each of its pods, and for those that were to come to it.

        None, and the reason noted, where one of them finds none.
        """
        start = self.room.mark()
        self.room.close(self.place_of[worker.name])
        closed = self.room.mark()
        homes = {}
        for pod in largest_first(self.moving[worker.name] + self.reserved.get(worker.name, [])):
            host = None if self._is_homeless(pod, worker) else self.room.place(pod)
            if host is None:
                self.room.undo(closed)
                self._remember_homeless(pod, worker)
                self.room.undo(start)
                self.kept[worker.name] = (Reason.FITS_NOWHERE, _needs(pod))
                return None
            homes[pod.path] = self.hosts[host].name
        return homes

    def _is_homeless(self, pod: Pod, worker: Worker) -> bool:
        """Such a pod found no room before, when another worker was closed: then only that one is left to ask."""
        closed_then = self.homeless.get((pod.cpu, pod.memory))
        if closed_then is None:
            return False
        return closed_then == worker.name or not self.room.has_room(self.place_of[closed_then], pod)

    def _remember_homeless(self, pod: Pod, worker: Worker) -> None:
        """Without this, a fleet that is full in a mixed way costs a search of all workers for each of them."""
        if (pod.cpu, pod.memory) not in self.homeless and self.room.find(pod) is None:
            self.homeless[pod.cpu, pod.memory] = worker.name

    def _take_out(self, removal: Removal) -> None:
        """Its room stays closed and its pods' new places taken; its zone and its budgets have one less to give."""
        worker = removal.worker
        del self.kept[worker.name]
        self.in_zone[worker.zone] -= 1
        self.receivers.update(removal.homes.values())
        moved = {(pod.namespace, pod.name) for pod in self.moving[worker.name]}
        self.budgets = tuple(
            replace(
                budget,
                allowed=(budget.allowed or 0) - sum((budget.namespace, name) in moved for name in budget.pods),
            )
            for budget in self.budgets
        )

    def _kept(self, gone: set[str]) -> Iterable[Kept]:
        for worker in self.workers:
            if worker.name not in gone:
                reason, detail = self.kept[worker.name]
                yield Kept(worker.name, reason, detail)


def _needs(pod: Pod) -> str:
    needs = f"{pod.path} needs {pod.cpu or 0:g} CPU and {(pod.memory or 0) / 1e6:.0f} MB"
    return f"{needs}; no other Ready worker has both free"
