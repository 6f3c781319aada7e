"""The rule that lets workers go: everything low for long enough, everything measured, and a worker that may go."""

from __future__ import annotations

from ..model import Action, Direction, Reading, Removed, Rule, Verdict, Worker, WorkerState
from ..observation import Observation
from ..removal import Removal, plan_removals
from . import custom, reactive
from .explain import Trace, counted, duration
from .gates import cooling_down, paused
from .outcome import Outcome, sentence
from .predictive import is_blind
from .sustained import judge

TRIGGER = "low_load"


def scale_down(observation: Observation, reading: Reading, current: tuple[Worker, ...], trace: Trace) -> Outcome | None:
    """None where something speaks against it."""
    met, against = _conditions(observation, reading)
    if against:
        trace.say(Rule.SCALE_DOWN, Verdict.PASS, "; ".join(against))
        return None
    ready = sum(worker.state is WorkerState.READY for worker in current)
    count = min(observation.policy.scale_down_step, ready - observation.policy.min_workers)
    reason = sentence(", ".join(met))
    if count < 1:
        least = observation.policy.min_workers
        trace.say(
            Rule.SCALE_DOWN,
            Verdict.BLOCKED,
            f"{reason}; {counted(ready, 'Ready worker')}, minimum {least}",
        )
        return Outcome(reason=f"{reason}, but {counted(ready, 'worker')} Ready, minimum {least}", trigger=TRIGGER)
    trace.say(Rule.SCALE_DOWN, Verdict.FIRES, reason)
    held_back = paused(observation, Direction.DOWN, trace) or cooling_down(observation, Direction.DOWN, trace)
    if held_back:
        return Outcome(reason=f"{reason}, but {held_back}", trigger=TRIGGER)
    return _remove(observation, count, reason, trace)


def _conditions(observation: Observation, reading: Reading) -> tuple[list[str], list[str]]:
    """What speaks for a scale-down, and what against. A value that is not there always speaks against."""
    policy = observation.policy
    met: list[str] = []
    against: list[str] = []
    age = observation.now - reading.at
    if reading.cached or age > policy.interval_seconds / 2:
        against.append(f"the reading is an earlier one, {duration(age)} old, needs a fresh one")
    readings = (*observation.history, reading)
    required = [reactive.cpu_below(policy), reactive.memory_below(policy)]
    required += [each for each in custom.scale_down_thresholds(policy) if custom.exists(each, readings)]
    for threshold in required:
        judged = judge(threshold, readings, policy.interval_seconds)
        (met if judged.is_met else against).append(judged.detail)
    against += _unmeasured_or_high(observation, reading, readings)
    if reading.pending_pods == 0 and observation.pending == ():
        met.append("no pods pending")
    return met, against


def _unmeasured_or_high(observation: Observation, reading: Reading, readings: tuple[Reading, ...]) -> list[str]:
    """Pods, budgets and the metrics that could call for more workers: none may be unknown, none beyond its limit."""
    against = []
    if reading.pending_pods is None:
        against.append(f"pending pods were not counted ({reading.why_unmeasured('pending_pods')})")
    elif reading.pending_pods > 0 or observation.pending:
        against.append(
            f"{counted(max(reading.pending_pods, len(observation.pending or ())), 'pod')} pending, needs none"
        )
    if observation.pending is None:
        against.append("the pending pods could not be read")
    if observation.budgets is None:
        against.append("the disruption budgets could not be read")
    if is_blind(observation):
        against.append("the demand of the next hour was not fully measured on earlier days")
    for threshold in custom.scale_up_thresholds(observation.policy):
        if custom.exists(threshold, readings):
            value = threshold.value_of(reading)
            if value is None:
                against.append(f"{threshold.label} was not measured ({reading.why_unmeasured(threshold.metric)})")
            elif threshold.is_met_by(value):
                against.append(f"{threshold.label} is {threshold.condition}")
    return against


def _remove(observation: Observation, count: int, reason: str, trace: Trace) -> Outcome:
    policy = observation.policy
    plan = plan_removals(observation.workers or (), observation.budgets or (), count, policy.removal_order)
    if not plan.removals:
        detail = "no worker may go: " + _kept_in_words([kept.reason.value for kept in plan.kept])
        trace.say(Rule.REMOVAL, Verdict.BLOCKED, detail)
        return Outcome(reason=f"{reason}, but {detail}", trigger=TRIGGER, kept=plan.kept)
    trace.say(Rule.REMOVAL, Verdict.FIRES, "; ".join(_proof_in_words(removal) for removal in plan.removals))
    return Outcome(
        reason=reason,
        action=Action.SCALE_DOWN,
        trigger=TRIGGER,
        remove=tuple(Removed(removal.worker.name, removal.worker.instance_id) for removal in plan.removals),
        kept=plan.kept,
    )


def _kept_in_words(reasons: list[str]) -> str:
    return ", ".join(f"{reasons.count(reason)} {reason}" for reason in sorted(set(reasons)))


def _proof_in_words(removal: Removal) -> str:
    hosts = list(removal.homes.values())
    if not hosts:
        return f"{removal.worker.name} has no pods to move"
    places = ", ".join(f"{hosts.count(host)} to {host}" for host in sorted(set(hosts)))
    return f"{removal.worker.name} may go: its {counted(len(hosts), 'pod')} fit elsewhere ({places})"
