"""The browser's engine: an injected JavaScript function that runs onnxruntime-web in its worker.

Nothing of Pyodide is imported: buffers cross as Python buffers one way, and as objects with
``to_bytes()`` (Pyodide's view of a typed array) the other way.
"""

from __future__ import annotations

from array import array
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from dragoman.errors import EngineError
from dragoman.types import EngineOutput, MiniBatch


class TypedArray(Protocol):
    def to_bytes(self) -> bytes: ...


class RunResult(Protocol):
    """What the JavaScript function resolves to."""

    steps: int
    ids: TypedArray
    logProbabilities: TypedArray  # noqa: N815 (a JavaScript name)
    attention: TypedArray


RunFunction = Callable[[object, object, object, int, int, bool], Awaitable[RunResult]]


class OnnxRuntimeWebEngine:
    """See ``docs/protocol.md`` for the arguments of `run`."""

    def __init__(self, run: RunFunction) -> None:
        self._run = run

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        try:
            result = await self._run(
                batch.ids, batch.lengths, batch.limits, batch.rows, batch.width, attention
            )
        except Exception as error:  # A rejected promise: Pyodide's JsException.
            raise EngineError(f"onnxruntime-web failed: {error}") from error
        return EngineOutput(
            steps=int(result.steps),
            ids=_array("i", result.ids),
            log_probabilities=_array("f", result.logProbabilities),
            attention=_array("f", result.attention),
        )

    async def close(self) -> None:
        """Nothing to do: the page owns the engine's worker."""


def _array(code: str, values: TypedArray) -> array[Any]:
    result: array[Any] = array(code)
    result.frombytes(values.to_bytes())
    return result
