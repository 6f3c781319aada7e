"""How long a decision takes and what it needs, by the size of the fleet. `make bench` runs it.

The scale-down is the dearest decision: it looks at every pod and proves that those of one worker fit elsewhere.
"""

from __future__ import annotations

import gc
import math
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from fleet.decide.engine import decide
from fleet.observation import Observation
from situations import low_load, observation, pod, steady, worker

SIZES = (10, 100, 1_000, 5_000)
PODS_EACH = 30
SECONDS_EACH = 2.0


def fleet(count: int) -> list[dict[str, Any]]:
    """Workers with 30 pods each, three of them of a DaemonSet; budgets cover a tenth of the rest."""
    return [
        worker(
            f"w{number:04}",
            zone=f"ap-southeast-1{'ab'[number % 2]}",
            cpu_percent=float(number * 7919 % 40),
            pods=[
                pod(
                    f"p{number}-{place}",
                    owner="DaemonSet/agent" if place < 3 else "Deployment/web",
                    cpu=0.03,
                    memory=3e7,
                )
                for place in range(PODS_EACH)
            ],
        )
        for number in range(count)
    ]


def mixed_and_full(count: int) -> list[dict[str, Any]]:
    """Every other worker has CPU to spare and no memory, the others the reverse: the hardest fleet to find room in."""
    spare = ({"cpu": 2.0, "memory": 9.1e8, "pods": 110}, {"cpu": 0.91, "memory": 2e9, "pods": 110})
    return [each | {"allocatable": spare[number % 2]} for number, each in enumerate(fleet(count))]


def situations(count: int) -> dict[str, dict[str, Any]]:
    limits = {"policy": {"max_workers": 10_000}}
    few = [f"p{number}-5" for number in range(0, count, 10)]
    budgets = [{"namespace": "shop", "name": "web", "allowed": 1, "pods": few}]
    full = [each | {"allocatable": {"cpu": 0.9, "memory": 2e9, "pods": 110}} for each in fleet(count)]
    return {
        "none": observation(workers=fleet(count), **limits),
        "scale-up": observation(workers=fleet(count), **limits, **steady(240, cpu_percent=88.0)),
        "scale-down": observation(workers=fleet(count), budgets=budgets, **limits, **low_load()),
        "scale-down, nothing fits": observation(workers=full, budgets=budgets, **limits, **low_load()),
        "scale-down, mixed and full": observation(workers=mixed_and_full(count), **limits, **low_load()),
    }


def best_of(action: Callable[[], Any]) -> float:
    """CPU seconds of the fastest run: what else the machine does only ever adds."""
    best, begun = math.inf, time.process_time()
    while time.process_time() - begun < SECONDS_EACH:
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def peak_bytes(action: Callable[[], Any]) -> int:
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def exponent(small: tuple[int, float], large: tuple[int, float]) -> float:
    """Growth between two sizes: 1 is linear, 2 is quadratic."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def main() -> None:
    print(f"{'situation':<28}{'workers':>8}{'pods':>9}{'ms':>10}{'peak MB':>9}{'us a pod':>10}")
    for name in situations(1):
        times: list[tuple[int, float]] = []
        for count in SIZES:
            seen = Observation.from_dict(situations(count)[name])
            gc.collect()
            seconds = best_of(lambda seen=seen: decide(seen))
            peak = peak_bytes(lambda seen=seen: decide(seen))
            times.append((count, seconds))
            pods = count * PODS_EACH
            print(f"{name:<28}{count:>8}{pods:>9}{seconds * 1e3:>10.3f}{peak / 1e6:>9.2f}{seconds / pods * 1e6:>10.3f}")
        print(
            f"{'':<28}growth exponent from {SIZES[-2]} to {SIZES[-1]} workers: {exponent(times[-2], times[-1]):.2f}\n"
        )
    for count in SIZES:
        given = situations(count)["scale-down"]
        seconds = best_of(lambda given=given: Observation.from_dict(given))
        print(f"{'reading the observation':<28}{count:>8}{count * PODS_EACH:>9}{seconds * 1e3:>10.3f}")


if __name__ == "__main__":
    main()
