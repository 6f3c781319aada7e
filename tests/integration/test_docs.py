"""What the documentation says is what happens."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.observation import Observation
from situations import observation, pod, steady, workers

ROOT = Path(__file__).parents[2]
ALGORITHM = (ROOT / "docs" / "SCALING_ALGORITHM.md").read_text()
WORKED = [json.loads(block) for block in re.findall(r"```json worked\n(.*?)```", ALGORITHM, re.DOTALL)]


def given(when: dict[str, Any]) -> dict[str, Any]:
    """The words of the page that are not fields of an observation, put into fields."""
    changes = dict(when)
    if "steady" in changes:
        values = dict(changes.pop("steady"))
        changes |= steady(values.pop("for"), **values)
    if "workers_filled" in changes:
        cpu = changes.pop("workers_filled")
        changes["workers"] = [each | {"pods": [pod(f"full-{each['name']}", cpu=cpu)]} for each in workers(3)]
    return observation(**changes)


@pytest.mark.parametrize("block", WORKED, ids=lambda block: json.dumps(block["when"])[:60])
def test_worked_numbers(block: dict[str, Any]) -> None:
    decision = decide(Observation.from_dict(given(block["when"]))).to_dict()

    assert {name: decision[name] for name in block["then"]} == block["then"]


def test_the_page_has_worked_numbers() -> None:
    assert len(WORKED) >= 10


def test_the_readmes_example() -> None:
    text = (ROOT / "README.md").read_text()
    shown = dict(re.findall(r"<!-- example: (\w+) -->\n```json\n(.*?)```", text, re.DOTALL))
    done = subprocess.run(
        [sys.executable, "-m", "fleet.decide"],
        input=shown["observation"].replace("\n", ""),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT / "module_utils",
    )

    assert json.dumps(json.loads(done.stdout), indent=4) + "\n" == shown["decision"]


def test_the_list_of_settings_is_fresh() -> None:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)

    assert (ROOT / "docs" / "POLICY.md").read_text() == generate.policy_page(), "run make docs"


def test_the_readme_lists_every_target() -> None:
    targets = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    readme = (ROOT / "README.md").read_text()

    assert {target for target in targets if f"`make {target}`" not in readme and f"`{target}`" not in readme} == set()
