"""Real servers for the tests: one cluster per session, a namespace and nodes of its own per test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from sandbox.cluster.api import ApiError, ClusterApi, Document
from sandbox.cluster.lifecycle import Cluster, down, up
from sandbox.cluster.nodes import NodeWish, add_node, is_ready, remove_node
from sandbox.cluster.settings import Settings
from sandbox.polling import until

SPEED = 15.0
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The session's cluster, waiting times divided by SPEED (scrapes every second, NotReady after 4 s)."""
    root = tmp_path_factory.mktemp("sandbox") / "cluster"
    try:
        yield up(root, Settings(speed=SPEED))
    finally:
        down(root)


@pytest.fixture
def spare_directory(tmp_path: Path) -> Iterator[Path]:
    """A directory for a sandbox that a test starts itself; whatever runs in it is stopped afterwards."""
    root = tmp_path / "spare"
    yield root
    down(root)


@pytest.fixture
def api(cluster: Cluster) -> Iterator[ClusterApi]:
    client = cluster.admin()
    yield client
    client.close()


@pytest.fixture
def autoscaler(cluster: Cluster) -> Iterator[ClusterApi]:
    """Calls with the autoscaler's own token: what it may and may not do is RBAC's word."""
    client = cluster.autoscaler()
    yield client
    client.close()


@pytest.fixture
def namespace(api: ClusterApi) -> Iterator[str]:
    """A namespace of this test's own, gone afterwards with all in it."""
    name = f"test-{next(_numbers)}"
    api.post("/api/v1/namespaces", {"metadata": {"name": name}})
    until(lambda: _exists(api, f"/api/v1/namespaces/{name}/serviceaccounts/default"), 10, "the account is made")
    yield name
    api.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def add_worker(api: ClusterApi, namespace: str) -> Iterator[Callable[..., str]]:
    """Add Ready workers that only pods made by `add_pod` of the same test select."""
    added: list[str] = []

    def add(**wishes: Any) -> str:
        name = f"{namespace}-worker-{len(added)}"
        add_node(api, NodeWish(name, labels=(("test", namespace),), **wishes))
        added.append(name)
        until(lambda: is_ready(api.get(f"/api/v1/nodes/{name}")), 10, f"{name} is Ready")
        return name

    yield add
    for name in added:
        remove_node(api, name)


@pytest.fixture
def add_pod(api: ClusterApi, namespace: str) -> Callable[..., str]:
    """Create a pod for this test's workers; returns its name at once, scheduled or not."""

    def add(name: str, cpu: str = "100m", **annotations: str) -> str:
        api.post(f"/api/v1/namespaces/{namespace}/pods", pod_document(name, namespace, cpu, annotations))
        return name

    return add


@pytest.fixture
def pod_is(api: ClusterApi, namespace: str) -> Callable[[str, str], Document]:
    """Wait until a pod is in a phase."""

    def wait(name: str, phase: str) -> Document:
        def look() -> Document | None:
            pod = api.get(f"/api/v1/namespaces/{namespace}/pods/{name}")
            return pod if pod["status"].get("phase") == phase else None

        return until(look, 15, f"pod {name} is {phase}")

    return wait


@pytest.fixture
def query(cluster: Cluster) -> Callable[[str], list[float]]:
    """Values of an instant PromQL query, empty if there are none."""

    def ask(promql: str) -> list[float]:
        answer = requests.get(
            f"{cluster.url('prometheus')}/api/v1/query",
            params={"query": promql},
            auth=cluster.prometheus_login,
            timeout=10,
        )
        answer.raise_for_status()
        return [float(series["value"][1]) for series in answer.json()["data"]["result"]]

    return ask


def pod_document(name: str, namespace: str, cpu: str, annotations: dict[str, str]) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": namespace}, "annotations": annotations},
        "spec": {
            "nodeSelector": {"test": namespace},
            "containers": [{"name": "web", "image": "shop", "resources": {"requests": {"cpu": cpu}}}],
        },
    }


def _exists(api: ClusterApi, path: str) -> bool:
    try:
        api.get(path)
    except ApiError as problem:
        if problem.status != 404:
            raise
        return False
    return True
