"""Translated sentences: made of what the engine gave, put where they belong, and remembered.

    receive --> [the most urgent first] --finish_some--> cache
                                               |
    recall ---------- from the cache ----------+--> place --> the response, at the last of them
                                               |
                                               `--> the queue again, with stand-ins for terms

Results are finished in bits, so that an urgent one does not wait for all of a mini-batch.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count

from dragoman.errors import typed
from dragoman.markup.bits import Work, ended
from dragoman.pipeline.page import written
from dragoman.pipeline.pipeline import Pipeline
from dragoman.service.batching import SegmentQueue
from dragoman.service.cache import SentenceCache
from dragoman.service.job import Job, SentenceState
from dragoman.service.ledger import Ledger
from dragoman.service.progress import RequestState
from dragoman.types import AlignedSegment, Hypothesis, Segment, Timings, TranslationResponse

# Seconds before the event loop has its turn, and sentences of one request at a time.
FINISH_SECONDS = 0.004
FINISH_SENTENCES = 8


class Finisher:
    """Ends requests when their last sentence is there."""

    def __init__(
        self, pipeline: Pipeline, cache: SentenceCache, ledger: Ledger, queue: SegmentQueue
    ) -> None:
        self._pipeline, self._cache, self._ledger, self._queue = pipeline, cache, ledger, queue
        self._order = count()
        self._answering: dict[int, asyncio.Task[None]] = {}
        self._results: list[tuple[int, int, Hypothesis]] = []  # a heap, the most urgent first

    def __len__(self) -> int:
        """Results that wait."""
        return len(self._results)

    def recall(self, job: Job, part: SentenceState) -> SentenceState:
        """A segment's translation, if it is in the cache; else the part itself."""
        if job.draft is None or not isinstance(part, Segment) or not job.request.cache:
            return part
        known = self._cache.find(self._pipeline.cache_key(job.draft, part), part)
        self._ledger.counters.cache_hits += known is not None
        return known or part

    def needs_attention(self, segment: Segment) -> bool:
        """Whether the engine is to give the attention of a segment of an open request."""
        draft = self._ledger.jobs[segment.request].draft
        return draft is not None and self._pipeline.needs_attention(draft, segment)

    def receive(self, job: Job, hypothesis: Hypothesis) -> None:
        """Take what the engine gave for a segment of a request."""
        heappush(self._results, (job.priority.level, next(self._order), hypothesis))

    def finish_some(self) -> None:
        """Finish the most urgent results, for a moment."""
        end = time.perf_counter() + FINISH_SECONDS
        while self._results and time.perf_counter() < end:
            hypotheses = self._most_urgent()
            job = self._ledger.jobs.get(hypotheses[0].segment.request)
            if job is not None:
                self._finish(job, hypotheses)

    def place(self, job: Job, aligned: Sequence[AlignedSegment]) -> None:
        """Put translated segments of a request where they belong in its text."""
        for one in aligned:
            job.parts[one.hypothesis.segment.index] = one
        job.open_segments -= len(aligned)
        job.report()
        try:
            self.complete(job)
        except Exception as error:
            self._ledger.fail(job, typed(error))

    def complete(self, job: Job) -> None:
        """Answer a request of which nothing is missing any more."""
        if not job.prepared or job.open_segments or job.draft is None or not job.is_open:
            return
        if job.id in self._answering:
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
        work = self._pipeline.responding(job.draft, parts, job.notices, timings)
        response = ended(work)
        if response is not None and job.page is None:
            self._ledger.answer(job, response)
        else:
            self._answering[job.id] = asyncio.ensure_future(self._answer(job, work, response))

    async def _answer(
        self,
        job: Job,
        work: Work[TranslationResponse],
        response: TranslationResponse | None,
    ) -> None:
        """Put a long response together while others have their turns; have its page written."""
        try:
            while response is None:
                await asyncio.sleep(0)
                response = ended(work)
            if job.page is not None:
                response = await written(job.page, response)
        except Exception as error:
            del self._answering[job.id]
            self._ledger.fail(job, typed(error))
            return
        del self._answering[job.id]
        self._ledger.answer(job, response)

    def forget(self, job: Job, end: RequestState) -> None:
        """A request has left: what it alone has put into the cache goes with it, if cancelled."""
        answering = self._answering.pop(job.id, None)
        if answering is not None:
            answering.cancel()
        if end is RequestState.CANCELLED:
            self._cache.forget(job)
        else:
            self._cache.release(job)

    def clear(self) -> None:
        """Forget the results that wait."""
        self._results.clear()

    def _most_urgent(self) -> list[Hypothesis]:
        """The first of the results, and those of its request that follow."""
        _, _, first = heappop(self._results)
        hypotheses = [first]
        while len(hypotheses) < FINISH_SENTENCES and self._results:
            if self._results[0][2].segment.request != first.segment.request:
                break
            hypotheses.append(heappop(self._results)[2])
        return hypotheses

    def _finish(self, job: Job, hypotheses: list[Hypothesis]) -> None:
        if job.draft is None or not job.is_open:
            return
        start = time.perf_counter()
        try:
            aligned = self._settled(job, self._pipeline.finish(job.draft, hypotheses))
        except Exception as error:
            self._ledger.fail(job, typed(error))
            return
        job.assemble += time.perf_counter() - start
        if job.request.cache:
            for one in aligned:
                key = self._pipeline.cache_key(job.draft, one.hypothesis.segment)
                self._cache.put(key, one, job)
        self.place(job, aligned)

    def _settled(self, job: Job, aligned: list[AlignedSegment]) -> list[AlignedSegment]:
        """Those that are not to be translated again, which go back into the queue."""
        if job.draft is None:
            return aligned
        again = [self._pipeline.again(job.draft, one) for one in aligned]
        self._queue.put_back([one for one in again if one], job.priority)
        return [one for one, other in zip(aligned, again, strict=True) if other is None]
