"""Layer three: the next hour, as it was on earlier days. It only ever adds."""

from __future__ import annotations

from ..forecast import HOUR, next_hour
from ..model import Direction, LastAction, Verdict
from ..observation import Observation
from ..policy import Policy
from .explain import MINUTE, counted, number

Said = tuple[Verdict, str]


def look_ahead(observation: Observation, workers: int) -> Said:
    """Verdict and what was seen; fires where the next hour would fill today's workers."""
    policy, now = observation.policy, observation.now
    not_now = _reason_to_wait(policy, now, observation.last_action)
    if not_now:
        return Verdict.SKIPPED, not_now
    forecast = next_hour(observation.demand, now, policy.predictive_days)
    if forecast.days < policy.predictive_min_days:
        have = f"{counted(forecast.days, 'day')} of data for the next hour"
        return Verdict.SKIPPED, f"{have}, needs {policy.predictive_min_days}"
    if workers == 0:
        return Verdict.SKIPPED, "no worker to compare with"
    share = 100 * forecast.mean / workers
    needs = f"the next hour needs {number(forecast.mean)} busy workers (mean of {counted(forecast.days, 'day')})"
    seen = f"{needs}, {number(share)} % of the {workers} there are"
    if share > policy.predictive_percent:
        return Verdict.FIRES, f"{seen} (> {number(policy.predictive_percent)} %)"
    return Verdict.PASS, f"{seen}, needs > {number(policy.predictive_percent)} %"


def is_blind(observation: Observation) -> bool:
    """True where the next hour is looked at now, and a point of its history has no value: it may be a busy one."""
    policy, now = observation.policy, observation.now
    if _reason_to_wait(policy, now, observation.last_action):
        return False
    return next_hour(observation.demand, now, policy.predictive_days).unmeasured > 0


def _reason_to_wait(policy: Policy, now: float, last: LastAction | None) -> str:
    """Why the forecast is not asked now; empty where it is."""
    if not policy.enable_predictive:
        return "switched off"
    minute = int(now % HOUR // MINUTE)
    if minute < policy.predictive_from_minute:
        return f"minute {minute} of the hour, looks ahead from minute {policy.predictive_from_minute}"
    opened = now - now % HOUR + policy.predictive_from_minute * MINUTE
    if last is not None and last.direction is Direction.UP and last.completed_at >= opened:
        return "a scale-up was completed since the look-ahead began; once an hour is enough"
    return ""
