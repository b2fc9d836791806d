"""Models with a vocabulary a side, as one graph: two embeddings.

The graph embeds source ids by a table of their own, and translates the target ids that it chose
into ids of the merged vocabulary (`marian.vocabulary`) as its last step.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from dragoman.errors import ExportError
from dragoman.student.weights import Array, Int8Matrix

TABLE, FACTOR, MAP = "source_embedding", "source_embedding.factor", "target_to_merged"
OWN_IDS = "target_ids.own"


def split_graph(
    model: onnx.ModelProto,
    source: Int8Matrix | Array,
    ids: Sequence[int] | NDArray[np.int32],
    dimension: int,
) -> onnx.ModelProto:
    """Give a graph a source embedding of its own, and merged ids in its output; changes `model`.

    Args:
        source: rows of the source pieces, int8 for an int8 graph.

    Raises:
        ExportError: the graph is not one of `export.translation_graph`.
    """
    graph = model.graph
    lookup = _only(graph, "Gather", "source_ids")
    factor = np.float32(np.sqrt(dimension))
    if isinstance(source, Int8Matrix):
        factor *= np.float32(source.scale)
    table = source.values if isinstance(source, Int8Matrix) else source
    lookup.input[0] = TABLE
    scaled = _only(graph, "Mul", _cast_of(graph, lookup.output[0]))
    scaled.input[1] = FACTOR
    last = next((node for node in graph.node if "target_ids" in node.output), None)
    if last is None:
        raise ExportError("the graph has no target_ids")
    last.output[0] = OWN_IDS
    graph.node.append(helper.make_node("Gather", [MAP, OWN_IDS], ["target_ids"], name="merged"))
    graph.initializer.extend(
        numpy_helper.from_array(np.ascontiguousarray(value), name)
        for name, value in (
            (TABLE, table),
            (FACTOR, np.array(factor)),
            (MAP, np.array(ids, np.int32)),
        )
    )
    # Programs that know the graph of one vocabulary by this mark do not know this one.
    del model.metadata_props[:]
    return model


def _only(graph: onnx.GraphProto, kind: str, value: str) -> onnx.NodeProto:
    """The node of a kind that reads a value."""
    nodes = [node for node in graph.node if node.op_type == kind and value in node.input]
    if len(nodes) != 1:
        raise ExportError(f"the graph has {len(nodes)} {kind} of {value}, not one")
    node: onnx.NodeProto = nodes[0]
    return node


def _cast_of(graph: onnx.GraphProto, value: str) -> str:
    """The value after its Cast, where it has one."""
    casts = [n for n in graph.node if n.op_type == "Cast" and value in n.input]
    return str(casts[0].output[0]) if casts else value
