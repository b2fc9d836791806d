"""The student as a PyTorch module, in five parts: embedding, encoder, decoder, output layer, loss.

    source --embed--> x --Encoder--> memory --Decoder--> h --logits--> scores --loss--> training
    target --embed (one piece later)----------^

Encoders and decoders of each kind are alike from outside (`encoders`, `decoders`), sizes and kinds
are an `Architecture`, losses are in `loss`. Embedding and output layer share one matrix.

The tiny kind (Transformer encoder, SSRU decoder) follows, in mathematics and names, Marian's
transformer with ``transformer-postprocess: dan``, ``transformer-decoder-autoreg: rnn`` and
``dec-cell: ssru`` (Kim et al. 2019, "From Research to Production and Back"), so that weights can go
either way.

Shape letters: B sentences, S source pieces, T target pieces, D model dimension, V pieces.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from dragoman.models.network.decoders import DECODER_CLASSES
from dragoman.models.network.encoders import ENCODER_CLASSES
from dragoman.models.network.layers import LAYER_NORM_EPSILON as LAYER_NORM_EPSILON
from dragoman.models.network.layers import NO_DROPOUT, AlignmentHead, dropped, padding_mask
from dragoman.models.network.layers import Linear as Linear
from dragoman.models.network.layers import positions as positions
from dragoman.student.architecture import EOS as EOS
from dragoman.student.architecture import UNK as UNK
from dragoman.student.architecture import Architecture as Architecture
from dragoman.student.architecture import Dropout


class Forced(NamedTuple):
    """What teacher forcing gives.

    Attributes:
        output: of the decoder [B, T, D].
        guided: log attention of the guided head [B, T, S]: row t, as piece t was to be chosen.
        history: `decoders.Decoded.history` [B, T, D].
        memory: the encoder's output [B, S, D].
        mask: additive [B, 1, 1, S].
    """

    output: Tensor
    guided: Tensor
    history: Tensor
    memory: Tensor
    mask: Tensor


class Student(nn.Module):
    """The translation model.

    Args:
        compute_type: of the activations; parameters are float32 always.
        dropout: in training mode only.
    """

    def __init__(
        self,
        sizes: Architecture,
        compute_type: torch.dtype = torch.float32,
        dropout: Dropout = NO_DROPOUT,
    ) -> None:
        super().__init__()
        self.sizes = sizes
        self.compute_type = compute_type
        self.dropout = dropout
        self.embedding = nn.Parameter(torch.empty(sizes.vocabulary_size, sizes.dimension))
        nn.init.normal_(self.embedding, std=sizes.dimension**-0.5)
        self.output_bias = nn.Parameter(torch.zeros(sizes.vocabulary_size))
        self.encoder = ENCODER_CLASSES[sizes.encoder](sizes, dropout)
        self.decoder = DECODER_CLASSES[sizes.decoder](sizes, dropout)
        self.alignment = (
            AlignmentHead(sizes.dimension, sizes.alignment) if sizes.alignment else None
        )

    def embed(self, ids: Tensor, start: int = 0) -> Tensor:
        """ids [B, L] -> [B, L, D], scaled, with positions from `start` on."""
        return self.placed(self.rows(ids), start)

    def rows(self, ids: Tensor) -> Tensor:
        """ids [B, L] -> [B, L, D] in float32, scaled, without positions."""
        # Looked up in float32: bfloat16 would lose the gradients of frequent pieces.
        return functional.embedding(ids, self.embedding) * math.sqrt(self.sizes.dimension)

    def placed(self, rows: Tensor, start: int) -> Tensor:
        """Rows [B, L, D] with their positions, in the type that is computed in."""
        places = positions(start, rows.shape[1], self.sizes.dimension, rows.device)
        return dropped((rows + places).to(self.compute_type), self.dropout.layers, self.training)

    def encode(self, source: Tensor, source_mask: Tensor) -> tuple[Tensor, Tensor]:
        """source [B, S], True where real -> memory [B, S, D], additive mask [B, 1, 1, S]."""
        memory = self.encoder(self.embed(source), source_mask)
        return memory, padding_mask(source_mask, self.compute_type)

    def forward(self, source: Tensor, source_mask: Tensor, target: Tensor) -> Forced:
        """Teacher forcing: source [B, S], True where real, target [B, T]."""
        memory, mask = self.encode(source, source_mask)
        # The first input is the zero vector (no BOS) with position 0; then the previous pieces.
        previous = functional.pad(self.rows(target[:, :-1]), (0, 0, 1, 0))
        decoded = self.decoder(self.placed(previous, 0), memory, mask)
        guided = functional.log_softmax(decoded.scores.float(), dim=-1)
        return Forced(decoded.output, guided, decoded.history, memory, mask)

    def aligned(self, forced: Forced) -> Tensor:
        """Where each target piece comes from: log weights [B, T, S].

        From the alignment head one step later, where the model has one: the last row, of an EOS, is
        then that of the row before.
        """
        if self.alignment is None:
            return forced.guided
        scores = self.alignment(forced.history, forced.memory, forced.mask)
        log_weights = functional.log_softmax(scores.float(), dim=-1)
        return torch.cat((log_weights[:, 1:], log_weights[:, -1:]), dim=1)

    def logits(self, x: Tensor) -> Tensor:
        """Decoder output [..., D] -> scores of all pieces [..., V]."""
        return functional.linear(x, self.embedding.to(x.dtype), self.output_bias.to(x.dtype))

    @torch.no_grad()
    def greedy(self, source: Tensor, source_mask: Tensor, limit: int) -> list[list[int]]:
        """Best piece at each step until EOS or `limit` steps; rows without their EOS."""
        memory, mask = self.encode(source, source_mask)
        states = self.decoder.start(memory)
        previous = memory.new_zeros(len(source), 1, self.sizes.dimension, dtype=torch.float32)
        outputs: list[Tensor] = []
        ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
        for step in range(limit):
            x, states = self.decoder.step(self.placed(previous, step)[:, 0], states, mask)
            scores = self.logits(x)
            scores[:, UNK] = -torch.inf
            best = scores.argmax(dim=-1).masked_fill(ended, EOS)
            ended |= best == EOS
            outputs.append(best)
            if bool(ended.all()):
                break
            previous = self.rows(best[:, None])
        return [_until_eos(row) for row in torch.stack(outputs, dim=1).tolist()]


def _until_eos(row: list[int]) -> list[int]:
    return row[: row.index(EOS)] if EOS in row else row
