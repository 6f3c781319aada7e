"""What every part of the sandbox's AWS shares: the clock, the agenda, faults, hooks, and where files go."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.aws.agenda import Agenda
from sandbox.aws.clock import CloudClock

if TYPE_CHECKING:
    from sandbox.aws.faults import Faults
    from sandbox.aws.instance_hooks import InstanceHooks
    from sandbox.aws.lambdas.functions import Functions


@dataclass(frozen=True)
class Durations:
    """How long EC2 takes, in cloud seconds. Boot up to a joined node is the hypervisor's affair."""

    pending: float = 8.0
    shutting_down: float = 25.0
    stopping: float = 20.0
    terminated_stays_visible: float = 3600.0
    spot_notice: float = 120.0


@dataclass
class Cloud:
    """One per process: moto's backends are global, so there can be only one AWS in a process."""

    clock: CloudClock
    agenda: Agenda
    directory: Path
    url: str
    faults: Faults
    instance_hooks: InstanceHooks
    durations: Durations = field(default_factory=Durations)
    ssm_executables: Path | None = None
    ssm_tag: tuple[str, str] = ("Role", "k3s-master")
    enforce_roles: bool = False
    role_of_key: dict[str, str] = field(default_factory=dict)  # access key of a function -> its role's arn
    ec2_lock: threading.RLock = field(default_factory=threading.RLock)
    functions: Functions | None = None

    def running_functions(self) -> Functions:
        if self.functions is None:
            raise RuntimeError("Lambda is not set up: apply sandbox.aws.lambdas.moto_lambda first")
        return self.functions
