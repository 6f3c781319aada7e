"""An invocation's lines in CloudWatch Logs and its points in CloudWatch, as Lambda writes them."""

from __future__ import annotations

import math
import time
from typing import Any

from moto.cloudwatch.models import cloudwatch_backends
from moto.logs.models import logs_backends

from sandbox.aws.lambdas.output import Line
from sandbox.aws.lambdas.worker import Outcome, Shape


def log_lines(shape: Shape, request_id: str, began_ms: int, outcome: Outcome) -> list[Line]:
    """START, what the function printed, END and REPORT; a timeout or a crash has its line, too."""
    now = int(time.time() * 1000)
    lines = [(began_ms, f"START RequestId: {request_id} Version: {shape.version}\n"), *outcome.lines]
    if outcome.is_timeout:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{now % 1000:03d}Z"
        lines.append((now, f"{stamp} {request_id} Task timed out after {shape.timeout:.2f} seconds\n\n"))
    elif outcome.error_type == "Runtime.ExitError":
        lines.append((now, f"RequestId: {request_id} Error: Runtime exited\nRuntime.ExitError\n"))
    lines.append((now, f"END RequestId: {request_id}\n"))
    lines.append((now, _report(shape, request_id, outcome)))
    return lines


def _report(shape: Shape, request_id: str, outcome: Outcome) -> str:
    billed = math.ceil(outcome.milliseconds + (outcome.init_milliseconds or 0))
    parts = [
        f"REPORT RequestId: {request_id}",
        f"Duration: {outcome.milliseconds:.2f} ms",
        f"Billed Duration: {billed} ms",
        f"Memory Size: {shape.memory} MB",
        f"Max Memory Used: {outcome.memory_used} MB",
    ]
    if outcome.init_milliseconds is not None:
        parts.append(f"Init Duration: {outcome.init_milliseconds:.2f} ms")
    if outcome.is_timeout:
        parts.append("Status: timeout")
    elif outcome.error_type:
        parts += ["Status: error", f"Error Type: {outcome.error_type}"]
    return "\t".join(parts) + "\t\n"


def write_log(account: str, region: str, name: str, stream: str, lines: list[Line]) -> None:
    logs = logs_backends[account][region]
    group = f"/aws/lambda/{name}"
    logs.ensure_log_group(group)
    logs.ensure_log_stream(group, stream)
    # A stack trace's own line break stays; the last one of a line is not part of CloudWatch's message.
    events = [{"timestamp": at, "message": text} for at, text in lines if text.strip()]
    logs.put_log_events(group, stream, events)


def count(account: str, region: str, name: str, **points: float) -> None:
    """Invocations, Errors, Throttles, Duration: what alarms on a function look at."""
    units = {"Duration": "Milliseconds"}
    members: list[dict[str, Any]] = [
        {
            "MetricName": metric,
            "Value": value,
            "Unit": units.get(metric, "Count"),
            "Dimensions": [{"Name": "FunctionName", "Value": name}],
        }
        for metric, value in points.items()
    ]
    cloudwatch_backends[account][region].put_metric_data("AWS/Lambda", members)
