"""What rules ask for, and what a stage of the engine ends with, before it becomes a decision."""

from __future__ import annotations

from typing import NamedTuple

from ..model import Action, Kept, Launch, Removed


class Wish(NamedTuple):
    """What a rule that fires asks for, before limits and cooldowns."""

    trigger: str
    reason: str
    workers: int
    urgent: bool = False


class Outcome(NamedTuple):
    """A decision in the making; what it launches or removes is its count."""

    reason: str
    action: Action = Action.NONE
    trigger: str | None = None
    urgent: bool = False
    bypass_cooldown: bool = False
    launch: tuple[Launch, ...] = ()
    remove: tuple[Removed, ...] = ()
    kept: tuple[Kept, ...] = ()


def sentence(text: str) -> str:
    """The text with a capital at its start, the rest as it is."""
    return text[:1].upper() + text[1:]
