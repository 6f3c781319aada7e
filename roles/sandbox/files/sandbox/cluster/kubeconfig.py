"""Kubeconfig files: one per identity, so that each component has exactly its own rights."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import yaml

from sandbox.layout import write_private


def write_certificate_kubeconfig(path: Path, server: str, certificates: Path, identity: str) -> None:
    """For people and components: all embedded, so that the file works from anywhere on this machine."""
    user = {
        "client-certificate-data": _encoded(certificates / f"{identity}.crt"),
        "client-key-data": _encoded(certificates / f"{identity}.key"),
    }
    _write(path, server, certificates, identity, user)


def write_token_kubeconfig(path: Path, server: str, certificates: Path, account: str, token: str) -> None:
    """For a ServiceAccount, as the autoscaler has it."""
    _write(path, server, certificates, account, {"token": token})


def _write(path: Path, server: str, certificates: Path, name: str, user: dict[str, str]) -> None:
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "sandbox",
        "clusters": [
            {
                "name": "sandbox",
                "cluster": {
                    "server": server,
                    "certificate-authority-data": _encoded(certificates / "ca.crt"),
                },
            }
        ],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": name}}],
    }
    write_private(path, yaml.safe_dump(config, sort_keys=False))


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
