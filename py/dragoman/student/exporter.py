"""Export to ONNX: the whole greedy search as one graph, with int8, float16 or float32 weights.

    source_ids, lengths -> encoder -> keys and values of each decoder layer (once)
                                          |
    limits -> Loop: previous embedding, SSRU states -> decoder step -> best piece -> embedding
                                          '--> where the previous piece comes from (attention)

Quantization: weights are int8 with one scale a matrix (127 / max|w|); activations uint8 with a
static scale and zero point 128, or 0 after relu; products are exact in int32. The embedding is
stored once, as int8 rows; the output layer's matrix is its transpose, folded by the engine at load.
Matrices of float16 are made float32 by the engine at load: half the file, the same speed (ADR 38).

Shape letters: B rows, S source pieces, D dimension, H heads, V pieces, T steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
import onnx
from numpy.typing import NDArray

from dragoman.errors import ExportError
from dragoman.student.architecture import LAYER_NORM_EPSILON, UNK, Architecture
from dragoman.student.builder import BOOL, FLOAT, INT32, INT64, GraphBuilder, TensorType
from dragoman.student.step import Memory, StepResult
from dragoman.student.weights import EMBEDDING, OUTPUT, OUTPUT_BIAS, Array, positions
from dragoman.student.weights import quantize as quantize

MAX_POSITIONS = 288
MASKED = -1e9
# Scores of attention farther below the best than this count as this far: what a softmax makes of
# them, and products with it, stay clear of the subnormal numbers, which processors are a hundred
# times slower with (docs/adr/0003). e^-64 adds nothing to a sum that is at least 1.
FARTHEST = 64.0
# Say to the browser's kernel (kernel/) that the graph computes what it computes, without and with
# an alignment head: whoever changes the mathematics of the int8 graph changes this, and the kernel.
KERNEL_KINDS = ("student-int8", "student-int8-aligned")
HEAD = "alignment"  # the alignment head's name in a student


class Trained(Protocol):
    """A trained model: what PyTorch's `Student` is, without PyTorch."""

    sizes: Architecture

    def state_dict(self) -> Mapping[str, Any]:
        """Tensors of PyTorch, by name."""
        ...


class Precision(StrEnum):
    INT8 = "int8"
    FLOAT16 = "float16"
    FLOAT32 = "float32"


class Exporter:
    """Emits the parts of one model into graphs.

    It has many methods because each layer of the model is one, over the same weights and ranges.

    Args:
        ranges: largest magnitude of each matrix product's input (`calibrate.activation_ranges`);
            needed for int8 only.
        max_positions: longest row on either side, EOS included; a longer one fails.

    Raises:
        ExportError: int8 without ranges, or a model that is not of the tiny kind.
    """

    def __init__(
        self,
        model: Trained,
        precision: Precision,
        ranges: Mapping[str, float] | None = None,
        max_positions: int = MAX_POSITIONS,
    ) -> None:
        parts = (model.sizes.encoder, model.sizes.decoder)
        if parts != ("transformer", "ssru"):
            raise ExportError(
                f"a model with a {parts[0]} encoder and a {parts[1]} decoder has no ONNX export; "
                "train the tiny kind for it: a transformer encoder, an ssru decoder"
            )
        if precision is Precision.INT8 and ranges is None:
            raise ExportError("int8 needs the ranges of activations")
        self.sizes: Architecture = model.sizes
        self.precision = precision
        self.ranges: Mapping[str, float] = {} if ranges is None else ranges
        self.max_positions = max_positions
        self.weights: dict[str, Array] = {
            name: value.detach().float().numpy() for name, value in model.state_dict().items()
        }

    # Building blocks.

    def dense(
        self, g: GraphBuilder, x: str, names: tuple[str, ...], after_relu: bool = False
    ) -> str:
        """x [..., inputs] -> [..., sum of outputs]: the products of several `Linear`s at once."""
        weight = np.concatenate([self.weights[f"{name}.weight"] for name in names], axis=1)
        bias = np.concatenate([self._bias(name) for name in names])
        return self._product(g, x, "+".join(names), names[0], weight, bias, after_relu)

    def _bias(self, name: str) -> Array:
        bias = self.weights.get(f"{name}.bias")
        if bias is not None:
            return bias
        return np.zeros(self.weights[f"{name}.weight"].shape[1], dtype=np.float32)

    def _product(
        self,
        g: GraphBuilder,
        x: str,
        name: str,
        range_name: str,
        weight: Array,
        bias: Array,
        after_relu: bool,
    ) -> str:
        if self.precision is not Precision.INT8:
            if after_relu:
                x = g.op("Relu", x)
            product = g.op("MatMul", x, self.matrix(g, f"{name}.weight", weight))
            return g.op("Add", product, g.constant(f"{name}.bias", bias))
        quantized, scale = quantize(weight)
        packed = g.constant(f"{name}.int8", quantized)
        return self.integer_product(g, x, name, range_name, packed, scale, bias, after_relu)

    def matrix(self, g: GraphBuilder, name: str, weight: Array) -> str:
        """A stored matrix in float32; it is made so once, and outside of the loop."""
        if self.precision is Precision.FLOAT32:
            return g.constant(name, weight)
        stored, made = g.constant(name, weight.astype(np.float16)), f"{name}.float32"
        if not any(made in node.output for node in g._root.nodes):
            g._root.op("Cast", stored, names=[made], to=FLOAT)
        return made

    def integer_product(
        self,
        g: GraphBuilder,
        x: str,
        name: str,
        range_name: str,
        weight: str,
        weight_scale: float | Array,
        bias: Array,
        after_relu: bool,
    ) -> str:
        """x times an int8 matrix whose outputs have one scale, or one each [outputs]."""
        activations, scale, zero = self.activations(g, x, range_name, after_relu)
        weight_scale_name = g.constant(f"{name}.weight_scale", np.float32(weight_scale))
        bias_name = g.constant(f"{name}.bias", bias)
        return g.microsoft(
            "MatMulIntegerToFloat",
            activations,
            weight,
            scale,
            weight_scale_name,
            zero,
            "",
            bias_name,
        )

    def activations(
        self, g: GraphBuilder, x: str, range_name: str, after_relu: bool
    ) -> tuple[str, str, str]:
        """x as uint8, its scale, and what stands for 0."""
        # A zero point of 0 clips negative values: the relu costs nothing.
        step = self.ranges[range_name] / (255 if after_relu else 127)
        scale = g.constant(f"{range_name}.scale", np.float32(step))
        zero = g.constant(f"zero.{0 if after_relu else 128}", np.uint8(0 if after_relu else 128))
        return g.op("QuantizeLinear", x, scale, zero), scale, zero

    def embedding_rows(self) -> tuple[NDArray[np.int8], float]:
        """The table of pieces in int8, and its scale."""
        return quantize(self.weights[EMBEDDING])

    @property
    def kernel_kind(self) -> str:
        """The mark of what the graph computes; "" where no kernel knows it."""
        if self.precision is not Precision.INT8:
            return ""
        return KERNEL_KINDS[bool(self.sizes.alignment)]

    def normalize(self, g: GraphBuilder, x: str, residual: str, name: str) -> str:
        """Layer normalization of x + residual."""
        scale = g.constant(f"{name}.scale", self.weights[f"{name}.scale"])
        bias = g.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        # Not the fused SkipLayerNormalization: natively it is five times slower (ADR 3).
        total = g.op("Add", x, residual)
        return g.op("LayerNormalization", total, scale, bias, axis=-1, epsilon=LAYER_NORM_EPSILON)

    def feed_forward(self, g: GraphBuilder, x: str, name: str) -> str:
        inner = self.dense(g, x, (f"{name}.inner",))
        return self.normalize(
            g, self.dense(g, inner, (f"{name}.outer",), after_relu=True), x, f"{name}.norm"
        )

    def embed(self, g: GraphBuilder, ids: str) -> str:
        """ids [...] -> rows of the embedding times sqrt(D) [..., D]; int8 rows are scaled here."""
        factor = math.sqrt(self.sizes.dimension)
        if self.precision is not Precision.INT8:
            rows = g.op("Gather", self.matrix(g, EMBEDDING, self.weights[EMBEDDING]), ids)
        else:
            quantized, scale = self.embedding_rows()
            rows = g.op("Cast", g.op("Gather", g.constant("embedding", quantized), ids), to=FLOAT)
            factor *= scale
        return g.op("Mul", rows, g.constant("embedding.factor", np.float32(factor)))

    def position_table(self, g: GraphBuilder) -> str:
        table = positions(self.max_positions, self.sizes.dimension)
        return g.constant("positions", table)

    # Encoder.

    def encoder(self, g: GraphBuilder, ids: str, lengths: str) -> Memory:
        """ids int32 [B, S], lengths int32 [B] -> what the decoder reads."""
        width = g.op("Gather", g.op("Shape", ids), g.constant("axis.1", np.int64(1)))
        zero, one = g.constant("int.0", np.int64(0)), g.constant("int.1", np.int64(1))
        columns = g.op("Range", zero, width, one)
        padding = g.op(
            "GreaterOrEqual",
            columns,
            g.op("Cast", g.op("Unsqueeze", lengths, g.constant("axes.1", np.array([1]))), to=INT64),
        )
        mask = g.op(
            "Mul", g.op("Cast", padding, to=FLOAT), g.constant("masked", np.float32(MASKED))
        )
        mask = g.op("Unsqueeze", mask, g.constant("axes.1.2", np.array([1, 2])))
        x = g.op("Add", self.embed(g, ids), g.op("Gather", self.position_table(g), columns))
        for layer in range(self.sizes.encoder_layers):
            x = self.encoder_layer(g, x, mask, f"encoder.{layer}")
        keys, values = [], []
        for layer in range(self.sizes.decoder_layers):
            name = f"decoder.{layer}.attention"
            both = self.dense(g, x, (f"{name}.key", f"{name}.value"))
            key, value = g.ops("Split", both, outputs=2, axis=-1, num_outputs=2)
            keys.append(self.heads(g, key, (0, 2, 3, 1)))
            values.append(self.heads(g, value, (0, 2, 1, 3)))
        aligned = ""
        if self.sizes.alignment:
            # [B, S, A] to [B, 1, A, S]: one head.
            aligned = g.op("Transpose", self.dense(g, x, (f"{HEAD}.key",)), perm=[0, 2, 1])
            aligned = g.op("Unsqueeze", aligned, g.constant("axes.1", np.array([1])))
        pieces = g.op("Cast", g.op("Not", padding), to=FLOAT)
        return Memory(tuple(keys), tuple(values), mask, pieces, aligned)

    def heads(self, g: GraphBuilder, x: str, order: tuple[int, ...]) -> str:
        """[B, S, D] -> [B, S, H, D/H], transposed."""
        shape = np.array([0, 0, self.sizes.heads, self.sizes.dimension // self.sizes.heads])
        return g.op(
            "Transpose", g.op("Reshape", x, g.constant("shape.heads", shape)), perm=list(order)
        )

    def attention_weights(
        self, g: GraphBuilder, query: str, keys: str, mask: str, size: int
    ) -> str:
        """query [B, H, Q, size], keys [B, H, size, S] -> [B, H, Q, S], rows that sum to 1."""
        scores = g.op("MatMul", query, keys)
        scores = g.op("Mul", scores, g.constant(f"query.factor.{size}", np.float32(size**-0.5)))
        scores = g.op("Add", scores, mask)
        best = g.op("ReduceMax", scores, g.constant("axes.last", np.array([-1])), keepdims=1)
        least = g.op("Sub", best, g.constant("farthest", np.float32(FARTHEST)))
        return g.op("Softmax", g.op("Max", scores, least), axis=-1)

    def encoder_layer(self, g: GraphBuilder, x: str, mask: str, name: str) -> str:
        attention = f"{name}.attention"
        packed = self.dense(
            g, x, tuple(f"{attention}.{part}" for part in ("query", "key", "value"))
        )
        query, key, value = g.ops("Split", packed, outputs=3, axis=-1, num_outputs=3)
        weights = self.attention_weights(
            g,
            self.heads(g, query, (0, 2, 1, 3)),
            self.heads(g, key, (0, 2, 3, 1)),
            mask,
            self.sizes.dimension // self.sizes.heads,
        )
        mixed = g.op("MatMul", weights, self.heads(g, value, (0, 2, 1, 3)))
        mixed = g.op("Transpose", mixed, perm=[0, 2, 1, 3])
        flat = g.constant("shape.rows", np.array([0, 0, self.sizes.dimension]))
        mixed = g.op("Reshape", mixed, flat)
        x = self.normalize(
            g, self.dense(g, mixed, (f"{attention}.output",)), x, f"{attention}.norm"
        )
        return self.feed_forward(g, x, f"{name}.feed_forward")

    # Decoder.

    def step(self, g: GraphBuilder, x: str, states: tuple[str, ...], memory: Memory) -> StepResult:
        """x: previous embedding plus position [B, D]; states: one [B, D] a layer."""
        new_states: list[str] = []
        attention = ""
        for layer in range(self.sizes.decoder_layers):
            name = f"decoder.{layer}"
            x, state = self.recurrence(g, x, states[layer], f"{name}.recurrence")
            new_states.append(state)
            history = x
            x, attention = self.cross_attention(g, x, memory, layer, f"{name}.attention")
            x = self.feed_forward(g, x, f"{name}.feed_forward")
        if memory.aligned:
            attention = self.aligned(g, history, memory)
        best, log_probability = self.best_piece(g, self.logits(g, x))
        return StepResult(best, log_probability, attention, tuple(new_states))

    def recurrence(self, g: GraphBuilder, x: str, state: str, name: str) -> tuple[str, str]:
        both = self.dense(g, x, (f"{name}.candidate", f"{name}.forget"))
        candidate, forget = g.ops("Split", both, outputs=2, axis=-1, num_outputs=2)
        kept = g.op("Mul", g.op("Sigmoid", forget), g.op("Sub", state, candidate))
        state = g.op("Add", candidate, kept)
        return self.normalize(g, g.op("Relu", state), x, f"{name}.norm"), state

    def cross_attention(
        self, g: GraphBuilder, x: str, memory: Memory, layer: int, name: str
    ) -> tuple[str, str]:
        """One query a row: the split into heads is a mere reshape."""
        head = self.sizes.dimension // self.sizes.heads
        query = self.dense(g, x, (f"{name}.query",))
        shape = np.array([-1, self.sizes.heads, 1, head])
        query = g.op("Reshape", query, g.constant("shape.query", shape))
        weights = self.attention_weights(g, query, memory.keys[layer], memory.mask, head)
        mixed = g.op("MatMul", weights, memory.values[layer])
        mixed = g.op(
            "Reshape", mixed, g.constant("shape.flat", np.array([-1, self.sizes.dimension]))
        )
        x = self.normalize(g, self.dense(g, mixed, (f"{name}.output",)), x, f"{name}.norm")
        return x, weights

    def aligned(self, g: GraphBuilder, history: str, memory: Memory) -> str:
        """Where the previous piece comes from: history [B, D] -> [B, 1, 1, S]."""
        size = self.sizes.alignment
        query = self.dense(g, history, (f"{HEAD}.query",))
        query = g.op("Reshape", query, g.constant("shape.alignment", np.array([-1, 1, 1, size])))
        return self.attention_weights(g, query, memory.aligned, memory.mask, size)

    def logits(self, g: GraphBuilder, x: str) -> str:
        bias = self.weights[OUTPUT_BIAS].copy()
        bias[UNK] = MASKED  # never chosen
        if self.precision is not Precision.INT8:
            table = g._root.op("Transpose", self.matrix(g, EMBEDDING, self.weights[EMBEDDING]))
            return g.op("Add", g.op("MatMul", x, table), g.constant("output.bias", bias))
        quantized, scale = self.embedding_rows()
        table = g._root.op("Transpose", g.constant("embedding", quantized), perm=[1, 0])
        return self.integer_product(g, x, OUTPUT, OUTPUT, table, scale, bias, False)

    def best_piece(self, g: GraphBuilder, logits: str) -> tuple[str, str]:
        """logits [B, V] -> best piece int32 [B], its log-probability [B].

        A maximum over blocks, then over one block: the reduction is vectorized where ArgMax is not.
        """
        blocks = _blocks(self.sizes.vocabulary_size)
        width = self.sizes.vocabulary_size // blocks
        last = g.constant("axes.last", np.array([-1]))
        shape = g.constant("shape.blocks", np.array([0, blocks, width]))
        cells = g.op("Reshape", g.op("Softmax", logits, axis=-1), shape)
        tops = g.op("ReduceMax", cells, last, keepdims=0)
        probability = g.op("ReduceMax", tops, last, keepdims=0)
        block = g.op("ArgMax", tops, axis=-1, keepdims=1)
        within = g.op("ArgMax", g.op("GatherND", cells, block, batch_dims=1), axis=-1, keepdims=1)
        best = g.op("Add", g.op("Mul", block, g.constant("block", np.int64(width))), within)
        best = g.op("Cast", g.op("Squeeze", best, last), to=INT32)
        return best, g.op("Log", probability)


def _blocks(vocabulary_size: int) -> int:
    """The divisor of the vocabulary's size that is nearest to its square root."""
    root = math.sqrt(vocabulary_size)
    divisors = [n for n in range(1, vocabulary_size + 1) if vocabulary_size % n == 0]
    return min(divisors, key=lambda n: abs(n - root))


def translation_graph(exporter: Exporter) -> onnx.ModelProto:
    """The whole search: see ``docs/protocol.md`` for inputs and outputs."""
    g = GraphBuilder()
    memory = exporter.encoder(g, "source_ids", "lengths")
    dimension = exporter.sizes.dimension
    rows = g.op("Shape", "lengths")
    state_shape = g.op("Concat", rows, g.constant("dimension", np.array([dimension])), axis=0)
    zeros = g.op("ConstantOfShape", state_shape)
    alive = g.op("Cast", g.op("ConstantOfShape", rows), to=INT32)
    alive = g.op("Add", alive, g.constant("int32.1", np.int32(1)))
    trips = g.op("Cast", g.op("ReduceMax", "limits", keepdims=0), to=INT64)
    always = g.constant("true", np.bool_(True))

    layers = range(exporter.sizes.decoder_layers)
    body = GraphBuilder(g)
    states = tuple(f"state.{layer}" for layer in layers)
    position = body.op("Gather", exporter.position_table(body), "step")
    result = exporter.step(body, body.op("Add", "previous", position), states, memory)
    ids = body.op("Mul", result.best, "alive")
    attention = body.op("Gather", result.attention, body.constant("int.0", np.int64(0)), axis=1)
    attention = body.op("Squeeze", attention, body.constant("axes.1", np.array([1])))
    # A row is over when it gave EOS, or with its last allowed piece.
    going = body.op("Cast", body.op("Cast", ids, to=BOOL), to=INT32)
    next_step = body.op(
        "Cast", body.op("Add", "step", body.constant("int.1", np.int64(1))), to=INT32
    )
    within = body.op("Cast", body.op("Less", next_step, "limits"), to=INT32)
    still_alive = body.op("Mul", going, within)
    anyone = body.op("Cast", body.op("ReduceMax", still_alive, keepdims=0), to=BOOL)
    carried = [
        body.rename(anyone, "go_on"),
        body.rename(exporter.embed(body, ids), "next"),
        body.rename(still_alive, "next_alive"),
        *(
            body.rename(value, f"next_state.{layer}")
            for layer, value in zip(layers, result.states, strict=True)
        ),
    ]
    scanned = [
        body.rename(ids, "ids"),
        body.rename(result.log_probability, "log_probability"),
        body.rename(attention, "weights"),
    ]
    body_graph = body.graph(
        "step",
        [
            TensorType("step", INT64, ()),
            TensorType("condition", BOOL, ()),
            TensorType("previous", FLOAT, ("B", dimension)),
            TensorType("alive", INT32, ("B",)),
            *(TensorType(name, FLOAT, ("B", dimension)) for name in states),
        ],
        [
            TensorType(carried[0], BOOL, ()),
            TensorType(carried[1], FLOAT, ("B", dimension)),
            TensorType(carried[2], INT32, ("B",)),
            *(TensorType(name, FLOAT, ("B", dimension)) for name in carried[3:]),
            TensorType(scanned[0], INT32, ("B",)),
            TensorType(scanned[1], FLOAT, ("B",)),
            TensorType(scanned[2], FLOAT, ("B", "S")),
        ],
    )
    count = 2 + len(states)
    results = g.ops(
        "Loop", trips, always, zeros, alive, *([zeros] * len(states)),
        outputs=count + len(scanned), body=body_graph,
    )  # fmt: skip
    g.op("Transpose", results[count], perm=[1, 0], names=["target_ids"])
    g.op("Transpose", results[count + 1], perm=[1, 0], names=["log_probabilities"])
    attention = g.op("Transpose", results[count + 2], perm=[1, 0, 2])
    if memory.aligned:
        attention = one_step_later(g, attention)
    # The search gives padding e^-64 or less, the output nothing.
    pieces = g.op("Unsqueeze", memory.pieces, g.constant("axes.1", np.array([1])))
    g.op("Mul", attention, pieces, names=["attention"])
    return g.model(
        "translation",
        [
            TensorType("source_ids", INT32, ("B", "S")),
            TensorType("lengths", INT32, ("B",)),
            TensorType("limits", INT32, ("B",)),
        ],
        [
            TensorType("target_ids", INT32, ("B", "T")),
            TensorType("log_probabilities", FLOAT, ("B", "T")),
            TensorType("attention", FLOAT, ("B", "T", "S")),
        ],
        {"dragoman.kind": exporter.kernel_kind} if exporter.kernel_kind else {},
    )


def one_step_later(g: GraphBuilder, attention: str) -> str:
    """[B, T, S]: row t is what step t + 1 says of piece t.

    Where no such step was taken for the row, because it was over (EOS) or cut at its limit, row t
    stays what it was: that of the piece before.
    """
    one, last = g.constant("axes.1", np.array([1])), g.constant("axes.last", np.array([-1]))
    end = g.constant("end", np.array([np.iinfo(np.int64).max]))
    later = g.op(
        "Concat",
        g.op("Slice", attention, one, end, one),
        g.op("Slice", attention, last, end, one),
        axis=1,
    )
    zero, step = g.constant("int.0", np.int64(0)), g.constant("int.1", np.int64(1))
    steps = g.op("Gather", g.op("Shape", attention), step)
    numbers = g.op("Cast", g.op("Range", zero, steps, step), to=INT32)
    limits = g.op("Sub", "limits", g.constant("int32.1", np.int32(1)))
    goes_on = g.op(
        "And",
        g.op("Cast", "target_ids", to=BOOL),
        g.op("Less", numbers, g.op("Unsqueeze", limits, one)),
    )
    return g.op("Where", g.op("Unsqueeze", goes_on, last), later, attention)
