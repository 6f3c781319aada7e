"""etcd, API server, controller manager, scheduler: the upstream programs that K3s packs into one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sandbox.cluster.answering import answers
from sandbox.cluster.settings import Settings
from sandbox.layout import Layout
from sandbox.ports import LOOPBACK
from sandbox.processes import Program

PORTS = ("etcd", "etcd-peer", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
# K3s' own ranges.
SERVICE_RANGE = "10.43.0.0/16"
POD_RANGE = "10.42.0.0/16"
ISSUER = "https://kubernetes.default.svc.cluster.local"


def etcd(layout: Layout, binary: Path, ports: dict[str, int]) -> Program:
    """TLS with client certificates even on loopback: who can write to etcd needs no RBAC any more."""
    certificates = layout.certificates
    client = f"https://{LOOPBACK}:{ports['etcd']}"
    peer = f"https://{LOOPBACK}:{ports['etcd-peer']}"
    argv = (
        str(binary),
        "--name=sandbox",
        f"--data-dir={layout.storage / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=sandbox={peer}",
        f"--cert-file={certificates / 'etcd-server.crt'}",
        f"--key-file={certificates / 'etcd-server.key'}",
        f"--trusted-ca-file={certificates / 'etcd-ca.crt'}",
        "--client-cert-auth",
        f"--peer-cert-file={certificates / 'etcd-server.crt'}",
        f"--peer-key-file={certificates / 'etcd-server.key'}",
        f"--peer-trusted-ca-file={certificates / 'etcd-ca.crt'}",
        "--peer-client-cert-auth",
        # Survives kill -9 of the process, not of the machine: enough for a sandbox, and many times faster.
        "--unsafe-no-fsync",
        "--log-level=warn",
    )
    ready = answers(f"{client}/health", authority=certificates / "etcd-ca.crt", client=certificates / "etcd-client")
    return Program("etcd", argv, ready)


def kube_apiserver(layout: Layout, binary: Path, ports: dict[str, int], settings: Settings) -> Program:
    certificates = layout.certificates
    port = ports["kube-apiserver"]
    argv = (
        str(binary),
        f"--etcd-servers=https://{LOOPBACK}:{ports['etcd']}",
        f"--etcd-cafile={certificates / 'etcd-ca.crt'}",
        f"--etcd-certfile={certificates / 'etcd-client.crt'}",
        f"--etcd-keyfile={certificates / 'etcd-client.key'}",
        f"--bind-address={LOOPBACK}",
        f"--advertise-address={LOOPBACK}",
        f"--secure-port={port}",
        # The kubernetes Service's endpoint must not be a loopback address; nothing in the sandbox goes
        # through it.
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={certificates / 'server.crt'}",
        f"--tls-private-key-file={certificates / 'server.key'}",
        f"--client-ca-file={certificates / 'ca.crt'}",
        # As on any cluster, for extension servers; no certificate has that name: nobody gets in this way.
        f"--requestheader-client-ca-file={certificates / 'ca.crt'}",
        "--requestheader-allowed-names=extension-servers",
        "--requestheader-username-headers=X-Remote-User",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        f"--service-account-issuer={ISSUER}",
        f"--service-account-key-file={certificates / 'service-accounts.key'}",
        f"--service-account-signing-key-file={certificates / 'service-accounts.key'}",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--allow-privileged=true",
        f"--default-not-ready-toleration-seconds={settings.pod_toleration_seconds}",
        f"--default-unreachable-toleration-seconds={settings.pod_toleration_seconds}",
        "--profiling=false",
        "--shutdown-delay-duration=0s",
    )
    # With the admin's certificate: it tells ready only once RBAC's own roles are there, as /readyz waits for
    # them.
    ready = answers(
        f"https://{LOOPBACK}:{port}/readyz", authority=certificates / "ca.crt", client=certificates / "admin"
    )
    return Program("kube-apiserver", argv, ready)


def kube_controller_manager(layout: Layout, binary: Path, ports: dict[str, int], settings: Settings) -> Program:
    certificates = layout.certificates
    kubeconfig = layout.kubeconfigs / "controller-manager.yaml"
    argv = (
        str(binary),
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        *_serving(certificates, ports["kube-controller-manager"]),
        "--leader-elect=false",
        "--use-service-account-credentials=true",
        # The default of 20 calls a second makes its own start wait; on one machine nobody needs protection.
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        f"--service-account-private-key-file={certificates / 'service-accounts.key'}",
        f"--root-ca-file={certificates / 'ca.crt'}",
        f"--cluster-signing-cert-file={certificates / 'ca.crt'}",
        f"--cluster-signing-key-file={certificates / 'ca.key'}",
        "--allocate-node-cidrs=true",
        f"--cluster-cidr={POD_RANGE}",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        f"--node-monitor-grace-period={settings.node_grace_seconds}s",
        f"--node-monitor-period={settings.node_monitor_seconds}s",
        "--profiling=false",
    )
    return Program(
        "kube-controller-manager",
        argv,
        _healthy(certificates, ports["kube-controller-manager"]),
        (kubeconfig,),
    )


def kube_scheduler(layout: Layout, binary: Path, ports: dict[str, int]) -> Program:
    certificates = layout.certificates
    kubeconfig = layout.kubeconfigs / "scheduler.yaml"
    argv = (
        str(binary),
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        *_serving(certificates, ports["kube-scheduler"]),
        "--leader-elect=false",
        "--profiling=false",
    )
    return Program("kube-scheduler", argv, _healthy(certificates, ports["kube-scheduler"]), (kubeconfig,))


def _serving(certificates: Path, port: int) -> tuple[str, ...]:
    return (
        f"--bind-address={LOOPBACK}",
        f"--secure-port={port}",
        f"--tls-cert-file={certificates / 'server.crt'}",
        f"--tls-private-key-file={certificates / 'server.key'}",
    )


def _healthy(certificates: Path, port: int) -> Callable[[], bool]:
    return answers(f"https://{LOOPBACK}:{port}/healthz", authority=certificates / "ca.crt")
