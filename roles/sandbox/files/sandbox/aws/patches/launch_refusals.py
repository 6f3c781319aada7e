"""RunInstances is refused where a fault says so: no capacity, quota reached, Spot price too low.

Stock moto always has room. Codes, texts and HTTP statuses are those of EC2; a lack of capacity is a 500,
which SDKs retry before the caller sees it.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models.instances import InstanceBackend, Reservation
from moto.ec2.responses.instances import InstanceResponse

from sandbox.aws.cloud import Cloud
from sandbox.aws.refusals import Refusal

# What the request says of the price; moto does not pass it on to its backend.
asked_max_price: ContextVar[str | None] = ContextVar("asked_max_price", default=None)


def apply(cloud: Cloud) -> None:
    stock_response, stock_backend = InstanceResponse.run_instances, InstanceBackend.run_instances

    def respond(self: InstanceResponse) -> ActionResult:
        asked_max_price.set(self._get_param("InstanceMarketOptions.SpotOptions.MaxPrice"))
        return stock_response(self)

    def launch(
        self: Any, image_id: str, count: int, user_data: Any, security_group_names: list[str], **launch: Any
    ) -> Reservation:
        _refuse(cloud, self, count, launch)
        return stock_backend(self, image_id, count, user_data, security_group_names, **launch)

    InstanceResponse.run_instances = respond
    InstanceBackend.run_instances = launch


def _refuse(cloud: Cloud, backend: Any, count: int, launch: dict[str, Any]) -> None:
    zone, instance_type = _zone(backend, launch), launch.get("instance_type")
    is_spot = bool(launch.get("instance_market_options")) or launch.get("lifecycle") == "spot"
    lifecycle = "spot" if is_spot else "on-demand"
    pool = {"zone": zone, "instance_type": instance_type}

    quota = cloud.faults.first("quota_reached", lifecycle=lifecycle)
    if quota and _living(backend, lifecycle) + count > quota.where.get("limit", 0):
        cloud.faults.use(quota)
        raise _quota_refusal(lifecycle)
    price = cloud.faults.first("price_too_low", **pool) if is_spot else None
    offered = _max_price(backend, launch)
    if price and offered is not None and offered < price.where["minimum"]:
        cloud.faults.use(price)
        raise Refusal(
            "SpotMaxPriceTooLow",
            f"Your Spot request price of {offered} is lower than the minimum required Spot request "
            f"fulfillment price of {price.where['minimum']}.",
        )
    capacity = cloud.faults.first("no_capacity", lifecycle=lifecycle, **pool)
    if capacity:
        cloud.faults.use(capacity)
        raise Refusal(
            "InsufficientInstanceCapacity",
            f"We currently do not have sufficient {instance_type} capacity in the Availability Zone you "
            f"requested ({zone}). Our system will be working on provisioning additional capacity.",
        )


def _quota_refusal(lifecycle: str) -> Refusal:
    if lifecycle == "spot":
        return Refusal("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
    return Refusal(
        "VcpuLimitExceeded",
        "You have requested more vCPU capacity than your current vCPU limit allows for the instance "
        "bucket that the specified instance type belongs to. Please visit "
        "http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.",
    )


def _living(backend: Any, lifecycle: str) -> int:
    instances = [i for i in backend.all_instances() if i.state not in ("terminated", "shutting-down")]
    return sum((instance.lifecycle or "on-demand") == lifecycle for instance in instances)


def _zone(backend: Any, launch: dict[str, Any]) -> str:
    subnet_id = launch.get("subnet_id") or next(
        (nic["SubnetId"] for nic in launch.get("nics") or [] if "SubnetId" in nic), None
    )
    if subnet_id:
        return str(backend.get_subnet(subnet_id).availability_zone)
    return str(launch.get("placement") or f"{backend.region_name}a")


def _max_price(backend: Any, launch: dict[str, Any]) -> float | None:
    """None: the On-Demand price is offered, which is never too low."""
    offered = asked_max_price.get()
    if offered is None and launch.get("launch_template"):
        market = backend._get_template_from_args(launch["launch_template"]).data.get("InstanceMarketOptions", {})
        offered = market.get("SpotOptions", {}).get("MaxPrice")
    return float(offered) if offered else None
