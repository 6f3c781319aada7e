"""Errors as real AWS sends them, with the HTTP status that the API models do not carry.

EC2 answers "no capacity" with 500 and throttling with 503, and SDKs retry by status: a sandbox that
answers 400 would hide those retries.
"""

from __future__ import annotations

import warnings
from typing import Any

from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult, BaseResponse

STATUS_OF_EC2_ERROR = {
    "InsufficientInstanceCapacity": 500,
    "RequestLimitExceeded": 503,
    "VcpuLimitExceeded": 400,
    "MaxSpotInstanceCountExceeded": 400,
    "SpotMaxPriceTooLow": 400,
    "IdempotentParameterMismatch": 400,
    "IdempotentInstanceTerminated": 400,
}


class Refusal(ServiceException):
    """`http_status` None leaves the status to the service's API model."""

    def __init__(self, code: str, message: str, http_status: int | None = None, **fields: Any) -> None:
        super().__init__(code, message)
        self.http_status = http_status if http_status is not None else STATUS_OF_EC2_ERROR.get(code)
        for name, value in fields.items():
            setattr(self, name, value)


def apply() -> None:
    """Teach moto's serializer the status of a Refusal, and that common errors are in no service's model."""
    warnings.filterwarnings("ignore", message=r"Exception\(Refusal\) with code", category=UserWarning)
    stock_serialized = BaseResponse.serialized

    def serialized(self: BaseResponse, action_result: ActionResult) -> Any:
        status, headers, body = stock_serialized(self, action_result)
        refusal = action_result.result
        if isinstance(refusal, Refusal) and refusal.http_status is not None:
            status = refusal.http_status
        return status, headers, body

    BaseResponse.serialized = serialized
