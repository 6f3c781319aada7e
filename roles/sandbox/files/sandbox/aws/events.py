"""EventBridge rules that fire: schedules on the cloud's clock, patterns, and what EC2 tells of instances.

Stock moto stores schedules and never fires them, answers 500 for a Lambda target, lets a rule without a
pattern match every event, and ignores that a rule is disabled.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from functools import partial
from typing import Any

from moto.awslambda.utils import get_backend as lambda_backend
from moto.events.models import EventsBackend, Rule, events_backends
from moto.events.utils import EventTemplateParser
from moto.sns.models import sns_backends

from sandbox.aws.cloud import Cloud
from sandbox.aws.instance_hooks import News
from sandbox.aws.lambdas.permission import lets_in
from sandbox.aws.refusals import Refusal
from sandbox.aws.schedules import next_firing

log = logging.getLogger(__name__)
STATE_CHANGES = ("pending", "running", "shutting-down", "terminated", "stopping", "stopped")


def apply(cloud: Cloud) -> None:
    _fire_schedules(cloud)
    _reach_functions_and_topics(cloud)
    cloud.instance_hooks.listeners.append(_tell_of_instance)


def send(account: str, region: str, source: str, kind: str, resources: list[str], detail: Any) -> None:
    """An event of an AWS service on the default bus of that region."""
    event = _event(account, region, source, kind, resources, detail)
    for rule in list(events_backends[account][region].event_buses["default"].rules.values()):
        rule.send_to_targets(event)


def _event(account: str, region: str, source: str, kind: str, resources: list[str], detail: Any) -> Any:
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": kind,
        "source": source,
        "account": account,
        "time": time.time(),  # moto keeps a number here; targets get ISO 8601
        "region": region,
        "resources": resources,
        "detail": detail,
        "ingestion-time": time.time(),
    }


def _tell_of_instance(news: News) -> None:
    account, region, zone, instance_id = (news[key] for key in ("account", "region", "zone", "instance_id"))
    arn = f"arn:aws:ec2:{region}:{account}:instance/{instance_id}"
    detail = {"instance-id": instance_id}
    if news["event"] in STATE_CHANGES:
        kind = "EC2 Instance State-change Notification"
        send(account, region, "aws.ec2", kind, [arn], {**detail, "state": news["event"]})
    elif news["event"] == "spot-notice":
        kind = "EC2 Spot Instance Interruption Warning"
        in_zone = f"arn:aws:ec2:{zone}:instance/{instance_id}"
        send(account, region, "aws.ec2", kind, [in_zone], {**detail, "instance-action": "terminate"})
    elif news["event"] == "rebalance":
        send(account, region, "aws.ec2", "EC2 Instance Rebalance Recommendation", [arn], detail)


class _Schedules:
    """Arms rules on the cloud's agenda. A rule's turn is counted, so that an entry of an older turn does nothing."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    def arm_anew(self, rule: Any) -> None:
        rule.sandbox_turn = getattr(rule, "sandbox_turn", 0) + 1
        if rule.scheduled_expression:
            self._arm(rule, rule.sandbox_turn)

    def _arm(self, rule: Rule, turn: int) -> None:
        moment = next_firing(str(rule.scheduled_expression), self.cloud.clock.now())
        if moment is not None:
            self.cloud.agenda.at(moment, lambda: self._fire(rule, turn))

    def _fire(self, rule: Any, turn: int) -> None:
        backend = events_backends[rule.account_id][rule.region_name]
        is_current = backend.event_buses["default"].rules.get(rule.name) is rule
        if not is_current or rule.sandbox_turn != turn or rule.state != "ENABLED":
            return  # put anew, deleted, or disabled since
        self._arm(rule, turn)
        event = _event(rule.account_id, rule.region_name, "aws.events", "Scheduled Event", [rule.arn], {})
        _send_to_targets(self.cloud, rule, event)


def _fire_schedules(cloud: Cloud) -> None:
    stock_put_rule, stock_enable_rule = EventsBackend.put_rule, EventsBackend.enable_rule
    schedules = _Schedules(cloud)

    def put_rule(self: EventsBackend, *args: Any, **kwargs: Any) -> Rule:
        try:
            next_firing(kwargs.get("scheduled_expression") or "rate(1 minute)", cloud.clock.now())
        except ValueError as problem:
            raise Refusal("ValidationException", f"ScheduleExpression: {problem}", 400) from None
        rule = stock_put_rule(self, *args, **kwargs)
        schedules.arm_anew(rule)
        return rule

    def enable_rule(self: EventsBackend, name: str, event_bus_arn: str | None) -> bool:
        found: bool = stock_enable_rule(self, name, event_bus_arn)
        if found:
            schedules.arm_anew(self.describe_rule(name, event_bus_arn))
        return found

    EventsBackend.put_rule = put_rule
    EventsBackend.enable_rule = enable_rule


def _reach_functions_and_topics(cloud: Cloud) -> None:
    stock_send_to_targets = Rule.send_to_targets

    def send_to_targets(self: Rule, original_event: Any, transform_input: bool = True) -> None:
        if self.state != "ENABLED" or not self.event_pattern.get_pattern():
            return
        if not self.event_pattern.matches_event(original_event):
            return
        _send_to_targets(cloud, self, original_event)
        others = [target for target in self.targets if not _is_ours(target["Arn"])]
        if others:
            kept, self.targets = self.targets, others
            try:
                stock_send_to_targets(self, original_event, transform_input)
            finally:
                self.targets = kept

    Rule.send_to_targets = send_to_targets


def _is_ours(arn: str) -> bool:
    return arn.split(":")[2] in ("lambda", "sns")


def _send_to_targets(cloud: Cloud, rule: Rule, event: Any) -> None:
    for target in list(rule.targets):
        service, region = target["Arn"].split(":")[2:4]
        text = _input(target, event)
        try:
            if service == "lambda":
                function = lambda_backend(rule.account_id, region).get_function(target["Arn"])
                if lets_in(function, "events.amazonaws.com", rule.arn):
                    cloud.running_functions().send(function, text.encode())
                else:
                    log.warning("%s may not invoke %s: add a permission", rule.arn, target["Arn"])
            elif service == "sns":
                topics, arn = sns_backends[rule.account_id][region], target["Arn"]
                cloud.agenda.soon(partial(topics.publish, message=text, arn=arn))
        except Exception as problem:  # a target that fails must not keep the event from the next one
            log.warning("%s could not reach %s: %s", rule.arn, target["Arn"], problem)


def _input(target: dict[str, Any], event: Any) -> str:
    """What the target gets: its constant Input, a transformed one, a part of the event, or all of it."""
    if target.get("Input"):
        return str(target["Input"])
    seen = {key: value for key, value in event.items() if key != "ingestion-time"}
    if not isinstance(seen["time"], str):
        seen["time"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(float(seen["time"])))
    transformer = target.get("InputTransformer")
    if transformer:
        whole = {**seen, "ingestion-time": event.get("ingestion-time", time.time())}
        template, paths = transformer.get("InputTemplate"), transformer.get("InputPathsMap", {})
        return json.dumps(EventTemplateParser.parse(template, paths, whole))  # type: ignore[arg-type]  # our dict has its TypedDict's fields
    if target.get("InputPath"):
        part: Any = seen
        for step in target["InputPath"].removeprefix("$").strip(".").split("."):
            part = part[step] if step else part
        return json.dumps(part)
    return json.dumps(seen)
