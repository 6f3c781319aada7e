"""Kubernetes' objects as the engine's values: nodes to workers, pods to pods, budgets to budgets. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from fleet.model import Budget, Capacity, Lifecycle, Pod, Worker, WorkerState
from sandbox.cluster.nodes import CONTROL_PLANE, INSTANCE_ID, INSTANCE_TYPE, LIFECYCLE, ZONE, is_ready
from sandbox.demo.quantities import quantity

Document = dict[str, Any]
DO_NOT_DISRUPT = "node-fleet/do-not-disrupt"


def workers(
    nodes: Iterable[Document], pods: Mapping[str, tuple[Pod, ...]], cpu: Mapping[str, float]
) -> tuple[Worker, ...]:
    """Every node but the master; `pods` and `cpu` are by node name."""
    agents = [node for node in nodes if CONTROL_PLANE not in node["metadata"]["labels"]]
    return tuple(_worker(node, pods, cpu) for node in agents)


def _worker(node: Document, pods: Mapping[str, tuple[Pod, ...]], cpu: Mapping[str, float]) -> Worker:
    metadata, labels = node["metadata"], node["metadata"]["labels"]
    sizes = node["status"]["allocatable"]
    return Worker(
        name=metadata["name"],
        instance_id=labels[INSTANCE_ID],
        zone=labels[ZONE],
        lifecycle=Lifecycle.SPOT if labels.get(LIFECYCLE) == "spot" else Lifecycle.ON_DEMAND,
        instance_type=labels[INSTANCE_TYPE],
        state=_state(node),
        launched_at=datetime.fromisoformat(metadata["creationTimestamp"]).timestamp(),
        cpu_percent=cpu.get(metadata["name"]),
        allocatable=Capacity(quantity(sizes["cpu"]), quantity(sizes["memory"]), int(sizes["pods"])),
        pods=pods.get(metadata["name"], ()),
        do_not_disrupt=metadata.get("annotations", {}).get(DO_NOT_DISRUPT) == "true",
    )


def _state(node: Document) -> WorkerState:
    if node["spec"].get("unschedulable"):
        return WorkerState.DRAINING
    return WorkerState.READY if is_ready(node) else WorkerState.NOT_READY


def pods_by_node(pods: Iterable[Document], owners: Mapping[str, tuple[str, int]]) -> dict[str, tuple[Pod, ...]]:
    """Bound pods; `owners` tells a ReplicaSet's Deployment and how many replicas that has."""
    found: dict[str, list[Pod]] = defaultdict(list)
    for each in pods:
        if each["spec"].get("nodeName"):
            found[each["spec"]["nodeName"]].append(_pod(each, owners))
    return {name: tuple(bound) for name, bound in found.items()}


def unschedulable(pods: Iterable[Document], owners: Mapping[str, tuple[str, int]]) -> tuple[Pod, ...]:
    """Pods that the scheduler looked at and could place nowhere."""
    return tuple(
        _pod(each, owners)
        for each in pods
        if any(
            condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable"
            for condition in each["status"].get("conditions", [])
        )
    )


def _pod(pod: Document, owners: Mapping[str, tuple[str, int]]) -> Pod:
    metadata, containers = pod["metadata"], pod["spec"]["containers"]
    controller = next((each for each in metadata.get("ownerReferences", []) if each.get("controller")), None)
    owner, replicas = None, None
    if controller is not None:
        replica_set = f"{metadata['namespace']}/{controller['name']}"
        owner, replicas = owners.get(replica_set, (f"{controller['kind']}/{controller['name']}", None))
    requests = [container.get("resources", {}).get("requests", {}) for container in containers]
    return Pod(
        namespace=metadata["namespace"],
        name=metadata["name"],
        owner=owner,
        replicas=replicas,
        cpu=sum(quantity(request.get("cpu", 0)) for request in requests),
        memory=sum(quantity(request.get("memory", 0)) for request in requests),
        finished=pod["status"].get("phase") in ("Succeeded", "Failed"),
    )


def owners_of(replica_sets: Iterable[Document], deployments: Iterable[Document]) -> dict[str, tuple[str, int]]:
    """namespace/ReplicaSet to (Deployment/name, replicas)."""
    counts = {_path(each): int(each["spec"].get("replicas", 1)) for each in deployments}
    found: dict[str, tuple[str, int]] = {}
    for each in replica_sets:
        for owner in each["metadata"].get("ownerReferences", []):
            place = f"{each['metadata']['namespace']}/{owner['name']}"
            if place in counts:
                found[_path(each)] = (f"Deployment/{owner['name']}", counts[place])
    return found


def budgets(documents: Iterable[Document], pods: Iterable[Document]) -> tuple[Budget, ...]:
    """Budgets with the names of the pods they select (by labels; expressions do not occur in the demo)."""
    everyone = list(pods)
    return tuple(
        Budget(
            namespace=each["metadata"]["namespace"],
            name=each["metadata"]["name"],
            allowed=each.get("status", {}).get("disruptionsAllowed"),
            pods=tuple(pod["metadata"]["name"] for pod in everyone if _selects(each, pod)),
        )
        for each in documents
    )


def _selects(budget: Document, pod: Document) -> bool:
    wanted: dict[str, str] = budget["spec"].get("selector", {}).get("matchLabels", {})
    labels: dict[str, str] = pod["metadata"].get("labels", {})
    is_near = bool(budget["metadata"]["namespace"] == pod["metadata"]["namespace"])
    return is_near and wanted.items() <= labels.items()


def _path(document: Document) -> str:
    return f"{document['metadata']['namespace']}/{document['metadata']['name']}"
