"""Would this instance's user data have joined it to the cluster? Each refusal is a sentence for its console."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sandbox.hypervisor.cloud import AwsSide, Instance
from sandbox.hypervisor.script import Script, UnreadableError, read_script

MASTER_ROLE = "k3s-master"
API_PORT = 6443
_NAME = re.compile(r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")
_LABEL = re.compile(r"--node-label[=\s]+[\"']?([\w./-]+)=([\w.-]+)")


class WouldNotJoinError(Exception):
    """The reason, as it is to stand on the console."""


@dataclass(frozen=True)
class Boot:
    """What a boot that succeeds comes to."""

    node_name: str
    labels: tuple[tuple[str, str], ...]


def booted(instance: Instance, everybody: list[Instance], aws: AwsSide) -> Boot:
    """Checked in the order in which a boot would fail."""
    try:
        script = read_script(instance)
    except UnreadableError as problem:
        raise WouldNotJoinError(str(problem)) from problem
    if not script.has(r"\bk3s\b"):
        raise WouldNotJoinError("its user data does not install K3s")
    _check_token(script, instance, aws)
    _check_master(script, everybody)
    return Boot(_node_name(script, instance), tuple(_LABEL.findall(script.text)))


def _check_token(script: Script, instance: Instance, aws: AwsSide) -> None:
    region = script.option(r"--region") or instance["region"]
    secret = script.option(r"secretsmanager\s+get-secret-value\b[^\n]*?--secret-id")
    parameter = script.option(r"ssm\s+get-parameter\b[^\n]*?--name")
    if secret is not None:
        arn, action, what = aws.secret_arn(secret, region), "secretsmanager:GetSecretValue", f"secret {secret}"
    elif parameter is not None:
        found = aws.parameter(parameter, region)
        arn, action, what = found[0] if found else None, "ssm:GetParameter", f"parameter {parameter}"
        if found and found[1] and not script.has(r"--with-decryption"):
            raise WouldNotJoinError(f"{what} is encrypted, and the script asks without --with-decryption")
    else:
        raise WouldNotJoinError(
            "its user data fetches no join token (secretsmanager get-secret-value, ssm get-parameter)"
        )
    if arn is None:
        raise WouldNotJoinError(f"{what} does not exist in {region}")
    profile: Any = instance.get("iam_instance_profile")
    if not profile:
        raise WouldNotJoinError(f"it has no instance profile, so it may not read {what}")
    if not aws.may(str(profile), action, arn):
        raise WouldNotJoinError(f"AccessDenied: {profile} may not {action} on {what}")


def _check_master(script: Script, everybody: list[Instance]) -> None:
    wanted = script.option(r"\bK3S_URL") or script.option(r"--server")
    if wanted is None:
        raise WouldNotJoinError("its user data names no master (K3S_URL or --server)")
    if "$" in wanted or "`" in wanted:
        raise WouldNotJoinError(f"the master's address cannot be read off its user data: {wanted}")
    url = urlsplit(wanted)
    addresses = {
        address
        for other in everybody
        if other["tags"].get("Role") == MASTER_ROLE and other["state"] == "running"
        for address in (other["private_ip"], other["private_dns_name"])
    }
    known = ", ".join(sorted(filter(None, addresses))) or "none"
    if url.scheme != "https" or url.port != API_PORT:
        raise WouldNotJoinError(f"K3S_URL {wanted}: a master answers on https and port {API_PORT}")
    if url.hostname not in addresses:
        raise WouldNotJoinError(f"no running master at {wanted}: connection timed out; masters: {known}")


def _node_name(script: Script, instance: Instance) -> str:
    """K3s takes the host name where none is given."""
    given = script.option(r"\bK3S_NODE_NAME") or script.option(r"--node-name")
    name = given or str(instance.get("private_dns_name") or "").partition(".")[0]
    if not _NAME.match(name):
        raise WouldNotJoinError(f"{name!r} is no node name that can be read off its user data")
    return name
