"""Processes are known by id and start time: nobody else's is ever taken for ours."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.errors import NotReadyError
from sandbox.layout import Layout
from sandbox.polling import until
from sandbox.processes import Processes, Program

FOREVER = (sys.executable, "-c", "import signal; signal.pause()")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "sandbox")
    layout.claim({})
    return layout


def test_same_program_is_left_alone_and_a_changed_one_restarted(layout: Layout) -> None:
    settings = layout.root / "settings"
    settings.write_text("1")
    program = Program("server", FOREVER, lambda: True, (settings,))
    processes = Processes(layout)
    assert processes.ensure_running(program)
    assert not processes.ensure_running(program)
    settings.write_text("2")
    assert processes.ensure_running(program)
    processes.stop(["server"])
    assert processes.records() == []


def test_recycled_process_id_is_not_ours(layout: Layout) -> None:
    processes = Processes(layout)
    processes.ensure_running(Program("server", FOREVER, lambda: True))
    ours = processes.record("server")
    assert ours is not None
    stranger = subprocess.Popen(FOREVER)
    try:
        forged = dataclasses.replace(ours, name="recycled", pid=stranger.pid, started_ticks=1)
        (layout.processes / "recycled.json").write_text(json.dumps(dataclasses.asdict(forged)))
        assert not processes.is_alive("recycled")
        processes.stop(["recycled", "server"])
        assert stranger.poll() is None, "the stranger lives on"
    finally:
        stranger.kill()
        stranger.wait()


def test_program_that_ends_is_reported_with_its_last_words(layout: Layout) -> None:
    program = Program("broken", (sys.executable, "-c", "raise SystemExit('no such flag')"), lambda: False)
    processes = Processes(layout)
    processes.ensure_running(program)
    with pytest.raises(NotReadyError, match="no such flag"):
        processes.wait_until_ready([program], 10)


def test_one_that_ignores_the_polite_signal_is_killed(layout: Layout) -> None:
    lines = (
        "import signal",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "print('deaf', flush=True)",
        "signal.pause()",
    )
    stubborn = "; ".join(lines)
    processes = Processes(layout)
    log = processes.log("stubborn")
    program = Program("stubborn", (sys.executable, "-c", stubborn), lambda: log.exists() and "deaf" in log.read_text())
    processes.ensure_running(program)
    processes.wait_until_ready([program], 10)
    processes.stop(["stubborn"], grace_seconds=0.3)
    assert not processes.is_alive("stubborn")


def test_process_that_was_not_written_down_is_found_again(layout: Layout) -> None:
    """`up` may be killed between starting and remembering; a server's children are no strays."""
    processes = Processes(layout)
    parent = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import signal; signal.pause()'])"
    processes.ensure_running(Program("server", (sys.executable, "-c", parent), lambda: True))
    record = processes.record("server")
    assert record is not None
    children = Path(f"/proc/{record.pid}/task/{record.pid}/children")
    child = int(until(lambda: children.read_text().split(), 10, "the child runs")[0])
    assert processes.adopt_strays() == []
    (layout.processes / "server.json").unlink()
    assert processes.adopt_strays() == [f"stray-{record.pid}"]
    processes.stop([f"stray-{record.pid}"])
    assert not record.is_alive
    os.kill(child, signal.SIGKILL)
