"""The tiny student as a PyTorch module: Transformer encoder, SSRU decoder, tied embeddings.

Mathematics and names follow Marian's transformer with ``transformer-postprocess: dan``,
``transformer-decoder-autoreg: rnn`` and ``dec-cell: ssru`` (Kim et al. 2019, "From Research to
Production and Back"), so that weights can go either way.

Shape letters: B sentences, S source pieces, T target pieces, D model dimension, H heads, V pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from dragoman.errors import TrainingError

LAYER_NORM_EPSILON = 1e-6
EOS, UNK = 0, 1


@dataclass(frozen=True)
class Architecture:
    """Sizes of a student; the defaults are those of the published tiny models."""

    vocabulary_size: int = 8000
    dimension: int = 256
    feed_forward: int = 1536
    heads: int = 8
    encoder_layers: int = 6
    decoder_layers: int = 2

    def __post_init__(self) -> None:
        if min(asdict(self).values()) < 1:
            raise TrainingError(f"every size is at least 1: {self}")
        if self.dimension % self.heads or self.dimension % 2 or self.dimension < 4:
            raise TrainingError(
                f"the dimension {self.dimension} must be even, at least 4, "
                f"and a multiple of the {self.heads} heads"
            )


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

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dimension))
        self.bias = nn.Parameter(torch.zeros(dimension))

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        scale, bias = self.scale.to(x.dtype), self.bias.to(x.dtype)
        return functional.layer_norm(x + residual, scale.shape, scale, bias, LAYER_NORM_EPSILON)


class Attention(nn.Module):
    """Multi-head attention; heads are contiguous slices of the model dimension."""

    def __init__(self, dimension: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = Linear(dimension, dimension)
        self.key = Linear(dimension, dimension)
        self.value = Linear(dimension, dimension)
        self.output = Linear(dimension, dimension)
        self.norm = LayerNorm(dimension)

    def split(self, x: Tensor) -> Tensor:
        """[B, L, D] to [B, H, L, D / H]."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, D], memory [B, S, D], additive mask [B, 1, 1, S] -> [B, T, D], scores of head 0.

        The masked scores of head 0 [B, T, S], before the softmax, are what guided alignment trains.
        Spelled out because the fused kernel's gradient is slow for short sentences on a CPU.
        """
        query, key, value = self.query(x), self.key(memory), self.value(memory)
        query = query * (query.shape[-1] // self.heads) ** -0.5
        scores = self.split(query) @ self.split(key).transpose(2, 3) + mask
        heads = torch.softmax(scores, dim=-1) @ self.split(value)
        return self.norm(self.output(heads.transpose(1, 2).flatten(2)), x), scores[:, 0]


class FeedForward(nn.Module):
    def __init__(self, dimension: int, inner: int) -> None:
        super().__init__()
        self.inner = Linear(dimension, inner)
        self.outer = Linear(inner, dimension)
        self.norm = LayerNorm(dimension)

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.norm(self.outer(functional.relu(self.inner(x))), x)
        return output


class _Recurrence(torch.autograd.Function):
    """c_t = f_t * c_(t-1) + (1 - f_t) * x_t along the first axis, float32 inside.

    One autograd node for all steps: the elementwise loop costs far less than a graph of T nodes.
    """

    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, forget: Tensor, x: Tensor) -> Tensor:
        forget32, x32 = forget.float(), x.float()
        states = torch.empty_like(x32)
        state = torch.zeros_like(x32[0])
        for step in range(len(x32)):
            state = torch.lerp(x32[step], state, forget32[step])
            states[step] = state
        ctx.save_for_backward(forget32, x32, states)
        return states.to(x.dtype)

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, gradient: Tensor
    ) -> tuple[Tensor, Tensor]:
        forget, x, states = ctx.saved_tensors  # type: ignore[attr-defined]
        upstream = gradient.float()
        totals = torch.empty_like(upstream)
        carried = torch.zeros_like(upstream[0])
        for step in range(len(upstream) - 1, -1, -1):
            torch.add(upstream[step], carried, out=totals[step])
            carried = totals[step] * forget[step]
        previous = torch.cat((torch.zeros_like(states[:1]), states[:-1]))
        grad_forget = totals * (previous - x)
        grad_x = totals * (1 - forget)
        return grad_forget.to(gradient.dtype), grad_x.to(gradient.dtype)


class Ssru(nn.Module):
    """Simpler simple recurrent unit: a sub-layer of the decoder with one state vector."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.candidate = Linear(dimension, dimension, bias=False)
        self.forget = Linear(dimension, dimension)
        self.norm = LayerNorm(dimension)

    def forward(self, x: Tensor) -> Tensor:
        """All steps at once: x [B, T, D] -> [B, T, D]."""
        steps = x.transpose(0, 1)
        forget = torch.sigmoid(self.forget(steps))
        states: Tensor = _Recurrence.apply(forget, self.candidate(steps))  # type: ignore[no-untyped-call]
        output: Tensor = self.norm(functional.relu(states).transpose(0, 1), x)
        return output

    def step(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """One step: x [B, D], state [B, D] -> output [B, D], new state [B, D]."""
        forget = torch.sigmoid(self.forget(x))
        state = torch.lerp(self.candidate(x), state, forget)
        return self.norm(functional.relu(state), x), state


class EncoderLayer(nn.Module):
    def __init__(self, sizes: Architecture) -> None:
        super().__init__()
        self.attention = Attention(sizes.dimension, sizes.heads)
        self.feed_forward = FeedForward(sizes.dimension, sizes.feed_forward)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        attended, _ = self.attention(x, x, mask)
        output: Tensor = self.feed_forward(attended)
        return output


class DecoderLayer(nn.Module):
    def __init__(self, sizes: Architecture) -> None:
        super().__init__()
        self.recurrence = Ssru(sizes.dimension)
        self.attention = Attention(sizes.dimension, sizes.heads)
        self.feed_forward = FeedForward(sizes.dimension, sizes.feed_forward)


def positions(start: int, count: int, dimension: int) -> Tensor:
    """Sinusoids [count, dimension]: first half sines, second half cosines (not interleaved)."""
    half = dimension // 2
    rates = torch.exp(torch.arange(half) * -(math.log(10000.0) / (half - 1)))
    angles = torch.arange(start, start + count)[:, None] * rates
    return torch.cat((torch.sin(angles), torch.cos(angles)), dim=1)


class Student(nn.Module):
    """The translation model."""

    def __init__(self, sizes: Architecture, compute_type: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.sizes = sizes
        self.compute_type = compute_type
        self.embedding = nn.Parameter(torch.empty(sizes.vocabulary_size, sizes.dimension))
        nn.init.normal_(self.embedding, std=sizes.dimension**-0.5)
        self.output_bias = nn.Parameter(torch.zeros(sizes.vocabulary_size))
        self.encoder = nn.ModuleList(EncoderLayer(sizes) for _ in range(sizes.encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(sizes) for _ in range(sizes.decoder_layers))

    def embed(self, ids: Tensor, start: int = 0) -> Tensor:
        """ids [B, L] -> [B, L, D], scaled, with positions from `start` on."""
        # Looked up in float32: bfloat16 would lose the gradients of frequent pieces.
        rows = functional.embedding(ids, self.embedding) * math.sqrt(self.sizes.dimension)
        return (rows + positions(start, ids.shape[1], self.sizes.dimension)).to(self.compute_type)

    def encode(self, source: Tensor, source_mask: Tensor) -> tuple[Tensor, Tensor]:
        """source [B, S], True where real -> memory [B, S, D], additive mask [B, 1, 1, S]."""
        mask = torch.zeros(source_mask.shape, dtype=self.compute_type)
        mask = mask.masked_fill(~source_mask, -1e9)[:, None, None, :]
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, mask)
        return x, mask

    def forward(self, source: Tensor, source_mask: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Teacher forcing: decoder output [B, T, D], log attention of the guided head [B, T, S]."""
        memory, mask = self.encode(source, source_mask)
        # The first input is the zero vector (no BOS) with position 0; then the previous pieces.
        previous = functional.embedding(target[:, :-1], self.embedding)
        previous = functional.pad(previous * math.sqrt(self.sizes.dimension), (0, 0, 1, 0))
        x = (previous + positions(0, target.shape[1], self.sizes.dimension)).to(self.compute_type)
        for layer in self._decoder_layers():
            x, scores = layer.attention(layer.recurrence(x), memory, mask)
            x = layer.feed_forward(x)
        return x, functional.log_softmax(scores.float(), dim=-1)

    def logits(self, x: Tensor) -> Tensor:
        """Decoder output [..., D] -> scores of all pieces [..., V]."""
        return functional.linear(x, self.embedding.to(x.dtype), self.output_bias.to(x.dtype))

    @torch.no_grad()
    def greedy(self, source: Tensor, source_mask: Tensor, limit: int) -> list[list[int]]:
        """Best piece at each step until EOS or `limit` steps; rows without their EOS."""
        memory, mask = self.encode(source, source_mask)
        rows = len(source)
        states = [memory.new_zeros(rows, self.sizes.dimension) for _ in self.decoder]
        previous = memory.new_zeros(rows, self.sizes.dimension)
        outputs: list[Tensor] = []
        ended = torch.zeros(rows, dtype=torch.bool)
        for step in range(limit):
            x = previous + positions(step, 1, self.sizes.dimension).to(memory.dtype)
            for number, layer in enumerate(self._decoder_layers()):
                x, states[number] = layer.recurrence.step(x, states[number])
                attended, _ = layer.attention(x[:, None], memory, mask)
                x = layer.feed_forward(attended)[:, 0]
            scores = self.logits(x)
            scores[:, UNK] = -torch.inf
            best = scores.argmax(dim=-1).masked_fill(ended, EOS)
            ended |= best == EOS
            outputs.append(best)
            if bool(ended.all()):
                break
            previous = (self.embedding[best] * math.sqrt(self.sizes.dimension)).to(memory.dtype)
        return [_until_eos(row) for row in torch.stack(outputs, dim=1).tolist()]

    def _decoder_layers(self) -> Iterable[DecoderLayer]:
        return cast(Iterable[DecoderLayer], self.decoder)


def _until_eos(row: list[int]) -> list[int]:
    return row[: row.index(EOS)] if EOS in row else row
