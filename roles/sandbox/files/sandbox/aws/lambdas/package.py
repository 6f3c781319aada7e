"""A function's zip on disk, and a Python path that has what AWS's Python runtime has, and no more.

The sandbox's own environment holds far more packages than Lambda does. A function that needs one of them
must bring it in its zip, here as there.
"""

from __future__ import annotations

import importlib.util
import io
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

# What AWS's Python runtime carries: the runtime client and the SDK, with what these two need.
RUNTIME_PACKAGES = (
    "awslambdaric",
    "runtime_client",
    "simplejson",
    "snapshot_restore_py",
    "boto3",
    "botocore",
    "s3transfer",
    "jmespath",
    "dateutil",
    "six",
    "urllib3",
)


def unpacked(code: bytes, digest: str, directory: Path) -> Path:
    """The folder that plays /var/task. Unpacked once a version; a half-written one is never seen."""
    task = directory / "tasks" / "".join(letter if letter.isalnum() else "-" for letter in digest)
    if not task.exists():
        task.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=task.parent, prefix=".draft-"))
        with zipfile.ZipFile(io.BytesIO(code)) as archive:
            archive.extractall(draft)
        try:
            draft.rename(task)
        except OSError:  # another thread was quicker
            shutil.rmtree(draft)
    return task


def runtime_path(directory: Path) -> Path:
    """A folder with links to the packages of the runtime; a package that is missing is said by name."""
    runtime = directory / "runtime"
    runtime.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME_PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise RuntimeError(f"{name} is not installed: run make setup")
        origin = Path(spec.origin)
        source = origin.parent if spec.submodule_search_locations else origin
        link = runtime / source.name
        if link.is_symlink() and link.resolve() != source.resolve():
            link.unlink()  # left by a sandbox of another environment
        if not link.is_symlink():
            os.symlink(source, link)
    return runtime
