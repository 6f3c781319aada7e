"""Where the demo speaks: a live table on a terminal, plain lines where the output is a file or a pipe."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from sandbox.demo.look import Look
from sandbox.demo.pace import clock_face
from sandbox.demo.table import WIDTH, Style, header, row

_CLEAR = "\r\033[K"


class Screen:
    """Rows stay where they are printed, so that the story can be scrolled back; the last line moves."""

    def __init__(self, out: TextIO = sys.stdout) -> None:
        self._out = out
        self._is_live = out.isatty() and os.environ.get("TERM") != "dumb"
        width = shutil.get_terminal_size((WIDTH, 40)).columns if self._is_live else WIDTH
        self._style = Style(max(80, min(width, 140)), self._is_live and "NO_COLOR" not in os.environ)

    def title(self, text: str) -> None:
        self._lines(["", self._style.paint(f"== {text}", "1")])

    def say(self, text: str) -> None:
        self._lines([text])

    def head(self) -> None:
        self._lines(["", *header(self._style)])

    def look(self, look: Look) -> None:
        self._lines(row(look, self._style))

    def now(self, second: float, times: float, replicas: int, running: int | None) -> None:
        """The moving line; a file would only grow by it."""
        if self._is_live:
            pods = "API server does not answer" if running is None else f"{running} of {replicas} pods run"
            text = f"{clock_face(second)}  {times:.1f}x  {pods}; looking every 2 minutes of the story"
            self._out.write(_CLEAR + self._style.paint(text, "2"))
            self._out.flush()

    def _lines(self, lines: list[str]) -> None:
        start = _CLEAR if self._is_live else ""
        self._out.write(start + "\n".join(lines) + "\n")
        self._out.flush()
