"""What the tensors of a student are called here and in Marian.

encoder.0.attention.query    encoder_l1_self_Wq, encoder_l1_self_bq
decoder.1.recurrence.forget  decoder_l2_rnn_Wf, decoder_l2_rnn_bf
embedding                    Wemb, or encoder_Wemb and decoder_Wemb
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dragoman.marian.config import MarianConfig
from dragoman.student.architecture import EMBEDDING

ALPHA = "_QuantMultA"
CONFIG = "special:model.yml"
BIAS = "decoder_ff_logit_out_b"  # of the output layer


@dataclass(frozen=True, slots=True)
class MatrixName:
    """A matrix product: ours, Marian's weight, and its bias where it has one."""

    ours: str
    weight: str
    bias: str | None

    @property
    def alpha(self) -> str:
        return self.weight + ALPHA


@dataclass(frozen=True, slots=True)
class NormName:
    """A layer normalization; Marian's name lacks ``_scale`` and ``_bias``."""

    ours: str
    prefix: str


def matrix_names(config: MarianConfig) -> Iterator[MatrixName]:
    """Every product but the output layer's."""
    for layer in range(config.sizes.encoder_layers):
        ours, theirs = f"encoder.{layer}", f"encoder_l{layer + 1}"
        yield from _attention(f"{ours}.attention", f"{theirs}_self")
        yield from _feed_forward(f"{ours}.feed_forward", f"{theirs}_ffn")
    for layer in range(config.sizes.decoder_layers):
        ours, theirs = f"decoder.{layer}", f"decoder_l{config.decoder_layer(layer)}"
        yield MatrixName(f"{ours}.recurrence.candidate", f"{theirs}_rnn_W", None)
        yield MatrixName(f"{ours}.recurrence.forget", f"{theirs}_rnn_Wf", f"{theirs}_rnn_bf")
        yield from _attention(f"{ours}.attention", f"{theirs}_context")
        yield from _feed_forward(f"{ours}.feed_forward", f"{theirs}_ffn")


def _attention(ours: str, theirs: str) -> Iterator[MatrixName]:
    for part, letter in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "o")):
        yield MatrixName(f"{ours}.{part}", f"{theirs}_W{letter}", f"{theirs}_b{letter}")


def _feed_forward(ours: str, theirs: str) -> Iterator[MatrixName]:
    yield MatrixName(f"{ours}.inner", f"{theirs}_W1", f"{theirs}_b1")
    yield MatrixName(f"{ours}.outer", f"{theirs}_W2", f"{theirs}_b2")


def norm_names(config: MarianConfig) -> Iterator[NormName]:
    for layer in range(config.sizes.encoder_layers):
        ours, theirs = f"encoder.{layer}", f"encoder_l{layer + 1}"
        yield NormName(f"{ours}.attention.norm", f"{theirs}_self_Wo_ln")
        yield NormName(f"{ours}.feed_forward.norm", f"{theirs}_ffn_ffn_ln")
    for layer in range(config.sizes.decoder_layers):
        ours, theirs = f"decoder.{layer}", f"decoder_l{config.decoder_layer(layer)}"
        yield NormName(f"{ours}.recurrence.norm", f"{theirs}_rnn_ffn_ln")
        yield NormName(f"{ours}.attention.norm", f"{theirs}_context_Wo_ln")
        yield NormName(f"{ours}.feed_forward.norm", f"{theirs}_ffn_ffn_ln")


def embedding_names(config: MarianConfig) -> dict[str, str]:
    """Marian's name of each of our embeddings; the last one is the output layer's matrix too."""
    if config.shared:
        return {EMBEDDING: "Wemb"}
    return {f"source_{EMBEDDING}": "encoder_Wemb", EMBEDDING: "decoder_Wemb"}


def output_alphas(config: MarianConfig) -> tuple[str, ...]:
    """Names of the output layer's alpha; with a shortlist the engine calls it ``none``."""
    return ("Wemb" + ALPHA, "none" + ALPHA) if config.shared else ("decoder_Wemb" + ALPHA,)
