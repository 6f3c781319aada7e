"""What a drain does with each kind of pod, under the options of `kubectl drain`."""

from __future__ import annotations

from typing import Any

import pytest

from fleet.drainage import DrainOptions, Fate, owner_kind, verdict
from fleet.model import Pod, Reason
from situations import pod

EVICT, IGNORE, BLOCKS = Fate.EVICT, Fate.IGNORE, Fate.BLOCKS


def a_pod(**changes: Any) -> Pod:
    return Pod.from_dict(pod("p", **changes))


@pytest.mark.parametrize(
    ("changes", "options", "fate", "reason"),
    [
        pytest.param({}, {}, EVICT, None, id="an-ordinary-pod-is-evicted"),
        pytest.param({"replicas": 1}, {}, EVICT, None, id="replicas-are-removal's-concern-not-the-drain's"),
        pytest.param({"owner": "StatefulSet/db"}, {}, EVICT, None, id="an-operator-may-drain-a-StatefulSet-pod"),
        pytest.param({"finished": True}, {}, IGNORE, Reason.FINISHED, id="finished"),
        pytest.param({"owner": "Node/w"}, {}, IGNORE, Reason.MIRROR_POD, id="static"),
        pytest.param({"owner": "Node/w"}, {"force": True}, IGNORE, Reason.MIRROR_POD, id="static-even-by-force"),
        pytest.param({"owner": "DaemonSet/d"}, {}, IGNORE, Reason.DAEMON_SET, id="DaemonSet-is-ignored"),
        pytest.param(
            {"owner": "DaemonSet/d"},
            {"ignore_daemonsets": False},
            BLOCKS,
            Reason.DAEMON_SET,
            id="DaemonSet-blocks-where-it-is-not-to-be-ignored",
        ),
        pytest.param(
            {"owner": "DaemonSet/d"},
            {"ignore_daemonsets": False, "force": True},
            BLOCKS,
            Reason.DAEMON_SET,
            id="DaemonSet-is-not-a-matter-of-force",
        ),
        pytest.param({"do_not_disrupt": True}, {}, BLOCKS, Reason.DO_NOT_DISRUPT, id="annotated"),
        pytest.param({"do_not_disrupt": True}, {"force": True}, EVICT, None, id="annotated-yields-to-force"),
        pytest.param({"owner": None}, {}, BLOCKS, Reason.BARE_POD, id="bare"),
        pytest.param({"owner": None}, {"force": True}, EVICT, None, id="bare-yields-to-force"),
        pytest.param({"local_data": True}, {}, EVICT, None, id="scratch-data-is-given-up"),
        pytest.param(
            {"local_data": True},
            {"delete_emptydir_data": False},
            BLOCKS,
            Reason.LOCAL_DATA,
            id="scratch-data-blocks-where-it-is-to-be-kept",
        ),
        pytest.param(
            {"local_data": True},
            {"delete_emptydir_data": False, "force": True},
            BLOCKS,
            Reason.LOCAL_DATA,
            id="scratch-data-does-not-yield-to-force",
        ),
        pytest.param(
            {"owner": None, "finished": True}, {}, IGNORE, Reason.FINISHED, id="finished-comes-before-every-obstacle"
        ),
        pytest.param(
            {"owner": "DaemonSet/d", "do_not_disrupt": True},
            {},
            IGNORE,
            Reason.DAEMON_SET,
            id="DaemonSet-before-annotated",
        ),
        pytest.param(
            {"owner": None, "do_not_disrupt": True}, {}, BLOCKS, Reason.DO_NOT_DISRUPT, id="annotated-before-bare"
        ),
    ],
)
def test_verdict(changes: dict[str, Any], options: dict[str, bool], fate: Fate, reason: Reason | None) -> None:
    assert verdict(a_pod(**changes), DrainOptions(**options)) == (fate, reason)


@pytest.mark.parametrize("changes", [{}, {"owner": None}, {"owner": "DaemonSet/d"}, {"local_data": True}])
def test_a_scale_down_drains_with_the_defaults(changes: dict[str, Any]) -> None:
    assert verdict(a_pod(**changes)) == verdict(
        a_pod(**changes), DrainOptions(ignore_daemonsets=True, delete_emptydir_data=True, force=False)
    )


@pytest.mark.parametrize(
    ("owner", "kind"),
    [
        pytest.param("Deployment/web", "Deployment", id="kind-and-name"),
        pytest.param("Deployment", "Deployment", id="kind-alone"),
        pytest.param("Rollout/a/b", "Rollout", id="name-with-a-slash"),
        pytest.param(None, "", id="bare"),
    ],
)
def test_owner_kind(owner: str | None, kind: str) -> None:
    assert owner_kind(a_pod(owner=owner)) == kind
