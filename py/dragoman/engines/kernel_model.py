"""A student in the kernel's memory: our own out of an ONNX file, or a published one by its layout.

ONNX file --> `Student` ----------.
                                   +--> what the kernel takes: products, norms, embeddings
file's bytes, `StudentLayout` ----'
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dragoman.engines.kernel_library import Sizes, kernels
from dragoman.engines.onnx_file import OnnxFile
from dragoman.engines.student import DecoderLayer, Dense, EncoderLayer, Student, read_student
from dragoman.errors import EngineError, ModelFileError
from dragoman.marian.shortlist import Shortlist
from dragoman.student.layout import DenseLayout, StudentLayout

# In the order of `kernel/src/model.c`, and of the parts of a `Student`.
_ENCODER_DENSES, _DECODER_DENSES, _LOGITS, _ALIGNED = 0, 4, 10, 11
_ENCODER_NORMS, _DECODER_NORMS = 0, 2
# As in `kernel/src/dense.h`.
_AFTER_RELU, _SCALED = 1, 2
# A row chooses among so many pieces at least: its own lists would leave too little (docs/adr/0028).
LEAST_COLUMNS = 2048


@dataclass(frozen=True, slots=True)
class PublishedStudent:
    """A published model as the kernel takes it.

    Attributes:
        content: of its file.
        positions: most pieces of a row on either side, EOS included.
        ids: what each piece of the target side is called outside; None: the same.
    """

    content: bytes
    layout: StudentLayout
    positions: int
    ids: array[int] | None = None


@dataclass(frozen=True, slots=True)
class _Product:
    """What `model_dense` takes.

    Attributes:
        weights: int8; w[k][n] is at k * steps[0] + n * steps[1].
        bias: float32 [outputs]; None where there is none.
        kind: of `kernel/src/dense.h`.
    """

    part: int
    layer: int
    weights: memoryview
    steps: tuple[int, int]
    inputs: int
    outputs: int
    bias: memoryview | None
    input: float
    scale: float
    kind: int


@dataclass(frozen=True, slots=True)
class _Norm:
    part: int
    layer: int
    scale: memoryview
    bias: memoryview


class PlacedModel:
    """A student in the kernel's layout, in memory of its own.

    Args:
        path: which of `kernels()`.

    Raises:
        BundleCorruptError: the graph cannot be used, see `read_student`.
        ModelFileError: the shortlist is none of this model.
        EngineError: there is no memory.
    """

    ids: NDArray[np.int32] | None = None

    def __init__(
        self, model: OnnxFile | PublishedStudent, path: str, shortlist: Shortlist | None = None
    ) -> None:
        self.kernel = kernels()[path]
        more = 0 if shortlist is None else shortlist.offsets.nbytes + shortlist.targets.nbytes + 512
        self.has_shortlist = shortlist is not None
        if isinstance(model, PublishedStudent):
            self._place_published(model, more)
        else:
            self._place_own(read_student(model), more)
        if shortlist is not None:
            self._place_lists(shortlist)

    def _place_own(self, student: Student, more: int) -> None:
        self.vocabulary = self.target_vocabulary = student.vocabulary
        self.positions = student.positions
        sizes = Sizes(
            student.vocabulary, student.dimension, student.inner, student.heads,
            len(student.encoder), len(student.decoder), student.positions,
        )  # fmt: skip
        products, norms = list(_products_of(student)), list(_norms_of(student))
        self._make(sizes, products, norms, more + len(student.position_table))
        table = self._keep(student.position_table)
        self.kernel.model_positions(self.address, table, student.embedding_factor)

    def _place_published(self, model: PublishedStudent, more: int) -> None:
        layout, content = model.layout, memoryview(model.content)
        self.vocabulary, self.target_vocabulary = layout.source_pieces, layout.vocabulary
        self.positions = model.positions
        if model.ids is not None:
            self.ids = np.array(model.ids, np.int32)
        sizes = Sizes(
            layout.vocabulary, layout.dimension, layout.inner, layout.heads,
            layout.encoder_layers, layout.decoder_layers, model.positions,
        )  # fmt: skip
        rows = layout.source.pieces * layout.dimension if layout.source else 0
        products = [_product(dense, content) for dense in layout.denses]
        more += rows + 4 * layout.dimension * model.positions
        self._make(sizes, products, list(_norms_at(layout, content)), more)
        need(self.kernel.model_sinusoids(self.address, layout.factor))
        if layout.source:
            first = layout.source.rows
            table = self._keep(content[first : first + rows])
            self.kernel.model_source(self.address, table, layout.source.factor)
        self.kernel.model_never(self.address, layout.never)

    def _place_lists(self, shortlist: Shortlist) -> None:
        if shortlist.sources != self.vocabulary:
            raise ModelFileError(
                f"the shortlist is of {shortlist.sources:,} pieces, the model's source has "
                f"{self.vocabulary:,}",
                requested=shortlist.sources,
                allowed=self.vocabulary,
            )
        self._copies = self._copied()
        placed = self.kernel.model_lists(
            self.address,
            self._keep(shortlist.offsets.data.cast("B")),
            self._keep(shortlist.targets.data.cast("B")),
            len(shortlist.targets),
            None if self._copies is None else self._copies.ctypes.data,
            shortlist.sources,
            min(shortlist.first, self.target_vocabulary),
            LEAST_COLUMNS,
        )
        if not placed:
            raise ModelFileError("the shortlist names pieces that the model does not have")
        need(self.kernel.model_common(self.address))

    def _copied(self) -> NDArray[np.int32] | None:
        """Of each source piece the target's with the same text, or -1; None: the same numbers."""
        if self.ids is None:
            return None
        copies = np.full(self.vocabulary, -1, np.int32)
        both = np.flatnonzero(self.ids < self.vocabulary)
        copies[self.ids[both]] = both
        return copies

    def _make(self, sizes: Sizes, products: list[_Product], norms: list[_Norm], more: int) -> None:
        """The model with its layers; `more` bytes are for what is not one of them."""
        # With lists the columns of the output layer that are common to all rows come once more.
        columns = [product for product in products if product.part == _LOGITS] * self.has_shortlist
        self._memory = room(_bytes_of([*products, *columns], norms) + more)
        memory = self._memory
        self.address = need(self.kernel.model_make(memory.ctypes.data, memory.nbytes, sizes))
        for product in products:
            self._dense(product)
        for norm in norms:
            scale, bias = self._keep(norm.scale), self._keep(norm.bias)
            self.kernel.model_norm(self.address, norm.part, norm.layer, scale, bias)

    def _dense(self, product: _Product) -> None:
        weights = np.frombuffer(product.weights, np.uint8)
        bias = None if product.bias is None else np.frombuffer(product.bias, np.uint8)
        need(
            self.kernel.model_dense(
                self.address, product.part, product.layer,
                weights.ctypes.data, *product.steps, product.inputs, product.outputs,
                None if bias is None else bias.ctypes.data,
                product.input, product.scale, product.kind,
            )
        )  # fmt: skip

    def _keep(self, content: memoryview) -> int:
        address = need(self.kernel.model_take(self.address, len(content)))
        source = np.frombuffer(content, np.uint8)
        ctypes.memmove(address, source.ctypes.data, len(content))
        return address


def _products_of(student: Student) -> Iterator[_Product]:
    layers = chain(
        ((_ENCODER_DENSES, number, layer.denses) for number, layer in enumerate(student.encoder)),
        ((_DECODER_DENSES, number, layer.denses) for number, layer in enumerate(student.decoder)),
        ((_LOGITS, 0, (student.logits,)), (_ALIGNED, 0, student.alignment)),
    )
    for first, layer, denses in layers:
        for part, dense in enumerate(denses, first):
            yield _own_product(part, layer, dense)


def _own_product(part: int, layer: int, dense: Dense) -> _Product:
    # A product of two float32 is exact, and rounded once, as it goes into the kernel.
    scale = dense.input_scale * dense.weight_scale
    return _Product(
        part, layer, dense.weights, dense.steps, dense.inputs, dense.outputs, dense.bias,
        dense.input_scale, scale, _AFTER_RELU if dense.after_relu else 0,
    )  # fmt: skip


def _norms_of(student: Student) -> Iterator[_Norm]:
    stacks: tuple[tuple[int, tuple[EncoderLayer | DecoderLayer, ...]], ...] = (
        (_ENCODER_NORMS, student.encoder),
        (_DECODER_NORMS, student.decoder),
    )
    for first, layers in stacks:
        for number, layer in enumerate(layers):
            for part, norm in enumerate(layer.norms, first):
                yield _Norm(part, number, norm.scale, norm.bias)


def _product(dense: DenseLayout, content: memoryview) -> _Product:
    weights = content[dense.weights : dense.weights + dense.inputs * dense.outputs]
    bias = None if dense.bias < 0 else content[dense.bias : dense.bias + 4 * dense.outputs]
    return _Product(
        dense.product, dense.layer, weights, (1, dense.inputs), dense.inputs, dense.outputs, bias,
        dense.input, dense.scale, _SCALED | (_AFTER_RELU if dense.after_relu else 0),
    )  # fmt: skip


def _norms_at(layout: StudentLayout, content: memoryview) -> Iterator[_Norm]:
    size = 4 * layout.dimension
    for norm in layout.norms:
        scale, bias = (content[place : place + size] for place in (norm.scale, norm.bias))
        yield _Norm(norm.normalization, norm.layer, scale, bias)


def _bytes_of(products: list[_Product], norms: list[_Norm]) -> int:
    """Enough for a model: what is stored, columns filled up to sixteen, and each part's edges.

    Sums of 16 bits (``kernel/src/narrow.h``) take biases, half of the weights' size at most, and
    blocks of what does not fit: of a hundredth of the weights as a rule, at worst three for two
    with an address each. What is not written to is not there.
    """
    matrices = sum((product.inputs + 8) * (product.outputs + 16) + 512 for product in products)
    matrices += 5 * matrices // 2 + 512 * len(products)
    vectors = sum(len(norm.scale) + len(norm.bias) + 128 for norm in norms)
    return matrices + vectors + 65_536


def room(size: int) -> NDArray[np.uint8]:
    """Memory that is there only when it is written to.

    Raises:
        EngineError: there is none.
    """
    try:
        return np.empty(size, np.uint8)
    except MemoryError as error:
        raise EngineError(f"there is no memory for {size:,} bytes", bytes=size) from error


def need(address: int | None) -> int:
    """An address of the kernel, which gives 0 for want of memory.

    Raises:
        EngineError: it is 0.
    """
    if not address:
        raise EngineError("there is no memory for the engine")
    return address
