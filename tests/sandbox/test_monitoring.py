"""Prometheus behind its password, and metrics that follow what pods on a node use."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import requests
import yaml

from sandbox.cluster.api import ClusterApi, Document
from sandbox.cluster.lifecycle import Cluster
from sandbox.cluster.load import put_load, set_usage
from sandbox.cluster.monitoring import SOURCES
from sandbox.cluster.nodes import silence_node
from sandbox.polling import until

Query = Callable[[str], list[float]]
BUSY = 'avg(rate(node_cpu_seconds_total{{mode!="idle", node="{node}"}}[6s]))'
IDLE = 'avg(rate(node_cpu_seconds_total{{mode="idle", node="{node}"}}[6s]))'
MODES_BUT_IDLE = 7
SYSTEM_SHARE = 0.01


@pytest.mark.parametrize("login", [None, ("prometheus", "wrong"), ("admin", "admin")], ids=["none", "wrong", "admin"])
def test_prometheus_refuses_who_lacks_the_password(cluster: Cluster, login: tuple[str, str] | None) -> None:
    answer = requests.get(f"{cluster.url('prometheus')}/api/v1/query?query=up", auth=login, timeout=10)
    assert answer.status_code == 401


def test_every_job_of_the_production_file_is_scraped(
    cluster: Cluster, query: Query, add_worker: Callable[..., str]
) -> None:
    add_worker()
    for job in (
        "prometheus",
        "alertmanager",
        "pushgateway",
        "kube-state-metrics",
        "node-exporter",
        "cadvisor",
    ):
        until(lambda job=job: query(f'up{{job="{job}"}} == 1'), 20, f"{job} is scraped")


def test_cpu_follows_the_usage_of_pods(
    api: ClusterApi,
    namespace: str,
    query: Query,
    add_worker: Callable[..., str],
    add_pod: Callable[..., str],
    pod_is: Callable[[str, str], Document],
) -> None:
    """Both forms of the query: over all modes but idle it shows a seventh, as with a real node_exporter."""
    node = add_worker()
    pod_is(add_pod("web"), "Running")
    for cpu, cores in (("400m", 0.4), ("1600m", 1.6)):
        set_usage(api, namespace, "web", cpu=cpu)
        expected = cores / 2 + SYSTEM_SHARE

        def settled(expected: float = expected) -> bool:
            busy, idle = query(BUSY.format(node=node)), query(IDLE.format(node=node))
            return bool(busy and idle) and (
                busy[0] * MODES_BUT_IDLE == pytest.approx(expected, abs=0.03)
                and 1 - idle[0] == pytest.approx(expected, abs=0.03)
            )

        until(settled, 40, f"CPU of {node} is {expected:.0%}", every=0.3)


def test_memory_follows_the_usage_of_pods(
    api: ClusterApi,
    namespace: str,
    query: Query,
    add_worker: Callable[..., str],
    add_pod: Callable[..., str],
    pod_is: Callable[[str, str], Document],
) -> None:
    node = add_worker()
    pod_is(add_pod("web"), "Running")
    available = f'node_memory_MemAvailable_bytes{{node="{node}"}}'
    before = until(lambda: query(available), 20, "memory is scraped")[0]
    set_usage(api, namespace, "web", memory="510Mi")
    until(lambda: query(f"{available} < {before - 490 * 1024**2}"), 20, "500 MiB less are available")


def test_saturated_worker_serves_no_more_than_it_has(
    api: ClusterApi,
    namespace: str,
    query: Query,
    add_worker: Callable[..., str],
    add_pod: Callable[..., str],
    pod_is: Callable[[str, str], Document],
) -> None:
    node = add_worker()
    for name in ("web-1", "web-2"):
        pod_is(add_pod(name), "Running")
    assert put_load(api, namespace, demand=0.5) == pytest.approx(0.5)
    assert put_load(api, namespace, demand=5.0) == pytest.approx(1.96)
    full = f'1 - avg(rate(node_cpu_seconds_total{{mode="idle", node="{node}"}}[5s]))'
    until(lambda: query(f"{full} > 0.97 < 1.0"), 30, "the worker is full, not more")


def test_unschedulable_pods_are_counted(
    namespace: str, query: Query, add_worker: Callable[..., str], add_pod: Callable[..., str]
) -> None:
    add_worker()
    add_pod("too-big", cpu="64")
    metric = f'sum(kube_pod_status_unschedulable{{namespace="{namespace}"}})'
    until(lambda: query(f"{metric} == 1"), 20, "kube-state-metrics counts it")
    until(lambda: query("node_fleet:unschedulable_pods >= 1"), 20, "the production rule counts it")


def test_silent_worker_cannot_be_scraped(api: ClusterApi, query: Query, add_worker: Callable[..., str]) -> None:
    node = add_worker()
    up = f'up{{job="node-exporter", node="{node}"}}'
    until(lambda: query(f"{up} == 1"), 20, "it is scraped")
    silence_node(api, node)
    until(lambda: query(f"{up} == 0"), 20, "the scrape fails")


def test_pushed_metrics_arrive(cluster: Cluster, query: Query) -> None:
    pushed = requests.post(
        f"{cluster.url('pushgateway')}/metrics/job/shop",
        data='app_queue_depth{queue="default"} 1234\n',
        timeout=10,
    )
    assert pushed.ok
    until(lambda: query('app_queue_depth{job="shop"} == 1234'), 20, "Prometheus has the pushed value")


def test_only_targets_and_intervals_differ_from_the_production_file(cluster: Cluster) -> None:
    """What makes readings in the sandbox mean the same: jobs, labels and rules are the production file's."""
    production = yaml.safe_load((SOURCES / "prometheus.yml").read_text())
    local = yaml.safe_load((cluster.layout.configuration / "prometheus" / "prometheus.yml").read_text())
    assert local["rule_files"] == production["rule_files"]
    assert [job["job_name"] for job in local["scrape_configs"]] == [
        job["job_name"] for job in production["scrape_configs"]
    ]
    for ours, theirs in zip(local["scrape_configs"], production["scrape_configs"], strict=True):
        assert ours.get("honor_labels") == theirs.get("honor_labels")
        if ours["job_name"] != "applications":
            rules = theirs.get("relabel_configs", [])
            assert ours.get("relabel_configs", [])[: len(rules)] == rules
