"""What lives in the translator's thread, and who waits for it and hears of it meanwhile."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeVar

from dragoman.config import Limits
from dragoman.engines.bundle import Manifest
from dragoman.errors import EngineError, RequestCancelledError
from dragoman.native.files import reason
from dragoman.native.origin import Origin
from dragoman.routing.registry import ModelRegistry, ModelSource
from dragoman.routing.router import Router
from dragoman.routing.stream import TranslationStream
from dragoman.service.progress import Progress, ProgressListener
from dragoman.types import LanguagePair

Result = TypeVar("Result")

# So long a loop that nobody wants goes on: a process that Ctrl-C ends has gone by then. Nothing can
# be ended well while it goes, for no thread begins any more.
MOMENT_SECONDS = 1.0


@dataclass(slots=True)
class _Told:
    """The latest figures of one request: they go with it, for there may be any number of them."""

    done: int = 0
    total: int = 0


class Waiting:
    """Brings progress from the loop's thread to the one that waits, and adds it up."""

    def __init__(self, on_progress: ProgressListener | None) -> None:
        self._on_progress = on_progress
        self._origin = Origin()
        self._events: SimpleQueue[tuple[_Told, Progress] | None] = SimpleQueue()
        self._done = self._total = 0

    def listener(self) -> ProgressListener:
        """What one request reports to."""
        if self._on_progress is None:
            return lambda _: None
        told = _Told()
        return lambda progress: self._events.put((told, progress))

    def result(self, future: Future[Result]) -> Result:
        """The response, or its error; progress is reported meanwhile.

        Raises:
            EngineError: this process is a fork of the one that has the translator.
        """
        if not future.done():
            self._origin.check()
        future.add_done_callback(lambda _: self._events.put(None))
        while (event := self._events.get()) is not None:
            self._report(*event)
        try:
            return future.result()
        except CancelledError as error:
            raise RequestCancelledError("the request was cancelled") from error

    def _report(self, told: _Told, progress: Progress) -> None:
        self._done += progress.done - told.done
        self._total += progress.total - told.total
        told.done, told.total = progress.done, progress.total
        if self._on_progress is not None:
            self._on_progress(Progress(progress.state, self._done, self._total))


# --- the translator's thread ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Running:
    """What other threads may know of that thread.

    Attributes:
        manifest: of the first of the models that were loaded at once.
        stop: ends the loop, once what is open is settled.
        streams: those that are open.
    """

    loop: asyncio.AbstractEventLoop
    registry: ModelRegistry
    router: Router
    manifest: Manifest
    stop: asyncio.Event
    streams: weakref.WeakSet[TranslationStream]


def serve(
    models: ModelSource, limits: Limits, legs: Sequence[LanguagePair], running: Future[Running]
) -> None:
    """`run` on a loop of its own; where there can be none, `running` gets that error too."""
    work = run(models, limits, legs, running)
    try:
        asyncio.run(work)
    except BaseException as error:
        work.close()
        if running.done():
            raise
        running.set_exception(_cannot_begin(error) if isinstance(error, OSError) else error)


def begin(thread: threading.Thread) -> None:
    """Start the translator's thread.

    Raises:
        EngineError: the system has none to give.
    """
    try:
        thread.start()
    except RuntimeError as error:
        raise _cannot_begin(error) from error


def _cannot_begin(error: Exception) -> EngineError:
    return EngineError(f"the translator's thread cannot begin: {reason(error)}")


async def run(
    models: ModelSource, limits: Limits, legs: Sequence[LanguagePair], running: Future[Running]
) -> None:
    """Load the models of some pairs, then serve until `Running.stop` is set.

    Args:
        running: gets what has begun, or the error in which it ended at once.
    """
    registry = ModelRegistry(models, limits)
    try:
        # Loaded, and kept as long as the budget allows.
        manifests = await asyncio.gather(*(_manifest(registry, leg) for leg in legs))
    except Exception as error:
        await registry.close()
        running.set_exception(error)
        return
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    streams = weakref.WeakSet[TranslationStream]()
    router = Router(registry, limits)
    running.set_result(Running(loop, registry, router, manifests[0], stop, streams))
    await stop.wait()
    for stream in list(streams):  # one may be waiting for nothing but more text
        stream.cancel()
    await registry.close()
    # Those who wait for a response in other threads must hear of its end before the loop is gone.
    clients = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*clients, return_exceptions=True)


async def _manifest(registry: ModelRegistry, pair: LanguagePair) -> Manifest:
    async with registry.lease(*pair) as service:
        return service.pipeline.manifest


def stop_unwanted(running: Future[Running]) -> None:
    """End a loop soon after it has begun: who wanted it has left."""
    if running.exception() is None:
        loop, end = running.result().loop, running.result().stop.set
        loop.call_soon_threadsafe(loop.call_later, MOMENT_SECONDS, end)
