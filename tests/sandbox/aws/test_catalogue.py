"""moto's version and our patches belong together; each patch has a test that stock moto fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from sandbox.aws.catalogue import MOTO_VERSION, PATCHES  # after the path to it

from .servers import ROOT, SANDBOX

HERE = Path(__file__).parent
# Nothing in stock moto to compare with: these do something only when they are asked to.
ON_DEMAND = {"patches.launch_refusals", "patches.throttling", "patches.role_enforcement", "spot"}


def test_moto_is_the_version_that_was_patched() -> None:
    assert version("moto") == MOTO_VERSION
    assert f"moto[server]=={MOTO_VERSION}" in (ROOT / "requirements-dev.in").read_text()


def test_every_patch_file_is_applied() -> None:
    files = {f"patches.{path.stem}" for path in (SANDBOX / "sandbox/aws/patches").glob("[a-z]*.py")}
    assert files <= set(PATCHES)


@pytest.mark.parametrize("patch", sorted(set(PATCHES) - ON_DEMAND))
def test_every_patch_is_tested_against_stock_moto(patch: str) -> None:
    marks = re.findall(r'mark\.gap\("([\w.]+)"\)', "".join(path.read_text() for path in HERE.glob("test_*.py")))
    assert patch in marks


def test_a_gap_that_stock_closes_says_remove_this_patch(tmp_path: Path) -> None:
    """pytest itself, on a test of a gap that there is not, with the fixtures and the hook of this folder."""
    test = tmp_path / "test_probe.py"
    test.write_text('import pytest\n\n@pytest.mark.gap("nothing")\ndef test_probe(aws):\n    assert aws.url\n')
    plugin = f"{__package__}.conftest"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", plugin, "-p", "no:cacheprovider", str(test)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "1 failed, 1 passed" in run.stdout
    assert re.search(r"^remove this patch$", run.stdout, re.MULTILINE)
