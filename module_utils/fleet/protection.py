"""Why a worker may not go at all: its state, its zone, its pods, their budgets. Tables of small named rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from .drainage import Fate, owner_kind, verdict
from .model import Budget, Pod, Reason, Worker, WorkerState

Finding = tuple[Reason, str]
BudgetsOfPod = Mapping[tuple[str, str], list[Budget]]

BY_STATE = {
    WorkerState.JOINING: (Reason.JOINING, "has not joined yet"),
    WorkerState.NOT_READY: (Reason.NOT_READY, "is not Ready, so it is not counted either"),
    WorkerState.DRAINING: (Reason.DRAINING, "is being drained already"),
}


def movable(pods: Iterable[Pod]) -> list[Pod]:
    """The pods that a drain has to move: neither of a DaemonSet, nor static, nor finished."""
    return [pod for pod in pods if verdict(pod)[0] is not Fate.IGNORE]


def protection_by_zone(worker: Worker, in_zone: Mapping[str, int]) -> Finding | None:
    """The last of a zone stays while another zone could give one."""
    if in_zone[worker.zone] > 1 or max(in_zone.values()) < 2:
        return None
    return Reason.LAST_IN_ZONE, f"{worker.zone} has no other worker"


def protection_of_worker(worker: Worker, moving: list[Pod], budgets: BudgetsOfPod) -> Finding | None:
    """The first reason, in the order of the rules, why its pods must stay. `moving` are its movable pods."""
    if worker.do_not_disrupt:
        return Reason.DO_NOT_DISRUPT, "the node is annotated so"
    if worker.pods is None:
        return Reason.NOT_MEASURED, "its pods could not be read"
    return _protected_pod(moving) or _violated_budget(moving, budgets)


def budgets_of_pods(budgets: Iterable[Budget]) -> dict[tuple[str, str], list[Budget]]:
    """Which budgets cover a pod, by namespace and name."""
    covering: dict[tuple[str, str], list[Budget]] = {}
    for budget in budgets:
        for name in set(budget.pods):
            covering.setdefault((budget.namespace, name), []).append(budget)
    return covering


def _protected_pod(pods: list[Pod]) -> Finding | None:
    """The strongest reason of any pod; among equals the first by name, whatever order they were listed in."""
    strongest = min(((rank, pod.path) for pod in pods if (rank := _rank_of(pod)) is not None), default=None)
    return None if strongest is None else (POD_RULES[strongest[0]][0], strongest[1])


def _rank_of(pod: Pod) -> int | None:
    kind = owner_kind(pod)
    for rank, (_, applies) in enumerate(POD_RULES):
        if applies(pod, kind):
            return rank
    return None


def _kube_system(pod: Pod, kind: str) -> bool:
    return pod.namespace == "kube-system"


def _stateful_set(pod: Pod, kind: str) -> bool:
    return kind == "StatefulSet"


def _single_replica(pod: Pod, kind: str) -> bool:
    """A Job's pod is started anew by its Job; everything else that runs once would be away for a while."""
    return kind not in ("", "Job") and pod.replicas is not None and pod.replicas < 2


def _bare_pod(pod: Pod, kind: str) -> bool:
    return not kind


def _do_not_disrupt(pod: Pod, kind: str) -> bool:
    return pod.do_not_disrupt


def _not_measured(pod: Pod, kind: str) -> bool:
    return pod.cpu is None or pod.memory is None or (pod.replicas is None and kind != "Job")


POD_RULES: tuple[tuple[Reason, Callable[[Pod, str], bool]], ...] = (
    (Reason.KUBE_SYSTEM, _kube_system),
    (Reason.STATEFUL_SET, _stateful_set),
    (Reason.SINGLE_REPLICA, _single_replica),
    (Reason.BARE_POD, _bare_pod),
    (Reason.DO_NOT_DISRUPT, _do_not_disrupt),
    (Reason.NOT_MEASURED, _not_measured),
)


def _violated_budget(pods: list[Pod], budgets: BudgetsOfPod) -> Finding | None:
    here: Counter[tuple[str, str]] = Counter()
    allowed: dict[tuple[str, str], int] = {}
    for pod in pods:
        covering = budgets.get((pod.namespace, pod.name), ())
        if len(covering) > 1:
            return Reason.BUDGET, f"{pod.path} has {len(covering)} budgets, which the Eviction API refuses"
        for budget in covering:
            key = (budget.namespace, budget.name)
            here[key] += 1
            allowed[key] = budget.allowed or 0
    for key in sorted(here):
        if here[key] > allowed[key]:
            return (
                Reason.BUDGET,
                f"{'/'.join(key)} allows {allowed[key]} evictions, {here[key]} would be needed",
            )
    return None
