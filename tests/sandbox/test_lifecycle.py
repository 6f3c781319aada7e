"""Up, up again, heal, side by side, down: what must hold whatever happened before."""

from __future__ import annotations

import os
import signal
import socket
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox.cluster.api import ClusterApi
from sandbox.cluster.lifecycle import STOP_ORDER, Cluster, down, opened, up
from sandbox.cluster.nodes import NodeWish, add_node, is_ready
from sandbox.cluster.settings import Settings
from sandbox.errors import SandboxError
from sandbox.polling import until
from sandbox.processes import Processes, Record


def records(cluster: Cluster) -> dict[str, Record]:
    return {record.name: record for record in Processes(cluster.layout).records()}


def test_second_up_starts_nothing(cluster: Cluster) -> None:
    before = records(cluster)
    again = up(cluster.layout.root)
    assert records(again) == before
    assert again.ports == cluster.ports
    assert again.settings == cluster.settings


def test_two_ups_at_once_start_one_cluster(spare_directory: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: up(spare_directory, Settings(speed=15)), range(2))
    assert first.ports == second.ports
    assert len(records(first)) == len(STOP_ORDER)
    assert all(record.is_alive for record in records(first).values())


def test_stranger_on_a_port_is_left_alone(cluster: Cluster) -> None:
    """The component moves to another port, and who talks to it is told; nobody is pushed away."""
    os.kill(records(cluster)["pushgateway"].pid, signal.SIGKILL)
    port = cluster.ports["pushgateway"]
    until(lambda: _refuses(port), 10, "the port is free")
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        stranger.bind(("127.0.0.1", port))
        stranger.listen()
        moved = up(cluster.layout.root)
        assert moved.ports["pushgateway"] != port
    cluster.ports.update(moved.ports)


@pytest.mark.parametrize("component", STOP_ORDER)
def test_up_heals_a_killed_component(cluster: Cluster, api: ClusterApi, component: str) -> None:
    before = records(cluster)
    os.kill(before[component].pid, signal.SIGKILL)
    until(lambda: not before[component].is_alive, 10, f"{component} is gone")
    healed = up(cluster.layout.root)
    after = records(healed)
    # A controller manager that was still starting when the API server went ends, too, and is healed with it.
    assert component in {name for name in after if after[name] != before[name]}
    assert all(record.is_alive for record in after.values())
    name = f"healed-{component}"
    add_node(api, NodeWish(name))
    until(lambda: is_ready(api.get(f"/api/v1/nodes/{name}")), 20, "a node still becomes Ready")
    api.delete(f"/api/v1/nodes/{name}")


def test_up_restarts_a_component_that_hangs(cluster: Cluster) -> None:
    before = records(cluster)["pushgateway"]
    os.kill(before.pid, signal.SIGSTOP)
    up(cluster.layout.root)
    after = records(cluster)["pushgateway"]
    assert after.is_alive
    assert not before.is_alive


def test_everything_listens_on_loopback_only(cluster: Cluster) -> None:
    mine = {record.pid for record in records(cluster).values()}
    inodes = {link for pid in mine for link in _socket_inodes(pid)}
    addresses = {address for address, inode in _listening() if inode in inodes}
    assert addresses == {"0100007F"}, "127.0.0.1 in the kernel's notation, no other address and no IPv6"


def test_secrets_are_for_the_owner_alone(cluster: Cluster) -> None:
    root = cluster.layout.root
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    secret = [*cluster.layout.secrets.iterdir(), *cluster.layout.kubeconfigs.iterdir()]
    secret += cluster.layout.certificates.glob("*.key")
    assert secret
    assert {stat.S_IMODE(path.stat().st_mode) for path in secret} == {0o600}


def test_two_sandboxes_side_by_side(cluster: Cluster, api: ClusterApi, spare_directory: Path) -> None:
    began = time.monotonic()
    other = up(spare_directory, Settings(speed=15))
    seconds = time.monotonic() - began
    assert not set(other.ports.values()) & set(cluster.ports.values())
    assert other.autoscaler_token != cluster.autoscaler_token
    assert other.prometheus_login != cluster.prometheus_login
    other_api = other.admin()
    add_node(other_api, NodeWish("only-there"))
    until(lambda: is_ready(other_api.get("/api/v1/nodes/only-there")), 10, "the node is Ready there")
    assert "only-there" not in [node["metadata"]["name"] for node in api.items("/api/v1/nodes")]
    other_api.close()

    running = records(other)
    assert down(spare_directory) == len(STOP_ORDER)
    assert not any(record.is_alive for record in running.values())
    assert not any(Path(f"/proc/{record.pid}").exists() for record in running.values())
    assert not spare_directory.exists()
    assert all(_refuses(port) for port in other.ports.values())
    assert all(record.is_alive for record in records(cluster).values()), "the first is not touched"
    assert seconds < 20, "10 s alone on two cores; here another sandbox runs beside it"


def test_state_survives_down_only_if_asked(spare_directory: Path) -> None:
    first = up(spare_directory, Settings(speed=15))
    api = first.admin()
    api.post("/api/v1/namespaces", {"metadata": {"name": "kept"}})
    api.close()
    down(spare_directory, keep=True)
    second = up(spare_directory)
    api = second.admin()
    assert api.get("/api/v1/namespaces/kept")["metadata"]["name"] == "kept"
    assert second.autoscaler_token == first.autoscaler_token
    api.close()
    down(spare_directory)
    assert not spare_directory.exists()


def test_directory_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SandboxError, match="no sandbox wrote"):
        up(tmp_path)
    assert down(tmp_path) == 0
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_opening_what_is_not_there_says_how_to_start_it(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="python -m sandbox up"):
        opened(tmp_path / "nothing")


def _refuses(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _socket_inodes(pid: int) -> set[str]:
    links = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.add(os.readlink(descriptor))
        except FileNotFoundError:
            continue
    return {link[8:-1] for link in links if link.startswith("socket:[")}


def _listening() -> list[tuple[str, str]]:
    """Address and inode of every listening TCP socket of this machine."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                found.append((fields[1].partition(":")[0], fields[9]))
    return found
