"""The native engine for int8 students: the browser's kernel, as code of this processor.

    run --> thread: deal rows --> this thread, helper 1, helper 2 ... --> gather

One thread has the mini-batches, one after the other; it computes the first part of the rows itself,
and helpers, where there are several threads, the others, each in a buffer of its own. All read the
same weights. Python's lock is given back while the kernel computes. A run is stopped by a flag that
the kernel looks at between layers and steps; `close` ends the threads when they are done.
"""

from __future__ import annotations

import asyncio
import ctypes
import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.engines.beam_search import flat
from dragoman.engines.kernel_library import BatchHead, choose_path, kernels
from dragoman.engines.kernel_model import PlacedModel, PublishedStudent, need, room
from dragoman.engines.onnx_file import OnnxFile
from dragoman.errors import EngineError
from dragoman.marian.shortlist import Shortlist
from dragoman.types import (
    EOS_ID,
    NO_SCORE,
    EngineOutput,
    MiniBatch,
    PrefixStep,
    Search,
    flat_prefixes,
    prefix_rows,
)

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a mini-batch, R by W.

    Attributes:
        ids: [R, W], padded.
        lengths, limits: [R], as those of `MiniBatch`.
        search: None: greedy.
        prefixes: of the rows; none, or one a row.
    """

    ids: Ints
    lengths: Ints
    limits: Ints
    search: Search | None
    prefixes: Sequence[tuple[PrefixStep, ...]]

    @property
    def kept(self) -> int:
        return self.search.kept if self.search else 1


@dataclass(frozen=True, slots=True)
class Decoded:
    """What became of rows: [R, N, T], [R, N, T], and [R, N, T, W] or nothing; zeros after an end.

    Attributes:
        scores: [R, N]; [R, 0] of greedy search.
    """

    ids: Ints
    log_probabilities: Floats
    attention: Floats
    scores: Floats


class _StoppedError(Exception):
    """A run was stopped, and nobody wants what it has found."""


class Workplace:
    """A buffer, and the runs that are made in it one after the other."""

    def __init__(self, model: PlacedModel) -> None:
        self._model = model
        self._memory = room(0)
        self._columns = room(0)

    def run(self, rows: Rows, attention: bool, stop: ctypes.c_int32) -> Decoded:
        """Translate some rows; `stop` is looked at all the while.

        Raises:
            EngineError: there is no memory.
        """
        kernel, model = self._model.kernel, self._model.address
        count, width = rows.ids.shape
        inside = np.arange(width, dtype=np.int32) < rows.lengths[:, None]
        most_steps = max(0, int(rows.limits.max()))
        prefixes = np.array(flat_prefixes(rows.prefixes), np.int32)
        beams = (rows.search.beam, rows.kept, len(prefixes)) if rows.search else (0, 0, 0)
        shape = (count, int(inside.sum()), width, most_steps, attention, *beams)
        needed = kernel.batch_bytes(model, *shape)
        if needed > self._memory.nbytes:
            self._memory = room(needed)
        memory = self._memory
        batch = need(kernel.batch_make(model, memory.ctypes.data, memory.nbytes, *shape))
        head = BatchHead.from_address(batch)
        _write(head.pieces, rows.ids[inside])
        _write(head.lengths, rows.lengths)
        _write(head.limits, rows.limits)
        if self._model.has_shortlist:
            self._shorten(batch, count)
        if rows.search:
            head.branching = rows.search.branching
            head.normalize, head.word_penalty = rows.search.normalize, rows.search.word_penalty
            _write(head.prefixes, prefixes)
        if not kernel.batch_run(model, batch, stop):
            raise _StoppedError
        return _decoded(head, rows, attention)

    def _shorten(self, batch: int, rows: int) -> None:
        kernel, model = self._model.kernel, self._model.address
        needed = kernel.shortlist_bytes(model, rows)
        if needed > self._columns.nbytes:
            self._columns = room(needed)
        columns = self._columns
        need(kernel.batch_shorten(model, batch, columns.ctypes.data, columns.nbytes))


class KernelEngine:
    """Runs an int8 student.

    Args:
        student: a graph that `is_runnable`, or a published model with its layout.
        threads: most processor cores to use, at least 1; each has some rows of a mini-batch.
        path: which of `kernels()`; the one that `choose_path` gives when none is named.
        shortlist: what each row can choose is taken from it; None: all pieces.

    Raises:
        BundleCorruptError: the graph cannot be used.
        ModelFileError: the shortlist is none of this model.
        EngineError: this processor cannot take the path, or there is no memory.
    """

    def __init__(
        self,
        student: OnnxFile | PublishedStudent,
        threads: int = 1,
        path: str | None = None,
        shortlist: Shortlist | None = None,
    ) -> None:
        self.path = path or choose_path() or ""
        if self.path not in kernels():
            raise EngineError(f"the kernel has no path {self.path!r} for this processor")
        self._model = PlacedModel(student, self.path, shortlist)
        names = self._model.ids
        self._inside = None if names is None else {name: n for n, name in enumerate(names.tolist())}
        self._workplaces = [Workplace(self._model) for _ in range(max(1, threads))]
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dragoman-engine")
        self._helpers = ThreadPoolExecutor(
            max(1, threads - 1), thread_name_prefix="dragoman-engine-helper"
        )

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        loop, stop = asyncio.get_running_loop(), ctypes.c_int32(0)
        try:
            return await loop.run_in_executor(self._thread, self.run_now, batch, attention, stop)
        except asyncio.CancelledError:
            stop.value = 1
            raise

    def run_now(
        self, batch: MiniBatch, attention: bool, stop: ctypes.c_int32 | None = None
    ) -> EngineOutput:
        """The same, at once and in this thread."""
        flag = ctypes.c_int32(0) if stop is None else stop
        rows = self._checked(batch)
        parts = _deal(rows, len(self._workplaces))
        try:
            outputs = self._run_parts(parts, attention, flag)
            return _output(_gather(outputs), self._model.ids)
        except _StoppedError:
            raise EngineError("the run was stopped") from None

    def _run_parts(
        self, parts: Sequence[Rows], attention: bool, stop: ctypes.c_int32
    ) -> list[Decoded]:
        own, *others = self._workplaces
        futures: list[Future[Decoded]] = []
        try:
            for place, part in zip(others, parts[1:], strict=False):
                futures.append(self._helpers.submit(place.run, part, attention, stop))
            first = own.run(parts[0], attention, stop)
            return [first, *(future.result() for future in futures)]
        except BaseException:
            stop.value = 1
            if len(futures) < len(parts) - 1:
                # There was no thread for one: it is in the helpers' queue now, with its buffer.
                self._workplaces = [Workplace(self._model) for _ in self._workplaces]
            raise
        finally:
            # Nobody works in a buffer any more when the next mini-batch comes.
            for future in futures:
                future.exception()

    def _checked(self, batch: MiniBatch) -> Rows:
        """The kernel looks nothing up: what it reads is known to be there."""
        rows = Rows(
            np.array(batch.ids, dtype=np.int32).reshape(batch.rows, batch.width),
            np.array(batch.lengths, dtype=np.int32),
            np.array(batch.limits, dtype=np.int32),
            None if batch.is_greedy else batch.search,
            self._named_inside(batch),
        )
        longest = max(batch.width, int(rows.limits.max(initial=0)))
        positions, vocabulary = self._model.positions, self._model.vocabulary
        if longest > positions:
            raise EngineError(
                f"a row of {longest} pieces: the model takes {positions}",
                requested=longest,
                allowed=positions,
            )
        lengths, ids = rows.lengths, rows.ids
        if not batch.rows or lengths.min() < 1 or lengths.max() > batch.width:
            raise EngineError("a mini-batch without rows, or a row without pieces")
        if ids.min() < 0 or ids.max() >= vocabulary:
            raise EngineError(f"a piece that is none of the model's {vocabulary}")
        return rows

    def _named_inside(self, batch: MiniBatch) -> list[tuple[PrefixStep, ...]]:
        """Prefixes by the names that pieces have in the kernel; what has none is not allowed.

        Raises:
            EngineError: the target's vocabulary lacks a piece of a prefix.
        """
        rows = prefix_rows(batch.prefixes)
        return [tuple(map(self._step_inside, steps)) for steps in rows]

    def _step_inside(self, step: PrefixStep) -> PrefixStep:
        names = self._inside
        known = range(self._model.target_vocabulary) if names is None else names
        if step.piece not in known:
            raise EngineError(f"a prefix has piece {step.piece}, which the model cannot say")
        if names is None:
            return step
        inside = sorted(names[piece] for piece in step.allowed if piece in names)
        return PrefixStep(names[step.piece], tuple(inside))

    async def close(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)
        await asyncio.to_thread(self._helpers.shutdown)


def _deal(rows: Rows, hands: int) -> list[Rows]:
    """At most so many parts, none empty; part p has the rows p, p + parts, p + 2 parts ..."""
    count = min(hands, len(rows.lengths))
    return [
        replace(
            rows,
            ids=rows.ids[part::count],
            lengths=rows.lengths[part::count],
            limits=rows.limits[part::count],
            prefixes=rows.prefixes[part::count],
        )
        for part in range(count)
    ]


def _gather(parts: Sequence[Decoded]) -> Decoded:
    """What `_deal` dealt, in order again."""
    if len(parts) == 1:
        return parts[0]
    return Decoded(
        _interleaved([part.ids for part in parts]),
        _interleaved([part.log_probabilities for part in parts]),
        _interleaved([part.attention for part in parts]),
        _interleaved([part.scores for part in parts]),
    )


def _interleaved(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """[R, N, T, ...] of all parts, with the steps of the one that took most; [R, N] has none."""
    shape = list(parts[0].shape)
    shape[0] = sum(len(part) for part in parts)
    if len(shape) > 2:
        shape[2] = max(part.shape[2] for part in parts)
    whole = np.zeros(shape, parts[0].dtype)
    for number, part in enumerate(parts):
        steps = (slice(part.shape[2]),) if len(shape) > 2 else ()
        whole[(slice(number, None, len(parts)), slice(None), *steps)] = part
    return whole


def _decoded(head: BatchHead, rows: Rows, attention: bool) -> Decoded:
    """Copies what a batch has found; cells after a row's end hold anything there."""
    count, width = rows.ids.shape
    steps, cells = head.step, (count, rows.kept, head.most_steps)
    ids = _view(head.target, np.int32, *cells)[:, :, :steps]
    places = np.arange(steps, dtype=np.int32)
    ends = np.where(ids == EOS_ID, places, steps).min(axis=2, initial=steps) + 1
    inside = places < np.minimum(ends, rows.limits[:, None])[:, :, None]
    scores = np.zeros((count, 0), np.float32)
    if rows.search:
        scores = _view(head.scores, np.float32, count, rows.kept).copy()
        inside &= (scores > NO_SCORE)[:, :, None]
    logarithms = _view(head.log_probabilities, np.float32, *cells)[:, :, :steps]
    weights = np.zeros((*inside.shape, 0), np.float32)
    if attention:
        attention_rows = _view(head.attention, np.float32, *cells, width)[:, :, :steps]
        weights = np.where(inside[:, :, :, None], attention_rows, np.float32(0))
    zero = np.float32(0)
    return Decoded(np.where(inside, ids, 0), np.where(inside, logarithms, zero), weights, scores)


def _output(decoded: Decoded, names: Ints | None) -> EngineOutput:
    """`names`: what the model's pieces are called outside, where that is something else."""
    return EngineOutput(
        steps=decoded.ids.shape[2],
        ids=flat("i", decoded.ids if names is None else names[decoded.ids]),
        log_probabilities=flat("f", decoded.log_probabilities),
        attention=flat("f", decoded.attention),
        scores=flat("f", decoded.scores),
    )


def _view(address: int, kind: type[np.generic], *shape: int) -> NDArray[Any]:
    size = math.prod(shape) * np.dtype(kind).itemsize
    content = memoryview((ctypes.c_char * size).from_address(address))
    return np.frombuffer(content, kind).reshape(shape)


def _write(address: int, values: Ints) -> None:
    content = np.ascontiguousarray(values)
    ctypes.memmove(address, content.ctypes.data, content.nbytes)
