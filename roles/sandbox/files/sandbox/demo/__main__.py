"""`python -m sandbox.demo`: what `make demo` runs, from binaries to the summary. Ctrl-C takes all of it down."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from sandbox.__main__ import DEFAULT_DIRECTORY
from sandbox.binaries.provide import provide
from sandbox.demo.first_workers import FIRST_WORKERS, FirstWorkers
from sandbox.demo.metrics import Metrics
from sandbox.demo.observer import Observer
from sandbox.demo.pace import LOOK_SECONDS, Pace
from sandbox.demo.sale import Sale
from sandbox.demo.screen import Screen
from sandbox.demo.shop import Shop
from sandbox.demo.story import Story
from sandbox.demo.summary import NOT_ACTING, summary
from sandbox.errors import SandboxError
from sandbox.layout import FILES
from sandbox.whole import REGION, Sandbox, down, opened

ROOT = FILES.parents[2]
_QUIET = {"ANSIBLE_DISPLAY_SKIPPED_HOSTS": "false"}


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    screen = Screen()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        began = time.monotonic()
        sandbox = _provision(options, screen)
        screen.say(f"The sandbox is up, {time.monotonic() - began:.0f} s after the start.")
        _play(sandbox, options.speed, screen)
    except KeyboardInterrupt:
        # A second Ctrl-C must not leave half of it running.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        screen.title("Interrupted: taking the sandbox down")
        screen.say(f"{down(options.dir)} processes stopped; nothing is left behind.")
        return 130
    except (SandboxError, subprocess.CalledProcessError) as problem:
        screen.say(f"{problem}\nWhat came up still runs: `make demo` goes on from here, `make down` stops it.")
        return 1
    return 0


def _provision(options: argparse.Namespace, screen: Screen) -> Sandbox:
    """Binaries here rather than in the role, because Ansible would show no progress of a long download or build."""
    screen.title("Binaries (found, or fetched once)")
    screen.say(f"{len(provide())} binaries are there.")
    screen.title("ansible-playbook site.yml")
    extra = ("--extra-vars", f"sandbox_directory={options.dir.resolve()} sandbox_speed={options.speed}")
    subprocess.run(["ansible-playbook", "site.yml", *extra], cwd=ROOT, env=_environment(), check=True)
    return opened(options.dir)


def _environment() -> dict[str, str]:
    """The Ansible that belongs to this Python, and this tree's configuration even in a world-writable folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**os.environ, "PATH": path, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), **_QUIET}


def _play(sandbox: Sandbox, speed: float, screen: Screen) -> None:
    cluster = sandbox.cluster
    sale, shop = Sale(), Shop(cluster.admin())
    screen.title("A fleet and a shop")
    FirstWorkers(shop.api, sandbox, screen.say).ensure()
    shop.open(shop.scaling.replicas(sale, 0))
    shop.serve(sale.demand(0), shop.scaling.replicas(sale, 0))
    time.sleep(LOOK_SECONDS / speed)  # a node's first samples say nothing: the first look must not hold them
    pace = Pace(speed, time.monotonic(), time.time())
    screen.say(f"{FIRST_WORKERS} workers are Ready; namespace {shop.namespace} has a Deployment and its budget.")
    screen.title(f"The flash sale: {sale.ends_at / 60:.0f} minutes in {sale.ends_at / speed / 60:.1f}")
    screen.say(NOT_ACTING)
    metrics = Metrics.of(sandbox, pace.query_window(cluster.settings.scrape_seconds))
    story = Story(sale, shop, Observer(cluster.autoscaler(), metrics), pace, screen.now)
    screen.head()
    for look in story.play():
        screen.look(look)
    screen.title("Summary")
    for line in summary(story.looks, sale):
        screen.say(line)
    _look_around(sandbox, screen)


def _look_around(sandbox: Sandbox, screen: Screen) -> None:
    cluster = sandbox.cluster
    user, _ = cluster.prometheus_login
    secret = cluster.layout.secrets / "prometheus-password"
    screen.title("Look around (everything still runs)")
    screen.say(f"kubectl      export KUBECONFIG={cluster.kubeconfig}; kubectl get nodes,pods -A -o wide")
    screen.say(f"Prometheus   curl -u {user}:$(cat {secret}) '{sandbox.prometheus_url}/api/v1/query?query=up'")
    screen.say(f"Alertmanager curl {cluster.url('alertmanager')}/api/v2/alerts")
    keys = "AWS_ACCESS_KEY_ID=sandbox AWS_SECRET_ACCESS_KEY=sandbox"
    screen.say(f"AWS          export AWS_ENDPOINT_URL={sandbox.aws_url} AWS_DEFAULT_REGION={REGION} {keys}")
    screen.say(f"faults       curl {sandbox.hypervisor_url}/faults")
    screen.say(f"logs         ls {cluster.layout.logs}")
    screen.say("make down    stops everything and leaves nothing behind; make demo plays it again")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sandbox.demo", description="A fleet on this machine and a flash sale.")
    parser.add_argument("--dir", type=Path, default=DEFAULT_DIRECTORY, help="the sandbox's directory (%(default)s)")
    parser.add_argument("--speed", type=float, default=12.0, help="how much faster than the wall's clock (%(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
