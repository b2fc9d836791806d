"""The native engine: onnxruntime on the CPU, in a thread of its own."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime

from dragoman.engines.beam_search import flat
from dragoman.errors import BundleCorruptError, EngineError
from dragoman.types import EngineOutput, MiniBatch, Sampling

if TYPE_CHECKING:  # it takes onnx, which is slow to import
    from dragoman.engines.stepwise import StepwiseSearch

OUTPUTS = ("target_ids", "log_probabilities", "attention")


class ThreadEngine(ABC):
    """What runs mini-batches one after the other in a thread of its own."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dragoman-engine")

    async def run(self, batch: MiniBatch, *, attention: bool) -> EngineOutput:
        loop, options = asyncio.get_running_loop(), onnxruntime.RunOptions()
        options.log_severity_level = 4  # What ends a run is raised; it need not be printed too.
        try:
            return await loop.run_in_executor(self._thread, self.run_now, batch, attention, options)
        except asyncio.CancelledError:
            options.terminate = True  # Looked at before each operator, those of the loop included.
            raise

    @abstractmethod
    def run_now(
        self,
        batch: MiniBatch,
        attention: bool,
        options: onnxruntime.RunOptions | None = None,
    ) -> EngineOutput:
        """The same, at once and in this thread."""

    async def close(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)


class OnnxRuntimeEngine(ThreadEngine):
    """Runs a model graph.

    Args:
        graph: the bytes of ``model.onnx``.
        threads: processor cores to use; 0 leaves the choice to onnxruntime.

    Raises:
        BundleCorruptError: onnxruntime cannot load the graph.
    """

    def __init__(self, graph: bytes, threads: int = 0) -> None:
        super().__init__()
        options = _session_options(threads)
        try:
            self._session = onnxruntime.InferenceSession(
                graph, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's own exceptions have no common base.
            raise BundleCorruptError(f"the model graph cannot be loaded: {error}") from error
        self._graph, self._options = graph, options
        self._search: StepwiseSearch | None = None

    def run_now(
        self,
        batch: MiniBatch,
        attention: bool,
        options: onnxruntime.RunOptions | None = None,
    ) -> EngineOutput:
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
            ids=flat("i", ids),
            log_probabilities=flat("f", results[1]),
            attention=flat("f", results[2]) if attention else array("f"),
        )

    def _searched(
        self, batch: MiniBatch, attention: bool, options: onnxruntime.RunOptions | None
    ) -> EngineOutput:
        """Beams and prefixes: the graph is taken apart when the first of them comes."""
        from dragoman.engines.stepwise import StepwiseSearch

        if self._search is None:
            self._search = StepwiseSearch([self._graph], self._options)
        return self._search.run(batch, attention, options or onnxruntime.RunOptions())


class StepwiseEngine(ThreadEngine):
    """Takes every search step by step, also those that a graph does itself: for the workshop.

    Args:
        graphs, sampling: as those of `stepwise.StepwiseSearch`, with its errors.
        threads: processor cores to use; 0 leaves the choice to onnxruntime.
    """

    def __init__(
        self, graphs: Sequence[bytes], threads: int = 0, sampling: Sampling | None = None
    ) -> None:
        from dragoman.engines.stepwise import StepwiseSearch

        super().__init__()
        self._search = StepwiseSearch(graphs, _session_options(threads), sampling)

    def run_now(
        self,
        batch: MiniBatch,
        attention: bool,
        options: onnxruntime.RunOptions | None = None,
    ) -> EngineOutput:
        return self._search.run(batch, attention, options or onnxruntime.RunOptions())


def _session_options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    # Without VNNI its products of bytes would saturate in 16 bits.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return options
