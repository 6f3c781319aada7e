"""Finds room for pods: first fit, over a tree of free capacity, so that thousands of workers stay cheap.

Greedy, so it may miss a packing that exists; it never claims one that does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .model import Capacity, Pod

# Sums of requests such as 0.1 + 0.2 must not cost a worker its last place.
ROUNDING = 1e-9

FULL = (-1.0, -1.0, -1)


class Room:
    """Free cpu, memory and pod places of workers, known by their index. Placing takes room, `undo` gives it back.

    A node of the tree holds the largest free value of each kind below it, so that full branches are passed over.
    """

    def __init__(self, free: Sequence[tuple[float, float, int]]) -> None:
        self._leaves = 1
        while self._leaves < len(free):
            self._leaves *= 2
        padding = [FULL] * (self._leaves - len(free))
        self._tree = [FULL] * self._leaves + list(free) + padding
        for node in range(self._leaves - 1, 0, -1):
            self._tree[node] = _larger(self._tree[2 * node], self._tree[2 * node + 1])
        self._taken: list[tuple[int, tuple[float, float, int]]] = []

    def place(self, pod: Pod) -> int | None:
        """The first worker that has room for the pod, which takes it; None where none has."""
        index = self.find(pod)
        if index is not None:
            node = self._leaves + index
            cpu, memory, places = self._tree[node]
            self._set(node, (cpu - (pod.cpu or 0.0), memory - (pod.memory or 0.0), places - 1))
        return index

    def find(self, pod: Pod) -> int | None:
        """The first worker that has room for the pod, without taking it."""
        tree, waiting = self._tree, [1]
        while waiting:
            node = waiting.pop()
            if _holds(tree[node], pod):
                if node >= self._leaves:
                    return node - self._leaves
                waiting.append(2 * node + 1)
                waiting.append(2 * node)
        return None

    def has_room(self, index: int, pod: Pod) -> bool:
        """Whether this one worker could take the pod."""
        return _holds(self._tree[self._leaves + index], pod)

    def close(self, index: int) -> None:
        """Nothing more is placed there."""
        self._set(self._leaves + index, FULL)

    def mark(self) -> int:
        return len(self._taken)

    def undo(self, mark: int) -> None:
        """Gives back everything that was taken or closed since the mark."""
        while len(self._taken) > mark:
            node, free = self._taken.pop()
            self._write(node, free)

    def _set(self, node: int, free: tuple[float, float, int]) -> None:
        self._taken.append((node, self._tree[node]))
        self._write(node, free)

    def _write(self, node: int, free: tuple[float, float, int]) -> None:
        tree = self._tree
        tree[node] = free
        node //= 2
        while node:
            tree[node] = _larger(tree[2 * node], tree[2 * node + 1])
            node //= 2


def largest_first(pods: Iterable[Pod]) -> list[Pod]:
    """Large pods are hardest to place; names break ties, so that the same pods give the same packing."""
    return sorted(pods, key=lambda pod: (-(pod.cpu or 0.0), -(pod.memory or 0.0), pod.namespace, pod.name))


def free_of(capacity: Capacity | None, pods: Iterable[Pod] | None) -> tuple[float, float, int]:
    """What a worker has left after its pods' requests; nothing at all where any of it was not measured."""
    if capacity is None or pods is None:
        return FULL
    cpu, memory, places = capacity.cpu, capacity.memory, capacity.pods
    for pod in pods:
        if pod.finished:
            continue
        if pod.cpu is None or pod.memory is None:
            return FULL
        cpu -= pod.cpu
        memory -= pod.memory
        places -= 1
    return cpu, memory, places


def _holds(free: tuple[float, float, int], pod: Pod) -> bool:
    return free[0] >= (pod.cpu or 0.0) - ROUNDING and free[1] >= (pod.memory or 0.0) and free[2] >= 1


def _larger(left: tuple[float, float, int], right: tuple[float, float, int]) -> tuple[float, float, int]:
    return (
        left[0] if left[0] >= right[0] else right[0],
        left[1] if left[1] >= right[1] else right[1],
        left[2] if left[2] >= right[2] else right[2],
    )
