"""What may hold back a rule that fires: an operator's pause, a cooldown."""

from __future__ import annotations

from ..model import Direction, Rule, Verdict
from ..observation import Observation
from .explain import Trace, duration


def paused(observation: Observation, direction: Direction, trace: Trace) -> str:
    """Why scaling in this direction is paused; empty where it is not. A pause that has run out is as none."""
    pause = observation.paused
    if pause is None or direction not in pause.directions:
        return ""
    if pause.until is not None and pause.until <= observation.now:
        return ""
    end = "until resumed" if pause.until is None else f"for another {duration(pause.until - observation.now)}"
    by, why = (f" by {pause.by}" if pause.by else ""), (f": {pause.why}" if pause.why else "")
    detail = f"scale-{direction.value} is paused{by} {end}{why}"
    trace.say(Rule.PAUSED, Verdict.BLOCKED, detail)
    return detail


def cooling_down(observation: Observation, direction: Direction, trace: Trace) -> str:
    """Why it is too soon; empty where it is not. A scale-up waits for scale-ups only, a scale-down for both."""
    last, policy = observation.last_action, observation.policy
    if last is None or (direction is Direction.UP and last.direction is Direction.DOWN):
        return ""
    cooldown = policy.cooldown_up_seconds if direction is Direction.UP else policy.cooldown_down_seconds
    ago = observation.now - last.completed_at
    if ago >= cooldown:
        return ""
    since = f"the last scale-{last.direction.value} was completed {duration(max(0.0, ago))} ago"
    detail = f"{since}: scale-{direction.value} possible in {duration(cooldown - ago)}"
    trace.say(Rule.COOLDOWN, Verdict.BLOCKED, detail)
    return detail
