"""RunInstances brings as many as asked for, not as few as allowed."""

from __future__ import annotations

import pytest

from .servers import Aws


@pytest.mark.gap("patches.max_count")
def test_launches_max_count(aws: Aws, subnet: str) -> None:
    answer = aws.client("ec2").run_instances(
        ImageId="ami-12c6146b", InstanceType="t3.small", SubnetId=subnet, MinCount=1, MaxCount=3
    )
    assert len(answer["Instances"]) == 3
