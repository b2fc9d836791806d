"""What the server says of its own event loop."""

import asyncio
import time

from prometheus_client import CollectorRegistry, generate_latest

from dragoman.server.loop.watchdog import EVERY, Watchdog
from tests.support.hosts import capital_parts
from tests.support.serving import client, figures, key


def stalls(text: str) -> list[float]:
    found = figures(text)
    return [
        found[key("dragoman_loop_stalls_total", longer_than=least)]
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


async def test_what_holds_the_loop_is_seen() -> None:
    dog = Watchdog(CollectorRegistry())
    async with dog.watching():
        await asyncio.sleep(2 * EVERY)
        time.sleep(0.2)
        await asyncio.sleep(2 * EVERY)
    assert dog.worst >= 0.2 - EVERY


async def test_the_figures_are_in_metrics() -> None:
    async with client(lambda *_: capital_parts()) as server:
        assert len(stalls((await server.get("/metrics")).text)) == 4
