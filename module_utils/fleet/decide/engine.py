"""The order of the rules. Everything that decides about a fleet's size goes through `decide`."""

from __future__ import annotations

from ..model import Action, AlertName, Decision, Reading, Rule, Verdict, Worker
from ..observation import Observation
from .explain import Trace, counted, duration, number
from .launching import watch_capacity
from .outcome import Outcome, sentence
from .scale_down import scale_down
from .scale_up import restore_minimum, scale_up

CORE_METRICS = ("cpu_percent", "memory_percent", "pending_pods")


def decide(observation: Observation) -> Decision:
    """One decision from one observation; the same observation always gives the same decision."""
    trace = Trace(observation.alerted)
    current = observation.counted()
    watch_capacity(observation, trace)
    trace.watch(AlertName.FLEET_UNREADABLE, observation.workers is None, "the workers could not be read")
    if observation.workers is None:
        outcome = Outcome(reason="The workers could not be read: no decision")
    else:
        outcome = _outcome(observation, current, trace)
        if len(current) < observation.policy.max_workers:
            trace.watch(AlertName.AT_MAXIMUM, False, f"{counted(len(current), 'worker')}, below the maximum")
    return _decision(observation, current, outcome, trace)


def _outcome(observation: Observation, current: tuple[Worker, ...], trace: Trace) -> Outcome:
    """The first stage that has a say."""
    waiting = _open_operation(observation, trace)
    if waiting is not None:
        return waiting
    restored = restore_minimum(observation, current, trace)
    if restored is not None:
        return restored
    reading = _usable_reading(observation, trace)
    if reading is None:
        return Outcome(reason="No usable reading of the metrics: no decision")
    return (
        scale_up(observation, reading, current, trace)
        or scale_down(observation, reading, current, trace)
        or Outcome(reason=f"No rule fires: {_in_words(reading)}")
    )


def _open_operation(observation: Observation, trace: Trace) -> Outcome | None:
    """Whatever was begun is finished first; who carries it out also fails it once it is stuck."""
    operation, limit = observation.operation, observation.policy.stuck_after_seconds
    if operation is None:
        trace.say(Rule.OPEN_OPERATION, Verdict.PASS, "no operation is open")
        trace.watch(AlertName.OPERATION_STUCK, False, "no operation is open")
        return None
    age = observation.now - operation.started_at
    detail = f"scale-{operation.kind} {operation.id} is open for {duration(max(0.0, age))}, in phase {operation.phase}"
    trace.say(Rule.OPEN_OPERATION, Verdict.BLOCKED, f"{detail}: it is finished first")
    trace.watch(AlertName.OPERATION_STUCK, age > limit, f"{detail}, allowed are {duration(limit)}")
    return Outcome(reason=sentence(detail), trigger=Rule.OPEN_OPERATION)


def _usable_reading(observation: Observation, trace: Trace) -> Reading | None:
    """The reading, unless there is none or it is too old to say anything."""
    reading, now = observation.reading, observation.now
    missing = [name for name in CORE_METRICS if reading is None or getattr(reading, name) is None]
    useless = _why_useless(observation, missing)
    if reading is None or useless:
        trace.say(Rule.METRICS, Verdict.BLOCKED, useless)
        trace.watch(AlertName.METRICS_MISSING, True, useless)
        return None
    seen = f"{', '.join(missing)} not measured" if missing else _in_words(reading)
    age = f"; read {duration(now - reading.at)} ago" if now > reading.at else ""
    trace.say(Rule.METRICS, Verdict.PASS, seen + age)
    trace.watch(AlertName.METRICS_MISSING, bool(missing), seen)
    return reading


def _why_useless(observation: Observation, missing: list[str]) -> str:
    """Why nothing can be concluded from the reading; empty where something can."""
    reading, limit = observation.reading, observation.policy.reading_max_age_seconds
    if reading is None:
        return "no metrics could be read"
    if observation.now - reading.at >= limit:
        age = duration(observation.now - reading.at)
        return f"the newest reading is {age} old, must be younger than {duration(limit)}"
    if len(missing) == len(CORE_METRICS) and not any(value is not None for value in reading.custom.values()):
        return "not one metric was measured"
    return ""


def _in_words(reading: Reading) -> str:
    return f"{_percent('CPU', reading.cpu_percent)}, {_percent('memory', reading.memory_percent)}, " + (
        "pending pods unknown" if reading.pending_pods is None else f"{counted(reading.pending_pods, 'pod')} pending"
    )


def _percent(label: str, value: float | None) -> str:
    return f"{label} unknown" if value is None else f"{label} {number(value)} %"


def _decision(observation: Observation, current: tuple[Worker, ...], outcome: Outcome, trace: Trace) -> Decision:
    change = len(outcome.launch) - len(outcome.remove)
    known = None if observation.workers is None else len(current)
    return Decision(
        action=outcome.action,
        count=abs(change) if outcome.action is not Action.NONE else 0,
        workers=known,
        target=None if known is None else known + change,
        urgent=outcome.urgent,
        trigger=outcome.trigger,
        bypass_cooldown=outcome.bypass_cooldown,
        reason=outcome.reason,
        launch=outcome.launch,
        remove=outcome.remove,
        kept=outcome.kept,
        alerts=trace.alerts(),
        explain=trace.steps(),
    )
