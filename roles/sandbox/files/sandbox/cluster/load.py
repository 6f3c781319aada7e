"""Load on pods: demand in cores is shared out over running pods, and a node gives no more than it has."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from sandbox.cluster.api import ApiError, ClusterApi

USAGE_CPU = "kwok.x-k8s.io/usage-cpu"
USAGE_MEMORY = "kwok.x-k8s.io/usage-memory"
# A core is never wholly a pod's: one percent is the system's (see kwok.py), and counters must not run
# backwards.
USABLE_SHARE = 0.98


@dataclass(frozen=True)
class RunningPod:
    """What the sharing needs to know. `limit` is the pod's CPU limit in cores, None without one."""

    namespace: str
    name: str
    node: str
    limit: float | None = None


def share_cpu(demand: float, pods: list[RunningPod], cores: dict[str, float]) -> dict[str, float]:
    """Cores used by each pod (by namespace/name) when a Service balances `demand` evenly.

    What a pod cannot take (limit, saturated node) is not served: the difference is the shortage a user feels.
    """
    if not pods:
        return {}
    wanted = demand / len(pods)
    shares = {f"{pod.namespace}/{pod.name}": min(wanted, pod.limit or wanted) for pod in pods}
    on_node: dict[str, list[str]] = defaultdict(list)
    for pod in pods:
        on_node[pod.node].append(f"{pod.namespace}/{pod.name}")
    for node, names in on_node.items():
        usable = cores[node] * USABLE_SHARE
        total = sum(shares[name] for name in names)
        if total > usable:
            for name in names:
                shares[name] *= usable / total
    return shares


def put_load(api: ClusterApi, namespace: str, demand: float, *, selector: str = "", memory: str = "") -> float:
    """Set the usage of all running pods of a namespace; returns the cores really served."""
    found = api.items(f"/api/v1/namespaces/{namespace}/pods", labelSelector=selector)
    running = [pod for pod in found if pod["status"].get("phase") == "Running" and pod["spec"].get("nodeName")]
    pods = [RunningPod(namespace, pod["metadata"]["name"], pod["spec"]["nodeName"]) for pod in running]
    nodes = api.items("/api/v1/nodes")
    cores = {node["metadata"]["name"]: float(node["status"]["capacity"]["cpu"]) for node in nodes}
    shares = share_cpu(demand, [pod for pod in pods if pod.node in cores], cores)
    for pod in pods:
        cpu = shares.get(f"{pod.namespace}/{pod.name}", 0.0)
        set_usage(api, pod.namespace, pod.name, cpu=f"{round(cpu * 1000)}m", memory=memory)
    return sum(shares.values())


def set_usage(api: ClusterApi, namespace: str, pod: str, *, cpu: str = "", memory: str = "") -> None:
    """Quantities as in a pod spec (250m, 128Mi).

    A pod that went away meanwhile uses nothing, and that is fine.
    """
    usage = {key: value for key, value in ((USAGE_CPU, cpu), (USAGE_MEMORY, memory)) if value}
    try:
        api.merge(f"/api/v1/namespaces/{namespace}/pods/{pod}", {"metadata": {"annotations": usage}})
    except ApiError as problem:
        if problem.status != 404:
            raise
