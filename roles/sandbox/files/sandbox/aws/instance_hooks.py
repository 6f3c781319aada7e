"""Tells others what happens to instances: the hypervisor by HTTP, EventBridge inside this process."""

from __future__ import annotations

import json
import logging
import queue
import threading
import urllib.request
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)
News = dict[str, Any]
LOOPBACK = ("http://127.0.0.1:", "http://localhost:", "http://[::1]:")
TRIES = 3
TIMEOUT_SECONDS = 2.0


class InstanceHooks:
    """Listeners in this process are called at once and in order; URLs by one thread, in order too.

    A URL that does not answer misses the news after three tries; `GET /_sandbox/instances` has the whole
    picture for whoever starts late or was away.
    """

    def __init__(self) -> None:
        self.listeners: list[Callable[[News], None]] = []
        self._urls: list[str] = []
        self._post: queue.Queue[tuple[str, News] | None] = queue.Queue()
        threading.Thread(target=self._deliver, name="instance-hooks", daemon=True).start()

    @property
    def urls(self) -> list[str]:
        return list(self._urls)

    def add_url(self, url: str) -> None:
        if not url.startswith(LOOPBACK):
            raise ValueError(f"url: {url!r} is not on this machine")
        if url not in self._urls:
            self._urls.append(url)

    def remove_url(self, url: str) -> None:
        if url in self._urls:
            self._urls.remove(url)

    def tell(self, news: News) -> None:
        for listener in list(self.listeners):
            listener(news)
        for url in self._urls:
            self._post.put((url, news))

    def stop(self) -> None:
        self._post.put(None)

    def _deliver(self) -> None:
        while (letter := self._post.get()) is not None:
            url, news = letter
            if not any(_posted(url, news) for _ in range(TRIES)):
                log.warning("%s did not take the news that %s is %s", url, news["instance_id"], news["event"])


def _posted(url: str, news: News) -> bool:
    body = json.dumps(news).encode()
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return bool(200 <= answer.status < 300)
    except OSError:
        return False


def news_of(instance: Any, event: str, cloud_time: float) -> News:
    """What the hypervisor needs to decide whether this instance would join: user data, role, zone, name."""
    return {
        "event": event,
        "cloud_time": cloud_time,
        "account": instance.owner_id,
        "region": instance.region_name,
        "instance_id": instance.id,
        "state": instance.state,
        "state_reason": instance.state_reason.code,
        "zone": instance.placement.zone,
        "subnet_id": instance.subnet_id,
        "instance_type": instance.instance_type,
        "lifecycle": instance.lifecycle or "on-demand",
        "image_id": instance.image_id,
        "launch_time": instance.launch_time.isoformat() + "Z",
        "private_ip": instance.private_ip if instance.nics else None,
        "private_dns_name": instance.private_dns_name if instance.nics else None,
        "iam_instance_profile": (instance.iam_instance_profile or {}).get("Arn"),
        "tags": {tag["key"]: tag["value"] for tag in instance.get_tags()},
        "user_data": str(instance.user_data) if instance.user_data else None,
    }
