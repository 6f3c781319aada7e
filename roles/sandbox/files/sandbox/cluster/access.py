"""Who may do what: roles of the components and of the autoscaler, and the autoscaler's token."""

from __future__ import annotations

import base64

from sandbox.cluster.api import ApiError, ClusterApi
from sandbox.layout import FILES
from sandbox.polling import until

MANIFESTS = FILES / "kubernetes"
_TOKEN_SECRET = "/api/v1/namespaces/kube-system/secrets/autoscaler-token"


def grant_component_rights(api: ClusterApi) -> None:
    api.apply_file(MANIFESTS / "components.yaml")


def grant_autoscaler_rights(api: ClusterApi) -> None:
    api.apply_file(MANIFESTS / "autoscaler.yaml")


def autoscaler_token(api: ClusterApi) -> str:
    """The token that the controller manager writes into the account's Secret once it runs."""
    return until(lambda: _written_token(api), 20, "the controller manager writes the autoscaler's token")


def _written_token(api: ClusterApi) -> str | None:
    try:
        token = api.get(_TOKEN_SECRET).get("data", {}).get("token")
    except ApiError as problem:
        if problem.status != 404:
            raise
        return None
    return base64.b64decode(token).decode() if token else None
