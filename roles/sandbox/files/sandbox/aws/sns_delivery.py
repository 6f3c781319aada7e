"""SNS delivers to Lambda: a real record, asynchronously, if the function's policy lets the topic in.

Stock moto calls the function inside Publish, needs Docker for it, and sends a record of sample values.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from moto.awslambda.utils import get_backend as lambda_backend
from moto.sns.models import Subscription

from sandbox.aws.cloud import Cloud
from sandbox.aws.lambdas.permission import lets_in

log = logging.getLogger(__name__)


def apply(cloud: Cloud) -> None:
    stock_publish = Subscription.publish

    def publish(self: Subscription, message: str, message_id: str, *args: Any, **kwargs: Any) -> None:
        if self.protocol != "lambda":
            stock_publish(self, message, message_id, *args, **kwargs)
            return
        attributes = kwargs.get("message_attributes") or {}
        matcher = self._filter_policy_matcher
        if matcher is not None and not matcher.matches(attributes, message):
            return
        if kwargs.get("message_structure") == "json":
            message = self._parse_message_structure(message, self.protocol)
        _deliver(cloud, self, _record(self, message, message_id, kwargs.get("subject"), attributes))

    Subscription.publish = publish


def _deliver(cloud: Cloud, subscription: Subscription, record: dict[str, Any]) -> None:
    region = subscription.endpoint.split(":")[3]
    try:
        function = lambda_backend(subscription.account_id, region).get_function(subscription.endpoint)
    except Exception:  # SNS does not tell the publisher that a subscriber is gone
        log.warning("%s: there is no %s", subscription.topic.arn, subscription.endpoint)
        return
    if not lets_in(function, "sns.amazonaws.com", subscription.topic.arn):
        log.warning("%s may not invoke %s: add a permission", subscription.topic.arn, subscription.endpoint)
        return
    cloud.running_functions().send(function, json.dumps({"Records": [record]}).encode())


def _record(
    subscription: Subscription, message: str, message_id: str, subject: str | None, attributes: dict[str, Any]
) -> dict[str, Any]:
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {
        "EventSource": "aws:sns",
        "EventVersion": "1.0",
        "EventSubscriptionArn": subscription.arn,
        "Sns": {
            "Type": "Notification",
            "MessageId": message_id,
            "TopicArn": subscription.topic.arn,
            "Subject": subject,
            "Message": message,
            "Timestamp": stamp,
            "SignatureVersion": "1",
            "Signature": "sandbox",
            "SigningCertUrl": "https://sandbox.invalid/certificate.pem",
            "UnsubscribeUrl": "https://sandbox.invalid/unsubscribe",
            "MessageAttributes": {
                name: {"Type": value.get("Type"), "Value": str(value.get("Value"))}
                for name, value in attributes.items()
            },
        },
    }
