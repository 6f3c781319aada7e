"""The one question the rest asks: where are the binaries? Answered by finding or fetching them."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sandbox.binaries import debian, download, gobuild
from sandbox.binaries.find import bin_directory, cache_directory, cached_path, find, in_cache, told_version
from sandbox.binaries.pins import RELEASES, Binary, Release
from sandbox.binaries.progress import Progress
from sandbox.errors import BinaryMissingError

AT_ONCE = 2
_ARCHITECTURES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def provide(names: Iterable[str] | None = None) -> dict[str, Path]:
    """Path of every binary of these releases (default: all).

    Raises BinaryMissingError with one sentence per lacking one.
    """
    wanted = [release for release in RELEASES if names is None or release.name in set(names)]
    found, lacking = _look(wanted)
    if not lacking:
        return found
    problems: list[str] = []
    with Progress(len(lacking)) as progress:

        def obtain_one(release: Release) -> None:
            try:
                way = obtain(release, lambda what: progress.step(release.name, what))
                progress.finish(release.name, way)
            except BinaryMissingError as problem:
                progress.finish(release.name, "not to be had")
                problems.append(str(problem))

        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            list(pool.map(obtain_one, lacking))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            gobuild.stop_running()
            raise
        finally:
            pool.shutdown()
    if problems:
        raise BinaryMissingError("\n".join(problems))
    found, _ = _look(wanted)
    return found


def missing(names: Iterable[str] | None = None) -> list[str]:
    """Names of the releases that `provide` would have to fetch."""
    wanted = [release for release in RELEASES if names is None or release.name in set(names)]
    return [release.name for release in _look(wanted)[1]]


def _look(wanted: list[Release]) -> tuple[dict[str, Path], list[Release]]:
    found: dict[str, Path] = {}
    lacking: list[Release] = []
    for release in wanted:
        paths = {binary.name: find(release, binary) for binary in release.binaries}
        found.update({name: path for name, path in paths.items() if path is not None})
        if None in paths.values():
            lacking.append(release)
    return found, lacking


def obtain(release: Release, tell: Callable[[str], None]) -> str:
    """Put every binary of the release into the cache by the first way that is open; says which one it was."""
    bin_directory().mkdir(parents=True, exist_ok=True)
    with (cache_directory() / f".{release.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [binary for binary in release.binaries if in_cache(release, binary) is None]
        if not missing:
            return "cached meanwhile by another run"
        closed: list[str] = []
        with tempfile.TemporaryDirectory(dir=cache_directory(), prefix=f".{release.name}-") as folder:
            for way in (_by_download, _by_debian, _by_go):
                try:
                    said = way(release, missing, Path(folder), tell)
                except BinaryMissingError as problem:
                    closed.append(str(problem))
                    continue
                if said:
                    return said
    names = ", ".join(binary.name for binary in missing)
    raise BinaryMissingError(
        f"{names} is missing ({'; '.join(closed)}): install Go 1.26 or newer, or put "
        f"{names} on PATH (accepted: {release.accepted})."
    )


def _by_download(release: Release, missing: list[Binary], folder: Path, tell: Callable[[str], None]) -> str:
    if release.download is None:
        return ""
    arch = architecture()
    tell(f"download {release.download.version}")
    file = download.fetch(release.download, arch, tell)
    for binary in missing:
        draft = folder / binary.name
        if release.download.is_archive:
            member = binary.archive_member.format(version=release.download.version, arch=arch)
            download.unpack_member(file, member, draft)
        else:
            shutil.copyfile(file, draft)
        _keep(draft, cached_path(binary, release.download.version))
    file.unlink(missing_ok=True)
    return f"{release.download.version} downloaded, checksum as pinned"


def _by_debian(release: Release, missing: list[Binary], folder: Path, tell: Callable[[str], None]) -> str:
    if release.debian is None:
        return ""
    unpacked = debian.fetch(release.debian, folder / "debian", tell)
    said = ""
    for binary in missing:
        draft = unpacked / release.debian.members[binary.name]
        version = told_version(draft, binary.version_arguments)
        if version is None or not release.minimum <= version < release.below:
            raise BinaryMissingError(f"Debian's {release.debian.name} is not of an accepted version")
        said = ".".join(map(str, version))
        _keep(draft, cached_path(binary, f"{said}-debian"))
    return f"{said} from Debian's package"


def _by_go(release: Release, missing: list[Binary], folder: Path, tell: Callable[[str], None]) -> str:
    if release.go is None:
        return ""
    built = gobuild.build(release.go, missing, folder / "go", tell)
    for binary in missing:
        _keep(built / binary.name, cached_path(binary, release.go.version))
    return f"{release.go.version} built with Go"


def _keep(draft: Path, target: Path) -> None:
    """Into the cache by a rename: a reader finds the whole file or none."""
    draft.chmod(0o755)
    os.replace(draft, target)


def architecture() -> str:
    machine = platform.machine()
    if platform.system() != "Linux" or machine not in _ARCHITECTURES:
        raise BinaryMissingError(f"the sandbox runs on Linux amd64 or arm64, not {platform.system()} {machine}")
    return _ARCHITECTURES[machine]
