"""Whether a server answers: the question that readiness of every component comes down to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import requests

ANSWER_SECONDS = 2.0


def answers(
    url: str,
    *,
    authority: Path | None = None,
    client: Path | None = None,
    login: tuple[str, str] | None = None,
) -> Callable[[], bool]:
    """A question to ask again and again. `client` is a certificate's path without its suffix."""

    def ask() -> bool:
        session = requests.Session()
        session.trust_env = False  # a proxy of the caller's knows nothing of our loopback
        if client is not None:
            session.cert = (f"{client}.crt", f"{client}.key")
        with session:
            try:
                verify = str(authority) if authority is not None else True
                return session.get(url, auth=login, verify=verify, timeout=ANSWER_SECONDS).status_code == 200
            except requests.RequestException:
                return False

    return ask
