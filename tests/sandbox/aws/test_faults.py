"""What goes wrong on demand goes wrong as on AWS: the same codes, the same statuses."""

from __future__ import annotations

import urllib.error
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from .servers import REGION, Aws

pytestmark = pytest.mark.parametrize("aws", ["ours"], indirect=True)
SPOT = {"InstanceMarketOptions": {"MarketType": "spot", "SpotOptions": {"MaxPrice": "0.005"}}}


@pytest.fixture(autouse=True)
def no_fault_stays(aws: Aws) -> Iterator[None]:
    yield
    aws.control("DELETE", "faults")


def run(aws: Aws, subnet: str, **more: Any) -> str:
    wish = {"ImageId": "ami-12c6146b", "InstanceType": "t3.small", "MinCount": 1, "MaxCount": 1, **more}
    return str(aws.client("ec2").run_instances(SubnetId=subnet, **wish)["Instances"][0]["InstanceId"])


def refusal(aws: Aws, subnet: str, **more: Any) -> tuple[str, int]:
    with pytest.raises(ClientError) as refused:
        run(aws, subnet, **more)
    return refused.value.response["Error"]["Code"], refused.value.response["ResponseMetadata"]["HTTPStatusCode"]


@pytest.mark.parametrize(
    ("fault", "launch", "expected"),
    [
        pytest.param({"kind": "no_capacity"}, SPOT, ("InsufficientInstanceCapacity", 500), id="no-capacity"),
        pytest.param(
            {"kind": "no_capacity", "lifecycle": "on-demand"},
            {},
            ("InsufficientInstanceCapacity", 500),
            id="no-capacity-on-demand",
        ),
        pytest.param(
            {"kind": "quota_reached", "lifecycle": "spot"},
            SPOT,
            ("MaxSpotInstanceCountExceeded", 400),
            id="spot-quota",
        ),
        pytest.param(
            {"kind": "quota_reached", "lifecycle": "on-demand"},
            {},
            ("VcpuLimitExceeded", 400),
            id="vcpu-quota",
        ),
        pytest.param({"kind": "price_too_low", "minimum": 0.007}, SPOT, ("SpotMaxPriceTooLow", 400), id="price"),
        pytest.param(
            {"kind": "throttle", "service": "ec2", "action": "RunInstances"},
            {},
            ("RequestLimitExceeded", 503),
            id="throttled",
        ),
    ],
)
def test_a_launch_is_refused(
    aws: Aws, subnet: str, fault: dict[str, Any], launch: dict[str, Any], expected: tuple[str, int]
) -> None:
    aws.control("PUT", "faults", **fault)
    assert refusal(aws, subnet, **launch) == expected
    aws.control("DELETE", "faults")
    assert run(aws, subnet, **launch)


@pytest.mark.parametrize(
    ("fault", "launch"),
    [
        pytest.param({"kind": "no_capacity", "zone": f"{REGION}b"}, SPOT, id="other-zone"),
        pytest.param({"kind": "no_capacity", "instance_type": "t3.medium"}, SPOT, id="other-type"),
        pytest.param({"kind": "no_capacity", "lifecycle": "spot"}, {}, id="other-lifecycle"),
        pytest.param({"kind": "price_too_low", "minimum": 0.004}, SPOT, id="price-is-enough"),
        pytest.param({"kind": "quota_reached", "lifecycle": "spot", "limit": 1000}, SPOT, id="below-quota"),
        pytest.param({"kind": "throttle", "service": "ec2", "action": "TerminateInstances"}, {}, id="other-call"),
    ],
)
def test_others_are_not_concerned(aws: Aws, subnet: str, fault: dict[str, Any], launch: dict[str, Any]) -> None:
    aws.control("PUT", "faults", **fault)
    assert run(aws, subnet, **launch)


def test_times_use_a_fault_up(aws: Aws, subnet: str) -> None:
    aws.control("PUT", "faults", kind="no_capacity", times=2)
    assert refusal(aws, subnet, **SPOT)[0] == "InsufficientInstanceCapacity"
    assert refusal(aws, subnet, **SPOT)[0] == "InsufficientInstanceCapacity"
    assert run(aws, subnet, **SPOT)


def test_the_sdk_retries_a_throttled_call(aws: Aws) -> None:
    aws.control("PUT", "faults", kind="throttle", service="ec2", action="DescribeInstances", times=2)
    patient = boto3.client(
        "ec2",
        endpoint_url=aws.url,
        region_name=REGION,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
        config=Config(retries={"total_max_attempts": 4, "mode": "standard"}),
    )
    answer = patient.describe_instances()
    assert answer["ResponseMetadata"]["RetryAttempts"] == 2


@pytest.mark.parametrize(
    ("service", "call", "expected"),
    [
        ("dynamodb", "list_tables", ("ProvisionedThroughputExceededException", 400)),
        ("lambda", "list_functions", ("TooManyRequestsException", 429)),
        ("ssm", "describe_parameters", ("ThrottlingException", 400)),
        ("cloudwatch", "list_metrics", ("Throttling", 400)),
        ("secretsmanager", "list_secrets", ("ThrottlingException", 400)),
    ],
)
def test_each_service_throttles_in_its_own_words(aws: Aws, service: str, call: str, expected: tuple[str, int]) -> None:
    aws.control("PUT", "faults", kind="throttle", service=service)
    with pytest.raises(ClientError) as refused:
        getattr(aws.client(service), call)()
    answer = refused.value.response
    assert (answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]) == expected


def test_a_launch_through_a_template_is_refused_by_its_zone(aws: Aws, name: str, subnet: str) -> None:
    content = {
        "ImageId": "ami-12c6146b",
        "InstanceType": "t3.small",
        "InstanceMarketOptions": {"MarketType": "spot"},
    }
    ec2 = aws.client("ec2")
    ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=content)
    where = {"zone": f"{REGION}a", "instance_type": "t3.small", "lifecycle": "spot"}
    aws.control("PUT", "faults", kind="no_capacity", **where)
    with pytest.raises(ClientError) as refused:
        ec2.run_instances(LaunchTemplate={"LaunchTemplateName": name}, SubnetId=subnet, MinCount=1, MaxCount=1)
    assert refused.value.response["Error"]["Code"] == "InsufficientInstanceCapacity"


@pytest.mark.parametrize(
    "wish",
    [
        {"kind": "flood"},
        {"kind": "no_capacity", "zona": "a"},
        {"kind": "no_capacity", "times": 0},
        {"kind": "price_too_low"},
        {"kind": "spot_notice", "instance_id": "i-0"},
        {"kind": "quota_reached", "lifecycle": "reserved"},
    ],
)
def test_a_wrong_fault_is_refused_with_the_reason(aws: Aws, wish: dict[str, Any]) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        aws.control("PUT", "faults", **wish)
    assert refused.value.code == 400


def test_faults_can_be_named_listed_and_removed(aws: Aws) -> None:
    aws.control("PUT", "faults/drill", kind="no_capacity", zone=f"{REGION}a")
    [fault] = aws.control("GET", "faults")["faults"]
    assert (fault["id"], fault["where"]) == ("drill", {"zone": f"{REGION}a"})
    assert aws.control("DELETE", "faults/drill") == {"removed": 1}
    assert aws.control("GET", "faults")["faults"] == []
