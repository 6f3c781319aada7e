"""The hypervisor's view of the sandbox's AWS: its own endpoint for machines, and boto3 for what a boot reads."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

import boto3
import requests
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

TIMEOUT_SECONDS = 10.0
Instance = dict[str, Any]


class RefusedError(Exception):
    """The AWS server said no; the message is its own sentence."""


class AwsSide:
    def __init__(self, url: str) -> None:
        self.url = url
        self._session = requests.Session()
        self._session.trust_env = False
        self._clients: dict[tuple[str, str], Any] = {}

    def ask(self, method: str, room: str, wish: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self._session.request(method, f"{self.url}/_sandbox/{room}", json=wish, timeout=TIMEOUT_SECONDS)
        if not answer.ok:
            is_told = answer.headers.get("Content-Type", "").startswith("application/json")
            raise RefusedError(answer.json().get("problem", "") if is_told else f"HTTP {answer.status_code}")
        content: dict[str, Any] = answer.json()
        return content

    def instances(self) -> list[Instance]:
        found: list[Instance] = self.ask("GET", "instances")["instances"]
        return found

    def may(self, role: str, action: str, resource: str) -> bool:
        """A role that does not exist may nothing."""
        try:
            room = f"may?role={quote(role)}&action={quote(action)}&resource={quote(resource)}"
            return bool(self.ask("GET", room)["allowed"])
        except RefusedError:
            return False

    def write_console(self, instance_id: str, text: str) -> None:
        self.ask("PUT", "console", {"instance_id": instance_id, "text": text})

    def console(self, instance: Instance) -> str:
        ec2 = self._client("ec2", instance["region"])
        shown = ec2.get_console_output(InstanceId=instance["instance_id"]).get("Output", "")
        try:
            return base64.b64decode(shown, validate=True).decode()
        except ValueError:
            return str(shown)  # boto3 has decoded it already

    def secret_arn(self, name: str, region: str) -> str | None:
        try:
            return str(self._client("secretsmanager", region).describe_secret(SecretId=name)["ARN"])
        except (ClientError, BotoCoreError):
            return None

    def parameter(self, name: str, region: str) -> tuple[str, bool] | None:
        """Its arn, and whether it is encrypted."""
        try:
            found = self._client("ssm", region).get_parameter(Name=name)["Parameter"]
        except (ClientError, BotoCoreError):
            return None
        return str(found["ARN"]), found["Type"] == "SecureString"

    def _client(self, service: str, region: str) -> Any:
        if (service, region) not in self._clients:
            self._clients[service, region] = boto3.client(
                service,
                endpoint_url=self.url,
                region_name=region,
                aws_access_key_id="sandbox",
                aws_secret_access_key="sandbox",
                config=Config(retries={"total_max_attempts": 2}, read_timeout=TIMEOUT_SECONDS),
            )
        return self._clients[service, region]
