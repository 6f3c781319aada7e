"""`python -m sandbox binaries|up|down|status`: the sandbox from a terminal."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from sandbox import whole
from sandbox.binaries.pins import RELEASES
from sandbox.binaries.provide import missing, provide
from sandbox.cluster.settings import Settings
from sandbox.errors import SandboxError
from sandbox.layout import Layout
from sandbox.processes import Processes

DEFAULT_DIRECTORY = Path.home() / ".local" / "state" / "node-fleet" / "sandbox"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status: int = options.command(options)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here, `down` stops what runs", file=sys.stderr)
        return 130
    except SandboxError as problem:
        print(problem, file=sys.stderr)
        return 1
    return status


def _binaries(options: argparse.Namespace) -> int:
    unknown = set(options.names) - {release.name for release in RELEASES}
    if unknown:
        raise SandboxError(f"no such release: {', '.join(sorted(unknown))}; see `binaries --help`")
    if options.missing:
        for release in missing(options.names or None):
            print(release)
        return 0
    for name, path in provide(options.names or None).items():
        print(f"{name:25} {path}")
    return 0


def _up(options: argparse.Namespace) -> int:
    settings = Settings(speed=options.speed) if options.speed is not None else None
    sandbox = whole.up(options.dir, settings, say=lambda text: print(text, file=sys.stderr))
    cluster = sandbox.cluster
    user, _ = cluster.prometheus_login
    secret = cluster.layout.secrets / "prometheus-password"
    for name, value in sandbox.environment.items():
        print(f"export {name}={value}")
    print(f"# Prometheus:   {sandbox.prometheus_url}  user {user}, password in {secret}")
    print(f"# Alertmanager: {cluster.url('alertmanager')}")
    print(f"# Pushgateway:  {cluster.url('pushgateway')}")
    print(f"# faults:       curl {sandbox.hypervisor_url}/faults, or ansible-playbook playbooks/drill.yml")
    print(f"# logs:         {cluster.layout.logs}")
    return 0


def _down(options: argparse.Namespace) -> int:
    stopped = whole.down(options.dir, keep=options.keep)
    print(f"{stopped} processes stopped" + ("; files kept" if options.keep else ""))
    return 0


def _status(options: argparse.Namespace) -> int:
    """Exit code 0 only if every component lives, so that scripts can ask."""
    layout = Layout(options.dir.resolve())
    records = Processes(layout).records() if layout.is_ours() else []
    for record in records:
        print(f"{record.name:25} {'running' if record.is_alive else 'ended':8} process {record.pid}")
    if not records:
        print(f"no sandbox runs in {options.dir}")
    return 0 if records and all(record.is_alive for record in records) else 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sandbox", description="A cluster with monitoring on this machine.")
    commands = parser.add_subparsers(required=True, metavar="command")
    place = argparse.ArgumentParser(add_help=False)
    place.add_argument("--dir", type=Path, default=DEFAULT_DIRECTORY, help="the sandbox's directory (%(default)s)")

    binaries = commands.add_parser("binaries", help="find or fetch the binaries")
    names = ", ".join(release.name for release in RELEASES)
    binaries.add_argument("names", nargs="*", metavar="release", help=f"only these of {names}")
    binaries.add_argument("--missing", action="store_true", help="only say which would have to be fetched")
    binaries.set_defaults(command=_binaries)
    up = commands.add_parser("up", parents=[place], help="start, or heal what is not running")
    up.add_argument("--speed", type=float, help="divide a real cluster's waiting times by this (1 to 60)")
    up.set_defaults(command=_up)
    down = commands.add_parser("down", parents=[place], help="stop everything")
    down.add_argument("--keep", action="store_true", help="keep the state for the next up")
    down.set_defaults(command=_down)
    status = commands.add_parser("status", parents=[place], help="what runs")
    status.set_defaults(command=_status)
    return parser


if __name__ == "__main__":
    sys.exit(main())
