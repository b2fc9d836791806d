"""The translation service: many requests, one queue, one engine.

    submit --> Preparation --slice--> SegmentQueue --take--> engine.run --> hypotheses --> response
      |            (prepare task)     ^      (work task: one mini-batch in the engine while the
      |             | ^ SentenceCache |       last one is finished on this side, urgent ones first)
      v             `-'               `-- cancel, deadline, abandon: dropped at once
    handle.response  ends in exactly one of: a response, a typed error, cancelled

Everything here runs on one event loop. `close` may be called by the owner of the service only; it
settles every open request as cancelled, takes the engine's run back, then closes the engine.

The two tasks must outlive whatever engines, stages and listeners throw: a failure is caught where
it can be given to its request. A request leaves `_jobs`, preparation and queue when its future is
done, be that by the service or by a client that cancels the future itself, or when its future is
gone. A mini-batch whose requests have all left is taken back from the engine.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any

from dragoman.config import Limits
from dragoman.engines.port import Engine
from dragoman.errors import (
    DeadlineError,
    DragomanError,
    EngineError,
    InvalidRequestError,
    LanguagePairError,
    RequestCancelledError,
    typed,
)
from dragoman.pipeline.hypotheses import FailedRow, rows
from dragoman.pipeline.pipeline import Pipeline, Slice
from dragoman.service.batching import SegmentQueue, mini_batch
from dragoman.service.cache import SentenceCache
from dragoman.service.counters import Counters, Statistics
from dragoman.service.handle import ResponseFuture, TranslationHandle
from dragoman.service.job import (
    Job,
    Progress,
    ProgressListener,
    RequestState,
    SentenceState,
    source_span,
)
from dragoman.service.preparation import Preparation
from dragoman.types import (
    AlignedSegment,
    EngineOutput,
    Hypothesis,
    MiniBatch,
    Priority,
    Segment,
    Timings,
    TranslationRequest,
    TranslationResponse,
    WhenFull,
)

__all__ = [
    "Progress",
    "ProgressListener",
    "RequestState",
    "Statistics",
    "TranslationHandle",
    "TranslationService",
]

# Characters that are tokenized before other work gets a turn.
TURN_CHARACTERS = 4_000

# Results are finished in bits, so that an urgent one does not wait for all of a mini-batch: seconds
# before the event loop has its turn, and sentences of one request at a time.
FINISH_SECONDS = 0.004
FINISH_SENTENCES = 8

EndListener = Callable[[TranslationResponse | DragomanError], object]


@dataclass(slots=True)
class _RunningBatch:
    """A mini-batch in the engine.

    Attributes:
        requests: those that still want it.
        overdue: whether it was taken back because it took too long.
    """

    batch: MiniBatch
    attention: bool
    task: asyncio.Task[EngineOutput]
    started: float
    requests: set[int]
    overdue: bool = False


class TranslationService:
    """Translates with one model. Use it on one event loop.

    It has many methods because its two tasks and every end of a request change the same state (the
    open jobs, the queue, the mini-batch in the engine), which nothing else may see half changed.

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
        self._queue = SegmentQueue(limits)
        self._cache = SentenceCache(limits.cache_bytes) if cache is None else cache
        self._preparation = Preparation(limits.patience)
        self._jobs: dict[int, Job] = {}
        self._awaited: set[asyncio.Future[TranslationResponse]] = set()
        self._ids = count(1)
        self._counters = Counters()
        self._to_prepare = asyncio.Event()
        self._preparing = False
        self._to_run = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._run: _RunningBatch | None = None
        self._order = count()
        self._results: list[tuple[int, int, Hypothesis]] = []  # a heap, the most urgent first
        self._closing: asyncio.Task[None] | None = None
        self._spawn(self._prepare())
        self._spawn(self._work())

    def submit(
        self,
        request: TranslationRequest,
        listener: ProgressListener | None = None,
        on_end: EndListener | None = None,
    ) -> TranslationHandle:
        """Take a request on; it is worked at from the next turn of the event loop.

        Args:
            listener: hears of progress.
            on_end: called once, with the response or the error in which the request ended. It keeps
                the request alive, as an awaited future does; without either, dropping the handle
                cancels.

        Raises:
            LanguagePairError: the model is for other languages.
            InvalidRequestError: the deadline is not within its limits.
            RequestCancelledError: the service is closed.
        """
        self._check(request)
        loop = asyncio.get_running_loop()
        future = ResponseFuture(self._awaited)
        now = time.perf_counter()
        job = Job(next(self._ids), request, request.priority, weakref.ref(future), listener, now)
        self._jobs[job.id] = job
        self._counters.submitted += 1
        if request.deadline is not None:
            job.timer = loop.call_later(request.deadline, self._expire, job)
        job.abandon = weakref.finalize(future, partial(_tell, loop, partial(self._leave, job)))
        job.abandon.atexit = False
        future.watch(partial(self._ended, job))
        if on_end is not None:
            future.add_done_callback(partial(_call, on_end))
        self._admit(job)
        return TranslationHandle(self, job, future)

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

    def statistics(self) -> Statistics:
        """Figures of what was done, and of what is held now."""
        counters, ended = self._counters, self._counters.ended
        running = self._run is not None and not self._run.task.done()
        return Statistics(
            submitted=counters.submitted,
            done=ended[RequestState.DONE],
            failed=ended[RequestState.FAILED],
            cancelled=ended[RequestState.CANCELLED],
            open_requests=len(self._jobs),
            queued_sentences=len(self._queue),
            queued_characters=self._queue.characters,
            running_sentences=self._run.batch.rows if self._run is not None and running else 0,
            mini_batches=counters.mini_batches,
            rows=counters.rows,
            padded_pieces=counters.padded_pieces,
            engine_seconds=counters.engine_seconds,
            cache_hits=counters.cache_hits,
            cache_misses=counters.cache_misses,
            cache_entries=len(self._cache),
            cache_bytes=self._cache.bytes,
        )

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
        self._to_prepare.set()
        self._to_run.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._engine.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # What a handle asks for.

    def cancel_job(self, job: Job) -> None:
        self._fail(job, RequestCancelledError("the request was cancelled"))

    def prioritize_job(self, job: Job, priority: Priority) -> None:
        if job.id not in self._jobs:
            return
        self._queue.prioritize(job.id, priority)
        self._preparation.prioritize(job, priority)
        job.priority = priority
        self._to_prepare.set()  # There may be room for it now.

    # Taking on.

    def _check(self, request: TranslationRequest) -> None:
        if self._closing:
            raise RequestCancelledError("the service is closed")
        manifest = self.pipeline.manifest
        if (request.source, request.target) != (manifest.source, manifest.target):
            available = f"{manifest.source}-{manifest.target}"
            raise LanguagePairError(request.source, request.target, available)
        longest = self._limits.deadline_seconds
        if request.deadline is not None and not 0 < request.deadline <= longest:
            raise InvalidRequestError(
                f"the deadline is {request.deadline:g} s, not above 0 and up to {longest:,} s",
                allowed=longest,
            )

    def _admit(self, job: Job) -> None:
        blocked = self._preparation.blocked(job.priority)
        if blocked is not None and job.request.when_full is WhenFull.REFUSE:
            self._refuse([job], blocked)
            return
        self._preparation.add(job)
        self._to_prepare.set()

    def _refuse(self, jobs: list[Job], blocked: Job) -> None:
        """Fail requests that would not wait behind one that waits for room."""
        error = self._queue.overflow(_segments(blocked.pending), blocked.priority)
        if error is not None:
            for job in jobs:
                self._fail(job, error)

    # Preparing: one task, a slice at a time.

    async def _prepare(self) -> None:
        while not self._closing:
            self._to_prepare.clear()
            self._preparing = self._prepare_some()
            if self._preparing:
                # Others may submit, cancel and be answered between two turns.
                await asyncio.sleep(0)
            else:
                await self._to_prepare.wait()

    def _prepare_some(self) -> bool:
        """One turn: a slice of a long text, or some short texts. Returns whether there was any."""
        sentences = characters = 0
        while sentences < self._limits.slice_sentences and characters < TURN_CHARACTERS:
            job = self._preparation.next(self._has_room)
            if job is None:
                return sentences > 0
            before = len(job.parts)
            self._advance(job)
            sentences += max(1, len(job.parts) - before)
            characters += sum(len(source_span(part)) for part in job.parts[before:])
        return True

    def _has_room(self, job: Job) -> bool:
        return self._queue.overflow(_segments(job.pending), job.priority) is None

    def _advance(self, job: Job) -> None:
        """Bring the next slice of a job into the queue, if there is room."""
        try:
            made, job.pending = job.pending or self._next_slice(job), None
            while made is not None:
                parts = [self._recalled(job, part) for part in made.parts]
                segments = [part for part in parts if isinstance(part, Segment)]
                overflow = self._queue.overflow(segments, job.priority)
                if overflow is not None:
                    self._block(job, made, overflow)
                    return
                self._enqueue(job, segments)
                job.parts += parts
                job.notices += made.notices
                job.report()
                if not job.at_end:
                    return
                made = self._next_slice(job)  # There may be notices after the last sentence.
            job.prepared = True
            self._preparation.drop(job)
            self._finish_if_complete(job)
        except Exception as error:
            self._fail(job, typed(error))

    def _next_slice(self, job: Job) -> Slice | None:
        start = time.perf_counter()
        if job.draft is None or job.slices is None:
            job.draft = self.pipeline.draft(job.id, job.request)
            job.slices = self.pipeline.slices(job.draft)
        made = next(job.slices, None)
        job.tokenize += time.perf_counter() - start
        return made

    def _recalled(self, job: Job, part: SentenceState) -> SentenceState:
        """A segment's translation, if it is in the cache; else the part itself."""
        if job.draft is None or not isinstance(part, Segment) or not job.request.cache:
            return part
        found = self._cache.find(self.pipeline.cache_key(job.draft, part), part)
        self._counters.cache_hits += found is not None
        return found or part

    def _enqueue(self, job: Job, segments: list[Segment]) -> None:
        self._queue.add(segments, job.priority)
        job.open_segments += len(segments)
        self._preparation.rotate(job)
        self._to_run.set()

    def _block(self, job: Job, made: Slice, overflow: DragomanError) -> None:
        """No room: a request that has begun to go in waits, another does as it was told to."""
        if not job.parts and job.request.when_full is WhenFull.REFUSE:
            self._fail(job, overflow)
            return
        job.pending = made
        self._refuse([j for j in self._preparation.impatient(job.priority) if j is not job], job)

    # Working: one task for the engine.

    async def _work(self) -> None:
        while True:
            # The engine gets its next mini-batch before the last one is finished on this side.
            if self._run is None and len(self._results) <= self._limits.batch_rows:
                self._run = self._start()
                if self._run is not None:
                    await asyncio.sleep(0)  # A task hands nothing over before its first turn.
            if self._run is not None and self._run.task.done():
                self._receive(self._run)
                await self._gather()
                self._run = None
            elif self._results:
                self._finish_some()
                await asyncio.sleep(0)  # What is more urgent may have come meanwhile.
            elif self._run is not None:
                await self._watch(self._run)
            elif self._closing:
                return
            else:
                self._to_run.clear()
                await self._to_run.wait()

    async def _watch(self, run: _RunningBatch) -> None:
        """Wait for a mini-batch; one that takes too long is taken back."""
        left = run.started + self._limits.engine_seconds - time.perf_counter()
        await asyncio.wait([run.task], timeout=max(0.0, left))
        if not run.task.done():
            run.overdue = True
            run.task.cancel()
            await asyncio.wait([run.task])

    async def _gather(self) -> None:
        """After a busy time, wait a moment for what is being prepared to fill the next mini-batch.

        An idle engine waits for nobody; nor does one that an interactive request waits for.
        """
        end = time.perf_counter() + self._limits.gather_milliseconds / 1000
        while (
            (self._preparing or self._to_prepare.is_set())
            and not self._closing
            and self._queue.leads() is not Priority.INTERACTIVE
            and not self._queue.fills_batch()
            and time.perf_counter() < end
        ):
            await asyncio.sleep(0)

    def _start(self) -> _RunningBatch | None:
        chosen: list[Segment] = []
        while not chosen:
            if self._closing or not len(self._queue):
                return None
            chosen = self._unknown(self._queue.take())
            self._to_prepare.set()  # There is room in the queue.
        batch = mini_batch(chosen)
        now = time.perf_counter()
        jobs = [self._jobs[segment.request] for segment in batch.segments]
        attention = any(map(self._needs_attention, batch.segments))
        for job in jobs:
            if job.started is None:
                job.started = now
        task = asyncio.ensure_future(self._engine_run(batch, attention))
        return _RunningBatch(batch, attention, task, now, {job.id for job in jobs})

    def _needs_attention(self, segment: Segment) -> bool:
        draft = self._jobs[segment.request].draft
        return draft is not None and self.pipeline.needs_attention(draft, segment)

    def _unknown(self, taken: Sequence[Segment]) -> list[Segment]:
        """Those of a mini-batch that were not translated for others while they waited."""
        waiting: list[Segment] = []
        for segment in taken:
            job = self._jobs[segment.request]
            found = self._recalled(job, segment)
            if isinstance(found, AlignedSegment):
                self._place(job, [found])
            else:
                waiting.append(segment)
        # A listener that heard of progress may have cancelled some.
        waiting = [segment for segment in waiting if segment.request in self._jobs]
        self._counters.cache_misses += sum(
            self._jobs[segment.request].request.cache for segment in waiting
        )
        return waiting

    async def _engine_run(self, batch: MiniBatch, attention: bool) -> EngineOutput:
        return await self._engine.run(batch, attention=attention)

    def _receive(self, run: _RunningBatch) -> None:
        """Take what the engine gave for a mini-batch, to be finished soon."""
        seconds = time.perf_counter() - run.started
        self._count(run, seconds)
        try:
            found = rows(run.batch, run.task.result(), run.attention)
        except (Exception, asyncio.CancelledError) as error:
            failure = self._overdue_error() if run.overdue else _engine_error(error)
            for request in list(run.requests):
                self._fail(self._jobs[request], failure)
            return
        for request in run.requests:
            self._jobs[request].engine += seconds
        for row in found:
            if row.segment.request not in run.requests:
                continue
            job = self._jobs[row.segment.request]
            if isinstance(row, FailedRow):
                self._fail(job, row.error)  # a sentence fails its request, but no companion
            else:
                heappush(self._results, (job.priority.level, next(self._order), row))

    def _finish_some(self) -> None:
        """Finish the most urgent results, for a moment."""
        end = time.perf_counter() + FINISH_SECONDS
        while self._results and time.perf_counter() < end:
            _, _, first = heappop(self._results)
            found = [first]
            while len(found) < FINISH_SENTENCES and self._results:
                if self._results[0][2].segment.request != first.segment.request:
                    break
                found.append(heappop(self._results)[2])
            job = self._jobs.get(first.segment.request)
            if job is not None:
                self._accept(job, found)

    def _count(self, run: _RunningBatch, seconds: float) -> None:
        self._counters.mini_batches += 1
        self._counters.rows += run.batch.rows
        self._counters.padded_pieces += run.batch.rows * run.batch.width
        self._counters.engine_seconds += seconds

    def _overdue_error(self) -> EngineError:
        allowed = self._limits.engine_seconds
        return EngineError(f"the engine gave nothing within {allowed:,} s", allowed=allowed)

    def _accept(self, job: Job, found: list[Hypothesis]) -> None:
        if job.draft is None or not job.is_open:
            return
        start = time.perf_counter()
        try:
            aligned = self._settled(job, self.pipeline.finish(job.draft, found))
        except Exception as error:
            self._fail(job, typed(error))
            return
        job.assemble += time.perf_counter() - start
        if job.request.cache:
            for one in aligned:
                key = self.pipeline.cache_key(job.draft, one.hypothesis.segment)
                self._cache.put(key, one, job)
        self._place(job, aligned)

    def _settled(self, job: Job, found: list[AlignedSegment]) -> list[AlignedSegment]:
        """Those that are not to be translated again, which go back into the queue."""
        if job.draft is None or job.request.glossary is None:
            return found
        again = [self.pipeline.again(job.draft, one) for one in found]
        self._queue.put_back([one for one in again if one], job.priority)
        return [one for one, other in zip(found, again, strict=True) if other is None]

    def _place(self, job: Job, aligned: list[AlignedSegment]) -> None:
        """Put translated segments of a request where they belong in its text."""
        for one in aligned:
            job.parts[one.hypothesis.segment.index] = one
        job.open_segments -= len(aligned)
        job.report()
        try:
            self._finish_if_complete(job)
        except Exception as error:
            self._fail(job, typed(error))

    # Ending.

    def _finish_if_complete(self, job: Job) -> None:
        future = job.future()
        if not job.prepared or job.open_segments or job.draft is None:
            return
        if future is None or future.done():
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
        self._leave(job, RequestState.DONE)
        future.set_result(response)

    def _fail(self, job: Job, error: DragomanError) -> None:
        """End a request with an error; what it has in the queue is forgotten."""
        future = job.future()
        cancelled = isinstance(error, RequestCancelledError)
        self._leave(job, RequestState.CANCELLED if cancelled else RequestState.FAILED)
        if future is None or future.done():
            return
        future.set_exception(error)
        # The client may never look: that is no unhandled error of the event loop.
        future.exception()

    def _expire(self, job: Job) -> None:
        if job.is_open and job.request.deadline is not None:
            progress = job.progress
            self._fail(job, DeadlineError(job.request.deadline, progress.done, progress.total))

    def _ended(self, job: Job, future: asyncio.Future[TranslationResponse]) -> None:
        """A future is done, be it by a client that cancelled it."""
        self._leave(job)
        self._awaited.discard(future)  # Somebody may have hung a callback on it meanwhile.

    def _leave(self, job: Job, end: RequestState = RequestState.CANCELLED) -> None:
        """Forget a request, at its end; the first end counts."""
        if self._jobs.pop(job.id, None) is None:
            return
        self._counters.ended[end] += 1
        future = job.future()
        if future is not None:
            self._awaited.discard(future)
        if job.abandon is not None:
            job.abandon.detach()
        if job.timer is not None:
            job.timer.cancel()
        self._preparation.drop(job)
        self._queue.drop(job.id)
        if end is RequestState.CANCELLED:
            self._cache.forget(job)
        else:
            self._cache.release(job)
        self._to_prepare.set()  # There may be room in the queue.
        run = self._run
        if run is not None:
            run.requests.discard(job.id)
            if not run.requests:
                run.task.cancel()


def _segments(made: Slice | None) -> list[Segment]:
    return [part for part in made.parts if isinstance(part, Segment)] if made else []


def _tell(loop: asyncio.AbstractEventLoop, news: Callable[[], None]) -> None:
    """Called where a future is thrown away, which may be in any thread and at any time."""
    with suppress(RuntimeError):  # The loop is closed: so is everything else.
        loop.call_soon_threadsafe(news)


def _call(on_end: EndListener, future: asyncio.Future[TranslationResponse]) -> None:
    if future.cancelled():
        on_end(RequestCancelledError("the request was cancelled"))
        return
    error = future.exception()
    on_end(error if isinstance(error, DragomanError) else future.result())


def _engine_error(error: BaseException) -> DragomanError:
    """An engine is foreign code: whatever it throws ends the requests of its mini-batch."""
    if isinstance(error, DragomanError):
        return error
    failure = EngineError(f"the engine failed: {str(error) or type(error).__name__}")
    failure.__cause__ = error
    return failure
