"""What a worker that does not run yet will offer to pods."""

from __future__ import annotations

from collections.abc import Iterable

from .drainage import owner_kind
from .model import Capacity, Worker
from .policy import Policy

# vCPUs and, after what the system and K3s keep, about 1 GB of each GiB.
COMMON = {
    "t2.small": Capacity(1, 2e9, 110),
    "t2.medium": Capacity(2, 4e9, 110),
    "t3.micro": Capacity(2, 1e9, 110),
    "t3.small": Capacity(2, 2e9, 110),
    "t3.medium": Capacity(2, 4e9, 110),
    "t3.large": Capacity(2, 8e9, 110),
    "t3.xlarge": Capacity(4, 16e9, 110),
    "t3a.small": Capacity(2, 2e9, 110),
    "t3a.medium": Capacity(2, 4e9, 110),
    "t3a.large": Capacity(2, 8e9, 110),
}


def expected_capacity(instance_type: str, workers: Iterable[Worker], policy: Policy) -> Capacity | None:
    """As the policy says, else as the smallest worker of that type shows, else as is commonly known."""
    if instance_type in policy.instance_capacity:
        return policy.instance_capacity[instance_type]
    shown = [worker.allocatable for worker in workers if worker.instance_type == instance_type and worker.allocatable]
    return min(shown, key=lambda each: (each.cpu, each.memory, each.pods), default=COMMON.get(instance_type))


def empty_worker(instance_type: str, workers: Iterable[Worker], policy: Policy) -> Capacity | None:
    """What is left of a new worker once the DaemonSets have put their pods on it, as they have on the others.

    None where its size, or what the DaemonSets ask for, is not known.
    """
    size = expected_capacity(instance_type, workers, policy)
    cpu = memory = 0.0
    count = 0
    for worker in workers:
        daemons = [pod for pod in worker.pods or () if owner_kind(pod) == "DaemonSet"]
        if size is None or any(pod.cpu is None or pod.memory is None for pod in daemons):
            return None
        cpu = max(cpu, sum(pod.cpu or 0.0 for pod in daemons))
        memory = max(memory, sum(pod.memory or 0.0 for pod in daemons))
        count = max(count, len(daemons))
    if size is None:
        return None
    return Capacity(max(0.0, size.cpu - cpu), max(0.0, size.memory - memory), max(0, size.pods - count))
