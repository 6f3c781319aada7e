"""Invoke runs the function. Stock moto needs Docker for that, and without it answers with an error text."""

from __future__ import annotations

import base64
from typing import Any

from moto.awslambda.models import LambdaBackend, LambdaFunction

from sandbox.aws.cloud import Cloud
from sandbox.aws.lambdas.functions import Functions

LOG_TAIL = 4096


def apply(cloud: Cloud) -> None:
    functions = cloud.functions = Functions(cloud)

    def invoke_function(self: LambdaFunction, body: Any, request_headers: Any, response_headers: Any) -> bytes:
        event = (body.encode() if isinstance(body, str) else body) or b"{}"
        kind = request_headers.get("X-Amz-Invocation-Type") or "RequestResponse"
        response_headers["X-Amz-Executed-Version"] = str(self.version)
        if kind == "DryRun":
            return b""
        if kind == "Event":
            functions.send(self, event)
            return b""
        outcome, log = functions.invoke(self, event)
        if outcome.error_type:
            response_headers["x-amz-function-error"] = "Unhandled"
        tail = log.encode()[-LOG_TAIL:]
        response_headers["x-amz-log-result"] = base64.b64encode(tail).decode()
        return outcome.payload

    def invoke(
        self: LambdaBackend,
        function_name: str,
        qualifier: Any,
        body: Any,
        headers: Any,
        response_headers: Any,
    ) -> bytes:
        function = self.get_function(function_name, qualifier)
        payload = invoke_function(function, body, headers, response_headers)
        response_headers["Content-Length"] = str(len(payload))
        return payload

    stock_delete_function = LambdaBackend.delete_function

    def delete_function(self: LambdaBackend, function_name: str, qualifier: str | None = None) -> None:
        arn = self.get_function(function_name).function_arn
        stock_delete_function(self, function_name, qualifier)
        if qualifier is None:
            functions.forget(arn)

    LambdaBackend.delete_function = delete_function
    LambdaFunction.invoke = invoke_function
    LambdaBackend.invoke = invoke
