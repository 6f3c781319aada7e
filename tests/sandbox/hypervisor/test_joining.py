"""An instance becomes a node if its user data would have joined it, and else says why on its console."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from sandbox.cluster.api import ClusterApi
from sandbox.cluster.nodes import is_ready
from sandbox.hypervisor.delays import JoinDelays
from sandbox.polling import until

from ..aws.servers import REGION, Aws
from ..conftest import pod_document
from .conftest import Hypervisor, console_of

Boot = Callable[..., str]


def names(api: ClusterApi) -> list[str]:
    return [node["metadata"]["name"] for node in api.items("/api/v1/nodes")]


def test_worker_joins_with_the_labels_of_its_instance(boot: Boot, cloud: Aws, api: ClusterApi, name: str) -> None:
    instance = boot(name)
    assert f"joined the cluster as {name}" in console_of(cloud, instance)
    node = until(lambda: (found := api.get(f"/api/v1/nodes/{name}")) and is_ready(found) and found, 10, "it is Ready")
    labels = node["metadata"]["labels"]
    assert labels["topology.kubernetes.io/zone"] == f"{REGION}b"
    assert labels["node.kubernetes.io/instance-type"] == "t3.medium"
    assert labels["node-fleet/instance-id"] == instance
    assert labels["node-fleet/lifecycle"] == "spot"
    assert labels["fleet/instance"] == instance.removeprefix("i-"), "labels of the script's own count, too"
    assert node["spec"]["providerID"] == f"aws:///{REGION}b/{instance}"
    assert int(node["status"]["capacity"]["memory"]) > 3.5 * (1 << 30)


def test_those_that_would_not_join_say_why(boot: Boot, cloud: Aws, api: ClusterApi, name: str, master: str) -> None:
    refused = {
        boot(f"{name}-a", profile="stranger"): "AccessDenied",
        boot(f"{name}-b", token="no/such"): "secret no/such does not exist",
        boot(
            f"{name}-c", master="10.9.9.9"
        ): f"no running master at https://10.9.9.9:6443: connection timed out; masters: {master}",
    }
    for instance, reason in refused.items():
        console = console_of(cloud, instance)
        assert "did not join" in console
        assert reason in console
    assert not [node for node in names(api) if node.startswith(name)]


def test_second_worker_of_a_name_does_not_join(boot: Boot, cloud: Aws, api: ClusterApi, name: str) -> None:
    first = boot(name)
    console_of(cloud, first)
    assert f"the node name {name} is taken" in console_of(cloud, boot(name))
    assert api.get(f"/api/v1/nodes/{name}")["metadata"]["labels"]["node-fleet/instance-id"] == first


def test_delays_are_lognormal_around_their_mean_and_the_same_for_an_id() -> None:
    delays = [JoinDelays().of(f"i-{number}") for number in range(20000)]
    assert abs(statistics.mean(delays) - 105) < 1
    assert statistics.median(delays) < statistics.mean(delays)
    assert JoinDelays().of("i-1") == delays[1] != JoinDelays(seed=1).of("i-1")


def test_terminated_worker_goes_silent_and_its_pods_are_gone(
    boot: Boot, cloud: Aws, api: ClusterApi, name: str, namespace: str, add_worker: Callable[..., str]
) -> None:
    add_worker()  # where no node at all is Ready, the control plane suspects itself and evicts nobody
    instance = boot(name)
    console_of(cloud, instance)
    pod = pod_document("web", namespace, "100m", {})
    pod["spec"]["nodeSelector"] = {"kubernetes.io/hostname": name}
    pods = f"/api/v1/namespaces/{namespace}/pods"
    api.post(pods, pod)
    until(lambda: api.get(f"{pods}/web")["status"].get("phase") == "Running", 15, "the pod runs")
    cloud.client("ec2").terminate_instances(InstanceIds=[instance])
    until(lambda: not is_ready(api.get(f"/api/v1/nodes/{name}")), 30, "the node is NotReady")
    until(lambda: not api.items(pods), 60, "its pods are gone")


def test_restarted_hypervisor_catches_up_and_joins_nobody_twice(
    boot: Boot, cloud: Aws, api: ClusterApi, name: str, hypervisor: Hypervisor
) -> None:
    before = boot(f"{name}-before")
    gone = boot(f"{name}-gone")
    for instance in (before, gone):
        console_of(cloud, instance)
    api.delete(f"/api/v1/nodes/{name}-gone")
    assert hypervisor.process is not None
    hypervisor.process.kill()
    hypervisor.stop()
    missed = boot(f"{name}-missed")
    cloud.client("ec2").terminate_instances(InstanceIds=[before])
    hypervisor.start()
    assert "joined" in console_of(cloud, missed)
    until(lambda: not is_ready(api.get(f"/api/v1/nodes/{name}-before")), 30, "the end that it missed is seen")
    assert sorted(node for node in names(api) if node.startswith(name)) == [f"{name}-before", f"{name}-missed"]
    assert console_of(cloud, gone).count("joined") == 1
