"""RunInstances with a ClientToken seen before launches nothing and answers as before.

Stock moto stores the token and launches again. The autoscaler repeats a call whose answer it lost, so
this is the promise that keeps a fleet from growing twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models.instances import Reservation
from moto.ec2.responses.instances import InstanceResponse

from sandbox.aws.cloud import Cloud
from sandbox.aws.refusals import Refusal

NOT_COMPARED = {"ClientToken", "DryRun"}


@dataclass(frozen=True)
class Answer:
    parameters: str
    reservation: Reservation


def apply(cloud: Cloud) -> None:
    answers: dict[tuple[str, str, str], Answer] = {}
    stock_run_instances = InstanceResponse.run_instances

    def run_instances(self: InstanceResponse) -> ActionResult:
        token = self._get_param("ClientToken")
        if not token or self._get_param("DryRun", False):
            return stock_run_instances(self)
        key = (self.current_account, self.region, token)
        parameters = _comparable(self.params)
        with cloud.ec2_lock:  # the second of two simultaneous calls waits for the first one's answer
            earlier = answers.get(key)
            if earlier is None:
                result = stock_run_instances(self)
                if isinstance(result.result, Reservation):
                    answers[key] = Answer(parameters, result.result)
                return result
        if earlier.parameters != parameters:
            raise Refusal(
                "IdempotentParameterMismatch",
                "Arguments on this idempotent request are inconsistent with arguments used in previous request(s).",
            )
        if all(instance.state == "terminated" for instance in earlier.reservation.instances):
            raise Refusal(
                "IdempotentInstanceTerminated",
                "The client token has already been used for an instance that has been terminated.",
            )
        return ActionResult(earlier.reservation)

    InstanceResponse.run_instances = run_instances


def _comparable(parameters: Any) -> str:
    asked = {name: value for name, value in dict(parameters).items() if name not in NOT_COMPARED}
    return json.dumps(asked, sort_keys=True, default=str)
