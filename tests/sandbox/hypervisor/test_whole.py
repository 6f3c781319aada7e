"""Cluster, AWS and hypervisor as one: up, again, healed, opened, down."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import requests

from sandbox import whole
from sandbox.cluster.nodes import INSTANCE_ID
from sandbox.errors import SandboxError
from sandbox.polling import until
from sandbox.processes import Processes

from ..aws.servers import Aws


def test_whole_sandbox_comes_up_heals_and_goes(spare_directory: Path) -> None:
    sandbox = whole.up(spare_directory, 15)
    processes = Processes(sandbox.layout)
    before = {record.name: record.pid for record in processes.records()}
    assert {"aws", "hypervisor"} <= before.keys()
    assert master_instance(sandbox) == master_node(sandbox)
    assert whole.up(spare_directory) == whole.opened(spare_directory) == sandbox
    assert {record.name: record.pid for record in processes.records()} == before
    assert requests.get(f"{sandbox.hypervisor_url}/faults", timeout=10).json()["faults"] == []

    for name in ("aws", "hypervisor"):
        os.kill(before[name], signal.SIGKILL)
        until(lambda name=name: not processes.is_alive(name), 10, f"{name} is gone")
    healed = whole.up(spare_directory)
    assert healed == sandbox, "addresses stay"
    assert master_instance(healed) == master_node(healed), "a new account has a new master, and so has the cluster"
    assert whole.down(spare_directory) == len(before)
    assert not spare_directory.exists()


def test_opening_a_cluster_alone_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="python -m sandbox up"):
        whole.opened(tmp_path)


def master_instance(sandbox: whole.Sandbox) -> str:
    listed = Aws(sandbox.aws_url).control("GET", "instances")["instances"]
    return str(next(one["instance_id"] for one in listed if one["tags"].get("Role") == "k3s-master"))


def master_node(sandbox: whole.Sandbox) -> str:
    api = sandbox.cluster.admin()
    labels = api.get("/api/v1/nodes/k3s-master")["metadata"]["labels"]
    api.close()
    return str(labels[INSTANCE_ID])
