"""Waiting for the translator's thread, and hearing of it."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import Future

from dragoman.native.waiting import Waiting
from dragoman.service.progress import Progress, RequestState


def done(waiting: Waiting, *figures: tuple[int, int]) -> None:
    """A request that tells of some figures, and ends."""
    tell, future = waiting.listener(), Future[None]()
    for figure in figures:
        tell(Progress(RequestState.RUNNING, *figure))
    future.set_result(None)
    waiting.result(future)


def test_figures_of_several_requests_add_up() -> None:
    heard: list[tuple[int, int]] = []
    waiting = Waiting(lambda progress: heard.append((progress.done, progress.total)))
    done(waiting, (0, 2), (2, 2))
    done(waiting, (0, 1), (0, 3), (3, 3))
    assert heard == [(0, 2), (2, 2), (2, 3), (2, 5), (5, 5)]


def test_nothing_is_remembered_of_what_has_ended() -> None:
    """Of each of any number of texts its figures were, for the sum."""
    waiting = Waiting(lambda _: None)
    done(waiting, (1, 1))
    tracemalloc.start()
    try:
        for _ in range(10_000):
            done(waiting, (1, 1))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 200_000
