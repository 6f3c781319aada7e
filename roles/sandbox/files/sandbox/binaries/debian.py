"""Debian packages without installing them: fetched and unpacked into the cache, as root or not."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from sandbox.binaries.pins import DebianPackage
from sandbox.errors import BinaryMissingError


def fetch(package: DebianPackage, workspace: Path, tell: Callable[[str], None]) -> Path:
    """Directory with the unpacked package.

    Package lists of our own are made only if the machine's do not know it.
    """
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise BinaryMissingError("apt-get and dpkg-deb are not on PATH")
    tell(f"Debian package {package.name}")
    workspace.mkdir(parents=True, exist_ok=True)
    if not _download(package.name, workspace, ()):
        own_lists = _own_lists(workspace)
        tell("apt-get update into lists of our own")
        _run(["apt-get", *own_lists, "-qq", "update"], workspace)
        if not _download(package.name, workspace, own_lists):
            raise BinaryMissingError(f"apt-get cannot download {package.name}")
    archive = next(iter(sorted(workspace.glob(f"{package.name}_*.deb"))), None)
    if archive is None:
        raise BinaryMissingError(f"apt-get downloaded no file for {package.name}")
    unpacked = workspace / "unpacked"
    if not _run(["dpkg-deb", "-x", str(archive), str(unpacked)], workspace):
        raise BinaryMissingError(f"dpkg-deb cannot unpack {archive.name}")
    return unpacked


def _download(name: str, workspace: Path, options: tuple[str, ...]) -> bool:
    """apt checks the package against the signed lists.

    Its own user may not write here, hence no sandbox user.
    """
    return _run(["apt-get", *options, "-o", "APT::Sandbox::User=", "-qq", "download", name], workspace)


def _own_lists(workspace: Path) -> tuple[str, ...]:
    (workspace / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (workspace / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    return (
        "-o",
        f"Dir::State::Lists={workspace / 'lists'}",
        "-o",
        f"Dir::Cache={workspace / 'archives'}",
        "-o",
        "APT::Sandbox::User=",
    )


def _run(argv: list[str], workspace: Path) -> bool:
    done = subprocess.run(argv, cwd=workspace, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode == 0
