"""Instances take time to come and to go, and others are told."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from .servers import Aws

gap = pytest.mark.gap("patches.instance_states")
USER_DATA = "#!/bin/sh\ncurl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.1:6443 sh -"


@pytest.fixture
def instance(aws: Aws, subnet: str) -> str:
    return run(aws, subnet)


def run(aws: Aws, subnet: str, **more: Any) -> str:
    answer = aws.client("ec2").run_instances(
        ImageId="ami-12c6146b", InstanceType="t3.small", SubnetId=subnet, MinCount=1, MaxCount=1, **more
    )
    return str(answer["Instances"][0]["InstanceId"])


def described(aws: Aws, instance_id: str) -> dict[str, Any]:
    [reservation] = aws.client("ec2").describe_instances(InstanceIds=[instance_id])["Reservations"]
    found: dict[str, Any] = reservation["Instances"][0]
    return found


def state(aws: Aws, instance_id: str) -> str:
    return str(described(aws, instance_id)["State"]["Name"])


@gap
def test_pending_then_running(aws: Aws, instance: str) -> None:
    assert state(aws, instance) == "pending"
    aws.advance(7)
    assert state(aws, instance) == "pending"
    aws.advance(2)
    assert state(aws, instance) == "running"


@gap
def test_shutting_down_then_terminated(aws: Aws, instance: str) -> None:
    aws.advance(10)
    aws.client("ec2").terminate_instances(InstanceIds=[instance])
    assert state(aws, instance) == "shutting-down"
    aws.advance(30)
    gone = described(aws, instance)
    assert gone["State"]["Name"] == "terminated"
    assert gone["StateReason"]["Code"] == "Client.UserInitiatedShutdown"


@gap
def test_terminated_while_pending_never_runs(aws: Aws, instance: str) -> None:
    aws.client("ec2").terminate_instances(InstanceIds=[instance])
    aws.advance(9)
    assert state(aws, instance) == "shutting-down"


@gap
def test_terminated_is_forgotten_after_an_hour(aws: Aws, instance: str) -> None:
    aws.client("ec2").terminate_instances(InstanceIds=[instance])
    aws.advance(60)
    assert state(aws, instance) == "terminated"
    aws.advance(3700)
    everything = aws.client("ec2").get_paginator("describe_instances").paginate()
    seen = [i["InstanceId"] for page in everything for r in page["Reservations"] for i in r["Instances"]]
    assert instance not in seen


@gap
def test_stopping_then_stopped_then_running_again(aws: Aws, instance: str) -> None:
    aws.advance(10)
    aws.client("ec2").stop_instances(InstanceIds=[instance])
    assert state(aws, instance) == "stopping"
    aws.advance(30)
    assert state(aws, instance) == "stopped"
    aws.client("ec2").start_instances(InstanceIds=[instance])
    assert state(aws, instance) == "pending"
    aws.advance(10)
    assert state(aws, instance) == "running"


@gap
def test_filter_by_lifecycle(aws: Aws, subnet: str) -> None:
    spot = run(aws, subnet, InstanceMarketOptions={"MarketType": "spot"})
    run(aws, subnet)
    wanted = [
        {"Name": "instance-lifecycle", "Values": ["spot"]},
        {"Name": "subnet-id", "Values": [subnet]},
    ]
    found = aws.client("ec2").describe_instances(Filters=wanted)["Reservations"]
    assert [i["InstanceId"] for r in found for i in r["Instances"]] == [spot]


@pytest.fixture
def hypervisor() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A listener as the hypervisor is one: news by POST."""
    news: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            news.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/instances", news
    server.shutdown()
    server.server_close()


def test_hypervisor_is_told_with_user_data(ours: Aws, hypervisor: tuple[str, list[dict[str, Any]]]) -> None:
    url, news = hypervisor
    ours.control("PUT", "hooks", url=url)
    ec2 = ours.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.9.0.0/20")["Subnet"]["SubnetId"]
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "Role", "Value": "k3s-worker"}]}]
    mine = run(ours, subnet, UserData=USER_DATA, TagSpecifications=tags)
    ours.advance(10)
    ec2.terminate_instances(InstanceIds=[mine])
    ours.advance(30)
    ours.until(lambda: [n for n in news if n["instance_id"] == mine and n["event"] == "terminated"])
    ours.control("DELETE", "hooks", url=url)
    told = [n for n in news if n["instance_id"] == mine]
    assert [n["event"] for n in told] == ["pending", "running", "shutting-down", "terminated"]
    assert base64.b64decode(told[1]["user_data"]).decode() == USER_DATA
    assert told[1]["tags"]["Role"] == "k3s-worker"
    assert told[1]["private_dns_name"].startswith("ip-10-9-")
    listed = ours.control("GET", "instances")["instances"]
    assert [i["state"] for i in listed if i["instance_id"] == mine] == ["terminated"]


@pytest.mark.gap("patches.console_output")
def test_the_console_tells_of_this_instance(aws: Aws, instance: str) -> None:
    text = "[  12.3] k3s-agent: token rejected\n"
    if not aws.is_stock:
        aws.control("PUT", "console", instance_id=instance, text=text)
    assert aws.client("ec2").get_console_output(InstanceId=instance)["Output"] == text
