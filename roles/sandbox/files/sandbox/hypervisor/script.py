"""Reads a boot script without running it: variables, instance metadata and host name are filled in.

Running user data on the machine that plays the cloud would be real, and dangerous. What can be read off a
script is what every worker's script has: assignments, metadata calls, options of commands.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any

_COMMENT = re.compile(r"(^|\s)#(?!!).*$", re.MULTILINE)
_CONTINUED = re.compile(r"\\\n\s*")
_SUBSTITUTION = re.compile(r"\$\(([^()]*(?:\([^()]*\)[^()]*)*)\)|`([^`]*)`")
_METADATA = re.compile(r"meta-data/([\w/-]+)")
_ASSIGNMENT = re.compile(
    r"^\s*(?:export\s+|readonly\s+|local\s+)*([A-Za-z_]\w*)=(\"[^\"\n]*\"|'[^'\n]*'|[^\s;|&]*)", re.MULTILINE
)
_SLICED = re.compile(r"\$\{(\w+):\s*(-?\d+)\}")
_WITHOUT_PREFIX = re.compile(r"\$\{(\w+)#([\w.-]+)\}")
_DEPTH = 5  # variables made of variables made of variables


class UnreadableError(ValueError):
    """Not a script that cloud-init would run."""


@dataclass(frozen=True)
class Script:
    text: str

    def option(self, pattern: str) -> str | None:
        """The value that follows the first match, without quotes."""
        found = re.search(pattern + r"[=\s]+(\"[^\"\n]*\"|'[^'\n]*'|[^\s;|&)]+)", self.text)
        return found.group(1).strip("\"'") if found else None

    def has(self, pattern: str) -> bool:
        return re.search(pattern, self.text) is not None


def read_script(instance: dict[str, Any]) -> Script:
    raw = instance.get("user_data")
    if not raw:
        raise UnreadableError("it has no user data")
    try:
        text = base64.b64decode(raw, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        text = str(raw)
    if not text.startswith("#!"):
        raise UnreadableError("its user data is not a shell script: cloud-init runs one only if it starts with #!")
    return Script(_filled(_CONTINUED.sub(" ", _COMMENT.sub("", text)), instance))


def _filled(text: str, instance: dict[str, Any]) -> str:
    facts = {
        "instance-id": instance["instance_id"],
        "local-ipv4": instance.get("private_ip") or "",
        "local-hostname": instance.get("private_dns_name") or "",
        "hostname": instance.get("private_dns_name") or "",
        "instance-type": instance["instance_type"],
        "instance-life-cycle": instance["lifecycle"],
        "placement/availability-zone": instance["zone"],
        "placement/region": instance["region"],
    }

    def substitute(match: re.Match[str]) -> str:
        command = match.group(1) or match.group(2) or ""
        metadata = _METADATA.search(command)
        if metadata and metadata.group(1) in facts:
            return str(facts[metadata.group(1)])
        if command.split()[:1] == ["hostname"]:
            return str(facts["hostname"]).partition(".")[0]
        return match.group(0)

    text = _SUBSTITUTION.sub(substitute, text)
    for _ in range(_DEPTH):
        known = {name: value.strip("\"'") for name, value in _ASSIGNMENT.findall(text)}
        known = {name: value for name, value in known.items() if "$" not in value and "`" not in value}
        fuller = _with_variables(text, known)
        if fuller == text:
            break
        text = fuller
    return text


def _with_variables(text: str, known: dict[str, str]) -> str:
    def plain(match: re.Match[str]) -> str:
        return known.get(match.group(1) or match.group(2), match.group(0))

    def sliced(match: re.Match[str]) -> str:
        value = known.get(match.group(1))
        return match.group(0) if value is None else value[int(match.group(2)) :]

    def shortened(match: re.Match[str]) -> str:
        value = known.get(match.group(1))
        return match.group(0) if value is None else value.removeprefix(match.group(2))

    text = _WITHOUT_PREFIX.sub(shortened, _SLICED.sub(sliced, text))
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", plain, text)
