"""What a drain does with a pod: evict it, leave it alone, or stop because of it. First rule that applies decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from .codec import Value
from .model import Pod, Reason


class Fate(StrEnum):
    EVICT = "evict"
    IGNORE = "ignore"
    BLOCKS = "blocks"


@dataclass(frozen=True, slots=True)
class DrainOptions(Value):
    """As `kubectl drain` names them. A scale-down uses the defaults; only an operator may set `force`."""

    ignore_daemonsets: bool = True
    delete_emptydir_data: bool = True
    force: bool = False


SCALE_DOWN = DrainOptions()

PodVerdict = tuple[Fate, Reason | None]


def owner_kind(pod: Pod) -> str:
    """Kind of `Kind/name`; empty for a bare pod."""
    return pod.owner.partition("/")[0] if pod.owner else ""


def verdict(pod: Pod, options: DrainOptions = SCALE_DOWN) -> PodVerdict:
    """The pod's fate, with the reason unless it is simply evicted."""
    kind = owner_kind(pod)
    for rule in RULES:
        found = rule(pod, kind, options)
        if found is not None:
            return found
    return Fate.EVICT, None


def _finished(pod: Pod, kind: str, options: DrainOptions) -> PodVerdict | None:
    return (Fate.IGNORE, Reason.FINISHED) if pod.finished else None


def _mirror_pod(pod: Pod, kind: str, options: DrainOptions) -> PodVerdict | None:
    """A static pod belongs to the kubelet: the API server shows it and cannot remove it."""
    return (Fate.IGNORE, Reason.MIRROR_POD) if kind == "Node" else None


def _daemon_set(pod: Pod, kind: str, options: DrainOptions) -> PodVerdict | None:
    """Its controller would put it back at once."""
    if kind != "DaemonSet":
        return None
    return (Fate.IGNORE if options.ignore_daemonsets else Fate.BLOCKS), Reason.DAEMON_SET


def _do_not_disrupt(pod: Pod, kind: str, options: DrainOptions) -> PodVerdict | None:
    return (Fate.BLOCKS, Reason.DO_NOT_DISRUPT) if pod.do_not_disrupt and not options.force else None


def _bare_pod(pod: Pod, kind: str, options: DrainOptions) -> PodVerdict | None:
    """Nothing would bring it back."""
    return (Fate.BLOCKS, Reason.BARE_POD) if not kind and not options.force else None


def _local_data(pod: Pod, kind: str, options: DrainOptions) -> PodVerdict | None:
    return (Fate.BLOCKS, Reason.LOCAL_DATA) if pod.local_data and not options.delete_emptydir_data else None


RULES: tuple[Callable[[Pod, str, DrainOptions], PodVerdict | None], ...] = (
    _finished,
    _mirror_pod,
    _daemon_set,
    _do_not_disrupt,
    _bare_pod,
    _local_data,
)
