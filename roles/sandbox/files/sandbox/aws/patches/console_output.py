"""GetConsoleOutput shows what the hypervisor wrote for that instance; moto shows the same sample for all.

The autoscaler keeps the console output of a worker that did not join, so it must tell of that worker.
"""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult
from moto.core.types import Base64EncodedString
from moto.core.utils import utcnow
from moto.ec2.models import ec2_backends
from moto.ec2.responses import EC2Response

from sandbox.aws.cloud import Cloud

KEPT = 65536  # EC2 keeps the last 64 KB


def apply(cloud: Cloud) -> None:
    del cloud

    def get_console_output(self: EC2Response) -> ActionResult:
        instance: Any = self.ec2_backend.get_instance(self._get_param("InstanceId"))
        text = getattr(instance, "sandbox_console", "")
        output = Base64EncodedString.from_raw_string(text)
        return ActionResult({"InstanceId": instance.id, "Timestamp": utcnow(), "Output": output})

    EC2Response.get_console_output = get_console_output  # type: ignore[assignment]  # moto types it narrowly


def write(instance_id: str, text: str) -> None:
    """Appends, as a console does."""
    for account in list(ec2_backends.values()):
        for backend in list(account.values()):
            instance: Any = backend.get_instance_by_id(instance_id)
            if instance is not None:
                instance.sandbox_console = (getattr(instance, "sandbox_console", "") + text)[-KEPT:]
                return
    raise ValueError(f"instance_id: there is no {instance_id}")
