"""How a decision tells what it saw: steps in order, alerts that begin or end, and numbers as people write them."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Alert, AlertEvent, AlertName, Step, Verdict

MINUTE = 60


class Trace:
    """Collects, while the rules are looked at, what each said. One trace belongs to one decision."""

    def __init__(self, alerted: Mapping[str, float]) -> None:
        self._alerted = alerted
        self._steps: list[Step] = []
        self._alerts: dict[AlertName, Alert] = {}

    def say(self, rule: str, verdict: Verdict, detail: str) -> None:
        self._steps.append(Step(rule, verdict, detail))

    def watch(self, name: AlertName, holds: bool, detail: str) -> None:
        """An alert is raised when its episode begins and cleared when it ends, and says nothing in between."""
        if holds != (name.value in self._alerted):
            event = AlertEvent.RAISED if holds else AlertEvent.CLEARED
            self._alerts[name] = Alert(name, event, detail)

    def steps(self) -> tuple[Step, ...]:
        return tuple(self._steps)

    def alerts(self) -> tuple[Alert, ...]:
        return tuple(self._alerts.values())


def number(value: float) -> str:
    """Two digits after the point at most, and none where none are needed."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def duration(seconds: float) -> str:
    """Minutes and seconds, whichever of them there are."""
    minutes, rest = divmod(round(seconds), MINUTE)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
