"""What is to be said when the sale is over. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fleet.model import Action, AlertEvent
from sandbox.demo.look import Look
from sandbox.demo.pace import LOOK_SECONDS
from sandbox.demo.sale import Sale

NOT_ACTING = "The engine decides; nothing acted on it: acting comes with the next release."
_WORDS = {Action.SCALE_UP: "scale up", Action.SCALE_DOWN: "scale down", Action.NONE: "leave it as it is"}


def summary(looks: Sequence[Look], sale: Sale) -> list[str]:
    """Lines for the terminal. Seconds are the story's, those of the policy."""
    if not looks:
        return ["No look was taken."]
    kinds = Counter(look.decision.action for look in looks)
    decided = ", ".join(f"{kinds[action]} x {word}" for action, word in _WORDS.items() if kinds[action])
    return [
        f"{len(looks)} looks, one every {LOOK_SECONDS:.0f} s of the story: {decided}.",
        _first_scale_up(looks, sale),
        _peaks(looks),
        _alerts(looks),
        NOT_ACTING,
    ]


def _first_scale_up(looks: Sequence[Look], sale: Sale) -> str:
    first = next((look for look in looks if look.decision.action is Action.SCALE_UP), None)
    if first is None:
        return "No scale-up was decided."
    since = first.second - sale.rises_at
    when = f"{since:.0f} s after the load began to rise" if since >= 0 else f"{-since:.0f} s before the load rose"
    return f"The first scale-up was decided {when}: {first.decision.reason}."


def _peaks(looks: Sequence[Look]) -> str:
    cpu = [look.cpu_percent for look in looks if look.cpu_percent is not None]
    pending = [look.pending_pods for look in looks if look.pending_pods is not None]
    return (
        f"At most: CPU {max(cpu):.0f} %, {max(pending)} pods pending." if cpu and pending else "No metrics were read."
    )


def _alerts(looks: Sequence[Look]) -> str:
    raised = Counter(
        alert.name.value for look in looks for alert in look.decision.alerts if alert.event is AlertEvent.RAISED
    )
    return f"Alerts raised: {', '.join(sorted(raised))}." if raised else "Alerts raised: none."
