"""A repeated RunInstances launches nothing twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .servers import Aws

pytestmark = pytest.mark.gap("patches.client_token")


def run(aws: Aws, subnet: str, token: str, **changes: Any) -> dict[str, Any]:
    wish = {"ImageId": "ami-12c6146b", "InstanceType": "t3.small", "MinCount": 2, "MaxCount": 2, **changes}
    answer: dict[str, Any] = aws.client("ec2").run_instances(SubnetId=subnet, ClientToken=token, **wish)
    return answer


def ids(answer: dict[str, Any]) -> list[str]:
    return [instance["InstanceId"] for instance in answer["Instances"]]


def test_same_token_same_answer(aws: Aws, name: str, subnet: str) -> None:
    first, second = run(aws, subnet, name), run(aws, subnet, name)
    assert ids(first) == ids(second)
    assert first["ReservationId"] == second["ReservationId"]


def test_twenty_at_once_launch_one_pair(aws: Aws, name: str, subnet: str) -> None:
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: tuple(ids(run(aws, subnet, name))), range(20)))
    assert len(set(answers)) == 1


def test_other_parameters_are_refused(aws: Aws, name: str, subnet: str) -> None:
    run(aws, subnet, name)
    with pytest.raises(ClientError) as refusal:
        run(aws, subnet, name, InstanceType="t3.medium")
    assert refusal.value.response["Error"]["Code"] == "IdempotentParameterMismatch"
    assert refusal.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_token_of_a_terminated_launch_is_refused(aws: Aws, name: str, subnet: str) -> None:
    aws.client("ec2").terminate_instances(InstanceIds=ids(run(aws, subnet, name)))
    aws.advance(60)
    with pytest.raises(ClientError) as refusal:
        run(aws, subnet, name)
    assert refusal.value.response["Error"]["Code"] == "IdempotentInstanceTerminated"
