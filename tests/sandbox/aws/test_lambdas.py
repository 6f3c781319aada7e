"""Functions run from their zip, with Lambda's context, limits, logs and errors."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from . import functions
from .servers import Aws

gap = pytest.mark.gap("lambdas.moto_lambda")
ECHO = """
import os, time
started = time.time()
count = 0

def handler(event, context):
    global count
    count += 1
    return {
        "event": event, "count": count, "pid": os.getpid(), "table": os.environ.get("TABLE"),
        "name": context.function_name, "memory": context.memory_limit_in_mb,
        "arn": context.invoked_function_arn,
        "id": context.aws_request_id, "left": context.get_remaining_time_in_millis(),
    }
"""


def invoke(aws: Aws, name: str, event: Any = None, **more: Any) -> tuple[Any, dict[str, Any]]:
    answer = aws.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event or {}), **more)
    body = answer["Payload"].read()
    return (json.loads(body) if body else None), answer


@gap
def test_it_runs_with_its_context(aws: Aws, name: str) -> None:
    arn = functions.deploy(aws, name, ECHO, Timeout=7, Environment={"Variables": {"TABLE": "state"}})
    said, answer = invoke(aws, name, {"workers": 3})
    assert answer["StatusCode"] == 200
    assert said["event"] == {"workers": 3}
    assert (said["name"], said["memory"], said["arn"], said["table"]) == (name, "256", arn, "state")
    assert 5000 < said["left"] <= 7000


@gap
def test_warm_environment_is_used_again_until_the_code_changes(aws: Aws, name: str) -> None:
    functions.deploy(aws, name, ECHO)
    first, second = invoke(aws, name)[0], invoke(aws, name)[0]
    assert (first["count"], second["count"], first["pid"] == second["pid"]) == (1, 2, True)
    aws.client("lambda").update_function_code(FunctionName=name, ZipFile=functions.zipped(ECHO + "\n# new"))
    assert invoke(aws, name)[0]["count"] == 1


@gap
def test_logs_have_start_lines_end_and_report(aws: Aws, name: str) -> None:
    source = "import logging\ndef handler(e, c):\n    print('hello')\n    logging.warning('careful')\n"
    functions.deploy(aws, name, source)
    _, answer = invoke(aws, name, LogType="Tail")
    lines = functions.log_messages(aws, name)
    assert re.match(r"START RequestId: [0-9a-f-]{36} Version: \$LATEST", lines[0])
    assert lines[1].strip() == "hello"
    assert re.match(r"\[WARNING\]\t\S+Z\t[0-9a-f-]{36}\tcareful", lines[2])
    assert lines[3].startswith("END RequestId: ")
    assert re.match(r"REPORT .*\tDuration: .* ms\t.*Memory Size: 256 MB\t.*Init Duration: ", lines[4])
    assert "LogResult" in answer


@gap
def test_a_talkative_function_is_heard_to_the_end(aws: Aws, name: str) -> None:
    functions.deploy(aws, name, "def handler(e, c):\n    for n in range(3000):\n        print(n, 'x' * 100)\n")
    assert invoke(aws, name)[0] is None
    pages = aws.client("logs").get_paginator("filter_log_events").paginate(logGroupName=f"/aws/lambda/{name}")
    lines = [event["message"] for page in pages for event in page["events"]]
    numbers = [int(line.split()[0]) for line in lines if "xxx" in line]
    assert numbers == list(range(3000))


@gap
def test_an_exception_comes_back_as_json(aws: Aws, name: str) -> None:
    functions.deploy(aws, name, "def handler(e, c):\n    raise ValueError('no workers')\n")
    said, answer = invoke(aws, name)
    assert answer["FunctionError"] == "Unhandled"
    assert (said["errorType"], said["errorMessage"]) == ("ValueError", "no workers")
    assert "app.py" in said["stackTrace"][0]
    traceback = [line for line in functions.log_messages(aws, name) if "ValueError" in line]
    assert traceback[0].startswith("[ERROR] ValueError: no workers\nTraceback")


@gap
@pytest.mark.parametrize(
    ("source", "error"),
    [
        pytest.param("import moto", "Runtime.ImportModuleError", id="package-that-lambda-lacks"),
        pytest.param("x = 1", "Runtime.HandlerNotFound", id="no-handler"),
        pytest.param("def handler(e, c):\n    import os; os._exit(3)", "Runtime.ExitError", id="exits"),
    ],
)
def test_a_broken_function_says_how(aws: Aws, name: str, source: str, error: str) -> None:
    functions.deploy(aws, name, source)
    said, answer = invoke(aws, name)
    assert (answer["FunctionError"], said["errorType"]) == ("Unhandled", error)


@gap
def test_timeout_ends_it(aws: Aws, name: str) -> None:
    functions.deploy(aws, name, "import time\ndef handler(e, c):\n    time.sleep(30)\n", Timeout=1)
    said, answer = invoke(aws, name)
    assert answer["FunctionError"] == "Unhandled"
    assert said["errorType"] == "Sandbox.Timedout"
    assert said["errorMessage"].endswith("Task timed out after 1.00 seconds")
    assert "Status: timeout" in functions.log_messages(aws, name)[-1]


@gap
def test_too_much_memory_ends_it(aws: Aws, name: str) -> None:
    source = "def handler(e, c):\n    x = b'x' * 200_000_000\n    return len(x)\n"
    functions.deploy(aws, name, source, MemorySize=128)
    said, _ = invoke(aws, name)
    assert said["errorType"] == "Runtime.ExitError"
    assert said["errorMessage"].endswith("signal: killed")


@gap
def test_reserved_concurrency_is_honoured(aws: Aws, name: str) -> None:
    functions.deploy(aws, name, "import time\ndef handler(e, c):\n    time.sleep(2)\n    return 'done'\n")
    aws.client("lambda").put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=1)

    def outcome(_: int) -> str:
        try:
            return str(invoke(aws, name)[0])
        except ClientError as refusal:
            status = refusal.response["ResponseMetadata"]["HTTPStatusCode"]
            return f"{refusal.response['Error']['Code']} {status}"

    with ThreadPoolExecutor(3) as pool:
        outcomes = sorted(pool.map(outcome, range(3)))
    assert outcomes == ["TooManyRequestsException 429", "TooManyRequestsException 429", "done"]


@gap
def test_dry_run_runs_nothing(aws: Aws, name: str, table: str) -> None:
    functions.deploy_recorder(aws, name, table)
    answer = aws.client("lambda").invoke(FunctionName=name, InvocationType="DryRun")
    assert answer["StatusCode"] == 204
    invoke(aws, name, {"real": True})
    assert functions.recorded(aws, table) == [{"real": True}]


@gap
def test_asynchronous_event_is_tried_three_times(aws: Aws, name: str, table: str) -> None:
    functions.deploy_recorder(aws, name, table, FAIL="yes")
    answer = aws.client("lambda").invoke(FunctionName=name, InvocationType="Event", Payload=b'{"n": 1}')
    assert answer["StatusCode"] == 202
    aws.until(lambda: reports(aws, name))
    for seconds in (61, 121):  # the second try comes after a minute, the third two minutes later
        aws.advance(seconds)
    aws.advance(600)
    assert functions.recorded(aws, table) == [{"n": 1}] * 3
    assert len(reports(aws, name)) == 3


def reports(aws: Aws, name: str) -> list[str]:
    return [line for line in functions.log_messages(aws, name) if line.startswith("REPORT")]


@gap
def test_its_metrics_are_there_for_alarms(aws: Aws, name: str) -> None:
    functions.deploy(aws, name, "def handler(e, c):\n    raise ValueError\n")
    invoke(aws, name)
    found = aws.client("cloudwatch").list_metrics(Namespace="AWS/Lambda", MetricName="Errors")["Metrics"]
    assert [{"Name": "FunctionName", "Value": name}] in [metric["Dimensions"] for metric in found]


def test_killed_at_a_given_time(ours: Aws, name: str) -> None:
    functions.deploy(ours, name, "import time\ndef handler(e, c):\n    print('begun')\n    time.sleep(5)\n")
    ours.control("PUT", "faults", kind="lambda_kill", function=name, after_seconds=0.4, times=1)
    said, _ = invoke(ours, name)
    assert said["errorType"] == "Runtime.ExitError"
    assert "begun" in [line.strip() for line in functions.log_messages(ours, name)]
    assert not [f for f in ours.control("GET", "faults")["faults"] if f["where"].get("function") == name]
