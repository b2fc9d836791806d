"""Training losses: label-smoothed cross-entropy and guided alignment."""

from __future__ import annotations

import torch
from torch import Tensor

# Rows at a time: a chunk of float32 probabilities should stay in the processor's cache.
CHUNK = 64


class _SmoothedCrossEntropy(torch.autograd.Function):
    """Fused forward and gradient: the [N, V] matrix is touched as seldom as possible."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        logits: Tensor,
        target: Tensor,
        smoothing: float,
        weight: float,
    ) -> Tensor:
        gradient = torch.empty_like(logits)
        total = logits.new_zeros((), dtype=torch.float32)
        for start in range(0, len(target), CHUNK):
            chunk = slice(start, start + CHUNK)
            scores, gold, out = logits[chunk], target[chunk], gradient[chunk]
            rows = torch.arange(len(gold))
            log_probabilities = torch.log_softmax(scores.float(), dim=1)
            total -= (1 - smoothing) * log_probabilities[rows, gold].sum()
            total -= smoothing * log_probabilities.mean(dim=1).sum()
            probabilities = log_probabilities.exp_().sub_(smoothing / logits.shape[1])
            probabilities[rows, gold] -= 1 - smoothing
            out.copy_(probabilities.mul_(weight))
        ctx.save_for_backward(gradient)
        return total * weight

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, upstream: Tensor
    ) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors  # type: ignore[attr-defined]
        # In place: the matrix is the largest of a step, and nothing else reads it.
        factor = float(upstream)
        return (gradient if factor == 1 else gradient.mul_(factor)), None, None, None


def smoothed_cross_entropy(
    logits: Tensor, target: Tensor, smoothing: float, weight: float = 1.0
) -> Tensor:
    """Cross-entropy with label smoothing (Szegedy et al. 2016), summed over pieces, times `weight`.

    Args:
        logits: [N, V].
        target: int64 [N].
        smoothing: share of the probability that is spread over all pieces, in [0, 1).
        weight: of the loss. Given here, it costs no pass over the gradient.
    """
    loss: Tensor = _SmoothedCrossEntropy.apply(logits, target, smoothing, weight)  # type: ignore[no-untyped-call]
    return loss


def guided_alignment(log_weights: Tensor, guide: Tensor) -> Tensor:
    """Sum over target pieces of the cross-entropy of the attention against the aligner's links.

    Args:
        log_weights: log attention [B, T, S].
        guide: [B, T, S], rows that sum to 1 or are empty (no link: no opinion).
    """
    return -(guide * log_weights).sum()
