"""Where a sandbox keeps its files: one directory, nothing outside of it but the binaries' cache."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.errors import SandboxError

MARKER = "sandbox.json"
FILES = Path(__file__).resolve().parent.parent


def write_private(path: Path, content: str | bytes) -> None:
    """Write so that no other user can read it at any moment, and no reader ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = content.encode() if isinstance(content, str) else content
    if path.exists() and path.read_bytes() == raw:
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(raw)
    draft.replace(path)


@dataclass(frozen=True)
class Layout:
    """Names of the rooms in a sandbox's directory. Everything in it is 0700 or 0600."""

    root: Path

    @property
    def marker(self) -> Path:
        """Says that this directory is ours, and holds the settings of the last `up`."""
        return self.root / MARKER

    @property
    def certificates(self) -> Path:
        return self.root / "certificates"

    @property
    def kubeconfigs(self) -> Path:
        return self.root / "kubeconfigs"

    @property
    def secrets(self) -> Path:
        """Passwords and tokens, one a file."""
        return self.root / "secrets"

    @property
    def configuration(self) -> Path:
        return self.root / "configuration"

    @property
    def storage(self) -> Path:
        """What servers keep: etcd's and Prometheus' files."""
        return self.root / "storage"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def processes(self) -> Path:
        """One record per process that `up` started."""
        return self.root / "processes"

    @property
    def targets(self) -> Path:
        """Prometheus reads scrape targets of applications from JSON files dropped here (file_sd)."""
        return self.root / "targets"

    @property
    def ports(self) -> Path:
        return self.root / "ports.json"

    @property
    def admin_kubeconfig(self) -> Path:
        return self.kubeconfigs / "admin.yaml"

    def is_ours(self) -> bool:
        return self.marker.is_file()

    def claim(self, settings: dict[str, Any]) -> None:
        """Make the directory, or take it over if an earlier `up` made it; refuse somebody else's."""
        if self.root.is_dir() and not self.is_ours() and any(self.root.iterdir()):
            raise SandboxError(f"{self.root} has files that no sandbox wrote: choose an empty directory with --dir")
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.root.chmod(0o700)
        write_private(self.marker, json.dumps(settings, indent=2, sort_keys=True) + "\n")
        for room in (
            self.certificates,
            self.kubeconfigs,
            self.secrets,
            self.configuration,
            self.storage,
            self.logs,
            self.processes,
            self.targets,
        ):
            room.mkdir(exist_ok=True, mode=0o700)

    def remembered_settings(self) -> dict[str, Any]:
        """Settings of the last `up`, so that a second one without options changes nothing."""
        if not self.is_ours():
            return {}
        settings: dict[str, Any] = json.loads(self.marker.read_text())
        return settings

    def erase(self) -> None:
        """Remove the directory with all in it; only ever one that carries our marker."""
        if self.is_ours():
            shutil.rmtree(self.root)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Only one `up` or `down` at a time; a second one waits.

        The lock lies beside the directory, which `down` removes.
        """
        self.root.parent.mkdir(parents=True, exist_ok=True)
        path = self.root.with_name(f".{self.root.name}.lock")
        while True:
            stream = path.open("w")
            fcntl.flock(stream, fcntl.LOCK_EX)
            if path.exists() and os.fstat(stream.fileno()).st_ino == path.stat().st_ino:
                break
            stream.close()
        try:
            yield
        finally:
            if not self.root.exists():
                path.unlink(missing_ok=True)
            stream.close()
