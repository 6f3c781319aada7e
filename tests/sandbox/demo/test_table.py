"""The table and the summary, held to a file: whoever changes them sees what a person would see."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from fleet.decide.engine import decide
from fleet.observation import Observation
from sandbox.demo.look import Look
from sandbox.demo.sale import Sale
from sandbox.demo.screen import Screen
from sandbox.demo.summary import NOT_ACTING, summary
from sandbox.demo.table import WIDTH, Style, header, row

GOLDEN = Path(__file__).parent / "golden" / "table.txt"
NOW = 1_706_184_600.0


def look(second: float, times: float, cpu: float | None, pending: int | None, **fields: Any) -> Look:
    zones = ("ap-southeast-1a", "ap-southeast-1b", "ap-southeast-1a")
    workers = [
        {"name": f"w{n}", "instance_id": f"i-{n}", "zone": zone, "lifecycle": "spot", "instance_type": "t3.small"}
        | {"state": "ready"}
        for n, zone in enumerate(zones)
    ]
    reading = {"at": NOW + second, "cpu_percent": cpu, "memory_percent": 30.0, "pending_pods": pending}
    seen = {"schema": 1, "now": NOW + second, "reading": reading, "workers": workers, **fields}
    observation = Observation.from_dict(seen)
    return Look(second, times, observation, decide(observation))


LOOKS = [
    look(120, 1.0, 26.04, 0),
    look(480, 3.0, 74.3, 3),
    look(720, 5.0, 98.9, 14),
    look(840, 5.0, None, None),
    look(960, 5.0, 99.0, 14, workers=None),
]


def test_table_is_as_the_file_says() -> None:
    lines = [*header(Style()), *(line for each in LOOKS for line in row(each, Style())), "", *summary(LOOKS, Sale())]
    text = "\n".join(lines) + "\n"
    if os.environ.get("WRITE_GOLDEN"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_facts_and_reason_fit_into_the_width() -> None:
    for each in LOOKS:
        assert max(len(line) for line in row(each, Style()) if "alert" not in line) <= WIDTH


def test_a_pipe_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    screen = Screen(out)
    screen.head()
    screen.now(120, 1.0, 8, 8)
    screen.look(LOOKS[1])
    assert "\033" not in out.getvalue()
    assert "\r" not in out.getvalue()
    assert "+2" in out.getvalue()


def test_summary_says_that_nothing_acts() -> None:
    assert NOT_ACTING in summary(LOOKS, Sale())
    assert summary([], Sale()) == ["No look was taken."]
