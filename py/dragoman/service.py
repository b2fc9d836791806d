"""The translation service: many requests, one queue, one engine.

    submit --> draft --> slices --> SegmentQueue --take--> engine.run --> hypotheses --> response
      |        (prepare task,       ^                (work task: one mini-batch in the engine
      |         yields between       \\ drop on cancel  while the last one is being finished)
      v         slices)
    handle.response  ends in exactly one of: a response, a typed error, cancelled

Everything here runs on one event loop. `close` may be called by the owner of the service only; it
settles every open request as cancelled, then closes the engine.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count

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
        if self.listener:
            self.listener(self.progress(state))


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
        """Take the request back; its future ends in `RequestCancelledError`, unless it has ended."""
        self._service._fail(self._job, RequestCancelledError("the request was cancelled"))

    def _state(self) -> RequestState:
        future = self._job.future
        if not future.done():
            return RequestState.QUEUED if self._job.started is None else RequestState.RUNNING
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
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False
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
        if self._closed:
            raise RequestCancelledError("the service is closed")
        if (request.source, request.target) != (manifest.source, manifest.target):
            available = f"{manifest.source}-{manifest.target}"
            raise LanguagePairError(request.source, request.target, available)
        future: asyncio.Future[TranslationResponse] = asyncio.get_running_loop().create_future()
        job = _Job(next(self._ids), request, future, listener, time.perf_counter())
        self._jobs[job.id] = job
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
        """Settle every open request as cancelled, wait for the engine's last run, and close it."""
        if self._closed:
            return
        self._closed = True
        for job in list(self._jobs.values()):
            self._fail(job, RequestCancelledError("the service was closed"))
        self._wake.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._engine.close()

    def _spawn(self, work: object) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)  # type: ignore[arg-type]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Preparing: one task a request.

    async def _prepare(self, job: _Job) -> None:
        try:
            job.draft = self.pipeline.draft(job.id, job.request)
            slices = self.pipeline.slices(job.draft)
            while not job.future.done():
                start = time.perf_counter()
                made = next(slices, None)
                job.tokenize += time.perf_counter() - start
                if made is None:
                    break
                segments = [part for part in made.parts if isinstance(part, Segment)]
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
        except DragomanError as error:
            self._fail(job, error)

    # Working: one task for the engine.

    async def _work(self) -> None:
        running: tuple[MiniBatch, asyncio.Task[EngineOutput], float] | None = None
        while True:
            finished = None
            if running is not None:
                batch, task, start = running
                await asyncio.wait([task])
                finished = (batch, task, time.perf_counter() - start)
            # The engine gets its next mini-batch before the last one is finished on this side.
            running = self._start()
            if finished is not None:
                self._collect(*finished)
            if running is None:
                if len(self._queue):
                    continue
                if self._closed:
                    return
                self._wake.clear()
                await self._wake.wait()

    def _start(self) -> tuple[MiniBatch, asyncio.Task[EngineOutput], float] | None:
        if not len(self._queue):
            return None
        batch = self._queue.take()
        now = time.perf_counter()
        jobs = [self._jobs[segment.request] for segment in batch.segments]
        attention = any(job.request.alignment is not AlignmentKind.NONE for job in jobs)
        for job in jobs:
            if job.started is None:
                job.started = now
        return batch, asyncio.ensure_future(self._engine.run(batch, attention=attention)), now

    def _collect(
        self, batch: MiniBatch, task: asyncio.Task[EngineOutput], seconds: float
    ) -> None:
        jobs = {segment.request: self._jobs.get(segment.request) for segment in batch.segments}
        try:
            output = task.result()
            found = hypotheses(batch, output, attention=len(output.attention) > 0)
        except DragomanError as error:
            failure: DragomanError = error
        except Exception as error:  # An engine is foreign code: whatever it throws ends the request.
            failure = EngineError(f"the engine failed: {error}")
            failure.__cause__ = error
        else:
            by_request: dict[int, list[Hypothesis]] = defaultdict(list)
            for hypothesis in found:
                by_request[hypothesis.segment.request].append(hypothesis)
            for request, results in by_request.items():
                job = jobs[request]
                if job is not None:
                    self._accept(job, results, seconds)
            return
        for job in jobs.values():
            if job is not None:
                self._fail(job, failure)

    def _accept(self, job: _Job, found: list[Hypothesis], seconds: float) -> None:
        if job.draft is None:
            return
        start = time.perf_counter()
        for aligned in self.pipeline.finish(job.draft, found):
            job.parts[aligned.hypothesis.segment.index] = aligned
        job.assemble += time.perf_counter() - start
        job.engine += seconds
        job.open_segments -= len(found)
        job.report(RequestState.RUNNING)
        self._finish_if_complete(job)

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
        self._jobs.pop(job.id, None)
        job.future.set_result(response)

    def _fail(self, job: _Job, error: DragomanError) -> None:
        """End a request with an error; what it has in the queue is forgotten."""
        if job.future.done():
            return
        self._jobs.pop(job.id, None)
        self._queue.drop(job.id)
        job.future.set_exception(error)
        # The client may never look: that is no unhandled error of the event loop.
        job.future.exception()
