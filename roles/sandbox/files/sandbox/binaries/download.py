"""Official release files: resumable, checked against the pinned sum before anything of them is used."""

from __future__ import annotations

import hashlib
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import requests

from sandbox.binaries.find import cache_directory
from sandbox.binaries.pins import Download
from sandbox.errors import BinaryMissingError

# A machine without internet must learn it fast, and once per host, not once per file.
CONNECT_SECONDS = 3.0
READ_SECONDS = 30.0
_unreachable: set[str] = set()
_lock = threading.Lock()


def fetch(download: Download, arch: str, tell: Callable[[str], None]) -> Path:
    """The checked file in the cache. A broken transfer is taken up where it ended."""
    if arch not in download.checksums:
        raise BinaryMissingError(f"no checksum is pinned for {arch}")
    url = download.url.format(version=download.version, arch=arch)
    name = f"{download.version}-{arch}-{Path(urlsplit(url).path).name}"
    complete = cache_directory() / "downloads" / name
    complete.parent.mkdir(parents=True, exist_ok=True)
    if complete.exists() and _matches(complete, download.checksums[arch]):
        return complete
    part = complete.with_name(f"{name}.part")
    _transfer(url, part, tell)
    if not _matches(part, download.checksums[arch]):
        part.unlink()
        raise BinaryMissingError(f"{url} does not match its pinned checksum and was thrown away")
    part.replace(complete)
    return complete


def _transfer(url: str, part: Path, tell: Callable[[str], None]) -> None:
    host = urlsplit(url).netloc
    with _lock:
        if host in _unreachable:
            raise BinaryMissingError(f"{host} cannot be reached")
    have = part.stat().st_size if part.exists() else 0
    try:
        headers = {"Range": f"bytes={have}-"} if have else {}
        with requests.get(url, headers=headers, stream=True, timeout=(CONNECT_SECONDS, READ_SECONDS)) as answer:
            if answer.status_code == requests.codes.requested_range_not_satisfiable:
                return
            answer.raise_for_status()
            resumed = answer.status_code == requests.codes.partial_content
            have = have if resumed else 0
            total = have + int(answer.headers.get("Content-Length", "0"))
            with part.open("ab" if resumed else "wb") as stream:
                for chunk in answer.iter_content(1 << 20):
                    stream.write(chunk)
                    have += len(chunk)
                    tell(f"download {100 * have // total if total else 0} % of {total >> 20} MiB")
    except (requests.ConnectionError, requests.Timeout) as problem:
        with _lock:
            _unreachable.add(host)
        raise BinaryMissingError(f"{host} cannot be reached") from problem
    except requests.HTTPError as problem:
        raise BinaryMissingError(f"{url} answered {problem.response.status_code}") from problem


def _matches(path: Path, checksum: str) -> bool:
    algorithm, _, expected = checksum.partition(":")
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, algorithm).hexdigest() == expected


def unpack_member(archive: Path, member: str, target: Path) -> None:
    """One file of a tar archive, and nothing else of it, written to `target`."""
    with tarfile.open(archive) as content:
        source = content.extractfile(member)
        if source is None:
            raise BinaryMissingError(f"{archive.name} has no file {member}")
        with source, target.open("wb") as stream:
            while chunk := source.read(1 << 20):
                stream.write(chunk)
