"""A model with its averaged parameters for a while, as validation and translation want it."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Averaged:
    """A context in which the model has its averaged parameters, and no dropout."""

    def __init__(self, model: nn.Module, average: list[Tensor]) -> None:
        self.model, self.average = model, average

    def __enter__(self) -> None:
        self.kept = [parameter.detach().clone() for parameter in self.model.parameters()]
        self._set(self.average)
        self.model.eval()

    def __exit__(self, *_: object) -> None:
        self._set(self.kept)
        self.model.train()

    def _set(self, values: list[Tensor]) -> None:
        with torch.no_grad():
            torch._foreach_copy_(list[Tensor](self.model.parameters()), values)
