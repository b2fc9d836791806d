"""How long the event loop is held while pages at their limits are read: on it, in a thread beside
it, in a process.

    .venv/bin/python -m tests.bench.loop_stalls

One line a page and way: seconds of the reading, the worst and the median lateness of a callback
that is due every 5 ms, in milliseconds.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from dragoman.config import Limits
from dragoman.errors import DragomanError
from dragoman.html import HtmlPage

EVERY = 0.005
PAGES = {
    "paragraphs": "<p>Ja <b>gut</b>" * 40_000,
    "attributes": "<p " + " ".join(f"a{number}=1" for number in range(150_000)) + ">x",
    "comments": "<!-- x -->" * 400_000 + "<p>ja",
    "references": "<p>" + "&amp; " * 400_000,
    "never closed": "".join(f"<b a={number}><p>" for number in range(1_100)),
}


def read(source: str) -> tuple[str, object]:
    try:
        page = HtmlPage(source, "de", Limits())
    except DragomanError as error:
        return error.code, ()
    return page.text, page.elements


async def watched(work: Callable[[], Awaitable[Any]]) -> tuple[float, list[float]]:
    late: list[float] = []

    async def watch() -> None:
        while True:
            due = time.perf_counter() + EVERY
            await asyncio.sleep(EVERY)
            late.append(time.perf_counter() - due)

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0.05)
    late.clear()
    started = time.perf_counter()
    await work()
    seconds = time.perf_counter() - started
    await asyncio.sleep(2 * EVERY)
    watching.cancel()
    return seconds, late


async def main() -> None:
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        await loop.run_in_executor(processes, read, "<p>ja")
        for name, source in PAGES.items():

            async def here(source: str = source) -> None:
                read(source)

            def beside(source: str = source) -> Awaitable[Any]:
                return asyncio.to_thread(read, source)

            def apart(source: str = source) -> Awaitable[Any]:
                return loop.run_in_executor(processes, read, source)

            ways: dict[str, Callable[[], Awaitable[Any]]]
            ways = {"on the loop": here, "thread": beside, "process": apart}
            for way, work in ways.items():
                seconds, late = await watched(work)
                print(
                    f"{name:14} {way:12} {seconds:6.2f} s, worst {max(late) * 1e3:7.1f} ms, "
                    f"median {statistics.median(late) * 1e3:5.1f} ms",
                    flush=True,
                )


if __name__ == "__main__":
    asyncio.run(main())
