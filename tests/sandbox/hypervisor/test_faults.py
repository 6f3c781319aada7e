"""Each fault does what it says, ends when it is to end, and a wrong one is refused in a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from sandbox.cluster.api import ClusterApi
from sandbox.cluster.lifecycle import Cluster
from sandbox.polling import until

from ..aws.functions import deploy
from ..aws.servers import ROOT, Aws
from .conftest import Hypervisor, console_of, launch

Boot = Callable[..., str]
Question = Callable[..., requests.Response]
CLOCKS = """
import datetime, time
def handler(event, context):
    return [time.time(), datetime.datetime.now(datetime.timezone.utc).timestamp()]
"""


@pytest.fixture
def ask(hypervisor: Hypervisor, cluster: Cluster) -> Question:
    def question(query: str = "vector(time())", **more: Any) -> requests.Response:
        options = {"auth": cluster.prometheus_login, "timeout": 10, **more}
        return requests.get(f"{hypervisor.prometheus_url}/api/v1/query", params={"query": query}, **options)

    return question


def test_join_that_never_happens_happens_so_many_times(
    boot: Boot, cloud: Aws, hypervisor: Hypervisor, name: str
) -> None:
    assert hypervisor.put(kind="join_never", zone="ap-southeast-1b", times=1).status_code == 201
    assert "join_never" in console_of(cloud, boot(f"{name}-1"))
    assert "joined" in console_of(cloud, boot(f"{name}-2"))


def test_slow_boot_adds_its_seconds(boot: Boot, cloud: Aws, hypervisor: Hypervisor, name: str) -> None:
    hypervisor.put(kind="slow_boot", instance_type="t3.medium", seconds=60)
    began = time.monotonic()
    console_of(cloud, boot(name))
    assert time.monotonic() - began > 60 / 15


def test_aws_kinds_are_passed_on_and_end_in_time(cloud: Aws, hypervisor: Hypervisor) -> None:
    wish = {"kind": "no_capacity", "zone": "ap-southeast-1b", "for_seconds": 30}
    assert hypervisor.put(**wish).status_code == 201
    assert hypervisor.put(**wish).status_code == 200, "the same again changes nothing"
    with pytest.raises(ClientError, match="InsufficientInstanceCapacity"):
        launch(cloud, {"Role": "none"}, "", "reader")
    until(lambda: not cloud.control("GET", "faults")["faults"], 10, "30 cloud seconds are over")


def test_prometheus_down(ask: Question, hypervisor: Hypervisor) -> None:
    assert ask().json()["data"]["result"]
    hypervisor.put(kind="prometheus", mode="down", times=1)
    with pytest.raises(requests.ConnectionError):
        ask()
    assert ask(auth=None).status_code == 401, "the password is Prometheus' own affair"


def test_prometheus_slow(ask: Question, hypervisor: Hypervisor) -> None:
    hypervisor.put(kind="prometheus", mode="slow", delay_seconds=2)
    with pytest.raises(requests.ReadTimeout):
        ask(timeout=0.5)


def test_prometheus_empty(ask: Question, hypervisor: Hypervisor) -> None:
    hypervisor.put(kind="prometheus", mode="empty")
    assert ask().json() == {"status": "success", "data": {"resultType": "vector", "result": []}}


def test_prometheus_stale(ask: Question, hypervisor: Hypervisor) -> None:
    hypervisor.put(kind="prometheus", mode="stale")
    first = float(ask().json()["data"]["result"][0]["value"][1])
    until(lambda: time.time() > first + 1.5, 5, "time goes by")
    assert float(ask().json()["data"]["result"][0]["value"][1]) == first


def test_api_server_down_until_removed(api: ClusterApi, cluster: Cluster, hypervisor: Hypervisor) -> None:
    url = f"{cluster.url('kube-apiserver')}/livez"
    assert requests.get(url, verify=str(cluster.authority), timeout=5).status_code
    hypervisor.put(kind="api_server_down")
    with pytest.raises(requests.RequestException):
        requests.get(url, verify=str(cluster.authority), timeout=1)
    hypervisor.clear()
    assert api.items("/api/v1/namespaces")


def test_clock_skew_of_a_function(cloud: Aws, hypervisor: Hypervisor, name: str) -> None:
    deploy(cloud, name, CLOCKS)

    def skews() -> list[float]:
        payload = cloud.client("lambda").invoke(FunctionName=name)["Payload"].read()
        return [value - time.time() for value in json.loads(payload)]

    assert skews() == pytest.approx([0, 0], abs=5)
    hypervisor.put(kind="clock_skew", function=name, seconds=-600)
    assert skews() == pytest.approx([-600, -600], abs=5)
    hypervisor.clear()
    assert skews() == pytest.approx([0, 0], abs=5)


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"kind": "fire"}, "kind: 'fire' is none of "),
        ({"kind": "join_never", "limit": 3}, "limit: 3 is not for join_never, which has zone"),
        ({"kind": "no_capacity", "factor": 3}, "factor: 3 is not for no_capacity, which has "),
        ({"kind": "prometheus", "mode": "odd"}, "mode: 'odd' is none of down, slow, empty, stale"),
        ({"kind": "slow_boot", "factor": "2"}, "factor: '2' is not a number"),
        ({"kind": "slow_boot"}, "factor: missing"),
        ({"kind": "join_never", "times": 0}, "times: 0 is not a whole number above 0"),
        ({"kind": "api_server_down", "times": 1}, "times: 1 is not for api_server_down"),
        ({"kind": "join_never", "for_seconds": -1}, "for_seconds: -1 is not a number above 0"),
    ],
)
def test_wrong_fault_is_refused_in_a_sentence(hypervisor: Hypervisor, wish: dict[str, Any], sentence: str) -> None:
    answer = hypervisor.put(**wish)
    assert answer.status_code == 400
    assert sentence in answer.json()["problem"]


def drill(hypervisor: Hypervisor, *options: str) -> str:
    command = [str(Path(sys.executable).with_name("ansible-playbook")), "playbooks/drill.yml"]
    told = subprocess.run(
        [*command, "-e", f"hypervisor_url={hypervisor.url}", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


def test_drill_playbook_twice_and_back(hypervisor: Hypervisor, cloud: Aws) -> None:
    wish = ("-e", "fault=no_capacity", "-e", "zone=ap-southeast-1a", "-e", "times=2")
    foreseen = drill(hypervisor, *wish, "--check", "--diff")
    assert "changed=1" in foreseen
    assert '+{"id": "no_capacity"' in foreseen
    assert cloud.control("GET", "faults")["faults"] == []
    assert "changed=1" in drill(hypervisor, *wish)
    assert "changed=0" in drill(hypervisor, *wish)
    assert cloud.control("GET", "faults")["faults"][0]["where"] == {"zone": "ap-southeast-1a"}
    assert "changed=1" in drill(hypervisor, "-e", "fault=no_capacity", "-e", "state=absent")
    assert "changed=0" in drill(hypervisor, "-e", "fault=no_capacity", "-e", "state=absent")
