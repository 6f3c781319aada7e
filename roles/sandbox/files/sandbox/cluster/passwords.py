"""Passwords made per sandbox, and the bcrypt hashes that Prometheus' web configuration wants."""

from __future__ import annotations

import secrets
from pathlib import Path

import bcrypt

from sandbox.layout import write_private


def remembered_password(path: Path) -> str:
    """The password in this file; made and written, readable by its owner alone, at the first call."""
    if not path.exists():
        write_private(path, secrets.token_urlsafe(24))
    return path.read_text().strip()


def bcrypt_hash(password: str, rounds: int = 10) -> str:
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(rounds)).decode()
