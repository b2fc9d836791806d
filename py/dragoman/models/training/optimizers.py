"""What turns gradients into updates: Adam for everything, or Muon for the matrices inside.

    adam   Adam (Kingma and Ba 2015), fused
    muon   Muon (Jordan et al. 2024) for the weights of every `Linear`; Adam for the embedding,
           which is the output layer too, and for biases and normalizations

Where rows are packed (`models.distillation`) Muon is one for stacks of matrices.

Muon's step is scaled to the size of Adam's (`match_rms_adamw`, Liu et al. 2025), so that one rate
serves both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from dragoman.models.network.layers import Linear
from dragoman.models.training.muon import Muon32, StackedMuon
from dragoman.models.training.settings import OptimizerKind


class Optimizers:
    """One optimizer or two, each with parameters of its own, behind the interface of one.

    Args:
        shares: of the rate, that each part has; none: all of it.
    """

    def __init__(
        self, parts: Sequence[torch.optim.Optimizer], shares: Sequence[float] = ()
    ) -> None:
        self.parts = tuple(parts)
        self.shares = tuple(shares) or (1.0,) * len(self.parts)

    def set_rate(self, rate: float) -> None:
        for part, share in zip(self.parts, self.shares, strict=True):
            for group in part.param_groups:
                group["lr"] = rate * share

    def zero_grad(self) -> None:
        for part in self.parts:
            part.zero_grad()

    def step(self) -> None:
        for part in self.parts:
            part.step()

    def state(self) -> list[dict[str, Any]]:
        return [part.state_dict() for part in self.parts]

    def load(self, state: Sequence[dict[str, Any]]) -> None:
        """Raises: ValueError: the state is not of these optimizers."""
        for part, saved in zip(self.parts, state, strict=True):
            part.load_state_dict(saved)
            # Muon of a machine without bfloat16 (`Muon32`) saves fewer settings than PyTorch's.
            for group in part.param_groups:
                for name, value in part.defaults.items():
                    group.setdefault(name, value)


def make_optimizers(
    model: nn.Module, kind: str, rate: float, *, bfloat16: bool = True
) -> Optimizers:
    """The optimizers of all parameters of a model; `bfloat16`: what Muon may compute in."""
    if kind == OptimizerKind.ADAM:
        return Optimizers([_adam(list(model.parameters()), rate)])
    matrices, rest = _parted(model)
    return Optimizers([_muon(matrices, rate, bfloat16), _adam(rest, rate)])


def make_stacked(
    model: nn.Module,
    rate: float,
    compute_type: torch.dtype,
    decay: float = 0.0,
    adam_share: float = 1.0,
) -> Optimizers:
    """Muon for stacks of matrices, with a decay; Adam for the rest, with a share of the rate."""
    matrices, rest = _parted(model)
    muon = StackedMuon(matrices, rate, decay, compute_type)
    return Optimizers([muon, _adam(rest, rate)], [1.0, adam_share])


def _parted(model: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """The matrices inside, and all other parameters."""
    inner = {
        f"{name}.weight" for name, module in model.named_modules() if isinstance(module, Linear)
    }
    named = dict(model.named_parameters())
    return (
        [parameter for name, parameter in named.items() if name in inner],
        [parameter for name, parameter in named.items() if name not in inner],
    )


def _muon(matrices: Sequence[nn.Parameter], rate: float, bfloat16: bool) -> torch.optim.Optimizer:
    if not bfloat16:
        return Muon32(matrices, rate)
    return torch.optim.Muon(matrices, lr=rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")


def _adam(parameters: Sequence[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    return torch.optim.Adam(parameters, lr=rate, betas=(0.9, 0.98), eps=1e-9, fused=True)
