"""CloudWatch alarms that are evaluated, and that tell SNS and EventBridge when their state changes.

Stock moto stores alarms as OK for ever. Metric math, composite and anomaly alarms are not evaluated here
either; their state can be set with SetAlarmState, which notifies as on AWS.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict, deque
from datetime import UTC, datetime
from typing import Any

from moto.cloudwatch.models import Alarm, CloudWatchBackend, MetricAggregatedDatum, cloudwatch_backends
from moto.sns.models import sns_backends

from sandbox.aws import events
from sandbox.aws.alarm_rules import COMPARE, Rule, Sample, state_of
from sandbox.aws.cloud import Cloud

log = logging.getLogger(__name__)
EVERY = 10.0  # cloud seconds between two evaluations
KEPT = 86400.0  # no alarm looks further back than a day
Series = tuple[str, str, str, str, tuple[tuple[str, str], ...]]


def apply(cloud: Cloud) -> None:
    samples: dict[Series, deque[Sample]] = defaultdict(deque)
    _remember_samples(cloud, samples)
    _start_without_data()
    _notify_of_changes()

    def evaluate() -> None:
        cloud.agenda.after(EVERY, evaluate)
        for account, region, backend in cloudwatch_backends.iter_backends():
            for alarm in list(backend.alarms.values()):  # type: ignore[attr-defined]  # CloudWatchBackend
                _evaluate(alarm, account, region, samples, cloud.clock.now())

    cloud.agenda.after(EVERY, evaluate)


def _remember_samples(cloud: Cloud, samples: dict[Series, deque[Sample]]) -> None:
    stock_put_metric_data = CloudWatchBackend.put_metric_data

    def put_metric_data(self: Any, namespace: str, metric_data: list[dict[str, Any]]) -> None:
        before = len(self.metric_data)
        stock_put_metric_data(self, namespace, metric_data)
        for datum in self.metric_data[before:]:
            stamp = datum.timestamp if datum.timestamp.tzinfo else datum.timestamp.replace(tzinfo=UTC)
            at = cloud.clock.cloud_time_of(stamp.timestamp())
            dimensions = tuple(sorted((d.name, d.value) for d in datum.dimensions))
            series = samples[self.account_id, self.region_name, namespace, datum.name, dimensions]
            series.append(_sample(at, datum))
            while series and series[0].at < cloud.clock.now() - KEPT:
                series.popleft()

    CloudWatchBackend.put_metric_data = put_metric_data


def _sample(at: float, datum: Any) -> Sample:
    if isinstance(datum, MetricAggregatedDatum):
        return Sample(at, datum.sum, datum.sample_count, datum.min, datum.max)
    return Sample(at, datum.value, 1.0, datum.value, datum.value)


def _start_without_data() -> None:
    stock_put_metric_alarm = CloudWatchBackend.put_metric_alarm

    def put_metric_alarm(self: CloudWatchBackend, **wish: Any) -> Alarm:
        known = self.alarms.get(wish["name"])
        state = (known.state_value, known.state_reason) if known else None
        alarm = stock_put_metric_alarm(self, **wish)
        alarm.state_value, alarm.state_reason = state or ("INSUFFICIENT_DATA", alarm.state_reason)
        alarm.sandbox_account = self.account_id  # type: ignore[attr-defined]  # for its notifications
        return alarm

    CloudWatchBackend.put_metric_alarm = put_metric_alarm  # type: ignore[assignment]  # moto types it narrowly


def _evaluate(alarm: Alarm, account: str, region: str, samples: dict[Series, deque[Sample]], now: float) -> None:
    if alarm.rule or alarm.metric_data_queries or alarm.comparison_operator not in COMPARE:
        return
    dimensions = tuple(sorted((str(d.name), str(d.value)) for d in alarm.dimensions))
    series = samples.get((account, region, alarm.namespace, alarm.metric_name, dimensions), deque())
    periods = int(alarm.evaluation_periods)
    rule = Rule(
        comparison=alarm.comparison_operator,
        threshold=float(alarm.threshold),
        statistic=str(alarm.statistic or alarm.extended_statistic),
        period=float(alarm.period),
        periods=periods,
        needed=int(alarm.datapoints_to_alarm or periods),
        missing=alarm.treat_missing_data or "missing",
    )
    state, reason = state_of(rule, list(series), now, alarm.state_value)
    if state != alarm.state_value:
        alarm.update_state(reason, "{}", state)


def _notify_of_changes() -> None:
    stock_update_state = Alarm.update_state

    def update_state(self: Any, reason: str, reason_data: str, state_value: str) -> None:
        old = self.state_value
        stock_update_state(self, reason, reason_data, state_value)
        if old == state_value:
            return
        account = self.alarm_arn.split(":")[4]
        detail = {
            "alarmName": self.name,
            "state": {"value": state_value, "reason": reason},
            "previousState": {"value": old},
        }
        kind = "CloudWatch Alarm State Change"
        events.send(account, self.region_name, "aws.cloudwatch", kind, [self.alarm_arn], detail)
        actions = {"ALARM": self.alarm_actions, "OK": self.ok_actions}.get(state_value, self.insufficient_data_actions)
        for action in actions if self.actions_enabled else []:
            _act(self, action, account, old)

    Alarm.update_state = update_state


def _act(alarm: Any, action: str, account: str, old: str) -> None:
    if not action.startswith("arn:aws:sns:"):
        log.warning("alarm %s: action %s is not carried out by the sandbox", alarm.name, action)
        return
    subject = f'{alarm.state_value}: "{alarm.name}" in {alarm.region_name}'
    try:
        topics = sns_backends[account][action.split(":")[3]]
        topics.publish(message=json.dumps(_message(alarm, account, old)), arn=action, subject=subject[:100])
    except Exception as problem:  # the topic may be gone; the alarm's state has changed all the same
        log.warning("alarm %s could not reach %s: %s", alarm.name, action, problem)


def _message(alarm: Any, account: str, old: str) -> dict[str, Any]:
    return {
        "AlarmName": alarm.name,
        "AlarmDescription": alarm.description,
        "AWSAccountId": account,
        "AlarmArn": alarm.alarm_arn,
        "NewStateValue": alarm.state_value,
        "NewStateReason": alarm.state_reason,
        "OldStateValue": old,
        "StateChangeTime": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "Region": alarm.region_name,
        "Trigger": {
            "MetricName": alarm.metric_name,
            "Namespace": alarm.namespace,
            "Statistic": alarm.statistic,
            "Dimensions": [{"name": d.name, "value": d.value} for d in alarm.dimensions],
            "Period": alarm.period,
            "EvaluationPeriods": alarm.evaluation_periods,
            "Threshold": alarm.threshold,
            "ComparisonOperator": alarm.comparison_operator,
            "TreatMissingData": alarm.treat_missing_data or "missing",
        },
    }
