"""A small HTTP client for the API server: what the sandbox, its hypervisor and tests need, and no more."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import requests
import yaml

FIELD_MANAGER = "node-fleet-sandbox"
Document = dict[str, Any]

_CORE = "/api/v1"
_PREFIXES = {
    "ServiceAccount": (_CORE, "serviceaccounts"),
    "Secret": (_CORE, "secrets"),
    "Namespace": (_CORE, "namespaces"),
    "Node": (_CORE, "nodes"),
    "Pod": (_CORE, "pods"),
    "ConfigMap": (_CORE, "configmaps"),
    "Service": (_CORE, "services"),
    "ReplicaSet": ("/apis/apps/v1", "replicasets"),
    "Deployment": ("/apis/apps/v1", "deployments"),
    "StatefulSet": ("/apis/apps/v1", "statefulsets"),
    "DaemonSet": ("/apis/apps/v1", "daemonsets"),
    "Job": ("/apis/batch/v1", "jobs"),
    "PodDisruptionBudget": ("/apis/policy/v1", "poddisruptionbudgets"),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles"),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings"),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles"),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings"),
    "ValidatingAdmissionPolicy": ("/apis/admissionregistration.k8s.io/v1", "validatingadmissionpolicies"),
    "ValidatingAdmissionPolicyBinding": (
        "/apis/admissionregistration.k8s.io/v1",
        "validatingadmissionpolicybindings",
    ),
    "PriorityClass": ("/apis/scheduling.k8s.io/v1", "priorityclasses"),
}


class ApiError(Exception):
    """An answer of 400 and above, with the server's own message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class ClusterApi:
    """Calls with one identity: a client certificate or a token."""

    def __init__(self, server: str, authority: Path, *, client: Path | None = None, token: str | None = None) -> None:
        self.server = server
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.verify = str(authority)
        if client is not None:
            self._session.cert = (f"{client}.crt", f"{client}.key")
        if token is not None:
            self._session.headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        self._session.close()

    def get(self, path: str, **query: str) -> Document:
        return self._call("GET", path, query=query)

    def items(self, path: str, **query: str) -> list[Document]:
        found: list[Document] = self.get(path, **query)["items"]
        return found

    def post(self, path: str, body: Document) -> Document:
        return self._call("POST", path, body=body)

    def delete(self, path: str, **query: str) -> Document:
        return self._call("DELETE", path, query=query)

    def merge(self, path: str, patch: Document) -> Document:
        """JSON merge patch: a None removes a field."""
        return self._call("PATCH", path, body=patch, content_type="application/merge-patch+json")

    def apply(self, document: Document) -> Document:
        """Server-side apply: creates or updates, any number of times."""
        return self._call(
            "PATCH",
            path_of(document),
            body=document,
            content_type="application/apply-patch+yaml",
            query={"fieldManager": FIELD_MANAGER, "force": "true"},
        )

    def apply_all(self, documents: Iterable[Document]) -> None:
        for document in documents:
            self.apply(document)

    def apply_file(self, path: Path) -> None:
        self.apply_all(document for document in yaml.safe_load_all(path.read_text()) if document)

    def _call(
        self,
        method: str,
        path: str,
        *,
        body: Document | None = None,
        query: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Document:
        answer = self._session.request(
            method,
            f"{self.server}{path}",
            json=body,
            params=query,
            timeout=10,
            headers={"Content-Type": content_type} if body is not None else {},
        )
        content: Document = answer.json() if answer.content.startswith(b"{") else {"message": answer.text}
        if answer.status_code >= requests.codes.bad_request:
            raise ApiError(answer.status_code, str(content.get("message", "")))
        return content


def path_of(document: Document) -> str:
    """REST path of an object by its kind, namespace and name."""
    prefix, plural = _PREFIXES[document["kind"]]
    metadata = document["metadata"]
    namespace = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    return f"{prefix}{namespace}/{plural}/{metadata['name']}"
