"""Pages, read and written where they hold up nothing: in processes that can be killed.

    event loop                    thread, waits            process
    read  ---- source ----------> Errand ---------------> HtmlPage: text, elements
    write ---- source, content -> Errand ---------------> HtmlPage: HTML
      `-- cancelled: the process is killed

The parser takes seconds of a page at its limits, and what it makes and throws away holds the
interpreter for half of one: a thread beside the event loop is not enough (ADR 29). A short page is
read at once, where it is.

Processes are started when they are needed, at most `PROCESSES`, and end when nothing came for a
while, or with this process.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from time import monotonic, sleep
from typing import IO, Any

from dragoman.config import Limits
from dragoman.errors import DragomanError, EngineError, InvalidRequestError, PageTooLargeError
from dragoman.html.crossing import (
    READ,
    WRITE,
    Message,
    content_numbers,
    elements_of,
    receive,
    send,
    text_bytes,
    text_of,
)
from dragoman.html.short_page import ShortPage
from dragoman.types import Content, Element

PROCESSES = 2
IDLE_SECONDS = 30.0
# Of a page that is read where it is: a few milliseconds, whatever is in it.
SHORT_CHARACTERS = 2_000
# Made of numbers before others have a turn.
SLICE_ITEMS = 1_000

Head = Mapping[str, Any]

# -P: nothing of the folder that the program was started in takes the place of Python's own.
_COMMAND = (sys.executable, "-P", "-m", "dragoman.html.process")


class PageReader:
    """Reads pages for the pipelines of this process."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    async def __call__(self, source: str, language: str) -> ShortPage | LongPage:
        """A page, ready to be translated.

        Raises:
            PageTooLargeError: over the limits of its nodes or levels, or of its elements in text.
            EngineError: the process was lost.
        """
        if len(source) <= SHORT_CHARACTERS:
            return ShortPage(source, language, self._limits)
        head: Head = {"language": language, "limits": asdict(self._limits)}
        answer = await PROCESS_POOL.ask(Message({**head, "do": READ}, [text_bytes(source)]))
        elements = []
        for element in elements_of(answer.parts[1]):
            elements.append(element)
            if not len(elements) % SLICE_ITEMS:
                await asyncio.sleep(0)
        return LongPage(source, head, text_of(answer.parts[0]), elements)


class LongPage:
    """A page that was read in a process, which keeps nothing of it."""

    def __init__(self, source: str, head: Head, text: str, elements: Sequence[Element]) -> None:
        self._source, self._head = source, head
        self.text, self.elements = text, elements

    async def write(self, text: str, content: Content | None, language: str) -> str:
        numbers = bytearray()
        for count, some in enumerate(content_numbers(content)):
            numbers += some.tobytes()
            if not count % SLICE_ITEMS:
                await asyncio.sleep(0)
        head = {**self._head, "do": WRITE, "target": language}
        parts = [text_bytes(self._source), text_bytes(text), bytes(numbers)]
        return text_of((await PROCESS_POOL.ask(Message(head, parts))).parts[0])


class ProcessPool:
    """The processes; any thread's event loop may ask. A fork of this process begins anew."""

    def __init__(self, most: int = PROCESSES, command: Sequence[str] = _COMMAND) -> None:
        self._most, self._command = most, command
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget processes and threads of another process."""
        self._threads = ThreadPoolExecutor(self._most, "dragoman-pages")
        # With when each is to end; what was given back last, ends last.
        self._idle: deque[tuple[float, subprocess.Popen[bytes]]] = deque()
        self._running: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._watched = False  # by a thread that ends what is idle for long

    @property
    def running(self) -> list[subprocess.Popen[bytes]]:
        """Those that work at something."""
        return list(self._running)

    @property
    def idle(self) -> list[subprocess.Popen[bytes]]:
        """Those that wait for something to do."""
        with self._lock:
            return [process for _, process in self._idle]

    async def ask(self, message: Message) -> Message:
        """The answer to a message; cancelling the wait kills the process that works at it.

        Raises:
            DragomanError: what the process answered, or that it was lost.
        """
        errand = Errand(self, message)
        try:
            answer = await asyncio.get_running_loop().run_in_executor(self._threads, errand.run)
        except asyncio.CancelledError:
            errand.kill()
            raise
        if "message" in answer.head:
            raise _error(answer.head["message"], answer.head["details"])
        return answer

    def take(self) -> subprocess.Popen[bytes]:
        """A process that nobody else has.

        Raises:
            EngineError: it cannot be started.
        """
        with self._lock:
            process = self._idle.pop()[1] if self._idle else None
        if process is not None and process.poll() is not None:
            end(process)
            process = None
        reader = process or self._started()
        with self._lock:
            self._running.append(reader)
        return reader

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 (our own program)
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        # No more processes, or no Python to start: one that is embedded may not know where it is.
        except (OSError, ValueError, TypeError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or error
            raise EngineError(
                f"the process that reads pages cannot be started: {reason}"
            ) from error

    def drop(self, process: subprocess.Popen[bytes]) -> None:
        """End a process that is of no use any more."""
        process.kill()
        end(process)
        with self._lock:
            self._running.remove(process)

    def give_back(self, process: subprocess.Popen[bytes]) -> None:
        """Keep a process for the next that asks; it ends when nobody does."""
        with self._lock:
            self._running.remove(process)
            self._idle.append((monotonic() + IDLE_SECONDS, process))
            if not self._watched:
                self._watched = self.watch()

    def close(self) -> None:
        """End the processes that are idle."""
        with self._lock:
            idle, self._idle = self._idle, deque()
        for _, process in idle:
            end(process)

    def watch(self) -> bool:
        """Start the thread that ends what is idle: one, however often a process is given back.

        The interpreter does not wait for it to end. False if there is no thread to be had: the
        process stays until one is given back when there is.
        """
        try:
            threading.Thread(target=self._watch_idle, name="dragoman-idle", daemon=True).start()
        except RuntimeError:
            return False
        return True

    def end_first(self) -> float | None:
        """End what is idle for longest, if for long enough.

        Returns in how many seconds to look again; None if nothing is idle.
        """
        with self._lock:
            if not self._idle:
                self._watched = False
                return None
            seconds = self._idle[0][0] - monotonic()
            if seconds > 0:
                return seconds
            _, process = self._idle.popleft()
        end(process)
        return 0.0

    def _watch_idle(self) -> None:
        while (seconds := self.end_first()) is not None:
            sleep(seconds)


class Errand:
    """One message on its way to a process and back, in a thread that waits for it."""

    def __init__(self, pool: ProcessPool, message: Message) -> None:
        self._pool, self._message = pool, message
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._unwanted = False

    def run(self) -> Message:
        """The answer.

        Raises:
            EngineError: the process cannot be started, was lost, or killed because nobody wants the
                answer.
        """
        process = self._pool.take()
        with self._lock:
            self._process = process
        answer, is_good = None, False
        try:
            if not self._unwanted:
                answer = _asked(process, self._message)
        finally:  # whatever went wrong, no process is left that nobody knows of
            with self._lock:
                self._process, is_good = None, answer is not None and not self._unwanted
            if not is_good:
                self._pool.drop(process)
        if answer is None or not is_good:
            raise EngineError("the process that reads pages was lost")
        self._pool.give_back(process)
        return answer

    def kill(self) -> None:
        """Nobody wants the answer any more."""
        with self._lock:
            self._unwanted = True
            if self._process is not None:
                self._process.kill()


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that has nothing more to do."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def _asked(process: subprocess.Popen[bytes], message: Message) -> Message | None:
    try:
        send(message, _open(process.stdin))
        return receive(_open(process.stdout))
    except (OSError, ValueError, KeyError):  # it ended, or says what is no message
        return None


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise OSError("a process without pipes")
    return stream


def _error(message: str, details: dict[str, str | int]) -> DragomanError:
    if "counted" in details:
        requested, allowed = int(details["requested"]), int(details["allowed"])
        return PageTooLargeError(requested, allowed, str(details["counted"]))
    return InvalidRequestError(message, **details)


PROCESS_POOL = ProcessPool()
atexit.register(PROCESS_POOL.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PROCESS_POOL.begin_anew)
