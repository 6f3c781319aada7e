"""The whole sandbox as one thing: cluster, AWS and hypervisor, started, healed and stopped together."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox import master
from sandbox.cluster import lifecycle
from sandbox.cluster.answering import answers
from sandbox.cluster.lifecycle import Cluster
from sandbox.cluster.settings import Settings
from sandbox.errors import SandboxError
from sandbox.layout import FILES, Layout
from sandbox.ports import LOOPBACK, assign_ports
from sandbox.processes import Processes, Program

AWS, HYPERVISOR, PROMETHEUS_FRONT = "aws", "hypervisor", "prometheus-front"
REGION = "ap-southeast-1"
# A port that the hypervisor has beside its main one.
_OWNER = {PROMETHEUS_FRONT: HYPERVISOR}
_PYTHON = (("PYTHONPATH", str(FILES)), ("PYTHONUNBUFFERED", "1"))


@dataclass(frozen=True)
class Sandbox:
    """A running sandbox: addresses for whoever wants to talk to it."""

    cluster: Cluster
    ports: dict[str, int]

    @property
    def layout(self) -> Layout:
        return self.cluster.layout

    @property
    def speed(self) -> float:
        return self.cluster.settings.speed

    @property
    def aws_url(self) -> str:
        return f"http://{LOOPBACK}:{self.ports[AWS]}"

    @property
    def hypervisor_url(self) -> str:
        """Its `/faults` is the one place where anything is made to go wrong."""
        return f"http://{LOOPBACK}:{self.ports[HYPERVISOR]}"

    @property
    def prometheus_url(self) -> str:
        """Prometheus as the engine is to see it: faults happen on the way. Login as of Prometheus itself."""
        return f"http://{LOOPBACK}:{self.ports[PROMETHEUS_FRONT]}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which boto3, Ansible and kubectl talk to this sandbox and to nothing else."""
        return {
            "AWS_ENDPOINT_URL": self.aws_url,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "sandbox",
            "AWS_SECRET_ACCESS_KEY": "sandbox",
            "KUBECONFIG": str(self.cluster.kubeconfig),
        }


def up(root: Path, settings: Settings | float | None = None, say: Callable[[str], None] = lambda _: None) -> Sandbox:
    """Start what is not running, leave alone what is, restart what hangs. Safe to repeat at any moment.

    An AWS that had to be started anew is an empty account: it gets its master and join token here, the rest
    has to be provisioned again, and workers whose instances are gone fall silent.
    """
    chosen = Settings(speed=settings) if isinstance(settings, (int, float)) else settings
    cluster = lifecycle.up(root, chosen, say)
    layout = cluster.layout
    began = time.monotonic()
    with layout.exclusive():
        if not layout.is_ours():
            raise SandboxError(f"{root} was taken down while it came up: run up again")
        processes = Processes(layout)
        ports = assign_ports(
            _ports_file(layout),
            (AWS, HYPERVISOR, PROMETHEUS_FRONT),
            lambda name: processes.is_alive(_OWNER.get(name, name)),
        )
        sandbox = Sandbox(cluster, ports)
        programs = [_aws(sandbox), _hypervisor(sandbox)]
        lifecycle.ensure(programs, processes, say)
        processes.wait_until_ready(programs)
        master.ensure_master(cluster, sandbox.aws_url, REGION)
    say(f"AWS and hypervisor ready after {time.monotonic() - began:.1f} s more")
    return sandbox


def down(root: Path, *, keep: bool = False) -> int:
    """Stop every process of this directory; returns how many were running. Files go, too, unless `keep`."""
    return lifecycle.down(root, keep=keep)


def opened(root: Path) -> Sandbox:
    """The sandbox that an earlier `up` left running in this directory."""
    cluster = lifecycle.opened(root)
    ports = _ports_file(cluster.layout)
    if not ports.exists():
        raise SandboxError(f"only a cluster in {root}: `python -m sandbox up --dir {root}` adds the rest")
    return Sandbox(cluster, json.loads(ports.read_text()))


def _ports_file(layout: Layout) -> Path:
    """Beside the cluster's own list, which each `up` of the cluster writes as a whole."""
    return layout.root / "ports-aws.json"


def _aws(sandbox: Sandbox) -> Program:
    """It is told nothing about the hypervisor, which registers itself: a restart would empty the account."""
    directory = sandbox.layout.root / "aws"
    argv = (
        *(sys.executable, "-m", "sandbox.aws"),
        *("--port", str(sandbox.ports[AWS])),
        *("--dir", str(directory)),
        *("--speed", str(sandbox.speed)),
        *("--ssm-executables", str(master.write_executables(sandbox.cluster))),
    )
    return Program(AWS, argv, answers(f"{sandbox.aws_url}/_sandbox/health"), environment=_PYTHON)


def _hypervisor(sandbox: Sandbox) -> Program:
    argv = (
        *(sys.executable, "-m", "sandbox.hypervisor"),
        *("--dir", str(sandbox.layout.root)),
        *("--aws-url", sandbox.aws_url),
        *("--port", str(sandbox.ports[HYPERVISOR])),
        *("--prometheus-port", str(sandbox.ports[PROMETHEUS_FRONT])),
        *("--speed", str(sandbox.speed)),
    )
    # The cluster's ports are its input: they move only if a stranger sits on one.
    ready = answers(f"{sandbox.hypervisor_url}/health")
    return Program(HYPERVISOR, argv, ready, (sandbox.layout.ports,), _PYTHON)
