"""Scheduling, readiness and eviction are the control plane's own; KWOK only plays the kubelet."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox.cluster.api import ApiError, ClusterApi, Document
from sandbox.cluster.nodes import NodeWish, add_node, is_ready, node_password_name, remove_node, silence_node
from sandbox.polling import until

AddWorker = Callable[..., str]
AddPod = Callable[..., str]
PodIs = Callable[[str, str], Document]


def test_worker_is_ready_and_labelled_as_on_ec2(api: ClusterApi, add_worker: AddWorker) -> None:
    name = add_worker(zone="ap-southeast-1b", lifecycle="spot", instance_type="t3.medium", instance_id="i-0a1")
    node = api.get(f"/api/v1/nodes/{name}")
    labels = node["metadata"]["labels"]
    assert is_ready(node)
    assert node["spec"]["providerID"] == "aws:///ap-southeast-1b/i-0a1"
    assert labels["topology.kubernetes.io/zone"] == "ap-southeast-1b"
    assert labels["topology.kubernetes.io/region"] == "ap-southeast-1"
    assert labels["node.kubernetes.io/instance-type"] == "t3.medium"
    assert labels["node-fleet/instance-id"] == "i-0a1"
    assert labels["node-fleet/lifecycle"] == "spot"
    assert node["status"]["allocatable"]["cpu"] == "2"


def test_pod_is_scheduled_and_runs(add_worker: AddWorker, add_pod: AddPod, pod_is: PodIs) -> None:
    worker = add_worker()
    pod = pod_is(add_pod("web"), "Running")
    assert pod["spec"]["nodeName"] == worker


def test_pod_that_does_not_fit_stays_pending_until_a_worker_joins(
    api: ClusterApi, namespace: str, add_worker: AddWorker, add_pod: AddPod, pod_is: PodIs
) -> None:
    add_worker()
    pod_is(add_pod("first", cpu="1500m"), "Running")
    add_pod("second", cpu="1500m")

    def refused() -> bool:
        pod = api.get(f"/api/v1/namespaces/{namespace}/pods/second")
        conditions = pod["status"].get("conditions", [])
        return any(condition.get("reason") == "Unschedulable" for condition in conditions)

    until(refused, 10, "the scheduler says Unschedulable")
    second_worker = add_worker()
    assert pod_is("second", "Running")["spec"]["nodeName"] == second_worker


def test_eviction_respects_a_disruption_budget(
    api: ClusterApi,
    autoscaler: ClusterApi,
    namespace: str,
    add_worker: AddWorker,
    add_pod: AddPod,
    pod_is: PodIs,
) -> None:
    add_worker()
    for name in ("web-1", "web-2"):
        pod_is(add_pod(name), "Running")
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    spec = {"minAvailable": 2, "selector": {"matchLabels": {"app": namespace}}}
    api.post(budgets, {"metadata": {"name": "web"}, "spec": spec})
    until(
        lambda: api.get(f"{budgets}/web").get("status", {}).get("currentHealthy") == 2,
        10,
        "the budget counts both",
    )

    with pytest.raises(ApiError) as refusal:
        evict(autoscaler, namespace, "web-1")
    assert refusal.value.status == 429

    api.merge(f"{budgets}/web", {"spec": {"minAvailable": 1}})
    until(lambda: api.get(f"{budgets}/web")["status"]["disruptionsAllowed"] == 1, 10, "one may go")
    evict(autoscaler, namespace, "web-1")
    pods = f"/api/v1/namespaces/{namespace}/pods"
    until(lambda: [pod["metadata"]["name"] for pod in api.items(pods)] == ["web-2"], 10, "web-1 is gone")


def test_pod_takes_as_long_to_end_as_its_annotation_says(
    api: ClusterApi, namespace: str, add_worker: AddWorker, add_pod: AddPod, pod_is: PodIs
) -> None:
    add_worker()
    pod_is(add_pod("slow", **{"sandbox.node-fleet/termination": "2s"}), "Running")
    evict(api, namespace, "slow")
    pods = f"/api/v1/namespaces/{namespace}/pods"
    assert api.items(pods)[0]["metadata"]["deletionTimestamp"]
    until(lambda: not api.items(pods), 10, "the slow pod is gone")


def test_silent_kubelet_makes_its_node_not_ready(
    api: ClusterApi, namespace: str, add_worker: AddWorker, add_pod: AddPod, pod_is: PodIs
) -> None:
    worker = add_worker()
    pod_is(add_pod("web"), "Running")
    silence_node(api, worker)
    until(lambda: not is_ready(api.get(f"/api/v1/nodes/{worker}")), 30, "the node is NotReady")
    taints = until(lambda: api.get(f"/api/v1/nodes/{worker}")["spec"].get("taints"), 10, "it is tainted")
    assert {taint["key"] for taint in taints} == {"node.kubernetes.io/unreachable"}
    assert api.items(f"/api/v1/namespaces/{namespace}/pods"), "its pods are still bound to it"
    remove_node(api, worker, with_pods=True)
    assert not api.items(f"/api/v1/namespaces/{namespace}/pods")


def test_node_cannot_join_while_a_namesakes_password_is_left(
    api: ClusterApi, autoscaler: ClusterApi, add_worker: AddWorker
) -> None:
    name = add_worker()
    api.delete(f"/api/v1/nodes/{name}")
    with pytest.raises(ApiError) as refusal:
        add_node(api, NodeWish(name))
    assert refusal.value.status == 409
    autoscaler.delete(f"/api/v1/namespaces/kube-system/secrets/{node_password_name(name)}")
    add_node(api, NodeWish(name))


def evict(api: ClusterApi, namespace: str, pod: str) -> None:
    """The Eviction API's subresource, as a drain calls it."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": namespace}}
    api.post(f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction", body)
