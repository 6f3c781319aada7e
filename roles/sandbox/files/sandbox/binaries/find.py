"""What is already on this machine: PATH with its version checked, then the cache."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from sandbox.binaries.pins import Binary, Release, Version

_NUMBER = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")


def cache_directory() -> Path:
    """Shared by all sandboxes of this user; XDG_CACHE_HOME moves it."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "node-fleet"


def bin_directory() -> Path:
    return cache_directory() / "bin"


def cached_path(binary: Binary, version: str) -> Path:
    return bin_directory() / f"{binary.name}-{version}"


def told_version(executable: Path, arguments: tuple[str, ...]) -> Version | None:
    """The first version number the executable prints about itself; None if it prints none or does not run."""
    try:
        told = subprocess.run([str(executable), *arguments], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _NUMBER.search(told.stdout + told.stderr)
    return tuple(int(part or 0) for part in found.groups()) if found else None


def on_path(release: Release, binary: Binary) -> Path | None:
    """The first on PATH of an accepted version: a distribution's old etcd does not hide a good one."""
    for name in (binary.name, *binary.aliases):
        for folder in os.get_exec_path():
            found = shutil.which(name, path=folder)
            if found is None:
                continue
            version = told_version(Path(found), binary.version_arguments)
            if version is not None and release.minimum <= version < release.below:
                return Path(found).absolute()  # not resolved: K3s' kubectl is a link that lives by its name
    return None


def in_cache(release: Release, binary: Binary) -> Path | None:
    """The cache holds only what was checked when it was put there; its name says the version."""
    versions = [way.version for way in (release.download, release.go) if way is not None]
    for version in versions:
        path = cached_path(binary, version)
        if os.access(path, os.X_OK):
            return path
    if release.debian is not None:
        # A Debian package's version is known only once it is fetched, hence the mark in the name.
        fetched = sorted(bin_directory().glob(f"{binary.name}-*-debian"), reverse=True)
        return next((path for path in fetched if os.access(path, os.X_OK)), None)
    return None


def find(release: Release, binary: Binary) -> Path | None:
    return on_path(release, binary) or in_cache(release, binary)
