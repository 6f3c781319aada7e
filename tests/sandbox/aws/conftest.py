"""Two real servers for a session: stock moto, and ours. A test marked `gap` must fail on the first."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError

from .servers import REGION, Aws, our_server, stock_server, stop


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    process, aws = stock_server(tmp_path_factory.mktemp("stock") / "log")
    yield aws
    stop(process)


@pytest.fixture(scope="session")
def executables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The only commands that RunCommand may run: a stand-in for the cluster's kubectl wrapper."""
    directory = tmp_path_factory.mktemp("executables")
    kubectl = directory / "kubectl"
    kubectl.write_text('#!/bin/sh\n[ "$1" = fail ] && { echo "no such node" >&2; exit 3; }\necho "node/$2 drained"\n')
    kubectl.chmod(0o755)
    return directory


@pytest.fixture(scope="session")
def ours(tmp_path_factory: pytest.TempPathFactory, executables: Path) -> Iterator[Aws]:
    """Its clock stands still: a test moves it with `advance`, and nothing happens behind its back."""
    directory = tmp_path_factory.mktemp("ours")
    process, aws = our_server(directory / "aws", "--speed", "0", "--ssm-executables", str(executables))
    yield aws
    stop(process)


@pytest.fixture(params=["ours", "stock"])
def aws(request: pytest.FixtureRequest) -> Aws:
    chosen: Aws = request.getfixturevalue(request.param)
    return chosen


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """A test of a gap passes on stock moto by failing there; if it does not, the patch has had its day."""
    outcome: Any = yield
    callspec = getattr(pyfuncitem, "callspec", None)
    if pyfuncitem.get_closest_marker("gap") and callspec and callspec.params.get("aws") == "stock":
        if outcome.excinfo is None:
            outcome.force_exception(pytest.fail.Exception("remove this patch", pytrace=False))
        elif isinstance(outcome.excinfo[1], (Exception, pytest.fail.Exception)) and not isinstance(
            outcome.excinfo[1], (EndpointConnectionError, ConnectionClosedError)
        ):
            pyfuncitem.add_report_section("call", "stock moto", repr(outcome.excinfo[1]))  # see it with -rP
            outcome.force_result(True)  # a stock server that is not there proves nothing


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gap(patch): stock moto must fail this; the patch closes it")


@pytest.fixture
def name() -> str:
    """Unique per test: servers live for a session, so nothing may be shared by name."""
    return f"t-{uuid.uuid4().hex[:10]}"


@pytest.fixture
def subnet(aws: Aws) -> str:
    """A subnet of its own VPC in zone a."""
    ec2 = aws.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    made = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/20", AvailabilityZone=f"{REGION}a")
    return str(made["Subnet"]["SubnetId"])


@pytest.fixture
def table(aws: Aws, name: str) -> Iterator[str]:
    dynamodb = aws.client("dynamodb")
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "cluster_id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "cluster_id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    yield name
    dynamodb.delete_table(TableName=name)
