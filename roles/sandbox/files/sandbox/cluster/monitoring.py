"""kube-state-metrics, Prometheus, Alertmanager, Pushgateway: the real servers with the production files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from sandbox.cluster.answering import answers
from sandbox.cluster.passwords import bcrypt_hash, remembered_password
from sandbox.cluster.settings import Settings
from sandbox.layout import FILES, Layout, write_private
from sandbox.ports import LOOPBACK
from sandbox.processes import Program

PORTS = ("kube-state-metrics", "kube-state-metrics-self", "prometheus", "alertmanager", "pushgateway")
SOURCES = FILES / "monitoring"
USER = "prometheus"
_WATCHED = "pods,nodes,namespaces,deployments,replicasets,statefulsets,daemonsets,poddisruptionbudgets"


def password_file(layout: Layout) -> Path:
    return layout.secrets / "prometheus-password"


def kube_state_metrics(layout: Layout, binary: Path, ports: dict[str, int]) -> Program:
    kubeconfig = layout.kubeconfigs / "kube-state-metrics.yaml"
    argv = (
        str(binary),
        f"--kubeconfig={kubeconfig}",
        f"--resources={_WATCHED}",
        f"--host={LOOPBACK}",
        f"--port={ports['kube-state-metrics']}",
        f"--telemetry-host={LOOPBACK}",
        f"--telemetry-port={ports['kube-state-metrics-self']}",
    )
    ready = answers(f"http://{LOOPBACK}:{ports['kube-state-metrics']}/healthz")
    return Program("kube-state-metrics", argv, ready, (kubeconfig,))


def alertmanager(layout: Layout, binary: Path, ports: dict[str, int]) -> Program:
    configuration = layout.configuration / "alertmanager.yml"
    write_private(configuration, (SOURCES / "alertmanager.yml").read_text())
    address = f"{LOOPBACK}:{ports['alertmanager']}"
    argv = (
        str(binary),
        f"--config.file={configuration}",
        f"--storage.path={layout.storage / 'alertmanager'}",
        f"--web.listen-address={address}",
        "--cluster.listen-address=",
        "--log.level=warn",
    )
    return Program("alertmanager", argv, answers(f"http://{address}/-/ready"), (configuration,))


def pushgateway(layout: Layout, binary: Path, ports: dict[str, int]) -> Program:
    address = f"{LOOPBACK}:{ports['pushgateway']}"
    argv = (str(binary), f"--web.listen-address={address}", "--log.level=warn")
    return Program("pushgateway", argv, answers(f"http://{address}/-/ready"))


def prometheus(layout: Layout, binary: Path, ports: dict[str, int], settings: Settings) -> Program:
    """Behind basic auth, as in production; the password is this sandbox's own."""
    folder = layout.configuration / "prometheus"
    rules = folder / "rules"
    rules.mkdir(parents=True, exist_ok=True)
    for source in sorted((SOURCES / "rules").glob("*.yml")):
        shutil.copyfile(source, rules / source.name)
    configuration = folder / "prometheus.yml"
    production = yaml.safe_load((SOURCES / "prometheus.yml").read_text())
    write_private(
        configuration,
        yaml.safe_dump(with_local_targets(production, layout, ports, settings), sort_keys=False),
    )
    password = remembered_password(password_file(layout))
    web = folder / "web.yml"
    if not web.exists():  # a hash is salted: made anew, it would restart Prometheus at every `up`
        write_private(web, yaml.safe_dump({"basic_auth_users": {USER: bcrypt_hash(password)}}))
    address = f"{LOOPBACK}:{ports['prometheus']}"
    argv = (
        str(binary),
        f"--config.file={configuration}",
        f"--web.config.file={web}",
        f"--storage.tsdb.path={layout.storage / 'prometheus'}",
        "--storage.tsdb.retention.time=7d",
        f"--web.listen-address={address}",
        "--web.enable-lifecycle",
        "--web.enable-admin-api",
        "--log.level=warn",
    )
    ready = answers(f"http://{address}/-/ready", login=(USER, password))
    return Program("prometheus", argv, ready, (configuration, web, *sorted(rules.glob("*.yml"))))


def with_local_targets(
    production: dict[str, Any], layout: Layout, ports: dict[str, int], settings: Settings
) -> dict[str, Any]:
    """The production configuration with addresses of this sandbox; job names, labels and rules untouched."""
    jobs = {job["job_name"]: job for job in production["scrape_configs"]}
    for name in ("prometheus", "alertmanager", "pushgateway", "kube-state-metrics"):
        jobs[name]["static_configs"] = [{"targets": [f"{LOOPBACK}:{ports[name]}"]}]
    production["alerting"]["alertmanagers"] = [{"static_configs": jobs["alertmanager"]["static_configs"]}]
    jobs["prometheus"]["basic_auth"]["password_file"] = str(password_file(layout))

    discovery = [_node_discovery(layout, ports)]
    for name, path in (
        ("node-exporter", "/metrics/nodes/$1/node-exporter-$2"),
        ("cadvisor", "/metrics/nodes/$1/cadvisor"),
    ):
        job = jobs[name]
        job["kubernetes_sd_configs"] = discovery
        job["relabel_configs"] = [*job["relabel_configs"], *_through_kwok(path, ports["kwok"])]
    for setting in ("scheme", "tls_config", "authorization", "metrics_path"):
        jobs["cadvisor"].pop(setting, None)

    # Pods of the sandbox have no network of their own: applications that really run tell their addresses by
    # file.
    jobs["applications"].pop("kubernetes_sd_configs")
    jobs["applications"].pop("relabel_configs")
    jobs["applications"]["file_sd_configs"] = [{"files": [f"{layout.targets}/*.json"], "refresh_interval": "5s"}]

    interval = settings.scrape_seconds
    production["global"].update(
        scrape_interval=f"{interval}s",
        evaluation_interval=f"{interval}s",
        scrape_timeout=f"{min(10, interval)}s",
    )
    return production


def _node_discovery(layout: Layout, ports: dict[str, int]) -> dict[str, Any]:
    certificates = layout.certificates
    return {
        "role": "node",
        "api_server": f"https://{LOOPBACK}:{ports['kube-apiserver']}",
        "tls_config": {
            "ca_file": str(certificates / "ca.crt"),
            "cert_file": str(certificates / "prometheus.crt"),
            "key_file": str(certificates / "prometheus.key"),
        },
    }


def _through_kwok(path: str, port: int) -> list[dict[str, Any]]:
    """A KWOK node has no port of its own. A silenced one is scraped at a port where nobody answers."""
    cores = "__meta_kubernetes_node_annotation_sandbox_node_fleet_cores"
    kubelet = "__meta_kubernetes_node_label_sandbox_node_fleet_kubelet"
    return [
        {
            "source_labels": ["__meta_kubernetes_node_name", cores],
            "separator": ";",
            "regex": "(.+);(.+)",
            "target_label": "__metrics_path__",
            "replacement": path,
        },
        {"target_label": "__address__", "replacement": f"{LOOPBACK}:9"},
        {
            "source_labels": [kubelet],
            "regex": "running",
            "target_label": "__address__",
            "replacement": f"{LOOPBACK}:{port}",
        },
    ]
