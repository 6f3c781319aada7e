"""NAT gateways are called `natgateway` in tag filters, as in AWS; moto calls them `nat-gateway`.

Ansible's ec2_vpc_nat_gateway reads tags back with that filter and otherwise sees a change at every run.
"""

from __future__ import annotations

from moto.ec2 import utils

from sandbox.aws.cloud import Cloud


def apply(cloud: Cloud) -> None:
    del cloud
    utils.EC2_PREFIX_TO_RESOURCE[utils.EC2_RESOURCE_TO_PREFIX["nat-gateway"]] = "natgateway"
