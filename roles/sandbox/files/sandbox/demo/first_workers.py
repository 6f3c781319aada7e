"""The workers that the sale begins with: EC2 instances from a launch template, as the engine will launch them.

The roles that will provision profile and template on every inventory come later; until then the demo makes its own.
"""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sandbox.cluster.api import ClusterApi, Document
from sandbox.cluster.nodes import CONTROL_PLANE, INSTANCE_ID, is_ready, remove_node
from sandbox.master import TOKEN_SECRET, client
from sandbox.polling import until
from sandbox.whole import REGION, Sandbox

ZONES = (f"{REGION}a", f"{REGION}b")
# One more than the policy's minimum: as nothing acts on decisions yet, only so a scale-down can be decided, too.
FIRST_WORKERS = 3
NAME = "node-fleet-demo-worker"
TAGS = {"Project": "node-fleet", "Role": "k3s-worker", "ManagedBy": "demo", "Cluster": "node-fleet-prod"}
JOIN_SECONDS = 60
_IMAGE = "ami-12c6146b"  # one of moto's own: nothing is booted from it, the hypervisor reads the user data
_USER_DATA = """#!/bin/bash
set -euo pipefail
TOKEN=$(aws secretsmanager get-secret-value --secret-id {secret} --region {region} --query SecretString --output text)
curl -sfL https://get.k3s.io | K3S_URL=https://{master}:6443 K3S_TOKEN="$TOKEN" sh -
"""


@dataclass(frozen=True)
class FirstWorkers:
    """Any number of times: what an earlier demo, or one that was cut short, left behind is used or removed."""

    api: ClusterApi
    sandbox: Sandbox
    say: Callable[[str], None]

    def ensure(self, count: int = FIRST_WORKERS) -> None:
        alive = {instance["InstanceId"] for instance in self._instances("k3s-worker")}
        for node in self._nodes():
            if node["metadata"]["labels"].get(INSTANCE_ID) not in alive:
                remove_node(self.api, node["metadata"]["name"], with_pods=True)
                self.say(f"{node['metadata']['name']} had lost its instance and is gone")
        if len(alive) < count:
            self._ensure_profile()
            self._ensure_template()
        for number in range(len(alive), count):
            self._launch(ZONES[number % len(ZONES)], is_spot=number > 0)
        wanted = f"{count} workers have joined (their consoles say why not: aws ec2 get-console-output)"
        until(lambda: sum(map(is_ready, self._nodes())) >= count, JOIN_SECONDS, wanted, every=0.5)

    def _launch(self, zone: str, *, is_spot: bool) -> None:
        answer = self._client("ec2").run_instances(
            MinCount=1,
            MaxCount=1,
            LaunchTemplate={"LaunchTemplateName": NAME, "Version": "$Latest"},
            Placement={"AvailabilityZone": zone},
            **({"InstanceMarketOptions": {"MarketType": "spot"}} if is_spot else {}),
        )
        kind = "Spot" if is_spot else "On-Demand"
        self.say(f"{answer['Instances'][0]['InstanceId']} launched in {zone} ({kind})")

    def _ensure_profile(self) -> None:
        """A role that may read the join token and nothing else."""
        iam = self._client("iam")
        trust = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
        token = "arn:aws:secretsmanager:*:*:secret:node-fleet/k3s-token-*"
        read = {"Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": token}
        with contextlib.suppress(iam.exceptions.EntityAlreadyExistsException):
            iam.create_role(RoleName=NAME, AssumeRolePolicyDocument=_policy(trust))
        iam.put_role_policy(RoleName=NAME, PolicyName="read-join-token", PolicyDocument=_policy(read))
        with contextlib.suppress(iam.exceptions.EntityAlreadyExistsException):
            iam.create_instance_profile(InstanceProfileName=NAME)
        with contextlib.suppress(ClientError):  # it has its one role already
            iam.add_role_to_instance_profile(InstanceProfileName=NAME, RoleName=NAME)

    def _ensure_template(self) -> None:
        """Anew each time: the master of an AWS that was started anew has another address."""
        ec2 = self._client("ec2")
        master = next(iter(self._instances("k3s-master")))["PrivateIpAddress"]
        script = _USER_DATA.format(secret=TOKEN_SECRET, region=REGION, master=master)
        tags = [{"Key": key, "Value": value} for key, value in TAGS.items()]
        data = {
            "ImageId": _IMAGE,
            "InstanceType": "t3.small",
            "IamInstanceProfile": {"Name": NAME},
            "MetadataOptions": {"HttpTokens": "required"},
            "UserData": base64.b64encode(script.encode()).decode(),
            "TagSpecifications": [{"ResourceType": "instance", "Tags": tags}],
        }
        with contextlib.suppress(ClientError):  # there is none yet
            ec2.delete_launch_template(LaunchTemplateName=NAME)
        ec2.create_launch_template(LaunchTemplateName=NAME, LaunchTemplateData=data)

    def _instances(self, role: str) -> list[dict[str, Any]]:
        filters = [
            {"Name": "tag:Role", "Values": [role]},
            {"Name": "instance-state-name", "Values": ["pending", "running"]},
        ]
        pages = self._client("ec2").describe_instances(Filters=filters)["Reservations"]
        return [instance for page in pages for instance in page["Instances"]]

    def _nodes(self) -> list[Document]:
        return [node for node in self.api.items("/api/v1/nodes") if CONTROL_PLANE not in node["metadata"]["labels"]]

    def _client(self, service: str) -> Any:
        return client(service, self.sandbox.aws_url, REGION)


def _policy(statement: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})
