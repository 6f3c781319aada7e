"""Any call can be throttled on demand, with the code and status that its service uses."""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult, BaseResponse

from sandbox.aws.cloud import Cloud
from sandbox.aws.refusals import Refusal

# Service -> code, HTTP status. What is not listed answers as most JSON services do.
THROTTLED = {
    "ec2": ("RequestLimitExceeded", 503),
    "dynamodb": ("ProvisionedThroughputExceededException", 400),
    "lambda": ("TooManyRequestsException", 429),
    "iam": ("Throttling", 400),
    "sts": ("Throttling", 400),
    "sns": ("Throttling", 400),
    "cloudwatch": ("Throttling", 400),
}
OTHERWISE = ("ThrottlingException", 400)


def apply(cloud: Cloud) -> None:
    stock_dispatch = BaseResponse._dispatch

    def dispatch(self: BaseResponse, request: Any, full_url: str | None = None, headers: Any = None) -> Any:
        if not cloud.faults.first("throttle"):
            return stock_dispatch(self, request, full_url, headers)
        self.setup_class(request, full_url, headers)
        service, action = self.boto3_service_name, self._get_action()
        fault = cloud.faults.first("throttle", service=service, action=action)
        if fault is None:
            return self.call_action()
        cloud.faults.use(fault)
        code, status = THROTTLED.get(service, OTHERWISE)
        status, answer_headers, body = self.serialized(ActionResult(Refusal(code, "Rate exceeded", status)))
        return status, {**answer_headers, "status": str(status)}, body

    BaseResponse._dispatch = dispatch
