"""Rules fire: on schedule, on events that match, and for what happens to instances."""

from __future__ import annotations

import json
from typing import Any

import pytest

from . import functions
from .servers import Aws

gap = pytest.mark.gap("events")
ours_only = pytest.mark.parametrize("aws", ["ours"], indirect=True)


def put_rule(aws: Aws, name: str, table: str, target: dict[str, Any] | None = None, **rule: Any) -> None:
    arn = functions.deploy_recorder(aws, name, table)
    events = aws.client("events")
    events.put_rule(Name=name, **rule)
    functions.allow(aws, name, "events.amazonaws.com", functions.rule_arn(name))
    events.put_targets(Rule=name, Targets=[{"Id": "1", "Arn": arn, **(target or {})}])


def emit(aws: Aws, source: str, **detail: Any) -> None:
    entry = {"Source": source, "DetailType": "test", "Detail": json.dumps(detail)}
    aws.client("events").put_events(Entries=[entry])


def spot_instance(aws: Aws, subnet: str) -> str:
    answer = aws.client("ec2").run_instances(
        ImageId="ami-12c6146b",
        InstanceType="t3.small",
        SubnetId=subnet,
        MinCount=1,
        MaxCount=1,
        InstanceMarketOptions={"MarketType": "spot"},
    )
    return str(answer["Instances"][0]["InstanceId"])


@gap
def test_a_rate_fires_again_and_again(aws: Aws, name: str, table: str) -> None:
    put_rule(aws, name, table, ScheduleExpression="rate(2 minutes)")
    aws.advance(119)
    assert functions.recorded(aws, table) == []
    aws.advance(2)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert (event["source"], event["detail-type"]) == ("aws.events", "Scheduled Event")
    assert event["resources"] == [functions.rule_arn(name)]
    aws.advance(240)
    aws.until(lambda: len(functions.recorded(aws, table)) == 3)
    aws.client("events").disable_rule(Name=name)
    aws.advance(600)
    assert len(functions.recorded(aws, table)) == 3


@gap
def test_a_cron_fires(aws: Aws, name: str, table: str) -> None:
    put_rule(aws, name, table, ScheduleExpression="cron(0/5 * * * ? *)")
    aws.advance(301)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert event["detail-type"] == "Scheduled Event"


@ours_only
def test_a_schedule_that_is_not_understood_is_refused(aws: Aws, name: str) -> None:
    with pytest.raises(aws.client("events").exceptions.ClientError, match="ValidationException"):
        aws.client("events").put_rule(Name=name, ScheduleExpression="cron(0 0 L * ? *)")


@gap
def test_a_pattern_chooses(aws: Aws, name: str, table: str) -> None:
    put_rule(aws, name, table, EventPattern=json.dumps({"source": [name], "detail": {"level": ["high"]}}))
    emit(aws, name, level="low")
    emit(aws, "other", level="high")
    emit(aws, name, level="high")
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert event["detail"] == {"level": "high"}
    assert event["time"].endswith("Z")


@gap
def test_input_replaces_the_event(aws: Aws, name: str, table: str) -> None:
    target = {"Input": '{"door": "schedule"}'}
    put_rule(aws, name, table, target, EventPattern=json.dumps({"source": [name]}))
    emit(aws, name)
    assert aws.until(lambda: functions.recorded(aws, table)) == [{"door": "schedule"}]


@gap
def test_state_changes_of_instances(aws: Aws, name: str, table: str, subnet: str) -> None:
    mine = spot_instance(aws, subnet)
    pattern = {"detail-type": ["EC2 Instance State-change Notification"], "detail": {"instance-id": [mine]}}
    put_rule(aws, name, table, EventPattern=json.dumps(pattern))
    aws.advance(10)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert event["detail"] == {"instance-id": mine, "state": "running"}


@ours_only
def test_spot_notice_then_the_end(aws: Aws, name: str, table: str, subnet: str) -> None:
    mine = spot_instance(aws, subnet)
    aws.advance(10)
    pattern = {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]}
    put_rule(aws, name, table, EventPattern=json.dumps(pattern))
    aws.control("PUT", "faults", kind="spot_notice", instance_id=mine)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert event["detail"] == {"instance-id": mine, "instance-action": "terminate"}
    aws.advance(118)
    assert described(aws, mine)["State"]["Name"] == "running"
    aws.advance(4)
    gone = described(aws, mine)
    assert gone["State"]["Name"] == "shutting-down"
    assert gone["StateReason"]["Code"] == "Server.SpotInstanceTermination"


@ours_only
def test_rebalance_advice(aws: Aws, name: str, table: str, subnet: str) -> None:
    mine = spot_instance(aws, subnet)
    aws.advance(10)
    pattern = {"source": ["aws.ec2"], "detail-type": ["EC2 Instance Rebalance Recommendation"]}
    put_rule(aws, name, table, EventPattern=json.dumps(pattern))
    aws.control("PUT", "faults", kind="rebalance", instance_id=mine)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert event["detail"] == {"instance-id": mine}
    aws.advance(300)
    assert described(aws, mine)["State"]["Name"] == "running"


@ours_only
def test_without_permission_nothing_runs(aws: Aws, name: str, table: str) -> None:
    arn = functions.deploy_recorder(aws, name, table)
    events = aws.client("events")
    events.put_rule(Name=name, EventPattern=json.dumps({"source": [name]}))
    events.put_targets(Rule=name, Targets=[{"Id": "1", "Arn": arn}])
    emit(aws, name, first=True)
    functions.allow(aws, name, "events.amazonaws.com", functions.rule_arn(name))
    emit(aws, name, second=True)
    [event] = aws.until(lambda: functions.recorded(aws, table))
    assert event["detail"] == {"second": True}


def described(aws: Aws, instance_id: str) -> dict[str, Any]:
    [reservation] = aws.client("ec2").describe_instances(InstanceIds=[instance_id])["Reservations"]
    found: dict[str, Any] = reservation["Instances"][0]
    return found
