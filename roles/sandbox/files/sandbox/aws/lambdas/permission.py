"""Whether a function's resource policy lets a service invoke it. Real events fail silently without it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from moto.awslambda.models import LambdaFunction


def lets_in(function: LambdaFunction, service: str, source_arn: str) -> bool:
    """`service` is a principal such as events.amazonaws.com; `source_arn` the rule or topic."""
    return any(_statement_allows(statement, service, source_arn) for statement in function.policy.statements)


def _statement_allows(statement: dict[str, Any], service: str, source_arn: str) -> bool:
    principal = statement.get("Principal")
    named = principal.get("Service") if isinstance(principal, dict) else principal
    if statement.get("Effect") != "Allow" or named not in (service, "*"):
        return False
    if statement.get("Action") not in ("lambda:InvokeFunction", "lambda:*", "*"):
        return False
    wanted = [
        value
        for operator in (statement.get("Condition") or {}).values()
        for key, value in operator.items()
        if key.lower() == "aws:sourcearn"
    ]
    return all(fnmatchcase(source_arn, pattern) for pattern in wanted)
