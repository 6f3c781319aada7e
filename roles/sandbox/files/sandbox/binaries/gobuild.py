"""`go build` in one of our pinned modules: go.mod names the versions, go.sum holds every checksum."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from sandbox.binaries.pins import Binary, GoModule
from sandbox.errors import BinaryMissingError
from sandbox.layout import FILES

MODULES = FILES / "gomods"
USUAL_PLACE = "/usr/local/go/bin"
_running: set[subprocess.Popen[str]] = set()


def build(module: GoModule, binaries: Sequence[Binary], workspace: Path, tell: Callable[[str], None]) -> Path:
    """Directory with the built binaries.

    Go's own build cache makes an interrupted build resume where it was.
    """
    directory = MODULES / module.directory
    go = _go_for(directory)
    workspace.mkdir(parents=True, exist_ok=True)
    polite = ["nice", "-n", "10"] if shutil.which("nice") else []
    environment = {
        **os.environ,
        "CGO_ENABLED": "0",
        "GOFLAGS": "-mod=readonly -buildvcs=false",
        "GOWORK": "off",
    }
    for binary in binaries:
        tell(f"go build of {binary.name} {module.version}, some minutes")
        argv = [
            *polite,
            go,
            "build",
            "-trimpath",
            f"-ldflags=-s -w {module.linker}".rstrip(),
            "-o",
            str(workspace / binary.name),
            binary.go_package,
        ]
        code, output = _run(argv, directory, environment)
        if code != 0:
            raise BinaryMissingError(f"go build of {binary.go_package} failed: {_last_words(output)}")
    return workspace


def stop_running() -> None:
    """End all builds at once, compilers included: for somebody who pressed Ctrl-C."""
    for build in list(_running):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(build.pid, signal.SIGTERM)


def _run(argv: list[str], directory: Path, environment: dict[str, str]) -> tuple[int, str]:
    """In a process group of its own, so that `stop_running` reaches the compilers, too."""
    build = subprocess.Popen(
        argv,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )
    _running.add(build)
    try:
        output, _ = build.communicate()
    finally:
        _running.discard(build)
    return build.returncode, output


def _go_for(directory: Path) -> str:
    wanted = re.search(r"^go (\d+)\.(\d+)", (directory / "go.mod").read_text(), re.MULTILINE)
    assert wanted is not None, f"{directory}/go.mod has no go line"
    needed = (int(wanted[1]), int(wanted[2]))
    go = shutil.which("go") or shutil.which("go", path=USUAL_PLACE)
    if go is None:
        raise BinaryMissingError(f"Go {needed[0]}.{needed[1]} or newer is not on PATH")
    told = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"go(\d+)\.(\d+)", told)
    # From 1.21 on, Go fetches a newer toolchain by itself unless GOTOOLCHAIN=local; then go build says so.
    if found is None or (int(found[1]), int(found[2])) < (1, 21):
        raise BinaryMissingError(f"Go {needed[0]}.{needed[1]} or newer is needed, found {told.strip() or 'none'}")
    return go


def _last_words(output: str) -> str:
    return " / ".join(line.strip() for line in output.strip().splitlines()[-3:])
