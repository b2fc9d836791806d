"""Garbage is collected while nobody waits."""

import asyncio
import gc

import pytest

from dragoman.server.loop import garbage


async def test_it_is_collected_when_nothing_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "IDLE_SECONDS", 0.001)
    collected = asyncio.Event()
    monkeypatch.setattr(gc, "collect", collected.set)
    asked = asyncio.Event()

    def busy() -> bool:
        asked.set()
        return False

    async with garbage.collecting(busy):
        await asked.wait()
    assert not collected.is_set()
    async with garbage.collecting(lambda: True):
        await collected.wait()


def test_a_server_hardly_ever_looks_through_everything() -> None:
    before = gc.get_threshold()
    try:
        garbage.collect_seldom()
        assert gc.get_threshold() == garbage.THRESHOLDS
        assert gc.get_freeze_count() > 1_000
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
