"""A larger model that teaches: a Transformer for both directions, and its greedy search.

Normalization comes before each sub-layer (Xiong et al. 2020) and is by root mean square; queries
and keys have norm 1 a value (Henry et al. 2020); feed-forward layers square their ReLU (So et al.
2021). What a sub-layer adds is zero at first. It learns from packed rows (`packed`).

    tag towards the language [, tag of what a model made], pieces, EOS  -->  pieces, EOS

Tags are numbers above the vocabulary's, which no target has. Shape letters: B sentences, S source
pieces, T target pieces, D model dimension, H heads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from dragoman.errors import TrainingError
from dragoman.models.network.layers import KeysValues, Linear, dropped, padding_mask, positions
from dragoman.student.architecture import EOS, UNK

SCALE = 0.2  # of products of queries and keys
EPSILON = 1e-6
ROOM = 64  # the table of pieces is a multiple of so many rows, tags among them
ASK_EVERY = 6  # steps between questions to the device which sentences have ended
FEW = 256  # sentences that are not worth going on with fewer
MANY = 0.65  # of the sentences still under way: then nothing is taken out


@dataclass(frozen=True)
class TeacherSizes:
    """Sizes of a teacher; the defaults are a Transformer base.

    Raises:
        TrainingError: they cannot be.
    """

    vocabulary_size: int = 8000
    dimension: int = 512
    feed_forward: int = 2048
    heads: int = 8
    layers: int = 6

    def __post_init__(self) -> None:
        sizes = self.vocabulary_size, self.dimension, self.feed_forward, self.heads, self.layers
        if min(sizes) < 1 or self.dimension % self.heads or self.dimension % 2:
            raise TrainingError(
                f"a teacher's sizes are at least 1, and its dimension is even and a multiple of "
                f"its heads: {self}"
            )
        if self.dimension < 4:  # places have two rates, see `positions`
            raise TrainingError(f"a teacher's dimension is {self.dimension}; the least is 4")

    def towards(self, language: int) -> int:
        """The tag of a source that is to be translated into the first (0) or second (1) language
        of the data.
        """
        return self.vocabulary_size + language

    @property
    def made(self) -> int:
        """The tag of a source that a model made."""
        return self.vocabulary_size + 2


def normalized(x: Tensor, scale: Tensor) -> Tensor:
    return functional.rms_norm(x, scale.shape, scale.to(x.dtype), EPSILON)


def _unit(x: Tensor) -> Tensor:
    return functional.rms_norm(x, x.shape[-1:], None, EPSILON)


def _linear(inputs: int, outputs: int, zero: bool = False) -> Linear:
    made = Linear(inputs, outputs, bias=False)
    nn.init.normal_(made.weight, std=0.0 if zero else 0.7 / math.sqrt(inputs))
    return made


class Attention(nn.Module):
    """Multi-head attention of a normalized input; what it adds is zero at first."""

    def __init__(self, sizes: TeacherSizes) -> None:
        super().__init__()
        size = sizes.dimension
        self.heads = sizes.heads
        self.query, self.key, self.value = (_linear(size, size) for _ in range(3))
        self.output = _linear(size, size, zero=True)
        self.scale = nn.Parameter(torch.ones(size))

    def split(self, x: Tensor) -> Tensor:
        """[B, L, D] to [B, H, L, D / H]."""
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def queries(self, x: Tensor) -> Tensor:
        """Normalized x [B, T, D] -> [B, H, T, D / H]."""
        return _unit(self.split(self.query(x)))

    def keys_values(self, memory: Tensor) -> KeysValues:
        """Normalized memory [B, S, D] -> keys and values [B, H, S, D / H]."""
        return _unit(self.split(self.key(memory))), self.split(self.value(memory))

    def forward(self, queries: Tensor, memory: KeysValues, mask: Tensor | None) -> Tensor:
        """queries [B, H, T, D / H], additive mask [B, 1, 1 or T, S] -> [B, T, D]."""
        heads = functional.scaled_dot_product_attention(
            queries, *memory, attn_mask=mask, scale=SCALE
        )
        output: Tensor = self.output(heads.transpose(1, 2).flatten(2))
        return output


class FeedForward(nn.Module):
    def __init__(self, sizes: TeacherSizes) -> None:
        super().__init__()
        self.inner = _linear(sizes.dimension, sizes.feed_forward)
        self.outer = _linear(sizes.feed_forward, sizes.dimension, zero=True)
        self.scale = nn.Parameter(torch.ones(sizes.dimension))

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.inner(normalized(x, self.scale)))
        output: Tensor = self.outer(inner.square())
        return output


class EncoderLayer(nn.Module):
    def __init__(self, sizes: TeacherSizes, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.attention, self.feed_forward = Attention(sizes), FeedForward(sizes)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x [B, S, D], additive mask [B, 1, 1 or S, S] -> [B, S, D]."""
        inputs = normalized(x, self.attention.scale)
        own = self.attention.keys_values(inputs)
        attended = self.attention(self.attention.queries(inputs), own, mask)
        x = x + dropped(attended, self.dropout, self.training)
        return x + dropped(self.feed_forward(x), self.dropout, self.training)


class DecoderLayer(nn.Module):
    def __init__(self, sizes: TeacherSizes, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.own, self.attention = Attention(sizes), Attention(sizes)
        self.feed_forward = FeedForward(sizes)

    def forward(self, x: Tensor, memory: Tensor, own_mask: Tensor, mask: Tensor) -> Tensor:
        """x [B, T, D], normalized memory [B, S, D], additive masks -> [B, T, D]."""
        inputs = normalized(x, self.own.scale)
        looked = self.own(self.own.queries(inputs), self.own.keys_values(inputs), own_mask)
        x = x + dropped(looked, self.dropout, self.training)
        queries = self.attention.queries(normalized(x, self.attention.scale))
        attended = self.attention(queries, self.attention.keys_values(memory), mask)
        x = x + dropped(attended, self.dropout, self.training)
        return x + dropped(self.feed_forward(x), self.dropout, self.training)

    def step(
        self, x: Tensor, kept: KeysValues, place: int, source: KeysValues, mask: Tensor
    ) -> Tensor:
        """One place [B, 1, D]; its keys and values are written to `kept` [B, H, T, D / H]."""
        inputs = normalized(x, self.own.scale)
        for one, new in zip(kept, self.own.keys_values(inputs), strict=True):
            one[:, :, place : place + 1] = new
        keys, values = (one[:, :, : place + 1] for one in kept)
        x = x + self.own(self.own.queries(inputs), (keys, values), None)
        queries = self.attention.queries(normalized(x, self.attention.scale))
        x = x + self.attention(queries, source, mask)
        output: Tensor = x + self.feed_forward(x)
        return output


class Teacher(nn.Module):
    """The teacher.

    Args:
        compute_type: of the activations; parameters are float32 always.
        dropout: of embeddings and sub-layers, in training mode only.
    """

    def __init__(
        self,
        sizes: TeacherSizes,
        compute_type: torch.dtype = torch.float32,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.sizes, self.compute_type, self.dropout = sizes, compute_type, dropout
        rows = -(-(sizes.made + 1) // ROOM) * ROOM
        self.embedding = nn.Parameter(torch.randn(rows, sizes.dimension) * sizes.dimension**-0.5)
        self.encoder = nn.ModuleList(EncoderLayer(sizes, dropout) for _ in range(sizes.layers))
        self.decoder = nn.ModuleList(DecoderLayer(sizes, dropout) for _ in range(sizes.layers))
        self.encoded = nn.Parameter(torch.ones(sizes.dimension))
        self.decoded = nn.Parameter(torch.full((sizes.dimension,), 0.5))

    def rows(self, ids: Tensor) -> Tensor:
        """ids [B, L] -> [B, L, D] in float32, scaled, without positions."""
        return functional.embedding(ids, self.embedding) * math.sqrt(self.sizes.dimension)

    def dropped(self, x: Tensor) -> Tensor:
        return dropped(x, self.dropout, self.training)

    @torch.no_grad()
    def greedy(self, source: Tensor, lengths: Tensor, limits: Tensor) -> Tensor:
        """The most probable piece at each place; sentences that have ended leave the batch.

        Args:
            source: int64 [B, S], the tag towards the language first, EOS last and as padding.
            lengths: int64 [B], places of each source that are real.
            limits: int64 [B], most pieces of each target, EOS included.

        Returns:
            int64 [B, T], `EOS` after the pieces of each sentence; where the limit cut a sentence
            there are as many pieces as its limit.
        """
        real = torch.arange(source.shape[1], device=source.device) < lengths[:, None]
        mask = padding_mask(real, self.compute_type)
        longest = int(limits.max())
        size, heads = self.sizes.dimension, self.sizes.heads
        places = positions(0, max(source.shape[1], longest), size, source.device)
        x = (self.rows(source) + places[: source.shape[1]]).to(self.compute_type)
        for layer in self.encoder:
            x = layer(x, mask)
        memory = normalized(x, self.encoded)
        layers = [layer for layer in self.decoder if isinstance(layer, DecoderLayer)]
        of_source = [layer.attention.keys_values(memory) for layer in layers]
        kept = [
            (x.new_empty(len(x), heads, longest, size // heads),
             x.new_empty(len(x), heads, longest, size // heads))
            for _ in layers
        ]  # fmt: skip
        table = self.embedding[: self.sizes.vocabulary_size].to(self.compute_type)
        found = source.new_full((len(source), longest), EOS)
        ids, number = found.clone(), torch.arange(len(source), device=source.device)
        live = torch.ones(len(source), dtype=torch.bool, device=source.device)
        previous = torch.zeros(len(source), 1, size, device=source.device)
        for place in range(longest):
            y = (previous + places[place]).to(self.compute_type)
            for layer, own, other in zip(layers, kept, of_source, strict=True):
                y = layer.step(y, own, place, other, mask)
            scores = functional.linear(normalized(y[:, 0], self.decoded), table)
            scores[:, UNK] = -torch.inf
            best = scores.argmax(dim=-1).masked_fill(~live, EOS)
            ids[:, place] = best
            live = live & (best != EOS) & (place + 1 < limits)
            previous = self.rows(best)[:, None]
            if place % ASK_EVERY < ASK_EVERY - 1:
                continue
            going = int(live.sum())
            if not going:
                break
            if going < MANY * len(live) and len(live) > FEW:
                found[number] = ids
                stay = live.nonzero()[:, 0]
                number, ids, live, limits = number[stay], ids[stay], live[stay], limits[stay]
                previous, mask = previous[stay], mask[stay]
                kept = [(keys[stay], values[stay]) for keys, values in kept]
                of_source = [(keys[stay], values[stay]) for keys, values in of_source]
        found[number] = ids
        return found
