"""A message to a topic reaches the function behind it."""

from __future__ import annotations

import json

import pytest

from . import functions
from .servers import Aws


@pytest.mark.gap("sns_delivery")
def test_a_message_reaches_the_function(aws: Aws, name: str, table: str) -> None:
    sns = aws.client("sns")
    topic = sns.create_topic(Name=name)["TopicArn"]
    arn = functions.deploy_recorder(aws, name, table)
    functions.allow(aws, name, "sns.amazonaws.com", topic)
    subscription = sns.subscribe(TopicArn=topic, Protocol="lambda", Endpoint=arn)["SubscriptionArn"]
    attributes = {"severity": {"DataType": "String", "StringValue": "high"}}
    sent = sns.publish(TopicArn=topic, Message="at maximum", Subject="fleet", MessageAttributes=attributes)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    [record] = event["Records"]
    assert (record["EventSource"], record["EventSubscriptionArn"]) == ("aws:sns", subscription)
    assert record["Sns"]["MessageId"] == sent["MessageId"]
    assert (record["Sns"]["Subject"], record["Sns"]["Message"]) == ("fleet", "at maximum")
    assert record["Sns"]["TopicArn"] == topic
    assert record["Sns"]["MessageAttributes"] == {"severity": {"Type": "String", "Value": "high"}}


@pytest.mark.parametrize("aws", ["ours"], indirect=True)
def test_a_filter_policy_keeps_messages_away(aws: Aws, name: str, table: str) -> None:
    sns = aws.client("sns")
    topic = sns.create_topic(Name=name)["TopicArn"]
    arn = functions.deploy_recorder(aws, name, table)
    functions.allow(aws, name, "sns.amazonaws.com", topic)
    policy = json.dumps({"severity": ["high"]})
    sns.subscribe(TopicArn=topic, Protocol="lambda", Endpoint=arn, Attributes={"FilterPolicy": policy})
    for level in ("low", "high"):
        attributes = {"severity": {"DataType": "String", "StringValue": level}}
        sns.publish(TopicArn=topic, Message=level, MessageAttributes=attributes)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert event["Records"][0]["Sns"]["Message"] == "high"
