"""From a wish for more workers to launches: the maximum, and pools that are open."""

from __future__ import annotations

from ..model import Action, AlertName, Rule, Verdict, Worker
from ..observation import Observation
from ..placement import plan_launches, recently_refused
from .explain import Trace, duration
from .outcome import Outcome, Wish


def launch(
    observation: Observation,
    current: tuple[Worker, ...],
    wish: Wish,
    trace: Trace,
    bypass_cooldown: bool = False,
) -> Outcome:
    """Caps the wish at the maximum and places it; says so where no pool is open."""
    policy = observation.policy
    wanted = min(wish.workers, max(0, policy.max_workers - len(current)))
    launches = plan_launches(wanted, current, policy, observation.refused_pools, observation.now)
    if len(launches) < wanted:
        closed = f"every pool was refused within the last {duration(policy.refused_pool_seconds)}"
        trace.watch(AlertName.NO_CAPACITY, True, f"{len(launches)} of {wanted} can be launched: {closed}")
        if not launches:
            trace.say(Rule.CAPACITY, Verdict.BLOCKED, closed)
            return Outcome(reason=f"{wish.reason}, but {closed}", trigger=wish.trigger, urgent=wish.urgent)
    else:
        trace.watch(AlertName.NO_CAPACITY, False, "there is capacity again")
    return Outcome(
        reason=wish.reason,
        action=Action.SCALE_UP,
        trigger=wish.trigger,
        urgent=wish.urgent,
        bypass_cooldown=bypass_cooldown,
        launch=launches,
    )


def watch_capacity(observation: Observation, trace: Trace) -> None:
    """The want of capacity is over once every refused pool may be asked again."""
    if not recently_refused(observation.refused_pools, observation.policy, observation.now):
        trace.watch(AlertName.NO_CAPACITY, False, "no pool is left out any more")
