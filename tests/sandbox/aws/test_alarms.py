"""Alarms look at their metric and tell their topic."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.aws.alarm_rules import Rule, Sample, state_of  # after the path to it

from . import functions
from .servers import Aws

gap = pytest.mark.gap("alarms")


@pytest.fixture
def mailbox(aws: Aws, name: str) -> tuple[str, str]:
    """A topic and a queue that gets its messages."""
    topic = aws.client("sns").create_topic(Name=name)["TopicArn"]
    sqs = aws.client("sqs")
    queue = sqs.create_queue(QueueName=name)["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    aws.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    return topic, queue


def messages(aws: Aws, queue: str) -> list[dict[str, Any]]:
    got = aws.client("sqs").receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", [])
    return [json.loads(json.loads(message["Body"])["Message"]) for message in got]


def put_alarm(aws: Aws, name: str, topic: str, **changes: Any) -> None:
    wish = {
        "Namespace": "node-fleet",
        "MetricName": name,
        "Statistic": "Maximum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 0.0,
        "ComparisonOperator": "GreaterThanThreshold",
        "TreatMissingData": "notBreaching",
        "AlarmActions": [topic],
        "OKActions": [topic],
        **changes,
    }
    aws.client("cloudwatch").put_metric_alarm(AlarmName=name, **wish)


def state(aws: Aws, name: str) -> str:
    [alarm] = aws.client("cloudwatch").describe_alarms(AlarmNames=[name])["MetricAlarms"]
    return str(alarm["StateValue"])


@gap
def test_a_new_alarm_has_no_data(aws: Aws, name: str, mailbox: tuple[str, str]) -> None:
    put_alarm(aws, name, mailbox[0])
    assert state(aws, name) == "INSUFFICIENT_DATA"


@gap
def test_alarm_and_all_clear_reach_the_topic(aws: Aws, name: str, mailbox: tuple[str, str]) -> None:
    topic, queue = mailbox
    put_alarm(aws, name, topic)
    point = {"MetricName": name, "Value": 1.0}
    aws.client("cloudwatch").put_metric_data(Namespace="node-fleet", MetricData=[point])
    aws.advance(15)
    assert state(aws, name) == "ALARM"
    [message] = aws.until(lambda: messages(aws, queue))
    assert (message["AlarmName"], message["NewStateValue"]) == (name, "ALARM")
    assert message["Trigger"]["MetricName"] == name
    aws.advance(120)
    assert state(aws, name) == "OK"
    [message] = aws.until(lambda: messages(aws, queue))
    assert (message["OldStateValue"], message["NewStateValue"]) == ("ALARM", "OK")


@gap
def test_set_alarm_state_notifies(aws: Aws, name: str, mailbox: tuple[str, str]) -> None:
    topic, queue = mailbox
    put_alarm(aws, name, topic)
    aws.client("cloudwatch").set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="drill")
    [message] = aws.until(lambda: messages(aws, queue))
    assert message["NewStateReason"] == "drill"


@pytest.mark.parametrize("aws", ["ours"], indirect=True)
def test_a_failing_function_reaches_the_notifier(aws: Aws, name: str, table: str) -> None:
    """The whole chain: function, metric, alarm, topic, function."""
    sns, failing, notifier = aws.client("sns"), f"{name}-failing", f"{name}-notifier"
    topic = sns.create_topic(Name=name)["TopicArn"]
    functions.deploy(aws, failing, "def handler(e, c):\n    raise RuntimeError('lost the lock')\n")
    arn = functions.deploy_recorder(aws, notifier, table)
    functions.allow(aws, notifier, "sns.amazonaws.com", topic)
    sns.subscribe(TopicArn=topic, Protocol="lambda", Endpoint=arn)
    dimensions = [{"Name": "FunctionName", "Value": failing}]
    watched = {"Namespace": "AWS/Lambda", "MetricName": "Errors", "Statistic": "Sum"}
    put_alarm(aws, name, topic, **watched, Dimensions=dimensions, OKActions=[])
    aws.client("lambda").invoke(FunctionName=failing)
    aws.advance(15)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert json.loads(event["Records"][0]["Sns"]["Message"])["NewStateValue"] == "ALARM"


def samples(*values: tuple[float, float]) -> list[Sample]:
    return [Sample(at, value, 1.0, value, value) for at, value in values]


@pytest.mark.parametrize(
    ("changes", "points", "expected"),
    [
        pytest.param({}, [(990, 5), (930, 5)], "ALARM", id="both-periods-breach"),
        pytest.param({}, [(990, 5), (930, 1)], "OK", id="one-period-breaches"),
        pytest.param({"needed": 1}, [(990, 1), (930, 5)], "ALARM", id="one-of-two-is-enough"),
        pytest.param({}, [], "INSUFFICIENT_DATA", id="no-data"),
        pytest.param({"missing": "breaching"}, [], "ALARM", id="no-data-is-breaching"),
        pytest.param({"missing": "notBreaching"}, [], "OK", id="no-data-is-fine"),
        pytest.param({"missing": "ignore"}, [], "ALARM", id="no-data-keeps-the-state"),
        pytest.param({"statistic": "Sum"}, [(990, 2), (980, 2), (930, 2), (920, 2)], "ALARM", id="sum"),
        pytest.param({"statistic": "p50"}, [(990, 9), (980, 1), (970, 1), (930, 9)], "OK", id="percentile"),
    ],
)
def test_states(changes: dict[str, Any], points: list[tuple[float, float]], expected: str) -> None:
    usual = {
        "comparison": "GreaterThanThreshold",
        "threshold": 3.0,
        "statistic": "Average",
        "period": 60.0,
        "periods": 2,
        "needed": 2,
        "missing": "missing",
    }
    assert state_of(Rule(**{**usual, **changes}), samples(*points), 1000.0, "ALARM")[0] == expected
