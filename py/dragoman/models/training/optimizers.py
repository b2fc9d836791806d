"""What turns gradients into updates: Adam for everything, or Muon for the matrices inside.

    adam   Adam (Kingma and Ba 2015), fused
    muon   Muon (Jordan et al. 2024) for the weights of every `Linear`; Adam for the embedding,
           which is the output layer too, and for biases and normalizations

Muon's step is scaled to the size of Adam's (`match_rms_adamw`, Liu et al. 2025), so that one rate
serves both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from dragoman.models.network.layers import Linear
from dragoman.models.training.muon import Muon32
from dragoman.models.training.settings import OptimizerKind


class Optimizers:
    """One optimizer or two, each with parameters of its own, behind the interface of one."""

    def __init__(self, parts: Sequence[torch.optim.Optimizer]) -> None:
        self.parts = tuple(parts)

    def set_rate(self, rate: float) -> None:
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = rate

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


def make_optimizers(
    model: nn.Module, kind: str, rate: float, *, bfloat16: bool = True
) -> Optimizers:
    """The optimizers of all parameters of a model; `bfloat16`: what Muon may compute in."""
    if kind == OptimizerKind.ADAM:
        return Optimizers([_adam(list(model.parameters()), rate)])
    inner = {
        f"{name}.weight" for name, module in model.named_modules() if isinstance(module, Linear)
    }
    named = dict(model.named_parameters())
    matrices = [parameter for name, parameter in named.items() if name in inner]
    rest = [parameter for name, parameter in named.items() if name not in inner]
    return Optimizers([_muon(matrices, rate, bfloat16), _adam(rest, rate)])


def _muon(matrices: Sequence[nn.Parameter], rate: float, bfloat16: bool) -> torch.optim.Optimizer:
    if not bfloat16:
        return Muon32(matrices, rate)
    return torch.optim.Muon(matrices, lr=rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")


def _adam(parameters: Sequence[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    return torch.optim.Adam(parameters, lr=rate, betas=(0.9, 0.98), eps=1e-9, fused=True)
