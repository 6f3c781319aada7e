"""The role through the playbook: check mode changes nothing, a second run neither, absent leaves nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
ROLE = ROOT / "roles" / "sandbox"


def play(*arguments: str) -> tuple[int, str]:
    """Count of changes and everything said."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1"}
    run = subprocess.run(
        ["ansible-playbook", "site.yml", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = re.search(r"changed=(\d+)", run.stdout)
    assert found is not None
    return int(found.group(1)), run.stdout


def test_check_then_present_twice_then_absent(spare_directory: Path) -> None:
    place = ("-e", f"sandbox_directory={spare_directory}", "-e", "sandbox_speed=15")

    changed, said = play(*place, "--check")
    assert changed == 1
    assert "would start" in said
    assert not spare_directory.exists()
    assert play(*place)[0] == 1
    assert play(*place)[0] == 0
    assert play(*place, "--check")[0] == 0
    assert play(*place, "-e", "sandbox_state=absent", "--check")[0] == 1
    assert spare_directory.exists()
    assert play(*place, "-e", "sandbox_state=absent")[0] == 1
    assert not spare_directory.exists()
    assert play(*place, "-e", "sandbox_state=absent")[0] == 0


def test_specification_and_defaults_agree() -> None:
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    options = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    assert {name: option["default"] for name, option in options.items()} == defaults
    assert all(name.startswith("sandbox_") for name in defaults)
