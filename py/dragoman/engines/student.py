"""The int8 student in an ONNX file (`models.export.exporter` names the tensors), for the kernel.

`web/src/kernel/student.ts` reads the same. What is read here goes to code without bounds: every
size is checked against every other one. Shape letters: A size of the alignment head, D dimension,
F feed-forward, H heads, V pieces; K inputs, N outputs of a product.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from dragoman.engines.onnx_file import FLOAT32, INT8, INT64, OnnxFile, Tensor
from dragoman.errors import BundleCorruptError
from dragoman.student.layout import MOST_LAYERS, MOST_PIECES, MOST_POSITIONS, MOST_WIDTH

# What the exporter says of a graph that computes what the engines compute.
KIND = "dragoman.kind"
PLAIN, ALIGNED = "student-int8", "student-int8-aligned"


@dataclass(frozen=True, slots=True)
class Dense:
    """y = q(x) w * input_scale * weight_scale + bias.

    q rounds x / input_scale to the nearest integer in [-128, 127], or in [0, 255] after a relu.

    Attributes:
        weights: int8; w[k][n] is at k * steps[0] + n * steps[1].
        inputs, outputs: K and N.
        bias: float32 [N].
    """

    weights: memoryview
    steps: tuple[int, int]
    inputs: int
    outputs: int
    bias: memoryview
    input_scale: float
    weight_scale: float
    after_relu: bool


@dataclass(frozen=True, slots=True)
class Norm:
    """float32 [D] each."""

    scale: memoryview
    bias: memoryview


@dataclass(frozen=True, slots=True)
class EncoderLayer:
    """Products and norms in the order of `kernel/src/model.c`; the first product has N = 3 D."""

    denses: tuple[Dense, Dense, Dense, Dense]
    norms: tuple[Norm, Norm]


@dataclass(frozen=True, slots=True)
class DecoderLayer:
    """Recurrence (N = 2 D), keys and values (2 D), query, output, inner, outer; their norms."""

    denses: tuple[Dense, Dense, Dense, Dense, Dense, Dense]
    norms: tuple[Norm, Norm, Norm]


@dataclass(frozen=True, slots=True)
class Student:
    """All that a graph computes with.

    Attributes:
        positions: most pieces of a row on either side, EOS included.
        position_table: float32 [positions, D].
        embedding_factor: a row of the embedding times this, plus its position, is a first input.
        logits: its weights are the embedding, transposed.
        alignment: key and query of the alignment head, N = A; empty where there is none.
    """

    vocabulary: int
    dimension: int
    inner: int
    heads: int
    positions: int
    position_table: memoryview
    embedding_factor: float
    encoder: tuple[EncoderLayer, ...]
    decoder: tuple[DecoderLayer, ...]
    logits: Dense
    alignment: tuple[()] | tuple[Dense, Dense]


def is_runnable(file: OnnxFile) -> bool:
    """Whether the kernel can run a graph: an int8 student of sizes that fill whole vectors, and are
    such as it can count."""
    kind, tensors = file.metadata.get(KIND), file.tensors
    embedding = tensors.get("embedding")
    vocabulary, dimension, *_ = (*(embedding.shape if embedding else ()), 0, 0)
    inner, heads = _columns(tensors, "encoder.0.feed_forward.inner.int8"), _heads(tensors)
    head = _columns(tensors, "alignment.query.int8")
    decoder = _layers(tensors, "decoder", "recurrence.candidate")
    encoder = _layers(tensors, "encoder", "attention.query")
    return (
        kind in (PLAIN, ALIGNED)
        and (head > 0) == (kind == ALIGNED)
        and head % 8 == 0
        and head <= dimension
        and embedding is not None
        and embedding.kind == INT8
        and heads > 0
        and vocabulary % 8 == 0
        and inner > 0
        and inner % 8 == 0
        and dimension % (8 * heads) == 0
        and decoder > 0
        and max(encoder, decoder) <= MOST_LAYERS
        and vocabulary <= MOST_PIECES
        and max(dimension, inner) <= MOST_WIDTH
        and "output.bias" in tensors
    )


def read_student(file: OnnxFile) -> Student:
    """The parts of a graph that `is_runnable`.

    Raises:
        BundleCorruptError: a tensor is missing, has the wrong size, or a scale is no number.
    """
    return _Reader(file.tensors).student()


class _Reader:
    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors
        self._vocabulary, self._dimension = self._matrix("embedding")
        _, self._inner = self._matrix("encoder.0.feed_forward.inner.int8")
        self._check(self._vocabulary <= MOST_PIECES, "embedding has too many pieces")
        self._check(max(self._dimension, self._inner) <= MOST_WIDTH, "a layer is too wide")

    def student(self) -> Student:
        encoder = _layers(self._tensors, "encoder", "attention.query")
        decoder = _layers(self._tensors, "decoder", "recurrence.candidate")
        self._check(max(encoder, decoder) <= MOST_LAYERS, f"more than {MOST_LAYERS} layers")
        positions = (*self._tensor("positions", FLOAT32).shape, 0)[0]
        self._check(0 < positions <= MOST_POSITIONS, f"it has {positions} positions")
        for name in self._tensors:
            stack, number, *_ = (*name.split("."), "")
            layers = {"encoder": encoder, "decoder": decoder}.get(stack)
            # Of a number of many digits Python makes no int.
            large = number.isdecimal() and (len(number) > 4 or int(number) >= (layers or 0))
            self._check(layers is None or not large, f"it has {name:.80}, but {layers} layers")
        return Student(
            vocabulary=self._vocabulary,
            dimension=self._dimension,
            inner=self._inner,
            heads=_heads(self._tensors),
            positions=positions,
            position_table=self._floats("positions", positions * self._dimension),
            embedding_factor=self._number("embedding.factor"),
            encoder=tuple(self._encoder_layer(layer) for layer in range(encoder)),
            decoder=tuple(self._decoder_layer(layer) for layer in range(decoder)),
            logits=self._logits(),
            alignment=self._alignment() if "alignment.query.int8" in self._tensors else (),
        )

    def _encoder_layer(self, layer: int) -> EncoderLayer:
        name = f"encoder.{layer}"
        attention, width = f"{name}.attention", self._dimension
        parts = (f"{attention}.query", f"{attention}.key", f"{attention}.value")
        return EncoderLayer(
            denses=(
                self._dense(width, 3 * width, *parts),
                self._dense(width, width, f"{attention}.output"),
                *self._feed_forward(name),
            ),
            norms=(self._norm(f"{attention}.norm"), self._norm(f"{name}.feed_forward.norm")),
        )

    def _decoder_layer(self, layer: int) -> DecoderLayer:
        name, width = f"decoder.{layer}", self._dimension
        recurrence, attention = f"{name}.recurrence", f"{name}.attention"
        norms = (recurrence, attention, f"{name}.feed_forward")
        first, second, third = (self._norm(f"{part}.norm") for part in norms)
        return DecoderLayer(
            denses=(
                self._dense(width, 2 * width, f"{recurrence}.candidate", f"{recurrence}.forget"),
                self._dense(width, 2 * width, f"{attention}.key", f"{attention}.value"),
                self._dense(width, width, f"{attention}.query"),
                self._dense(width, width, f"{attention}.output"),
                *self._feed_forward(name),
            ),
            norms=(first, second, third),
        )

    def _feed_forward(self, layer: str) -> tuple[Dense, Dense]:
        name = f"{layer}.feed_forward"
        return (
            self._dense(self._dimension, self._inner, f"{name}.inner"),
            self._dense(self._inner, self._dimension, f"{name}.outer", after_relu=True),
        )

    def _alignment(self) -> tuple[Dense, Dense]:
        size = _columns(self._tensors, "alignment.query.int8")
        return (
            self._dense(self._dimension, size, "alignment.key"),
            self._dense(self._dimension, size, "alignment.query"),
        )

    def _logits(self) -> Dense:
        return Dense(
            weights=self._tensor("embedding", INT8).content,
            steps=(1, self._dimension),
            inputs=self._dimension,
            outputs=self._vocabulary,
            bias=self._floats("output.bias", self._vocabulary),
            input_scale=self._number("output.scale"),
            weight_scale=self._number("output.weight_scale"),
            after_relu=False,
        )

    def _dense(self, inputs: int, outputs: int, *names: str, after_relu: bool = False) -> Dense:
        """Several products of one input lie side by side in one matrix."""
        name = "+".join(names)
        shape = self._matrix(f"{name}.int8")
        self._check(shape == (inputs, outputs), f"{name} is {shape[0]} by {shape[1]}")
        return Dense(
            weights=self._tensor(f"{name}.int8", INT8).content,
            steps=(outputs, 1),
            inputs=inputs,
            outputs=outputs,
            bias=self._floats(f"{name}.bias", outputs),
            input_scale=self._number(f"{names[0]}.scale"),
            weight_scale=self._number(f"{name}.weight_scale"),
            after_relu=after_relu,
        )

    def _norm(self, name: str) -> Norm:
        size = self._dimension
        return Norm(self._floats(f"{name}.scale", size), self._floats(f"{name}.bias", size))

    def _floats(self, name: str, count: int) -> memoryview:
        content = self._tensor(name, FLOAT32).content
        size = f"{name} has {len(content)} bytes, not {4 * count}"
        self._check(len(content) == 4 * count, size)
        return content

    def _number(self, name: str) -> float:
        number = struct.unpack("<f", self._floats(name, 1))[0]
        self._check(math.isfinite(number) and number > 0, f"{name} is {number}")
        return float(number)

    def _matrix(self, name: str) -> tuple[int, int]:
        tensor = self._tensor(name, INT8)
        shape = " by ".join(map(str, tensor.shape))
        size = math.prod(tensor.shape)
        complete = len(tensor.shape) == 2 and size == len(tensor.content) > 0
        self._check(complete, f"{name} is no matrix of {shape} bytes")
        return tensor.shape[0], tensor.shape[1]

    def _tensor(self, name: str, kind: int) -> Tensor:
        tensor = self._tensors.get(name)
        if tensor is None or tensor.kind != kind:
            raise _corrupt(f"{name} is missing or of another type")
        return tensor

    def _check(self, holds: bool, why: str) -> None:
        if not holds:
            raise _corrupt(why)


def _layers(tensors: Mapping[str, Tensor], stack: str, part: str) -> int:
    layer = 0
    while f"{stack}.{layer}.{part}.scale" in tensors:
        layer += 1
    return layer


def _columns(tensors: Mapping[str, Tensor], name: str) -> int:
    tensor = tensors.get(name)
    return (*tensor.shape, 0, 0)[1] if tensor else 0


def _heads(tensors: Mapping[str, Tensor]) -> int:
    """Of the shape that splits vectors into heads: [0, 0, heads, size]; 0 where those of that size
    do not fill a vector."""
    shape = tensors.get("shape.heads")
    if shape is None or shape.kind != INT64 or len(shape.content) != 32:
        return 0
    *_, heads, size = struct.unpack("<4q", shape.content)
    embedding = tensors.get("embedding")
    dimension = (*embedding.shape, 0, 0)[1] if embedding else 0
    return int(heads) if heads * size == dimension else 0


def _corrupt(why: str) -> BundleCorruptError:
    return BundleCorruptError(f"the model graph cannot be used: {why}")
