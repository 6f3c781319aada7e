"""What a launch template says, RunInstances does."""

from __future__ import annotations

from typing import Any

import pytest

from .servers import REGION, Aws

pytestmark = pytest.mark.gap("patches.launch_templates")
SPOT = {"MarketType": "spot", "SpotOptions": {"MaxPrice": "0.02", "SpotInstanceType": "one-time"}}


def launched(aws: Aws, name: str, subnet: str, count: int = 1, **template: Any) -> list[dict[str, Any]]:
    ec2 = aws.client("ec2")
    content = {"ImageId": "ami-12c6146b", "InstanceType": "t3.small", **template}
    ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=content)
    reservation = ec2.run_instances(
        LaunchTemplate={"LaunchTemplateName": name}, SubnetId=subnet, MinCount=count, MaxCount=count
    )
    ids = [instance["InstanceId"] for instance in reservation["Instances"]]
    described = ec2.describe_instances(InstanceIds=ids)["Reservations"]
    instances: list[dict[str, Any]] = described[0]["Instances"]
    return instances


def profile(aws: Aws, name: str) -> str:
    made = aws.client("iam").create_instance_profile(InstanceProfileName=name)
    return str(made["InstanceProfile"]["Arn"])


def test_spot_options_make_a_spot_instance(aws: Aws, name: str, subnet: str) -> None:
    [instance] = launched(aws, name, subnet, InstanceMarketOptions=SPOT)
    assert instance["InstanceLifecycle"] == "spot"
    assert instance["SpotInstanceRequestId"].startswith("sir-")


def test_every_instance_gets_the_profile(aws: Aws, name: str, subnet: str) -> None:
    arn = profile(aws, name)
    instances = launched(aws, name, subnet, count=2, IamInstanceProfile={"Name": name})
    assert [instance["IamInstanceProfile"]["Arn"] for instance in instances] == [arn, arn]


def test_every_instance_gets_the_profile_of_the_request(aws: Aws, name: str, subnet: str) -> None:
    arn = profile(aws, name)
    reservation = aws.client("ec2").run_instances(
        ImageId="ami-12c6146b",
        InstanceType="t3.small",
        SubnetId=subnet,
        MinCount=2,
        MaxCount=2,
        IamInstanceProfile={"Name": name},
    )
    ids = [instance["InstanceId"] for instance in reservation["Instances"]]
    [described] = aws.client("ec2").describe_instances(InstanceIds=ids)["Reservations"]
    arns = [instance.get("IamInstanceProfile", {}).get("Arn") for instance in described["Instances"]]
    assert arns == [arn, arn]


def test_metadata_options_are_applied(aws: Aws, name: str, subnet: str) -> None:
    [instance] = launched(aws, name, subnet, MetadataOptions={"HttpTokens": "required"})
    assert instance["MetadataOptions"]["HttpTokens"] == "required"


def test_volumes_get_the_tags(aws: Aws, name: str, subnet: str) -> None:
    specification = {"ResourceType": "volume", "Tags": [{"Key": "Project", "Value": "node-fleet"}]}
    [instance] = launched(aws, name, subnet, TagSpecifications=[specification])
    volume = instance["BlockDeviceMappings"][0]["Ebs"]["VolumeId"]
    [described] = aws.client("ec2").describe_volumes(VolumeIds=[volume])["Volumes"]
    assert described["Tags"] == [{"Key": "Project", "Value": "node-fleet"}]


def test_own_tags_stay_out_of_the_data(aws: Aws, name: str) -> None:
    ec2 = aws.client("ec2")
    ec2.create_launch_template(
        LaunchTemplateName=name,
        LaunchTemplateData={"InstanceType": "t3.small"},
        TagSpecifications=[{"ResourceType": "launch-template", "Tags": [{"Key": "a", "Value": "b"}]}],
    )
    [version] = ec2.describe_launch_template_versions(LaunchTemplateName=name)["LaunchTemplateVersions"]
    assert "TagSpecifications" not in version["LaunchTemplateData"]
    [template] = ec2.describe_launch_templates(LaunchTemplateNames=[name])["LaunchTemplates"]
    assert template["Tags"] == [{"Key": "a", "Value": "b"}]


@pytest.mark.parametrize("zone", [f"{REGION}b"])
def test_the_template_places_the_instance(aws: Aws, name: str, zone: str) -> None:
    ec2 = aws.client("ec2")
    content = {"ImageId": "ami-12c6146b", "InstanceType": "t3.small", "Placement": {"AvailabilityZone": zone}}
    ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=content)
    made = ec2.run_instances(LaunchTemplate={"LaunchTemplateName": name}, MinCount=1, MaxCount=1)
    assert made["Instances"][0]["Placement"]["AvailabilityZone"] == zone
