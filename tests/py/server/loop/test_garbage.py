"""Garbage is collected while nobody waits."""

import asyncio
import ctypes
import gc
import sys

import psutil
import pytest

from dragoman.server.loop import garbage


async def test_it_is_collected_when_nothing_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "IDLE_SECONDS", 0.001)
    collected, given_back = asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(gc, "collect", collected.set)
    monkeypatch.setattr(garbage, "give_back", given_back.set)
    asked = asyncio.Event()

    def busy() -> bool:
        asked.set()
        return False

    async with garbage.collecting(busy):
        await asked.wait()
    assert not collected.is_set()
    assert not given_back.is_set()
    async with garbage.collecting(lambda: True):
        await collected.wait()
        await given_back.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="a call of glibc")
def test_free_memory_goes_back_to_the_system() -> None:
    kept = [bytearray(1_000) for _ in range(100_000)]  # 100 MB, each too small for pages of its own
    last = bytearray(1_000)  # which keeps the heap from shrinking by itself
    before = psutil.Process().memory_info().rss
    del kept
    garbage.give_back()
    assert before - psutil.Process().memory_info().rss > 50_000_000
    assert len(last) == 1_000


def test_other_systems_have_no_such_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(ctypes, "CDLL", None)
    garbage.give_back()


def test_a_server_hardly_ever_looks_through_everything() -> None:
    before = gc.get_threshold()
    try:
        garbage.collect_seldom()
        assert gc.get_threshold() == garbage.THRESHOLDS
        assert gc.get_freeze_count() > 1_000
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
