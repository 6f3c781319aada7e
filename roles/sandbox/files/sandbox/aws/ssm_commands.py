"""SSM RunCommand that runs: on instances with an agent, only from one directory of executables.

Stock moto answers "Success" with no output for everything, and for an instance that does not exist.
The script runs on this machine in a restricted shell whose PATH is that directory, so that it can call
the cluster's kubectl wrapper and nothing else.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.ssm.models import Command, SimpleSystemManagerBackend
from moto.ssm.responses import SimpleSystemManagerResponse

from sandbox.aws.cloud import Cloud
from sandbox.aws.refusals import Refusal

SCRIPT_DOCUMENT = "AWS-RunShellScript"
OUTPUT_LIMIT = 24000
DEFAULT_EXECUTION_SECONDS = 3600.0


def apply(cloud: Cloud) -> None:
    stock_send_command = SimpleSystemManagerBackend.send_command

    def send_command(self: Any, **wish: Any) -> Command:
        managed = {instance.id for instance in _managed(cloud, self.account_id, self.region_name)}
        if wish["document_name"] != SCRIPT_DOCUMENT:
            raise Refusal("InvalidDocument", f"the sandbox runs {SCRIPT_DOCUMENT} only", 400)
        targets = wish["targets"]
        if not targets:  # stock takes an empty list of targets for "every instance"
            wish["targets"] = [{"Key": "instance-id", "Values": list(wish["instance_ids"])}]
        strangers = sorted(set(wish["instance_ids"]) - managed)
        if strangers:
            text = f"Instances [[{', '.join(strangers)}]] not in a valid state for account {self.account_id}"
            raise Refusal("InvalidInstanceId", text, 400)
        command = stock_send_command(self, **wish)
        command.targets = targets
        command.invocations = [i for i in command.invocations if i["InstanceId"] in managed]
        command.instance_ids = [i["InstanceId"] for i in command.invocations]
        command.target_count, command.completed_count = len(command.invocations), 0
        command.status = command.status_details = "Pending"
        for invocation in command.invocations:
            invocation.update(_unfinished("Pending"))
        cloud.agenda.soon(lambda: _run(cloud, command))
        return command

    SimpleSystemManagerBackend.send_command = send_command  # type: ignore[assignment]  # moto types it narrowly
    _describe_agents(cloud)


def _describe_agents(cloud: Cloud) -> None:
    """DescribeInstanceInformation is how a caller sees that the master's agent is online; moto has none."""

    def describe_instance_information(self: Any) -> ActionResult:
        listed = [
            {
                "InstanceId": instance.id,
                "PingStatus": "Online",
                "PlatformType": "Linux",
                "ResourceType": "EC2Instance",
                "IPAddress": instance.private_ip,
            }
            for instance in _managed(cloud, self.current_account, self.region)
        ]
        return ActionResult({"InstanceInformationList": listed})

    SimpleSystemManagerResponse.describe_instance_information = (  # type: ignore[attr-defined]  # new in it
        describe_instance_information
    )


def _managed(cloud: Cloud, account: str, region: str) -> list[Any]:
    """Running instances with the tag that says "an agent runs here" (the master's)."""
    key, value = cloud.ssm_tag
    return [
        instance
        for instance in ec2_backends[account][region].all_instances()
        if instance.state == "running"
        and any(tag["key"] == key and tag["value"] == value for tag in instance.get_tags())
    ]


def _unfinished(status: str) -> dict[str, Any]:
    return {
        "Status": status,
        "StatusDetails": status,
        "ResponseCode": -1,
        "ExecutionStartDateTime": "",
        "ExecutionEndDateTime": "",
        "ExecutionElapsedTime": "",
    }


def _run(cloud: Cloud, command: Command) -> None:
    command.status = command.status_details = "InProgress"
    for invocation in command.invocations:
        started = datetime.now(UTC)
        began = time.monotonic()
        invocation.update(_unfinished("InProgress"), ExecutionStartDateTime=_stamp(started))
        status, code, output, errors = _shell(cloud.ssm_executables, command.parameters)
        invocation.update(
            {
                "Status": status,
                "StatusDetails": "Execution Timed Out" if status == "TimedOut" else status,
                "ResponseCode": code,
                "StandardOutputContent": output[:OUTPUT_LIMIT],
                "StandardErrorContent": errors[:OUTPUT_LIMIT],
                "ExecutionEndDateTime": _stamp(datetime.now(UTC)),
                "ExecutionElapsedTime": f"PT{time.monotonic() - began:.3f}S",
            }
        )
        command.completed_count += 1
        command.error_count += status != "Success"
    worst = next((i["Status"] for i in command.invocations if i["Status"] != "Success"), "Success")
    command.status = command.status_details = worst


def _shell(executables: Path | None, parameters: dict[str, Any]) -> tuple[str, int, str, str]:
    if executables is None:
        return "Failed", 127, "", "no directory of executables was given to the sandbox"
    script = "\n".join(parameters.get("commands", []))
    limit = float((parameters.get("executionTimeout") or [DEFAULT_EXECUTION_SECONDS])[0])
    shell = ["/bin/bash", "--noprofile", "--norc", "--restricted", "-c", script]
    environment = {"PATH": str(executables), "LANG": "C.UTF-8", "HOME": str(executables)}
    process = subprocess.Popen(
        shell,
        env=environment,
        cwd=executables,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        _end_session(process)
        output, errors = process.communicate()
        return "TimedOut", -1, output, errors
    return ("Success" if process.returncode == 0 else "Failed"), process.returncode, output, errors


def _end_session(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
