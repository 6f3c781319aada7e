"""What holds for every observation whatsoever."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.decide.engine import decide
from fleet.model import Action, Decision, Lifecycle, WorkerState
from fleet.observation import Observation
from fleet.policy import Policy

from .fleets import at_minute, observations, policies

Check = Callable[[Observation, Decision], None]


def decided(given: dict[str, Any]) -> tuple[Observation, Decision]:
    observation = Observation.from_dict(copy.deepcopy(given))
    return observation, decide(observation)


def the_target_stays_within_the_limits_unless_the_fleet_is_outside(
    observation: Observation, decision: Decision
) -> None:
    policy = observation.policy
    if decision.workers is None:
        assert decision.action is Action.NONE
    elif policy.min_workers <= decision.workers <= policy.max_workers:
        assert policy.min_workers <= decision.target <= policy.max_workers
    elif decision.workers < policy.min_workers:
        assert decision.workers <= decision.target <= policy.min_workers
    else:
        assert policy.min_workers <= decision.target <= decision.workers


def never_up_and_down_at_once(observation: Observation, decision: Decision) -> None:
    up, down = len(decision.launch), len(decision.remove)

    assert (up, down) == {
        Action.SCALE_UP: (decision.count, 0),
        Action.SCALE_DOWN: (0, decision.count),
        Action.NONE: (0, 0),
    }[decision.action]
    assert (decision.count > 0) is (decision.action is not Action.NONE)


def nothing_but_below_minimum_inside_a_cooldown(observation: Observation, decision: Decision) -> None:
    last, policy = observation.last_action, observation.policy
    if last is None or decision.action is Action.NONE or decision.trigger == "below_minimum":
        return
    ago = observation.now - last.completed_at
    if decision.action is Action.SCALE_DOWN:
        assert ago >= policy.cooldown_down_seconds
    elif last.direction == "up":
        assert ago >= policy.cooldown_up_seconds


@given(given=observations())
def test_same_input_same_output_whatever_the_order_of_workers(given: dict[str, Any]) -> None:
    shuffled = copy.deepcopy(given)
    if shuffled["workers"] is not None:
        shuffled["workers"].reverse()

    assert decided(given)[1].to_dict() == decided(copy.deepcopy(given))[1].to_dict() == decided(shuffled)[1].to_dict()


def no_removal_without_a_packing(observation: Observation, decision: Decision) -> None:
    """Checked by a search of its own: every pod of a removed worker is put, one by one, where there is room."""
    if decision.action is not Action.SCALE_DOWN:
        return
    gone = {removed.name for removed in decision.remove}
    fleet = observation.workers or ()
    lost = (WorkerState.DRAINING, WorkerState.NOT_READY)
    leaving = [worker for worker in fleet if worker.name in gone or worker.state in lost]
    moving = [pod for worker in leaving for pod in worker.pods if must_move(pod)]
    hosts = [
        worker
        for worker in fleet
        if worker not in leaving
        and worker.state is WorkerState.READY
        and worker.allocatable
        and worker.pods is not None
    ]
    free = [[host.allocatable.cpu, host.allocatable.memory, host.allocatable.pods] for host in hosts]
    held = [[pod for pod in host.pods if not pod.finished] for host in hosts]
    for room, pods in zip(free, held, strict=True):
        for pod in pods:
            take(room, pod)

    assert fits(sorted(moving, key=lambda pod: -pod.cpu), free)


def must_move(pod: Any) -> bool:
    return not pod.finished and (pod.owner or "").partition("/")[0] not in ("DaemonSet", "Node")


def take(room: list[float], pod: Any, sign: int = 1) -> None:
    room[0] -= sign * (pod.cpu if pod.cpu is not None else 1e9)
    room[1] -= sign * (pod.memory if pod.memory is not None else 1e18)
    room[2] -= sign


def fits(pods: list[Any], free: list[list[float]]) -> bool:
    """Tries every arrangement, so that it finds one wherever there is one."""
    if not pods:
        return True
    for room in free:
        take(room, pods[0])
        if min(room[0] + 1e-6, room[1], room[2]) >= 0 and fits(pods[1:], free):
            return True
        take(room, pods[0], -1)
    return False


def no_budget_is_exceeded_by_what_is_removed(observation: Observation, decision: Decision) -> None:
    gone = {removed.name for removed in decision.remove}
    evicted = {
        (pod.namespace, pod.name)
        for worker in observation.workers or ()
        if worker.name in gone
        for pod in worker.pods or ()
        if must_move(pod)
    }
    for budget in observation.budgets or ():
        assert sum((budget.namespace, name) in evicted for name in budget.pods) <= (budget.allowed or 0)


def whoever_is_not_removed_while_scaling_down_is_kept_for_a_reason(
    observation: Observation, decision: Decision
) -> None:
    if decision.action is Action.SCALE_DOWN:
        named = [each.name for each in (*decision.remove, *decision.kept)]

        assert Counter(named) == Counter(worker.name for worker in observation.workers or ())
        assert all(kept.detail for kept in decision.kept)


def the_zone_of_a_removed_worker_keeps_one_while_another_has_more(observation: Observation, decision: Decision) -> None:
    gone = {removed.name for removed in decision.remove}
    before = Counter(worker.zone for worker in observation.counted())
    after = Counter(worker.zone for worker in observation.counted() if worker.name not in gone)
    for zone in before:
        if after[zone] == 0:
            assert max(after.values(), default=0) <= 1


def launches_follow_the_mix_the_zones_and_the_refusals(observation: Observation, decision: Decision) -> None:
    policy = observation.policy
    refused = {
        (pool.zone, pool.instance_type, pool.lifecycle)
        for pool in observation.refused_pools
        if observation.now - pool.at < policy.refused_pool_seconds
    }
    for launch in decision.launch:
        assert launch.zone in policy.zones
        assert launch.instance_types
        assert not {(launch.zone, kind, launch.lifecycle) for kind in launch.instance_types} & refused
    if decision.launch and not refused:
        have = sum(worker.lifecycle is Lifecycle.SPOT for worker in observation.counted())
        new = sum(launch.lifecycle is Lifecycle.SPOT for launch in decision.launch)
        wanted = (len(observation.counted()) + decision.count) * policy.spot_percent // 100
        assert new == min(decision.count, max(0, wanted - have))


def every_decision_explains_itself(observation: Observation, decision: Decision) -> None:

    assert decision.reason
    assert all(step.detail for step in decision.explain)
    if observation.workers is not None:
        assert decision.explain[0].rule == "open_operation"
    if decision.action is not Action.NONE:
        assert decision.explain[-1].verdict == "fires"
        assert decision.trigger is not None


MEASURED = {"cpu_percent", "memory_percent", "pending_pods", "replicas", "cpu", "memory", "allowed", "launched_at"}
LISTED = {"pods", "allocatable", "reading", "workers", "pending", "budgets"}


def measurements(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of an observation where `null` means "not measured"."""
    if path[:1] == ("policy",) or path[-1:] == ("allocatable",):
        return
    if isinstance(value, dict):
        for key, item in value.items():
            is_measured = key in MEASURED | LISTED or path[-1:] == ("custom",)
            if is_measured and item is not None and (path[:1] != ("budgets",) or key == "allowed"):
                yield (*path, key)
            yield from measurements(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from measurements(item, (*path, index))


@given(given=observations(), minute=st.sampled_from([10, 50]), demand=st.sampled_from([0.1, 9.0]), data=st.data())
def test_adding_a_null_never_turns_a_decision_into_a_scale_down(
    given: dict[str, Any], minute: int, demand: float, data: st.DataObject
) -> None:
    known = at_minute(given, minute, demand)
    before = decided(known)[1].action
    unknown = copy.deepcopy(known)
    for *path, last in data.draw(st.lists(st.sampled_from(list(measurements(unknown))), min_size=1, max_size=4)):
        inside: Any = unknown
        for key in path:
            inside = inside[key] if inside is not None else None
        if inside is not None:
            inside[last] = None
    after = decided(unknown)[1].action

    assert after is not Action.SCALE_DOWN or before is Action.SCALE_DOWN


@given(given=observations())
def test_there_and_back(given: dict[str, Any]) -> None:
    observation, decision = decided(given)

    assert Observation.from_dict(json.loads(json.dumps(observation.to_dict()))) == observation
    assert Decision.from_dict(json.loads(json.dumps(decision.to_dict()))) == decision


@given(given=policies())
def test_a_policy_there_and_back(given: dict[str, Any]) -> None:
    policy = Policy.from_dict(given)

    assert Policy.from_dict(json.loads(json.dumps(policy.to_dict()))) == policy


CHECKS: tuple[Check, ...] = (
    the_target_stays_within_the_limits_unless_the_fleet_is_outside,
    never_up_and_down_at_once,
    nothing_but_below_minimum_inside_a_cooldown,
    no_removal_without_a_packing,
    no_budget_is_exceeded_by_what_is_removed,
    whoever_is_not_removed_while_scaling_down_is_kept_for_a_reason,
    the_zone_of_a_removed_worker_keeps_one_while_another_has_more,
    launches_follow_the_mix_the_zones_and_the_refusals,
    every_decision_explains_itself,
)


def test_every_decision() -> None:
    """All of CHECKS on each observation: making one up costs more than judging it ten times."""
    seen: Counter[Action] = Counter()

    @settings(max_examples=2 * settings().max_examples)
    @given(given=observations())
    def check_all(given: dict[str, Any]) -> None:
        observation, decision = decided(given)
        seen[decision.action] += 1
        for check in CHECKS:
            check(observation, decision)

    check_all()
    # A property that is hardly ever put to the test would prove nothing.
    assert min(seen[action] for action in Action) > 0.05 * seen.total()
