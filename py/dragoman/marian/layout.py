"""Where a published file has what the kernel computes with.

Plain Python, which reads little more of a file than its head: natively the file is in memory, under
Pyodide with whoever asked. Nothing is quantized here: scales are the file's.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterator, Mapping

from dragoman.errors import ModelFileError
from dragoman.marian.config import MarianConfig, read_config
from dragoman.marian.file import Entry, Kind, Read, read_index, value_bytes
from dragoman.marian.names import (
    BIAS,
    CONFIG,
    MatrixName,
    embedding_names,
    matrix_names,
    norm_names,
    output_alphas,
)
from dragoman.student.architecture import EMBEDDING, UNK
from dragoman.student.layout import (
    DenseLayout,
    EmbeddingLayout,
    Normalization,
    NormLayout,
    Product,
    StudentLayout,
)

PRODUCTS = {
    "encoder": {
        "attention.query": Product.QUERY_KEY_VALUE,
        "attention.key": Product.QUERY_KEY_VALUE,
        "attention.value": Product.QUERY_KEY_VALUE,
        "attention.output": Product.ENCODER_OUTPUT,
        "feed_forward.inner": Product.ENCODER_INNER,
        "feed_forward.outer": Product.ENCODER_OUTER,
    },
    "decoder": {
        "recurrence.candidate": Product.RECURRENCE,
        "recurrence.forget": Product.RECURRENCE,
        "attention.key": Product.KEY_VALUE,
        "attention.value": Product.KEY_VALUE,
        "attention.query": Product.QUERY,
        "attention.output": Product.OUTPUT,
        "feed_forward.inner": Product.INNER,
        "feed_forward.outer": Product.OUTER,
    },
}
NORMALIZATIONS = {
    "encoder": {
        "attention.norm": Normalization.ENCODER,
        "feed_forward.norm": Normalization.ENCODER_FEED_FORWARD,
    },
    "decoder": {
        "recurrence.norm": Normalization.RECURRENCE,
        "attention.norm": Normalization.ATTENTION,
        "feed_forward.norm": Normalization.FEED_FORWARD,
    },
}


class ModelFile:
    """A model file, whose head has been read.

    Args:
        read: gives bytes of it, from one place up to another.
        size: of all of it, in bytes.

    Raises:
        ModelFileError: it is no model file, is damaged, or of another kind of network.
    """

    def __init__(self, read: Read, size: int) -> None:
        self._read = read
        self._entries: Mapping[str, Entry] = {e.name: e for e in read_index(read, size)}
        self.config: MarianConfig = read_config(self._settings())

    def layout(self) -> StudentLayout | None:
        """None where the kernel does not know what the file has.

        That is: no int8, no activation scales, or sizes that do not fill whole vectors.

        Raises:
            ModelFileError: a tensor is missing, has a size that the settings do not say, or holds
                what is no number.
        """
        if not self._is_quantized():
            return None
        sizes, names = self.config.sizes, embedding_names(self.config)
        table = names[EMBEDDING]
        layout = StudentLayout(
            vocabulary=sizes.vocabulary_size,
            dimension=sizes.dimension,
            inner=sizes.feed_forward,
            heads=sizes.heads,
            encoder_layers=sizes.encoder_layers,
            decoder_layers=sizes.decoder_layers,
            factor=self._factor(table),
            source=None if self.config.shared else self._source(names[f"source_{EMBEDDING}"]),
            never=UNK,
            denses=(*self._denses(), self._logits(table)),
            norms=tuple(self._norms()),
        )
        return layout if layout.fits else None

    def _settings(self) -> str:
        if CONFIG not in self._entries:
            raise ModelFileError(
                f"there is no {CONFIG} in it: the settings of the network are missing"
            )
        content = self._data(self._entries[CONFIG])
        try:
            return content.split(b"\0", 1)[0].decode()
        except UnicodeDecodeError as error:
            raise ModelFileError(f"{CONFIG} is not UTF-8: {error}") from error

    def _is_quantized(self) -> bool:
        """Whether all matrices are int8, with activation scales."""
        weights = [name.weight for name in matrix_names(self.config)]
        weights += embedding_names(self.config).values()
        kinds = [self._entry(name).kind for name in weights]
        scaled = any(name.alpha in self._entries for name in matrix_names(self.config))
        return scaled and all(kind is Kind.INTGEMM8 for kind in kinds)

    def _denses(self) -> Iterator[DenseLayout]:
        sizes = self.config.sizes
        for name in matrix_names(self.config):
            stack, layer, part = name.ours.split(".", 2)
            into = sizes.feed_forward if part.endswith(".outer") else sizes.dimension
            out = sizes.feed_forward if part.endswith(".inner") else sizes.dimension
            yield self._dense(PRODUCTS[stack][part], int(layer), name, into, out)

    def _dense(
        self, product: Product, layer: int, name: MatrixName, into: int, out: int
    ) -> DenseLayout:
        weights = self._matrix(name.weight, (into, out))
        return DenseLayout(
            product, layer, weights.start, into, out,
            bias=self._vector(name.bias, out) if name.bias else -1,
            input=(alpha := self._alpha((name.alpha,))),
            scale=_scale(alpha, self._multiplier(weights)),
            after_relu=product in (Product.ENCODER_OUTER, Product.OUTER),
        )  # fmt: skip

    def _logits(self, table: str) -> DenseLayout:
        pieces, dimension = self.config.sizes.vocabulary_size, self.config.sizes.dimension
        rows = self._matrix(table, (pieces, dimension))
        alpha = self._alpha(output_alphas(self.config))
        return DenseLayout(
            Product.LOGITS, 0, rows.start, dimension, pieces,
            bias=self._vector(BIAS, pieces),
            input=alpha,
            scale=_scale(alpha, self._multiplier(rows)),
            after_relu=False,
        )  # fmt: skip

    def _norms(self) -> Iterator[NormLayout]:
        for name in norm_names(self.config):
            stack, layer, part = name.ours.split(".", 2)
            scale, bias = (
                self._vector(f"{name.prefix}_{which}", self.config.sizes.dimension)
                for which in ("scale", "bias")
            )
            yield NormLayout(NORMALIZATIONS[stack][part], int(layer), scale, bias)

    def _source(self, table: str) -> EmbeddingLayout:
        pieces = self.config.source_vocabulary_size
        rows = self._matrix(table, (pieces, self.config.sizes.dimension))
        return EmbeddingLayout(rows.start, pieces, self._factor(table))

    def _factor(self, table: str) -> float:
        root = math.sqrt(self.config.sizes.dimension)
        return _float32(root * (1 / self._multiplier(self._entry(table))))

    # What the settings say, against what is there.

    def _entry(self, name: str) -> Entry:
        if name not in self._entries:
            raise ModelFileError(f"there is no tensor {name!r}", tensor=name)
        return self._entries[name]

    def _matrix(self, name: str, shape: tuple[int, int]) -> Entry:
        entry = self._entry(name)
        if entry.shape != shape:
            raise ModelFileError(
                f"{name!r} has the shape {entry.shape}, the settings say {shape}", tensor=name
            )
        return entry

    def _vector(self, name: str, size: int) -> int:
        """Where it begins."""
        entry = self._entry(name)
        if math.prod(entry.shape) != size:
            raise ModelFileError(
                f"{name!r} has the shape {entry.shape}, the settings say {size}", tensor=name
            )
        if entry.kind is not Kind.FLOAT32:
            raise ModelFileError(f"{name!r} is {entry.kind}, not float32", tensor=name)
        values = array("f", self._data(entry, 4 * size))
        if not all(map(math.isfinite, values)):
            raise ModelFileError(f"{name!r} holds values that are not numbers", tensor=name)
        return entry.start

    def _alpha(self, names: tuple[str, ...]) -> float:
        """The first that is there: what an input is multiplied by."""
        scale = next((name for name in names if name in self._entries), None)
        if scale is None:
            raise ModelFileError(f"it has activation scales, but no {names[0]}", tensor=names[0])
        entry = self._entry(scale)
        alpha = self._number(entry)
        if math.prod(entry.shape) != 1 or not (math.isfinite(alpha) and alpha > 0):
            raise ModelFileError(f"{scale!r} is no scale: {alpha}", tensor=scale)
        return alpha

    def _number(self, entry: Entry) -> float:
        """The first value; some files have int8 for it too."""
        if entry.kind is Kind.INTGEMM8:
            (value,) = struct.unpack("<b", self._data(entry, 1))
            return _float32(value / self._multiplier(entry))
        if entry.kind is not Kind.FLOAT32:
            raise ModelFileError(f"{entry.name!r} is {entry.kind}, not float32", tensor=entry.name)
        return float(struct.unpack("<f", self._data(entry, 4))[0])

    def _multiplier(self, entry: Entry) -> float:
        """127 / max|w|: what the weights were multiplied by."""
        end = entry.start + value_bytes(entry.kind, entry.shape)
        multiplier = float(struct.unpack("<f", self._read(end - 4, end))[0])
        if not (math.isfinite(multiplier) and multiplier > 0):
            raise ModelFileError(f"{entry.name!r} has no scale: {multiplier}", tensor=entry.name)
        return multiplier

    def _data(self, entry: Entry, size: int | None = None) -> bytes:
        return self._read(entry.start, entry.start + (entry.size if size is None else size))


def published_file(content: bytes) -> ModelFile:
    """A model file that is in memory.

    Raises:
        ModelFileError: see `ModelFile`.
    """
    return ModelFile(lambda start, end: content[start:end], len(content))


def _scale(alpha: float, multiplier: float) -> float:
    """Of a sum; each step in float32, as intgemm has it."""
    product = _float32(alpha * multiplier)
    if not product:
        raise ModelFileError(f"a scale is too small: {alpha} by {multiplier}")
    return _float32(1 / product)


def _float32(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError as error:
        raise ModelFileError(f"a scale is too large: {value}") from error
