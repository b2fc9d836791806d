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
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.engines.kernel_library import BatchHead, choose_path, kernels
from dragoman.engines.kernel_model import PlacedModel, PublishedStudent, need, room
from dragoman.engines.onnx_file import OnnxFile
from dragoman.errors import EngineError
from dragoman.types import EngineOutput, MiniBatch

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

EOS_ID = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a mini-batch, R by W.

    Attributes:
        ids: [R, W], padded.
        lengths, limits: [R], as those of `MiniBatch`.
    """

    ids: Ints
    lengths: Ints
    limits: Ints


@dataclass(frozen=True, slots=True)
class Decoded:
    """What became of rows: [R, T], [R, T], and [R, T, W] or nothing; zeros after a row's end."""

    ids: Ints
    log_probabilities: Floats
    attention: Floats


class _StoppedError(Exception):
    """A run was stopped, and nobody wants what it has found."""


class Workplace:
    """A buffer, and the runs that are made in it one after the other."""

    def __init__(self, model: PlacedModel) -> None:
        self._model = model
        self._memory = room(0)

    def run(self, rows: Rows, attention: bool, stop: ctypes.c_int32) -> Decoded:
        """Translate some rows; `stop` is looked at all the while.

        Raises:
            EngineError: there is no memory.
        """
        kernel, model = self._model.kernel, self._model.address
        count, width = rows.ids.shape
        inside = np.arange(width, dtype=np.int32) < rows.lengths[:, None]
        most_steps = max(0, int(rows.limits.max()))
        shape = (count, int(inside.sum()), width, most_steps, attention)
        needed = kernel.batch_bytes(model, *shape)
        if needed > self._memory.nbytes:
            self._memory = room(needed)
        memory = self._memory
        batch = need(kernel.batch_make(model, memory.ctypes.data, memory.nbytes, *shape))
        head = BatchHead.from_address(batch)
        _write(head.pieces, rows.ids[inside])
        _write(head.lengths, rows.lengths)
        _write(head.limits, rows.limits)
        if not kernel.batch_run(model, batch, stop):
            raise _StoppedError
        return _decoded(head, rows, attention)


class KernelEngine:
    """Runs an int8 student.

    Args:
        student: a graph that `is_runnable`, or a published model with its layout.
        threads: most processor cores to use, at least 1; each has some rows of a mini-batch.
        path: which of `kernels()`; the one that `choose_path` gives when none is named.

    Raises:
        BundleCorruptError: the graph cannot be used.
        EngineError: this processor cannot take the path, or there is no memory.
    """

    def __init__(
        self, student: OnnxFile | PublishedStudent, threads: int = 1, path: str | None = None
    ) -> None:
        self.path = path or choose_path() or ""
        if self.path not in kernels():
            raise EngineError(f"the kernel has no path {self.path!r} for this processor")
        self._model = PlacedModel(student, self.path)
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
            return _output(_gather(self._run_parts(parts, attention, flag)), self._model.ids)
        except _StoppedError:
            raise EngineError("the run was stopped") from None

    def _run_parts(
        self, parts: Sequence[Rows], attention: bool, stop: ctypes.c_int32
    ) -> list[Decoded]:
        own, *others = self._workplaces
        futures = [
            self._helpers.submit(place.run, part, attention, stop)
            for place, part in zip(others, parts[1:], strict=False)
        ]
        try:
            first = own.run(parts[0], attention, stop)
            return [first, *(future.result() for future in futures)]
        except BaseException:
            stop.value = 1
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

    async def close(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)
        await asyncio.to_thread(self._helpers.shutdown)


def _deal(rows: Rows, hands: int) -> list[Rows]:
    """At most so many parts, none empty; part p has the rows p, p + parts, p + 2 parts ..."""
    count = min(hands, len(rows.lengths))
    return [
        Rows(rows.ids[part::count], rows.lengths[part::count], rows.limits[part::count])
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
    )


def _interleaved(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    rows, steps = sum(len(part) for part in parts), max(part.shape[1] for part in parts)
    whole = np.zeros((rows, steps, *parts[0].shape[2:]), parts[0].dtype)
    for number, part in enumerate(parts):
        whole[number :: len(parts), : part.shape[1]] = part
    return whole


def _decoded(head: BatchHead, rows: Rows, attention: bool) -> Decoded:
    """Copies what a batch has found; cells after a row's end hold anything there."""
    count, width = rows.ids.shape
    steps, most_steps = head.step, head.most_steps
    ids = _view(head.target, np.int32, count, most_steps)[:, :steps]
    places = np.arange(steps, dtype=np.int32)
    ends = np.where(ids == EOS_ID, places, steps).min(axis=1, initial=steps) + 1
    inside = places < np.minimum(ends, rows.limits)[:, None]
    logarithms = _view(head.log_probabilities, np.float32, count, most_steps)[:, :steps]
    weights = np.zeros((count, steps, 0), np.float32)
    if attention:
        found = _view(head.attention, np.float32, count, most_steps, width)[:, :steps]
        weights = np.where(inside[:, :, None], found, np.float32(0))
    return Decoded(np.where(inside, ids, 0), np.where(inside, logarithms, np.float32(0)), weights)


def _output(decoded: Decoded, names: Ints | None) -> EngineOutput:
    """`names`: what the model's pieces are called outside, where that is something else."""
    return EngineOutput(
        steps=decoded.ids.shape[1],
        ids=_array("i", decoded.ids if names is None else names[decoded.ids]),
        log_probabilities=_array("f", decoded.log_probabilities),
        attention=_array("f", decoded.attention),
    )


def _array(code: str, values: NDArray[Any]) -> array[Any]:
    result: array[Any] = array(code)
    result.frombytes(np.ascontiguousarray(values).tobytes())
    return result


def _view(address: int, kind: type[np.generic], *shape: int) -> NDArray[Any]:
    size = math.prod(shape) * np.dtype(kind).itemsize
    content = memoryview((ctypes.c_char * size).from_address(address))
    return np.frombuffer(content, kind).reshape(shape)


def _write(address: int, values: Ints) -> None:
    content = np.ascontiguousarray(values)
    ctypes.memmove(address, content.ctypes.data, content.nbytes)
