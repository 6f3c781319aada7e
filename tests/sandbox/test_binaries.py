"""Ways to a binary: PATH, cache, download, Debian package, Go; each tried on small real files and servers."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import os
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.binaries import download, gobuild
from sandbox.binaries.find import cached_path, in_cache, on_path, told_version
from sandbox.binaries.pins import RELEASES, Binary, DebianPackage, Download, Release
from sandbox.binaries.provide import obtain
from sandbox.errors import BinaryMissingError

CONTENT = b"#!/bin/sh\necho tool v2.3.4\n" + b"#" * 3_000_000


def silent(_: str) -> None:
    """Progress is not what these tests look at."""


class Server(http.server.SimpleHTTPRequestHandler):
    """A file server that knows byte ranges and remembers which were asked for."""

    ranges: list[str]

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "")
        self.ranges.append(asked)
        content = Path(self.translate_path(self.path)).read_bytes()
        start = int(asked.removeprefix("bytes=").rstrip("-") or 0)
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start:])

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str, list[str]]]:
    """A directory, the address it is served at, and the ranges that were asked for."""
    folder = tmp_path / "served"
    folder.mkdir()
    ranges: list[str] = []
    handler = type("RememberingServer", (Server,), {"ranges": ranges})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}", ranges
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "node-fleet"


def release_at(url: str, checksum: str) -> Release:
    file = Download("2.3.4", f"{url}/tool-{{version}}.tar.gz", {"amd64": checksum, "arm64": checksum})
    tool = Binary("tool", archive_member="tool-{version}/bin/tool")
    return Release("tool", (tool,), minimum=(2, 0), accepted="2.0 or newer", download=file)


def packed(folder: Path) -> str:
    """Put an archive with the tool into the folder; returns its checksum."""
    with tarfile.open(folder / "tool-2.3.4.tar.gz", "w:gz", compresslevel=0) as archive:
        member = tarfile.TarInfo("tool-2.3.4/bin/tool")
        member.size = len(CONTENT)
        archive.addfile(member, io.BytesIO(CONTENT))
    return "sha256:" + hashlib.sha256((folder / "tool-2.3.4.tar.gz").read_bytes()).hexdigest()


def put_tool(folder: Path, version: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tool"
    path.write_text(f"#!/bin/sh\necho tool, version {version}+ds\n")
    path.chmod(0o755)
    return path


TOOL = Release("tool", (Binary("tool"),), minimum=(2, 0), below=(3, 0), accepted="2.x")


@pytest.mark.parametrize(
    ("versions", "found"),
    [(["2.4.1"], 0), (["1.9.9"], None), (["3.0.0"], None), (["1.0.0", "2.0.0"], 1)],
    ids=str,
)
def test_path_counts_only_with_an_accepted_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, versions: list[str], found: int | None
) -> None:
    tools = [put_tool(tmp_path / f"bin-{number}", version) for number, version in enumerate(versions)]
    monkeypatch.setenv("PATH", os.pathsep.join([*(str(tool.parent) for tool in tools), os.defpath]))
    assert on_path(TOOL, TOOL.binaries[0]) == (tools[found] if found is not None else None)


def test_download_is_checked_unpacked_and_cached(served: tuple[Path, str, list[str]], own_cache: Path) -> None:
    folder, url, ranges = served
    release = release_at(url, packed(folder))
    assert "checksum as pinned" in obtain(release, silent)
    path = in_cache(release, release.binaries[0])
    assert path == own_cache / "bin" / "tool-2.3.4"
    assert told_version(path, ()) == (2, 3, 4)
    assert "another run" in obtain(release, silent)
    assert len(ranges) == 1


def test_download_is_resumed(served: tuple[Path, str, list[str]], own_cache: Path) -> None:
    folder, url, ranges = served
    release = release_at(url, packed(folder))
    whole = (folder / "tool-2.3.4.tar.gz").read_bytes()
    (own_cache / "downloads").mkdir(parents=True)
    for arch in ("amd64", "arm64"):
        (own_cache / "downloads" / f"2.3.4-{arch}-tool-2.3.4.tar.gz.part").write_bytes(whole[:1_000_000])
    obtain(release, silent)
    assert ranges == ["bytes=1000000-"]


def test_wrong_checksum_is_thrown_away(served: tuple[Path, str, list[str]], own_cache: Path) -> None:
    folder, url, _ = served
    packed(folder)
    release = release_at(url, "sha256:" + "0" * 64)
    with pytest.raises(BinaryMissingError, match="does not match its pinned checksum"):
        obtain(release, silent)
    assert list((own_cache / "downloads").iterdir()) == []
    assert in_cache(release, release.binaries[0]) is None


def test_unreachable_host_is_asked_once_and_the_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(download, "_unreachable", set())
    release = release_at("http://127.0.0.1:9", "sha256:" + "0" * 64)
    began = time.monotonic()
    for _ in range(2):
        with pytest.raises(
            BinaryMissingError, match=r"127.0.0.1:9 cannot be reached.*install Go.*accepted: 2.0 or newer"
        ):
            obtain(release, silent)
    assert time.monotonic() - began < download.CONNECT_SECONDS


def test_without_go_the_sentence_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kwok = next(release for release in RELEASES if release.name == "kwok")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(gobuild, "USUAL_PLACE", str(tmp_path))
    with pytest.raises(BinaryMissingError, match=r"kwok is missing \(Go 1\.\d+ or newer is not on PATH\)"):
        obtain(kwok, silent)


@pytest.mark.skipif(not Path("/usr/bin/apt-get").exists(), reason="no Debian here")
def test_debian_package_is_unpacked_without_installing_it() -> None:
    pushgateway = next(release for release in RELEASES if release.name == "pushgateway")
    assert pushgateway.debian == DebianPackage(
        "prometheus-pushgateway", {"pushgateway": "usr/bin/prometheus-pushgateway"}
    )
    assert "Debian" in obtain(pushgateway, silent)
    path = in_cache(pushgateway, pushgateway.binaries[0])
    assert path is not None
    assert path.name.endswith("-debian")
    assert (told_version(path, ("--version",)) or (0,)) >= pushgateway.minimum


@pytest.mark.parametrize("release", [each for each in RELEASES if each.go], ids=lambda release: release.name)
def test_module_pins_the_version_that_the_release_tells(release: Release) -> None:
    """go.mod is what is built; pins.py is what the cache and the linker say. They must not drift apart."""
    assert release.go is not None
    folder = gobuild.MODULES / release.go.directory
    module = (folder / "go.mod").read_text()
    package = release.binaries[0].go_package
    required = [line.split() for line in module.splitlines() if line.strip().removeprefix("require ")]
    versions = [
        words[-1 if words[-1] != "indirect" else -3].removeprefix("v")
        for words in required
        if any(package == word or package.startswith(f"{word}/") for word in words if "." in word and "/" in word)
    ]
    expected = "0.305.0" if release.name == "prometheus" else release.go.version
    assert versions == [expected], "Prometheus 3.x.y is published to Go as 0.30x.y"
    assert (folder / "go.sum").stat().st_size > 0
    assert f'"{package}"' in (folder / "tools.go").read_text()


def test_name_in_the_cache_holds_the_version(own_cache: Path) -> None:
    assert cached_path(Binary("etcd"), "3.6.6") == own_cache / "bin" / "etcd-3.6.6"
