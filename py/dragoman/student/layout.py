"""Where a file has what the kernel computes with: a table of offsets, sizes and scales.

Plain data, which hosts hand to each other as JSON: the file's bytes are copied once, from where
they are to where the kernel packs them (`engines.kernel`, `web/src/kernel/published.ts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

MOST_LAYERS = 16
# Sizes beyond these would not fit the kernel's 32-bit numbers.
MOST_PIECES, MOST_WIDTH, MOST_POSITIONS = 1 << 20, 1 << 13, 1 << 16


class Product(IntEnum):
    """In the order of ``kernel/src/model.c``."""

    QUERY_KEY_VALUE = 0
    ENCODER_OUTPUT = 1
    ENCODER_INNER = 2
    ENCODER_OUTER = 3
    RECURRENCE = 4
    KEY_VALUE = 5
    QUERY = 6
    OUTPUT = 7
    INNER = 8
    OUTER = 9
    LOGITS = 10


class Normalization(IntEnum):
    """In the order of ``kernel/src/model.c``."""

    ENCODER = 0
    ENCODER_FEED_FORWARD = 1
    RECURRENCE = 2
    ATTENTION = 3
    FEED_FORWARD = 4


@dataclass(frozen=True, slots=True)
class DenseLayout:
    """y = q(x) w * scale + bias; q rounds x * input to [-127, 127], or to [0, 127] after a relu.

    Several of one product and layer have the same x, and their y side by side, in order.

    Attributes:
        weights: offset of int8 [outputs, inputs].
        bias: offset of float32 [outputs]; -1 where there is none.
        scale: of a sum; float32, as `input` is.
    """

    product: Product
    layer: int
    weights: int
    inputs: int
    outputs: int
    bias: int
    input: float
    scale: float
    after_relu: bool


@dataclass(frozen=True, slots=True)
class NormLayout:
    """Offsets of float32 [dimension]."""

    normalization: Normalization
    layer: int
    scale: int
    bias: int


@dataclass(frozen=True, slots=True)
class EmbeddingLayout:
    """A row times `factor`, plus its position, is what a stack begins with.

    Attributes:
        rows: offset of int8 [pieces, dimension].
    """

    rows: int
    pieces: int
    factor: float


@dataclass(frozen=True, slots=True)
class StudentLayout:
    """A student in a file.

    Attributes:
        vocabulary: pieces of the target side; the weights of `Product.LOGITS` are their embedding.
        factor: of the target's embedding, see `EmbeddingLayout`.
        source: of the source's pieces; None: both sides have one embedding.
        never: a piece that is not chosen.
    """

    vocabulary: int
    dimension: int
    inner: int
    heads: int
    encoder_layers: int
    decoder_layers: int
    factor: float
    source: EmbeddingLayout | None
    never: int
    denses: tuple[DenseLayout, ...]
    norms: tuple[NormLayout, ...]

    @property
    def source_pieces(self) -> int:
        return self.source.pieces if self.source else self.vocabulary

    @property
    def fits(self) -> bool:
        """Whether the sizes fill whole vectors, and are such as the kernel can count."""
        return (
            self.vocabulary % 8 == 0
            and self.inner % 8 == 0
            and self.dimension % (8 * self.heads) == 0
            and max(self.encoder_layers, self.decoder_layers) <= MOST_LAYERS
            and max(self.vocabulary, self.source_pieces) <= MOST_PIECES
            and max(self.dimension, self.inner) <= MOST_WIDTH
        )
