"""A worker process: the same app as the front's, spoken to in frames on its standard streams.

    reader thread --frames--> event loop: a task a request --frames--> writer thread
          `-------------------------- PONG --------------------------------^

Both threads and every task end with the input: when the front closes it, and when the front is no
more. What is open is settled first. Only the writer thread writes to the front's pipe; whatever
else writes to standard output reaches standard error.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from starlette.types import Message, Scope

from dragoman.config import Limits
from dragoman.native.translator import share_interpreter
from dragoman.server.app import create_inner_app
from dragoman.server.arriving import is_arriving
from dragoman.server.loop.garbage import collect_seldom
from dragoman.server.pool import LoadFunction
from dragoman.server.processes.figures import FigureNews
from dragoman.server.processes.frames import (
    Frame,
    Kind,
    read_frame,
    request_of,
    start_content,
    taken,
    took,
)
from dragoman.server.processes.window import Window
from dragoman.server.settings import Settings


def main(load: LoadFunction | None = None) -> None:
    """Serve until the front closes the input.

    Args:
        load: as in `create_app`; tests put another one here.
    """
    share_interpreter()
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    first = read_frame(source)
    if first is None or first.kind is not Kind.SETTINGS:
        return
    registry = CollectorRegistry()
    app = create_inner_app(read_settings(first.content), registry, load)
    collect_seldom()
    asyncio.run(_Worker(app, FigureNews(registry), sink).run(source))


def read_settings(content: bytes) -> Settings:
    data: dict[str, Any] = json.loads(content)
    models = data.pop("models")
    return Settings(
        **data
        | {
            "models": None if models is None else tuple(Path(folder) for folder in models),
            "allow_origins": tuple(data["allow_origins"]),
            "allow_hosts": tuple(data["allow_hosts"]),
            "limits": Limits(**data["limits"]),
        }
    )


class _Worker:
    def __init__(self, app: FastAPI, news: FigureNews, sink: BinaryIO) -> None:
        self._app, self._news = app, news
        self._frames: SimpleQueue[Frame | None] = SimpleQueue()
        self._writer = threading.Thread(target=_write, args=(sink, self._frames), daemon=True)
        self._incoming: dict[int, asyncio.Queue[Message]] = {}
        self._windows: dict[int, Window] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, source: BinaryIO) -> None:
        self._writer.start()
        async with self._app.router.lifespan_context(self._app):
            incoming: asyncio.Queue[Frame | None] = asyncio.Queue()
            reader = threading.Thread(
                target=_read,
                args=(source, asyncio.get_running_loop(), incoming, self._frames),
                daemon=True,
            )
            reader.start()
            self._frames.put(Frame(0, Kind.READY))
            while (frame := await incoming.get()) is not None:
                self._take(frame)
            await self._app.state.close()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._frames.put(None)
        self._writer.join()

    def _take(self, frame: Frame) -> None:
        if frame.kind is not Kind.REQUEST:
            if frame.number in self._incoming:  # else it has been answered
                self._take_more(frame)
            return
        scope, body = request_of(frame.content)
        incoming = self._incoming[frame.number] = asyncio.Queue()
        self._windows[frame.number] = Window()
        if not is_arriving(scope):
            incoming.put_nowait({"type": "http.request", "body": body, "more_body": False})
        task = asyncio.create_task(self._answer(frame.number, scope, incoming))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _take_more(self, frame: Frame) -> None:
        """Of a request that is being answered."""
        if frame.kind is Kind.TOOK:
            self._windows[frame.number].give_back(taken(frame))
            return
        if frame.kind is Kind.GONE:
            self._windows[frame.number].lift()
        self._incoming[frame.number].put_nowait(_message(frame))

    async def _answer(self, number: int, scope: Scope, incoming: asyncio.Queue[Message]) -> None:
        window = self._windows[number]

        async def receive() -> Message:
            message = await incoming.get()
            if message.get("more_body"):
                self._frames.put(took(number, len(message["body"])))
            return message

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._frames.put(Frame(number, Kind.START, start_content(message)))
                return
            body: bytes = message.get("body", b"")
            await window.spend(len(body))
            self._frames.put(Frame(number, Kind.BODY, body))

        try:
            await self._app(scope, receive, send)
        finally:
            del self._incoming[number], self._windows[number]
            news = self._news.take()
            if news:
                self._frames.put(Frame(0, Kind.FIGURES, news))
            self._frames.put(Frame(number, Kind.END))


def _message(frame: Frame) -> Message:
    """Of MORE and GONE."""
    if frame.kind is Kind.GONE:
        return {"type": "http.disconnect"}
    return {"type": "http.request", "body": frame.content, "more_body": bool(frame.content)}


def _read(
    source: BinaryIO,
    loop: asyncio.AbstractEventLoop,
    incoming: asyncio.Queue[Frame | None],
    outgoing: SimpleQueue[Frame | None],
) -> None:
    while True:
        frame = read_frame(source)
        if frame is not None and frame.kind is Kind.PING:
            outgoing.put(Frame(0, Kind.PONG))  # at once, whatever the event loop is at
            continue
        loop.call_soon_threadsafe(incoming.put_nowait, frame)
        if frame is None:
            return


def _write(sink: BinaryIO, frames: SimpleQueue[Frame | None]) -> None:
    try:
        while (frame := frames.get()) is not None:
            sink.write(frame.encoded())
            if frames.empty():
                sink.flush()
        sink.flush()
    except OSError:  # the front is no more: the input ends, too
        return


if __name__ == "__main__":
    main()
