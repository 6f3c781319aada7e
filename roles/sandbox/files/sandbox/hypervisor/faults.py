"""All faults in one book: the hypervisor's own kinds, and the AWS server's, which are passed on to it.

The own ones are written to a file: a hypervisor that is started anew goes on with them.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sandbox.hypervisor.cloud import AwsSide, Instance
from sandbox.hypervisor.kinds import COMMON, OWN, BadFaultError, check_limits, check_own
from sandbox.layout import write_private

Fault = dict[str, Any]
# Happens once, when it is put; noted here so that the same PUT again does not do it again.
AT_ONCE = ("spot_notice", "rebalance")


class FaultBook:
    """`for_seconds` counts on the cloud's clock: divided by the speed, as everything that takes time there."""

    def __init__(self, path: Path, aws: AwsSide, speed: float, changed: Callable[[], None] = lambda: None) -> None:
        self._path, self._aws, self._speed = path, aws, speed
        self.changed = changed
        self._lock = threading.RLock()
        # Own faults whole; of the AWS server's only the end, or that they were carried out.
        self._notes: dict[str, Fault] = json.loads(path.read_text()) if path.exists() else {}

    def listing(self) -> dict[str, Any]:
        theirs = self._aws.ask("GET", "faults")
        kinds = {name: sorted(kind.fields) for name, kind in OWN.items()}
        limits = {"times": "ends after so many", "for_seconds": "ends after so long, on the cloud's clock"}
        return {"faults": self._standing(theirs["faults"]), "kinds": {**theirs["kinds"], **kinds}, "limits": limits}

    def put(self, wish: Any) -> tuple[Fault, bool]:
        """The fault, and whether anything changed: the same again under the same id changes nothing."""
        if not isinstance(wish, dict):
            raise BadFaultError(f"body: {wish!r} is not a JSON object with a kind")
        check_limits(wish)
        kind = str(wish.get("kind"))
        fault = {**wish, "id": str(wish.get("id") or kind)}
        if kind in OWN:
            check_own(wish)
        else:
            self._check_kind(wish)
        with self._lock:
            if fault in [_wish_of(one) for one in self.listing()["faults"]]:
                return fault, False
            if kind in OWN:
                self._aws.ask("DELETE", f"faults/{fault['id']}")
            else:
                self._aws.ask("PUT", "faults", {name: value for name, value in fault.items() if name != "for_seconds"})
            self._note(fault)
        self.changed()
        return fault, True

    def remove(self, fault_id: str | None) -> int:
        with self._lock:
            ids = [one["id"] for one in self.listing()["faults"] if fault_id in (None, one["id"])]
            for one in ids:
                self._aws.ask("DELETE", f"faults/{one}")
                self._notes.pop(one, None)
            self._write()
        self.changed()
        return len(ids)

    def expire(self) -> None:
        """Called at every look: what has had its time goes."""
        now = time.time()
        with self._lock:
            over = [one for one, note in self._notes.items() if note.get("until", now + 1) <= now]
        for one in over:
            self.remove(one)

    def first(self, kind: str, **situation: Any) -> Fault | None:
        """The first own fault of that kind that stands; a field that it does not name matches everything."""
        now = time.time()
        with self._lock:
            for note in self._notes.values():
                fault: Fault = note["fault"]
                is_over = note.get("until", now + 1) <= now
                if fault["kind"] == kind and not is_over and _concerns(fault, situation):
                    return {**fault, "since": note["since"]}
        return None

    def use(self, fault: Fault) -> None:
        """It has happened once more; the last of `times` removes it."""
        with self._lock:
            note = self._notes.get(fault["id"])
            if note is None:
                return
            note["happened"] += 1
            if note["happened"] >= fault.get("times", float("inf")):
                del self._notes[fault["id"]]
            self._write()
        self.changed()

    def never_joins(self, worker: Instance) -> bool:
        fault = self.first("join_never", **_situation(worker))
        if fault:
            self.use(fault)
        return fault is not None

    def slowed(self, worker: Instance, seconds: float) -> float:
        fault = self.first("slow_boot", **_situation(worker))
        if fault is None:
            return seconds
        self.use(fault)
        return float(seconds * fault.get("factor", 1) + fault.get("seconds", 0))

    def _check_kind(self, wish: Fault) -> None:
        kinds = self._aws.ask("GET", "faults")["kinds"]
        kind = wish.get("kind")
        if kind not in kinds:
            raise BadFaultError(f"kind: {kind!r} is none of {', '.join(sorted([*kinds, *OWN]))}")
        for field, value in wish.items():
            if field not in (*kinds[kind], *COMMON):
                allowed = ", ".join([*kinds[kind], *COMMON[2:]])
                raise BadFaultError(f"{field}: {value!r} is not for {kind}, which has {allowed}")

    def _note(self, fault: Fault) -> None:
        note: Fault = {"fault": fault, "since": time.time(), "happened": int(fault["kind"] in AT_ONCE)}
        if "for_seconds" in fault:
            note["until"] = note["since"] + fault["for_seconds"] / self._speed
        self._notes[fault["id"]] = note
        self._write()

    def _standing(self, theirs: list[Fault]) -> list[Fault]:
        """What the AWS server no longer has (used up, or it was started anew) is forgotten here, too."""
        with self._lock:
            there = {one["id"]: one for one in theirs}
            for one, note in list(self._notes.items()):
                if note["fault"]["kind"] not in (*OWN, *AT_ONCE) and one not in there:
                    del self._notes[one]
            mine = [{**note["fault"], "happened": note["happened"]} for one, note in self._notes.items()]
            known = {one["id"] for one in mine}
        for fault in mine:
            if fault["id"] in there:
                fault["happened"] = there[fault["id"]]["happened"]
        return [*mine, *(_flat(one) for one in theirs if one["id"] not in known)]

    def _write(self) -> None:
        write_private(self._path, json.dumps(self._notes, indent=1))


def _situation(worker: Instance) -> dict[str, Any]:
    return {name: worker[name] for name in ("zone", "instance_type", "instance_id")}


def _concerns(fault: Fault, situation: dict[str, Any]) -> bool:
    return all(name not in fault or fault[name] == value for name, value in situation.items())


def _flat(theirs: Fault) -> Fault:
    """A fault that was put at the AWS server directly, in the shape of ours."""
    times = {"times": theirs["times"]} if theirs["times"] is not None else {}
    return {"id": theirs["id"], "kind": theirs["kind"], **theirs["where"], **times, "happened": theirs["happened"]}


def _wish_of(listed: Fault) -> Fault:
    return {name: value for name, value in listed.items() if name != "happened"}
