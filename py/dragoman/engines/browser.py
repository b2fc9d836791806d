"""The browser's engine: an injected JavaScript function that runs the model in a worker of its own.

Nothing of Pyodide is imported: buffers cross as Python buffers one way, and as objects with
``to_bytes()`` (Pyodide's view of a typed array) the other way.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable
from dataclasses import fields
from typing import Any, Protocol

from dragoman.errors import EngineError
from dragoman.types import EngineOutput, MiniBatch, Search


class TypedArray(Protocol):
    def to_bytes(self) -> bytes: ...


class RunResult(Protocol):
    """What the JavaScript function resolves to."""

    steps: int
    ids: TypedArray
    logProbabilities: TypedArray  # noqa: N815 (a JavaScript name)
    attention: TypedArray
    scores: TypedArray  # not of greedy search

    def release(self) -> None:
        """Give the arrays back: nobody looks for garbage where there is hardly any."""


class RunFunction(Protocol):
    """Runs one mini-batch."""

    def __call__(
        self,
        ids: object,
        lengths: object,
        limits: object,
        rows: int,
        width: int,
        attention: bool,
        *beams: object,
    ) -> Awaitable[RunResult]: ...

    def stop(self) -> None:
        """End what is running; its promise rejects within some steps."""

    def close(self) -> None:
        """Give the model's memory back; it is not run again."""


class LoadedBundle(Protocol):
    """What a `LoadFunction` resolves to."""

    manifest: str
    vocabulary: TypedArray
    names: TypedArray | None
    run: RunFunction
    kept: str | None


class LoadFunction(Protocol):
    """Fetches a bundle, checks it, and hands its graph to the engine."""

    def __call__(self, bundle: str) -> Awaitable[LoadedBundle]: ...


class BrowserEngine:
    """See ``docs/protocol.md`` for the arguments of `run`."""

    def __init__(self, run: RunFunction) -> None:
        self._run = run

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        promise = asyncio.ensure_future(self._promise(batch, attention))
        try:
            # The promise settles in its own time, whoever still waits for it.
            result = await asyncio.shield(promise)
        except asyncio.CancelledError:
            promise.add_done_callback(_ignore)
            self._run.stop()
            raise
        except Exception as error:  # A rejected promise: Pyodide's JsException.
            raise EngineError(f"the browser's engine failed: {error}") from error
        output = EngineOutput(
            steps=int(result.steps),
            ids=_array("i", result.ids),
            log_probabilities=_array("f", result.logProbabilities),
            attention=_array("f", result.attention),
            scores=array("f") if batch.is_greedy else _array("f", result.scores),
        )
        result.release()
        return output

    async def _promise(self, batch: MiniBatch, attention: bool) -> RunResult:
        search = array("d", [getattr(batch.search, field.name) for field in fields(Search)])
        beams = () if batch.is_greedy else (search, batch.prefixes)
        return await self._run(
            batch.ids, batch.lengths, batch.limits, batch.rows, batch.width, attention, *beams
        )

    async def close(self) -> None:
        """Unload the model; the worker itself is the page's."""
        self._run.close()


def _ignore(promise: asyncio.Future[RunResult]) -> None:
    if not promise.cancelled():
        promise.exception()


def _array(code: str, values: TypedArray) -> array[Any]:
    result: array[Any] = array(code)
    result.frombytes(values.to_bytes())
    return result
