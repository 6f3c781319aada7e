"""Ansible's name of the engine and the Lambda's name of it are the same modules."""

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import fleet

CONFTEST = Path(__file__).parents[1] / "conftest.py"
# A module named __main__ is a program: importing it would run it.
FOUND = [module.name for module in pkgutil.walk_packages(fleet.__path__, "fleet.")]
NAMES = ["fleet", *(name for name in sorted(FOUND) if not name.endswith(".__main__"))]


@pytest.mark.parametrize("name", NAMES)
def test_both_names_give_the_same_module(name: str) -> None:
    aliased = importlib.import_module(f"ansible.module_utils.{name}")

    assert aliased is importlib.import_module(name)
    assert aliased is sys.modules[f"ansible.module_utils.{name}"]
    assert aliased.__name__ == name
    assert aliased.__spec__ is not None
    assert aliased.__spec__.name == name


def test_a_module_that_does_not_exist_is_reported_under_the_name_asked_for() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"ansible\.module_utils\.fleet\.no_such_module"):
        importlib.import_module("ansible.module_utils.fleet.no_such_module")


@pytest.mark.parametrize("first", ["ansible.module_utils.fleet.errors", "fleet.errors"])
def test_either_name_may_come_first_and_brings_nothing_else(first: str) -> None:
    second = "fleet.errors" if first.startswith("ansible") else "ansible.module_utils.fleet.errors"
    program = f"""
import importlib, runpy, sys
runpy.run_path({str(CONFTEST)!r})
assert not any(name.split(".")[0] == "fleet" for name in sys.modules), "importing conftest imports the engine"
assert importlib.import_module({first!r}) is importlib.import_module({second!r})
assert importlib.reload(sys.modules["fleet.errors"]) is sys.modules["fleet.errors"]
"""
    path = str(CONFTEST.parents[1] / "module_utils")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{program}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
