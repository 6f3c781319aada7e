"""The rules that add workers, in their order; the first that fires is the only one that counts."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import AlertName, Direction, Reading, Rule, Verdict, Worker
from ..observation import Observation
from . import custom, reactive
from .explain import Trace, counted
from .gates import cooling_down, paused
from .launching import launch
from .outcome import Outcome, Wish, sentence
from .pending import pending_wish
from .predictive import look_ahead
from .sizing import is_urgent, step_size
from .sustained import Threshold, judge


def restore_minimum(observation: Observation, current: tuple[Worker, ...], trace: Trace) -> Outcome | None:
    """Brings back every missing worker at once, cooldown or not; an operator's pause still holds."""
    least = observation.policy.min_workers
    seen = f"{counted(len(current), 'worker')}, minimum {least}"
    is_below = len(current) < least
    trace.say(Rule.BELOW_MINIMUM, Verdict.FIRES if is_below else Verdict.PASS, seen)
    pause = paused(observation, Direction.UP, trace) if is_below else ""
    trace.watch(AlertName.BELOW_MINIMUM, bool(pause), f"{seen}; {pause}" if pause else seen)
    if not is_below:
        return None
    if pause:
        return Outcome(reason=f"{seen}, but {pause}", trigger=Rule.BELOW_MINIMUM)
    wish = Wish(Rule.BELOW_MINIMUM, seen, least - len(current))
    return launch(observation, current, wish, trace, bypass_cooldown=True)


def scale_up(observation: Observation, reading: Reading, current: tuple[Worker, ...], trace: Trace) -> Outcome | None:
    """None where no rule fires. Where one does, the fleet is not scaled down, even if the wish is held back."""
    wish = next(_wishes(observation, reading, current, trace), None)
    if wish is None:
        return None
    most = observation.policy.max_workers
    held_back = paused(observation, Direction.UP, trace)
    if not held_back and len(current) >= most:
        held_back = f"the fleet is at its maximum: {counted(len(current), 'worker')} of {most}"
        trace.say(Rule.AT_MAXIMUM, Verdict.BLOCKED, held_back)
        trace.watch(AlertName.AT_MAXIMUM, True, f"{wish.reason}, but {held_back}")
    held_back = held_back or cooling_down(observation, Direction.UP, trace)
    if held_back:
        return Outcome(reason=f"{wish.reason}, but {held_back}", trigger=wish.trigger, urgent=wish.urgent)
    return launch(observation, current, wish, trace)


def _wishes(observation: Observation, reading: Reading, current: tuple[Worker, ...], trace: Trace) -> Iterator[Wish]:
    """Rules are looked at one by one, and no further than the first wish."""
    policy, readings = observation.policy, (*observation.history, reading)
    pending = pending_wish(observation, reading, current, trace)
    if pending is not None:
        yield pending
    for threshold in (reactive.cpu_above(policy), reactive.memory_above(policy)):
        yield from _wish_above(threshold, observation, readings, trace)
    for threshold in custom.scale_up_thresholds(policy):
        if custom.exists(threshold, readings):
            yield from _wish_above(threshold, observation, readings, trace)
        else:
            trace.say(threshold.rule, Verdict.SKIPPED, "not among the metrics of this fleet")
    verdict, detail = look_ahead(observation, len(current))
    trace.say(Rule.PREDICTIVE, verdict, detail)
    if verdict is Verdict.FIRES:
        yield Wish(Rule.PREDICTIVE, sentence(detail), policy.scale_up_step)


def _wish_above(
    threshold: Threshold, observation: Observation, readings: tuple[Reading, ...], trace: Trace
) -> Iterator[Wish]:
    judged = judge(threshold, readings, observation.policy.interval_seconds)
    if judged.is_met:
        trace.say(threshold.rule, Verdict.FIRES, judged.detail)
        urgent = is_urgent(readings[-1], observation.policy)
        is_word = threshold.label != threshold.metric  # a metric's own name keeps its small letter
        reason = sentence(judged.detail) if is_word else judged.detail
        yield Wish(threshold.rule, reason, step_size(observation.policy, urgent), urgent)
    else:
        trace.say(threshold.rule, Verdict.PASS if judged.is_measured else Verdict.SKIPPED, judged.detail)
