"""New workers go where the fewest are."""

from __future__ import annotations

import pytest

from fleet.decide.engine import decide
from fleet.model import Worker
from fleet.observation import Observation
from fleet.placement import plan_launches
from fleet.policy import Policy
from situations import NOW, ZONES, observation, reading, worker


def fleet(zones: str) -> list[Worker]:
    """One worker for each letter, in the zone that ends with it."""
    return [Worker.from_dict(worker(f"w{number}", zone=zone(letter))) for number, letter in enumerate(zones)]


def zone(letter: str) -> str:
    return f"ap-southeast-1{letter}"


@pytest.mark.parametrize(
    ("present", "zones", "added", "chosen"),
    [
        pytest.param("aaabb", "ab", 1, "b", id="three-and-two:-the-emptier-zone"),
        pytest.param("aaabb", "ab", 2, "ba", id="three-and-two:-balanced-first-then-the-first-by-name"),
        pytest.param("aabb", "ab", 1, "a", id="tie:-departs:-the-design-decides-ties-by-name-not-by-listing"),
        pytest.param("aabb", "ba", 1, "a", id="tie-however-the-zones-are-listed"),
        pytest.param("", "ab", 2, "ab", id="the-first-two-stand-in-different-zones"),
        pytest.param("aaaa", "ab", 4, "bbbb", id="an-empty-zone-catches-up"),
        pytest.param("aab", "abc", 3, "cbc", id="three-zones"),
        pytest.param("dddab", "ab", 1, "a", id="workers-elsewhere-do-not-count-and-open-no-zone"),
    ],
)
def test_fewest_first(present: str, zones: str, added: int, chosen: str) -> None:
    policy = Policy(zones=tuple(map(zone, zones)))
    launches = plan_launches(added, fleet(present), policy, (), NOW)
    assert [launch.zone for launch in launches] == list(map(zone, chosen))


@pytest.mark.parametrize(
    ("state", "chosen"),
    [
        pytest.param("ready", ZONES[0], id="ready-counts"),
        pytest.param("joining", ZONES[0], id="joining-counts"),
        pytest.param("draining", ZONES[1], id="draining-does-not-count"),
        pytest.param("not_ready", ZONES[1], id="not-ready-does-not-count"),
    ],
)
def test_only_current_workers_count(state: str, chosen: str) -> None:
    present = [worker("a1"), worker("a2"), worker("b1", zone=ZONES[1]), worker("b2", zone=ZONES[1], state=state)]
    decision = decide(Observation.from_dict(observation(workers=present, reading=reading(pending_pods=1))))
    assert [launch.zone for launch in decision.launch] == [chosen]
