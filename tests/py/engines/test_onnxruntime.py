"""The native engine, with the embedded model."""

from __future__ import annotations

import asyncio
import threading
from array import array
from collections.abc import Callable
from typing import Any

import onnx
import pytest

from dragoman.engines.onnxruntime import OnnxRuntimeEngine, StepwiseEngine
from dragoman.errors import BundleCorruptError
from dragoman.types import MiniBatch, Piece, Segment, Span
from tests.support.paths import MODELS

GRAPH = MODELS / "de-en" / "model.onnx"
WIDTH, LIMIT = 80, 170


def batch(rows: int) -> MiniBatch:
    """Rows of any pieces: the model finds no end, so that a run takes seconds."""
    piece = Piece(20, Span(0, 1))
    segments = tuple(
        Segment(1, row, Span(0, 1), (piece,) * (WIDTH - 1), LIMIT) for row in range(rows)
    )
    ids = [20 + 17 * cell % 7900 for cell in range(rows * WIDTH)]
    return MiniBatch(
        segments, array("i", ids), array("i", [WIDTH] * rows), array("i", [LIMIT] * rows), WIDTH
    )


@pytest.mark.parametrize(("graph", "words"), [(b"garbage", "not an ONNX"), (b"", "of a search")])
def test_what_is_no_graph_is_a_typed_error_step_by_step(graph: bytes, words: str) -> None:
    with pytest.raises(BundleCorruptError, match=words):
        StepwiseEngine([graph], threads=1)


def cut_embedding(graph: onnx.GraphProto) -> None:
    embedding = next(tensor for tensor in graph.initializer if tensor.name == "embedding")
    embedding.raw_data = embedding.raw_data[:100]


def no_embedding(graph: onnx.GraphProto) -> None:
    next(tensor for tensor in graph.initializer if tensor.name == "embedding").name = "other"


def unknown_node(graph: onnx.GraphProto) -> None:
    loop = next(node for node in graph.node if node.op_type == "Loop")
    loop.attribute[0].g.node[0].op_type = "Nonsense"


@pytest.mark.parametrize("damage", [cut_embedding, no_embedding, unknown_node])
def test_what_cannot_be_taken_apart_is_a_typed_error(
    damage: Callable[[onnx.GraphProto], None],
) -> None:
    """Errors of onnx, NumPy and onnxruntime came through as they are."""
    model = onnx.load_model_from_string(GRAPH.read_bytes())
    damage(model.graph)
    with pytest.raises(BundleCorruptError, match="the graph is not that of a search: "):
        StepwiseEngine([model.SerializeToString()], threads=1)


async def test_a_cancelled_run_ends_and_the_engine_goes_on() -> None:
    engine = OnnxRuntimeEngine(GRAPH.read_bytes(), threads=1)
    began = threading.Event()
    run_now = engine.run_now

    def noted(*arguments: Any) -> Any:
        began.set()
        return run_now(*arguments)

    engine.run_now = noted  # type: ignore[assignment]
    task = asyncio.create_task(engine.run(batch(256), attention=False))
    await asyncio.to_thread(began.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # One thread runs all: this one waits for what is left of the other.
    output = await asyncio.wait_for(engine.run(batch(1), attention=True), 30)
    assert len(output.attention) == output.steps * WIDTH
    await engine.close()
    assert engine._thread._shutdown
