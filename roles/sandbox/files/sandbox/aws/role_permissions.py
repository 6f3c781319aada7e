"""What a role may do, by the policies that were given to it. moto stores policies and asks nobody.

The hypervisor asks whether an instance's role may read the join token; the enforcement of functions' own
calls asks here, too. Conditions are taken as met and NotResource as matching nothing: see docs/SANDBOX.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote

from moto.iam.models import iam_backends


def role_may(account: str, role: str, action: str, resource: str | None) -> bool:
    """`role` is a name or an arn of a role or of an instance profile; `resource` None asks for any."""
    verdicts = [
        statement.get("Effect") for statement in _statements(account, role) if _concerns(statement, action, resource)
    ]
    return "Allow" in verdicts and "Deny" not in verdicts


def _statements(account: str, role: str) -> Iterable[dict[str, Any]]:
    iam = iam_backends[account]["aws"]
    name = role.rsplit("/", 1)[-1]
    if ":instance-profile/" in role:
        name = iam.get_instance_profile(name).roles[0].name
    documents: list[Any] = [iam.get_role_policy(name, policy)[1] for policy in iam.list_role_policies(name)]
    attached, _ = iam.list_attached_role_policies(name)
    for policy in attached:
        found = iam.get_policy(policy.arn)
        documents += [version.document for version in found.versions if version.is_default]
    for document in documents:
        text = document if isinstance(document, str) else json.dumps(document)
        statements = json.loads(unquote(text) if text.startswith("%") else text)["Statement"]
        yield from statements if isinstance(statements, list) else [statements]


def _concerns(statement: dict[str, Any], action: str, resource: str | None) -> bool:
    if "NotAction" in statement:
        is_action = not _matches(statement["NotAction"], action.lower(), lower=True)
    else:
        is_action = _matches(statement.get("Action", []), action.lower(), lower=True)
    if not is_action:
        return False
    if resource is None:  # a Deny of some resources does not deny them all
        return statement.get("Effect") == "Allow" or "*" in _listed(statement.get("Resource", []))
    return _matches(statement.get("Resource", []), resource)


def _matches(patterns: Any, value: str, lower: bool = False) -> bool:
    return any(fnmatchcase(value, p.lower() if lower else p) for p in _listed(patterns))


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
