"""Spot notices and rebalance advice, put as faults: the event first, the end of the instance 120 s later."""

from __future__ import annotations

from typing import Any

from moto.ec2.models import ec2_backends
from moto.ec2.models.instances import StateReason

from sandbox.aws.cloud import Cloud
from sandbox.aws.faults import UnknownFaultError
from sandbox.aws.instance_hooks import news_of


def apply(cloud: Cloud) -> None:
    def give_notice(where: dict[str, Any]) -> None:
        instance = _living_spot_instance(where["instance_id"])
        _tell(cloud, instance, "spot-notice")
        cloud.agenda.after(where.get("seconds", cloud.durations.spot_notice), lambda: _take_back(cloud, instance))

    def advise(where: dict[str, Any]) -> None:
        _tell(cloud, _living_spot_instance(where["instance_id"]), "rebalance")

    cloud.faults.carry_out_with("spot_notice", give_notice)
    cloud.faults.carry_out_with("rebalance", advise)


def _living_spot_instance(instance_id: str) -> Any:
    for account in list(ec2_backends.values()):
        for backend in list(account.values()):
            instance = backend.get_instance_by_id(instance_id)
            if instance is None:
                continue
            if instance.lifecycle != "spot" or instance.state not in ("pending", "running"):
                what = f"{instance_id} is {instance.lifecycle or 'on-demand'} and {instance.state}"
                raise UnknownFaultError(f"instance_id: {what}; a running Spot instance is needed")
            return instance
    raise UnknownFaultError(f"instance_id: there is no {instance_id}")


def _tell(cloud: Cloud, instance: Any, event: str) -> None:
    with cloud.ec2_lock:
        cloud.instance_hooks.tell(news_of(instance, event, cloud.clock.now()))


def _take_back(cloud: Cloud, instance: Any) -> None:
    with cloud.ec2_lock:
        if instance.state in ("pending", "running"):
            instance.sandbox_end_reason = StateReason(
                "Server.SpotInstanceTermination: Spot instance termination", "Server.SpotInstanceTermination"
            )
            instance.terminate()
