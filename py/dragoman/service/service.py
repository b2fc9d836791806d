"""The translation service: many requests, one queue, one engine.

    submit --> Intake --slice--> SegmentQueue --take--> EngineLoop --> Finisher --> response
      |      (a task)   ^                               (a task: one mini-batch in the engine while
      |                 | SentenceCache <------------.   the last one is finished on this side)
      v                 `----------------------------'
    handle.response  ends in exactly one of: a response, a typed error, cancelled (Ledger)

Everything here runs on one event loop. `close` may be called by the owner of the service only; it
settles every open request as cancelled, takes the engine's run back, then closes the engine.

The two tasks outlive whatever engines, stages and listeners throw: a failure is caught where it can
be given to its request. One that nobody foresaw ends both tasks: then every open request ends with
it, and the service begins anew with empty rooms (`restarts` in its figures).

A request leaves ledger, preparation and queue when its future is done, be that by the service or by
a client that cancels the future itself, or when its future is gone. A mini-batch whose requests
have all left is taken back from the engine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from dragoman.config import Limits
from dragoman.engines.port import Engine
from dragoman.errors import InvalidRequestError, LanguagePairError, RequestCancelledError, typed
from dragoman.pipeline.pipeline import Pipeline
from dragoman.service.batching import SegmentQueue
from dragoman.service.cache import SentenceCache
from dragoman.service.counters import Statistics
from dragoman.service.engine_loop import EngineLoop
from dragoman.service.finisher import Finisher
from dragoman.service.handle import TranslationHandle
from dragoman.service.intake import Intake
from dragoman.service.job import Job
from dragoman.service.ledger import EndListener, Ledger
from dragoman.service.progress import Progress, ProgressListener, RequestState
from dragoman.service.ticket import Ticket
from dragoman.types import Priority, TranslationRequest, TranslationResponse

__all__ = [
    "Progress",
    "ProgressListener",
    "RequestState",
    "Statistics",
    "Ticket",
    "TranslationHandle",
    "TranslationService",
]


class TranslationService:
    """Translates with one model. Use it on one event loop.

    Args:
        cache: one to share with other services; by default the service has its own.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        engine: Engine,
        limits: Limits,
        cache: SentenceCache | None = None,
    ) -> None:
        self.pipeline = pipeline
        self._engine = engine
        self._limits = limits
        self._cache = SentenceCache(limits.cache_bytes) if cache is None else cache
        self._ledger = Ledger()
        self._make_rooms()
        self._closing: asyncio.Task[None] | None = None
        self._working = asyncio.ensure_future(self._work())

    def _make_rooms(self) -> None:
        """Empty ones; the ledger stays."""
        ledger, limits = self._ledger, self._limits
        self._queue = SegmentQueue(limits)
        self._finisher = Finisher(self.pipeline, self._cache, ledger, self._queue)
        self._intake = Intake(self.pipeline, limits, self._queue, ledger, self._finisher)
        self._loop = EngineLoop(
            self._engine, limits, self._queue, self._intake, ledger, self._finisher
        )
        ledger.on_leave = [self._intake.forget, self._finisher.forget, self._loop.forget]

    def submit(
        self,
        request: TranslationRequest,
        ticket: Ticket | None = None,
        on_end: EndListener | None = None,
    ) -> TranslationHandle:
        """Take a request on; it is worked at from the next turn of the event loop.

        Args:
            ticket: of the request; by default it gets one now.
            on_end: called once, with the response or the error in which the request ended. It keeps
                the request alive, as an awaited future does; without either, dropping the handle
                cancels.

        Raises:
            LanguagePairError: the model is for other languages.
            InvalidRequestError: the deadline is not within its limits, the text is no string.
            RequestCancelledError: the service is closed.
        """
        self._check(request)
        ticket = ticket or Ticket.of(request, self._limits)
        job, future = self._ledger.enter(request, ticket, on_end)
        ticket.hand_over(partial(self._prioritize, job))
        self._intake.admit(job)
        return TranslationHandle(self._ledger, job, future)

    async def translate(
        self, request: TranslationRequest, ticket: Ticket | None = None
    ) -> TranslationResponse:
        """Submit and wait; cancelling the task that waits cancels the request."""
        handle = self.submit(request, ticket)
        try:
            # Not `shield`: that reports the error of what was taken back as one of nobody's.
            await asyncio.wait((handle.response,))
        except asyncio.CancelledError:
            handle.cancel()
            raise
        return handle.response.result()

    def statistics(self) -> Statistics:
        """Figures of what was done, and of what is held now."""
        counters, ended = self._ledger.counters, self._ledger.counters.ended
        return Statistics(
            submitted=counters.submitted,
            done=ended[RequestState.DONE],
            failed=ended[RequestState.FAILED],
            cancelled=ended[RequestState.CANCELLED],
            open_requests=len(self._ledger.jobs),
            queued_sentences=len(self._queue),
            queued_characters=self._queue.characters,
            running_sentences=self._loop.sentences,
            mini_batches=counters.mini_batches,
            rows=counters.rows,
            padded_pieces=counters.padded_pieces,
            engine_seconds=counters.engine_seconds,
            cache_hits=counters.cache_hits,
            cache_misses=counters.cache_misses,
            cache_entries=len(self._cache),
            cache_bytes=self._cache.bytes,
            restarts=counters.restarts,
        )

    async def close(self) -> None:
        """Settle every open request as cancelled, take the engine's run back, and close it."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self._ledger.fail_all(RequestCancelledError("the service was closed"))
        self._loop.stop()
        self._intake.stop()
        await asyncio.gather(self._working, return_exceptions=True)
        await self._engine.close()

    async def _work(self) -> None:
        """The two tasks, until the service closes or whoever has the event loop ends them."""
        try:
            while not self._closing:
                await self._until_failure()
        finally:
            self._ledger.fail_all(RequestCancelledError("the service has ended"))

    async def _until_failure(self) -> None:
        """Returns when the tasks have ended, or one has failed and there are new rooms."""
        failed = self._loop
        tasks = [asyncio.ensure_future(work) for work in (self._intake.run(), failed.run())]
        try:
            await asyncio.gather(*tasks)
        except Exception as error:
            self._begin_anew(error)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await failed.abandon()
        finally:
            for task in tasks:
                task.cancel()

    def _begin_anew(self, error: Exception) -> None:
        """End what is under way; whoever comes from now on is in the new rooms."""
        asyncio.get_running_loop().call_exception_handler(
            {"message": "a translation service failed and begins anew", "exception": error}
        )
        self._ledger.counters.restarts += 1
        self._ledger.fail_all(typed(error))
        self._make_rooms()

    def _check(self, request: TranslationRequest) -> None:
        if self._closing or self._working.done():
            raise RequestCancelledError("the service is closed")
        # Else it could neither be admitted nor leave again.
        for name, kind in ("text", str), ("elements", Sequence):
            value = getattr(request, name)
            if not isinstance(value, kind):
                raise InvalidRequestError(f"{name} is of type {type(value).__name__}", field=name)
        manifest = self.pipeline.manifest
        if (request.source, request.target) != (manifest.source, manifest.target):
            available = f"{manifest.source}-{manifest.target}"
            raise LanguagePairError(request.source, request.target, available)

    def _prioritize(self, job: Job, priority: Priority) -> None:
        self._intake.prioritize(job, priority)
