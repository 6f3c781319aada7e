"""The demo's loop against real servers: load and pending pods are seen through Prometheus, and decided upon."""

from __future__ import annotations

import time
from collections.abc import Callable

from fleet.model import Action
from sandbox.cluster.lifecycle import Cluster
from sandbox.demo.metrics import Metrics
from sandbox.demo.observer import Observer
from sandbox.demo.pace import Pace
from sandbox.demo.sale import Sale
from sandbox.demo.shop import Shop
from sandbox.demo.story import Story

SPEED = 20.0
SALE = Sale(rises_at=150, full_at=200, falls_at=5000, over_at=5100, ends_at=720)


def test_sale_is_seen_and_a_scale_up_decided(cluster: Cluster, namespace: str, add_worker: Callable[..., str]) -> None:
    for zone in ("ap-southeast-1a", "ap-southeast-1b", "ap-southeast-1a"):
        add_worker(zone=zone)
    shop = Shop(cluster.admin(), namespace)
    shop.open(shop.scaling.replicas(SALE, 0))
    pace = Pace(SPEED, time.monotonic(), time.time())
    window = pace.query_window(cluster.settings.scrape_seconds)
    metrics = Metrics(cluster.url("prometheus"), cluster.prometheus_login, window)
    story = Story(SALE, shop, Observer(cluster.autoscaler(), metrics), pace)

    looks = list(story.play())

    last = looks[-1]
    assert all(look.observation.workers and len(look.observation.workers) == 3 for look in looks)
    assert last.cpu_percent is not None
    assert last.cpu_percent > 80
    assert last.pending_pods
    assert last.observation.pending is not None
    assert len(last.observation.pending) >= last.pending_pods - 2
    assert last.observation.budgets is not None
    assert [each.namespace for each in last.observation.budgets] == [namespace]
    assert last.decision.action is Action.SCALE_UP
    assert last.decision.launch
    assert looks[0].times < last.times
    assert len(cluster.admin().items("/api/v1/nodes", labelSelector=f"test={namespace}")) == 3, "nothing acted"


def test_servers_that_do_not_answer_are_not_zero(cluster: Cluster) -> None:
    nowhere = Metrics("http://127.0.0.1:9", ("nobody", "nothing"), "10s")
    observation, decision = Observer(cluster.autoscaler(), nowhere).look(time.time())
    assert observation.reading is None
    assert decision.action is not Action.SCALE_DOWN
