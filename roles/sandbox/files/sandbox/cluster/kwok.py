"""KWOK plays the kubelets: stages move nodes and pods along, metrics tell what pods on a node use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from sandbox.cluster.answering import answers
from sandbox.cluster.control_plane import POD_RANGE
from sandbox.cluster.settings import Settings
from sandbox.layout import FILES, Layout, write_private
from sandbox.ports import LOOPBACK
from sandbox.processes import Program

PORTS = ("kwok",)
KUBELET = "sandbox.node-fleet/kubelet"
SOURCES = FILES / "kwok"
# Core counts that have a metrics page of their own; a node's page shows as many cores as it has.
CORE_COUNTS = (1, 2, 4, 8, 16)
SYSTEM_SHARE = 0.01
# How a core's busy time splits; node_exporter shows all eight modes, most of them near zero.
_BUSY_SHARES = {"user": 0.80, "system": 0.17, "softirq": 0.02, "iowait": 0.01}
_QUIET_MODES = ("irq", "nice", "steal")


def kwok(layout: Layout, binary: Path, ports: dict[str, int], settings: Settings) -> Program:
    """Plays the kubelet of nodes whose label says that it runs; nodes.py silences one by that label.

    A label, not KWOK's usual annotation: with that, KWOK 0.8 goes on renewing the lease of a node it let go.
    """
    configuration = layout.configuration / "kwok.yaml"
    write_private(configuration, yaml.safe_dump_all(_documents(), sort_keys=False))
    kubeconfig = layout.kubeconfigs / "kwok.yaml"
    argv = (
        str(binary),
        f"--kubeconfig={kubeconfig}",
        f"--config={configuration}",
        "--manage-all-nodes=false",
        f"--manage-nodes-with-label-selector={KUBELET}=running",
        f"--server-address={LOOPBACK}:{ports['kwok']}",
        f"--cidr={POD_RANGE}",
        f"--node-ip={LOOPBACK}",
        f"--node-lease-duration-seconds={settings.node_grace_seconds}",
    )
    return Program("kwok", argv, answers(f"http://{LOOPBACK}:{ports['kwok']}/healthz"), (configuration, kubeconfig))


def _documents() -> list[dict[str, Any]]:
    stages = list(yaml.safe_load_all((SOURCES / "stages.yaml").read_text()))
    others = [yaml.safe_load((SOURCES / name).read_text()) for name in ("usage.yaml", "cadvisor.yaml")]
    return [*stages, *others, *(_node_exporter(cores) for cores in CORE_COUNTS)]


def _node_exporter(cores: int) -> dict[str, Any]:
    """The page for nodes with this many cores: the common part plus CPU time of each core in each mode."""
    page: dict[str, Any] = yaml.safe_load((SOURCES / "node-exporter.yaml").read_text())
    page["metadata"]["name"] += f"-{cores}"
    page["spec"]["path"] += f"-{cores}"
    for core in range(cores):
        page["spec"]["metrics"] += [_cpu(core, mode, value) for mode, value in _cpu_times(cores).items()]
    return page


def _cpu_times(cores: int) -> dict[str, str]:
    """CEL per mode, seconds of one core. Pods' load is spread evenly; the system itself takes one percent."""
    pods = f'node.CumulativeUsage("cpu") / {cores:.1f}'
    busy = {mode: f"({pods}) * {share}" for mode, share in _BUSY_SHARES.items()}
    busy["system"] += f" + node.SinceSecond() * {SYSTEM_SHARE}"
    idle = f"node.SinceSecond() * {1 - SYSTEM_SHARE} - {pods}"
    return {**busy, **dict.fromkeys(_QUIET_MODES, "0.0"), "idle": idle}


def _cpu(core: int, mode: str, value: str) -> dict[str, Any]:
    return {
        "name": "node_cpu_seconds_total",
        "dimension": "node",
        "kind": "counter",
        "value": value,
        "help": "Seconds the CPUs spent in each mode.",
        "labels": [{"name": "cpu", "value": f'"{core}"'}, {"name": "mode", "value": f'"{mode}"'}],
    }
