"""Pages that are read in processes: the same as here, killed when nobody wants them."""

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.errors import EngineError, PageTooLargeError
from dragoman.html import HtmlPage
from dragoman.html.crossing import Message
from dragoman.html.short_page import ShortPage
from dragoman.native import pages
from dragoman.native.pages import LongPage, PageReader, ProcessPool
from tests.support.cases.markup_cases import own_content
from tests.support.waiting import PATIENCE, until_told

LONG = "<!doctype html><title>Ja &amp; \U0001f600</title>" + (
    "<p>Ja <b>gut</b> <code>x = 1</code><br>Nein<img alt='so'>" * 60
)
READS = [sys.executable, "-c", "import sys; sys.stdin.read()"]
SLEEPS = [sys.executable, "-c", "import time; time.sleep(600)"]
READ = PageReader(Limits())


async def test_a_short_page_is_read_here() -> None:
    page = await READ("<p>Ja", "de")
    assert isinstance(page, ShortPage)
    assert await page.write("So", own_content(page.elements), "en") == "<p>So"


async def test_a_long_page_is_what_it_would_be_here() -> None:
    page, here = await READ(LONG, "de"), HtmlPage(LONG, "de")
    assert isinstance(page, LongPage)
    assert (page.text, tuple(page.elements)) == (here.text, here.elements)
    text, content = here.text.upper(), own_content(here.elements)
    assert await page.write(text, content, "en") == here.write(text, content, "en")
    assert await page.write("", None, "en") == LONG


@pytest.mark.parametrize(
    ("source", "counted"),
    [
        # 12 KB that made 600,000 elements, in 12 s.
        ("".join(f"<b a={number}><p>" for number in range(1_100)), "elements and attributes"),
        ("<div>" * 2_000 + "x", "levels"),
    ],
)
async def test_a_page_that_grows_is_refused(source: str, counted: str) -> None:
    with pytest.raises(PageTooLargeError) as caught:
        await READ(source, "de")
    assert caught.value.counted == counted
    assert caught.value.requested == caught.value.allowed + 1


async def test_who_leaves_kills_the_process() -> None:
    pool = ProcessPool(1, SLEEPS)
    asking = asyncio.create_task(pool.ask(Message({})))
    await until_told(lambda: pool.running)
    (process,) = pool.running
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await asyncio.to_thread(process.wait) == -signal.SIGKILL


async def test_a_process_that_is_lost_is_a_typed_error_and_replaced() -> None:
    pool = ProcessPool(1, SLEEPS)
    asking = asyncio.create_task(pool.ask(Message({})))
    await until_told(lambda: pool.running)
    (process,) = pool.running
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(EngineError, match="was lost"):
        await asking
    assert (pool.running, pool.idle) == ([], [])


async def test_what_is_no_message_is_a_typed_error_and_leaves_no_process() -> None:
    pool = Remembering(1, [sys.executable, "-c", "print('Hallo'); input()"])
    with pytest.raises(EngineError, match="was lost"):
        await pool.ask(Message({}))
    assert (pool.running, pool.idle) == ([], [])
    assert pool.last.poll() is not None


async def test_without_a_program_to_start_it_is_a_typed_error() -> None:
    nameless: Any = [None, "-P"]  # `sys.executable` of an interpreter within another program
    with pytest.raises(EngineError, match="cannot be started: expected str"):
        await ProcessPool(1, nameless).ask(Message({}))
    pool = ProcessPool(1, ["/nowhere/python"])
    with pytest.raises(EngineError, match="cannot be started: No such file"):
        await pool.ask(Message({}))
    assert pool.running == []


async def test_the_folder_that_the_program_is_in_takes_no_modules_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('this is not the one')")
    monkeypatch.chdir(tmp_path)
    pool = Remembering(1)
    assert (await pool.ask(PLEASE)).parts[0] == b"Ja"
    pool.close()


class Remembering(ProcessPool):
    """Remembers its processes."""

    def take(self) -> Any:
        self.last = super().take()
        return self.last


PLEASE = Message({"do": "read", "language": "de", "limits": {}}, [b"<p>Ja"])


async def test_processes_are_used_again_and_end_at_the_close() -> None:
    pool = Remembering(1)
    assert (await pool.ask(PLEASE)).parts[0] == b"Ja"
    first = pool.last
    await pool.ask(PLEASE)
    assert pool.last is first
    pool.close()
    assert (first.poll(), pool.idle) == (0, [])
    await pool.ask(PLEASE)
    pool.close()


async def test_they_end_when_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "IDLE_SECONDS", 0.01)
    pool = Remembering(1)
    await pool.ask(PLEASE)
    assert await asyncio.to_thread(pool.last.wait) == 0


def test_one_thread_ends_them_however_often_they_are_given_back() -> None:
    pool, before = ProcessPool(1, READS), threading.active_count()
    for _ in range(50):
        pool.give_back(pool.take())
    assert threading.active_count() - before <= 1
    pool.close()


def test_without_a_thread_to_be_had_they_wait_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(pages, "IDLE_SECONDS", 0)
    pool = ProcessPool(1, READS)
    process = pool.take()
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        pool.give_back(process)
    assert pool.idle == [process]
    pool.give_back(pool.take())
    assert process.wait(PATIENCE) == 0


class Unwatched(ProcessPool):
    """Ends what is idle when it is told to, and counts how often it asked to be watched."""

    asked = 0

    def watch(self) -> bool:
        self.asked += 1
        return True


def test_how_long_one_is_idle_counts_from_when_it_was_last_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(pages, "monotonic", lambda: now)
    pool = Unwatched(2, READS)
    first, second = pool.take(), pool.take()
    pool.give_back(first)
    pool.give_back(second)
    assert (pool.end_first(), pool.asked) == (30.0, 1)
    now = 120.0
    pool.give_back(pool.take())  # the second, which is idle from now on
    assert pool.end_first() == 10.0
    now = 130.0
    assert (pool.end_first(), first.poll(), pool.idle) == (0.0, 0, [second])
    assert (pool.end_first(), second.poll(), pool.asked) == (20.0, None, 1)
    now = 150.0
    assert (pool.end_first(), second.poll(), pool.idle) == (0.0, 0, [])
    assert pool.end_first() is None
    pool.give_back(pool.take())
    assert pool.asked == 2
    pool.close()


async def test_what_comes_after_all_have_ended_is_watched_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pages, "IDLE_SECONDS", 0)
    pool = ProcessPool(1, READS)
    for _ in range(2):
        process = pool.take()
        pool.give_back(process)
        assert await asyncio.to_thread(process.wait, PATIENCE) == 0
