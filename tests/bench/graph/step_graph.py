"""The design that ADR 1 decided against: an encoder graph and a step graph, driven by the host.

Kept for the benchmark that shows the difference, made of the same parts as the shipped graph.
"""

from __future__ import annotations

import numpy as np
import onnx

from dragoman.student.builder import FLOAT, INT32, INT64, GraphBuilder, TensorType
from dragoman.student.exporter import Exporter
from dragoman.student.step import Memory


def encoder_graph(exporter: Exporter) -> onnx.ModelProto:
    """source_ids, lengths -> mask, and key.N, value.N of each decoder layer."""
    g = GraphBuilder()
    memory = exporter.encoder(g, "source_ids", "lengths")
    layers = range(exporter.sizes.decoder_layers)
    outputs = [g.rename(memory.mask, "mask")]
    outputs += [g.rename(memory.keys[layer], f"key.{layer}") for layer in layers]
    outputs += [g.rename(memory.values[layer], f"value.{layer}") for layer in layers]
    return g.model(
        "encoder",
        [TensorType("source_ids", INT32, ("B", "S")), TensorType("lengths", INT32, ("B",))],
        [TensorType(name, FLOAT, ("B", "x", "y", "z")) for name in outputs],
    )


def step_graph(exporter: Exporter) -> onnx.ModelProto:
    """ids (-1 before the first step), step, state.N, mask, key.N, value.N -> best, state.N."""
    g = GraphBuilder()
    layers = range(exporter.sizes.decoder_layers)
    dimension = exporter.sizes.dimension
    memory_names = ["mask", *(f"key.{n}" for n in layers), *(f"value.{n}" for n in layers)]
    # Without the alignment head; the pieces are for what the search does with its attention.
    memory = Memory(
        tuple(f"key.{n}" for n in layers), tuple(f"value.{n}" for n in layers), "mask", "", ""
    )
    known = g.op(
        "Cast", g.op("GreaterOrEqual", "ids", g.constant("int32.0", np.int32(0))), to=FLOAT
    )
    known = g.op("Unsqueeze", known, g.constant("axes.1", np.array([1])))
    clipped = g.op("Max", "ids", g.constant("int32.0", np.int32(0)))
    previous = g.op("Mul", exporter.embed(g, clipped), known)
    position = g.op("Gather", exporter.position_table(g), "step")
    states = tuple(f"state.{n}" for n in layers)
    result = exporter.step(g, g.op("Add", previous, position), states, memory)
    g.rename(result.best, "best")
    g.rename(result.log_probability, "log_probability")
    attention = g.op("Gather", result.attention, g.constant("int.0", np.int64(0)), axis=1)
    g.op("Squeeze", attention, g.constant("axes.1", np.array([1])), names=["weights"])
    for n in layers:
        g.rename(result.states[n], f"next_state.{n}")
    return g.model(
        "step",
        [
            TensorType("ids", INT32, ("B",)),
            TensorType("step", INT64, ()),
            *(TensorType(name, FLOAT, ("B", dimension)) for name in states),
            *(TensorType(name, FLOAT, ("B", "x", "y", "z")) for name in memory_names),
        ],
        [
            TensorType("best", INT32, ("B",)),
            TensorType("log_probability", FLOAT, ("B",)),
            TensorType("weights", FLOAT, ("B", "S")),
            *(TensorType(f"next_state.{n}", FLOAT, ("B", dimension)) for n in layers),
        ],
    )
