"""An instance launched without a subnet gets an address of its zone's default subnet.

Stock moto plays EC2-Classic then: a random address that lies in no subnet of the account.
"""

from __future__ import annotations

from typing import Any

from moto.ec2.models.instances import InstanceBackend, Reservation

from sandbox.aws.cloud import Cloud


def apply(cloud: Cloud) -> None:
    del cloud
    stock_run_instances = InstanceBackend.run_instances

    def run_instances(
        self: Any, image_id: str, count: int, user_data: Any, security_group_names: list[str], **launch: Any
    ) -> Reservation:
        if not launch.get("subnet_id") and not launch.get("nics"):
            subnet = self.get_default_subnets().get(launch.get("placement") or f"{self.region_name}a")
            launch["subnet_id"] = subnet.id if subnet else None
            if subnet and launch.get("associate_public_ip") is None:
                launch["associate_public_ip"] = True  # a default subnet gives public addresses
        return stock_run_instances(self, image_id, count, user_data, security_group_names, **launch)

    InstanceBackend.run_instances = run_instances
