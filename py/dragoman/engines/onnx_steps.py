"""The graph of a greedy search, taken apart: its encoder, and the body of its loop as a graph.

    translation graph    source_ids --encoder--> keys, values, mask --> Loop (body: a decoder step)
    becomes              `encoder` ----------------^    `step`: previous, states, these -->
                                                        probabilities of all pieces, weights, states

So a graph that only onnxruntime knows is searched with beams too. `student/exporter.py` has made
it, and `marian/split.py` given some a vocabulary a side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from dragoman.engines.beam_search import Floats, Memory, Stepped
from dragoman.errors import BundleCorruptError, EngineError
from dragoman.types import MiniBatch, PrefixStep, flat_prefixes, prefix_rows

FLOAT, INT32, INT64 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT32, onnx.TensorProto.INT64
# Names that the exporter gives.
_BLOCKS, _WEIGHTS, _STATE, _NEXT = "shape.blocks", "weights", "state.", "next_state."
_EMBEDDING, _FACTOR, _HEAD, _NAMES = (
    "embedding",
    "embedding.factor",
    "alignment.",
    "target_to_merged",
)


class OnnxSteps:
    """A graph in onnxruntime, step by step.

    Args:
        graph: the bytes of ``model.onnx``.

    Attributes:
        options: of the runs: `terminate` ends them.

    Raises:
        BundleCorruptError: it is not such a graph.
    """

    def __init__(self, graph: bytes, session: onnxruntime.SessionOptions) -> None:
        try:
            model = onnx.load_model_from_string(graph)
        except Exception as error:  # protobuf's own, for which onnx has no name
            raise BundleCorruptError("the model graph is not an ONNX model") from error
        self.options = onnxruntime.RunOptions()
        try:
            self._take_apart(_Parts(model), session)
        except Exception as error:  # those of onnx and onnxruntime have no common base
            raise BundleCorruptError(f"the graph is not that of a search: {error!r}") from error

    def _take_apart(self, parts: _Parts, session: onnxruntime.SessionOptions) -> None:
        self.is_late = any(name.startswith(_HEAD) for name in parts.constants)
        self._table = numpy_helper.to_array(parts.constants[_EMBEDDING])
        self._factor = np.float32(numpy_helper.to_array(parts.constants[_FACTOR]))
        names = parts.constants.get(_NAMES)
        self._names = None if names is None else numpy_helper.to_array(names)
        self._memory, self._states, self._outputs = parts.memory, parts.states, parts.outputs
        self._encoder, self._step = (
            onnxruntime.InferenceSession(
                made.SerializeToString(), session, providers=["CPUExecutionProvider"]
            )
            for made in (parts.encoder(), parts.step())
        )

    def encode(self, batch: MiniBatch) -> Memory:
        inputs = {
            "source_ids": np.array(batch.ids, np.int32).reshape(batch.rows, batch.width),
            "lengths": np.array(batch.lengths, np.int32),
        }
        memory = self._encoder.run(self._memory, inputs, self.options)
        return dict(zip(self._memory, memory, strict=True))

    def start(self, rows: int) -> tuple[Floats, ...]:
        return tuple(np.zeros((rows, self._table.shape[1]), np.float32) for _ in self._states)

    def step(
        self, number: int, pieces: Sequence[int], states: tuple[Floats, ...], memory: Memory
    ) -> Stepped:
        previous = self._table[list(pieces)].astype(np.float32) * self._factor
        inputs = {
            "step": np.array(number, np.int64),
            "previous": previous if number else np.zeros_like(previous),
            **dict(zip(self._states, states, strict=True)),
            **memory,
        }
        probabilities, weights, *after = self._step.run(self._outputs, inputs, self.options)
        return Stepped(probabilities, weights, tuple(after))

    def inside(self, prefixes: Any) -> Any:
        """Prefixes by the numbers that pieces have in the graph.

        Raises:
            EngineError: a piece has none.
        """
        if self._names is None:
            return prefixes
        known = {name: piece for piece, name in enumerate(self._names.tolist())}
        return flat_prefixes(
            tuple(_inside(step, known) for step in steps) for steps in prefix_rows(prefixes)
        )

    def outside(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """What the graph's pieces are called outside."""
        own: NDArray[np.int32] = ids if self._names is None else self._names[ids]
        return own


def _inside(step: PrefixStep, known: dict[int, int]) -> PrefixStep:
    if step.piece not in known:
        raise EngineError(f"a prefix has piece {step.piece}, which the model cannot say")
    allowed = sorted(known[piece] for piece in step.allowed if piece in known)
    return PrefixStep(known[step.piece], tuple(allowed))


class _Parts:
    """A translation graph, and what of it goes where."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._model, graph = model, model.graph
        loop = next(node for node in graph.node if node.op_type == "Loop")
        body = next(item.g for item in loop.attribute if item.name == "body")
        self.constants = {item.name: item for item in (*graph.initializer, *body.initializer)}
        softmax = next(
            node.input[0]
            for node in body.node
            if node.op_type == "Reshape" and node.input[1] == _BLOCKS
        )
        following = [item.name for item in body.output if item.name.startswith(_NEXT)]
        self.states = [item.name for item in body.input if item.name.startswith(_STATE)]
        self.outputs = [softmax, _WEIGHTS, *following]
        self._body = _needed(body.node, self.outputs)
        given = {item.name for item in body.input}
        made = {name for node in self._body for name in node.output}
        read = dict.fromkeys(name for node in self._body for name in node.input if name)
        outer = [name for name in read if name not in given | made | self.constants.keys()]
        # The output layer's matrix is the embedding, transposed: it comes along.
        still = [name for name in outer if self._is_constant(name)]
        self._moved = _needed(graph.node, still)
        self.memory = [name for name in outer if name not in still]

    def _is_constant(self, name: str) -> bool:
        nodes = _needed(self._model.graph.node, [name])
        inputs = {item.name for item in self._model.graph.input}
        return not any(read in inputs for node in nodes for read in node.input)

    def encoder(self) -> onnx.ModelProto:
        inputs = [
            helper.make_tensor_value_info("source_ids", INT32, ["B", "S"]),
            helper.make_tensor_value_info("lengths", INT32, ["B"]),
        ]
        nodes = _needed(self._model.graph.node, self.memory)
        return self._made("encoder", nodes, inputs, self.memory)

    def step(self) -> onnx.ModelProto:
        inputs = [
            helper.make_tensor_value_info("step", INT64, []),
            *(_floats(name) for name in ("previous", *self.states, *self.memory)),
        ]
        return self._made("step", [*self._moved, *self._body], inputs, self.outputs)

    def _made(
        self,
        name: str,
        nodes: Sequence[onnx.NodeProto],
        inputs: Sequence[onnx.ValueInfoProto],
        outputs: Iterable[str],
    ) -> onnx.ModelProto:
        read = {value for node in nodes for value in node.input}
        stored = [tensor for key, tensor in self.constants.items() if key in read]
        graph = helper.make_graph(nodes, name, inputs, list(map(_floats, outputs)), stored)
        made = helper.make_model(graph, opset_imports=self._model.opset_import)
        made.ir_version = self._model.ir_version
        return made


def _needed(nodes: Iterable[onnx.NodeProto], outputs: Iterable[str]) -> list[onnx.NodeProto]:
    """The nodes that some values are made by, in order."""
    wanted, needed_nodes = set(outputs), []
    for node in reversed(list(nodes)):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            needed_nodes.append(node)
    return needed_nodes[::-1]


def _floats(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, FLOAT, None)
