"""The translation service: many requests, one queue, one engine.

    submit --> draft --> slices --> SegmentQueue --take--> engine.run --> hypotheses --> response
      |        (prepare task,       ^                (work task: one mini-batch in the engine
      |         yields between       \\ drop on cancel  while the last one is being finished)
      v         slices)
    handle.response  ends in exactly one of: a response, a typed error, cancelled

Everything here runs on one event loop. `close` may be called by the owner of the service only; it
settles every open request as cancelled, takes the engine's run back, then closes the engine.

The work task must outlive whatever engines, stages and listeners throw: a failure is caught where
it can be given to its request. A request leaves `_jobs` and the queue when its future is done, be
that by the service or by a client that cancels the future itself.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any

from dragoman.batching import SegmentQueue
from dragoman.config import Limits
from dragoman.engine import Engine
from dragoman.errors import (
    DragomanError,
    EngineError,
    LanguagePairError,
    RequestCancelledError,
)
from dragoman.pipeline import Draft, Pipeline
from dragoman.search import hypotheses
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    EngineOutput,
    Hypothesis,
    MiniBatch,
    Notice,
    Segment,
    Span,
    Timings,
    TranslationRequest,
    TranslationResponse,
)


class RequestState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Progress:
    """Sentences (parts) done of all; `total` grows while a long text is still being split up."""

    state: RequestState
    done: int
    total: int


ProgressListener = Callable[[Progress], None]


@dataclass
class _Job:
    """A request under way: the only mutable record of the service, owned by the event loop."""

    id: int
    request: TranslationRequest
    future: asyncio.Future[TranslationResponse]
    listener: ProgressListener | None
    submitted: float
    draft: Draft | None = None
    parts: list[Segment | Span | AlignedSegment] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    open_segments: int = 0
    prepared: bool = False
    tokenize: float = 0.0
    started: float | None = None
    engine: float = 0.0
    assemble: float = 0.0

    def progress(self, state: RequestState) -> Progress:
        return Progress(state, len(self.parts) - self.open_segments, len(self.parts))

    def report(self, state: RequestState) -> None:
        if self.listener is None:
            return
        try:
            self.listener(self.progress(state))
        except Exception as error:  # Foreign code: it must not end a request.
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a progress listener failed", "exception": error}
            )


@dataclass(frozen=True, slots=True)
class _Run:
    """A mini-batch in the engine."""

    batch: MiniBatch
    attention: bool
    task: asyncio.Task[EngineOutput]
    started: float


class TranslationHandle:
    """What `submit` gives back: await `response`, look at `progress`, or `cancel`."""

    def __init__(self, service: TranslationService, job: _Job) -> None:
        self._service, self._job = service, job

    @property
    def response(self) -> asyncio.Future[TranslationResponse]:
        return self._job.future

    @property
    def progress(self) -> Progress:
        return self._job.progress(self._state())

    def cancel(self) -> None:
        """Take the request back: its future ends in `RequestCancelledError`, if not ended."""
        self._service._fail(self._job, RequestCancelledError("the request was cancelled"))

    def _state(self) -> RequestState:
        future = self._job.future
        if not future.done():
            return RequestState.QUEUED if self._job.started is None else RequestState.RUNNING
        if future.cancelled():
            return RequestState.CANCELLED
        error = future.exception()
        if error is None:
            return RequestState.DONE
        cancelled = isinstance(error, RequestCancelledError)
        return RequestState.CANCELLED if cancelled else RequestState.FAILED


class TranslationService:
    """Translates with one model. Use it on one event loop."""

    def __init__(self, pipeline: Pipeline, engine: Engine, limits: Limits) -> None:
        self.pipeline = pipeline
        self._engine = engine
        self._queue = SegmentQueue(limits)
        self._jobs: dict[int, _Job] = {}
        self._ids = count(1)
        self._wake = asyncio.Event()
        self._freed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._run: _Run | None = None
        self._closing: asyncio.Task[None] | None = None
        self._spawn(self._work())

    def submit(
        self, request: TranslationRequest, listener: ProgressListener | None = None
    ) -> TranslationHandle:
        """Take a request on; it is worked at from the next turn of the event loop.

        Raises:
            LanguagePairError: the model is for other languages.
            RequestCancelledError: the service is closed.
        """
        manifest = self.pipeline.manifest
        if self._closing:
            raise RequestCancelledError("the service is closed")
        if (request.source, request.target) != (manifest.source, manifest.target):
            available = f"{manifest.source}-{manifest.target}"
            raise LanguagePairError(request.source, request.target, available)
        future: asyncio.Future[TranslationResponse] = asyncio.get_running_loop().create_future()
        job = _Job(next(self._ids), request, future, listener, time.perf_counter())
        self._jobs[job.id] = job
        future.add_done_callback(lambda _: self._forget(job))
        self._spawn(self._prepare(job))
        return TranslationHandle(self, job)

    async def translate(
        self, request: TranslationRequest, listener: ProgressListener | None = None
    ) -> TranslationResponse:
        """Submit and wait; cancelling the task that waits cancels the request."""
        handle = self.submit(request, listener)
        try:
            return await asyncio.shield(handle.response)
        except asyncio.CancelledError:
            handle.cancel()
            raise

    async def close(self) -> None:
        """Settle every open request as cancelled, take the engine's run back, and close it."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        for job in list(self._jobs.values()):
            self._fail(job, RequestCancelledError("the service was closed"))
        if self._run is not None:
            self._run.task.cancel()  # It may never end by itself.
        self._wake.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._engine.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Preparing: one task a request.

    async def _prepare(self, job: _Job) -> None:
        if job.future.done():
            return
        try:
            start = time.perf_counter()
            job.draft = self.pipeline.draft(job.id, job.request)
            slices = self.pipeline.slices(job.draft)
            job.tokenize += time.perf_counter() - start
            while not job.future.done():
                start = time.perf_counter()
                made = next(slices, None)
                job.tokenize += time.perf_counter() - start
                if made is None:
                    break
                segments = [part for part in made.parts if isinstance(part, Segment)]
                if job.parts and not await self._room(job, len(segments)):
                    break
                self._queue.add(segments)
                job.parts += made.parts
                job.notices += made.notices
                job.open_segments += len(segments)
                self._wake.set()
                job.report(RequestState.QUEUED if job.started is None else RequestState.RUNNING)
                # Others may submit, cancel and be answered between two slices.
                await asyncio.sleep(0)
            job.prepared = True
            self._finish_if_complete(job)
        except Exception as error:
            self._fail(job, _stage_error(error))

    async def _room(self, job: _Job, count: int) -> bool:
        """Wait until the queue can take more of a request that it has begun to take.

        A full queue refuses a request at its first slice only: a long text goes in bit by bit.
        Returns False when the request has ended meanwhile.
        """
        while len(self._queue) and not self._queue.has_room(count) and not job.future.done():
            self._freed.clear()
            await self._freed.wait()
        return not job.future.done()

    # Working: one task for the engine.

    async def _work(self) -> None:
        while True:
            finished, seconds = self._run, 0.0
            if finished is not None:
                await asyncio.wait([finished.task])
                seconds = time.perf_counter() - finished.started
            # The engine gets its next mini-batch before the last one is finished on this side.
            self._run = self._start()
            if finished is not None:
                self._collect(finished, seconds)
            if self._run is None:
                if self._closing:
                    return
                self._wake.clear()
                await self._wake.wait()

    def _start(self) -> _Run | None:
        if self._closing or not len(self._queue):
            return None
        batch = self._queue.take()
        self._freed.set()
        now = time.perf_counter()
        jobs = [self._jobs[segment.request] for segment in batch.segments]
        attention = any(job.request.alignment is not AlignmentKind.NONE for job in jobs)
        for job in jobs:
            if job.started is None:
                job.started = now
        return _Run(
            batch, attention, asyncio.ensure_future(self._engine_run(batch, attention)), now
        )

    async def _engine_run(self, batch: MiniBatch, attention: bool) -> EngineOutput:
        return await self._engine.run(batch, attention=attention)

    def _collect(self, run: _Run, seconds: float) -> None:
        try:
            found = hypotheses(run.batch, run.task.result(), run.attention)
        except (Exception, asyncio.CancelledError) as error:
            failure = _engine_error(error)
            for segment in run.batch.segments:
                if segment.request in self._jobs:
                    self._fail(self._jobs[segment.request], failure)
            return
        by_request: dict[int, list[Hypothesis]] = defaultdict(list)
        for hypothesis in found:
            by_request[hypothesis.segment.request].append(hypothesis)
        for request, results in by_request.items():
            if request in self._jobs:
                self._accept(self._jobs[request], results, seconds)

    def _accept(self, job: _Job, found: list[Hypothesis], seconds: float) -> None:
        if job.draft is None or job.future.done():
            return
        start = time.perf_counter()
        try:
            for aligned in self.pipeline.finish(job.draft, found):
                job.parts[aligned.hypothesis.segment.index] = aligned
            job.assemble += time.perf_counter() - start
            job.engine += seconds
            job.open_segments -= len(found)
            job.report(RequestState.RUNNING)
            self._finish_if_complete(job)
        except Exception as error:
            self._fail(job, _stage_error(error))

    def _finish_if_complete(self, job: _Job) -> None:
        if not job.prepared or job.open_segments or job.draft is None or job.future.done():
            return
        now = time.perf_counter()
        timings = Timings(
            queued=(job.started or now) - job.submitted,
            tokenize=job.tokenize,
            engine=job.engine,
            assemble=job.assemble,
            total=now - job.submitted,
        )
        parts = [part for part in job.parts if not isinstance(part, Segment)]
        response = self.pipeline.respond(job.draft, parts, job.notices, timings)
        self._forget(job)
        job.future.set_result(response)

    def _fail(self, job: _Job, error: DragomanError) -> None:
        """End a request with an error; what it has in the queue is forgotten."""
        if job.future.done():
            return
        self._forget(job)
        job.future.set_exception(error)
        # The client may never look: that is no unhandled error of the event loop.
        job.future.exception()

    def _forget(self, job: _Job) -> None:
        self._jobs.pop(job.id, None)
        self._queue.drop(job.id)
        self._freed.set()


def _engine_error(error: BaseException) -> DragomanError:
    """An engine is foreign code: whatever it throws ends the requests of its mini-batch."""
    if isinstance(error, DragomanError):
        return error
    failure = EngineError(f"the engine failed: {str(error) or type(error).__name__}")
    failure.__cause__ = error
    return failure


def _stage_error(error: Exception) -> DragomanError:
    """What no stage throws on purpose (memory, a mistake of ours) still ends one request only."""
    if isinstance(error, DragomanError):
        return error
    failure = DragomanError(f"an unforeseen error: {error!r}")
    failure.__cause__ = error
    return failure
