"""The master: an instance of the sandbox's EC2, its node, the join token it publishes, its RunCommand."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import boto3

from sandbox.binaries.find import find
from sandbox.binaries.pins import RELEASES
from sandbox.cluster.api import ApiError
from sandbox.cluster.lifecycle import Cluster
from sandbox.cluster.nodes import INSTANCE_ID, NodeWish, add_node, remove_node
from sandbox.cluster.passwords import remembered_password
from sandbox.polling import until

NAME = "k3s-master"
ROLE = "k3s-master"
TOKEN_SECRET = "node-fleet/k3s-token"
_TYPE = "t3.medium"
_IMAGE = "ami-12c6146b"  # one of moto's own: any name does, nothing is booted from it
_BOOT_SECONDS = 30


def ensure_master(cluster: Cluster, aws_url: str, region: str) -> str:
    """The private address of a running master that is a node of the cluster; any number of times."""
    instance = until(lambda: _running_master(aws_url, region), _BOOT_SECONDS, "the master's instance runs")
    _ensure_node(cluster, instance)
    _ensure_token(cluster, aws_url, region)
    return str(instance["PrivateIpAddress"])


def write_executables(cluster: Cluster) -> Path:
    """What RunCommand may run on the master: kubectl with the master's own rights, if there is a kubectl."""
    directory = cluster.layout.root / "master-bin"
    directory.mkdir(exist_ok=True, mode=0o700)
    release = next(release for release in RELEASES if release.name == "kubectl")
    kubectl = find(release, release.binaries[0])
    if kubectl is not None:
        wrapper = directory / "kubectl"
        wrapper.write_text(f'#!/bin/sh\nexec {kubectl} --kubeconfig={cluster.kubeconfig} "$@"\n')
        wrapper.chmod(0o700)
    return directory


def client(service: str, aws_url: str, region: str) -> Any:
    """Keys are given, not looked for: the sandbox must never pick up the caller's own."""
    return boto3.client(
        service,
        endpoint_url=aws_url,
        region_name=region,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )


def _running_master(aws_url: str, region: str) -> dict[str, Any] | None:
    ec2 = client("ec2", aws_url, region)
    filters = [
        {"Name": "tag:Role", "Values": [ROLE]},
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
    ]
    found = [
        instance
        for reservation in ec2.describe_instances(Filters=filters)["Reservations"]
        for instance in reservation["Instances"]
    ]
    if not found:
        tags = [{"Key": "Role", "Value": ROLE}, {"Key": "Name", "Value": NAME}]
        ec2.run_instances(
            ImageId=_IMAGE,
            InstanceType=_TYPE,
            MinCount=1,
            MaxCount=1,
            Placement={"AvailabilityZone": f"{region}a"},
            TagSpecifications=[{"ResourceType": "instance", "Tags": tags}],
        )
    return next((instance for instance in found if instance["State"]["Name"] == "running"), None)


def _ensure_node(cluster: Cluster, instance: dict[str, Any]) -> None:
    """A node left by an instance of an earlier account makes way: a provider id cannot be changed."""
    api = cluster.admin()
    with contextlib.closing(api):
        try:
            node = api.get(f"/api/v1/nodes/{NAME}")
            if node["metadata"]["labels"].get(INSTANCE_ID) == instance["InstanceId"]:
                return
        except ApiError as problem:
            if problem.status != 404:
                raise
        remove_node(api, NAME)
        wish = NodeWish(
            NAME,
            zone=instance["Placement"]["AvailabilityZone"],
            instance_type=instance["InstanceType"],
            instance_id=instance["InstanceId"],
            address=instance["PrivateIpAddress"],
            is_master=True,
        )
        add_node(api, wish)


def _ensure_token(cluster: Cluster, aws_url: str, region: str) -> None:
    """K3s makes a token when it starts, and its master publishes it for workers; one that is there stays."""
    secrets = client("secretsmanager", aws_url, region)
    token = remembered_password(cluster.layout.secrets / "k3s-token")
    with contextlib.suppress(secrets.exceptions.ResourceExistsException):
        secrets.create_secret(Name=TOKEN_SECRET, SecretString=token)
