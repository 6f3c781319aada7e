"""The tree of free room against a plain list that is searched from its start, in whole tenths of a core."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.model import Capacity, Pod
from fleet.packing import Room, free_of, largest_first
from situations import pod

Free = tuple[int, int, int]


def a_pod(cpu: float | None = 0.0, memory: float | None = 0.0, name: str = "p", **changes: Any) -> Pod:
    return Pod.from_dict(pod(name, cpu=cpu, memory=memory, **changes))


class PlainList:
    """First fit in whole numbers, so that it needs no tolerance; copies of itself are its memory."""

    def __init__(self, free: list[Free]) -> None:
        self.free: list[Free | None] = list(free)
        self.marks: list[list[Free | None]] = []

    def place(self, tenths: int, memory: int) -> int | None:
        for index, free in enumerate(self.free):
            if free is not None and free[0] >= tenths and free[1] >= memory and free[2] >= 1:
                self.free[index] = (free[0] - tenths, free[1] - memory, free[2] - 1)
                return index
        return None

    def close(self, index: int) -> None:
        self.free[index] = None

    def mark(self) -> None:
        self.marks.append(list(self.free))

    def undo(self) -> None:
        self.free = self.marks.pop()


small = st.integers(0, 12)
places = st.integers(0, 4)
rooms = st.lists(st.tuples(small, small, places), min_size=1, max_size=9)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("place"), small, small),
        st.tuples(st.just("place"), st.integers(1, 4), st.integers(0, 3)),
        st.tuples(st.just("close"), st.integers(0, 8), st.just(0)),
        st.tuples(st.sampled_from(["mark", "undo"]), st.just(0), st.just(0)),
    ),
    max_size=30,
)


@given(rooms, steps)
def test_same_places_as_a_plain_list(free: list[Free], moves: list[tuple[str, int, int]]) -> None:
    """Tenths of a core do not add up exactly as floats: a missing tolerance shows here, too."""
    room, plain = Room([(cpu / 10, memory, count) for cpu, memory, count in free]), PlainList(free)
    marks: list[int] = []
    for move, first, second in moves:
        if move == "place":
            assert room.place(a_pod(first / 10, second)) == plain.place(first, second)
        elif move == "close":
            room.close(first % len(free))
            plain.close(first % len(free))
        elif move == "mark":
            marks.append(room.mark())
            plain.mark()
        elif marks:
            room.undo(marks.pop())
            plain.undo()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 100], ids=lambda count: f"{count}-workers")
def test_workers_are_filled_from_the_first_to_the_last(count: int) -> None:
    room = Room([(1.0, 1.0, 1)] * count)
    assert [room.place(a_pod(1.0, 1.0)) for _ in range(count + 1)] == [*range(count), None]


@pytest.mark.parametrize(
    ("free", "needs", "place"),
    [
        pytest.param([(1.0, 10, 1)], (1.0, 10), 0, id="exactly"),
        pytest.param([(0.9, 10, 1)], (1.0, 10), None, id="too-little-cpu"),
        pytest.param([(1.0, 9, 1)], (1.0, 10), None, id="too-little-memory"),
        pytest.param([(1.0, 10, 0)], (1.0, 10), None, id="no-pod-place"),
        pytest.param([(1.0, 10, 0)], (0.0, 0), None, id="no-pod-place-for-a-pod-without-requests"),
        pytest.param([(0.0, 0, 1)], (0.0, 0), 0, id="a-pod-without-requests-needs-only-a-place"),
        pytest.param([(2.0, 1, 1), (1.0, 20, 1)], (2.0, 20), None, id="cpu-of-one-and-memory-of-another-are-no-room"),
        pytest.param([(2.0, 1, 9), (1.0, 20, 0), (3.0, 30, 1)], (1.0, 10), 2, id="a-later-worker-that-has-all-three"),
        pytest.param([], (0.0, 0), None, id="no-worker-at-all"),
        pytest.param([(-1.0, -1, -1)], (0.0, 0), None, id="a-closed-worker"),
    ],
)
def test_first_that_has_room(
    free: list[tuple[float, float, int]], needs: tuple[float, float], place: int | None
) -> None:
    assert Room(free).place(a_pod(*needs)) == place


def test_ten_tenths_of_a_core_are_one_core() -> None:
    room = Room([(1.0, 0, 99)])
    assert [room.place(a_pod(0.1)) for _ in range(11)] == [0] * 10 + [None]


def test_undo_gives_back_only_what_came_after_the_mark() -> None:
    room = Room([(1.0, 0, 9), (1.0, 0, 9)])
    assert room.place(a_pod(0.6)) == 0
    mark = room.mark()
    room.close(1)
    assert room.place(a_pod(0.6)) is None
    room.undo(mark)
    assert [room.place(a_pod(0.6)) for _ in range(2)] == [1, None]


SIZE = Capacity(2.0, 100, 5)


@pytest.mark.parametrize(
    ("pods", "free"),
    [
        pytest.param([], (2.0, 100, 5), id="empty"),
        pytest.param([a_pod(0.5, 10), a_pod(1.0, 20)], (0.5, 70, 3), id="less-what-its-pods-request"),
        pytest.param([a_pod(0.5, 10, finished=True)], (2.0, 100, 5), id="finished-pods-have-given-theirs-back"),
        pytest.param([a_pod(0.5, 10, owner="DaemonSet/d")], (1.5, 90, 4), id="DaemonSets-take-room"),
        pytest.param([a_pod(3.0, 10)], (-1.0, 90, 4), id="more-than-it-has"),
    ],
)
def test_free_room(pods: list[Pod], free: tuple[float, float, int]) -> None:
    assert free_of(SIZE, pods) == free


@pytest.mark.parametrize(
    ("size", "pods"),
    [
        pytest.param(None, [], id="size-unknown"),
        pytest.param(SIZE, None, id="pods-unknown"),
        pytest.param(SIZE, [a_pod(None)], id="cpu-of-a-pod-unknown"),
        pytest.param(SIZE, [a_pod(0.1), a_pod(0.1, None)], id="memory-of-a-pod-unknown"),
    ],
)
def test_no_room_where_anything_is_unknown(size: Capacity | None, pods: list[Pod] | None) -> None:
    assert Room([free_of(size, pods)]).place(a_pod()) is None


PODS = [
    a_pod(2.0, 1, "big"),
    a_pod(1.0, 9, "fat"),
    a_pod(1.0, 3, "a", namespace="first"),
    a_pod(1.0, 3, "a", namespace="second"),
    a_pod(1.0, 3, "b", namespace="second"),
    a_pod(None, None, "unknown"),
]


@given(st.permutations(PODS))
def test_largest_first_whatever_the_order(pods: list[Pod]) -> None:
    """By cpu, then memory, then namespace and name."""
    assert largest_first(pods) == PODS
