"""Instances take time: pending, running, shutting-down, terminated, as DescribeInstances shows them.

Stock moto jumps at once, so that an autoscaler never sees a worker that is still coming or still going.
Here the states change on the cloud's clock, each change is told to the hooks, and the filter
`instance-lifecycle` works (stock: HTTP 500).
"""

from __future__ import annotations

import copy
from typing import Any

from moto.ec2 import utils
from moto.ec2.models import ec2_backends
from moto.ec2.models.instances import Instance, InstanceBackend, InstanceState, Reservation, StateReason
from moto.ec2.responses import EC2Response
from moto.ec2.responses._base_response import EC2BaseResponse

from sandbox.aws.cloud import Cloud
from sandbox.aws.instance_hooks import news_of

CODE = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopping": 64, "stopped": 80}
FURTHER_FILTERS = {
    "instance-lifecycle": "lifecycle",
    "client-token": "client_token",
    "spot-instance-request-id": "spot_instance_request_id",
}
RUN_INSTANCES_STATE = "RunInstances.Reservation.Instances.Instance.State"


def apply(cloud: Cloud) -> None:
    utils.filter_dict_attribute_mapping.update(FURTHER_FILTERS)
    # Stock forces "pending" into every RunInstances answer; a repeated call must show the true state.
    EC2BaseResponse.RESPONSE_KEY_PATH_TO_TRANSFORMER.pop(RUN_INSTANCES_STATE, None)
    _serve_one_request_at_a_time(cloud)
    _start_slowly(cloud)
    _end_slowly(cloud)


def enter_state(cloud: Cloud, instance: Any, state: str) -> int:
    """Returns the number of this change: a later step is void once another change has come in between."""
    instance._state = InstanceState(state, CODE[state])
    instance.sandbox_change = getattr(instance, "sandbox_change", 0) + 1
    if _is_listed(instance):  # inside Instance.__init__ it is not yet, and its tags are not there
        cloud.instance_hooks.tell(news_of(instance, state, cloud.clock.now()))
    return int(instance.sandbox_change)


def enter_later(cloud: Cloud, instance: Any, state: str, seconds: float, change: int) -> None:
    def enter() -> None:
        with cloud.ec2_lock:
            if instance.sandbox_change == change and _is_listed(instance):
                enter_state(cloud, instance, state)

    cloud.agenda.after(seconds, enter)


def _is_listed(instance: Any) -> bool:
    """False after a reset of moto, too: the agenda may still hold steps of instances long gone."""
    backend = ec2_backends[instance.owner_id][instance.ec2_backend.region_name]
    return backend.get_instance_by_id(instance.id) is instance


def _serve_one_request_at_a_time(cloud: Cloud) -> None:
    stock_call_action = EC2Response.call_action

    def call_action(self: EC2Response) -> Any:
        with cloud.ec2_lock:
            return stock_call_action(self)

    EC2Response.call_action = call_action  # type: ignore[assignment]  # moto types it narrowly


def _start_slowly(cloud: Cloud) -> None:
    stock_init, stock_start = Instance.__init__, Instance.start
    stock_run_instances = InstanceBackend.run_instances

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        stock_init(self, *args, **kwargs)
        enter_later(cloud, self, "running", cloud.durations.pending, enter_state(cloud, self, "pending"))

    def start(self: Any) -> InstanceState:
        previous = stock_start(self)
        if previous.name == "running":
            return previous
        enter_later(cloud, self, "running", cloud.durations.pending, enter_state(cloud, self, "pending"))
        return previous

    def run_instances(self: Any, *args: Any, **kwargs: Any) -> Reservation:
        reservation = stock_run_instances(self, *args, **kwargs)
        for instance in reservation.instances:
            cloud.instance_hooks.tell(news_of(instance, "pending", cloud.clock.now()))
        return reservation

    InstanceBackend.run_instances = run_instances
    Instance.__init__ = init
    Instance.start = start


def _end_slowly(cloud: Cloud) -> None:
    stock_terminate, stock_stop = Instance.terminate, Instance.stop

    def terminate(self: Any) -> InstanceState:
        previous: InstanceState = copy.copy(self._state)
        if previous.name in ("shutting-down", "terminated"):
            return previous
        reason = getattr(self, "sandbox_end_reason", None) or StateReason(
            "Client.UserInitiatedShutdown: User initiated shutdown", "Client.UserInitiatedShutdown"
        )
        self.state_reason = reason
        change = enter_state(cloud, self, "shutting-down")

        def finish() -> None:
            with cloud.ec2_lock:
                if self.sandbox_change != change or not _is_listed(self):
                    return
                stock_terminate(self)  # gives back interfaces, volumes and the profile
                self.state_reason = reason
                enter_state(cloud, self, "terminated")
                cloud.agenda.after(cloud.durations.terminated_stays_visible, lambda: _forget(cloud, self))

        cloud.agenda.after(cloud.durations.shutting_down, finish)
        return previous

    def stop(self: Any) -> InstanceState:
        previous: InstanceState = stock_stop(self)
        if previous.name != "stopped":
            change = enter_state(cloud, self, "stopping")
            enter_later(cloud, self, "stopped", cloud.durations.stopping, change)
        return previous

    Instance.terminate = terminate
    Instance.stop = stop


def _forget(cloud: Cloud, instance: Any) -> None:
    """EC2 shows a terminated instance for about an hour."""
    with cloud.ec2_lock:
        backend = instance.ec2_backend
        for reservation_id, reservation in list(backend.reservations.items()):
            if instance in reservation.instances:
                reservation.instances.remove(instance)
                if not reservation.instances:
                    del backend.reservations[reservation_id]
