"""Decoders: embedded target pieces and the encoder's memory to hidden states, one interface.

    Decoder.forward(x [B, T, D], memory [B, S, D], mask) -> Decoded
    Decoder.start(memory) -> states            one search step at a time: the same results
    Decoder.step(x [B, D], states, mask) -> [B, D], states

`mask` is additive [B, 1, 1, S]. Shape letters as in `layers`; the module names are those of the
checkpoints.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from dragoman.models.network.layers import (
    NO_DROPOUT,
    Attention,
    FeedForward,
    KeysValues,
    LayerNorm,
    Linear,
    causal_mask,
)
from dragoman.student.architecture import Architecture, Dropout


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

    def __init__(self, dimension: int, dropout: Dropout = NO_DROPOUT) -> None:
        super().__init__()
        self.candidate = Linear(dimension, dimension, bias=False)
        self.forget = Linear(dimension, dimension)
        self.norm = LayerNorm(dimension, dropout.layers)

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


# One entry a layer: what it remembers of the target, and its keys and values of the source.
State = tuple[tuple[Tensor, ...], KeysValues]


class Decoded(NamedTuple):
    """What a decoder, or one layer of it, makes of all steps at once.

    Attributes:
        output: [B, T, D].
        scores: of head 0 of the last layer's cross-attention, before the softmax [B, T, S].
        history: what the last layer makes of the target so far, this step's input included,
            before it looks at the source [B, T, D].
    """

    output: Tensor
    scores: Tensor
    history: Tensor


class DecoderLayer(nn.Module):
    """A sub-layer that looks back at the target, cross-attention, feed-forward."""

    attention: Attention
    feed_forward: FeedForward

    @abstractmethod
    def look_back(self, x: Tensor) -> Tensor:
        """All steps at once: x [B, T, D] -> [B, T, D]."""

    @abstractmethod
    def look_back_step(
        self, x: Tensor, kept: tuple[Tensor, ...]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """One step: x [B, D], what is kept of the steps before -> output [B, D], to be kept."""

    @abstractmethod
    def nothing(self, memory: Tensor) -> tuple[Tensor, ...]:
        """What is kept before the first step."""

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Decoded:
        history = self.look_back(x)
        x, scores = self.attention(history, memory, mask)
        return Decoded(self.feed_forward(x), scores, history)

    def step(self, x: Tensor, state: State, mask: Tensor) -> tuple[Tensor, State]:
        x, kept = self.look_back_step(x, state[0])
        attended, _ = self.attention.attend(x[:, None], state[1], mask)
        return self.feed_forward(attended)[:, 0], (kept, state[1])


class SsruLayer(DecoderLayer):
    def __init__(self, sizes: Architecture, dropout: Dropout) -> None:
        super().__init__()
        self.recurrence = Ssru(sizes.dimension, dropout)
        self.attention = Attention(sizes.dimension, sizes.heads, dropout)
        self.feed_forward = FeedForward(sizes.dimension, sizes.feed_forward, dropout)

    def look_back(self, x: Tensor) -> Tensor:
        output: Tensor = self.recurrence(x)
        return output

    def look_back_step(
        self, x: Tensor, kept: tuple[Tensor, ...]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        output, state = self.recurrence.step(x, kept[0])
        return output, (state,)

    def nothing(self, memory: Tensor) -> tuple[Tensor, ...]:
        return (memory.new_zeros(len(memory), memory.shape[2]),)


class AttentionLayer(DecoderLayer):
    def __init__(self, sizes: Architecture, dropout: Dropout) -> None:
        super().__init__()
        self.self_attention = Attention(sizes.dimension, sizes.heads, dropout, scored=False)
        self.attention = Attention(sizes.dimension, sizes.heads, dropout)
        self.feed_forward = FeedForward(sizes.dimension, sizes.feed_forward, dropout)

    def look_back(self, x: Tensor) -> Tensor:
        output: Tensor = self.self_attention(x, x, causal_mask(x.shape[1], x.dtype, x.device))[0]
        return output

    def look_back_step(
        self, x: Tensor, kept: tuple[Tensor, ...]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        new = self.self_attention.keys_values(x[:, None])
        keys, values = (torch.cat(pair, dim=2) for pair in zip(kept, new, strict=True))
        output, _ = self.self_attention.attend(x[:, None], (keys, values), x.new_zeros(()))
        return output[:, 0], (keys, values)

    def nothing(self, memory: Tensor) -> tuple[Tensor, ...]:
        return self.self_attention.keys_values(memory[:, :0])


class Decoder(nn.ModuleList):
    """A stack of layers."""

    def __init__(self, layers: Iterable[DecoderLayer]) -> None:
        super().__init__(layers)

    def layers(self) -> Iterable[DecoderLayer]:
        return cast(Iterable[DecoderLayer], self)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Decoded:
        """Teacher forcing: x [B, T, D], the embedded pieces one place later."""
        decoded = Decoded(x, x, x)
        for layer in self.layers():
            decoded = layer(decoded.output, memory, mask)
        return decoded

    def start(self, memory: Tensor) -> list[State]:
        """States before the first step of a search; keys and values are made once."""
        return [
            (layer.nothing(memory), layer.attention.keys_values(memory)) for layer in self.layers()
        ]

    def step(self, x: Tensor, states: list[State], mask: Tensor) -> tuple[Tensor, list[State]]:
        """One step of a search: x [B, D] -> [B, D], the new states."""
        new: list[State] = []
        for layer, state in zip(self.layers(), states, strict=True):
            x, state = layer.step(x, state, mask)
            new.append(state)
        return x, new


class SsruDecoder(Decoder):
    """As the published students have it (Kim et al. 2019)."""

    def __init__(self, sizes: Architecture, dropout: Dropout = NO_DROPOUT) -> None:
        super().__init__(SsruLayer(sizes, dropout) for _ in range(sizes.decoder_layers))


class AttentionDecoder(Decoder):
    """Causal self-attention (Vaswani et al. 2017)."""

    def __init__(self, sizes: Architecture, dropout: Dropout = NO_DROPOUT) -> None:
        super().__init__(AttentionLayer(sizes, dropout) for _ in range(sizes.decoder_layers))


DECODER_CLASSES: dict[str, Callable[[Architecture, Dropout], Decoder]] = {
    "ssru": SsruDecoder,
    "attention": AttentionDecoder,
}
