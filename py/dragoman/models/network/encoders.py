"""Encoders: embedded source pieces to what the decoder attends to, all behind one interface.

    Encoder.forward(x [B, S, D], real [B, S]) -> memory [B, S, D]

`real` is True where a piece is no padding. What comes out at a real place does not depend on the
padding. Shape letters as in `layers`; the module names are those of the checkpoints.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable

from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from dragoman.models.network.layers import (
    NO_DROPOUT,
    Attention,
    FeedForward,
    LayerNorm,
    padding_mask,
)
from dragoman.student.architecture import Architecture, Dropout


class Encoder(nn.ModuleList):
    """A stack of layers."""

    def __init__(self, layers: Iterable[nn.Module]) -> None:
        super().__init__(layers)

    @abstractmethod
    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """x [B, S, D], real [B, S] -> memory [B, S, D]."""


class TransformerLayer(nn.Module):
    def __init__(self, sizes: Architecture, dropout: Dropout) -> None:
        super().__init__()
        self.attention = Attention(sizes.dimension, sizes.heads, dropout, scored=False)
        self.feed_forward = FeedForward(sizes.dimension, sizes.feed_forward, dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        attended, _ = self.attention(x, x, mask)
        output: Tensor = self.feed_forward(attended)
        return output


class TransformerEncoder(Encoder):
    """Self-attention and feed-forward, normalized after each (Vaswani et al. 2017)."""

    def __init__(self, sizes: Architecture, dropout: Dropout = NO_DROPOUT) -> None:
        super().__init__(TransformerLayer(sizes, dropout) for _ in range(sizes.encoder_layers))

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        mask = padding_mask(real, x.dtype)
        for layer in self:
            x = layer(x, mask)
        return x


class RecurrentLayer(nn.Module):
    """A bidirectional LSTM of half the dimension each way, added to its input and normalized."""

    def __init__(self, sizes: Architecture, dropout: Dropout) -> None:
        super().__init__()
        dimension = sizes.dimension
        self.recurrence = nn.LSTM(dimension, dimension // 2, batch_first=True, bidirectional=True)
        self.norm = LayerNorm(dimension, dropout.layers)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        # In float32: PyTorch's recurrent layers take no bfloat16 input with float32 weights.
        packed = pack_padded_sequence(x.float(), lengths, batch_first=True, enforce_sorted=False)
        outputs, _ = self.recurrence(packed)
        output, _ = pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])
        normalized: Tensor = self.norm(output.to(x.dtype), x)
        return normalized


class RecurrentEncoder(Encoder):
    """Bidirectional LSTMs with residuals (Chen et al. 2018, "The Best of Both Worlds")."""

    def __init__(self, sizes: Architecture, dropout: Dropout = NO_DROPOUT) -> None:
        super().__init__(RecurrentLayer(sizes, dropout) for _ in range(sizes.encoder_layers))

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        lengths = real.sum(dim=1).cpu()  # the packing wants them there
        for layer in self:
            x = layer(x, lengths)
        return x


class ConvolutionLayer(nn.Module):
    """A gated convolution over neighbouring pieces, added to its input and normalized."""

    def __init__(self, sizes: Architecture, dropout: Dropout) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(
            sizes.dimension, 2 * sizes.dimension, sizes.width, padding=sizes.width // 2
        )
        self.norm = LayerNorm(sizes.dimension, dropout.layers)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        inputs = x.masked_fill(~real[:, :, None], 0).transpose(1, 2)  # [B, D, S]
        weight, bias = self.convolution.weight, self.convolution.bias
        gated = functional.conv1d(
            inputs,
            weight.to(x.dtype),
            None if bias is None else bias.to(x.dtype),
            padding=weight.shape[2] // 2,
        )
        normalized: Tensor = self.norm(functional.glu(gated, dim=1).transpose(1, 2), x)
        return normalized


class ConvolutionalEncoder(Encoder):
    """Gated convolutions (Gehring et al. 2017); each layer sees `width` // 2 pieces further."""

    def __init__(self, sizes: Architecture, dropout: Dropout = NO_DROPOUT) -> None:
        super().__init__(ConvolutionLayer(sizes, dropout) for _ in range(sizes.encoder_layers))

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        for layer in self:
            x = layer(x, real)
        return x


ENCODER_CLASSES: dict[str, Callable[[Architecture, Dropout], Encoder]] = {
    "transformer": TransformerEncoder,
    "recurrent": RecurrentEncoder,
    "convolutional": ConvolutionalEncoder,
}
