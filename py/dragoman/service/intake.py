"""Stages 1 to 3, slice by slice: requests wait in `preparation`, their segments go into the queue.

admit --> Preparation --slice--> SegmentQueue         `queued` is set: the engine may begin
  |           ^                       |
  `-- page ---|                       |               a page is read first, by the host
              |                       |
              `------ there is room --'               `make_room`: some may go on
"""

from __future__ import annotations

import asyncio
import time

from dragoman.config import Limits
from dragoman.errors import DragomanError, typed
from dragoman.markup.bits import ended
from dragoman.pipeline.pipeline import SLICE_CHARACTERS, Pipeline, Slice
from dragoman.service.batching import SegmentQueue
from dragoman.service.finisher import Finisher
from dragoman.service.job import Job, source_span
from dragoman.service.ledger import Ledger
from dragoman.service.preparation import Preparation
from dragoman.service.progress import RequestState
from dragoman.types import Priority, Segment, TextFormat, WhenFull


class Intake:
    """Prepares requests, in one task.

    Attributes:
        queued: set when there may be something new in the queue.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        limits: Limits,
        queue: SegmentQueue,
        ledger: Ledger,
        finisher: Finisher,
    ) -> None:
        self.queued = asyncio.Event()
        self._pipeline, self._limits, self._queue = pipeline, limits, queue
        self._ledger, self._finisher = ledger, finisher
        self._preparation = Preparation(limits.patience)
        self._reading: dict[int, asyncio.Task[None]] = {}
        self._to_prepare = asyncio.Event()
        self._preparing = False
        self._stopped = False

    def __len__(self) -> int:
        """Requests that are not prepared yet."""
        return len(self._preparation) + len(self._reading)

    @property
    def is_busy(self) -> bool:
        """Whether more may come into the queue in a moment."""
        return self._preparing or self._to_prepare.is_set()

    def admit(self, job: Job) -> None:
        """Take a request on, unless it would not wait behind one that waits for room."""
        blocked = self._preparation.blocked(job.priority)
        if blocked is not None and job.request.when_full is WhenFull.REFUSE:
            self._refuse([job], blocked)
            if not job.is_open:
                return  # else there has come room, and who waits for it is to have his turn first
        if job.request.format is TextFormat.TEXT:
            self._prepare(job)
        else:
            self._reading[job.id] = asyncio.ensure_future(self._read(job))

    def prioritize(self, job: Job, priority: Priority) -> None:
        """Move what waits of a request to another line."""
        self._queue.prioritize(job.id, priority)
        self._preparation.prioritize(job, priority)
        job.priority = priority
        self._to_prepare.set()  # There may be room for it now.

    def forget(self, job: Job, _end: RequestState) -> None:
        """A request has left."""
        reading = self._reading.pop(job.id, None)
        if reading is not None:
            reading.cancel()
        self._preparation.drop(job)
        self._queue.drop(job.id)
        self._to_prepare.set()  # There may be room in the queue.

    def make_room(self) -> None:
        """Something has left the queue."""
        self._to_prepare.set()

    def stop(self) -> None:
        """Let `run` end."""
        self._stopped = True
        self._to_prepare.set()

    async def run(self) -> None:
        """Prepare what is admitted, until stopped."""
        while not self._stopped:
            self._to_prepare.clear()
            self._preparing = self._prepare_some()
            if self._preparing:
                # Others may submit, cancel and be answered between two turns.
                await asyncio.sleep(0)
            else:
                await self._to_prepare.wait()

    async def _read(self, job: Job) -> None:
        """Have the page of a request read, which then is prepared as any other."""
        try:
            job.page = await self._pipeline.pages.of(job.request)
        except Exception as error:
            del self._reading[job.id]
            self._ledger.fail(job, typed(error))
            return
        del self._reading[job.id]
        self._prepare(job)

    def _prepare(self, job: Job) -> None:
        self._preparation.add(job)
        self._to_prepare.set()

    def _prepare_some(self) -> bool:
        """One turn: a slice of a long text, or some short texts. Returns whether there was any."""
        sentences = characters = 0
        while sentences < self._limits.slice_sentences and characters < SLICE_CHARACTERS:
            job = self._preparation.next(self._has_room)
            if job is None:
                return sentences > 0
            before = len(job.parts)
            if not self._advance(job):
                return True
            sentences += max(1, len(job.parts) - before)
            characters += sum(len(source_span(part)) for part in job.parts[before:])
        return True

    def _has_room(self, job: Job) -> bool:
        return self._queue.overflow(_segments(job.pending), job.priority) is None

    def _advance(self, job: Job) -> bool:
        """Bring the next slice of a job into the queue, if there is room.

        Returns whether the turn may go on: it may not where much was looked at for nothing.
        """
        try:
            made, job.pending = job.pending or self._next_slice(job), None
            parts = [self._finisher.recall(job, part) for part in made.parts]
            segments = [part for part in parts if isinstance(part, Segment)]
            overflow = self._queue.overflow(segments, job.priority)
            if overflow is not None:
                self._block(job, made, overflow)
                return True
            self._enqueue(job, segments)
            self._preparation.rotate(job, has_begun=bool(parts))
            job.parts += parts
            job.notices += made.notices
            if parts:
                job.report()
            if made.is_last:
                job.prepared = True
                self._preparation.drop(job)
                self._finisher.complete(job)
            return bool(parts) or made.is_last
        except Exception as error:
            self._ledger.fail(job, typed(error))
            return True

    def _next_slice(self, job: Job) -> Slice:
        start = time.perf_counter()
        if job.slices is None:
            job.drafting = job.drafting or self._pipeline.drafting(job.id, job.request, job.page)
            job.draft = ended(job.drafting)
            if job.draft is not None:
                job.drafting, job.slices = None, self._pipeline.slices(job.draft)
        made = next(job.slices) if job.slices else Slice((), ())
        job.tokenize += time.perf_counter() - start
        return made

    def _enqueue(self, job: Job, segments: list[Segment]) -> None:
        self._queue.add(segments, job.priority)
        job.open_segments += len(segments)
        self.queued.set()

    def _block(self, job: Job, made: Slice, overflow: DragomanError) -> None:
        """No room: a request that has begun to go in waits, another does as it was told to."""
        if not job.parts and job.request.when_full is WhenFull.REFUSE:
            self._ledger.fail(job, overflow)
            return
        job.pending = made
        self._refuse([j for j in self._preparation.impatient(job.priority) if j is not job], job)

    def _refuse(self, jobs: list[Job], blocked: Job) -> None:
        """Fail requests that would not wait behind one that waits for room."""
        error = self._queue.overflow(_segments(blocked.pending), blocked.priority)
        if error is not None:
            for job in jobs:
                self._ledger.fail(job, error)


def _segments(made: Slice | None) -> list[Segment]:
    return [part for part in made.parts if isinstance(part, Segment)] if made else []
