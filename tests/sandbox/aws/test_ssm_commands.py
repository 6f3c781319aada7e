"""RunCommand runs on the master, and says truly what came of it."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from .servers import Aws

gap = pytest.mark.gap("ssm_commands")


@pytest.fixture
def master(aws: Aws, subnet: str) -> str:
    return run(aws, subnet, "k3s-master")


def run(aws: Aws, subnet: str, role: str) -> str:
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "Role", "Value": role}]}]
    answer = aws.client("ec2").run_instances(
        ImageId="ami-12c6146b",
        InstanceType="t3.small",
        SubnetId=subnet,
        MinCount=1,
        MaxCount=1,
        TagSpecifications=tags,
    )
    aws.advance(10)
    return str(answer["Instances"][0]["InstanceId"])


def result(aws: Aws, instance: str, *commands: str, **parameters: list[str]) -> dict[str, Any]:
    ssm = aws.client("ssm")
    sent = ssm.send_command(
        InstanceIds=[instance],
        DocumentName="AWS-RunShellScript",
        Parameters={"commands": list(commands), **parameters},
    )
    command = sent["Command"]["CommandId"]

    def finished() -> dict[str, Any] | None:
        seen = ssm.get_command_invocation(CommandId=command, InstanceId=instance)
        return None if seen["Status"] in ("Pending", "InProgress") else dict(seen)

    return aws.until(finished)


@gap
def test_output_and_exit_code_are_real(aws: Aws, master: str) -> None:
    seen = result(aws, master, "kubectl drain worker-1")
    assert (seen["Status"], seen["ResponseCode"]) == ("Success", 0)
    assert seen["StandardOutputContent"] == "node/worker-1 drained\n"


@gap
def test_failure_is_failure(aws: Aws, master: str) -> None:
    seen = result(aws, master, "kubectl fail worker-1")
    assert (seen["Status"], seen["ResponseCode"]) == ("Failed", 3)
    assert seen["StandardErrorContent"] == "no such node\n"


@gap
@pytest.mark.parametrize("command", ["/bin/ls /", "ls", "PATH=/bin ls", "cd / && kubectl"])
def test_nothing_else_can_be_run(aws: Aws, master: str, command: str) -> None:
    assert result(aws, master, command)["Status"] == "Failed"


@gap
def test_errors_can_be_joined_with_the_output(aws: Aws, master: str) -> None:
    seen = result(aws, master, "kubectl fail worker-1 2>&1 || echo kept")
    assert (seen["Status"], seen["StandardOutputContent"]) == ("Success", "no such node\nkept\n")


@gap
def test_execution_timeout(aws: Aws, master: str) -> None:
    seen = result(aws, master, "while :; do :; done", executionTimeout=["1"])
    assert seen["Status"] == "TimedOut"


@gap
def test_an_instance_without_agent_is_refused(aws: Aws, subnet: str) -> None:
    worker = run(aws, subnet, "k3s-worker")
    with pytest.raises(ClientError) as refusal:
        result(aws, worker, "kubectl drain worker-1")
    assert refusal.value.response["Error"]["Code"] == "InvalidInstanceId"


@gap
def test_the_agent_is_seen_online(aws: Aws, master: str) -> None:
    listed = aws.client("ssm").describe_instance_information()["InstanceInformationList"]
    assert {"InstanceId": master, "PingStatus": "Online"}.items() <= next(
        one for one in listed if one["InstanceId"] == master
    ).items()
