"""A NAT gateway's tags are found by the name that AWS gives its kind."""

from __future__ import annotations

import pytest

from .servers import Aws


@pytest.mark.gap("patches.nat_tags")
def test_tags_are_found_by_natgateway(aws: Aws, subnet: str) -> None:
    ec2 = aws.client("ec2")
    tags = [{"ResourceType": "natgateway", "Tags": [{"Key": "Name", "Value": "fleet"}]}]
    made = ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private", TagSpecifications=tags)
    gateway = made["NatGateway"]["NatGatewayId"]
    wanted = [
        {"Name": "resource-id", "Values": [gateway]},
        {"Name": "resource-type", "Values": ["natgateway"]},
    ]
    assert [tag["Value"] for tag in ec2.describe_tags(Filters=wanted)["Tags"]] == ["fleet"]
