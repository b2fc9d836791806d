"""Training losses: label-smoothed cross-entropy and guided alignment."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional

# Rows at a time: a chunk of float32 probabilities should stay in the processor's cache.
CHUNK = 64


Gradient = tuple[Tensor, Tensor]  # the loss [], its gradient with respect to the logits [M, V]


def _by_chunks(logits: Tensor, target: Tensor, smoothing: float, weight: float) -> Gradient:
    """The [M, V] matrix is touched as seldom as PyTorch's own kernels allow."""
    gradient = torch.empty_like(logits)
    gradient[len(target) :] = 0
    total = logits.new_zeros((), dtype=torch.float32)
    for start in range(0, len(target), CHUNK):
        chunk = slice(start, min(start + CHUNK, len(target)))
        scores, gold, out = logits[chunk], target[chunk], gradient[chunk]
        rows = torch.arange(len(gold))
        log_probabilities = torch.log_softmax(scores.float(), dim=1)
        total -= (1 - smoothing) * log_probabilities[rows, gold].sum()
        total -= smoothing * log_probabilities.mean(dim=1).sum()
        probabilities = log_probabilities.exp_().sub_(smoothing / logits.shape[1])
        probabilities[rows, gold] -= 1 - smoothing
        out.copy_(probabilities.mul_(weight))
    return total * weight, gradient


def _at_once(logits: Tensor, target: Tensor, smoothing: float, weights: Tensor) -> Gradient:
    """As plain operations, for the compiler: it makes one pass a row of them, in registers.

    Here every row has a target and a weight [M, 1]. The piece that was right is left to the caller:
    scattering would break the pass.
    """
    scores = logits.float()
    most = scores.amax(dim=1, keepdim=True)
    exponentials = torch.exp(scores - most)
    total = exponentials.sum(dim=1, keepdim=True)
    gold = scores.gather(1, target[:, None])
    log_total = most + total.log()
    lost = log_total - (1 - smoothing) * gold - smoothing * scores.mean(dim=1, keepdim=True)
    gradient = (exponentials / total - smoothing / logits.shape[1]) * weights
    return (lost * weights).sum(), gradient.to(logits.dtype)


@cache
def _compiled() -> Callable[[Tensor, Tensor, float, Tensor], Gradient]:
    return torch.compile(_at_once, dynamic=True)


class _SmoothedCrossEntropy(torch.autograd.Function):
    """Forward and gradient together: what the gradient needs is at hand then."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        logits: Tensor,
        target: Tensor,
        smoothing: float,
        weight: float,
        compiled: bool,
    ) -> Tensor:
        if compiled:
            weights = logits.new_zeros(len(logits), 1, dtype=torch.float32)
            weights[: len(target)] = weight
            every = functional.pad(target, (0, len(logits) - len(target)))
            total, gradient = _compiled()(logits, every, smoothing, weights)
            gradient[torch.arange(len(target)), target] -= (1 - smoothing) * weight
        else:
            total, gradient = _by_chunks(logits, target, smoothing, weight)
        ctx.save_for_backward(gradient)
        return total

    @staticmethod
    def backward(
        ctx: torch.autograd.function.FunctionCtx, upstream: Tensor
    ) -> tuple[Tensor, None, None, None, None]:
        (gradient,) = ctx.saved_tensors  # type: ignore[attr-defined]
        # In place: the matrix is the largest of a step, and nothing else reads it.
        factor = float(upstream)
        scaled = gradient if factor == 1 else gradient.mul_(factor)
        return scaled, None, None, None, None


def smoothed_cross_entropy(
    logits: Tensor, target: Tensor, smoothing: float, weight: float = 1.0, compiled: bool = False
) -> Tensor:
    """Cross-entropy with label smoothing (Szegedy et al. 2016), summed over pieces, times `weight`.

    Args:
        logits: [M, V]; rows from the N-th on are padding, which loses nothing and teaches nothing.
        target: int64 [N].
        smoothing: share of the probability that is spread over all pieces, in [0, 1).
        weight: of the loss. Given here, it costs no pass over the gradient.
        compiled: by code made for it, which takes a third of the time and, for the first call, a
            C++ compiler and half a minute.
    """
    if logits.is_cuda:  # one pass there, and nothing that the host would wait for
        summed = functional.cross_entropy(
            logits[: len(target)].float(), target, label_smoothing=smoothing, reduction="sum"
        )
        return summed * weight
    loss: Tensor = _SmoothedCrossEntropy.apply(logits, target, smoothing, weight, compiled)  # type: ignore[no-untyped-call]
    return loss


def guided_alignment(log_weights: Tensor, guide: Tensor) -> Tensor:
    """Sum over target pieces of the cross-entropy of the attention against the aligner's links.

    Args:
        log_weights: log attention [B, T, S].
        guide: [B, T, S], rows that sum to 1 or are empty (no link: no opinion).
    """
    return -(guide * log_weights).sum()
