"""The version of moto and the gaps that we close in it, in one place and held together by a test.

Each module has `apply(cloud)`. Order matters where two wrap the same call: a later one sees the request
first. `instance_states` comes last of those around RunInstances, so that it tells of what really started.
"""

from __future__ import annotations

from importlib import import_module

from sandbox.aws import refusals
from sandbox.aws.cloud import Cloud

MOTO_VERSION = "5.2.5"

PATCHES = (
    "patches.dynamodb_atomic",
    "patches.nat_tags",
    "patches.launch_refusals",
    "patches.default_subnet",
    "patches.launch_templates",
    "patches.max_count",
    "patches.client_token",
    "patches.instance_states",
    "patches.console_output",
    "patches.role_enforcement",
    "patches.throttling",
    "spot",
    "lambdas.moto_lambda",
    "events",
    "sns_delivery",
    "alarms",
    "ssm_commands",
)


def apply_all(cloud: Cloud) -> None:
    refusals.apply()
    for name in PATCHES:
        import_module(f"sandbox.aws.{name}").apply(cloud)
