"""Lambda functions for the tests: small sources, zipped and deployed as a role would deploy them."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from .servers import REGION, Aws

ACCOUNT = "123456789012"
ROLE_POLICY = json.dumps({"Version": "2012-10-17", "Statement": []})

RECORDER = """
import json, os
import boto3

def handler(event, context):
    print("got", json.dumps(event))
    boto3.client("dynamodb").put_item(
        TableName=os.environ["TABLE"],
        Item={"cluster_id": {"S": context.aws_request_id}, "event": {"S": json.dumps(event)}},
    )
    if os.environ.get("FAIL"):
        raise RuntimeError("as asked")
"""


def zipped(source: str) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as package:
        package.writestr("app.py", source)
    return archive.getvalue()


def deploy(aws: Aws, name: str, source: str, **more: Any) -> str:
    """Its arn. Anyone but Lambda itself still needs a permission: see `allow`."""
    iam = aws.client("iam")
    role = iam.create_role(RoleName=f"{name}-role", AssumeRolePolicyDocument=ROLE_POLICY)["Role"]["Arn"]
    made = aws.client("lambda").create_function(
        FunctionName=name,
        Runtime="python3.11",
        Role=role,
        Handler="app.handler",
        Code={"ZipFile": zipped(source)},
        **{"Timeout": 10, "MemorySize": 256, **more},
    )
    return str(made["FunctionArn"])


def allow(aws: Aws, name: str, service: str, source_arn: str) -> None:
    aws.client("lambda").add_permission(
        FunctionName=name,
        StatementId=service.split(".", maxsplit=1)[0],
        Action="lambda:InvokeFunction",
        Principal=service,
        SourceArn=source_arn,
    )


def deploy_recorder(aws: Aws, name: str, table: str, **variables: str) -> str:
    """A function that writes each event that it gets into the table."""
    return deploy(aws, name, RECORDER, Environment={"Variables": {"TABLE": table, **variables}})


def recorded(aws: Aws, table: str) -> list[Any]:
    items = aws.client("dynamodb").scan(TableName=table)["Items"]
    return [json.loads(item["event"]["S"]) for item in items]


def log_messages(aws: Aws, name: str) -> list[str]:
    logs = aws.client("logs")
    try:
        found = logs.filter_log_events(logGroupName=f"/aws/lambda/{name}")["events"]
    except logs.exceptions.ResourceNotFoundException:  # it has not run yet
        return []
    return [event["message"] for event in found]


def rule_arn(name: str) -> str:
    return f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{name}"
