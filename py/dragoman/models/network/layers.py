"""What encoders and decoders are built of.

Shape letters: B sentences, S source pieces, T target pieces, D model dimension, H heads.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from dragoman.student.architecture import LAYER_NORM_EPSILON as LAYER_NORM_EPSILON
from dragoman.student.architecture import Dropout

MASKED = -1e9
NO_DROPOUT = Dropout()


class Linear(nn.Module):
    """Affine map with a float32 weight [inputs, outputs] that is used in the input's type."""

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        bias = None if self.bias is None else self.bias.to(x.dtype)
        return functional.linear(x, self.weight.to(x.dtype).t(), bias)


class LayerNorm(nn.Module):
    """Layer normalization of a sub-layer's output plus its input."""

    def __init__(self, dimension: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dimension))
        self.bias = nn.Parameter(torch.zeros(dimension))
        self.dropout = dropout

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        scale, bias = self.scale.to(x.dtype), self.bias.to(x.dtype)
        total = dropped(x, self.dropout, self.training) + residual
        return functional.layer_norm(total, scale.shape, scale, bias, LAYER_NORM_EPSILON)


def dropped(x: Tensor, rate: float, training: bool) -> Tensor:
    """Dropout that costs nothing, no random number either, where there is none."""
    return functional.dropout(x, rate) if rate and training else x


KeysValues = tuple[Tensor, Tensor]


class Attention(nn.Module):
    """Multi-head attention; heads are contiguous slices of the model dimension."""

    def __init__(
        self, dimension: int, heads: int, dropout: Dropout = NO_DROPOUT, scored: bool = True
    ) -> None:
        super().__init__()
        self.heads = heads
        self.scored = scored  # whether anybody reads the scores
        self.dropout = dropout.attention
        self.query = Linear(dimension, dimension)
        self.key = Linear(dimension, dimension)
        self.value = Linear(dimension, dimension)
        self.output = Linear(dimension, dimension)
        self.norm = LayerNorm(dimension, dropout.layers)

    def split(self, x: Tensor) -> Tensor:
        """[B, L, D] to [B, H, L, D / H]."""
        return x.view(*x.shape[:2], self.heads, x.shape[2] // self.heads).transpose(1, 2)

    def keys_values(self, memory: Tensor) -> KeysValues:
        """memory [B, S, D] -> keys and values [B, H, S, D / H]."""
        return self.split(self.key(memory)), self.split(self.value(memory))

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, D], memory [B, S, D], additive mask [B, 1, 1 or T, S] -> [B, T, D], scores.

        The masked scores of head 0 [B, T, S], before the softmax, are what guided alignment trains.
        """
        return self._mixed(x, self.query(x), self.keys_values(memory), mask)

    def attend(self, x: Tensor, memory: KeysValues, mask: Tensor) -> tuple[Tensor, Tensor]:
        """As `forward`, with keys and values at hand."""
        return self._mixed(x, self.query(x), memory, mask)

    def _mixed(
        self, x: Tensor, query: Tensor, memory: KeysValues, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        # Spelled out: the fused kernel's gradient is slow for short sentences on a CPU.
        if x.is_cuda:
            return self.fused(x, query, memory, mask)
        keys, values = memory
        query = query * (query.shape[-1] // self.heads) ** -0.5
        scores = self.split(query) @ keys.transpose(2, 3) + mask
        weights = dropped(torch.softmax(scores, dim=-1), self.dropout, self.training)
        heads = weights @ values
        return self.norm(self.output(heads.transpose(1, 2).flatten(2)), x), scores[:, 0]

    def fused(
        self, x: Tensor, query: Tensor, memory: KeysValues, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """As spelled out, by one kernel that keeps no weights; scores are of head 0 alone."""
        keys, values = memory
        queries = self.split(query)
        heads = functional.scaled_dot_product_attention(
            queries,
            keys,
            values,
            attn_mask=mask if mask.dim() else None,
            dropout_p=self.dropout if self.training else 0.0,
        )
        scores = mask.new_zeros(())
        if self.scored:
            scale = queries.shape[-1] ** -0.5
            scores = queries[:, 0] * scale @ keys[:, 0].transpose(1, 2) + mask[:, 0]
        return self.norm(self.output(heads.transpose(1, 2).flatten(2)), x), scores


class AlignmentHead(nn.Module):
    """Which source piece the newest target piece comes from.

    A decoder's attention looks before it knows which piece will come out: it guesses. This looks
    one step later, when the piece has gone in (Chen et al. 2020, "Accurate Word Alignment Induction
    from Neural Machine Translation", section 4). It only reads: translations are the same without.
    """

    def __init__(self, dimension: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.query = Linear(dimension, size)
        self.key = Linear(dimension, size)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """x [B, T, D], memory [B, S, D], additive mask [B, 1, 1, S] -> scores [B, T, S].

        Row t is of the piece that went in at step t: target piece t - 1.
        """
        query = self.query(x) * self.size**-0.5
        scores: Tensor = query @ self.key(memory).transpose(1, 2) + mask[:, 0]
        return scores


class FeedForward(nn.Module):
    def __init__(self, dimension: int, inner: int, dropout: Dropout = NO_DROPOUT) -> None:
        super().__init__()
        self.dropout = dropout.inner
        self.inner = Linear(dimension, inner)
        self.outer = Linear(inner, dimension)
        self.norm = LayerNorm(dimension, dropout.layers)

    def forward(self, x: Tensor) -> Tensor:
        inner = dropped(functional.relu(self.inner(x)), self.dropout, self.training)
        output: Tensor = self.norm(self.outer(inner), x)
        return output


def positions(start: int, count: int, dimension: int, device: torch.device | None = None) -> Tensor:
    """Sinusoids [count, dimension]: first half sines, second half cosines (not interleaved)."""
    half = dimension // 2
    rates = torch.exp(torch.arange(half, device=device) * -(math.log(10000.0) / (half - 1)))
    angles = torch.arange(start, start + count, device=device)[:, None] * rates
    return torch.cat((torch.sin(angles), torch.cos(angles)), dim=1)


def padding_mask(real: Tensor, dtype: torch.dtype) -> Tensor:
    """True where real [B, S] -> additive mask [B, 1, 1, S]."""
    mask = torch.zeros(real.shape, dtype=dtype, device=real.device)
    return mask.masked_fill(~real, MASKED)[:, None, None, :]


def causal_mask(count: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Additive mask [1, 1, T, T]: row t sees the columns 0 to t."""
    later = torch.ones(count, count, dtype=torch.bool, device=device).triu(1)
    mask = torch.zeros(count, count, dtype=dtype, device=device)
    return mask.masked_fill(later, MASKED)[None, None]
