"""Bad input is refused by one sentence that names the path, the value and what is allowed."""

import copy
from typing import Any

import pytest

from fleet.errors import InputError
from fleet.observation import Observation
from situations import NOW, observation, pod, reading, worker


def put(given: dict[str, Any], path: list[Any], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(given)
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return changed


FULL = observation(
    history=[reading(NOW - 120)],
    workers=[worker("a", pods=[pod("p")]), worker("b"), worker("c")],
    budgets=[{"namespace": "shop", "name": "web", "allowed": 1, "pods": ["p"]}],
    last_action={"direction": "up", "completed_at": NOW - 999},
)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        pytest.param(["now"], "noon", "now is 'noon': must be a number from 0 to 100000000000", id="time-as-text"),
        pytest.param(["now"], NOW * 1000, "now is 1706184600000: must be", id="time-in-milliseconds"),
        pytest.param(["now"], True, "now is true: must be a number", id="a-truth-is-no-number"),
        pytest.param(["schema"], 2, "schema is 2: must be 1", id="another-schema"),
        pytest.param(["workers", 2, "zone"], 5, "workers[2].zone is 5: must be a text that is not empty", id="zone"),
        pytest.param(["workers", 2, "zone"], "  ", "workers[2].zone is '  ': must be", id="blank-zone"),
        pytest.param(
            ["workers", 1, "state"],
            "lost",
            "workers[1].state is 'lost': must be one of joining, ready, not_ready, draining",
            id="unknown-state",
        ),
        pytest.param(
            ["workers", 0, "zon"],
            "x",
            "workers[0].zon is 'x', an unknown field: must be left out; did you mean zone?",
            id="unknown-field-with-a-near-name",
        ),
        pytest.param(["colour"], "red", "colour is 'red', an unknown field: must be left out; known are", id="unknown"),
        pytest.param(["reading", "cpu_percent"], float("nan"), "reading.cpu_percent is nan: must be", id="nan"),
        pytest.param(["reading", "cpu_percent"], float("inf"), "reading.cpu_percent is inf: must be", id="infinity"),
        pytest.param(["reading", "cpu_percent"], 10**400, "reading.cpu_percent is a number of absurd", id="huge"),
        pytest.param(
            ["reading", "cpu_percent"], -1, "reading.cpu_percent is -1: must be a number, at least 0", id="neg"
        ),
        pytest.param(
            ["reading", "pending_pods"], -3, "reading.pending_pods is -3: must be a whole", id="negative-count"
        ),
        pytest.param(["reading", "pending_pods"], 1.5, "reading.pending_pods is 1.5: must be a whole", id="half-a-pod"),
        pytest.param(["reading", "custom", "q"], "9", "reading.custom.q is '9': must be a number", id="custom-text"),
        pytest.param(["reading", "custom"], [], "reading.custom is a list of 0: must be an object", id="custom-list"),
        pytest.param(["workers"], {}, "workers is an object: must be a list", id="workers-object"),
        pytest.param(["workers", 0, "pods", 0, "cpu"], -1, "workers[0].pods[0].cpu is -1: must be", id="deep-path"),
        pytest.param(["workers", 0, "allocatable"], {"cpu": 1}, "workers[0].allocatable.memory is missing", id="part"),
        pytest.param(["workers", 1, "name"], "a", "workers[1].name is 'a': must be given once", id="twin-name"),
        pytest.param(["workers", 1, "instance_id"], "i-a", "workers[1].instance_id is 'i-a': must be", id="twin-id"),
        pytest.param(["workers", 1, "pods"], [pod("p")], "workers[1].pods[0].name is 'shop/p': must be", id="twin-pod"),
        pytest.param(["history", 0, "at"], NOW + 1, "reading.at is 1706184600: must be not before", id="reading-first"),
        pytest.param(["reading", "at"], NOW + 1, "reading.at is 1706184601: must be not after now", id="future"),
        pytest.param(
            ["history"],
            [reading(NOW - 120), reading(NOW - 240)],
            "history[1].at is 1706184360: must be not before the reading in front of it, which is at 1706184480",
            id="time-runs-backwards",
        ),
        pytest.param(["budgets", 0, "allowed"], -1, "budgets[0].allowed is -1: must be", id="negative-budget"),
        pytest.param(
            ["last_action", "direction"], "left", "last_action.direction is 'left': must be one of up", id="left"
        ),
        pytest.param(
            ["policy", "min_workers"], 11, "policy.min_workers is 11: must be at most max_workers", id="policy"
        ),
        pytest.param(["policy", "minworkers"], 1, "policy.minworkers is 1, an unknown field", id="policy-field"),
        pytest.param(
            ["budgets"],
            [{"namespace": "shop", "name": "web", "allowed": 9}, {"namespace": "shop", "name": "web", "allowed": 0}],
            "budgets[1].name is 'shop/web': must be given once",
            id="twin-budget",
        ),
        pytest.param(
            ["pending"], [pod("x"), pod("x")], "pending[1].name is 'shop/x': must be given", id="twin-pending"
        ),
        pytest.param(
            ["reading", "unmeasured"],
            {"cpu_percent": "stale"},
            "reading.unmeasured is 'cpu_percent': must be the name of a metric of this reading that is null",
            id="a-value-that-is-called-stale",
        ),
        pytest.param(
            ["reading", "unmeasured"], {"cpu": "stale"}, "reading.unmeasured is 'cpu': must be", id="no-metric"
        ),
        pytest.param(
            ["reading", "cpu_percent"], 1e16, "reading.cpu_percent is 1e+16: must be a number, at most", id="max"
        ),
        pytest.param(["alerted"], {"": 1}, "alerted is '': must be a text", id="empty-key"),
    ],
)
def test_the_sentence_names_path_value_and_remedy(path: list[Any], value: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        Observation.from_dict(put(FULL, path, value))

    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["schema", "now", "reading", "workers"])
def test_what_has_no_default_must_be_given(field: str) -> None:
    given = observation()
    del given[field]

    with pytest.raises(InputError, match=f"^{field} is missing: must be given$"):
        Observation.from_dict(given)


@pytest.mark.parametrize("given", [None, [], "text", 5, True])
def test_an_observation_is_an_object(given: Any) -> None:
    with pytest.raises(InputError, match=r"^input is .*: must be an object$"):
        Observation.from_dict(given)


def test_the_words_of_aws_are_understood() -> None:
    given = observation(workers=[worker("a", lifecycle="on-demand", state="not-ready")])
    seen = Observation.from_dict(given).workers

    assert seen is not None
    assert (seen[0].lifecycle, seen[0].state) == ("on_demand", "not_ready")


def test_a_long_value_is_cut() -> None:
    with pytest.raises(InputError) as caught:
        Observation.from_dict(observation(now="x" * 10_000))

    assert len(str(caught.value)) < 200


def test_several_problems_are_named_together_but_not_a_thousand() -> None:
    with pytest.raises(InputError) as caught:
        Observation.from_dict(observation(workers=[{"name": "a"}] * 1000))

    assert len(caught.value.problems) == 10
    assert str(caught.value).startswith("workers[0].instance_id is missing: must be given; workers[0].zone is missing")
