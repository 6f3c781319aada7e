"""The policy table of the design, its other forms, and what is refused."""

from typing import Any

import pytest

from fleet.errors import InputError
from fleet.policy import Policy, environment_names

DESIGN: dict[str, dict[str, Any]] = {
    "limits": {"min_workers": 2, "max_workers": 10, "initial_workers": 2},
    "steps": {"scale_up_step": 1, "urgent_step": 2, "scale_down_step": 1},
    "cpu": {"cpu_up_percent": 70, "cpu_up_for_seconds": 180, "cpu_down_percent": 30, "cpu_down_for_seconds": 600},
    "memory": {
        "memory_up_percent": 75,
        "memory_up_for_seconds": 180,
        "memory_down_percent": 50,
        "memory_down_for_seconds": 600,
    },
    "pending": {"pending_for_seconds": 0},
    "urgent": {"urgent_pending_pods": 5, "urgent_cpu_percent": 85},
    "custom": {
        "queue_depth_up": 1000,
        "latency_p95_up_ms": 2000,
        "error_rate_up_percent": 5,
        "error_rate_up_for_seconds": 120,
        "request_rate_up": None,
        "queue_depth_down": 100,
        "queue_depth_down_for_seconds": 600,
    },
    "predictive": {
        "enable_predictive": True,
        "predictive_from_minute": 50,
        "predictive_days": 7,
        "predictive_min_days": 3,
        "predictive_percent": 70,
    },
    "cooldown": {"cooldown_up_seconds": 300, "cooldown_down_seconds": 600},
    "removal": {"removal_order": "balanced"},
    "spot": {"spot_percent": 70, "max_price": 0.02, "refused_pool_seconds": 600},
    "types": {"instance_types": ["t3.small"]},
    "join": {"join_timeout_seconds": 300, "on_join_failure": "terminate", "join_source": "secrets_manager"},
    "drain": {"drain_timeout_seconds": 300, "drain_method": "eviction"},
    "lock": {"lock_seconds": 360},
    "stuck": {"stuck_after_seconds": 900},
    "prometheus": {"prometheus_timeout_seconds": 10, "prometheus_retries": 2, "reading_max_age_seconds": 300},
    "queries": {"query_set": "node_exporter", "pending_query": "unschedulable"},
    "interval": {"interval_seconds": 120},
    "profile": {"profile": "classic", "sizing": "step"},
    "names": {
        "cluster_id": "node-fleet-prod",
        "project": "node-fleet",
        "region": "ap-southeast-1",
        "state_table": "k3s-autoscaler-state",
        "history_table": "k3s-metrics-history",
        "log_table": "k3s-autoscaler-logs",
        "schedule_rule": "node-fleet-autoscaler-trigger",
        "function_name": "node-fleet-cluster-autoscaler",
        "join_token_secret": "node-fleet/k3s-token",
    },
}
REFERENCE_VARIABLES = {
    "MIN_NODES": "min_workers",
    "MAX_NODES": "max_workers",
    "SCALE_UP_THRESHOLD_CPU": "cpu_up_percent",
    "SCALE_DOWN_THRESHOLD_CPU": "cpu_down_percent",
    "COOLDOWN_SCALE_UP": "cooldown_up_seconds",
    "COOLDOWN_SCALE_DOWN": "cooldown_down_seconds",
    "ENABLE_PREDICTIVE_SCALING": "enable_predictive",
    "SPOT_PERCENTAGE": "spot_percent",
    "DYNAMODB_TABLE": "state_table",
    "METRICS_HISTORY_TABLE": "history_table",
    "CLUSTER_ID": "cluster_id",
    "AWS_REGION": "region",
}


def problems(given: dict[str, Any]) -> list[str]:
    with pytest.raises(InputError) as caught:
        Policy.from_dict(given)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("topic", DESIGN)
def test_classic_is_the_design(topic: str) -> None:
    values = Policy().to_dict()

    assert {name: values[name] for name in DESIGN[topic]} == DESIGN[topic]


def test_a_policy_comes_back_from_its_own_dict() -> None:
    policy = Policy.from_dict(
        {
            "profile": "adaptive",
            "zones": ["a", "b", "c"],
            "instance_capacity": {"m5.large": {"cpu": 2, "memory": 8e9, "pods": 29}},
            "custom_rules": [{"name": "carts", "threshold": 5, "query": "sum(carts)"}],
        }
    )

    assert Policy.from_dict(policy.to_dict()) == policy


def test_adaptive_fits_and_a_given_field_wins() -> None:
    assert Policy.from_dict({"profile": "adaptive"}).sizing == "fit"
    assert Policy.from_dict({"profile": "adaptive", "sizing": "step"}).sizing == "step"
    assert Policy.from_dict({"sizing": "fit"}).profile == "classic"


@pytest.mark.parametrize(("variable", "field"), REFERENCE_VARIABLES.items())
def test_the_users_own_variables_keep_their_names(variable: str, field: str) -> None:
    assert environment_names()[field] == variable


def test_no_two_fields_share_a_variable() -> None:
    names = list(environment_names().values())

    assert len(names) == len(set(names))


def test_a_policy_from_the_environment() -> None:
    policy = Policy.from_environment(
        {
            "MIN_NODES": "3",
            "SCALE_UP_THRESHOLD_CPU": "65.5",
            "ENABLE_PREDICTIVE_SCALING": "False",
            "REQUEST_RATE_UP": "1000",
            "QUEUE_DEPTH_DOWN": "off",
            "INSTANCE_TYPES": "t3.small, t3a.small",
            "CUSTOM_RULES": '[{"name": "carts", "threshold": 5}]',
            "PROFILE": "adaptive",
            "MAX_NODES": "",
            "PATH": "/usr/bin",
        }
    )

    assert (policy.min_workers, policy.max_workers, policy.cpu_up_percent) == (3, 10, 65.5)
    assert (policy.enable_predictive, policy.request_rate_up, policy.queue_depth_down) == (False, 1000, None)
    assert policy.instance_types == ("t3.small", "t3a.small")
    assert policy.custom_rules[0].name == "carts"
    assert policy.sizing == "fit"


def test_the_environment_gives_what_a_dict_gives() -> None:
    as_text = {"MIN_NODES": "4", "SPOT_PERCENTAGE": "50", "ZONES": '["x", "y"]', "DRAIN_METHOD": "ssm"}
    as_dict = {"min_workers": 4, "spot_percent": 50, "zones": ["x", "y"], "drain_method": "ssm"}

    assert Policy.from_environment(as_text) == Policy.from_dict(as_dict)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        pytest.param(
            {"min_workers": 5, "max_workers": 3},
            "min_workers is 5: must be at most max_workers, which is 3",
            id="min-above-max",
        ),
        pytest.param(
            {"cpu_down_percent": 80}, "cpu_down_percent is 80: must be below cpu_up_percent, which is 70", id="cpu"
        ),
        pytest.param(
            {"memory_down_percent": 75},
            "memory_down_percent is 75: must be below memory_up_percent, which is 75",
            id="memory-no-gap",
        ),
        pytest.param(
            {"queue_depth_up": 50}, "queue_depth_down is 100: must be below queue_depth_up, which is 50", id="queue"
        ),
        pytest.param(
            {"cooldown_up_seconds": -1}, "cooldown_up_seconds is -1: must be a number from 0 to 604800", id="negative"
        ),
        pytest.param(
            {"cpu_up_for_seconds": 60},
            "cpu_up_for_seconds is 60: must be 0 (at once) or at least interval_seconds, which is 120: "
            "a shorter window never holds two readings",
            id="window-shorter-than-the-interval",
        ),
        pytest.param({"spot_percent": 101}, "spot_percent is 101: must be a whole number from 0 to 100", id="percent"),
        pytest.param({"spot_percent": 69.5}, "spot_percent is 69.5: must be a whole number from 0 to 100", id="half"),
        pytest.param({"sizing": "best"}, "sizing is 'best': must be one of step, fit", id="choice"),
        pytest.param({"zones": []}, "zones is empty: must be a list of one or more names, each once", id="no-zone"),
        pytest.param({"zones": ["a", "a"]}, "zones is a, a: must be a list of one or more names, each once", id="twin"),
        pytest.param(
            {"max_wrokers": 9},
            "max_wrokers is 9, an unknown field: must be left out; did you mean max_workers?",
            id="unknown-field",
        ),
        pytest.param(
            {"custom_rules": [{"name": "cpu", "threshold": 1}]},
            "custom_rules[0].name is 'cpu': must be a name that no built-in rule has",
            id="custom-rule-named-as-a-built-in-one",
        ),
        pytest.param(
            {"custom_rules": [{"name": "x", "threshold": 1}] * 2},
            "custom_rules[1].name is 'x': must be given once for direction up",
            id="custom-rule-twice",
        ),
        pytest.param(
            {"custom_rules": [{"name": "x"}]}, "custom_rules[0].threshold is missing: must be given", id="no-threshold"
        ),
        pytest.param(
            {"custom_rules": [{"name": "queue_depth", "threshold": 1}]},
            "custom_rules[0].name is 'queue_depth': must be a name that no built-in rule has",
            id="custom-rule-on-a-metric-of-ours",
        ),
        pytest.param(
            {"custom_rules": [{"name": "x", "threshold": 5}, {"name": "x", "threshold": 9, "direction": "down"}]},
            "custom_rules[1].threshold is 9: must be below that of direction up, which is 5",
            id="custom-down-above-up",
        ),
        pytest.param({"scale_up_step": 0}, "scale_up_step is 0: must be a whole number from 1 to 100", id="no-step"),
        pytest.param(
            {"pending_stuck_seconds": 50},
            "pending_stuck_seconds is 50: must be 0 (at once) or at least interval_seconds, which is 120: "
            "a shorter window never holds two readings",
            id="stuck-window-shorter-than-the-interval",
        ),
        pytest.param(
            {"predictive_min_days": 8},
            "predictive_min_days is 8: must be at most predictive_days, which is 7",
            id="more-days-needed-than-looked-at",
        ),
    ],
)
def test_what_is_refused(given: dict[str, Any], sentence: str) -> None:
    assert problems(given) == [sentence]


def test_every_problem_is_reported_at_once() -> None:
    found = problems({"min_workers": 9, "max_workers": 3, "cpu_down_percent": 99, "nonsense": 1, "max_price": "cheap"})

    assert [line.split()[0] for line in found] == ["cpu_down_percent", "max_price", "min_workers", "nonsense"]


def test_every_problem_inside_a_list_is_reported_too() -> None:
    found = problems({"custom_rules": [{"name": "", "threshold": "x"}, {"threshold": 1}]})

    assert [line.split()[0] for line in found] == [
        "custom_rules[0].name",
        "custom_rules[0].threshold",
        "custom_rules[1].name",
    ]


def test_a_list_that_never_ends_is_refused_as_well() -> None:
    with pytest.raises(InputError, match=r"CUSTOM_RULES is .*: must be JSON"):
        Policy.from_environment({"CUSTOM_RULES": "[" * 100_000})


def test_a_field_that_is_refused_is_not_also_called_contradictory() -> None:
    assert problems({"max_workers": -1, "min_workers": 11}) == [
        "max_workers is -1: must be a whole number from 0 to 10000"
    ]


def test_problems_of_the_environment_name_the_variable() -> None:
    with pytest.raises(InputError) as caught:
        Policy.from_environment(
            {"MIN_NODES": "two", "SCALE_DOWN_THRESHOLD_CPU": "90", "ENABLE_PREDICTIVE_SCALING": "?"}
        )

    assert sorted(str(problem) for problem in caught.value.problems) == [
        "ENABLE_PREDICTIVE_SCALING is '?': must be true or false",
        "MIN_NODES is 'two': must be a whole number",
        "SCALE_DOWN_THRESHOLD_CPU is 90: must be below SCALE_UP_THRESHOLD_CPU, which is 70",
    ]


@pytest.mark.parametrize("given", [None, [], "min_workers=2"])
def test_a_policy_is_an_object(given: Any) -> None:
    with pytest.raises(InputError, match="must be an object"):
        Policy.from_dict(given)


def test_enough_readings_are_kept_for_the_longest_window() -> None:
    assert Policy().readings_to_keep() == 10
    assert Policy.from_dict({"cpu_down_for_seconds": 3600}).readings_to_keep() == 32
