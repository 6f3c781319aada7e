"""What the autoscaler's token may do, and what not: asked of the real API server."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests

from sandbox.cluster.api import ApiError, ClusterApi
from sandbox.cluster.lifecycle import Cluster

ALLOWED = [
    ("list", "", "nodes", ""),
    ("patch", "", "nodes", ""),
    ("delete", "", "nodes", ""),
    ("list", "", "pods", ""),
    ("create", "", "pods", "eviction"),
    ("list", "policy", "poddisruptionbudgets", ""),
    ("get", "apps", "deployments", ""),
    ("get", "apps", "replicasets", ""),
    ("get", "apps", "statefulsets", ""),
    ("list", "storage.k8s.io", "volumeattachments", ""),
]
REFUSED = [
    ("get", "", "secrets", ""),
    ("list", "", "secrets", ""),
    ("create", "", "nodes", ""),
    ("create", "", "pods", ""),
    ("delete", "", "pods", ""),
    ("create", "", "pods", "exec"),
    ("update", "apps", "deployments", ""),
    ("create", "", "serviceaccounts", "token"),
    ("create", "rbac.authorization.k8s.io", "clusterrolebindings", ""),
]


@pytest.mark.parametrize(
    ("attributes", "allowed"),
    [*((each, True) for each in ALLOWED), *((each, False) for each in REFUSED)],
    ids=lambda value: "-".join(filter(None, value)) if isinstance(value, tuple) else "",
)
def test_autoscaler_has_minimal_rights(
    autoscaler: ClusterApi, attributes: tuple[str, str, str, str], allowed: bool
) -> None:
    verb, group, resource, subresource = attributes
    asked = {"verb": verb, "group": group, "resource": resource, "subresource": subresource}
    review = {"spec": {"resourceAttributes": {**asked, "namespace": "kube-system"}}}
    answer = autoscaler.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)
    assert answer["status"]["allowed"] is allowed


def test_autoscaler_cannot_read_a_secret(autoscaler: ClusterApi) -> None:
    with pytest.raises(ApiError) as refusal:
        autoscaler.get("/api/v1/namespaces/kube-system/secrets/autoscaler-token")
    assert refusal.value.status == 403


def test_autoscaler_cordons_a_node(autoscaler: ClusterApi, add_worker: Callable[..., str]) -> None:
    node = autoscaler.merge(f"/api/v1/nodes/{add_worker()}", {"spec": {"unschedulable": True}})
    assert node["spec"]["unschedulable"] is True


def test_autoscaler_deletes_node_passwords_and_no_other_secret(api: ClusterApi, autoscaler: ClusterApi) -> None:
    secrets = "/api/v1/namespaces/kube-system/secrets"
    for name in ("gone.node-password.k3s", "precious"):
        api.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "kube-system"}})
    autoscaler.delete(f"{secrets}/gone.node-password.k3s")
    with pytest.raises(ApiError, match="only Secrets named") as refusal:
        autoscaler.delete(f"{secrets}/precious")
    assert refusal.value.status == 403
    api.delete(f"{secrets}/precious")


def test_nobody_without_credentials_reads_nodes(cluster: Cluster) -> None:
    url = f"{cluster.url('kube-apiserver')}/api/v1/nodes"
    assert requests.get(url, verify=str(cluster.authority), timeout=10).status_code == 403


def test_etcd_refuses_clients_without_a_certificate(cluster: Cluster) -> None:
    authority = cluster.layout.certificates / "etcd-ca.crt"
    with pytest.raises(requests.exceptions.ConnectionError):
        requests.get(f"https://127.0.0.1:{cluster.ports['etcd']}/health", verify=str(authority), timeout=10)
