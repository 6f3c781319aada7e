"""With `--enforce-roles`, what a Lambda function calls is refused unless its role allows it.

Stock moto lets everyone do everything, so that a policy that lacks an action is found out on AWS only.
Resources are compared where the request names them plainly (table, topic, secret, parameter, function).
"""

from __future__ import annotations

import re
from typing import Any

from moto.core.responses import ActionResult, BaseResponse

from sandbox.aws.cloud import Cloud
from sandbox.aws.refusals import Refusal
from sandbox.aws.role_permissions import role_may

KEY = re.compile(r"Credential=([^/]+)/")
IAM_ACTION = {"lambda:Invoke": "lambda:InvokeFunction", "dynamodb:TransactWriteItems": "dynamodb:PutItem"}
NO_PERMISSION_NEEDED = {"sts:GetCallerIdentity"}
# Service -> code, HTTP status. What is not listed answers as most JSON services do.
REFUSED = {
    "ec2": ("UnauthorizedOperation", 403),
    "sns": ("AuthorizationError", 403),
    "cloudwatch": ("AccessDenied", 403),
    "iam": ("AccessDenied", 403),
    "lambda": ("AccessDeniedException", 403),
}
OTHERWISE = ("AccessDeniedException", 400)


def apply(cloud: Cloud) -> None:
    if not cloud.enforce_roles:
        return
    stock_dispatch = BaseResponse._dispatch

    def dispatch(self: BaseResponse, request: Any, full_url: str | None = None, headers: Any = None) -> Any:
        match = KEY.search(request.headers.get("Authorization", ""))
        role = cloud.role_of_key.get(match[1]) if match else None
        if role is None:
            return stock_dispatch(self, request, full_url, headers)
        self.setup_class(request, full_url, headers)
        service = self.boto3_service_name
        asked = f"{service}:{self._get_action()}"
        action = IAM_ACTION.get(asked, asked)
        if action in NO_PERMISSION_NEEDED or role_may(self.current_account, role, action, _resource(self)):
            return stock_dispatch(self, request, full_url, headers)
        code, status = REFUSED.get(service, OTHERWISE)
        text = f"User: {role} is not authorized to perform: {action}"
        status, answer_headers, body = self.serialized(ActionResult(Refusal(code, text, status)))
        return status, {**answer_headers, "status": str(status)}, body

    BaseResponse._dispatch = dispatch


def _resource(response: Any) -> str | None:
    """The arn that the request names, or None where that cannot be told from one parameter."""
    place = f"{response.region}:{response.current_account}"
    match response.boto3_service_name:
        case "dynamodb":
            table = response._get_param("TableName")
            return f"arn:aws:dynamodb:{place}:table/{table}" if table else None
        case "sns":
            topic = response._get_param("TopicArn")
            return str(topic) if topic else None
        case "secretsmanager":
            secret = str(response._get_param("SecretId") or "")
            full = secret if secret.startswith("arn:") else f"arn:aws:secretsmanager:{place}:secret:{secret}-AbCdEf"
            return full if secret else None
        case "ssm":
            name = response._get_param("Name")
            return f"arn:aws:ssm:{place}:parameter/{name.lstrip('/')}" if name else None
    return None
