"""Writes docs/POLICY.md from the policy itself, so that no setting is described twice. `make docs` runs it."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from fleet.policy import Policy, environment_names

DOCS = Path(__file__).parent
HEAD = """# Every setting of the policy

Written by `make docs` from `module_utils/fleet/policy.py`; do not edit by hand. A setting can be given in the
`policy` of an observation or as an environment variable; there, lists are written with commas, objects as JSON,
and `off` stands for null. Both are checked alike, and every problem is reported at once.

| field | default | environment variable | meaning |
|---|---|---|---|
"""


def policy_page() -> str:
    defaults, variables = Policy().to_dict(), environment_names()
    rows = [
        (
            f"`{each.name}`",
            f"`{json.dumps(defaults[each.name])}`",
            f"`{variables[each.name]}`",
            each.metadata["meaning"],
        )
        for each in fields(Policy)
    ]
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    (DOCS / "POLICY.md").write_text(policy_page())
