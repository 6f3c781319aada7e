"""The sandbox's own endpoint beside the AWS API, under /_sandbox: health, faults, clock, instances, hooks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from moto.ec2.models import ec2_backends

from sandbox.aws.cloud import Cloud
from sandbox.aws.faults import AT_ONCE, STANDING, UnknownFaultError
from sandbox.aws.instance_hooks import news_of
from sandbox.aws.patches import console_output
from sandbox.aws.role_permissions import role_may

PREFIX = "/_sandbox"
Reply = tuple[int, Any]


class Asked(NamedTuple):
    """What came with a request: the path behind the room's name, the JSON body, the query."""

    rest: str
    wish: dict[str, Any]
    query: dict[str, str]


Room = Callable[[Asked], Reply]
STATUS = {200: "200 OK", 201: "201 Created", 400: "400 Bad Request", 404: "404 Not Found"}


class Control:
    """A WSGI app. GET, PUT and DELETE with JSON; problems come back as 400 with `problem`."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.rooms: dict[tuple[str, str], Room] = {
            ("GET", ""): self._health,
            ("GET", "health"): self._health,
            ("GET", "faults"): self._list_faults,
            ("PUT", "faults"): self._put_fault,
            ("DELETE", "faults"): self._remove_faults,
            ("PUT", "clock"): self._advance_clock,
            ("GET", "instances"): lambda asked: (200, {"instances": self._instances()}),
            ("GET", "may"): self._may,
            ("PUT", "console"): self._write_console,
            ("GET", "hooks"): lambda asked: (200, {"urls": cloud.instance_hooks.urls}),
            ("PUT", "hooks"): self._add_hook,
            ("DELETE", "hooks"): self._remove_hook,
        }

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        try:
            status, answer = self._answer(environ)
        except (UnknownFaultError, ValueError, KeyError) as problem:
            status, answer = 400, {"problem": str(problem)}
        start_response(STATUS[status], [("Content-Type", "application/json")])
        return [json.dumps(answer, indent=1).encode() + b"\n"]

    def _answer(self, environ: dict[str, Any]) -> Reply:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        room, _, rest = path.removeprefix(PREFIX).strip("/").partition("/")
        answer = self.rooms.get((method, room))
        if answer is None:
            return 404, {"problem": f"{method} {path} is not known here"}
        size = int(environ.get("CONTENT_LENGTH") or 0)
        wish = json.loads(environ["wsgi.input"].read(size)) if size else {}
        query = {name: values[0] for name, values in parse_qs(environ.get("QUERY_STRING", "")).items()}
        return answer(Asked(rest, wish, query))

    def _health(self, asked: Asked) -> Reply:
        return 200, {"ok": True, "now": self.cloud.clock.now(), "speed": self.cloud.clock.speed}

    def _list_faults(self, asked: Asked) -> Reply:
        fields = {kind: sorted(names) for kind, names in {**STANDING, **AT_ONCE}.items()}
        return 200, {"faults": self.cloud.faults.standing(), "kinds": fields}

    def _put_fault(self, asked: Asked) -> Reply:
        fault = self.cloud.faults.put(asked.wish | ({"id": asked.rest} if asked.rest else {}))
        return 201, {"id": fault.id, "kind": fault.kind, **fault.where}

    def _remove_faults(self, asked: Asked) -> Reply:
        return 200, {"removed": self.cloud.faults.remove(asked.rest or None)}

    def _advance_clock(self, asked: Asked) -> Reply:
        self.cloud.agenda.advance(float(asked.wish["advance"]))
        return 200, {"now": self.cloud.clock.now()}

    def _may(self, asked: Asked) -> Reply:
        role = asked.query["role"]
        resource = asked.query.get("resource")
        return 200, {"allowed": role_may(role.split(":")[4], role, asked.query["action"], resource)}

    def _write_console(self, asked: Asked) -> Reply:
        console_output.write(str(asked.wish["instance_id"]), str(asked.wish["text"]))
        return 200, {"instance_id": asked.wish["instance_id"]}

    def _add_hook(self, asked: Asked) -> Reply:
        self.cloud.instance_hooks.add_url(str(asked.wish["url"]))
        return 201, {"urls": self.cloud.instance_hooks.urls}

    def _remove_hook(self, asked: Asked) -> Reply:
        self.cloud.instance_hooks.remove_url(asked.wish["url"])
        return 200, {"urls": self.cloud.instance_hooks.urls}

    def _instances(self) -> list[dict[str, Any]]:
        with self.cloud.ec2_lock:
            now = self.cloud.clock.now()
            backends = [backend for account in ec2_backends.values() for backend in account.values()]
            return [
                news_of(instance, instance.state, now) for backend in backends for instance in backend.all_instances()
            ]
