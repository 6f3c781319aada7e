"""What a role may do: asked for by the hypervisor, and enforced for functions where that is switched on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from . import functions
from .servers import REGION, Aws, our_server, stop

LISTER = """
import boto3

def handler(event, context):
    return boto3.client("dynamodb").list_tables()["TableNames"]
"""
TABLE = f"arn:aws:dynamodb:{REGION}:{functions.ACCOUNT}:table/"


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    directory: Path = tmp_path_factory.mktemp("strict") / "aws"
    process, aws = our_server(directory, "--speed", "0", "--enforce-roles")
    yield aws
    stop(process)


def grant(aws: Aws, role: str, *statements: dict[str, Any]) -> None:
    document = json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
    aws.client("iam").put_role_policy(RoleName=role, PolicyName="only", PolicyDocument=document)


def may(aws: Aws, role: str, action: str, resource: str) -> bool:
    arn = f"arn:aws:iam::{functions.ACCOUNT}:role/{role}"
    asked = urlencode({"role": arn, "action": action, "resource": resource})
    return bool(aws.control("GET", f"may?{asked}")["allowed"])


def test_ec2_refuses_in_its_own_words(strict: Aws, name: str) -> None:
    source = "import boto3\ndef handler(e, c):\n    return len(boto3.client('ec2').describe_vpcs()['Vpcs'])\n"
    functions.deploy(strict, name, source)
    refused = json.loads(strict.client("lambda").invoke(FunctionName=name)["Payload"].read())
    assert "UnauthorizedOperation" in refused["errorMessage"]
    grant(strict, f"{name}-role", {"Effect": "Allow", "Action": "ec2:DescribeVpcs", "Resource": "*"})
    assert json.loads(strict.client("lambda").invoke(FunctionName=name)["Payload"].read()) >= 1


def test_a_function_is_held_to_its_role(strict: Aws, name: str) -> None:
    """Stock moto lets everyone do everything, but runs no function: so there is nothing to compare."""
    aws = strict
    source = "import boto3\ndef handler(e, c):\n    return boto3.client('dynamodb').list_tables()['TableNames']"
    functions.deploy(aws, name, source)
    refused = json.loads(aws.client("lambda").invoke(FunctionName=name)["Payload"].read())
    assert "AccessDeniedException" in refused["errorMessage"]
    assert "dynamodb:ListTables" in refused["errorMessage"]
    grant(aws, f"{name}-role", {"Effect": "Allow", "Action": "dynamodb:List*", "Resource": "*"})
    assert json.loads(aws.client("lambda").invoke(FunctionName=name)["Payload"].read()) == []


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        pytest.param([], False, id="nothing-granted"),
        pytest.param(
            [{"Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": f"{TABLE}state"}],
            True,
            id="granted",
        ),
        pytest.param([{"Effect": "Allow", "Action": ["dynamodb:*"], "Resource": "*"}], True, id="wildcards"),
        pytest.param(
            [{"Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": f"{TABLE}logs"}],
            False,
            id="other-table",
        ),
        pytest.param(
            [
                {"Effect": "Allow", "Action": "*", "Resource": "*"},
                {"Effect": "Deny", "Action": "dynamodb:Put*", "Resource": "*"},
            ],
            False,
            id="deny-wins",
        ),
    ],
)
def test_a_role_may(ours: Aws, name: str, statements: list[dict[str, Any]], expected: bool) -> None:
    ours.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=functions.ROLE_POLICY)
    if statements:
        grant(ours, name, *statements)
    assert may(ours, name, "dynamodb:PutItem", f"{TABLE}state") is expected


def test_a_managed_policy_counts_through_the_instance_profile(ours: Aws, name: str) -> None:
    iam = ours.client("iam")
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=functions.ROLE_POLICY)
    profile = iam.create_instance_profile(InstanceProfileName=name)["InstanceProfile"]["Arn"]
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    iam.attach_role_policy(RoleName=name, PolicyArn="arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore")
    asked = urlencode({"role": profile, "action": "ssm:UpdateInstanceInformation", "resource": "*"})
    assert ours.control("GET", f"may?{asked}") == {"allowed": True}
