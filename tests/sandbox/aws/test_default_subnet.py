"""An instance always has an address of its subnet."""

from __future__ import annotations

import ipaddress

import pytest

from .servers import REGION, Aws


@pytest.mark.gap("patches.default_subnet")
def test_without_a_subnet_the_default_one_is_taken(aws: Aws) -> None:
    ec2 = aws.client("ec2")
    [instance] = ec2.run_instances(
        ImageId="ami-12c6146b",
        InstanceType="t3.small",
        MinCount=1,
        MaxCount=1,
        Placement={"AvailabilityZone": f"{REGION}b"},
    )["Instances"]
    [subnet] = ec2.describe_subnets(SubnetIds=[instance["SubnetId"]])["Subnets"]
    assert subnet["AvailabilityZone"] == f"{REGION}b"
    assert ipaddress.ip_address(instance["PrivateIpAddress"]) in ipaddress.ip_network(subnet["CidrBlock"])
