"""Which parts a model is made of, and how large they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from dragoman.errors import ExportError, TrainingError

# Of every vocabulary: the end of a sentence, and what has no piece.
EOS, UNK = 0, 1
# Names that are not those of a `Linear`: the table of pieces, the output layer, and its bias.
EMBEDDING, OUTPUT, OUTPUT_BIAS = "embedding", "output", "output_bias"
LAYER_NORM_EPSILON = 1e-6

EncoderKind = Literal["transformer", "recurrent", "convolutional"]
DecoderKind = Literal["ssru", "attention"]
ENCODERS: tuple[str, ...] = get_args(EncoderKind)
DECODERS: tuple[str, ...] = get_args(DecoderKind)
# What every kind has, and manifests of every age name.
SIZES = (
    "vocabulary_size", "dimension", "feed_forward", "heads", "encoder_layers", "decoder_layers",
)  # fmt: skip


@dataclass(frozen=True)
class Architecture:
    """Parts and sizes of a student; the defaults are those of the published tiny models.

    Plain data: ``asdict`` of it is what checkpoints and manifests hold.

    Attributes:
        encoder: "transformer", "recurrent" (bidirectional LSTM) or "convolutional" (gated).
        decoder: "ssru" (simpler simple recurrent unit) or "attention" (causal self-attention).
        alignment: size of the alignment head's queries and keys (`layers.AlignmentHead`), which is
            trained after the rest (`train_alignment`); 0: the model has none.
    """

    vocabulary_size: int = 8000
    dimension: Annotated[int, "Size of the model's vectors."] = 256
    feed_forward: Annotated[int, "Size of the feed-forward layers."] = 1536
    heads: Annotated[int, "Attention heads."] = 8
    encoder_layers: Annotated[int, "Layers of the encoder."] = 6
    decoder_layers: Annotated[int, "Layers of the decoder."] = 2
    encoder: Annotated[str, "transformer, recurrent or convolutional."] = "transformer"
    decoder: Annotated[str, "ssru or attention."] = "ssru"
    width: Annotated[int, "Pieces that a convolution sees, odd."] = 3
    alignment: int = 0

    def __post_init__(self) -> None:
        sizes = (
            self.vocabulary_size, self.dimension, self.feed_forward, self.heads,
            self.encoder_layers, self.decoder_layers, self.width,
        )  # fmt: skip
        if min(sizes) < 1:
            raise TrainingError(f"every size is at least 1: {self}")
        if self.dimension % self.heads or self.dimension % 2 or self.dimension < 4:
            raise TrainingError(
                f"the dimension {self.dimension} must be even, at least 4, "
                f"and a multiple of the {self.heads} heads"
            )
        if not 0 <= self.alignment <= self.dimension:
            raise TrainingError(
                f"an alignment head's size is {self.alignment}; "
                f"it is at least 0, and at most the dimension, {self.dimension}"
            )
        if self.width % 2 == 0:
            raise TrainingError(f"the width of a convolution is odd, not {self.width}")
        for kind, known in ((self.encoder, ENCODERS), (self.decoder, DECODERS)):
            if kind not in known:
                raise TrainingError(f"unknown kind {kind!r}; known: {', '.join(known)}")


@dataclass(frozen=True)
class Dropout:
    """Shares of values that training sets to zero, each in [0, 1); none of them in use.

    Attributes:
        layers: of the embeddings and of every sub-layer's output.
        attention: of the attention weights.
        inner: of the values between the two maps of a feed-forward layer.
    """

    layers: float = 0.0
    attention: float = 0.0
    inner: float = 0.0


def read_architecture(data: object) -> Architecture:
    """The sizes that a manifest names.

    Raises:
        ExportError: it does not name them all, or they cannot be.
    """
    if not isinstance(data, dict) or not set(SIZES) <= data.keys():
        raise ExportError(f"the manifest does not name all sizes of the network: {list(SIZES)}")
    try:
        vocabulary, dimension, inner, heads, encoder, decoder = (int(data[name]) for name in SIZES)
        alignment = int(data.get("alignment", 0))
        return Architecture(
            vocabulary, dimension, inner, heads, encoder, decoder, alignment=alignment
        )
    except (TypeError, ValueError, TrainingError) as error:
        raise ExportError(f"the manifest's sizes of the network cannot be: {error}") from error
