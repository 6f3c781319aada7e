"""Starts `awslambdaric` with a wall clock that goes wrong by so many seconds: the fault `clock_skew`.

Run by path in a function's own process: `python skewed_clock.py SECONDS HANDLER`. Python's wall clock is set
(`time` and `datetime`), before anything of the function is imported; the monotonic clock is right, as it is
on a machine whose time is off. What C code or a child process reads of the kernel's clock is right, too.
"""

from __future__ import annotations

import datetime
import os
import runpy
import sys
import time
from typing import Any


def skew(seconds: float) -> None:
    right_time, right_time_ns = time.time, time.time_ns

    def now() -> float:
        return right_time() + seconds

    time.time = now
    time.time_ns = lambda: right_time_ns() + int(seconds * 1e9)
    for name in ("gmtime", "localtime", "ctime"):
        setattr(time, name, _with_moment(getattr(time, name), now))
    right_strftime: Any = time.strftime
    # Called with a format alone, C code would take the kernel's time.
    time.strftime = lambda form, *moment: right_strftime(form, *(moment or (time.localtime(),)))
    _skew_datetime(now)


def _with_moment(right: Any, now: Any) -> Any:
    return lambda seconds=None: right(now() if seconds is None else seconds)


def _skew_datetime(now: Any) -> None:
    right = datetime.datetime

    class Kind(type):
        def __instancecheck__(cls, other: object) -> bool:
            return isinstance(other, right)  # what C code made is a datetime, too

    class SkewedDatetime(right, metaclass=Kind):  # type: ignore[misc, valid-type]  # a class known at run time
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return cls.fromtimestamp(now(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(now(), datetime.UTC).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(now())

    SkewedDatetime.__name__ = SkewedDatetime.__qualname__ = "datetime"
    datetime.datetime = SkewedDatetime  # type: ignore[misc]  # that is the point


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # as `-m` has it, instead of this file's folder
    skew(float(sys.argv[1]))
    sys.argv = ["awslambdaric", sys.argv[2]]
    runpy.run_module("awslambdaric", run_name="__main__", alter_sys=True)
