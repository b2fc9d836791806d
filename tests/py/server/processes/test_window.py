"""So much is on its way, and no more."""

import asyncio

from dragoman.server.processes.window import Window


async def test_who_sends_waits_until_some_of_it_was_taken() -> None:
    window, sent = Window(10), []

    async def send() -> None:
        for part in range(4):
            await window.spend(4)
            sent.append(part)

    task = asyncio.ensure_future(send())
    await asyncio.sleep(0)
    assert sent == [0, 1]
    window.give_back(4)
    await asyncio.sleep(0)
    assert sent == [0, 1, 2]
    window.give_back(8)
    await task
    assert sent == [0, 1, 2, 3]


async def test_one_part_of_any_size_may_be_on_its_way() -> None:
    window = Window(10)
    await window.spend(1_000)
    waiting = asyncio.ensure_future(window.spend(1))
    await asyncio.sleep(0)
    assert not waiting.done()
    window.give_back(1_000)
    await waiting


async def test_where_nobody_takes_anything_nothing_waits() -> None:
    window = Window(1)
    await window.spend(5)
    waiting = asyncio.ensure_future(window.spend(5))
    await asyncio.sleep(0)
    window.lift()
    await waiting
    await window.spend(5)
