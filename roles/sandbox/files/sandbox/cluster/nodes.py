"""Workers as KWOK nodes: labelled, sized and addressed as K3s agents on EC2 are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sandbox.cluster.api import ApiError, ClusterApi, Document
from sandbox.cluster.kwok import CORE_COUNTS, KUBELET

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
INSTANCE_ID = "node-fleet/instance-id"
LIFECYCLE = "node-fleet/lifecycle"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
NODE_PASSWORD_NAMESPACE = "kube-system"
GIB = 1 << 30


@dataclass(frozen=True)
class Capacity:
    """Of an instance type. The kernel keeps some memory for itself: about 4 % is not there for Kubernetes."""

    cores: int
    memory_gib: float

    @property
    def memory_bytes(self) -> int:
        return int(self.memory_gib * GIB * 0.96)


CAPACITIES = {
    "t3.micro": Capacity(2, 1),
    "t3.small": Capacity(2, 2),
    "t3.medium": Capacity(2, 4),
    "t3.large": Capacity(2, 8),
    "t3.xlarge": Capacity(4, 16),
    "t3.2xlarge": Capacity(8, 32),
    "t3a.micro": Capacity(2, 1),
    "t3a.small": Capacity(2, 2),
    "t3a.medium": Capacity(2, 4),
    "t3a.large": Capacity(2, 8),
    "t3a.xlarge": Capacity(4, 16),
    "c5.large": Capacity(2, 4),
    "c5.xlarge": Capacity(4, 8),
    "m5.large": Capacity(2, 8),
    "m5.xlarge": Capacity(4, 16),
}


@dataclass(frozen=True)
class NodeWish:
    """A node to be. `instance_id` and `address` are made up from the name where they are not given."""

    name: str
    zone: str = "ap-southeast-1a"
    instance_type: str = "t3.small"
    lifecycle: str = "on-demand"
    instance_id: str = ""
    address: str = ""
    is_master: bool = False
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def capacity(self) -> Capacity:
        if self.instance_type not in CAPACITIES:
            raise ValueError(f"instance type {self.instance_type} is unknown; known: {', '.join(sorted(CAPACITIES))}")
        return CAPACITIES[self.instance_type]


def node_document(wish: NodeWish) -> Document:
    """The Node object as a K3s agent would register it."""
    digest = hashlib.sha256(wish.name.encode()).digest()
    instance_id = wish.instance_id or f"i-{digest.hex()[:17]}"
    address = wish.address or f"10.0.{digest[0]}.{digest[1] % 250 + 4}"
    capacity = wish.capacity
    assert capacity.cores in CORE_COUNTS, f"no metrics page for {capacity.cores} cores"
    sizes = {
        "cpu": str(capacity.cores),
        "memory": str(capacity.memory_bytes),
        "pods": "110",
        "ephemeral-storage": str(20 * GIB),
    }
    role = {CONTROL_PLANE: "true", "node-role.kubernetes.io/master": "true"} if wish.is_master else {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": wish.name,
            "labels": {
                "kubernetes.io/hostname": wish.name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                ZONE: wish.zone,
                REGION: wish.zone[:-1],
                INSTANCE_TYPE: wish.instance_type,
                INSTANCE_ID: instance_id,
                LIFECYCLE: wish.lifecycle,
                KUBELET: "running",
                **role,
                **dict(wish.labels),
            },
            "annotations": {
                "node.alpha.kubernetes.io/ttl": "0",
                "sandbox.node-fleet/cores": str(capacity.cores),
                "sandbox.node-fleet/memory-bytes": str(capacity.memory_bytes),
            },
        },
        "spec": {"providerID": f"aws:///{wish.zone}/{instance_id}"},
        "status": {
            "capacity": sizes,
            "allocatable": sizes,
            "addresses": [
                {"type": "InternalIP", "address": address},
                {"type": "Hostname", "address": wish.name},
            ],
            "nodeInfo": {
                "architecture": "amd64",
                "operatingSystem": "linux",
                "osImage": "KWOK, not a machine",
                "kubeletVersion": "v1.36.3",
                "kubeProxyVersion": "",
                "containerRuntimeVersion": "kwok://0.8.0",
                "kernelVersion": "",
                "bootID": "",
                "machineID": instance_id,
                "systemUUID": instance_id,
            },
        },
    }


def add_node(api: ClusterApi, wish: NodeWish) -> Document:
    """A node joins and leaves a K3s node password behind, as an agent does. Ready within a second.

    Raises ApiError 409 if the name is taken or, as K3s does, if a namesake's node password is left.
    """
    password = {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "immutable": True,
        "metadata": {"name": node_password_name(wish.name), "namespace": NODE_PASSWORD_NAMESPACE},
        "stringData": {"hash": "sandbox"},
    }
    api.post(f"/api/v1/namespaces/{NODE_PASSWORD_NAMESPACE}/secrets", password)
    try:
        return api.post("/api/v1/nodes", node_document(wish))
    except ApiError:
        api.delete(_password_path(wish.name))
        raise


def remove_node(api: ClusterApi, name: str, *, with_pods: bool = False) -> None:
    """Node and node password go, at once and without a drain.

    The control plane collects the pods of a vanished node after 40 to 60 s, whatever the sandbox's speed;
    `with_pods` deletes them at once instead, which gives the same end sooner.
    """
    if with_pods:
        for pod in api.items("/api/v1/pods", fieldSelector=f"spec.nodeName={name}"):
            metadata = pod["metadata"]
            path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
            _delete_if_there(api, path, gracePeriodSeconds="0")
    _delete_if_there(api, f"/api/v1/nodes/{name}")
    _delete_if_there(api, _password_path(name))


def _delete_if_there(api: ClusterApi, path: str, **query: str) -> None:
    try:
        api.delete(path, **query)
    except ApiError as problem:
        if problem.status != 404:
            raise


def silence_node(api: ClusterApi, name: str) -> None:
    """The kubelet falls silent, as of a terminated instance: the lease runs out, then it is NotReady."""
    api.merge(f"/api/v1/nodes/{name}", {"metadata": {"labels": {KUBELET: "silent"}}})


def revive_node(api: ClusterApi, name: str) -> None:
    api.merge(f"/api/v1/nodes/{name}", {"metadata": {"labels": {KUBELET: "running"}}})


def is_ready(node: Document) -> bool:
    conditions = node.get("status", {}).get("conditions", [])
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def node_password_name(node: str) -> str:
    return f"{node}.node-password.k3s"


def _password_path(node: str) -> str:
    return f"/api/v1/namespaces/{NODE_PASSWORD_NAMESPACE}/secrets/{node_password_name(node)}"
