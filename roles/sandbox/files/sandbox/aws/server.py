"""Starts the AWS of the sandbox: moto with our patches, in one process, on the loopback address."""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Read by moto when it is imported: managed policies as Ansible's iam_role needs them, known types only.
os.environ.setdefault("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
os.environ.setdefault("MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION", "true")

from moto.moto_server.werkzeug_app import (  # after the environment it reads
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import BaseWSGIServer, make_server

from sandbox.aws import catalogue
from sandbox.aws.agenda import Agenda
from sandbox.aws.clock import CloudClock
from sandbox.aws.cloud import Cloud
from sandbox.aws.control import PREFIX, Control
from sandbox.aws.faults import Faults
from sandbox.aws.instance_hooks import InstanceHooks

HOST = "127.0.0.1"


class QuietRequestHandler(MotoRequestHandler):
    """Without a line per request; errors still reach the log."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def front_door(cloud: Cloud) -> Callable[[dict[str, Any], Any], Any]:
    aws, control = DomainDispatcherApplication(create_backend_app), Control(cloud)

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        is_ours = environ.get("PATH_INFO", "").startswith(PREFIX)
        return control(environ, start_response) if is_ours else aws(environ, start_response)

    return answer


def build(options: argparse.Namespace) -> tuple[Cloud, BaseWSGIServer]:
    clock = CloudClock(options.speed)
    hooks = InstanceHooks()
    for url in options.hook_url:
        hooks.add_url(url)
    for name in options.hook:
        module, _, function = name.partition(":")
        hooks.listeners.append(getattr(importlib.import_module(module), function))
    options.dir.mkdir(parents=True, exist_ok=True)
    cloud = Cloud(
        clock=clock,
        agenda=Agenda(clock),
        directory=options.dir,
        url="",
        faults=Faults(),
        instance_hooks=hooks,
        ssm_executables=options.ssm_executables,
        ssm_tag=tuple(options.ssm_tag.split("=", 1)),
        enforce_roles=options.enforce_roles,
    )
    server = make_server(HOST, options.port, front_door(cloud), threaded=True, request_handler=QuietRequestHandler)
    server.daemon_threads = True  # type: ignore[attr-defined]  # a ThreadingMixIn, which werkzeug does not say
    cloud.url = f"http://{HOST}:{server.port}"
    os.environ["MOTO_PORT"] = str(server.port)
    catalogue.apply_all(cloud)
    return cloud, server


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sandbox.aws", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one; see aws.json in --dir")
    parser.add_argument("--dir", type=Path, default=None, help="code of functions, aws.json; default: temporary")
    parser.add_argument("--speed", type=float, default=1.0, help="cloud seconds per second; 0 stands still")
    parser.add_argument("--hook-url", action="append", default=[], help="POST news of instances here")
    parser.add_argument("--hook", action="append", default=[], help="module:function called with news")
    parser.add_argument("--ssm-executables", type=Path, help="the only directory RunCommand may run from")
    parser.add_argument("--ssm-tag", default="Role=k3s-master", help="instances with an SSM agent")
    parser.add_argument("--enforce-roles", action="store_true", help="functions may do what their role may")
    parser.add_argument("--stay-with-parent", action="store_true", help="end when the parent process ends")
    options = parser.parse_args(argv)
    if options.dir is None:
        options.dir = Path(tempfile.mkdtemp(prefix="sandbox-aws-"))
    return options


def _end_with_parent(parent: int) -> None:
    """A test run or a demo that was killed must not leave a server behind."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


def main(argv: list[str] | None = None) -> None:
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    options = arguments(argv)
    cloud, server = build(options)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown, daemon=True).start())
    if options.stay_with_parent:
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    cloud.agenda.start()
    place = {"url": cloud.url, "pid": os.getpid(), "speed": options.speed}
    (options.dir / "aws.json").write_text(json.dumps(place))
    print(json.dumps(place), flush=True)
    try:
        server.serve_forever(poll_interval=0.1)
    finally:
        cloud.agenda.stop()
        cloud.instance_hooks.stop()
        if cloud.functions is not None:
            cloud.functions.stop()
        (options.dir / "aws.json").unlink(missing_ok=True)
