"""Pods that the scheduler could place nowhere: the one sign of want that needs no averaging."""

from __future__ import annotations

from ..model import AlertName, Reading, Rule, Verdict, Worker
from ..observation import Observation
from ..policy import Sizing
from .explain import Trace, counted, number
from .outcome import Wish
from .reactive import pending_above_zero
from .sizing import Fit, fit, is_urgent, step_size
from .sustained import judge

RULE = Rule.PENDING_PODS


def pending_wish(observation: Observation, reading: Reading, current: tuple[Worker, ...], trace: Trace) -> Wish | None:
    """By steps, or as many workers as the pods' requests need: that may be none."""
    policy, readings = observation.policy, (*observation.history, reading)
    judged = judge(pending_above_zero(policy.pending_for_seconds), readings, policy.interval_seconds)
    needed = fit(observation, reading, current) if judged.is_met else None
    if needed is not None or reading.pending_pods == 0 or policy.sizing is Sizing.STEP:
        _watch_misfits(needed, observation, readings, trace)
    if not judged.is_met:
        trace.say(RULE, Verdict.PASS if judged.is_measured else Verdict.SKIPPED, judged.detail)
        return None
    urgent = is_urgent(reading, policy)
    if needed is None:
        trace.say(RULE, Verdict.FIRES, judged.detail)
        return Wish(RULE, _reason(observation, reading), step_size(policy, urgent), urgent)
    trace.say(RULE, Verdict.FIRES if needed.workers else Verdict.PASS, f"{judged.detail}; {_in_words(needed)}")
    return Wish(RULE, _reason(observation, reading), needed.workers, urgent) if needed.workers else None


def _reason(observation: Observation, reading: Reading) -> str:
    waiting = f"{counted(reading.pending_pods or 0, 'pod')} unschedulable"
    limit = observation.policy.cpu_up_percent
    if reading.cpu_percent is not None and reading.cpu_percent > limit:
        return f"{waiting} while CPU is {number(reading.cpu_percent)} % (> {number(limit)} %)"
    return waiting


def _in_words(needed: Fit) -> str:
    if needed.workers:
        return f"their requests need {counted(needed.workers, 'new worker')}"
    if needed.too_large:
        return f"{needed.too_large[0].path} fits on no new worker"
    return "they fit on the workers that are there or on their way"


def _watch_misfits(needed: Fit | None, observation: Observation, readings: tuple[Reading, ...], trace: Trace) -> None:
    """Pods that another worker would not help: an operator has to look at them."""
    policy = observation.policy
    too_large = needed.too_large if needed else ()
    paths = ", ".join(pod.path for pod in too_large[:3])
    detail = (
        f"a new {policy.instance_types[0]} offers less than is asked by {paths}" if paths else "no pod is too large"
    )
    trace.watch(AlertName.POD_TOO_LARGE, bool(too_large), detail)
    stuck = needed is not None and not needed.workers and needed.fit_now > 0
    if stuck:
        stuck = judge(pending_above_zero(policy.pending_stuck_seconds), readings, policy.interval_seconds).is_met
    hint = "would fit on Ready workers by their requests and still wait: look at affinity, taints and volumes"
    detail = f"{counted(needed.fit_now, 'pod')} {hint}" if needed and stuck else "no pod is stuck"
    trace.watch(AlertName.PENDING_STUCK, stuck, detail)
