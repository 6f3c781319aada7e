#!/usr/bin/python
"""An Ansible module: a fault of the sandbox stands, or it does not. Real fleets have none."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: sandbox_fault
short_description: Make something go wrong in the sandbox
description:
  - Puts a fault at the sandbox's hypervisor or removes it. Which fields a kind has, C(GET /faults) tells.
author:
  - node-fleet
options:
  url: {description: Where the sandbox's hypervisor answers., type: str, required: true}
  state: {description: Whether the fault is to stand., type: str, choices: [present, absent], default: present}
  kind: {description: What is to go wrong; needed unless I(state=absent)., type: str}
  id: {description: The fault's name, by default its kind. Absent without both means all., type: str}
  zone: {description: Availability zone., type: str}
  instance_type: {description: Instance type., type: str}
  instance_id: {description: Instance., type: str}
  lifecycle: {description: V(spot) or V(on-demand)., type: str}
  service: {description: AWS service to throttle., type: str}
  action: {description: AWS action to throttle., type: str}
  function: {description: Lambda function., type: str}
  mode: {description: How Prometheus misbehaves., type: str}
  limit: {description: Quota in instances., type: int}
  times: {description: Ends after so many., type: int}
  minimum: {description: Lowest price that is accepted., type: float}
  seconds: {description: Of the skew, the slower boot or the Spot notice., type: float}
  after_seconds: {description: When a Lambda is killed., type: float}
  delay_seconds: {description: How slow Prometheus is., type: float}
  factor: {description: How many times slower a boot is., type: float}
  for_seconds: {description: Ends after so long on the cloud's clock., type: float}
"""
EXAMPLES = r"""
- name: No Spot capacity in zone a
  sandbox_fault: {url: "http://127.0.0.1:18100", kind: no_capacity, zone: ap-southeast-1a, lifecycle: spot}
"""
RETURN = r"""
faults: {description: All faults that stand afterwards., type: list, elements: dict, returned: always}
"""

TEXTS = ("zone", "instance_type", "instance_id", "lifecycle", "service", "action", "function", "mode")
WHOLE = ("limit", "times")
NUMBERS = ("minimum", "seconds", "after_seconds", "delay_seconds", "factor", "for_seconds")


def ask(module: AnsibleModule, method: str, path: str, wish: dict[str, Any] | None = None) -> dict[str, Any]:
    url = f"{module.params['url'].rstrip('/')}/faults{path}"
    body = json.dumps(wish).encode() if wish is not None else None
    request = urllib.request.Request(url, data=body, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback is behind no proxy
    try:
        with opener.open(request, timeout=30) as answer:
            content: dict[str, Any] = json.loads(answer.read())
            return content
    except urllib.error.HTTPError as refusal:
        module.fail_json(msg=json.loads(refusal.read()).get("problem", str(refusal)))
    except OSError as problem:
        module.fail_json(msg=f"no hypervisor answers at {url}: {problem}; start it with `python -m sandbox up`")
    raise AssertionError  # fail_json ends the process


def main() -> None:
    fields = {name: {"type": "str"} for name in TEXTS} | {name: {"type": "int"} for name in WHOLE}
    fields |= {name: {"type": "float"} for name in NUMBERS}
    module = AnsibleModule(
        argument_spec={
            "url": {"type": "str", "required": True},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "kind": {"type": "str"},
            "id": {"type": "str"},
            **fields,
        },
        required_if=[("state", "present", ("kind",))],
        supports_check_mode=True,
    )
    given = {name: module.params[name] for name in ("kind", *fields) if module.params[name] is not None}
    fault_id = module.params["id"] or module.params["kind"]
    listed = ask(module, "GET", "")
    before = [{name: value for name, value in one.items() if name != "happened"} for one in listed["faults"]]
    after = [one for one in before if fault_id is not None and one["id"] != fault_id]
    if module.params["state"] == "present":
        if given["kind"] not in listed["kinds"]:
            module.fail_json(msg=f"kind: {given['kind']!r} is none of {', '.join(sorted(listed['kinds']))}")
        after.append({"id": fault_id, **given})
    changed = sorted(before, key=str_of) != sorted(after, key=str_of)
    if changed and not module.check_mode:
        path = f"/{fault_id}" if fault_id else ""
        if module.params["state"] == "present":
            ask(module, "PUT", path, given)
        else:
            ask(module, "DELETE", path)
    diff = {"before": shown(before), "after": shown(after)}
    module.exit_json(changed=changed, faults=after, diff=diff)


def str_of(fault: dict[str, Any]) -> str:
    return json.dumps(fault, sort_keys=True)


def shown(faults: list[dict[str, Any]]) -> str:
    return "".join(f"{str_of(one)}\n" for one in sorted(faults, key=str_of))


if __name__ == "__main__":
    main()
