"""Keeps nodes in step with instances. All it needs is read from both APIs each time: it may be killed at will.

An instance's console is its memory: what came of a boot is written there once, and a boot is decided once.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import datetime

import requests
from botocore.exceptions import BotoCoreError, ClientError

from sandbox.cluster.api import ApiError, ClusterApi, Document
from sandbox.cluster.kwok import KUBELET
from sandbox.cluster.nodes import INSTANCE_ID, NodeWish, add_node, silence_node
from sandbox.hypervisor.boot import WouldNotJoinError, booted
from sandbox.hypervisor.cloud import AwsSide, Instance, RefusedError
from sandbox.hypervisor.delays import JoinDelays
from sandbox.hypervisor.faults import FaultBook

WORKER_ROLE = "k3s-worker"
PLAYED = "sandbox.node-fleet/hypervisor"
JOINED, FAILED = "[sandbox] joined the cluster as ", "[sandbox] did not join: "
PENDING_SECONDS = 8.0  # EC2's part of a boot; the AWS server counts it
LOOK_EVERY = 0.25
log = logging.getLogger(__name__)


class Machines:
    def __init__(self, aws: AwsSide, api: ClusterApi, faults: FaultBook, delays: JoinDelays, speed: float) -> None:
        self._aws, self._api, self._faults, self._delays, self._speed = aws, api, faults, delays, speed
        self._due: dict[str, float] = {}
        self._decided: set[str] = set()
        self._news = threading.Event()
        self._stopping = threading.Event()

    def wake(self) -> None:
        """There is news of an instance: look at once."""
        self._news.set()

    def stop(self) -> None:
        self._stopping.set()
        self._news.set()

    def run(self, own_url: str) -> None:
        """Looks again and again; an API that does not answer is asked again at the next look."""
        while not self._stopping.is_set():
            try:
                self._faults.expire()
                if own_url not in self._aws.ask("GET", "hooks")["urls"]:  # a new AWS server knows nobody
                    self._aws.ask("PUT", "hooks", {"url": own_url})
                self.look()
            except (requests.RequestException, ApiError, RefusedError, ClientError, BotoCoreError) as problem:
                log.warning("%s: %s", type(problem).__name__, problem)
            self._news.wait(LOOK_EVERY)
            self._news.clear()

    def look(self) -> None:
        instances = self._aws.instances()
        workers = [one for one in instances if one["tags"].get("Role") == WORKER_ROLE and one["state"] == "running"]
        for worker in workers:
            self._boot(worker, instances)
        alive = {one["instance_id"] for one in instances if one["state"] in ("pending", "running")}
        for node in self._api.items("/api/v1/nodes", labelSelector=f"{PLAYED}=yes"):
            if node["metadata"]["labels"].get(INSTANCE_ID) not in alive:
                self._end(node)

    def _boot(self, worker: Instance, instances: list[Instance]) -> None:
        instance_id = worker["instance_id"]
        if instance_id in self._decided:
            return
        if instance_id not in self._due:
            console = self._aws.console(worker)
            if JOINED in console or FAILED in console:
                self._decided.add(instance_id)
                return
            delay = self._faults.slowed(worker, self._delays.of(instance_id))
            launched = datetime.fromisoformat(worker["launch_time"]).timestamp()
            self._due[instance_id] = launched + (PENDING_SECONDS + delay) / self._speed
        if time.time() >= self._due[instance_id]:
            self._aws.write_console(instance_id, self._outcome(worker, instances) + "\n")
            self._decided.add(instance_id)

    def _outcome(self, worker: Instance, instances: list[Instance]) -> str:
        try:
            if self._faults.never_joins(worker):
                raise WouldNotJoinError("the fault join_never stood")
            boot = booted(worker, instances, self._aws)
            self._join(worker, boot.node_name, boot.labels)
        except WouldNotJoinError as reason:
            log.warning("%s did not join: %s", worker["instance_id"], reason)
            return f"{FAILED}{reason}"
        return f"{JOINED}{boot.node_name}"

    def _join(self, worker: Instance, name: str, labels: tuple[tuple[str, str], ...]) -> None:
        wish = NodeWish(
            name,
            zone=worker["zone"],
            instance_type=worker["instance_type"],
            lifecycle=worker["lifecycle"],
            instance_id=worker["instance_id"],
            address=worker["private_ip"] or "",
            labels=(*labels, (PLAYED, "yes")),
        )
        try:
            add_node(self._api, wish)
        except ValueError as problem:
            raise WouldNotJoinError(str(problem)) from problem
        except ApiError as problem:
            if problem.status != 409:
                raise
            if not self._is_ours_already(name, worker["instance_id"]):
                raise WouldNotJoinError(
                    f"the node name {name} is taken: a node or its node password is there"
                ) from problem

    def _is_ours_already(self, name: str, instance_id: str) -> bool:
        """A hypervisor that was killed between the node and the console has joined it already."""
        try:
            node = self._api.get(f"/api/v1/nodes/{name}")
        except ApiError as problem:
            if problem.status != 404:
                raise
            return False
        return bool(node["metadata"]["labels"].get(INSTANCE_ID) == instance_id)

    def _end(self, node: Document) -> None:
        """Silence first; NotReady, taint and eviction are the control plane's. Evicted pods then end with the machine.

        A kubelet would confirm the end of its pods; there is none left, so they would stay Terminating.
        """
        name, labels = node["metadata"]["name"], node["metadata"]["labels"]
        if labels.get(KUBELET) != "silent":
            silence_node(self._api, name)
        for pod in self._api.items("/api/v1/pods", fieldSelector=f"spec.nodeName={name}"):
            metadata = pod["metadata"]
            if "deletionTimestamp" in metadata:
                path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
                self._api.delete(path, gracePeriodSeconds="0")
