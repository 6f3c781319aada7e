"""RunInstances launches MaxCount instances where there is room; stock moto launches MinCount."""

from __future__ import annotations

from moto.core.responses import ActionResult
from moto.ec2.responses.instances import InstanceResponse

from sandbox.aws.cloud import Cloud


def apply(cloud: Cloud) -> None:
    del cloud
    stock_run_instances = InstanceResponse.run_instances

    def run_instances(self: InstanceResponse) -> ActionResult:
        parameters = self.params
        if parameters.get("MaxCount"):
            parameters["MinCount"] = parameters["MaxCount"]
        return stock_run_instances(self)

    InstanceResponse.run_instances = run_instances
