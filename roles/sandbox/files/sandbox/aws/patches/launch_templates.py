"""RunInstances honours the launch template's Spot options, profile, metadata options and tags.

Stock moto takes only image, type, key, groups, user data and instance tags from a template; it gives an
instance profile to the first instance of a call only; and CreateLaunchTemplate mixes the template's own
tags into its data, so that Ansible sees a change at every run.
"""

from __future__ import annotations

from typing import Any

from moto.ec2.exceptions import InvalidParameterCombination
from moto.ec2.models.instances import InstanceBackend, Reservation
from moto.ec2.models.launch_templates import LaunchTemplate, LaunchTemplateBackend
from moto.ec2.utils import (
    convert_tag_spec,
    filter_iam_instance_profiles,
    random_spot_request_id,
)

from sandbox.aws.cloud import Cloud

# Template field -> how moto's run_instances calls it. Taken only where the request does not say.
SIMPLE_FIELDS = {
    "EbsOptimized": "ebs_optimized",
    "DisableApiStop": "disable_api_stop",
    "DisableApiTermination": "disable_api_termination",
    "InstanceInitiatedShutdownBehavior": "instance_initiated_shutdown_behavior",
    "MetadataOptions": "metadata_options",
}


def apply(cloud: Cloud) -> None:
    del cloud
    _run_instances_with_whole_template()
    _keep_own_tags_out_of_data()


def _run_instances_with_whole_template() -> None:
    stock_run_instances = InstanceBackend.run_instances

    def run_instances(
        self: Any, image_id: str, count: int, user_data: Any, security_group_names: list[str], **launch: Any
    ) -> Reservation:
        profile = _profile_of_request(launch)
        if launch.get("launch_template"):
            template = self._get_template_from_args(launch["launch_template"]).data
            _fill_from_template(launch, template)
            profile = profile or template.get("IamInstanceProfile")
            if profile:  # a profile that does not exist must be refused before anything is launched
                filter_iam_instance_profiles(
                    self.account_id,
                    partition=self.partition,
                    iam_instance_profile_arn=profile.get("Arn"),
                    iam_instance_profile_name=profile.get("Name"),
                )
        reservation = stock_run_instances(self, image_id, count, user_data, security_group_names, **launch)
        # The stock response gives the request's profile to the first instance, and only to that.
        without = reservation.instances[1:] if _profile_of_request(launch) else reservation.instances
        for instance in without if profile else []:
            self.associate_iam_instance_profile(
                instance_id=instance.id,
                iam_instance_profile_name=(profile or {}).get("Name"),
                iam_instance_profile_arn=(profile or {}).get("Arn"),
            )
        spot: list[Any] = [instance for instance in reservation.instances if instance.lifecycle == "spot"]
        for instance in spot:
            instance.spot_instance_request_id = random_spot_request_id()
        return reservation

    InstanceBackend.run_instances = run_instances


def _profile_of_request(launch: dict[str, Any]) -> dict[str, str] | None:
    given = {"Name": launch.get("iam_instance_profile_name"), "Arn": launch.get("iam_instance_profile_arn")}
    return {key: value for key, value in given.items() if value} or None


def _fill_from_template(launch: dict[str, Any], template: dict[str, Any]) -> None:
    for field, argument in SIMPLE_FIELDS.items():
        if field in template and not launch.get(argument):
            launch[argument] = template[field]
    if not launch.get("instance_market_options"):
        launch["instance_market_options"] = template.get("InstanceMarketOptions", {}).get("MarketType")
    if launch.get("is_instance_type_default") and template.get("InstanceType"):
        launch["instance_type"], launch["is_instance_type_default"] = template["InstanceType"], False
    if not launch.get("placement"):
        launch["placement"] = template.get("Placement", {}).get("AvailabilityZone")
    if template.get("Monitoring", {}).get("Enabled") and launch.get("monitoring_state") != "enabled":
        launch["monitoring_state"] = "enabled"
    if template.get("NetworkInterfaces") and not launch.get("nics"):
        if launch.get("subnet_id"):
            raise InvalidParameterCombination(
                "Network interfaces and an instance-level subnet ID may not be specified on the same request"
            )
        launch["nics"] = template["NetworkInterfaces"]
    template_tags = convert_tag_spec(template.get("TagSpecifications", []))
    tags = {kind: dict(values) for kind, values in (launch.get("tags") or {}).items()}
    tags["volume"] = {**template_tags.get("volume", {}), **tags.get("volume", {})}
    launch["tags"] = tags


def _keep_own_tags_out_of_data() -> None:
    stock_create = LaunchTemplateBackend.create_launch_template

    def create_launch_template(
        self: LaunchTemplateBackend,
        name: str,
        description: str,
        template_data: dict[str, Any],
        tag_spec: dict[str, Any],
    ) -> LaunchTemplate:
        specifications = template_data.get("TagSpecifications", [])
        own = specifications[: len(specifications) - len(tag_spec)]  # moto appends one for each tagged kind
        if own:
            template_data["TagSpecifications"] = own
        else:
            template_data.pop("TagSpecifications", None)
        return stock_create(self, name, description, template_data, tag_spec)

    LaunchTemplateBackend.create_launch_template = create_launch_template
