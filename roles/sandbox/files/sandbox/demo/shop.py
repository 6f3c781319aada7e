"""The shop: a Deployment with a disruption budget, scaled as an HPA would, loaded as customers would."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.cluster.api import ApiError, ClusterApi, Document
from sandbox.cluster.load import put_load
from sandbox.cluster.nodes import CONTROL_PLANE
from sandbox.demo.sale import Autoscaling
from sandbox.polling import until

NAME = "web"
LABELS = {"app": NAME}
MEMORY_REQUEST = "96Mi"
MEMORY_USED = "64Mi"


@dataclass(frozen=True)
class Shop:
    """In a namespace of its own, so that a second demo begins with an empty one."""

    api: ClusterApi
    namespace: str = "shop"
    scaling: Autoscaling = field(default_factory=Autoscaling)

    def open(self, replicas: int) -> None:
        """Create or reset; waits for the account without which no pod is admitted."""
        self.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})
        until(self._has_account, 20, f"namespace {self.namespace} has its service account")
        self.api.apply(self._deployment(replicas))
        self.api.apply(self._budget())

    def serve(self, demand: float, replicas: int) -> float:
        """Follow the customers: that many pods, and the demand shared over those that run. Cores really served."""
        path = f"/apis/apps/v1/namespaces/{self.namespace}/deployments/{NAME}"
        self.api.merge(path, {"spec": {"replicas": replicas}})
        return put_load(self.api, self.namespace, demand, selector=f"app={NAME}", memory=MEMORY_USED)

    def running(self) -> int:
        path = f"/apis/apps/v1/namespaces/{self.namespace}/deployments/{NAME}"
        return int(self.api.get(path).get("status", {}).get("readyReplicas", 0))

    def _has_account(self) -> bool:
        try:
            self.api.get(f"/api/v1/namespaces/{self.namespace}/serviceaccounts/default")
        except ApiError as problem:
            if problem.status != 404:
                raise
            return False
        return True

    def _deployment(self, replicas: int) -> Document:
        requests = {"cpu": f"{round(self.scaling.request_cores * 1000)}m", "memory": MEMORY_REQUEST}
        container = {"name": NAME, "image": "shop", "resources": {"requests": requests}}
        # K3s does not taint its master; a shop that means to scale with its workers keeps off it.
        term = {"matchExpressions": [{"key": CONTROL_PLANE, "operator": "DoesNotExist"}]}
        workers_only = {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        }
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": NAME, "namespace": self.namespace},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": LABELS},
                "template": {
                    "metadata": {"labels": LABELS},
                    "spec": {"affinity": workers_only, "containers": [container]},
                },
            },
        }

    def _budget(self) -> Document:
        return {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": NAME, "namespace": self.namespace},
            "spec": {"minAvailable": "50%", "selector": {"matchLabels": LABELS}},
        }
