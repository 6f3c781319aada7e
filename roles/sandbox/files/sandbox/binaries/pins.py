"""Which binaries, which versions, and every pinned way to them: a new version is a change of this file.

Where the checksums of downloads come from: the Kubernetes tarballs' sha512 from Kubernetes' own changelog;
the sha256 of etcd and kubectl from Kubespray's checksum list. Where none could be established, a release has
no download: it is built from pinned modules, whose checksums are in gomods/<name>/go.sum.
"""

from __future__ import annotations

from dataclasses import dataclass

Version = tuple[int, ...]


@dataclass(frozen=True)
class Binary:
    """One executable.

    On PATH it may have other names (`aliases`); what it prints about itself must hold a version.
    """

    name: str
    version_arguments: tuple[str, ...] = ("--version",)
    aliases: tuple[str, ...] = ()
    go_package: str = ""
    archive_member: str = ""


@dataclass(frozen=True)
class Download:
    """An official release file. `checksums` maps architecture to `algorithm:hexdigest`."""

    version: str
    url: str
    checksums: dict[str, str]
    is_archive: bool = True


@dataclass(frozen=True)
class DebianPackage:
    """A package whose executables are good enough, unpacked into the cache, never installed."""

    name: str
    members: dict[str, str]


@dataclass(frozen=True)
class GoModule:
    """A module of ours under gomods/ that pins what it builds. `linker` sets the version the binary tells."""

    directory: str
    version: str
    linker: str = ""


@dataclass(frozen=True)
class Release:
    """Binaries that come together.

    Versions accepted on PATH: from `minimum` up to, not including, `below`.
    """

    name: str
    binaries: tuple[Binary, ...]
    minimum: Version
    below: Version = (9999,)
    download: Download | None = None
    debian: DebianPackage | None = None
    go: GoModule | None = None
    accepted: str = ""


_KUBERNETES = "1.36.3"
_KUBERNETES_LINKER = (
    f"-X k8s.io/component-base/version.gitVersion=v{_KUBERNETES} "
    "-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36"
)
_PROMETHEUS_VERSION = "-X github.com/prometheus/common/version.Version="


def _kubernetes(name: str) -> Binary:
    return Binary(name, go_package=f"k8s.io/kubernetes/cmd/{name}", archive_member=f"kubernetes/server/bin/{name}")


RELEASES: tuple[Release, ...] = (
    Release(
        "kubernetes",
        (
            _kubernetes("kube-apiserver"),
            _kubernetes("kube-controller-manager"),
            _kubernetes("kube-scheduler"),
        ),
        minimum=(1, 36),
        below=(1, 37),
        accepted="1.36.x: the three must be of one minor version",
        download=Download(
            _KUBERNETES,
            "https://dl.k8s.io/v{version}/kubernetes-server-linux-{arch}.tar.gz",
            {
                "amd64": "sha512:b0fc15554233d9dcf7284bca259bc238aa89003dc2d821f7074f385f3825dead"
                "854ae175482ccb5632a0930ffc1d3c0eff1cda2ada972fba9a5d46033a8b1e52",
                "arm64": "sha512:65c78d6893d683fc5e7f232f8638243886c8b1b7dbe055746ae7d38fdf801645"
                "6b1710ce4fc1133127880a65aed9492f737995694462baad13495a7f3d9ef0c5",
            },
        ),
        go=GoModule("kubernetes", _KUBERNETES, _KUBERNETES_LINKER),
    ),
    Release(
        "kubectl",
        (Binary("kubectl", ("version", "--client"), go_package="k8s.io/kubernetes/cmd/kubectl"),),
        minimum=(1, 30),
        accepted="1.30 or newer: no test depends on kubectl, people look around with it",
        download=Download(
            _KUBERNETES,
            "https://dl.k8s.io/release/v{version}/bin/linux/{arch}/kubectl",
            {
                "amd64": "sha256:ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336",
                "arm64": "sha256:3d86f24401c41ae5a46ac50eef8865fe891d3647d324a0836f6c63757a126e62",
            },
            is_archive=False,
        ),
        go=GoModule("kubernetes", _KUBERNETES, _KUBERNETES_LINKER),
    ),
    Release(
        "etcd",
        (
            Binary(
                "etcd",
                go_package="go.etcd.io/etcd/server/v3",
                archive_member="etcd-v{version}-linux-{arch}/etcd",
            ),
        ),
        minimum=(3, 5, 11),
        accepted="3.5.11 or newer: what Kubernetes 1.36 supports",
        download=Download(
            "3.6.6",
            "https://github.com/etcd-io/etcd/releases/download/v{version}/etcd-v{version}-linux-{arch}.tar.gz",
            {
                "amd64": "sha256:887afaa4a99f22d802ccdfbe65730a5e79aa5c9ce2c8799c67e9d804c50ecedb",
                "arm64": "sha256:8a15f5427c111ff4692753682374970fb68878401d946c2c28bdad6857db652f",
            },
        ),
        go=GoModule("etcd", "3.6.6"),
    ),
    Release(
        "kwok",
        (Binary("kwok", go_package="sigs.k8s.io/kwok/cmd/kwok"),),
        minimum=(0, 8),
        below=(0, 9),
        accepted="0.8.x: stages and metrics are written for it",
        go=GoModule("kwok", "0.8.0"),
    ),
    Release(
        "kube-state-metrics",
        (Binary("kube-state-metrics", ("version",), go_package="k8s.io/kube-state-metrics/v2"),),
        minimum=(2, 13),
        accepted="2.13 or newer",
        go=GoModule("kube-state-metrics", "2.15.0", f"{_PROMETHEUS_VERSION}v2.15.0"),
    ),
    Release(
        "prometheus",
        (
            Binary("prometheus", go_package="github.com/prometheus/prometheus/cmd/prometheus"),
            Binary("promtool", go_package="github.com/prometheus/prometheus/cmd/promtool"),
        ),
        # Debian's is built without Kubernetes discovery, which the production file needs: not good enough.
        minimum=(3, 0),
        accepted="3.0 or newer",
        go=GoModule("prometheus", "3.5.0", f"{_PROMETHEUS_VERSION}3.5.0"),
    ),
    Release(
        "alertmanager",
        (
            Binary(
                "alertmanager",
                aliases=("prometheus-alertmanager",),
                go_package="github.com/prometheus/alertmanager/cmd/alertmanager",
            ),
        ),
        # Debian's looks for its template under /usr/share and so runs only when installed: on PATH it is
        # fine.
        minimum=(0, 25),
        accepted="0.25 or newer",
        go=GoModule("alertmanager", "0.28.1", f"{_PROMETHEUS_VERSION}0.28.1"),
    ),
    Release(
        "pushgateway",
        (
            Binary(
                "pushgateway",
                aliases=("prometheus-pushgateway",),
                go_package="github.com/prometheus/pushgateway",
            ),
        ),
        minimum=(1, 5),
        accepted="1.5 or newer",
        debian=DebianPackage("prometheus-pushgateway", {"pushgateway": "usr/bin/prometheus-pushgateway"}),
        go=GoModule("pushgateway", "1.11.1", f"{_PROMETHEUS_VERSION}1.11.1"),
    ),
    Release(
        "k6",
        (Binary("k6", ("version",), go_package="go.k6.io/k6"),),
        minimum=(1, 0),
        accepted="1.0 or newer",
        go=GoModule("k6", "1.8.1"),
    ),
)

# What `up` starts. k6 and promtool are for load and for checks, kubectl for people.
CLUSTER_RELEASES = (
    "kubernetes",
    "etcd",
    "kwok",
    "kube-state-metrics",
    "prometheus",
    "alertmanager",
    "pushgateway",
)
