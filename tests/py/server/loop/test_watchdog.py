"""What the server says of its own event loop."""

import asyncio
from types import SimpleNamespace

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from dragoman.server.loop import watchdog
from dragoman.server.loop.watchdog import Watchdog
from tests.support.hosts import capital_parts
from tests.support.serving import client, figures, key


def stalls(text: str) -> list[float]:
    counted = figures(text)
    return [
        counted[key("dragoman_loop_stalls_total", longer_than=least)]
        for least in ("0.05", "0.1", "0.25", "1.0")
    ]


def test_a_stall_counts_in_all_that_it_is_longer_than() -> None:
    registry = CollectorRegistry()
    dog = Watchdog(registry)
    for seconds in (0.01, 0.06, 0.3, 2.0):
        dog.late(seconds)
    text = generate_latest(registry).decode()
    assert stalls(text) == [3, 2, 2, 1]
    assert figures(text)[key("dragoman_loop_worst_stall_seconds")] == 2.0


async def test_what_holds_the_loop_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that says when a callback was set, and when it came: due 20 ms later."""
    readings = iter([1.0, 1.02, 2.0, 2.32, 3.0, 3.08])
    over = asyncio.Event()

    def clock() -> float:
        try:
            return next(readings)
        except StopIteration:
            over.set()
            return 4.0

    monkeypatch.setattr(watchdog, "time", SimpleNamespace(perf_counter=clock))
    registry = CollectorRegistry()
    dog = Watchdog(registry)
    async with dog.watching():
        await over.wait()
    assert dog.worst == pytest.approx(0.3)
    assert stalls(generate_latest(registry).decode()) == [2, 1, 1, 0]


async def test_the_figures_are_in_metrics() -> None:
    async with client(lambda *_: capital_parts()) as server:
        assert len(stalls((await server.get("/metrics")).text)) == 4
