"""Stages 5 and 6: mini-batches from the queue, one in the engine while the last one is finished.

SegmentQueue --take--> mini-batch --> engine.run --> Finisher
                           |
                           `-- taken back when all its requests have left, or it is overdue
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.config import Limits
from dragoman.engines.port import Engine
from dragoman.errors import DragomanError, EngineError, typed
from dragoman.pipeline.hypotheses import FailedRow, rows
from dragoman.service.batching import SegmentQueue, mini_batch
from dragoman.service.finisher import Finisher
from dragoman.service.intake import Intake
from dragoman.service.job import Job
from dragoman.service.ledger import Ledger
from dragoman.service.progress import RequestState
from dragoman.types import AlignedSegment, EngineOutput, MiniBatch, Priority, Segment


@dataclass(slots=True)
class _RunningBatch:
    """A mini-batch in the engine, or what came of it.

    Attributes:
        requests: those that still want it.
        seconds: that it took, once it is done.
        overdue: whether it was taken back because it took too long.
    """

    batch: MiniBatch
    attention: bool
    task: asyncio.Task[EngineOutput]
    started: float
    requests: set[int]
    seconds: float = 0.0
    overdue: bool = False


class EngineLoop:
    """Gives the engine its work, in one task."""

    def __init__(
        self,
        engine: Engine,
        limits: Limits,
        queue: SegmentQueue,
        intake: Intake,
        ledger: Ledger,
        finisher: Finisher,
    ) -> None:
        self._engine, self._limits, self._queue = engine, limits, queue
        self._intake, self._ledger, self._finisher = intake, ledger, finisher
        self._batch: _RunningBatch | None = None
        self._done: _RunningBatch | None = None
        self._stopped = False

    @property
    def sentences(self) -> int:
        """Rows of the mini-batch in the engine."""
        batch = self._batch
        return 0 if batch is None or batch.task.done() else batch.batch.rows

    def forget(self, job: Job, _end: RequestState) -> None:
        """A request has left: a mini-batch that nobody wants any more is taken back."""
        for batch in filter(None, (self._batch, self._done)):
            batch.requests.discard(job.id)
            if not batch.requests:
                batch.task.cancel()

    def stop(self) -> None:
        """Let `run` end. What is in the engine is taken back, for it may never end by itself."""
        self._stopped = True
        if self._batch is not None:
            self._batch.task.cancel()
        self._intake.queued.set()

    async def abandon(self) -> None:
        """After `run` has failed: wait until the engine has let go of its mini-batch."""
        self.stop()
        if self._batch is not None:
            await asyncio.wait([self._batch.task])

    async def run(self) -> None:
        """Keep the engine busy, until stopped."""
        while True:
            # The engine gets its next mini-batch before the last one is looked at on this side.
            if self._batch is None and len(self._finisher) <= self._limits.batch_rows:
                self._batch = self._start()
                if self._batch is not None:
                    await asyncio.sleep(0)  # A task hands nothing over before its first turn.
            if self._done is not None:
                self._receive(self._done)
                self._done = None
            elif self._batch is not None and self._batch.task.done():
                self._batch.seconds = time.perf_counter() - self._batch.started
                await self._gather()
                if _has_failed(self._batch):  # The queue has more of its requests, most likely.
                    self._receive(self._batch)
                else:
                    self._done = self._batch
                self._batch = None
            elif len(self._finisher):
                self._finisher.finish_some()
                await asyncio.sleep(0)  # What is more urgent may have come meanwhile.
            elif self._batch is not None:
                await self._watch(self._batch)
            elif self._stopped:
                return
            else:
                self._intake.queued.clear()
                await self._intake.queued.wait()

    async def _watch(self, running: _RunningBatch) -> None:
        """Wait for a mini-batch; one that takes too long is taken back."""
        left = running.started + self._limits.engine_seconds - time.perf_counter()
        await asyncio.wait([running.task], timeout=max(0.0, left))
        if not running.task.done():
            running.overdue = True
            running.task.cancel()
            await asyncio.wait([running.task])

    async def _gather(self) -> None:
        """After a busy time, wait a moment for what is being prepared to fill the next mini-batch.

        An idle engine waits for nobody; nor does one that an interactive request waits for.
        """
        end = time.perf_counter() + self._limits.gather_milliseconds / 1000
        while (
            self._intake.is_busy
            and not self._stopped
            and self._queue.leads() is not Priority.INTERACTIVE
            and not self._queue.fills_batch()
            and time.perf_counter() < end
        ):
            await asyncio.sleep(0)

    def _start(self) -> _RunningBatch | None:
        while len(self._queue) and not self._stopped:
            chosen = self._unknown(self._queue.take())
            self._intake.make_room()
            running = self._begin(chosen) if chosen else None
            if running is not None:
                return running
        return None

    def _begin(self, chosen: Sequence[Segment]) -> _RunningBatch | None:
        """Hand some segments to the engine; None if no mini-batch can be made of them."""
        jobs = [self._ledger.jobs[segment.request] for segment in chosen]
        try:
            batch = mini_batch(chosen)
            attention = any(map(self._finisher.needs_attention, chosen))
        except Exception as error:
            for job in jobs:
                self._ledger.fail(job, typed(error))
            return None
        now = time.perf_counter()
        for job in jobs:
            if job.started is None:
                job.started = now
        task = asyncio.ensure_future(self._engine_run(batch, attention))
        return _RunningBatch(batch, attention, task, now, {job.id for job in jobs})

    def _unknown(self, taken: Sequence[Segment]) -> list[Segment]:
        """Those of a mini-batch that were not translated for others while they waited."""
        jobs = self._ledger.jobs
        waiting: list[Segment] = []
        for segment in taken:
            job = jobs.get(segment.request)
            if job is None:  # a listener that heard of progress has cancelled it
                continue
            known = self._finisher.recall(job, segment)
            if isinstance(known, AlignedSegment):
                self._finisher.place(job, [known])
            else:
                waiting.append(segment)
        waiting = [segment for segment in waiting if segment.request in jobs]
        self._ledger.counters.cache_misses += sum(
            bool(jobs[segment.request].request.cache) for segment in waiting
        )
        return waiting

    async def _engine_run(self, batch: MiniBatch, attention: bool) -> EngineOutput:
        try:
            return await self._engine.run(batch, attention=attention)
        except SystemExit as error:  # In a task it would end the event loop.
            raise _engine_error(error) from error

    def _receive(self, running: _RunningBatch) -> None:
        """Take what the engine gave for a mini-batch, to be finished soon."""
        self._count(running)
        jobs = self._ledger.jobs
        try:
            results = rows(running.batch, running.task.result(), running.attention)
        except (Exception, asyncio.CancelledError) as error:
            failure = self._overdue_error() if running.overdue else _engine_error(error)
            for request in list(running.requests):
                self._ledger.fail(jobs[request], failure)
            return
        for request in running.requests:
            jobs[request].engine += running.seconds
        for row in results:
            if row.segment.request not in running.requests:
                continue
            job = jobs[row.segment.request]
            if isinstance(row, FailedRow):
                self._ledger.fail(job, row.error)  # a sentence fails its request, but no companion
            else:
                self._finisher.receive(job, row)

    def _count(self, running: _RunningBatch) -> None:
        counters = self._ledger.counters
        counters.mini_batches += 1
        counters.rows += running.batch.rows
        counters.padded_pieces += running.batch.rows * running.batch.width
        counters.engine_seconds += running.seconds

    def _overdue_error(self) -> EngineError:
        allowed = self._limits.engine_seconds
        return EngineError(f"the engine gave nothing within {allowed:,} s", allowed=allowed)


def _has_failed(running: _RunningBatch) -> bool:
    return running.task.cancelled() or running.task.exception() is not None


def _engine_error(error: BaseException) -> DragomanError:
    """An engine is foreign code: whatever it throws ends the requests of its mini-batch."""
    if isinstance(error, DragomanError):
        return error
    failure = EngineError(f"the engine failed: {str(error) or type(error).__name__}")
    failure.__cause__ = error
    return failure
