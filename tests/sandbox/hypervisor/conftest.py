"""The session's cluster with an AWS server and a hypervisor of its own; boots take about a second."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from sandbox.cluster.api import ClusterApi
from sandbox.cluster.lifecycle import Cluster
from sandbox.cluster.nodes import remove_node
from sandbox.polling import until

from ..aws.servers import REGION, Aws, our_server, started, stop
from ..conftest import SPEED

TOKEN = "node-fleet/k3s-token"
IMAGE = "ami-12c6146b"


@dataclass
class Hypervisor:
    """A process that tests may kill and start again."""

    root: Path
    aws: Aws
    log: Path
    process: subprocess.Popen[str] | None = None
    url: str = ""
    prometheus_url: str = ""

    def start(self) -> None:
        command = [sys.executable, "-m", "sandbox.hypervisor", "--dir", str(self.root), "--aws-url", self.aws.url]
        options = ["--speed", str(SPEED), "--join-mean", "5"]
        self.process, line = started([*command, *options], self.log)
        place = json.loads(line)
        self.url, self.prometheus_url = place["url"], place["prometheus_url"]

    def stop(self) -> None:
        assert self.process is not None
        stop(self.process)

    def put(self, **wish: Any) -> requests.Response:
        return requests.put(f"{self.url}/faults", json=wish, timeout=20)

    def clear(self) -> None:
        requests.delete(f"{self.url}/faults", timeout=20).raise_for_status()


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    process, aws = our_server(tmp_path_factory.mktemp("cloud") / "aws", "--speed", str(SPEED))
    yield aws
    stop(process)


@pytest.fixture(scope="session")
def master(cloud: Aws) -> str:
    """The private address of a running master; token, role and profile are there, too."""
    cloud.client("secretsmanager").create_secret(Name=TOKEN, SecretString="K10abc::server:def")
    for name, statements in (("reader", [reading(TOKEN)]), ("stranger", [reading("other/secret")])):
        make_profile(cloud, name, statements)
    made = launch(cloud, {"Role": "k3s-master"}, "", "")
    return str(
        cloud.client("ec2").describe_instances(InstanceIds=[made])["Reservations"][0]["Instances"][0][
            "PrivateIpAddress"
        ]
    )


@pytest.fixture(scope="session")
def running(
    cluster: Cluster, cloud: Aws, master: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Hypervisor]:
    hypervisor = Hypervisor(cluster.layout.root, cloud, tmp_path_factory.mktemp("hypervisor") / "log")
    hypervisor.start()
    yield hypervisor
    hypervisor.stop()


@pytest.fixture
def hypervisor(running: Hypervisor) -> Iterator[Hypervisor]:
    """Without faults before and after."""
    running.clear()
    yield running
    running.clear()


@pytest.fixture
def name() -> str:
    return f"worker-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def boot(hypervisor: Hypervisor, cloud: Aws, master: str, api: ClusterApi) -> Iterator[Callable[..., str]]:
    """Launch a worker whose user data would join it; gone afterwards, with its node."""
    made: list[str] = []
    names: list[str] = []

    def start(name: str, *, profile: str = "reader", **changes: str) -> str:
        script = user_data(name, **{"master": master, **changes})
        instance = launch(cloud, {"Role": "k3s-worker", "Name": name}, script, profile)
        made.append(instance)
        names.append(name)
        return instance

    yield start
    if made:
        cloud.client("ec2").terminate_instances(InstanceIds=made)
    for name in names:
        remove_node(api, name, with_pods=True)


def user_data(name: str, *, master: str, token: str = TOKEN) -> str:
    return f"""#!/bin/bash
set -euo pipefail
INSTANCE_ID=$(curl -s http://169.254.169.254/latest/meta-data/instance-id)
MASTER="{master}"
TOKEN=$(aws secretsmanager get-secret-value --region {REGION} \\
  --secret-id "{token}" --query SecretString --output text)
curl -sfL https://get.k3s.io | K3S_URL="https://$MASTER:6443" K3S_TOKEN="$TOKEN" sh -s - agent \\
  --node-name "{name}" --node-label fleet/instance=${{INSTANCE_ID#i-}}
"""


def launch(aws: Aws, tags: dict[str, str], script: str, profile: str) -> str:
    specification = {"ResourceType": "instance", "Tags": [{"Key": key, "Value": tags[key]} for key in tags]}
    more: dict[str, Any] = {"IamInstanceProfile": {"Name": profile}} if profile else {}
    made = aws.client("ec2").run_instances(
        ImageId=IMAGE,
        InstanceType="t3.medium",
        MinCount=1,
        MaxCount=1,
        Placement={"AvailabilityZone": f"{REGION}b"},
        InstanceMarketOptions={"MarketType": "spot"} if profile else {},
        UserData=script,
        TagSpecifications=[specification],
        **more,
    )
    return str(made["Instances"][0]["InstanceId"])


def make_profile(aws: Aws, name: str, statements: list[dict[str, Any]]) -> None:
    iam = aws.client("iam")
    iam.create_role(RoleName=name, AssumeRolePolicyDocument="{}")
    document = json.dumps({"Version": "2012-10-17", "Statement": statements})
    iam.put_role_policy(RoleName=name, PolicyName="token", PolicyDocument=document)
    iam.create_instance_profile(InstanceProfileName=name)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)


def reading(secret: str) -> dict[str, Any]:
    resource = f"arn:aws:secretsmanager:{REGION}:*:secret:{secret}-*"
    return {"Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": resource}


def console_of(aws: Aws, instance: str) -> str:
    """Once the hypervisor has written there what came of the boot."""
    ec2 = aws.client("ec2")
    return until(lambda: ec2.get_console_output(InstanceId=instance).get("Output"), 20, f"{instance} booted")
