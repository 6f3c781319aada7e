"""The table's lines. Pure: looks in, text out, so that a test can hold it to a file."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from fleet.model import Action
from sandbox.demo.look import Look
from sandbox.demo.pace import clock_face

WIDTH = 100
GAP = "  "
# (title, width, to the right); the reason takes what is left of the terminal and is wrapped there.
COLUMNS = (("time", 5, False), ("load", 10, False), ("CPU", 5, True), ("pending", 7, True), ("workers", 7, True))
ACTION = ("decision", 9, False)
BLOCK = "▇"
_COLOURS = {Action.SCALE_UP: "33;1", Action.SCALE_DOWN: "36;1", Action.NONE: "2"}


@dataclass(frozen=True)
class Style:
    """Colours only where a person looks at a terminal that can show them."""

    width: int = WIDTH
    colours: bool = False

    def paint(self, text: str, colour: str) -> str:
        return f"\033[{colour}m{text}\033[0m" if self.colours and text.strip() else text


def header(style: Style) -> list[str]:
    titles = GAP.join(_fit(title, width, right) for title, width, right in (*COLUMNS, ACTION))
    line = f"{titles}{GAP}reason"
    return [style.paint(line, "1"), "─" * style.width]


def row(look: Look, style: Style) -> list[str]:
    """One line, and more where the reason is longer than the room for it."""
    cells = (
        clock_face(look.second),
        f"{look.times:.1f}x {BLOCK * round(look.times)}",
        "?" if look.cpu_percent is None else f"{look.cpu_percent:.0f} %",
        "?" if look.pending_pods is None else str(look.pending_pods),
        "?" if look.decision.workers is None else str(look.decision.workers),
    )
    facts = GAP.join(_fit(cell, width, right) for cell, (_, width, right) in zip(cells, COLUMNS, strict=True))
    wish = style.paint(_fit(look.wish, ACTION[1], ACTION[2]), _COLOURS[look.decision.action])
    indent = len(facts) + len(GAP) + ACTION[1] + len(GAP)
    reason = textwrap.wrap(look.decision.reason, max(20, style.width - indent)) or [""]
    lines = [f"{facts}{GAP}{wish}{GAP}{reason[0]}".rstrip()]
    lines += [" " * indent + more for more in reason[1:]]
    lines += [style.paint(_alert(alert.name, alert.event, alert.detail), "31") for alert in look.decision.alerts]
    return lines


def _alert(name: str, event: str, detail: str) -> str:
    return f"{' ' * 7}alert {name} {event}: {detail}"


def _fit(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)
