"""`up`, `down`, `status`: the whole cluster as one thing that can be started, healed and stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox.binaries.pins import CLUSTER_RELEASES
from sandbox.binaries.provide import provide
from sandbox.cluster import access, control_plane, kwok, monitoring
from sandbox.cluster.api import ClusterApi
from sandbox.cluster.certificates import ADMIN, CLIENTS, make_certificates
from sandbox.cluster.kubeconfig import write_certificate_kubeconfig, write_token_kubeconfig
from sandbox.cluster.settings import Settings
from sandbox.errors import NotReadyError, SandboxError
from sandbox.layout import Layout, write_private
from sandbox.ports import LOOPBACK, assign_ports
from sandbox.processes import Processes, Program

PORTS = (*control_plane.PORTS, *kwok.PORTS, *monitoring.PORTS)
# A port that a component has beside its main one.
_OWNER = {"etcd-peer": "etcd", "kube-state-metrics-self": "kube-state-metrics"}
# Reverse of the way they depend on each other, so that nobody cries for a server that is already gone.
STOP_ORDER = (
    "prometheus",
    "kube-state-metrics",
    "kwok",
    "alertmanager",
    "pushgateway",
    "kube-scheduler",
    "kube-controller-manager",
    "kube-apiserver",
    "etcd",
)
# A process that was there before but does not answer hangs: after this long it is started anew.
HUNG_SECONDS = 10.0


@dataclass(frozen=True)
class Cluster:
    """A running sandbox cluster: addresses and keys for whoever wants to talk to it."""

    layout: Layout
    ports: dict[str, int]
    settings: Settings

    def url(self, name: str) -> str:
        scheme = "https" if name.startswith("kube-apiserver") else "http"
        return f"{scheme}://{LOOPBACK}:{self.ports[name]}"

    @property
    def authority(self) -> Path:
        return self.layout.certificates / "ca.crt"

    @property
    def kubeconfig(self) -> Path:
        return self.layout.admin_kubeconfig

    @property
    def autoscaler_token(self) -> str:
        return (self.layout.secrets / "autoscaler-token").read_text()

    @property
    def prometheus_login(self) -> tuple[str, str]:
        return monitoring.USER, monitoring.password_file(self.layout).read_text()

    def admin(self) -> ClusterApi:
        return ClusterApi(self.url("kube-apiserver"), self.authority, client=self.layout.certificates / ADMIN.file)

    def autoscaler(self) -> ClusterApi:
        return ClusterApi(self.url("kube-apiserver"), self.authority, token=self.autoscaler_token)


def up(root: Path, settings: Settings | None = None, say: Callable[[str], None] = lambda _: None) -> Cluster:
    """Start what is not running, leave alone what is, restart what hangs. Safe to repeat at any moment."""
    layout = Layout(root.resolve())
    binaries = provide(CLUSTER_RELEASES)
    with layout.exclusive():
        chosen = settings or Settings(**layout.remembered_settings())
        layout.claim(chosen.as_dict())
        processes = Processes(layout)
        processes.stop(processes.adopt_strays())
        ports = assign_ports(layout.ports, PORTS, lambda name: processes.is_alive(_OWNER.get(name, name)))
        make_certificates(layout.certificates)
        cluster = Cluster(layout, ports, chosen)
        for identity in CLIENTS:
            write_certificate_kubeconfig(
                layout.kubeconfigs / f"{identity.file}.yaml",
                cluster.url("kube-apiserver"),
                layout.certificates,
                identity.file,
            )
        _start_all(cluster, processes, binaries, say)
    return cluster


def _start_all(cluster: Cluster, processes: Processes, binaries: dict[str, Path], say: Callable[[str], None]) -> None:
    layout, ports, settings = cluster.layout, cluster.ports, cluster.settings
    began = time.monotonic()
    first = [
        control_plane.etcd(layout, binaries["etcd"], ports),
        control_plane.kube_apiserver(layout, binaries["kube-apiserver"], ports, settings),
    ]
    unattached = [
        monitoring.alertmanager(layout, binaries["alertmanager"], ports),
        monitoring.pushgateway(layout, binaries["pushgateway"], ports),
    ]
    ensure([*first, *unattached], processes, say)
    processes.wait_until_ready(first)
    say(f"API server ready after {time.monotonic() - began:.1f} s")
    api = cluster.admin()
    access.grant_component_rights(api)
    attached = [
        control_plane.kube_controller_manager(layout, binaries["kube-controller-manager"], ports, settings),
        control_plane.kube_scheduler(layout, binaries["kube-scheduler"], ports),
        kwok.kwok(layout, binaries["kwok"], ports, settings),
        monitoring.kube_state_metrics(layout, binaries["kube-state-metrics"], ports),
        monitoring.prometheus(layout, binaries["prometheus"], ports, settings),
    ]
    ensure(attached, processes, say)
    access.grant_autoscaler_rights(api)
    processes.wait_until_ready([*unattached, *attached])
    token = access.autoscaler_token(api)
    api.close()
    _ensure_still_running([*first, *unattached, *attached], processes, say)
    write_private(layout.secrets / "autoscaler-token", token)
    write_token_kubeconfig(
        layout.kubeconfigs / "autoscaler.yaml",
        cluster.url("kube-apiserver"),
        layout.certificates,
        "autoscaler",
        token,
    )
    say(f"cluster ready after {time.monotonic() - began:.1f} s")


def ensure(programs: list[Program], processes: Processes, say: Callable[[str], None]) -> None:
    """Start what does not run, and start anew what ran before but does not answer."""
    found_running = []
    for program in programs:
        if processes.ensure_running(program):
            say(f"{program.name} started")
        else:
            found_running.append(program)
    try:
        processes.wait_until_ready(found_running, HUNG_SECONDS)
    except NotReadyError:
        hung = [program for program in found_running if not program.answers()]
        processes.stop([program.name for program in hung])
        for program in hung:
            processes.ensure_running(program)
            say(f"{program.name} did not answer and was started anew")


def _ensure_still_running(programs: list[Program], processes: Processes, say: Callable[[str], None]) -> None:
    """One more look: who lost the API server during its own start ends a moment after it was asked."""
    ended = [program for program in programs if not processes.is_alive(program.name)]
    ensure(ended, processes, say)
    processes.wait_until_ready(ended)


def down(root: Path, *, keep: bool = False) -> int:
    """Stop every process this directory knows of; returns how many were running.

    Files go, too, unless `keep`.
    """
    layout = Layout(root.resolve())
    if not layout.is_ours():
        return 0
    with layout.exclusive():
        processes = Processes(layout)
        processes.adopt_strays()
        known = [record.name for record in processes.records()]
        running = sum(record.is_alive for record in processes.records())
        order = [
            *(name for name in known if name not in STOP_ORDER),
            *(name for name in STOP_ORDER if name in known),
        ]
        control = [name for name in order if name in ("kube-apiserver", "etcd")]
        processes.stop([name for name in order if name not in control])
        for name in control:
            processes.stop([name])
        left = [record.name for record in processes.records()]
        if left:
            raise SandboxError(f"these processes do not end: {', '.join(left)}")
        if not keep:
            layout.erase()
    return running


def opened(root: Path) -> Cluster:
    """The cluster that an earlier `up` left running in this directory."""
    layout = Layout(root.resolve())
    if not layout.is_ours() or not layout.ports.exists():
        raise SandboxError(f"no sandbox in {root}: start one with `python -m sandbox up --dir {root}`")
    ports: dict[str, int] = json.loads(layout.ports.read_text())
    return Cluster(layout, ports, Settings(**layout.remembered_settings()))
