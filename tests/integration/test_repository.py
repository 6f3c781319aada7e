"""The tree keeps its promises: nothing of one machine in it, every pin hashed, the engine's folders tidy."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLEET = ROOT / "module_utils" / "fleet"

# Hosts by the kind of name that package registries and their mirrors have: packages are asked for by name only.
REGISTRIES = [
    r"\b[\w.-]*(?:pypi|hosted|npm|crates|maven|proxy|mirror|galaxy)[\w.-]*\.(?:org|io|com|net)\b",
    r"\bdeb\.[\w.-]+\.org\b",
]
# The brackets keep this file from containing what it looks for.
MACHINE_PATHS = [r"/[r]oot/", r"/[h]ome/[a-z]", r"\.\./[s]hared\b"]
FORBIDDEN = re.compile("|".join(REGISTRIES + MACHINE_PATHS))
LOCKED = re.compile(r"[a-z0-9.-]+==\S+( ;.*?)?\s+--hash=sha256:[0-9a-f]{64}")


def files_of_the_tree() -> list[Path]:
    """Every file that is tracked or could be committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    # A tracked file may have been deleted in the work tree.
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    files = files_of_the_tree()
    found = [
        f"{file.relative_to(ROOT)}:{number}: {match.group()}"
        for file in files
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), start=1)
        if (match := FORBIDDEN.search(line))
    ]

    assert ROOT / "Makefile" in files
    assert found == []


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-dev.txt"])
def test_every_locked_requirement_is_pinned_and_hashed(lock: str) -> None:
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    requirements = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]

    assert requirements
    assert [line for line in requirements if not LOCKED.match(line)] == []


def test_the_dev_lock_holds_every_runtime_pin() -> None:
    runtime, dev = (
        set(re.findall(r"^([a-z0-9.-]+==\S+)", (ROOT / lock).read_text(), re.MULTILINE))
        for lock in ("requirements.txt", "requirements-dev.txt")
    )

    assert runtime <= dev


def test_ci_runs_the_linters_and_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    commands = [line.strip() for line in script.read_text().splitlines() if not line.startswith("#")]

    assert script.stat().st_mode & 0o111
    assert any(line.startswith("make lint") for line in commands)
    assert any(line.startswith("make test") for line in commands)


def test_module_utils_holds_nothing_but_the_engine() -> None:
    # Another top-level name there could shadow one of Ansible's own.
    inside = [file.relative_to(ROOT).parts for file in files_of_the_tree()]

    assert {parts[1] for parts in inside if parts[0] == "module_utils"} == {"fleet"}


def test_every_folder_of_the_engine_has_an_init_with_only_a_docstring() -> None:
    folders = {FLEET, *(file.parent for file in FLEET.rglob("*.py"))}

    for folder in folders:
        init = folder / "__init__.py"
        assert init.is_file(), f"{init.relative_to(ROOT)} is missing: Ansible would not ship the folder"
        body = ast.parse(init.read_text()).body
        assert len(body) == 1, f"{init.relative_to(ROOT)} holds more than a docstring"
        assert ast.get_docstring(ast.parse(init.read_text())), f"{init.relative_to(ROOT)} has no docstring"
