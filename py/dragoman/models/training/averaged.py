"""A model with its averaged parameters for a while, as validation and translation want it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from dragoman.errors import TrainingError


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


def check_finite(average: Sequence[Tensor], step: int) -> None:
    """That what is about to be saved can be gone on with.

    The average has what every update since the last checkpoint left. An accelerator is seldom asked
    about its losses, and a run may be stopped in between.

    Raises:
        TrainingError: a number is not finite.
    """
    if not math.isfinite(float(torch.nn.utils.get_total_norm(average))):
        raise TrainingError(
            f"step {step}: the parameters are not finite, and are not saved; a lower rate may help"
        )
