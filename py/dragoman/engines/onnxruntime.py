"""The native engine: onnxruntime on the CPU, in a thread of its own."""

from __future__ import annotations

import asyncio
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from dragoman.errors import BundleCorruptError, EngineError
from dragoman.types import EngineOutput, MiniBatch

if TYPE_CHECKING:  # it takes onnx, which is slow to import
    from dragoman.engines.onnx_steps import OnnxSteps

OUTPUTS = ("target_ids", "log_probabilities", "attention")


class OnnxRuntimeEngine:
    """Runs a model graph.

    Args:
        graph: the bytes of ``model.onnx``.
        threads: processor cores to use; 0 leaves the choice to onnxruntime.

    Raises:
        BundleCorruptError: onnxruntime cannot load the graph.
    """

    def __init__(self, graph: bytes, threads: int = 0) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                graph, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's own exceptions have no common base.
            raise BundleCorruptError(f"the model graph cannot be loaded: {error}") from error
        self._graph, self._options = graph, options
        self._steps: OnnxSteps | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dragoman-engine")

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        loop, options = asyncio.get_running_loop(), onnxruntime.RunOptions()
        options.log_severity_level = 4  # What ends a run is raised; it need not be printed too.
        try:
            return await loop.run_in_executor(self._thread, self.run_now, batch, attention, options)
        except asyncio.CancelledError:
            options.terminate = True  # Looked at before each operator, those of the loop included.
            raise

    def run_now(
        self,
        batch: MiniBatch,
        attention: bool,
        options: onnxruntime.RunOptions | None = None,
    ) -> EngineOutput:
        """The same, at once and in this thread."""
        if not batch.is_greedy:
            return self._searched(batch, attention, options)
        inputs = {
            "source_ids": np.array(batch.ids, dtype=np.int32).reshape(batch.rows, batch.width),
            "lengths": np.array(batch.lengths, dtype=np.int32),
            "limits": np.array(batch.limits, dtype=np.int32),
        }
        names = OUTPUTS if attention else OUTPUTS[:2]
        try:
            results = self._session.run(list(names), inputs, options)
        except Exception as error:  # See above.
            raise EngineError(f"onnxruntime failed: {error}") from error
        ids = results[0]
        return EngineOutput(
            steps=int(ids.shape[1]),
            ids=_array("i", ids),
            log_probabilities=_array("f", results[1]),
            attention=_array("f", results[2]) if attention else array("f"),
        )

    def _searched(
        self, batch: MiniBatch, attention: bool, options: onnxruntime.RunOptions | None
    ) -> EngineOutput:
        """Beams and prefixes: the graph is taken apart when the first of them comes."""
        from dragoman.engines.beam_search import search
        from dragoman.engines.onnx_steps import OnnxSteps

        if self._steps is None:
            self._steps = OnnxSteps(self._graph, self._options)
        steps = self._steps
        steps.options = options or onnxruntime.RunOptions()
        given = replace(batch, prefixes=steps.inside(batch.prefixes))
        try:
            found = search(steps, given, attention=attention)
        except Exception as error:  # See above.
            raise EngineError(f"onnxruntime failed: {error}") from error
        return replace(found, ids=_array("i", steps.outside(np.array(found.ids, np.int32))))

    async def close(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)


def _array(code: str, values: NDArray[np.generic]) -> array[Any]:
    result: array[Any] = array(code)
    result.frombytes(np.ascontiguousarray(values).tobytes())
    return result
