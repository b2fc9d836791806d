"""Worker processes: one front takes the requests, each is answered by the least busy process.

    front   Dispatch -- REQUEST --> worker 1   the whole app: language, engine, JSON
              |  ^------- START, BODY ... END --'
              '-------- REQUEST --> worker 2 ...

A slot is a place for a worker: `starting -> up -> lost -> starting ...`, at last `closed`. A task a
slot keeps it filled. A worker that is silent for long although it is asked (it was stopped, say) is
killed. When a worker is lost, each of its requests that has not begun to be answered is given to
another one, once; then it is a typed error, and so is the last line of a stream. A deadline holds
whatever becomes of the worker. `close` is for the owner of the app.

Workers are told to end by the end of their input, so they end with the front however that ends.
"""

from __future__ import annotations

import asyncio
import re
import signal
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import asdict, replace
from itertools import count

from prometheus_client import CollectorRegistry, Counter, Gauge
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dragoman.errors import DeadlineError
from dragoman.native.machine import cores
from dragoman.server.arriving import Arriving, is_arriving
from dragoman.server.clients import unless_gone
from dragoman.server.libretranslate.paths import WITH_A_MODEL
from dragoman.server.middleware import HttpMiddleware
from dragoman.server.problems import Problem, ProblemError, error_response, log_failure
from dragoman.server.processes.answer import Answer
from dragoman.server.processes.batch_parts import BATCH, join, split
from dragoman.server.processes.figures import Gathered
from dragoman.server.processes.frames import (
    Frame,
    Kind,
    body_message,
    receive_frame,
    request_content,
    settings_content,
    start_message,
    taken,
    took,
)
from dragoman.server.processes.window import Window
from dragoman.server.settings import Settings

COMMAND = (sys.executable, "-P", "-m", "dragoman.server.processes.worker")

# A worker is asked whether it is there so often, and has so long to say anything at all.
PING_SECONDS = 1.0
SILENCE_SECONDS = 10.0

# By so many seconds a worker has the first word about a deadline: its figures are better.
DEADLINE_MARGIN = 1.0
_DEADLINE = re.compile(rb'"deadline"\s*:\s*(\d[\d.eE+-]*)')

# How long a request waits for a worker to be up, and a worker is given to end.
START_SECONDS = 30
END_SECONDS = 5

# Pause before a worker is replaced that did not live for long: doubled each time, up to the last.
SHORT_LIFE_SECONDS = 5.0
PAUSE_SECONDS = (0.1, 30.0)

# Requests are given to another worker when theirs is lost, so many times.
RETRIES = 1

GONE = Problem(
    503, "worker-gone", "the process that translated this went away, twice", {},
    {"Retry-After": "1"},
)  # fmt: skip
NONE_UP = Problem(503, "not-ready", "no worker process is up", {}, {"Retry-After": "1"})


class WorkerLostError(Exception):
    """The process went away before it had answered."""


class Worker:
    """A process that is up.

    Frames are written without waiting: `RequestLimit` bounds what can be on its way.

    Args:
        figures: gets what it has counted.
    """

    def __init__(self, process: asyncio.subprocess.Process, figures: Gathered) -> None:
        self._process, self._figures = process, figures
        self._heard = time.monotonic()
        self._numbers = count(1)
        self._open: dict[int, asyncio.Queue[Frame | None]] = {}
        self._windows: dict[int, Window] = {}  # of bodies that are still arriving

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def load(self) -> int:
        """Requests that it is answering."""
        return len(self._open)

    async def exchange(
        self, scope: Scope, body: bytes, more: Arriving | None = None
    ) -> AsyncGenerator[Message]:
        """The messages of the answer to a request. Closing this early takes the request back.

        Args:
            more: the body, where it is still arriving.

        Raises:
            WorkerLostError: the process went away.
        """
        number = next(self._numbers)
        frames = self._open[number] = asyncio.Queue()
        self.write(Frame(number, Kind.REQUEST, request_content(scope, body)))
        forwarding = more and asyncio.ensure_future(self._forward(number, more))
        ended = False
        try:
            while not ended:
                frame = await frames.get()
                if frame is None:
                    raise WorkerLostError
                ended = frame.kind is Kind.END
                if frame.kind is Kind.START:
                    yield start_message(frame.content)
                else:
                    yield body_message(frame.content, more=not ended)
                    self.write(took(number, len(frame.content)))  # the client has room for more
        finally:
            del self._open[number]
            self._windows.pop(number, None)
            if forwarding:
                forwarding.cancel()
            if not ended:
                self.write(Frame(number, Kind.GONE))

    async def _forward(self, number: int, more: Arriving) -> None:
        window = self._windows[number] = Window()
        with suppress(ProblemError):  # the worker, which has the same limit, answers
            async for part in more.parts():
                if part:
                    await window.spend(len(part))
                    self.write(Frame(number, Kind.MORE, part))
            self.write(Frame(number, Kind.MORE))

    async def run(self) -> None:
        """Hand out what it writes until it ends; whoever still waits hears of its loss."""
        watching = asyncio.ensure_future(self._watch())
        try:
            while (frame := await _next_frame(self._process)) is not None:
                self._heard = time.monotonic()
                if frame.kind is Kind.FIGURES:
                    self._figures.add(frame.content)
                elif frame.kind is Kind.TOOK:
                    if frame.number in self._windows:
                        self._windows[frame.number].give_back(taken(frame))
                elif frame.number in self._open:  # else the client has left
                    self._open[frame.number].put_nowait(frame)
        finally:
            watching.cancel()
            for frames in self._open.values():
                frames.put_nowait(None)

    async def _watch(self) -> None:
        """Kill it when it is silent for too long."""
        self._heard = time.monotonic()
        while time.monotonic() - self._heard < SILENCE_SECONDS:
            self.write(Frame(0, Kind.PING))
            await asyncio.sleep(PING_SECONDS)
        self.kill()

    def end(self) -> None:
        """Ask it to settle what is open, and to end; one that was stopped goes on, to do so."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if sys.platform != "win32":
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    def write(self, frame: Frame) -> None:
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(frame.encoded())


async def _next_frame(process: asyncio.subprocess.Process) -> Frame | None:
    return None if process.stdout is None else await receive_frame(process.stdout)


class Workers:
    """All worker processes of a server.

    Args:
        settings: `workers` says how many; each has its share of the cores.
        registry: for the figures about the processes themselves.
        command: starts a worker.

    Attributes:
        losses: processes that went away by themselves.
    """

    def __init__(
        self, settings: Settings, registry: CollectorRegistry, command: Sequence[str] = COMMAND
    ) -> None:
        self._settings, self._command = settings, command
        self._up: list[Worker] = []
        self._alive: list[Worker] = []  # those that are starting or ending, too
        self._changed = asyncio.Condition()
        self._slots: list[asyncio.Task[None]] = []
        self._closed = False
        self._figures = Gathered()
        registry.register(self._figures)
        Gauge("dragoman_workers", "Worker processes that are up.", registry=registry).set_function(
            lambda: len(self._up)
        )
        self.losses = 0
        self._losses = Counter(
            "dragoman_workers_lost", "Worker processes that went away.", registry=registry
        )

    @property
    def up(self) -> list[Worker]:
        return self._up

    @property
    def body_bytes(self) -> int:
        return self._settings.body_bytes

    @property
    def batch_texts(self) -> int:
        return self._settings.batch_texts

    @property
    def closed(self) -> bool:
        return self._closed

    def start(self) -> None:
        """Start the processes; returns before they are up."""
        self._slots = [
            asyncio.create_task(self._keep_filled()) for _ in range(self._settings.workers)
        ]

    async def close(self) -> None:
        """End all processes; what is open is answered first, as cancelled."""
        self._closed = True
        await self._tell()
        for worker in self._alive:
            worker.end()
        if self._slots:
            await asyncio.wait(self._slots, timeout=END_SECONDS)
        for worker in self._alive:
            worker.kill()
        for slot in self._slots:
            slot.cancel()
        await asyncio.gather(*self._slots, return_exceptions=True)

    async def answer(
        self, scope: Scope, body: bytes, send: Send, more: Arriving | None = None
    ) -> Problem | None:
        """Have a request answered; a problem if it was not, and nothing has been sent.

        A body that is still arriving is given to one worker only: what was read of it is gone.

        Raises:
            WorkerLostError: the process went away in the middle of its answer.
        """
        for _ in range(1 if more else 1 + RETRIES):
            worker = await self._free()
            if worker is None:
                return NONE_UP
            answer = Answer(send)
            try:
                async with aclosing(worker.exchange(scope, body, more)) as messages:
                    async for message in messages:
                        await answer.take(message)
                return None
            except WorkerLostError:
                if answer.in_lines or answer.whole:
                    await answer.end()
                    return None
                if answer.begun:
                    raise
        return GONE

    async def _free(self) -> Worker | None:
        """The least busy worker, when one is up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(START_SECONDS), self._changed:
                await self._changed.wait_for(lambda: self._up or self._closed)
        return min(self._up, key=lambda worker: worker.load, default=None)

    async def _keep_filled(self) -> None:
        pause = 0.0
        while not self._closed:
            started = time.monotonic()
            try:
                await self._fill()
            except OSError as error:  # no process can be made: too many files, too little memory
                log_failure(error)
            if self._closed:
                return
            self.losses += 1
            self._losses.inc()
            lived = time.monotonic() - started
            short = lived < SHORT_LIFE_SECONDS
            pause = min(max(pause * 2, PAUSE_SECONDS[0]), PAUSE_SECONDS[1]) if short else 0.0
            with suppress(TimeoutError):
                async with asyncio.timeout(pause), self._changed:
                    await self._changed.wait_for(lambda: self._closed)

    async def _fill(self) -> None:
        """Run one process from its start to its end, whatever ends it."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is the front's to handle
        )
        worker = Worker(process, self._figures)
        self._alive.append(worker)
        try:
            worker.write(Frame(0, Kind.SETTINGS, settings_content(self._share())))
            ready = None
            with suppress(TimeoutError):
                async with asyncio.timeout(START_SECONDS):
                    ready = await _next_frame(process)
            if ready is None or self._closed:
                return
            self._up.append(worker)
            await self._tell()
            await worker.run()
        finally:
            if worker in self._up:
                self._up.remove(worker)
            worker.end()
            try:
                await _gone(process)
            finally:
                self._alive.remove(worker)

    def _share(self) -> dict[str, object]:
        """The settings of each worker."""
        threads = self._settings.threads or max(1, cores() // self._settings.workers)
        return asdict(replace(self._settings, workers=1, threads=threads, web=None))

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def _gone(process: asyncio.subprocess.Process) -> None:
    """Wait for the end of a process, for so long; then make it end."""
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await process.wait()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def deadline_of(path: str, body: bytes) -> float | None:
    """The deadline of a text, as its JSON says it: seconds. No text can hold these bytes: there a
    quotation mark has a backslash before it. None for what is none: the worker says what is wrong
    with it."""
    said = _DEADLINE.findall(body) if path == "/v1/translate" else []
    try:
        seconds = float(said[-1]) if said else 0.0
    except ValueError:
        return None
    return seconds if seconds > 0 else None


class Dispatch(HttpMiddleware):
    """Has the worker processes answer whatever needs a model; the rest is the front's own.

    A batch is cut in as many parts as there are processes, so that one client has all of them.
    """

    def __init__(self, app: ASGIApp, workers: Workers) -> None:
        super().__init__(app)
        self._workers = workers

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        ours = scope["path"].startswith("/v1/") or scope["path"] in WITH_A_MODEL
        if scope["method"] != "POST" or not ours:
            await self._app(scope, receive, send)
            return
        if is_arriving(scope):
            more = Arriving(receive, self._workers.body_bytes)
            await unless_gone(more.disconnected, self._arriving(scope, more, receive, send))
            return
        body: bytes = (await receive()).get("body", b"")  # `BodyLimit` has read all of it
        bodies = [body]
        if scope["path"] == BATCH:
            workers = self._workers
            bodies = await asyncio.to_thread(split, body, len(workers.up), workers.batch_texts)
        work = self._whole if len(bodies) == 1 else self._in_parts
        await unless_gone(receive, work(scope, bodies, receive, send))

    async def _whole(
        self, scope: Scope, bodies: Sequence[bytes], receive: Receive, send: Send
    ) -> None:
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            deadline.reschedule(None)  # the worker has kept it
            await send(message)

        seconds = deadline_of(scope["path"], bodies[0])
        try:
            async with asyncio.timeout(seconds and seconds + DEADLINE_MARGIN) as deadline:
                problem = await self._workers.answer(scope, bodies[0], watched)
        except TimeoutError:
            if begun or seconds is None:
                raise
            await error_response(DeadlineError(seconds, 0, 0))(scope, receive, send)
            return
        if problem is not None:
            await problem.response()(scope, receive, send)

    async def _arriving(self, scope: Scope, more: Arriving, receive: Receive, send: Send) -> None:
        problem = await self._workers.answer(scope, b"", send, more)
        if problem is not None:
            await problem.response()(scope, receive, send)

    async def _in_parts(
        self, scope: Scope, bodies: Sequence[bytes], receive: Receive, send: Send
    ) -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._part(scope, body)) for body in bodies]
        answers = [task.result() for task in tasks]
        # What fails a part as a whole, such as a missing model, would have failed the batch.
        answer = next((answer for answer in answers if answer.status_code != 200), None)
        if answer is None:
            content = await asyncio.to_thread(join, [bytes(answer.body) for answer in answers])
            answer = Response(content, media_type="application/json")
        await answer(scope, receive, send)

    async def _part(self, scope: Scope, body: bytes) -> Response:
        status, content = 500, bytearray()

        async def keep(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                content.extend(message["body"])

        try:
            problem = await self._workers.answer(scope, body, keep)
        except WorkerLostError:  # in the middle of its answer
            problem = GONE
        if problem is not None:
            return problem.response()
        return Response(bytes(content), status, media_type="application/json")
